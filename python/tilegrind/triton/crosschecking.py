"""Triton's own lowering beside the reference: the PTX that Triton makes of a kernel runs in the emulator, without a GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.runtime.jit import create_function_from_signature

from .. import emulator
from ..ir import dtypes
from .interpreting import interpreter

_MEMORY = {"i1": "i8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u1": "i8", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
           "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "fp8e4nv": "f8e4m3fn", "fp8e5": "f8e5m2"}
_WARP = 32


@dataclass(frozen=True)
class Difference:
    """How an array is in the end, by the reference and by Triton's PTX."""

    name: str
    elements: int
    differing: int  # elements whose bits differ; NaNs of any bits are alike
    largest: float  # difference of two values; infinite where one of them is no number
    index: int | None  # in memory, of the largest difference
    ours: Any = None
    theirs: Any = None

    def __str__(self) -> str:
        if not self.differing:
            return f"{self.name}: all {self.elements} equal"
        return (f"{self.name}: {self.differing} of {self.elements} differ, by {self.largest:.3g} at most: "
                f"at {self.index} {self.ours} by the reference, {self.theirs} by Triton's PTX")


@dataclass(frozen=True)
class Crosscheck:
    """What came of one launch: `trap` is what the emulator stopped at, or None; `findings` are those of the reference."""

    target: int
    ptx: str
    differences: list[Difference]
    trap: emulator.Trap | None
    findings: list[Any] = field(default_factory=list)
    inexact: int = 0  # instructions that a GPU may round otherwise

    @property
    def equal(self) -> bool:
        """Whether nothing differs, and nothing was found."""
        return not self.trap and not self.findings and not any(one.differing for one in self.differences)

    def within(self, most: float) -> bool:
        """The same where values may differ by `most`."""
        return not self.trap and not self.findings and all(one.largest <= most for one in self.differences)

    def __str__(self) -> str:
        lines = [f"sm_{self.target}: " + ("equal" if self.equal else "different")]
        lines += [str(one) for one in self.differences] + ([self.trap.text.rstrip()] if self.trap else [])
        return "\n  ".join(lines + [str(finding) for finding in self.findings])


def crosscheck(kernel: Any, *args: Any, grid: Sequence[int] | Callable[[dict[str, Any]], Sequence[int]], target: int = 80, seed: int = 0,
               races: bool = True, instruction_limit: int = 0, **options: Any) -> Crosscheck:
    """Runs one launch of a `triton.jit` function twice, and compares what it leaves in its arrays.

    Triton compiles the kernel for `target`, the number of sm_80 or sm_90, and its PTX runs in the emulator on copies of the arrays;
    then the reference runs the kernel in place.

    args, options  as of `kernel[grid](*args, **options)`: arrays, numbers, constexprs, num_warps ...
    seed           order of CTAs, warps and approximations in the emulator; 0: the natural one
    races          whether the emulator looks for races within a CTA.  Stores of one value to one word of shared memory are none
                   (docs/triton-ptx.md)
    Raises what Triton raises where it cannot compile the kernel, tilegrind.Error for PTX that the emulator does not understand, and
    ExportError for a kernel that the reference does not."""
    compiled, bound, signature = _compile(kernel, args, options, target)
    extents = tuple(grid(bound) if callable(grid) else grid)
    params = [(name, kind, bound[name]) for name, kind in signature.items() if kind != "constexpr"]
    memories = {name: _memory(name, value, _dtype(name, kind)) for name, kind, value in params if kind.startswith("*")}
    copies = _copies(memories)
    run = _emulate(compiled, params, copies, extents, seed=seed, races=races, instruction_limit=instruction_limit)
    with interpreter(findings="collect") as session:
        kernel[extents](*args, **options)
    differences = [] if run.trap else [_compare(name, memories[name], copies[name]) for name in memories]
    return Crosscheck(target, compiled.asm["ptx"], differences, run.trap, list(session.findings), run.inexact)


def _compile(kernel: Any, args: Any, options: dict[str, Any], target: int) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """The kernel as Triton compiles it for these arguments; its arguments by name; their types."""
    gpu = GPUTarget("cuda", target, _WARP)
    backend = make_backend(gpu)
    binder = create_function_from_signature(kernel.signature, kernel.params, backend)
    bound, specialization, rest = binder(*args, **options)
    settings, signature, constants, attributes = kernel._pack_args(backend, options, bound, specialization, rest)
    source = ASTSource(kernel, signature, constants, attributes)
    return triton.compile(source, target=gpu, options=settings.__dict__), bound, signature


