"""Sources of random programs of Triton, from seeds."""

from __future__ import annotations

import functools
import math
import random
from dataclasses import dataclass, field

ROWS, COLUMNS, GRID = 16, 16, (3, 2, 1)
BLOCK = ROWS * COLUMNS
PROGRAMS = math.prod(GRID)
# name: dtype, elements, and the range in which they begin; floats are eighths.  `rounded` is for sums that an order rounds.
ARRAYS = {"x": ("float32", PROGRAMS * BLOCK, -64, 64), "k": ("int32", PROGRAMS * BLOCK, -1000, 1000),
          "o": ("int32", PROGRAMS * BLOCK, 0, 1), "f": ("float32", PROGRAMS * BLOCK, 0, 1), "rounded": ("float32", PROGRAMS * BLOCK, 0, 1),
          "counters": ("int32", 16, 0, 1)}
COUNTERS = ("counters", )
FULL, ROW, COLUMN, ONE = (ROWS, COLUMNS), (1, COLUMNS), (ROWS, 1), ()
# What stands before the programs of a file.
HEAD = '''import triton
import triton.language as tl


@triton.jit
def keep_odd(a, b):
    return tl.where(b % 2 != 0, b, a)


@triton.jit
def recur(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def several(a, b):
    if b > 0:
        return a + b, a
    return a - b, b


@triton.jit
def on_element(a, b):
    if a > b:
        c = a - b
    else:
        c = b * 2
    return c
'''


@dataclass(frozen=True)
class Value:
    """A name in a program.  `small` values are integers, or floats of such, up to 1000; `is_rounded` ones depend on the order of a sum."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    is_rounded: bool = False
    small: bool = False


@dataclass
class Program:
    """source   of a function `program_SEED`
    grid, numbers  what it is launched with, the numbers behind the arrays of ARRAYS
    exact    arrays whose bits no order may change, not even that of a sum
    is_own   whether Triton's own interpreter runs it: it has no `map_elementwise`"""

    source: str
    grid: tuple[int, int, int] = GRID
    numbers: tuple[int, ...] = ()
    exact: tuple[str, ...] = ("o", "f", "counters")
    is_own: bool = True


@functools.cache
def program(seed: int) -> Program:
    return _Maker(seed).made()


