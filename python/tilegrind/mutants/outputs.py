"""Mutants of outputs: what a broken implementation would give, made from good outputs without running a kernel."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Mapping

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .kinds import OUTPUT_KINDS, Kind

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Context:
    """What is known about the outputs.  All arrays are by the name of the output, except `inputs`.

    inputs   what the kernel ran on
    exact    f64: the exact results.  Outputs that it lacks get no mutants that need it
    bound    f64: how far from it a result may be, for the same outputs
    writers  ints: the number of the program that stored each element last, row-major in the grid; -1: none did
    other    outputs on other inputs, or None
    tile     the extents of a block of each output, 1 where a dimension is squeezed
    """

    inputs: Arrays
    exact: Arrays
    bound: Arrays
    writers: Arrays
    other: Arrays | None
    tile: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class OutputMutant:
    """Outputs with one defect.

    site     the output, and the program, axis or element: "o, program 3"
    outputs  all outputs; those without the defect are the very arrays that were given
    must     "die": a check that accepts it is broken; "live": one that rejects it is; None: a check should reject it
    """

    kind: Kind
    site: str
    outputs: dict[str, np.ndarray]
    must: str | None


@dataclass(frozen=True)
class Output:
    """One output and what is known about it; what is not is None."""

    name: str
    values: np.ndarray
    context: Context

    @functools.cached_property
    def is_float(self) -> bool:
        return self.values.dtype.kind not in "biu" and self.values.dtype.name not in _SMALL_INTS

    @functools.cached_property
    def wide(self) -> np.ndarray:
        """The values in f64."""
        return self.values.astype(np.float64)

    @functools.cached_property
    def programs(self) -> list[int]:
        """The programs that stored elements last."""
        writers = self.of(self.context.writers)
        return [] if writers is None else [int(program) for program in np.unique(writers) if program >= 0]

    def of(self, arrays: Arrays | None) -> np.ndarray | None:
        return None if arrays is None else arrays.get(self.name)

    def cast(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers in f64 as elements of the output, rounded; integers saturate."""
        if self.is_float:
            with np.errstate(over="ignore", invalid="ignore"):
                return np.asarray(numbers).astype(self.values.dtype)
        if self.values.dtype == bool:
            return np.asarray(numbers) >= 0.5
        low, high = int_limits(self.values.dtype)
        return np.clip(np.rint(numbers), low, high).astype(self.values.dtype)


_SMALL_INTS = ("int2", "int4", "uint2", "uint4")
Change = tuple[str, np.ndarray]  # where, and the changed output
CHANGES: dict[str, tuple[Callable[[Output], Iterator[Change]], str | None]] = {}


def kind(name: str, must: str | None = None) -> Callable:
    """Says that a function makes the changes of the kind with this name."""

    def enter(change: Callable[[Output], Iterator[Change]]) -> Callable:
        if name in CHANGES:
            raise ValueError(f"kind {name} has two functions")
        CHANGES[name] = change, must
        return change

    return enter


def output_mutants(outputs: dict[str, np.ndarray], context: Context) -> Iterator[OutputMutant]:
    """The mutants of some outputs, in the order of OUTPUT_KINDS.  A change that leaves all bits as they are is not one."""
    known = [Output(name, values, context) for name, values in outputs.items()]
    for found in OUTPUT_KINDS:
        change, must = CHANGES[found.name]
        for output in known:
            for where, changed in change(output):
                if not same_bits(changed, output.values):
                    site = f"{output.name}, {where}" if where else output.name
                    yield OutputMutant(found, site, {**outputs, output.name: changed}, must)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def int_limits(dtype: np.dtype) -> tuple[int, int]:
    """The least and the greatest number of an integer dtype."""
    info = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def bits_of(values: np.ndarray) -> np.ndarray:
    """A copy of the values' bits, as unsigned integers of the same size."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").reshape(values.shape).copy()


def from_bits(bits: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return np.ascontiguousarray(bits).view(dtype).reshape(bits.shape)


def first_middle_last(items: Iterable) -> list:
    """Three of some items, or all if there are fewer."""
    items = list(items)
    return items if len(items) <= 3 else [items[0], items[len(items) // 2], items[-1]]


def element(shape: tuple[int, ...], flat: int) -> str:
    """"[3,17]", from the row-major index of an element."""
    return f"[{','.join(str(int(i)) for i in np.unravel_index(flat, shape))}]"
