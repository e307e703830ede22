"""Steps that combine elements: reductions, scans, products; and those that move them: views, joins, sorting, gathering."""

from __future__ import annotations

import math

from .maker import BLOCK, SQUARE, Maker

FACTORS = {"float16": 15, "bfloat16": 15, "float32": 15, "int8": 127, "float8e5": 4}  # dtype of factors: numbers up to which sums are exact


def reduction(make: Maker) -> None:
    axis = make.axis()
    dtype, name = make.draw.choice([("i32", "sum"), ("i32", "max"), ("i32", "min"), ("i32", "xor_sum"), ("i32", "reduce_or"), ("f32", "max"),
                                    ("f32", "min"), ("i32", "argmax"), ("i32", "argmin")])
    one = make.block(dtype)
    make.name(f"tl.{name}({one.name}, axis={axis}, keep_dims=True)", dtype, one, shape=make.without(axis))
    if dtype == "i32" and make.draw.random() < 0.3:
        make.name(f"tl.sum({one.name}.to(tl.{make.draw.choice(['int32', 'int64'])})).to(tl.int32)", "i32", one, shape=())


def own_reduction(make: Maker) -> None:
    """With functions of the program's own, of one value or two."""
    one, other, axis = make.block("i32"), make.block("i32"), make.axis()
    function = make.draw.choice(["mixed", "larger", "both_ends", "first_largest"])
    if function in ("mixed", "larger"):
        make.name(f"tl.reduce({one.name}, {axis}, {function}, keep_dims=True)", "i32", one, shape=make.without(axis))
        return
    second = "at" if function == "first_largest" else other.name
    names = make.fresh(), make.fresh()
    make.say(f"{', '.join(names)} = tl.reduce(({one.name}, {second}), {axis}, {function}, keep_dims=True)")
    for name in names:
        make.known(name, "i32", shape=make.without(axis))


def float_sum(make: Maker) -> None:
    axis = make.axis()
    one = make.block("f32", exact=False)
    text = make.draw.choice([f"tl.sum({one.name}, axis={axis}, keep_dims=True)", f"tl.softmax({one.name}, dim={axis}, keep_dims=True)"])
    summed = make.name(text, "f32", one, shape=make.without(axis) if "sum" in text else make.full, is_rounded=True)
    make.name(f"{summed.name} + {one.name}", "f32", summed, one)


def scan(make: Maker) -> None:
    one, other, axis = make.block("i32"), make.block("i32"), make.axis()
    kind = make.draw.choice(["keep_odd", "larger", "recur", "cumsum", "cumprod"])
    if kind in ("keep_odd", "larger"):
        make.name(f"tl.associative_scan({one.name}, {axis}, {kind}, reverse={make.flag()})", "i32", one)
    elif kind == "recur":
        made = make.fresh()
        make.say(f"_, {made} = tl.associative_scan(({one.name}, {other.name}), {axis}, recur, reverse={make.flag()})")
        make.known(made, "i32")
    else:
        make.name(f"tl.{kind}({one.name}, axis={axis}, reverse={make.flag()})", "i32", one)


def view(make: Maker) -> None:
    one, rank = make.block("i32"), len(make.full)
    kind = make.draw.choice(["trans", "permute", "reshape", "ravel", "expand"])
    if kind == "trans":
        make.name(make.as_block(f"tl.trans({make.reshaped(one.name, make.draw.choice([(8, 32), SQUARE, (64, 4)]))})"), "i32", one)
    elif kind == "permute":
        extents = make.draw.choice([(4, 16, 4), (8, 4, 8), (2, 4, 8, 4)])
        order = list(range(len(extents)))
        make.draw.shuffle(order)
        make.name(make.as_block(f"{make.reshaped(one.name, extents)}.permute({tuple(order)})"), "i32", one)
    elif kind == "reshape":
        shape = make.draw.choice([(1, BLOCK), (2, 2, 64), (BLOCK, 1), (2, ) * 8])
        make.name(make.as_block(f"({make.reshaped(one.name, shape)} + {make.draw.randrange(9)})"), "i32", one)
    elif kind == "ravel":
        make.name(make.as_block(f"tl.ravel({one.name})"), "i32", one)
    else:
        axis = make.draw.randrange(rank + 1)
        wide = make.full[:axis] + (2, ) + make.full[axis:]
        make.name(f"tl.sum(tl.broadcast_to(tl.expand_dims({one.name}, {axis}), {wide}), axis={axis})", "i32", one)