@dataclass
class _Maker:
    seed: int
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    depth: int = 1
    count: int = 0

    def made(self) -> Program:
        self.draw = random.Random(self.seed)
        numbers = (self.draw.randrange(1, BLOCK + 1), self.draw.randrange(0, 5))
        self._begin()
        for _ in range(self.draw.randrange(6, 20)):
            self._step()
        self._end()
        head = f"\n\n@triton.jit\ndef program_{self.seed}({', '.join(ARRAYS)}, n, turns):\n"
        body = "\n".join(self.lines)
        return Program(f"{head}{body}\n", numbers=numbers, is_own="map_elementwise" not in body)

    # ---- frame ----

    def _begin(self) -> None:
        self._say(f"first = (tl.program_id(0) * {GRID[1]} + tl.program_id(1)) * {BLOCK}")
        self._say(f"rows = tl.arange(0, {ROWS})[:, None]")
        self._say(f"columns = tl.arange(0, {COLUMNS})[None, :]")
        self._say(f"at = rows * {COLUMNS} + columns")
        self._say("inside = at < n")
        for name, shape in (("rows", COLUMN), ("columns", ROW)):
            self.values.append(Value(name, "i32", shape, small=True))
        self.values += [Value("n", "i32", ONE, small=True), Value("turns", "i32", ONE, small=True)]
        self._name("tl.load(x + first + at)", "f32", FULL, small=True)
        self._name("tl.load(x + first + at, mask=inside, other=0.5)", "f32", FULL, small=True)
        self._name("tl.load(k + first + at)", "i32", FULL, small=True)
        self._name("tl.load(k + first + at, mask=inside, other=-1)", "i32", FULL, small=True)

    def _end(self) -> None:
        for array, dtype, is_rounded in (("o", "i32", False), ("f", "f32", False), ("rounded", "f32", True)):
            able = [one for one in self.values if one.dtype == dtype and one.shape == FULL and (is_rounded or not one.is_rounded)]
            mask = self.draw.choice(["", ", mask=inside", f", mask={self._condition(FULL)}"])
            self._say(f"tl.store({array} + first + at, {able[-1].name}{mask})")
        number = self._pick("i32", FULL)
        self._say(f"tl.atomic_add(counters + ({number.name} & 15), 1)")

    def _say(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def _name(self, text: str, dtype: str, shape: tuple[int, ...], *of: Value, is_rounded: bool = False, small: bool = False) -> Value:
        made = Value(f"v{self.count}", dtype, shape, is_rounded or any(one.is_rounded for one in of), small)
        self.count += 1
        self._say(f"{made.name} = {text}")
        self.values.append(made)
        return made

    def _pick(self, dtype: str, *shapes: tuple[int, ...], exact: bool = True) -> Value:
        """A value of one of these shapes, or of any; a new one is likelier."""
        able = [one for one in self.values
                if one.dtype == dtype and (not shapes or one.shape in shapes) and not (exact and one.is_rounded)]
        return able[max(self.draw.randrange(len(able)), self.draw.randrange(len(able)))]

    def _condition(self, shape: tuple[int, ...]) -> str:
        dtype = self.draw.choice(["i32", "f32"]) if shape == FULL else "i32"
        one, other = self._pick(dtype, shape), self._pick(dtype, shape, ONE) if dtype == "i32" else self._pick(dtype, shape)
        return f"({one.name} {self.draw.choice(['<', '<=', '==', '!=', '>'])} {other.name})"

    # ---- steps ----

    def _step(self) -> None:
        steps = [(self._integers, 6), (self._floats, 6), (self._choice, 3), (self._casts, 3), (self._reduction, 3), (self._float_sum, 1),
                 (self._scan, 2), (self._shape, 2), (self._product, 1), (self._indexed, 1), (self._loop, 1), (self._branch, 1),
                 (self._unsigned, 1), (self._wide, 1), (self._half, 1), (self._brain, 1), (self._sorted, 1), (self._function, 1),
                 (self._descriptor, 1), (self._nested, 1)]
        self.draw.choices([step for step, _ in steps], [weight for _, weight in steps])[0]()

    def _integers(self) -> None:
        one = self._pick("i32", FULL)
        other = self._pick("i32")
        kind = self.draw.randrange(4)
        if kind == 0:
            text = f"{one.name} {self.draw.choice(['+', '-', '*', '&', '|', '^'])} {other.name}"
        elif kind == 1:
            text = f"tl.{self.draw.choice(['maximum', 'minimum'])}({one.name}, {other.name})"
        elif kind == 2:
            text = f"{one.name} {self.draw.choice(['<<', '>>'])} {self.draw.randrange(0, 31)}"
        else:
            text = f"{one.name} {self.draw.choice(['//', '%'])} {self.draw.choice([1, 2, 3, 7, 100, -5])}"
        self._name(text, "i32", FULL, one, other)

    def _floats(self) -> None:
        one, other = self._pick("f32", FULL, exact=False), self._pick("f32", exact=False)
        text = self.draw.choice([f"{one.name} {sign} {other.name}" for sign in "+-*"] + [
            f"tl.maximum({one.name}, {other.name})", f"tl.minimum({one.name}, {other.name})", f"-{one.name}", f"tl.abs({one.name})",
            f"{one.name} * 0.25 + 1.5", f"tl.floor({one.name})", f"tl.sqrt_rn(tl.abs({one.name}))",
            f"tl.div_rn({one.name}, tl.abs({other.name}) + 1.0)"
        ])
        self._name(text, "f32", FULL, one, other)

    def _choice(self) -> None:
        dtype = self.draw.choice(["i32", "f32"])
        one, other = self._pick(dtype, FULL), self._pick(dtype, FULL)
        self._name(f"tl.where({self._condition(FULL)}, {one.name}, {other.name})", dtype, FULL, one, other, small=one.small and other.small)

    def _casts(self) -> None:
        one = self._pick("i32", FULL)
        kind = self.draw.randrange(4)
        if kind == 0:
            self._name(f"{one.name}.to(tl.int{self.draw.choice([8, 16])}).to(tl.int32)", "i32", FULL, one)
        elif kind == 1:
            self._name(f"({one.name} & 1023).to(tl.float32)", "f32", FULL, one, small=True)
        elif kind == 2:
            self._name(f"({one.name} & 1023).to(tl.float16).to(tl.float32) * 0.5", "f32", FULL, one)
        else:
            self._name(f"{one.name}.to(tl.uint32).to(tl.int64).to(tl.int32)", "i32", FULL, one)

    def _reduction(self) -> None:
        axis = self.draw.randrange(2)
        shape = tuple(1 if dim == axis else extent for dim, extent in enumerate(FULL))
        dtype, name = self.draw.choice([("i32", "sum"), ("i32", "max"), ("i32", "min"), ("i32", "xor_sum"), ("f32", "max"), ("f32", "min"),
                                        ("i32", "argmax"), ("i32", "argmin")])
        one = self._pick(dtype, FULL)
        self._name(f"tl.{name}({one.name}, axis={axis}, keep_dims=True)", dtype, shape, one)
        if dtype == "i32" and name != "argmax" and self.draw.random() < 0.3:
            self._name(f"tl.sum(tl.sum({one.name}, axis=1), axis=0)", "i32", ONE, one)

    def _float_sum(self) -> None:
        axis = self.draw.randrange(2)
        one = self._pick("f32", FULL, exact=False)
        shape = tuple(1 if dim == axis else extent for dim, extent in enumerate(FULL))
        summed = self._name(f"tl.sum({one.name}, axis={axis}, keep_dims=True)", "f32", shape, one, is_rounded=True)
        self._name(f"{summed.name} + {one.name}", "f32", FULL, summed, one)

    def _scan(self) -> None:
        one, axis = self._pick("i32", FULL), self.draw.randrange(2)
        kind = self.draw.randrange(3)
        if kind == 0:
            self._name(f"tl.associative_scan({one.name}, {axis}, keep_odd, reverse={self.draw.random() < 0.5})", "i32", FULL, one)
            return
        if kind == 1:
            other, made = self._pick("i32", FULL), f"v{self.count}"
            self.count += 1
            self._say(f"_, {made} = tl.associative_scan(({one.name}, {other.name}), {axis}, recur, reverse={self.draw.random() < 0.5})")
            self.values.append(Value(made, "i32", FULL))
            return
        self._name(f"tl.cumsum({one.name}, axis={axis}, reverse={self.draw.random() < 0.5})", "i32", FULL, one)

    def _shape(self) -> None:
        one, other = self._pick("i32", FULL), self._pick("i32", FULL)
        kind = self.draw.randrange(4)
        if kind == 0:
            self._name(f"tl.trans({one.name})", "i32", FULL, one)
        elif kind == 1:
            split = f"tl.reshape({one.name}, ({COLUMNS // 4}, {ROWS}, 4))"
            self._name(f"{split}.permute((1, 0, 2)).reshape(({ROWS}, {COLUMNS}))", "i32", FULL, one)
        elif kind == 2:
            first, second = f"v{self.count}", f"v{self.count + 1}"
            self.count += 2
            self._say(f"{first}, {second} = tl.split(tl.reshape(tl.join({one.name}, {other.name}), ({ROWS}, {COLUMNS}, 2)))")
            self.values += [Value(first, "i32", FULL), Value(second, "i32", FULL)]
        else:
            row = self._pick("i32", ROW, COLUMN)
            self._name(f"tl.broadcast_to({row.name}, ({ROWS}, {COLUMNS})) + {one.name}", "i32", FULL, row, one)

    def _product(self) -> None:
        """Of numbers up to 15: every sum is exact."""
        one, other = self._pick("i32", FULL), self._pick("i32", FULL)
        factors = [f"({value.name} & 15).to(tl.float16)" for value in (one, other)]
        self._name(f"tl.dot({factors[0]}, {factors[1]})", "f32", FULL, one, other)

    def _indexed(self) -> None:
        one, index, axis = self._pick("i32", FULL), self._pick("i32", FULL), self.draw.randrange(2)
        if self.draw.random() < 0.5:
            self._name(f"tl.gather({one.name}, {index.name} & 15, axis={axis})", "i32", FULL, one, index)
            return
        made = self._name(f"tl.histogram(tl.reshape({index.name} & 15, ({BLOCK}, )), {COLUMNS})", "i32", (COLUMNS, ), index)
        self._name(f"{made.name}[None, :] + {one.name}", "i32", FULL, made, one)

    def _loop(self) -> None:
        start, step = self._pick("i32", FULL), self._pick("i32", FULL)
        made = self._name(f"{start.name}", "i32", FULL, start)
        if self.draw.random() < 0.5:
            self._say("for turn in range(0, turns):")
            self._say(f"    {made.name} = {made.name} * 3 + {step.name} - turn")
            return
        counter = f"c{self.count}"
        self._say(f"{counter} = 0")
        self._say(f"while {counter} < turns:")
        self._say(f"    {made.name} = ({made.name} ^ {step.name}) + {counter}")
        self._say(f"    {counter} += {self.draw.choice([1, 2])}")

    def _branch(self) -> None:
        one, other = self._pick("i32", FULL), self._pick("i32", FULL)
        made = self._name(f"{one.name}", "i32", FULL, one)
        self._say(f"if {self._condition(ONE)}:")
        self._say(f"    {made.name} = {made.name} + {other.name}")
        if self.draw.random() < 0.5:
            self._say("else:")
            self._say(f"    {made.name} = {other.name} * 2")

    def _unsigned(self) -> None:
        one, other = (f"{self._pick('i32', FULL).name}.to(tl.uint32, bitcast=True)" for _ in range(2))
        text = self.draw.choice([f"{one} // ({other} | 1)", f"{one} % ({other} | 1)", f"{one} >> {self.draw.randrange(31)}",
                                 f"tl.maximum({one}, {other})", f"tl.minimum({one}, {other})", f"tl.where({one} < {other}, {one}, {other})"])
        self._name(f"({text}).to(tl.int32, bitcast=True)", "i32", FULL)

    def _wide(self) -> None:
        one, other = (self._pick("i32", FULL).name for _ in range(2))
        self._name(f"({one}.to(tl.int64) * {other} >> {self.draw.randrange(40)}).to(tl.int32)", "i32", FULL)

    def _half(self) -> None:
        one, other = (f"({self._pick('i32', FULL).name} & 255).to(tl.float16)" for _ in range(2))
        self._name(f"({one} {self.draw.choice('+-*')} {other} * 0.125).to(tl.float32)", "f32", FULL)

    def _brain(self) -> None:
        """Triton's own interpreter rounds bf16 its own way."""
        one, other = (f"{self._pick('f32', FULL, exact=False).name}.to(tl.bfloat16)" for _ in range(2))
        self._name(f"({one} {self.draw.choice('+-*')} {other}).to(tl.float32)", "f32", FULL, is_rounded=True)

    def _sorted(self) -> None:
        one = self._pick("i32", FULL)
        texts = [f"tl.sort({one.name}, descending={self.draw.random() < 0.5})", f"tl.flip({one.name}, {self.draw.randrange(2)})"]
        text = self.draw.choice(texts)
        self._name(text, "i32", FULL, one)

    def _function(self) -> None:
        one, other = self._pick("i32", FULL), self._pick("i32", FULL)
        if self.draw.random() < 0.5:
            self._name(f"tl.map_elementwise(on_element, {one.name}, {other.name})", "i32", FULL, one, other)
            return
        number = self._pick("i32", ONE)
        both = f"v{self.count}"
        self.count += 1
        self._say(f"{both} = several({number.name}, {self._pick('i32', ONE).name})")
        self._name(f"{one.name} * {both}[0] + {both}[1]", "i32", FULL, one)

    def _descriptor(self) -> None:
        """A box that may reach outside on all sides; Triton's own interpreter wants it to begin at a multiple of 16 bytes."""
        made = f"d{self.count}"
        extents = f"[{ROWS}, {COLUMNS}]"
        self._say(f"{made} = tl.make_tensor_descriptor(k + first, {extents}, [{COLUMNS}, 1], {extents})")
        self._name(f"{made}.load([{self.draw.randrange(-5, 9)}, {4 * self.draw.randrange(-2, 3)}])", "i32", FULL, small=True)

    def _nested(self) -> None:
        start, step = self._pick("i32", FULL), self._pick("i32", FULL)
        made = self._name(f"{start.name}", "i32", FULL, start)
        self._say("for outer in range(0, turns):")
        self._say("    for inner in range(outer, turns, 2):")
        self._say(f"        if inner % {self.draw.choice([2, 3])} == 0:")
        self._say(f"            {made.name} = {made.name} + {step.name} * inner")
        self._say("        else:")
        self._say(f"            {made.name} = {made.name} ^ outer")
