"""Steps that read and write memory: masks, pointers that move, arrays in other arrays, descriptors, atomics."""

from __future__ import annotations

from .maker import BLOCK, ONE, SHARED, SQUARE, TOTAL, ZONE, Maker

SEMANTICS = ("", ", sem='relaxed'", ", sem='release'", ", sem='acq_rel'", ", sem='acquire', scope='gpu'", ", scope='sys'")


def load(make: Maker) -> None:
    index, mask = make.block("i32"), make.mask()
    array, dtype, number = make.draw.choice([("x", "f32", "3.0"), ("k", "i32", "3"), ("b", "i8", "3")])
    text = make.draw.choice([
        f"tl.load({array} + first + at, mask={mask}, other={make.draw.randrange(-100, 100)})",
        f"tl.where({mask}, tl.load({array} + first + at, mask={mask}), {number})",
        f"tl.load({array} + first + ({index.name} & {BLOCK - 1}))",
        f"tl.load({array} + ({index.name} & {BLOCK - 1}), mask={mask}, other=1, cache_modifier='.cg')",
    ])
    made = make.name(text, dtype, small=True)
    if dtype == "i8":
        make.name(f"{made.name}.to(tl.int32)", "i32", small=True)
    make.name(f"tl.load(k + first + {make.draw.randrange(BLOCK)})", "i32", shape=ONE, small=True)


def moved(make: Maker) -> None:
    """A loop carries one pointer, or two that change places."""
    step, pointer, total = make.draw.choice([1, 16, 64]), make.fresh("p"), make.fresh()
    start = make.block("f32")
    if make.flag():
        array, kind = make.draw.choice([("x", "f32"), ("k", "i32"), ("b", "i32")])
        start = make.block(kind)
        other = "0.5" if kind == "f32" else "-3"
        make.say(f"{pointer} = {array} + first + at", f"{total} = {start.name}", "for turn in range(turns):",
                 f"    {total} += tl.load({pointer}, mask=first + at + turn * {step} < {TOTAL}, other={other})", f"    {pointer} += {step}")
        make.known(total, kind, start)
        return
    second, array = make.fresh("p"), make.draw.choice(["x", "tail"])
    make.say(f"{pointer} = x + first + at", f"{second} = {array} + {BLOCK - 1} - at", f"{total} = {start.name}",
             "for turn in range(turns):", f"    {total} = {total} * 0.5 + tl.load({pointer})", f"    {pointer}, {second} = {second}, {pointer}")
    make.known(total, "f32", start)


def chosen(make: Maker) -> None:
    """Pointers that a condition chooses, or that were numbers."""
    kind = make.draw.choice(["where", "if", "number"])
    inside = f"mask=first + at < {TOTAL - BLOCK // 2}, other=-2.0"
    if kind == "where":
        make.name(f"tl.load(tl.where({make.condition()}, x + first + at, tail + first + at), {inside})", "f32", small=True)
    elif kind == "if":
        pointer = make.fresh("p")
        make.say(f"{pointer} = x + first + at", f"if {make.condition(ONE)}:", f"    {pointer} = tail + first + at")
        make.name(f"tl.load({pointer}, {inside})", "f32", small=True)
    else:
        make.name(f"tl.load((k + first + at).to(tl.int64).to(tl.pointer_type(tl.int32)))", "i32", small=True)


def aliased(make: Maker) -> None:
    """Reads through an array that is in another one, behind a write where that one is written."""
    if make.flag():
        make.name(f"tl.load(tail + first + at, mask=first + at < {TOTAL - BLOCK // 2}, other=2.0)", "f32", small=True)
        return
    one = make.block("i32")
    make.say(f"tl.store(f + first + at, ({one.name} & 1023).to(tl.float32), mask={make.mask()})", "tl.debug_barrier()")
    make.name(f"tl.load(bits + first + (at ^ {make.draw.randrange(BLOCK)}))", "i32", small=False)
    make.say("tl.debug_barrier()")


