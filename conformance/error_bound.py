"""Bounds on a kernel's error: running error analysis of its IR.

The kernel is evaluated in f64, and each value has a bound on the error that it may have if
every operation rounds to its own dtype as in the reference profile.  Operations propagate the errors
of their operands by the usual rules and add half a unit in the last place of their own result;
a chain of k fused multiply-adds adds k of them, relative to the sum of the products' magnitudes.
The result is a bound for each element, without a constant that someone chose.

In profile fast (docs/gpu.md) operations that have approximate instructions add their bounds in
gpu_backend/elementwise/fast.def, and matrix products add that of matrix units, whether they use them or not.

The analysis assumes that comparisons of floats have the same results as in f64.  A kernel with an operation
that is not in the tables below raises KeyError.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

LN2 = math.log(2)
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
SMALLEST = {"f16": 2.0**-25, "bf16": 2.0**-134, "f32": 2.0**-150, "f64": 2.0**-1075}
NUMPY = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}


@dataclass(frozen=True)
class Type:
    """An element type and a shape."""

    dtype: str
    shape: tuple[int, ...]

    @staticmethod
    def of(text: str) -> Type:
        dtype, shape = re.fullmatch(r"(?:ref<)?(\w+)\[([\d,]*)\]>?", text).groups()
        return Type(dtype, tuple(map(int, shape.split(","))) if shape else ())

    @property
    def is_float(self) -> bool:
        return self.dtype not in NUMPY

    def numpy(self) -> Any:
        return NUMPY.get(self.dtype, np.float64)


@dataclass
class Value:
    """Elements (floats in f64) and a bound on the error of each; or the memory of a ref."""

    x: np.ndarray
    e: np.ndarray

    @staticmethod
    def exact(x: Any) -> Value:
        return Value(np.asarray(x), np.zeros(np.shape(x)))

    def map(self, move: Callable[[np.ndarray], np.ndarray]) -> Value:
        """Applies the same movement of elements to values and errors."""
        return Value(move(self.x), move(self.e))


def undefined(kind: Type) -> Value:
    """Elements that nobody has written."""
    return Value.exact(np.full(kind.shape, np.nan if kind.is_float else 0, kind.numpy()))


def rounded(x: np.ndarray, e: np.ndarray, kind: Type, roundings: float = 1,
            size: np.ndarray | None = None) -> Value:
    """`x` with the error `e` after `roundings` of results no greater than `size`."""
    x = np.asarray(x, kind.numpy())
    if not kind.is_float:
        return Value.exact(x)
    single = roundings == 1
    size = np.abs(x) if size is None else size
    grown = e + roundings * (UNIT[kind.dtype] * (size + e) + SMALLEST[kind.dtype])
    # Rounding an exact number of the dtype changes nothing; infinities have no error.
    unchanged = single & (np.asarray(e) == 0) & (x == _in_dtype(x, kind.dtype))
    return Value(x, np.where(unchanged | ~np.isfinite(x), 0.0, grown))


def _in_dtype(x: np.ndarray, dtype: str) -> np.ndarray:
    narrow = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    return x.astype(narrow[dtype]) if dtype in narrow else np.full_like(x, np.nan)


# -- element-wise ops: the value, and the error caused by the operands' errors --


def _of_monotone(function: Callable[[np.ndarray], np.ndarray]) -> Callable:
    def errors(a: Value) -> tuple[np.ndarray, np.ndarray]:
        x = function(a.x)
        return x, np.maximum(function(a.x + a.e) - x, x - function(a.x - a.e))

    return errors


def _quotient(a: Value, b: Value) -> tuple[np.ndarray, np.ndarray]:
    if a.x.dtype.kind in "iu":
        q = np.abs(a.x) // np.maximum(np.abs(b.x), 1)
        return q * np.sign(a.x) * np.sign(b.x), 0.0
    x = a.x / b.x
    gap = np.abs(b.x) - b.e
    return x, np.where(gap > 0, (a.e + np.abs(x) * b.e) / gap, np.inf)


def _times(size: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Their product; 0 if one is 0, even if the other is infinite."""
    return np.where((size == 0) | (error == 0), 0.0, size * error)


