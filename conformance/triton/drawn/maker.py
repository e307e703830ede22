"""A program that is being made: its lines, and the values that later lines may use."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

GRID = (3, 2, 1)
BLOCK = 256  # elements of the blocks of a program, in any shape
PROGRAMS = math.prod(GRID)
TOTAL = PROGRAMS * BLOCK
ZONE = 16  # counters of one operation
SHARED = ("add", "max", "min", "and", "or", "xor")  # operations of counters, a zone for each
SHAPES = ((16, 16), (16, 16), (16, 16), (8, 32), (32, 8), (BLOCK, ), (4, 8, 8), (2, 16, 8))
SQUARE = (16, 16)
ONE = ()


@dataclass(frozen=True)
class Array:
    """dtype        of numpy
    count, low, high  elements, and the range in which they begin; floats are eighths
    of, start    the array in whose memory it is, from which element of its own; None: memory of its own"""

    dtype: str
    count: int = TOTAL
    low: int = 0
    high: int = 1
    of: str | None = None
    start: int = 0


# `x`, `k`, `b` are read; `tail` and `bits` are parts of other arrays; `rounded` is for sums that an order rounds.
ARRAYS = {
    "x": Array("float32", low=-64, high=64), "k": Array("int32", low=-1000, high=1000), "b": Array("int8", low=-100, high=100),
    "o": Array("int32"), "f": Array("float32"), "h": Array("float16"), "w": Array("int64"), "u": Array("uint16"),
    "rounded": Array("float32"), "counters": Array("int32", len(SHARED) * ZONE, -1000, 1000),
    "sums": Array("float32", ZONE), "tail": Array("float32", TOTAL - BLOCK // 2, of="x", start=BLOCK // 2),
    "bits": Array("int32", of="f"),
}
EXACT = ("o", "f", "h", "w", "u", "counters", "sums")


@dataclass(frozen=True)
class Value:
    """A name in a program.  `small` values are integers, or floats of such, up to 1000, floats in eighths; `is_rounded` ones depend on
    the order of a sum, or are computed otherwise by Triton's own interpreter."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    is_rounded: bool = False
    small: bool = False


@dataclass
class Maker:
    """full  the shape of the blocks of this program"""

    draw: random.Random
    full: tuple[int, ...] = SQUARE
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    depth: int = 1
    count: int = 0

    def say(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

    def fresh(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count - 1}"

    def name(self, text: str, dtype: str, *of: Value, shape: tuple[int, ...] | None = None, is_rounded: bool = False,
             small: bool = False) -> Value:
        """A new value, which `text` is; of the shape of a block unless another is said."""
        made = self.known(self.fresh(), dtype, *of, shape=shape, is_rounded=is_rounded, small=small)
        self.say(f"{made.name} = {text}")
        return made

    def known(self, name: str, dtype: str, *of: Value, shape: tuple[int, ...] | None = None, is_rounded: bool = False,
              small: bool = False) -> Value:
        """A value that a line of the caller makes."""
        made = Value(name, dtype, self.full if shape is None else shape, is_rounded or any(one.is_rounded for one in of), small)
        self.values.append(made)
        return made

    def pick(self, dtype: str, *shapes: tuple[int, ...], exact: bool = True, small: bool = False) -> Value:
        """A value of one of these shapes, or of any; a new one is likelier."""
        able = [one for one in self.values if one.dtype == dtype and (not shapes or one.shape in shapes)
                and not (exact and one.is_rounded) and (one.small or not small)]
        return able[max(self.draw.randrange(len(able)), self.draw.randrange(len(able)))]

    def block(self, dtype: str, exact: bool = True) -> Value:
        return self.pick(dtype, self.full, exact=exact)

    def has(self, dtype: str) -> bool:
        return any(one.dtype == dtype and one.shape == self.full and not one.is_rounded for one in self.values)

    def condition(self, shape: tuple[int, ...] | None = None) -> str:
        shape = self.full if shape is None else shape
        dtype = self.draw.choice(["i32", "f32"]) if shape == self.full else "i32"
        one, other = self.pick(dtype, shape), self.pick(dtype, shape, ONE) if dtype == "i32" else self.pick(dtype, shape)
        return f"({one.name} {self.draw.choice(['<', '<=', '==', '!=', '>'])} {other.name})"

    def mask(self) -> str:
        return self.draw.choice(["inside", self.condition(), f"inside & {self.condition()}", f"inside | ~{self.condition()}"])

    def axis(self) -> int:
        return self.draw.randrange(len(self.full))

    def flag(self) -> bool:
        return self.draw.random() < 0.5

    def without(self, axis: int) -> tuple[int, ...]:
        """The shape of a block whose extent along `axis` is 1."""
        return tuple(1 if dim == axis else extent for dim, extent in enumerate(self.full))

    def reshaped(self, text: str, shape: tuple[int, ...]) -> str:
        return f"tl.reshape({text}, {shape})"

    def as_block(self, text: str) -> str:
        """What is a block but for its shape."""
        return self.reshaped(text, self.full)
