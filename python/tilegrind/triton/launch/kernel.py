"""From the text of a kernel's TTIR and the sizes of its arrays to a module of ours."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ...ir.builder import Builder, Region, Value
from ...ir.module import Module
from .. import rules  # noqa: F401  (fills the table of rules)
from ..ttir.syntax import Argument, Function, all_ops
from ..ttir.syntax import Module as Ttir
from ..ttir.types import Pointer
from ..lowering.calls import call
from ..lowering.converter import Converter, number_type
from ..lowering.errors import ExportError, Unsupported
from ..lowering.places import Places
from ..lowering.values import DTYPES, Meaning, Pointers

WRITES = {"tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_store"}
GRID = [{"size": "dynamic", "semantics": "parallel", "name": name} for name in "zyx"]


def convert(module: Ttir, sizes: Mapping[str, int]) -> Module:
    """The module of one kernel.

    module  as Triton prints it before any pass
    sizes   by the name of each parameter that is a pointer, the number of elements behind it

    The grid has the axes z, y, x, the last one the fastest.  A pointer `p` is an array of one dimension: the input `p`, and, where the
    kernel may write to it, also the output `p` with the same memory; its first value is then the input `p.before`.  A number is
    an array without dimensions.  Raises ExportError."""
    entry = _entry(module)
    is_written = any(op.name in WRITES for function in module.functions.values() for op in all_ops(function.blocks))
    params = _params(entry.arguments, sizes, is_written)
    builder, places = Builder(), Places()
    arguments = [_reference(builder, param) for param in params]
    converter = Converter(builder, module, places)
    with builder.region(arguments) as body:
        meanings = [_meaning(builder, one, params, arguments) for one in entry.arguments]
        _append(converter, entry, meanings)
    return Module([_kernel(entry.name, params, body)], places.table)


def _entry(module: Ttir) -> Function:
    try:
        return module.entry()
    except ValueError as problem:
        raise ExportError("module", None, str(problem)) from None


def _append(converter: Converter, entry: Function, meanings: list[Meaning]) -> None:
    """Appends the body of the kernel.  Raises ExportError."""
    try:
        call(converter, entry, meanings)
    except Unsupported as problem:
        raise ExportError("tt.func", entry.location, str(problem)) from None
    except RecursionError:
        raise ExportError("tt.func", entry.location, "a branch goes back, or regions nest too deeply") from None


def _kernel(name: str, params: list[dict[str, Any]], body: Region) -> dict[str, Any]:
    return {"name": name, "dialect": "triton", "grid": GRID, "params": params, "body": body.json()}


def _params(arguments: Sequence[Argument], sizes: Mapping[str, int], is_written: bool) -> list[dict[str, Any]]:
    """Inputs first, then outputs, as docs/ir.md wants them."""
    inputs, outputs = [], []
    for one in arguments:
        name = one.name[1:]
        if not one.type.is_pointer:
            inputs.append({"name": name, "role": "input", "type": "{}[]".format(number_type(one.type)[0])})
            continue
        kind = f"{memory_dtype(one)}[{sizes[name]}]"
        inputs.append({"name": f"{name}.before" if is_written else name, "role": "input", "type": kind})
        if is_written:
            outputs.append({"name": name, "role": "output", "type": kind, "alias": f"{name}.before", "partly_written": True})
    return inputs + outputs


def memory_dtype(argument: Argument) -> str:
    """The dtype of the memory behind a pointer: an i1 is a byte there.  Raises ExportError."""
    pointee = argument.type.element.pointee
    if isinstance(pointee, Pointer) or pointee not in DTYPES:
        raise ExportError("tt.func", argument.location, f"{argument.name}: a pointer to {pointee} is not supported")
    return "i8" if pointee == "i1" else DTYPES[pointee]


def _reference(builder: Builder, param: dict[str, Any]) -> Value:
    dtype, extents = param["type"].rstrip("]").split("[")
    return builder.value(dtype, [int(extent) for extent in extents.split(",") if extent], is_ref=True)


def _meaning(builder: Builder, argument: Argument, params: list[dict[str, Any]], references: list[Value]) -> Meaning:
    by_name = dict(zip((param["name"] for param in params), references))
    ref = by_name[argument.name[1:]]
    if argument.type.is_pointer:
        return Pointers(ref, str(argument.type.element.pointee))
    return builder.emit1("load", [ref], (ref.dtype, ()), index=[])


__all__ = ["ExportError", "Unsupported", "convert"]
