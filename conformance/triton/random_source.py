"""Sources of random programs of Triton, from seeds."""

from __future__ import annotations

import functools
import random
import re
from dataclasses import dataclass

from drawn import arithmetic, control, memory, tensors
from drawn.head import HEAD
from drawn.maker import ARRAYS, BLOCK, EXACT, GRID, ONE, SHAPES, ZONE, Maker, Value

# A kind of step: how often it is taken beside others, and operations of TTIR that its forms have, of which a test finds all.
STEPS = {
    arithmetic.integers: (6, "arith.addi arith.subi arith.muli arith.andi arith.ori arith.xori arith.shli arith.shrsi arith.divsi arith.remsi "
                          "arith.maxsi arith.minsi math.absi"),
    arithmetic.widths: (5, "arith.trunci arith.extsi arith.extui arith.divui arith.remui arith.shrui arith.maxui arith.minui tt.mulhiui"),
    arithmetic.floats: (5, "arith.addf arith.subf arith.mulf arith.maxnumf arith.minnumf math.absf math.floor math.ceil math.fma arith.remf "
                        "tt.precise_sqrt tt.precise_divf tt.clampf"),
    arithmetic.approximated: (1, "math.exp math.exp2 math.sin math.cos math.erf math.log math.log2 math.rsqrt"),
    arithmetic.doubles: (1, "arith.extf arith.divf math.sqrt arith.truncf"),
    arithmetic.half: (1, "arith.sitofp arith.extf"),
    arithmetic.brain: (1, "arith.truncf arith.extf"),
    arithmetic.float8: (1, "tt.fp_to_fp"),
    arithmetic.choice: (3, "arith.select arith.cmpi arith.cmpf"),
    arithmetic.casts: (3, "arith.fptosi arith.sitofp arith.uitofp tt.bitcast"),
    arithmetic.libdevice: (1, "tt.extern_elementwise"),
    arithmetic.numbers: (1, "tt.get_num_programs tt.get_program_id"),
    arithmetic.philox: (1, "tt.mulhiui"),
    tensors.reduction: (3, "tt.reduce"),
    tensors.own_reduction: (2, "tt.reduce tt.call"),
    tensors.float_sum: (1, "tt.reduce"),
    tensors.scan: (2, "tt.scan"),
    tensors.view: (2, "tt.trans tt.reshape tt.expand_dims tt.broadcast"),
    tensors.join: (2, "tt.join tt.split tt.cat tt.broadcast"),
    tensors.product: (2, "tt.dot"),
    tensors.scaled_product: (1, "tt.dot_scaled"),
    tensors.indexed: (1, "tt.gather tt.histogram"),
    tensors.ordered: (1, "tt.reduce"),
    tensors.mapped: (1, "tt.map_elementwise"),
    control.loop: (2, "scf.for scf.while"),
    control.carried: (1, "scf.for"),
    control.nested: (1, "scf.for scf.if scf.while"),
    control.branch: (1, "scf.if"),
    control.function: (2, "tt.call cf.cond_br"),
    control.promise: (1, "llvm.intr.assume tt.assert"),
    memory.load: (2, "tt.load tt.addptr"),
    memory.moved: (1, "scf.for tt.addptr"),
    memory.chosen: (1, "tt.ptr_to_int tt.int_to_ptr arith.select scf.if"),
    memory.aliased: (1, "tt.store ttg.barrier"),
    memory.stored: (1, "tt.store ttg.barrier"),
    memory.own_atomics: (2, "tt.atomic_rmw tt.atomic_cas"),
    memory.shared_atomics: (2, "tt.atomic_rmw"),
    memory.descriptor: (2, "tt.make_tensor_descriptor tt.descriptor_load tt.descriptor_store tt.descriptor_reduce tt.descriptor_gather"),
}
# What Triton's own interpreter does not have; the last one are the atomics of descriptors.
NOT_THERE = re.compile(r"map_elementwise|libdevice\.|\bd\d+\.atomic_")


@dataclass
class Program:
    """source   of a function `program_SEED`
    grid, numbers  what it is launched with, the numbers behind the arrays of ARRAYS
    exact    arrays whose bits no order may change, not even that of a sum
    is_own   whether Triton's own interpreter runs it"""

    source: str
    grid: tuple[int, int, int] = GRID
    numbers: tuple[int, ...] = ()
    exact: tuple[str, ...] = EXACT
    is_own: bool = True


@functools.cache
def program(seed: int) -> Program:
    """The program of a seed; `program_of` says how it is made."""
    return program_of(seed, None)


def program_of(seed: int, only, turns: int | None = None) -> Program:
    """A program of random steps, or of steps of one kind `only`; `turns` is how often its loops run, which is drawn otherwise."""
    draw = random.Random(seed)
    make = Maker(draw, draw.choice(SHAPES))
    drawn = draw.randrange(1, BLOCK + 1), draw.randrange(0, 5)
    numbers = (drawn[0], drawn[1] if turns is None else turns)
    _begin(make)
    for _ in range(draw.randrange(6, 20) if only is None else 12):
        step = only or draw.choices(list(STEPS), [weight for weight, _ in STEPS.values()])[0]
        step(make)
    _end(make)
    body = "\n".join(make.lines)
    source = f"\n\n@triton.jit\ndef program_{seed}({', '.join(ARRAYS)}, n, turns):\n{body}\n"
    return Program(source, numbers=numbers, is_own=not NOT_THERE.search(body))


def _begin(make: Maker) -> None:
    make.say(f"first = (tl.program_id(0) * {GRID[1]} + tl.program_id(1)) * {BLOCK}")
    stride, terms = BLOCK, []
    for axis, extent in enumerate(make.full):
        stride //= extent
        index = "" if len(make.full) == 1 else f"[{', '.join(':' if dim == axis else 'None' for dim in range(len(make.full)))}]"
        make.say(f"i{axis} = tl.arange(0, {extent}){index}")
        shape = tuple(extent if dim == axis else 1 for dim, extent in enumerate(make.full))
        make.values.append(Value(f"i{axis}", "i32", shape, small=True))
        terms.append(f"i{axis} * {stride}")
    make.say(f"at = {' + '.join(terms)}", "inside = at < n")
    make.values += [Value("n", "i32", ONE, small=True), Value("turns", "i32", ONE, small=True)]
    make.name("tl.load(x + first + at)", "f32", small=True)
    make.name("tl.load(x + first + at, mask=inside, other=0.5)", "f32", small=True)
    make.name("tl.load(k + first + at)", "i32", small=True)
    make.name("tl.load(k + first + at, mask=inside, other=-1)", "i32", small=True)


def _end(make: Maker) -> None:
    """Stores the last value of each dtype; sometimes a program returns before it counts."""
    for array, dtype, is_rounded in (("o", "i32", False), ("f", "f32", False), ("rounded", "f32", True), ("h", "f16", False),
                                     ("w", "i64", False), ("u", "u16", False)):
        able = [one for one in make.values if one.dtype == dtype and one.shape == make.full and (is_rounded or not one.is_rounded)]
        mask = make.draw.choice(["", ", mask=inside", f", mask={make.condition()}"])
        if able:
            make.say(f"tl.store({array} + first + at, {able[-1].name}{mask})")
    if make.draw.random() < 0.2:
        make.say(f"if {make.condition(ONE)}:", "    return")
    make.say(f"tl.atomic_add(counters + ({make.block('i32').name} & {ZONE - 1}), 1)")


__all__ = ["ARRAYS", "HEAD", "STEPS", "Program", "program", "program_of"]
