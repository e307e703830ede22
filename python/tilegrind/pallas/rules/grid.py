"""Rules for grid values, such as program ids, and for coordinates in the mesh around the call."""

from __future__ import annotations

from typing import Any

from jax._src import core

from ...ir.builder import Value
from ...ir.errors import OtherDevices, Unsupported
from ..lowering.converter import Converter, result_type, rule


@rule("pallas", "program_id", "num_programs")
def _grid_value(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    axis = eqn.params["axis"]
    if eqn.primitive.name == "program_id" and conv.own_program_ids is not None:
        if not 0 <= axis < len(conv.own_program_ids):
            raise Unsupported(f"the pipeline has no axis {axis}")
        return [conv.own_program_ids[axis]]
    if not 0 <= axis < len(conv.axes):
        raise Unsupported(f"the grid has no axis {axis}")
    if conv.cores.division is not None:  # then this is num_programs, as `own_program_ids` has program_id
        return [conv.builder.constant(conv.cores.division.sizes[axis], *result_type(eqn))]
    return conv.builder.emit(eqn.primitive.name, [], [result_type(eqn)], axis=conv.axes[axis])


@rule("lax", "axis_index")
def _axis_index(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Index along a named axis; of several names, the row-major position in their product."""
    del operands
    names = eqn.params["axis_name"]
    total: Value | None = None
    for name in names if isinstance(names, tuple) else (names,):
        here, extent = _along(conv, conv.axis_names.index(name)) if name in conv.axis_names else _in_mesh(conv, name)
        if total is not None:
            total = conv.builder.emit1("mul", [total, extent], ("i32", ()))
            here = conv.builder.emit1("add", [total, here], ("i32", ()))
        total = here
    assert total is not None
    return [total]


def _in_mesh(conv: Converter, name: Any) -> tuple[Value, Value]:
    """The device's coordinate on an axis of the mesh around the call, and the size of the axis."""
    mesh = core.get_axis_env()
    if conv.is_index_map:
        raise Unsupported(f"{name!r} is not an axis of the grid")
    if not conv.cores.in_mesh or not mesh.axis_exists(name):
        raise OtherDevices(f"{name!r} is not an axis of the grid")
    return conv.cores.coordinate(conv.builder, name), conv.builder.i32(mesh.axis_size(name))


def _along(conv: Converter, axis: int) -> tuple[Value, Value]:
    """The program's coordinate on an axis of the full grid, and the size of the axis."""
    if conv.cores.division is not None and conv.places is not None:
        return conv.places[axis], conv.builder.i32(conv.cores.division.sizes[axis])
    place, size = (conv.builder.emit1(op, [], ("i32", ()), axis=axis) for op in ("program_id", "num_programs"))
    return place, size