def stored(make: Maker) -> None:
    """Elements are written in another order, and read again."""
    one, factor = make.block("i32"), make.draw.randrange(1, BLOCK, 2)
    make.say(f"tl.store(o + first + ((at * {factor} + {make.draw.randrange(BLOCK)}) & {BLOCK - 1}), {one.name}, mask={make.mask()})",
             "tl.debug_barrier()")
    make.name("tl.load(o + first + at)", "i32")
    make.say("tl.debug_barrier()")


def own_atomics(make: Maker) -> None:
    """On elements that no other program has: what they give is the same in any order."""
    one, other, mask, semantics = make.block("i32"), make.block("i32"), make.mask(), make.draw.choice(SEMANTICS)
    kind = make.draw.choice(["add", "max", "min", "and", "or", "xor", "xchg", "cas", "float", "wide"])
    make.say("tl.debug_barrier()")
    if kind == "cas":
        make.name(f"tl.atomic_cas(o + first + at, {one.name} & 1, {other.name}{semantics})", "i32")
    elif kind == "float":
        make.name(f"tl.where({mask}, tl.atomic_add(f + first + at, ({one.name} & 1023).to(tl.float32), mask={mask}{semantics}), 0.0)", "f32")
    elif kind == "wide":
        make.name(f"tl.where({mask}, tl.atomic_max(w + first + at, {one.name}.to(tl.int64), mask={mask}{semantics}), 1).to(tl.int32)", "i32")
    else:
        make.name(f"tl.where({mask}, tl.atomic_{kind}(o + first + at, {one.name}, mask={mask}{semantics}), 0)", "i32")
    make.say("tl.debug_barrier()")


def shared_atomics(make: Maker) -> None:
    """On counters of all programs, where the order of one operation does not matter."""
    one, index, kind = make.block("i32"), make.block("i32"), make.draw.choice([*SHARED, "float", "number"])
    where, semantics = f"({index.name} & {ZONE - 1})", make.draw.choice(SEMANTICS)
    if kind == "float":
        make.say(f"tl.atomic_add(sums + {where}, ({one.name} & 1023).to(tl.float32) * 0.125{semantics})")
    elif kind == "number":
        number = make.pick("i32", ONE)
        make.say(f"tl.atomic_add(counters + ({number.name} & {ZONE - 1}), {number.name}{semantics})")
    else:
        make.say(f"tl.atomic_{kind}(counters + {SHARED.index(kind) * ZONE} + {where}, {one.name}, mask={make.mask()}{semantics})")


def descriptor(make: Maker) -> None:
    """A box that may reach outside on all sides; Triton's own interpreter wants it to begin at a multiple of 16 bytes."""
    made, at = make.fresh("d"), f"[{make.draw.randrange(-5, 9)}, {4 * make.draw.randrange(-2, 3)}]"
    kind = make.draw.choice(["load", "load", "box", "store", "reduce", "gather"])
    array = "o" if kind in ("store", "reduce") else "k"
    box = make.draw.choice([[8, 16], [4, 4], [16, 8], [1, 16]]) if kind == "box" else [1, 16] if kind == "gather" else list(SQUARE)
    make.say(f"{made} = tl.make_tensor_descriptor({array} + first, {list(SQUARE)}, [{SQUARE[1]}, 1], {box})")
    one = make.reshaped(make.block("i32").name, SQUARE)
    if kind == "load":
        make.name(make.as_block(f"{made}.load({at})"), "i32", small=True)
    elif kind == "box":
        make.name(f"tl.sum({made}.load({at}))", "i32", shape=ONE)
    elif kind == "gather":
        rows = f"(tl.arange(0, {SQUARE[0]}) * {make.draw.randrange(1, 16)}) & {SQUARE[0] - 1}"
        make.name(make.as_block(f"{made}.gather({rows}, 0)"), "i32", small=True)
    else:
        call = "store" if kind == "store" else f"atomic_{make.draw.choice(['add', 'max', 'min', 'and', 'or', 'xor'])}"
        make.say("tl.debug_barrier()", f"{made}.{call}({at}, {one})", "tl.debug_barrier()")
        make.name("tl.load(o + first + at)", "i32")
        make.say("tl.debug_barrier()")
