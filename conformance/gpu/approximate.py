"""How far a GPU's approximate instructions are from the exact value, for every operand of f32, beside what NVIDIA documents.

Each instruction computes 2^32 results; their distance is taken from the function in double precision, with subnormal operands and results
as the instruction has them (with .ftz they are zeros).  On a GPU the comparison runs there as well, by CuPy, whose functions are called as
numpy's are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import numpy as np

_THREADS = 256
_CHUNK = 1 << 26  # operands of a launch

Array = Any  # of numpy or CuPy
Function = Callable[[Any, Array], Array]  # of the array module and a double


@dataclass(frozen=True)
class Range:
    """What is documented for operands with `low` <= |x| <= `high`: the largest error, in `unit` of ULP, relative or absolute."""

    low: float
    high: float
    unit: str
    most: float


@dataclass(frozen=True)
class Instruction:
    """An instruction of one operand, and the function that it approximates."""

    name: str
    exact: Function
    ranges: tuple[Range, ...]  # as PTX ISA 9 has them


_ANY = (0.0, np.inf)


def _of_lg2() -> tuple[Range, ...]:
    return (Range(0.0, np.nextafter(0.5, 0), "ULP", 2), Range(0.5, 2.0, "absolute", 2.0**-22), Range(np.nextafter(2.0, 3), np.inf, "ULP", 2))


def _of_angles() -> tuple[Range, ...]:
    return (Range(0.0, 2 * np.pi, "absolute", 2.0**-20.5), Range(2 * np.pi, 100 * np.pi, "absolute", 2.0**-14.7))


INSTRUCTIONS = [
    Instruction("ex2.approx.f32", lambda xp, x: xp.exp2(x), (Range(*_ANY, "ULP", 2),)),
    Instruction("ex2.approx.ftz.f32", lambda xp, x: xp.exp2(x), (Range(*_ANY, "ULP", 2),)),
    Instruction("lg2.approx.f32", lambda xp, x: xp.log2(x), _of_lg2()),
    Instruction("lg2.approx.ftz.f32", lambda xp, x: xp.log2(x), _of_lg2()),
    Instruction("sin.approx.f32", lambda xp, x: xp.sin(x), _of_angles()),
    Instruction("sin.approx.ftz.f32", lambda xp, x: xp.sin(x), _of_angles()),
    Instruction("cos.approx.f32", lambda xp, x: xp.cos(x), _of_angles()),
    Instruction("cos.approx.ftz.f32", lambda xp, x: xp.cos(x), _of_angles()),
    Instruction("tanh.approx.f32", lambda xp, x: xp.tanh(x), (Range(*_ANY, "relative", 2.0**-11),)),
    Instruction("rcp.approx.f32", lambda _, x: 1 / x, (Range(*_ANY, "ULP", 1),)),
    Instruction("rcp.approx.ftz.f32", lambda _, x: 1 / x, (Range(*_ANY, "ULP", 1),)),
    Instruction("sqrt.approx.f32", lambda xp, x: xp.sqrt(x), (Range(*_ANY, "relative", 2.0**-23),)),
    Instruction("sqrt.approx.ftz.f32", lambda xp, x: xp.sqrt(x), (Range(*_ANY, "relative", 2.0**-23),)),
    Instruction("rsqrt.approx.f32", lambda xp, x: 1 / xp.sqrt(x), (Range(*_ANY, "relative", 2.0**-22.9),)),
    Instruction("rsqrt.approx.ftz.f32", lambda xp, x: 1 / xp.sqrt(x), (Range(*_ANY, "relative", 2.0**-22.9),)),
]


def text(names: list[str]) -> str:
    """A module with an entry `of_N` for each instruction: out[i] = instruction(the f32 whose bits are first + i)."""
    head = ".version 7.8\n.target sm_80\n.address_size 64\n"
    return head + "".join(f"""
.visible .entry of_{number}(.param .u64 out, .param .u32 first)
{{
    .reg .b64 %at, %far;
    .reg .b32 %i, %x;
    .reg .f32 %f;
    mov.u32 %i, %ctaid.x;
    mov.u32 %x, %tid.x;
    mad.lo.u32 %i, %i, {_THREADS}, %x;
    ld.param.u32 %x, [first];
    add.u32 %x, %x, %i;
    mov.b32 %f, %x;
    {name} %f, %f;
    ld.param.u64 %at, [out];
    cvta.to.global.u64 %at, %at;
    mul.wide.u32 %far, %i, 4;
    add.u64 %at, %at, %far;
    st.global.f32 [%at], %f;
    ret;
}}
""" for number, name in enumerate(names))


@dataclass
class Worst:
    """The largest error within a range, in the range's unit, and where."""

    error: float = -1.0
    operand: float = 0.0
    operands: int = 0

    def take(self, new: Worst) -> None:
        """The same with the operands of `new` as well."""
        self.operands += new.operands
        if new.error > self.error:
            self.error, self.operand = new.error, new.operand


