"""What the parameters of JAX's TPU interpreter (`InterpretParams`) ask of a kernel's conversion and of its run."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

from . import dtypes
from .builder import Value

OUTSIDE = "block-outside-array"  # a finding that is about reads and writes alike
ANY_NUMBER = 2**31 - 1  # of elements behind a dimension


@dataclass(frozen=True)
class TpuModel:
    """The fields of InterpretParams that mean something here; by default nothing is asked.

    is_tpu         the kernel is for the TPU: references to HBM take copies only
    reads_outside  reads outside a reference are undefined values, and no finding
    pads           so is what lies outside but within the tiles that memory is padded to, SMEM excepted
    hbm_scopes     run_scoped may allocate HBM
    skips_floats   operations with floats as results give infinity
    checks         what the run looks for
    fill           what is undefined: "nan" or "zero"; None: as the caller of the interpreter has it
    cores          of the device, among which the programs of the parallel axes are divided
    seed           permutes the places on each parallel axis; None: they keep their order
    recorder       is called with each program's place in the grid and its core
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
        """Whether programs are given to cores, in an order of their own."""
        return self.cores > 1 or self.seed is not None

    def compat(self, given: str) -> str:
        """The mode of the run, where the caller of the interpreter wants `given`."""
        if given != "strict" or self.fill is None:
            return given
        return "tpu:zero" if self.fill == "zero" else "tpu"

    def findings(self, given: str) -> str:
        """Which findings end the run, where the caller of the interpreter wants `given`."""
        what, _, kinds = given.partition(":")
        if not self.reads_outside or given in ("warn", "tell"):
            return given
        if what == "raise" and kinds:
            return "raise:" + ",".join(kind for kind in kinds.split(",") if kind != OUTSIDE)
        return "warn:" + ",".join(filter(None, (kinds, OUTSIDE)))

    def beyond(self, ref: Value, padding: Sequence[int] | None, reads: bool) -> list[int] | None:
        """How many elements an access may take in behind each dimension of `ref`, of which `padding` is known; None: none."""
        if reads and self.reads_outside:
            return [ANY_NUMBER] * len(ref.shape)
        return list(padding) if self.pads and padding is not None and any(padding) else None


def is_for_tpu(compiler_params: Any, interpreter: Any) -> bool:
    """Whether the compiler parameters of a call, or those of its interpreter, are a TPU's."""
    return any(".mosaic." in type(params).__module__ for params in (compiler_params, interpreter))


def target_of(params: Mapping[str, Any]) -> str:
    """The machine that a call with these parameters is meant for: "tpu", or "any" where nothing says so."""
    # Lowering passes the parameters of an interpreter under another name.
    interpreter = params.get("interpret_params", params.get("interpret"))
    return "tpu" if is_for_tpu(params.get("compiler_params"), interpreter) else "any"


def model_of(params: Any) -> TpuModel:
    """That of the `interpret_params` of a call, or of None, or of what is for another interpreter."""
    if type(params).__name__ != "InterpretParams":
        return TpuModel()
    return TpuModel(
        is_tpu=True,
        reads_outside=params.out_of_bounds_reads == "uninitialized",
        pads=getattr(params, "buffer_bounds", "logical") == "padded",
        hbm_scopes=params.allow_hbm_allocation_in_run_scoped,
        skips_floats=params.skip_floating_point_ops,
        checks="races,revisits" if params.detect_races else "revisits",  # of which JAX's interpreter makes an error
        fill=params.uninitialized_memory,
        cores=params.num_cores_or_threads,
        seed=params.random_seed,
        recorder=params.grid_point_recorder,
    )


def padding(ref: Value) -> list[int]:
    """Elements that arrays have behind each dimension in the memory of a TPU, which holds whole tiles: 128 lanes, and of
    the dimension before the last 8 words or, of a short one, the least power of two that holds it.  Emitted
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
    """The memory that a reference of a TPU kernel is in: "vmem", "smem", "hbm", ...; "" where nothing says so."""
    space = getattr(aval, "memory_space", None)
    name = str(getattr(space, "value", space) or "").lower()
    return "hbm" if name == "any" else name


def refuse_hbm(aval: Any, primitive: str, message: str | None = None) -> None:
    """Lets JAX's interpreter refuse a reference to HBM with its own error, a ValueError."""
    if space_of(aval) != "hbm":
        return
    jax_interpreter = importlib.import_module("jax._src.pallas.mosaic.interpret.interpret_pallas_call")
    jax_interpreter._get_memory_space_and_raise_if_hbm(aval, primitive, message)