def join(make: Maker) -> None:
    one, other = make.block("i32"), make.block("i32")
    kind = make.draw.choice(["split", "interleave", "cat", "broadcast"])
    if kind == "split":
        first, second = make.fresh(), make.fresh()
        joined = make.reshaped(f"tl.join({one.name}, {other.name})", make.draw.choice([(*make.full, 2), (BLOCK, 2), (4, 64, 2)]))
        make.say(f"{first}, {second} = tl.split({joined})")
        for name in (first, second):
            make.name(make.as_block(name), "i32")
    elif kind == "interleave":
        make.name(make.as_block(f"tl.sum({make.reshaped(f'tl.interleave({one.name}, {other.name})', (2, BLOCK))}, axis=0)"), "i32")
    elif kind == "cat":
        flat = [make.reshaped(value.name, (BLOCK, )) for value in (one, other)]
        make.name(make.as_block(f"tl.max({make.reshaped(f'tl.cat({flat[0]}, {flat[1]}, can_reorder=True)', (2, BLOCK))}, axis=0)"), "i32")
    else:
        part = make.pick("i32", *(make.without(axis) for axis in range(len(make.full))), make.full)
        make.name(f"tl.broadcast_to({part.name}, {make.full}) + {one.name}", "i32", part, one)


def product(make: Maker) -> None:
    """Of numbers so small that every sum is exact."""
    one, other, (dtype, most) = make.block("i32"), make.block("i32"), make.draw.choice(list(FACTORS.items()))
    left, right = make.draw.choice([((16, 16), (16, 16)), ((8, 32), (32, 8)), ((2, 16, 8), (2, 8, 16)), ((32, 8), (8, 32)), ((4, 64), (64, 4))])
    factors = [make.reshaped(f"({value.name} & {most}).to(tl.float32).to(tl.{dtype})", shape) for value, shape in ((one, left), (other, right))]
    options = ", input_precision='ieee'" if dtype == "float32" else ", out_dtype=tl.int32" if dtype == "int8" else ""
    result = (*left[:-1], right[-1])
    kind, is_own = ("i32" if dtype == "int8" else "f32"), dtype in ("float16", "float32", "int8")
    if make.flag():
        options += f", acc=tl.full({result}, {make.draw.randrange(9)}, tl.{'int32' if dtype == 'int8' else 'float32'})"
    text = f"tl.dot({factors[0]}, {factors[1]}{options})"
    if math.prod(result) == BLOCK:
        make.name(make.as_block(text), kind, is_rounded=not is_own)
        return
    made = make.fresh()
    make.say(f"{made} = {text}")
    block = make.block(kind)
    make.name(f"{block.name} + tl.max({made})", kind, block, is_rounded=not is_own)


def scaled_product(make: Maker) -> None:
    """Triton's own interpreter rounds factors to bf16 its own way."""
    one, other = make.block("i32"), make.block("i32")
    left = make.reshaped(f"({one.name} & 7).to(tl.float32).to(tl.float8e5)", (8, 32))
    right = make.reshaped(f"({other.name} & 7).to(tl.float32).to(tl.float8e5)", (32, 8))
    made = make.fresh()
    scale = f"tl.full((8, 1), {make.draw.randrange(120, 134)}, tl.uint8)"
    make.say(f"{made} = tl.dot_scaled({left}, {scale}, 'e5m2', {right}, None, 'e5m2')")
    block = make.block("f32", exact=False)
    make.name(f"{block.name} + tl.max({made})", "f32", block, is_rounded=True)


def indexed(make: Maker) -> None:
    one, index, axis = make.block("i32"), make.block("i32"), make.axis()
    if make.flag():
        make.name(f"tl.gather({one.name}, {index.name} & {make.full[axis] - 1}, axis={axis})", "i32", one, index)
        return
    bins = make.draw.choice([16, 64, BLOCK])
    mask = f", mask={make.reshaped(make.condition(), (BLOCK, ))}" if make.flag() else ""
    made = make.fresh()
    make.say(f"{made} = tl.histogram({make.reshaped(f'{index.name} & {bins - 1}', (BLOCK, ))}, {bins}{mask})")
    if bins == BLOCK:
        make.name(f"{make.as_block(made)} + {one.name}", "i32", one)
    else:
        make.name(f"{one.name} + tl.max({made} * tl.arange(0, {bins}))", "i32", one)


def ordered(make: Maker) -> None:
    one = make.block("i32")
    text = make.draw.choice([f"tl.sort({one.name}, descending={make.flag()})", f"tl.flip({one.name}, {make.axis()})",
                             f"tl.sum(tl.topk({one.name}, 4), axis={len(make.full) - 1}, keep_dims=True) + {one.name}"])
    make.name(text, "i32", one)


def mapped(make: Maker) -> None:
    """Triton's own interpreter has no `map_elementwise`."""
    one, other = make.block("i32"), make.block("i32")
    if make.flag():
        make.name(f"tl.map_elementwise(on_element, {one.name}, {other.name})", "i32", one, other)
        return
    first, second = make.fresh(), make.fresh()
    make.say(f"{first}, {second} = tl.map_elementwise(on_two, {one.name}, {other.name})")
    make.known(first, "i32")
    make.known(second, "i32")
