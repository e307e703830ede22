"""Which arrays of a kernel may be partitioned over devices, and the kernel that each device then runs.

A grid axis whose programs are independent of each other, and of their coordinate on it, can be cut: each
device runs a section of it, on its own part of the arrays whose blocks follow the axis, and on the whole of the others.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

Kernel = dict[str, Any]  # in the form of docs/ir.md


@dataclass(frozen=True)
class Cut:
    """A grid axis that can be cut."""

    axis: int
    size: int
    dims: dict[int, int]  # parameter -> the dimension that follows the axis, block by block


def cuts(kernel: Kernel) -> list[Cut]:
    """The axes along which the kernel can be cut."""
    found = []
    for axis, entry in enumerate(kernel["grid"]):
        if entry["size"] == "dynamic" or entry.get("semantics") == "arbitrary" or entry["size"] < 2:
            continue
        dims = None if _knows_place(kernel, axis) else _dims(kernel, axis, entry["size"])
        if dims is not None:
            found.append(Cut(axis, entry["size"], dims))
    return found


def piece(kernel: Kernel, shards: dict[int, int]) -> Kernel:
    """The kernel of one device, if each cut axis is divided among the given number of devices."""
    local = copy.deepcopy(kernel)
    for cut in cuts(kernel):
        count = shards.get(cut.axis, 1)
        local["grid"][cut.axis]["size"] //= count
        for position, dim in cut.dims.items():
            param = local["params"][position]
            shape = shape_of(param)
            shape[dim] //= count
            param["type"] = f"{param['type'].split('[')[0]}[{','.join(map(str, shape))}]"
    return local


def shape_of(param: dict[str, Any]) -> list[int]:
    """The shape in a parameter's type."""
    inside = param["type"].split("[")[1].rstrip("]")
    return [int(extent) for extent in inside.split(",") if extent]


def _ops(region: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for op in region.get("ops", ()):
        yield op
        for inner in op.get("regions", ()):
            yield from _ops(inner)


def _knows_place(kernel: Kernel, axis: int) -> bool:
    """Whether the body reads the program's coordinate on the axis, or the axis's size."""
    return any(op["op"] in ("program_id", "num_programs") and op["axis"] == axis
               for op in _ops(kernel["body"]))


def _dims(kernel: Kernel, axis: int, size: int) -> dict[int, int] | None:
    """`Cut.dims`, or None if some array prevents the cut: one whose blocks do not follow the axis evenly, or an
    output whose elements may be written by programs from all parts of the axis."""
    dims: dict[int, int] = {}
    for position, param in enumerate(kernel["params"]):
        if param["role"] == "scratch":
            continue
        walked = _walked(param, axis)
        if walked is None or (not walked and param["role"] == "output"):
            return None
        if walked:
            (dims[position],) = walked
            if shape_of(param)[walked[0]] != size * _extent(param["block"][walked[0]]):
                return None
    names = [param["name"] for param in kernel["params"]]
    for position, param in enumerate(kernel["params"]):
        if "alias" in param and dims.get(names.index(param["alias"])) != dims.get(position):
            return None
    return dims


def _walked(param: dict[str, Any], axis: int) -> list[int] | None:
    """The dimension whose block index is the program's coordinate on the axis; empty if no block index depends on the
    coordinate; None if one depends on it in another way."""
    if "index_map" not in param:
        return []
    region = param["index_map"]
    place = region["args"][axis]["id"]
    if any(place in op.get("in", ()) for op in _ops(region)):
        return None
    walked = [dim for dim, source in enumerate(region["yield"]) if source == place]
    if len(walked) > 1 or any(_extent(param["block"][dim]) is None for dim in walked):
        return None
    return walked


def _extent(dim: Any) -> int | None:
    """Extent of a block along a dimension; None if its index counts elements, not blocks."""
    return 1 if dim == "squeezed" else dim.get("blocked")


# -- interface to XLA's partitioner --


def rule(kernel: Kernel, dynamic: int) -> tuple[str, tuple[str, ...]]:
    """The kernel's sharding rule for custom_partitioning, and its factors that must not be cut.  The call has
    `dynamic` scalars before its arrays."""
    whole: list[str] = []
    sides: dict[bool, list[str]] = {False: [""] * dynamic, True: []}
    along = {(position, dim): f"axis{cut.axis}" for cut in cuts(kernel)
             for position, dim in cut.dims.items()}
    for position, param in enumerate(kernel["params"]):
        if param["role"] == "scratch":
            continue
        factors = []
        for dim in range(len(shape_of(param))):
            name = along.get((position, dim))
            if name is None:
                name = f"whole{len(whole)}"
                whole.append(name)
            factors.append(name)
        sides[param["role"] == "output"].append(" ".join(factors))
    return f"{', '.join(sides[False])} -> {', '.join(sides[True])}", tuple(whole)


def arrays(kernel: Kernel) -> tuple[list[int], list[int]]:
    """Positions of the parameters that are operands of the call, and of those that are results."""
    roles = [param["role"] for param in kernel["params"]]
    return ([p for p, role in enumerate(roles) if role in ("prefetch", "input")],
            [p for p, role in enumerate(roles) if role == "output"])


def shares(kernel: Kernel, specs: dict[int, Sequence[Any]],
           sizes: dict[Any, int]) -> dict[int, tuple[Any, ...]]:
    """For each cut the mesh axes among which it is divided, from the partitioner's proposal.

    specs  parameter -> its partition spec, padded to its rank
    sizes  mesh axis -> devices along it
    """
    chosen: dict[int, tuple[Any, ...]] = {}
    taken: set[Any] = set()
    for cut in cuts(kernel):
        for position, dim in cut.dims.items():
            entry = specs[position][dim]
            names = () if entry is None else entry if isinstance(entry, tuple) else (entry,)
            count = math.prod(sizes[name] for name in names)
            if names and not taken & set(names) and cut.size % count == 0:
                chosen[cut.axis] = names
                taken.update(names)
                break
    return chosen


def pieces(chosen: dict[int, tuple[Any, ...]], sizes: dict[Any, int]) -> dict[int, int]:
    """The argument `shards` of `piece`."""
    return {axis: math.prod(sizes[name] for name in names) for axis, names in chosen.items()}


def spec(kernel: Kernel, position: int, chosen: dict[int, tuple[Any, ...]]) -> list[Any]:
    """The partition spec of a parameter if the cuts are divided this way."""
    entries: list[Any] = [None] * len(shape_of(kernel["params"][position]))
    for cut in cuts(kernel):
        if position in cut.dims and cut.axis in chosen:
            entries[cut.dims[position]] = chosen[cut.axis]
    return entries
