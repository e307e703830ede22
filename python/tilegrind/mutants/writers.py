"""Which program stored each element of an output last, and which op of it.

A derived kernel says so.  Beside each output it has an i32 output of the same shape, blocks and index map; beside each
store to the output, one of the program's number, or of the op's location, to the same place of that.  This costs about
one more run of the kernel.  It is right for any masks, views and loops, of which blocks and index maps alone know nothing.
"""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping

import numpy as np

from .editing import Builder, after, at_start, fresh
from .ir import Kernel, Op, Type

_STORES = {"store": 2, "swap": 2, "add_update": 2, "atomic_rmw": 2, "atomic_cas": 3}  # ref and values before the index
_WHOLE = {"dma_start": 1, "dot_start": 0}  # the operand that is written as a whole


def tiles_of(module: dict[str, Any], kernel: str | None = None) -> dict[str, tuple[int, ...]]:
    """The extents of a block of each output, 1 where a dimension is squeezed."""
    found = {}
    for param in _kernel(module, kernel)["params"]:
        if param["role"] == "output":
            shape = Type.of(param["type"]).shape
            blocks = param.get("block", [{"blocked": extent} for extent in shape])
            found[param["name"]] = tuple(1 if b == "squeezed" else b.get("blocked", b.get("element")) for b in blocks)
    return found


def writers_of(module: dict[str, Any], outputs: Iterable[str], inputs: Mapping[str, np.ndarray], *,
               kernel: str | None = None, **options: Any) -> dict[str, np.ndarray]:
    """For each of these outputs, the number of the program, row-major in the grid, that stored each element last; -1: none.

    module   the module, as JSON
    inputs   as for Module.run; so are the options: grid, target, ...
    Raises ValueError if the kernel stores to an output through a bitcast view of another width: that is not by elements.
    """
    return _last(module, outputs, inputs, kernel, "program", options)


def places_of(module: dict[str, Any], outputs: Iterable[str], inputs: Mapping[str, np.ndarray], *,
              kernel: str | None = None, **options: Any) -> dict[str, np.ndarray]:
    """As writers_of: the number of the location (docs/ir.md) of the op that stored each element last; 0: it has none."""
    return _last(module, outputs, inputs, kernel, "location", options)


def _last(module: dict[str, Any], outputs: Iterable[str], inputs: Mapping[str, np.ndarray], kernel: str | None, what: str,
          options: dict[str, Any]) -> dict[str, np.ndarray]:
    from ..runtime import loads

    names = list(outputs)
    if not names:
        return {}
    run = loads(json.dumps(with_writers(module, names, kernel, what))).run(inputs, **options)
    return {name: np.maximum(run.outputs[shadow_name(name)], -1) for name in names}


def shadow_name(output: str) -> str:
    return f"{output} writer"


def with_writers(module: dict[str, Any], outputs: Iterable[str], kernel: str | None = None,
                 what: str = "program") -> dict[str, Any]:
    """The module whose only kernel also has an output "NAME writer" for each of these outputs, with numbers of programs
    or, where `what` is "location", of locations."""
    k = Kernel(json.loads(json.dumps(_kernel(module, kernel))), module.get("locations", ()))
    stores = [op for op in k.in_body(*_STORES, *_WHOLE)]
    names = {number: shadow_name(name) for name in outputs for number in [_number(k, name)]}
    targets = [(op, k.values[k.ref_root(_target(op))]) for op in stores]
    shadows = {number: fresh(k, Type.of(k.body["args"][number]["type"]).of_dtype("i32")) for number in names}
    args = [arg["id"] for arg in k.body.get("args", ())]
    start = at_start(k, k.body)
    program = _program(start, k) if what == "program" else None
    views = {args[number]: ref for number, ref in shadows.items()}
    for op, root in targets:
        if root.region is k.body and root.index in shadows:
            number = start.constant(op.data.get("loc", 0), Type("i32")) if program is None else program
            _record(k, op, number, views)
    _add_params(k, shadows, names)
    return {**module, "kernels": [k.data]}