def _dtype(name: str, kind: str) -> str:
    pointee = kind.lstrip("*k")
    if pointee not in _MEMORY:
        raise TypeError(f"{name}: an argument of type {kind} is not supported")
    return _MEMORY[pointee]


def _memory(name: str, value: Any, dtype: str) -> np.ndarray:
    """The elements of an array, which must lie side by side, as a flat array of `dtype` that shares them.  Raises ValueError."""
    array = getattr(value, "array", value)
    if hasattr(array, "detach"):  # a torch tensor; torch has dtypes that numpy lacks
        import torch

        if array.device.type != "cpu" or not array.is_contiguous():
            raise ValueError(f"{name}: a tensor that is elsewhere than on the CPU, or is not contiguous")
        array = array.detach().reshape(-1).view(torch.uint8).numpy()
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
        raise ValueError(f"{name}: not an array, or one that is not C-contiguous")
    return array.reshape(-1).view(np.uint8).view(dtypes.numpy_dtype(dtype))


def _copies(memories: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Copies of the arrays; those that are the same memory stay so.  Raises ValueError for two that overlap otherwise."""
    copies: dict[str, np.ndarray] = {}
    for name, memory in memories.items():
        for earlier, copy in copies.items():
            if not np.shares_memory(memory, memories[earlier]):
                continue
            if memory.ctypes.data != memories[earlier].ctypes.data or memory.nbytes != copy.nbytes:
                raise ValueError(f"{earlier} and {name} overlap, and are not the same array")
            copies[name] = copy.view(memory.dtype)
            break
        else:
            copies[name] = memory.copy()
    return copies


def _emulate(compiled: Any, params: list[tuple[str, str, Any]], copies: dict[str, np.ndarray], extents: tuple[int, ...],
             **options: Any) -> emulator.Run:
    module, metadata = emulator.load(compiled.asm["ptx"], f"{compiled.name}.ptx"), compiled.metadata
    infos = module.params()
    values = [copies[name] if name in copies else _number(kind, value, info[2]) for (name, kind, value), info in zip(params, infos)]
    scratch = metadata.global_scratch_size * int(np.prod(extents)) * metadata.num_ctas
    hidden = [np.zeros(scratch, np.uint8) if scratch else np.uint64(0), np.uint64(0)][:len(infos) - len(values)]
    grid = (extents[0] * metadata.num_ctas, *extents[1:])
    return module.run([*values, *hidden], grid=grid, block=(metadata.num_warps * _WARP,), shared_bytes=metadata.shared, same_values=True,
                      arbitrary_registers=True, **options)


def _number(kind: str, value: Any, size: int) -> np.ndarray | np.generic:
    """A number as the bytes of a parameter."""
    if kind in ("fp16", "bf16", "fp32", "fp64"):
        held = np.asarray(value).astype(dtypes.numpy_dtype(_MEMORY[kind]) if size == dtypes.numpy_dtype(_MEMORY[kind]).itemsize else f"f{size}")
        return held[()]
    return np.array(int(value) & (1 << 8 * size) - 1, f"u{size}")[()]


def _compare(name: str, ours: np.ndarray, theirs: np.ndarray) -> Difference:
    is_float = ours.dtype.kind not in "iub"
    unequal = ours.view(f"u{ours.itemsize}") != theirs.view(f"u{ours.itemsize}")
    if is_float:
        unequal &= ~(np.isnan(ours.astype(np.float64)) & np.isnan(theirs.astype(np.float64)))
    if not unequal.any():
        return Difference(name, ours.size, 0, 0.0, None)
    with np.errstate(invalid="ignore"):
        distance = np.where(unequal, np.abs(ours.astype(np.float64) - theirs.astype(np.float64)), 0.0)
    distance = np.where(np.isnan(distance), np.inf, distance)
    index = int(distance.argmax()) if distance.any() else int(unequal.argmax())
    return Difference(name, ours.size, int(unequal.sum()), float(distance[index]), index, ours[index], theirs[index])