def _flushed(xp: Any, x: Array) -> Array:
    return xp.where(xp.abs(x) < 2.0**-126, xp.copysign(0.0, x), x)


def _double(xp: Any, values: Array) -> Array:
    """Floats as doubles; by their bits, since CuPy's own conversion makes zeros of subnormal ones."""
    bits = values.view(np.uint32)
    exponent, fraction = (bits >> 23 & 0xFF).astype(np.int32), (bits & 0x7FFFFF).astype(np.int32)
    size = xp.ldexp(xp.where(exponent > 0, fraction + 0x800000, fraction).astype(np.float64), xp.maximum(exponent, 1) - 150)
    size = xp.where(exponent < 255, size, xp.where(fraction == 0, np.inf, np.nan))
    return xp.where(bits >> 31 != 0, -size, size)


def _single(xp: Any, exact: Array) -> Array:
    """A double as the nearest f32 has it, as far as zero and infinity go."""
    small = xp.abs(exact) <= 2.0**-150
    return xp.where(small, xp.copysign(0.0, exact), xp.where(xp.abs(exact) >= 2.0**128 - 2.0**103, xp.copysign(np.inf, exact), exact))


def errors_of(xp: Any, instruction: Instruction, operands: Array, got: Array) -> tuple[list[Worst], dict[str, int]]:
    """The worst errors, a range each; and how many operands give another kind of result than the exact one: NaN, infinite, zero."""
    flushes = ".ftz" in instruction.name
    x, y = _double(xp, operands), _double(xp, got)
    x = _flushed(xp, x) if flushes else x
    exact = instruction.exact(xp, x)
    rounded = _single(xp, exact)
    rounded = _flushed(xp, rounded) if flushes else rounded
    kinds = {"NaN": int((xp.isnan(y) != xp.isnan(rounded)).sum()), "infinite": int((xp.isinf(y) != xp.isinf(rounded)).sum()),
             "zero": int(((y == 0) != (rounded == 0)).sum())}
    compared = xp.isfinite(y) & xp.isfinite(rounded)
    if flushes:
        compared &= ~((xp.abs(exact) < 2.0**-126) & (y == 0))
    distance = xp.abs(y - exact)
    errors = {"absolute": distance, "ULP": distance / _unit(xp, exact), "relative": distance / xp.maximum(xp.abs(exact), 2.0**-126)}
    return [_worst(xp, x, errors[part.unit], part, compared) for part in instruction.ranges], kinds


def _unit(xp: Any, exact: Array) -> Array:
    """A unit in the last place of f32 at these values."""
    exponent = xp.maximum(xp.frexp(xp.where(xp.isfinite(exact), exact, 0))[1] - 1, -126)
    return xp.ldexp(xp.ones_like(exact), exponent - 23)


def _worst(xp: Any, x: Array, error: Array, part: Range, compared: Array) -> Worst:
    here = compared & (xp.abs(x) >= part.low) & (xp.abs(x) <= part.high)
    if not here.any():
        return Worst()
    error = xp.where(here, error, -1.0)
    at = int(error.argmax())
    return Worst(float(error[at]), float(x[at]), int(here.sum()))


def measure(xp: Any, module: Any, number: int, instruction: Instruction, chunk: int) -> dict[str, Any]:
    """One instruction, of `chunk` operands in each 2^26 of the 2^32."""
    worst = [Worst() for _ in instruction.ranges]
    kinds: Counter[str] = Counter()
    for first in range(0, 1 << 32, _CHUNK):
        got = xp.zeros(chunk, np.float32)
        module.run(f"of_{number}", [got, np.uint32(first)], grid=(chunk // _THREADS,), block=(_THREADS,))
        operands = (xp.arange(chunk, dtype=np.uint32) + np.uint32(first)).view(np.float32)
        with np.errstate(all="ignore"):
            found, differing = errors_of(xp, instruction, operands, got)
        for kept, new in zip(worst, found):
            kept.take(new)
        kinds.update(differing)
    rows = [{"low": part.low, "high": part.high, "unit": part.unit, "documented": part.most, "error": seen.error, "at": seen.operand,
             "operands": seen.operands} for part, seen in zip(instruction.ranges, worst)]
    return {"instruction": instruction.name, "ranges": rows, "other_kind": {kind: count for kind, count in kinds.items() if count}}


def run(device: Any, chunk: int = _CHUNK) -> Iterator[dict[str, Any]]:
    """All instructions, one after the other: each takes a few seconds."""
    module, xp = device.load(text([one.name for one in INSTRUCTIONS])), device.arrays()
    for number, one in enumerate(INSTRUCTIONS):
        yield measure(xp, module, number, one, chunk)