def _kernel(module: dict[str, Any], name: str | None) -> dict[str, Any]:
    return next(k for k in module["kernels"] if name is None or k["name"] == name)


def _number(k: Kernel, output: str) -> int:
    numbers = [i for i, p in enumerate(k.params) if p["name"] == output and p["role"] == "output"]
    if not numbers:
        raise ValueError(f"kernel {k.data['name']} has no output {output}")
    return numbers[0]


def _target(op: Op) -> int:
    return op.ins[_WHOLE.get(op.name, 0)]


def _program(builder: Builder, k: Kernel) -> int:
    """The program's number in the grid."""
    scalar = Type("i32")
    number = builder.constant(0, scalar)
    for axis in range(len(k.grid)):
        size = builder.emit("num_programs", (), scalar, axis=axis)
        index = builder.emit("program_id", (), scalar, axis=axis)
        number = builder.two("add", builder.two("mul", number, size), index)
    return number


def _record(k: Kernel, op: Op, number: int, views: dict[int, int]) -> None:
    """Stores a number to the shadow's place of what an op stores to."""
    ref = _shadow(k, _target(op), views)
    builder = after(k, op)
    if op.name in _WHOLE:
        shape = k.type(_target(op)).shape
        index, operands = [["slice", 0, extent, 1] for extent in shape], []
    else:
        shape = k.type(op.ins[1]).shape
        index, operands = op.data.get("index", []), op.ins[_STORES[op.name]:]
    store = {"op": "store", "in": [ref, builder.spread(number, shape), *operands], "index": index}
    if op.data.get("mask"):
        store["mask"] = True
    builder.insert(store)


def _shadow(k: Kernel, ref: int, views: dict[int, int]) -> int:
    """The reference to the shadow's memory that goes with one to the output's."""
    if ref in views:
        return views[ref]
    op = k.op(ref)
    inner = _shadow(k, op.ins[0], views)
    if op.name == "view_bitcast":
        if op.type.shape != k.type(op.ins[0]).shape:
            raise ValueError(f"{k.place(op)}: a store through a bitcast view of another width is not one of elements")
        return inner
    if op.name == "view_tensor":  # it names bytes of the output's memory, and changes no access
        return inner
    attributes = {name: value for name, value in op.data.items() if name not in ("op", "in", "out", "loc")}
    views[ref] = after(k, op).emit(op.name, [inner, *op.ins[1:]], op.type.of_dtype("i32"), **attributes)
    return views[ref]


def _add_params(k: Kernel, shadows: dict[int, int], names: dict[int, str]) -> None:
    """Adds the parameters of the shadows after the last output."""
    place = max(i for i, p in enumerate(k.params) if p["role"] == "output") + 1
    for number, ref in reversed(shadows.items()):
        param = k.params[number]
        copy = {key: value for key, value in param.items() if key not in ("alias", "index_map")}
        copy |= {"name": names[number], "type": str(Type.of(param["type"]).of_dtype("i32"))}
        if "index_map" in param:
            copy["index_map"] = _renumbered(k, param["index_map"])
        k.params.insert(place, copy)
        k.body["args"].insert(place, {"id": ref, "type": str(k.type(ref))})


def _renumbered(k: Kernel, region: dict[str, Any]) -> dict[str, Any]:
    """A copy of an index map with ids of its own."""
    ids: dict[int, int] = {}

    def visit(part: Any, key: str) -> Any:
        if isinstance(part, dict):
            return {name: visit(value, name) for name, value in part.items()}
        if isinstance(part, list) and key in ("in", "yield"):
            return [ids[value] for value in part]
        if isinstance(part, list):
            return [visit(value, key) for value in part]
        return ids.setdefault(part, fresh(k, k.type(part))) if key == "id" else part

    return visit({name: region[name] for name in ("args", "ops", "yield") if name in region}, "")