def _product(a: Value, b: Value) -> tuple[np.ndarray, np.ndarray]:
    size_a, size_b = np.abs(a.x), np.abs(b.x)
    return a.x * b.x, _times(size_a, b.e) + _times(size_b, a.e) + _times(a.e, b.e)


def _sqrt(a: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(a, 0))


ROUNDED: dict[str, Callable] = {
    "add": lambda a, b: (a.x + b.x, a.e + b.e),
    "sub": lambda a, b: (a.x - b.x, a.e + b.e),
    "mul": _product,
    "div": _quotient,
    "square": lambda a: _product(a, a),
    "exp": _of_monotone(np.exp),
    "exp2": _of_monotone(np.exp2),
    "log": _of_monotone(np.log),
    "log2": _of_monotone(np.log2),
    "sqrt": _of_monotone(_sqrt),
    "rsqrt": lambda a: _quotient(Value.exact(np.ones_like(a.x)), Value(*_of_monotone(_sqrt)(a))),
    "tanh": _of_monotone(np.tanh),
    "logistic": _of_monotone(lambda a: 1 / (1 + np.exp(-a))),
    "sin": lambda a: (np.sin(a.x), a.e),
    "cos": lambda a: (np.cos(a.x), a.e),
}

def _extreme(function: Callable[..., np.ndarray],
             *operands: Value) -> tuple[np.ndarray, np.ndarray]:
    """An operand that cannot be the result adds no error: the extremes of the operands' ranges decide."""
    x = function(*(a.x for a in operands))
    high = function(*(a.x + a.e for a in operands)) - x
    low = x - function(*(a.x - a.e for a in operands))
    return x, np.where(np.isfinite(x), np.maximum(high, low), 0.0)


# Results equal an operand, or differ from one in sign: no rounding.
EXACT: dict[str, Callable] = {
    "neg": lambda a: (-a.x, a.e),
    "abs": lambda a: (np.abs(a.x), a.e),
    "max": functools.partial(_extreme, np.maximum),
    "min": functools.partial(_extreme, np.minimum),
}

LOGICAL: dict[str, Callable] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "not": np.invert,
}


def _integer_pow(op: Mapping[str, Any], kind: Type, a: Value) -> Value:
    n = op["exponent"]
    extreme = np.abs(a.x) + (a.e if n > 0 else -a.e)  # the point where the power is steepest
    slope = abs(n) * np.where(extreme > 0, extreme, 0.0) ** (n - 1)
    return rounded(np.power(a.x, float(n)), _times(slope, a.e), kind, 2 * abs(n))


def _convert(op: Mapping[str, Any], kind: Type, a: Value) -> Value:
    del op
    if not kind.is_float:
        return Value.exact(np.trunc(a.x).astype(kind.numpy()) if a.x.dtype.kind == "f"
                           else a.x.astype(kind.numpy()))
    return rounded(a.x.astype(np.float64), a.e, kind)


def _select(op: Mapping[str, Any], kind: Type, which: Value, *cases: Value) -> Value:
    del op
    index = np.broadcast_to(which.x, kind.shape).astype(int)
    return Value(np.choose(index, [case.x for case in cases]),
                 np.choose(index, [case.e for case in cases]))


def _constant(op: Mapping[str, Any], kind: Type) -> Value:
    def number(text: Any) -> Any:
        if isinstance(text, str):
            return float.fromhex(text) if kind.is_float else int(text)
        return text

    data = op["value"]
    data = [number(item) for item in data] if isinstance(data, list) else number(data)
    array = np.asarray(data, kind.numpy())
    return Value.exact(array.reshape(kind.shape) if array.ndim else np.full(kind.shape, array))


