"""The parameters of JAX's interpreters for TPUs and GPUs (`InterpretParams`) and their effects on a kernel's conversion and run."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

from ...ir import dtypes
from ...ir.builder import Value

OUTSIDE = "block-outside-array"  # a finding that is about reads and writes alike
ANY_NUMBER = 2**31 - 1  # of elements after a dimension


@dataclass(frozen=True)
class TpuModel:
    """The fields of InterpretParams that have an effect here; the defaults have none.

    is_tpu         the kernel is for the TPU: references to HBM take copies only
    reads_outside  reads outside a reference are undefined values, and no finding
    pads           so are elements outside but within the tiles to which memory is padded, except in SMEM
    hbm_scopes     run_scoped may allocate HBM
    skips_floats   operations with float results give infinity
    checks         the checks of the run
    fill           values of undefined elements: "nan" or "zero"; None: the caller of the interpreter decides
    cores          number of cores of the device, among which the programs of the parallel axes are divided
    seed           permutes the coordinates on each parallel axis; None: they keep their order
    recorder       is called with each program's coordinates in the grid and its core
    """

    is_tpu: bool = False
    reads_outside: bool = False
    pads: bool = False
    hbm_scopes: bool = False
    skips_floats: bool = False
    checks: str = "none"
    fill: str | None = None
    cores: int = 1
    seed: int | None = None
    recorder: Callable[..., Any] | None = None

    @property
    def divides_grid(self) -> bool:
        """Whether programs are assigned to cores, in an order of their own."""
        return self.cores > 1 or self.seed is not None

    def compat(self, given: str) -> str:
        """The compat mode of the run, if the caller of the interpreter asks for `given`."""
        if given != "strict" or self.fill is None:
            return given
        return "tpu:zero" if self.fill == "zero" else "tpu"

    def findings(self, given: str) -> str:
        """The findings that end the run, if the caller of the interpreter asks for `given`."""
        what, _, kinds = given.partition(":")
        if not self.reads_outside or given in ("warn", "tell"):
            return given
        if what == "raise" and kinds:
            return "raise:" + ",".join(kind for kind in kinds.split(",") if kind != OUTSIDE)
        return "warn:" + ",".join(filter(None, (kinds, OUTSIDE)))

    def beyond(self, ref: Value, padding: Sequence[int] | None, reads: bool) -> list[int] | None:
        """How many elements after each dimension of `ref` an access may include; `padding` is the known padding; None: none."""
        if reads and self.reads_outside:
            return [ANY_NUMBER] * len(ref.shape)
        return list(padding) if self.pads and padding is not None and any(padding) else None


def is_for_tpu(compiler_params: Any, interpreter: Any) -> bool:
    """Whether the compiler parameters of a call, or those of its interpreter, are a TPU's."""
    return any(".mosaic." in type(params).__module__ for params in (compiler_params, interpreter))


def target_of(params: Mapping[str, Any]) -> str:
    """The target of a call with these parameters: "tpu", or "any" if nothing indicates one."""
    # Lowering passes the parameters of an interpreter by another name.
    interpreter = params.get("interpret_params", params.get("interpret"))
    return "tpu" if is_for_tpu(params.get("compiler_params"), interpreter) else "any"


def model_of(params: Any) -> TpuModel:
    """The model for the `interpret_params` of a call; also for None, and for parameters of another interpreter."""
    if type(params).__name__ == "InterpretGPUParams":
        return TpuModel(
            reads_outside=params.out_of_bounds_reads == "uninitialized",
            skips_floats=params.skip_floating_point_ops,
            checks="races" if params.detect_races else "none",
            fill=params.uninitialized_memory,
        )
    if type(params).__name__ != "InterpretParams":
        return TpuModel()
    return TpuModel(
        is_tpu=True,
        reads_outside=params.out_of_bounds_reads == "uninitialized",
        pads=getattr(params, "buffer_bounds", "logical") == "padded",
        hbm_scopes=params.allow_hbm_allocation_in_run_scoped,
        skips_floats=params.skip_floating_point_ops,
        checks="races,revisits" if params.detect_races else "revisits",  # revisits: an error in JAX's interpreter
        fill=params.uninitialized_memory,
        cores=params.num_cores_or_threads,
        seed=params.random_seed,
        recorder=params.grid_point_recorder,
    )


def padding(ref: Value) -> list[int]:
    """Elements that arrays have after each dimension in the memory of a TPU, which holds whole tiles: 128 lanes and, in
    the dimension before the last, 8 words or, for a short dimension, the least power of two that holds it.  Emitted
    pipelines copy whole tiles."""
    packing = max(32 // max(dtypes.bits(ref.dtype), 4), 1)
    tiles = [1] * len(ref.shape)
    if len(ref.shape) == 1:
        tiles[-1] = 128 * packing
    elif ref.shape:
        tiles[-1], tiles[-2] = 128, packing
        while tiles[-2] < min(ref.shape[-2], 8 * packing):
            tiles[-2] *= 2
    return [-extent % tile for extent, tile in zip(ref.shape, tiles)]


def space_of(aval: Any) -> str:
    """The memory that contains a reference of a TPU kernel: "vmem", "smem", "hbm", ...; "" if nothing says so."""
    space = getattr(aval, "memory_space", None)
    name = str(getattr(space, "value", space) or "").lower()
    return "hbm" if name == "any" else name


def refuse_hbm(aval: Any, primitive: str, message: str | None = None) -> None:
    """Lets JAX raise its own error, a ValueError, for a reference to HBM."""
    if space_of(aval) != "hbm":
        return
    jax_interpreter = importlib.import_module("jax._src.pallas.mosaic.interpret.interpret_pallas_call")
    jax_interpreter._get_memory_space_and_raise_if_hbm(aval, primitive, message)
