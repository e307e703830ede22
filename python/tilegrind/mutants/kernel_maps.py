"""Kinds about the grid and index maps: blocks that are not the ones, programs that do not run or run in another order."""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterator

from .editing import Builder, after, at_end, at_start, before, redirect
from .ir import Kernel, Op, Type
from .patterns import Patterns, carry_axes, depends
from .registry import Site, at, kind


def _block_size(param: dict[str, Any], dimension: int) -> int:
    """How many elements a block has along a dimension."""
    block = param["block"][dimension]
    return 1 if block == "squeezed" else block.get("blocked", block.get("element"))


def _greatest(param: dict[str, Any], dimension: int) -> int:
    """The greatest index along a dimension whose block is not outside the array as a whole."""
    extent, size = Type.of(param["type"]).shape[dimension], _block_size(param, dimension)
    block = param["block"][dimension]
    if block != "squeezed" and "element" in block:
        return max(extent - size, 0)
    return -(-extent // size) - 1


def _mapped(p: Patterns) -> Iterator[tuple[int, dict[str, Any]]]:
    """Inputs and outputs with an index map, by their number."""
    for number, param in enumerate(p.kernel.params):
        if "index_map" in param and "block" in param:
            yield number, param


def _map_site(number: int, param: dict[str, Any], what: str, edit: Callable[[Builder, dict[str, Any]], None]) -> Site:
    """A site in an index map.  The edit gets a builder at its end and the parameter's copy."""
    def change(k: Kernel) -> None:
        copy = k.params[number]
        edit(at_end(k, copy["index_map"]), copy)

    return Site(f"index map of {param['name']}, {what}", change)


def _set(builder: Builder, param: dict[str, Any], dimension: int, value: int) -> None:
    """Makes a value the index along a dimension, clamped to blocks that the array has."""
    kind_of = builder.type(value)
    limits = [builder.constant(limit, kind_of) for limit in (0, _greatest(param, dimension))]
    param["index_map"]["yield"][dimension] = builder.emit("clamp", [limits[0], value, limits[1]], kind_of)


@kind("index-map-swapped")
def index_map_swapped(p: Patterns) -> Iterator[Site]:
    for number, param in _mapped(p):
        indices = param["index_map"]["yield"]
        for a in range(len(indices)):
            for b in range(a + 1, len(indices)):
                if indices[a] != indices[b] and _may_differ(p, param, a, b):
                    yield _map_site(number, param, f"dimensions {a} and {b}", functools.partial(_swap, a=a, b=b))


def _may_differ(p: Patterns, param: dict[str, Any], a: int, b: int) -> bool:
    """Whether exchanging two indices may choose another block."""
    ranges = [p.ranges.of(param["index_map"]["yield"][d]) for d in (a, b)]
    if ranges[0] == ranges[1] and ranges[0][0] == ranges[0][1]:
        return False
    return any(min(ranges[1 - i][1], _greatest(param, d)) != ranges[i][0] or ranges[i][0] != ranges[i][1]
               for i, d in enumerate((a, b)))


def _swap(builder: Builder, param: dict[str, Any], a: int, b: int) -> None:
    indices = list(param["index_map"]["yield"])
    _set(builder, param, a, indices[b])
    _set(builder, param, b, indices[a])


@kind("index-map-off-by-one")
def index_map_off_by_one(p: Patterns) -> Iterator[Site]:
    for number, param in _mapped(p):
        for d, index in enumerate(param["index_map"]["yield"]):
            if param["role"] == "input" and p.ranges.of(index)[0] < _greatest(param, d):
                yield _map_site(number, param, f"dimension {d}", functools.partial(_next, d=d))


def _next(builder: Builder, param: dict[str, Any], d: int) -> None:
    _set(builder, param, d, builder.with_number("add", param["index_map"]["yield"][d], 1))


@kind("element-for-block-index")
def element_for_block_index(p: Patterns) -> Iterator[Site]:
    for number, param in _mapped(p):
        for d, index in enumerate(param["index_map"]["yield"]):
            if p.ranges.of(index)[1] > 0 and _unit_matters(param, d):
                yield _map_site(number, param, f"dimension {d}", functools.partial(_exchange_unit, d=d))


def _unit_matters(param: dict[str, Any], d: int) -> bool:
    """Whether the index 1 becomes another."""
    size, places = _block_size(param, d), _greatest(param, d) + 1
    return size > 1 and places > 1 and ("element" in param["block"][d] or size % places != 1)


def _exchange_unit(builder: Builder, param: dict[str, Any], d: int) -> None:
    indices, size = param["index_map"]["yield"], _block_size(param, d)
    if "element" in param["block"][d]:
        _set(builder, param, d, builder.with_number("div", indices[d], size))
    else:
        indices[d] = builder.with_number("rem", builder.with_number("mul", indices[d], size), _greatest(param, d) + 1)


@kind("neighbours-rows")
def neighbours_rows(p: Patterns) -> Iterator[Site]:
    for number, param in _mapped(p):
        for d in range(len(param["block"])):
            if param["role"] == "output" and _greatest(param, d) > 0:
                yield _map_site(number, param, f"dimension {d}", functools.partial(_wrap_next, d=d))
    for op in p.kernel.in_body("store"):
        found = _positioned(p, op)
        if found is not None:
            yield at(p, op, functools.partial(_store_next, which=found[0], places=found[1]))


def _wrap_next(builder: Builder, param: dict[str, Any], d: int) -> None:
    following = builder.with_number("add", param["index_map"]["yield"][d], 1)
    param["index_map"]["yield"][d] = builder.with_number("rem", following, _greatest(param, d) + 1)


def _positioned(p: Patterns, op: Op) -> tuple[int, int] | None:
    """(operand, number of places) of the first index of a store to an output that depends on the program or the step."""
    param = p.kernel.param_of(op.ins[0])
    if param is None or param["role"] != "output":
        return None
    which = 2
    for extent, entry in zip(p.kernel.type(op.ins[0]).shape, op.data["index"]):
        if entry[0] == "at" or entry[1] is None:
            places = extent if entry[0] == "at" else extent - (entry[2] - 1) * entry[3]
            if places > 1 and op.ins[which] in p.positions:
                return which, places
            which += 1
    return None


def _store_next(k: Kernel, op: Op, which: int, places: int) -> None:
    builder = before(k, op)
    op.ins[which] = builder.with_number("rem", builder.with_number("add", op.ins[which], 1), places)


@kind("quotient-for-remainder")
def quotient_for_remainder(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.named("rem", "div"):
        if op.type.is_int and not p.is_data(op) and p.ranges.of(op.ins[0]) != (0, 0):
            yield at(p, op, _exchange_division)


def _exchange_division(k: Kernel, op: Op) -> None:
    op.data["op"] = "div" if op.name == "rem" else "rem"


@kind("grid-one-short")
def grid_one_short(p: Patterns) -> Iterator[Site]:
    for axis, found in enumerate(p.kernel.grid):
        if found["size"] != "dynamic" and found["size"] > 1 and found.get("semantics") != "thread":
            yield Site(f"axis {axis} of the grid", functools.partial(_shorten, axis=axis))


def _shorten(k: Kernel, axis: int) -> None:
    k.grid[axis]["size"] -= 1


@kind("axis-reversed")
def axis_reversed(p: Patterns) -> Iterator[Site]:
    for axis in carry_axes(p):
        if _matters(p.kernel, axis):
            yield Site(f"axis {axis} of the grid", functools.partial(_reverse, axis=axis))


def _matters(k: Kernel, axis: int) -> bool:
    """Whether programs differ by their index along an axis: in the body, or in the blocks that they get."""
    if any(op.data["axis"] == axis and k.uses.get(op.out) for op in k.in_body("program_id")):
        return True
    maps = [param["index_map"] for param in k.params if "index_map" in param]
    return any(depends(k, region.get("yield", ()), region["args"][axis]["id"]) for region in maps)


def _reverse(k: Kernel, axis: int) -> None:
    """The last program of the axis comes first: its index counts down, in the body and in the index maps."""
    last = k.grid[axis]["size"] - 1
    for op in list(k.in_body("program_id")):
        if op.data["axis"] == axis:
            builder = after(k, op)
            redirect(k, op.out, builder.two("sub", builder.constant(last, op.type), op.out), builder.made)
    for param in k.params:
        if "index_map" in param:
            builder, index = at_start(k, param["index_map"]), param["index_map"]["args"][axis]["id"]
            redirect(k, index, builder.two("sub", builder.constant(last, k.type(index)), index), builder.made)