def _iota(op: Mapping[str, Any], kind: Type) -> Value:
    axis = op["axis"]
    along = np.arange(kind.shape[axis], dtype=kind.numpy())
    shape = [-1 if d == axis else 1 for d in range(len(kind.shape))]
    return Value.exact(np.broadcast_to(along.reshape(shape), kind.shape))


def _broadcast(op: Mapping[str, Any], kind: Type, a: Value) -> Value:
    shape = [1] * len(kind.shape)
    for extent, dim in zip(a.x.shape, op["dims"]):
        shape[dim] = extent
    return a.map(lambda t: np.broadcast_to(t.reshape(shape), kind.shape))


def _reduce_sum(op: Mapping[str, Any], kind: Type, a: Value) -> Value:
    axes = tuple(op["axes"])
    depth = sum(math.ceil(math.log2(max(a.x.shape[axis], 1))) for axis in axes)
    return rounded(a.x.sum(axes), a.e.sum(axes), kind, depth, np.abs(a.x).sum(axes))


def _reduce_max(op: Mapping[str, Any], kind: Type, a: Value) -> Value:
    del kind
    return Value(*_extreme(functools.partial(np.max, axis=tuple(op["axes"])), a))


def _contraction(op: Mapping[str, Any], left_rank: int,
                 right_rank: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A dot_general as sums of products."""
    letters = iter("abcdefghijklmnop")
    left, right = [""] * left_rank, [""] * right_rank
    for lhs, rhs in (("lhs_batch", "rhs_batch"), ("lhs_contract", "rhs_contract")):
        for i, j in zip(op[lhs], op[rhs]):
            left[i] = right[j] = next(letters)
    batch = [left[i] for i in op["lhs_batch"]]
    free = [names.__setitem__(i, next(letters)) or names[i]
            for names in (left, right) for i in range(len(names)) if not names[i]]
    rule = f"{''.join(left)},{''.join(right)}->{''.join(batch + free)}"

    return lambda x, y: np.einsum(rule, x, y, optimize=True)


def _dot_general(op: Mapping[str, Any], kind: Type, a: Value, b: Value) -> Value:
    dot = _contraction(op, a.x.ndim, b.x.ndim)
    if not kind.is_float:
        return Value.exact(dot(a.x.astype(np.int64), b.x.astype(np.int64)).astype(kind.numpy()))
    terms = math.prod(a.x.shape[i] for i in op["lhs_contract"])
    size_a, size_b = np.abs(a.x) + a.e, np.abs(b.x) + b.e
    accumulator = Type("f64" if kind.dtype == "f64" else "f32", kind.shape)
    total = rounded(dot(a.x, b.x), dot(size_a, b.e) + dot(a.e, np.abs(b.x)), accumulator, terms,
                    dot(size_a, size_b))
    return total if kind.dtype in ("f32", "f64") else rounded(total.x, total.e, kind)


# -- profile fast --

_FAST_ROWS = Path(__file__).resolve().parent.parent / "gpu_backend" / "elementwise" / "fast.def"


@dataclass(frozen=True)
class _Fast:
    """The error of a result y of the operand x is at most (relative + by_operand |x|) |y| + absolute."""

    dtypes: tuple[str, ...]
    relative: float
    by_operand: float
    absolute: float


@functools.cache
def fast_bounds() -> dict[str, _Fast]:
    """The rows of gpu_backend/elementwise/fast.def."""
    rows = re.findall(r"^TG_PTX_FAST\((\w+), +(\w+), +(\S+), +(\S+), +(\S+), +\"",
                      _FAST_ROWS.read_text(), re.MULTILINE)
    dtypes = {"ALL": ("f32", "f16", "bf16"), "NARROW": ("f16", "bf16")}
    return {name: _Fast(dtypes[on], *map(float.fromhex, figures)) for name, on, *figures in rows}


def _approximate(x: np.ndarray, e: np.ndarray, kind: Type, how: _Fast, operand: Value) -> Value:
    size = np.abs(x) + e
    slope = _times(np.abs(operand.x) + operand.e, np.full(np.shape(x), how.by_operand))
    grown = np.where(np.isfinite(x), e + _times(size, how.relative + slope) + how.absolute, 0.0)
    return Value(x, grown) if kind.dtype == "f32" else rounded(x, grown, kind)


def _is_for_matrix_units(op: Mapping[str, Any], operands: Sequence[str]) -> bool:
    if len(set(operands)) > 1:
        return False
    return operands[0] in ("f16", "bf16") or \
        operands[0] == "f32" and op.get("precision", "default") == "default"


def _fast_dot(op: Mapping[str, Any], kind: Type, dtype: str, a: Value, b: Value) -> Value:
    """Products are exact, or have an error of 2 units as in f32; so has each addition, in any order (docs/gpu.md)."""
    if dtype == "f32":
        a, b = (Value(v.x, v.e + 2.0**-11 * (np.abs(v.x) + v.e) + 2.0**-137) for v in (a, b))
    dot = _contraction(op, a.x.ndim, b.x.ndim)
    terms = math.prod(a.x.shape[i] for i in op["lhs_contract"])
    size_a, size_b = np.abs(a.x) + a.e, np.abs(b.x) + b.e
    share = (terms + 1) * 2.0**-23
    e = dot(size_a, b.e) + dot(a.e, np.abs(b.x)) + share / (1 - share) * dot(size_a, size_b) \
        + terms * 2.0**-126
    total = Value(dot(a.x, b.x), e)
    return total if kind.dtype == "f32" else rounded(total.x, total.e, kind)


SHAPED: dict[str, Callable] = {
    "integer_pow": _integer_pow,
    "convert": _convert,
    "select": _select,
    "constant": _constant,
    "iota": _iota,
    "undefined": lambda op, kind: undefined(kind),
    "assume_multiple": lambda op, kind, a: a,
    "broadcast_in_dim": _broadcast,
    "reshape": lambda op, kind, a: a.map(lambda t: t.reshape(kind.shape)),
    "transpose": lambda op, kind, a: a.map(lambda t: t.transpose(op["permutation"])),
    "tile": lambda op, kind, a: a.map(lambda t: np.tile(t, op["reps"])),
    "reduce_sum": _reduce_sum,
    "reduce_max": _reduce_max,
    "dot_general": _dot_general,
}


# -- memory --


def _reach(shape: Sequence[int], index: Sequence[Any]) -> list[tuple[int, int]]:
    """How many elements must be added after each dimension for an index that reaches beyond it."""
    ends = [i.stop if isinstance(i, slice) else int(np.max(i, initial=-1)) + 1 for i in index]
    return [(0, max(end - extent, 0)) for end, extent in zip(ends, shape)]


def _grown(memory: Value, index: Sequence[Any]) -> Value:
    widths = _reach(memory.x.shape, index)
    if not any(after for _, after in widths):
        return memory
    fill = np.nan if memory.x.dtype.kind == "f" else 0
    return Value(np.pad(memory.x, widths, constant_values=fill), np.pad(memory.e, widths))


class _Access:
    """The operands of a memory operation, separated, in the order of docs/ir.md."""

    def __init__(self, op: Mapping[str, Any], operands: Sequence[Value], values: int):
        rest = iter(operands)
        self.memory = next(rest)
        self.values = [next(rest) for _ in range(values)]
        self.index = tuple(self._index(entry, rest) for entry in op["index"])
        self.mask = next(rest).x if op.get("mask") else None
        self.other = next(rest) if op.get("other") else None

    @staticmethod
    def _index(entry: Sequence[Any], rest: Iterator[Value]) -> Any:
        if entry[0] == "at":
            position = next(rest).x
            return position if position.ndim else int(position)
        _, start, size, stride = entry
        start = int(next(rest).x) if start is None else start
        return slice(start, start + (size - 1) * stride + 1, stride)

    def load(self) -> Value:
        found = _grown(self.memory, self.index).map(lambda t: t[self.index])
        if self.mask is None:
            return found.map(np.copy)
        other = self.other or Value.exact(np.nan if found.x.dtype.kind == "f" else 0)
        return Value(np.where(self.mask, found.x, other.x), np.where(self.mask, found.e, other.e))

    def store(self) -> None:
        grown, value = _grown(self.memory, self.index), self.values[0]
        for part in ("x", "e"):
            new, target, kept = (getattr(v, part) for v in (value, grown, self.memory))
            if self.mask is not None:
                new = np.where(self.mask, new, target[self.index])
            target[self.index] = new
            if target is not kept:
                kept[...] = target[tuple(map(slice, kept.shape))]


# -- programs --


class Program:
    """One program of a kernel: executes regions on values by their ids."""

    def __init__(self, ids: Sequence[int], grid: Sequence[int], is_fast: bool = False):
        self.ids, self.grid, self.is_fast = ids, grid, is_fast
        self.values: dict[int, Value] = {}
        self.dtypes: dict[int, str] = {}

    def run(self, region: Mapping[str, Any], *arguments: Value) -> list[Value]:
        """Returns the values that the region yields."""
        for argument, value in zip(region.get("args", ()), arguments):
            self._set(argument, value)
        for op in region.get("ops", ()):
            results = self._execute(op, [self.values[i] for i in op.get("in", ())])
            for out, value in zip(op.get("out", ()), results):
                self._set(out, value)
        return [self.values[i] for i in region.get("yield", ())]

    def _set(self, what: Mapping[str, Any], value: Value) -> None:
        self.values[what["id"]] = value
        self.dtypes[what["id"]] = Type.of(what["type"]).dtype

    def _execute(self, op: Mapping[str, Any], operands: Sequence[Value]) -> Sequence[Value]:
        name, regions = op["op"], op.get("regions", ())
        if name in ("load", "view"):
            access = _Access(op, operands, 0)
            return [access.load() if name == "load" else
                    access.memory.map(lambda t: t[(*access.index, ...)])]
        if name in ("store", "swap"):
            access = _Access(op, operands, 1)
            before = [access.load()] if name == "swap" else []
            access.store()
            return before
        if name == "for":
            return self._for(regions[0], operands)
        if name == "while":
            return self._while(regions, operands)
        if name == "switch":
            which = int(operands[0].x)
            return self.run(regions[which if 0 <= which < len(regions) else -1])
        if name == "scoped":
            kinds = [Type.of(argument["type"]) for argument in regions[0]["args"]]
            return self.run(regions[0], *map(undefined, kinds))
        if name in ("program_id", "num_programs"):
            numbers = self.ids if name == "program_id" else self.grid
            return [Value.exact(np.int32(numbers[op["axis"]]))]
        return [self._compute(name, op, operands)]

    def _compute(self, name: str, op: Mapping[str, Any], operands: Sequence[Value]) -> Value:
        kind = Type.of(op["out"][0]["type"])
        fast = fast_bounds().get(name) if self.is_fast else None
        if fast and kind.dtype in fast.dtypes:
            return _approximate(*ROUNDED[name](*operands), kind, fast, operands[0])
        read = [self.dtypes[i] for i in op.get("in", ())]
        if self.is_fast and name == "dot_general" and _is_for_matrix_units(op, read):
            return _fast_dot(op, kind, read[0], *operands)
        if name in ROUNDED:
            return rounded(*ROUNDED[name](*operands), kind)
        if name in EXACT:
            return Value(*EXACT[name](*operands))
        if name in LOGICAL:
            return Value.exact(LOGICAL[name](*(operand.x for operand in operands)))
        return SHAPED[name](op, kind, *operands)

    def _for(self, region: Mapping[str, Any], operands: Sequence[Value]) -> Sequence[Value]:
        lower, upper, step = (int(operand.x) for operand in operands[:3])
        carries = operands[3:]
        for i in range(lower, upper, step):
            carries = self.run(region, Value.exact(operands[0].x.dtype.type(i)), *carries)
        return carries

    def _while(self, regions: Sequence[Any], carries: Sequence[Value]) -> Sequence[Value]:
        while self.run(regions[0], *carries)[0].x:
            carries = self.run(regions[1], *carries)
        return carries


class _Block:
    """The block of a parameter that one program gets: a copy, and how to write it back."""

    def __init__(self, param: Mapping[str, Any], array: Value, indices: Sequence[int]):
        shape = array.x.shape
        sizes, starts, self._squeezed = [], [], []
        for d, entry in enumerate(param.get("block") or [{"blocked": n} for n in shape]):
            squeezed = entry == "squeezed"
            size = 1 if squeezed else entry.get("blocked", entry.get("element"))
            scale = size if not squeezed and "blocked" in entry else 1
            low = 0 if squeezed else entry.get("pad", (0, 0))[0]
            sizes.append(size)
            starts.append((indices[d] if indices else 0) * scale - low)
            self._squeezed += [d] if squeezed else []
        ends = [start + size for start, size in zip(starts, sizes)]
        self._there = tuple(slice(max(a, 0), min(b, n)) for a, b, n in zip(starts, ends, shape))
        self._here = tuple(slice(t.start - a, t.stop - a) for t, a in zip(self._there, starts))
        self._array = array
        fill = np.nan if array.x.dtype.kind == "f" else 0
        self._whole = Value(np.full(sizes, fill, array.x.dtype), np.zeros(sizes))
        self._whole.x[self._here] = array.x[self._there]
        self._whole.e[self._here] = array.e[self._there]

    def ref(self) -> Value:
        """The reference that the kernel gets."""
        keep = tuple(0 if d in self._squeezed else slice(None) for d in range(self._whole.x.ndim))
        return self._whole.map(lambda t: t[(*keep, ...)])  # the dots keep a scalar a view

    def write_back(self) -> None:
        self._array.x[self._there] = self._whole.x[self._here]
        self._array.e[self._there] = self._whole.e[self._here]


def _memory(params: Sequence[Mapping[str, Any]], inputs: Mapping[str, np.ndarray]) -> list[Value]:
    """The arrays of all parameters.  An aliased output begins as a copy of its input."""
    found = []
    for param in params:
        given = inputs.get(param.get("alias", param["name"]))
        kind = Type.of(param["type"])
        found.append(undefined(kind) if given is None
                     else Value.exact(np.array(given, kind.numpy())))
    return found


def evaluate(kernel: Mapping[str, Any], inputs: Mapping[str, np.ndarray],
             dynamic_grid: Sequence[int] = (), is_fast: bool = False) -> dict[str, Value]:
    """The outputs of a kernel, by name, in f64 with error bounds.  Inputs count as exact."""
    params = kernel["params"]
    memory = _memory(params, inputs)
    prefetched = [m for m, p in zip(memory, params) if p["role"] == "prefetch"]
    sizes = iter(dynamic_grid)
    grid = [next(sizes) if axis["size"] == "dynamic" else axis["size"] for axis in kernel["grid"]]
    with np.errstate(all="ignore"):
        for ids in itertools.product(*map(range, grid)):
            program = Program(ids, grid, is_fast)
            blocks = {}
            for param, array in zip(params, memory):
                if param["role"] in ("input", "output"):
                    numbers = [Value.exact(np.int32(i)) for i in ids]
                    found = (program.run(param["index_map"], *numbers, *prefetched)
                             if "index_map" in param else [])
                    blocks[param["name"]] = _Block(param, array, [int(v.x) for v in found])
            program.run(kernel["body"], *(blocks[p["name"]].ref() if p["name"] in blocks else m
                                          for p, m in zip(params, memory)))
            for param in params:
                if param["role"] == "output":
                    blocks[param["name"]].write_back()
    return {p["name"]: m for p, m in zip(params, memory) if p["role"] == "output"}
