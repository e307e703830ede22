"""From the text of a kernel's TTIR and the memory of a launch to a module of ours."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ...ir import dtypes
from ...ir.builder import Builder, Value
from ...ir.module import Module
from .. import rules  # noqa: F401  (fills the table of rules)
from ..ttir.syntax import Argument, Function
from ..ttir.syntax import Module as Ttir
from ..ttir.types import Type
from ..lowering import pointers, values
from ..lowering.calls import call
from ..lowering.choices import Choices
from ..lowering.converter import Converter, number_type
from ..lowering.errors import ExportError, Unsupported
from ..lowering.memories import LaunchMemories
from ..lowering.places import Places
from ..lowering.values import Meaning, Place
from .descriptors import Host, described
from .memories import Memories, apart
from .parameters import Parameters

GRID = [{"size": "dynamic", "semantics": "parallel", "name": name} for name in "zyx"]


def convert(module: Ttir, given: Mapping[str, int] | Memories, choices: Choices = Choices(), hosts: Mapping[str, Host] = {}) -> Module:
    """The module of one kernel.

    module   as Triton prints it before any pass
    given    by the name of each parameter that is a pointer or a descriptor, the number of elements behind it; or the memories of the
             launch
    choices  what Triton leaves open
    hosts    by the name of a parameter that is a descriptor, what is said of it beside its extents and strides

    The grid has the axes z, y, x, the last one the fastest.  A memory `p` is an array of one dimension: the input `p`, or, where the
    kernel may write to it, the output `p` and with the same memory the input `p.before`, its first value.  A number is an array
    without dimensions, and so is the address of a memory, the input `p.address`, of which a kernel has those that it asks for.
    Raises ExportError."""
    entry = _entry(module)
    memories = given if isinstance(given, Memories) else _apart(entry.arguments, given)
    builder, places = Builder(), Places()
    refs = [builder.value(one.dtype, (one.count,), is_ref=True) for one in memories.memories]
    tensors = [Place(number, refs[one.memory], _bytes(refs[one.memory]), one) for number, one in enumerate(memories.tensors)]
    launch = LaunchMemories(builder, tensors)
    converter = Converter(builder, module, places, launch, choices)
    numbers = {one.name: _number(builder, one) for one in entry.arguments if one.type.pointee is None}
    with builder.region() as body:
        meanings = [_meaning(builder, one, tensors, numbers) for one in entry.arguments]
        _append(converter, entry, described(builder, entry.arguments, meanings, hosts))
    parameters = Parameters(builder, body.ops)
    for name, ref in numbers.items():
        parameters.number(name[1:], ref)
    for number, ref in launch.addresses.items():
        parameters.number(f"{memories.memories[number].name}.address", ref)
    for memory, ref in zip(memories.memories, refs):
        parameters.memory(memory, ref)
    body.args = parameters.references
    kernel = {"name": entry.name, "dialect": "triton", "grid": GRID, "params": parameters.table, "body": body.json()}
    return Module([kernel], places.table)


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


def _apart(arguments: Sequence[Argument], sizes: Mapping[str, int]) -> Memories:
    kinds = {one.name[1:]: memory_dtype(one) for one in arguments if one.type.pointee is not None}
    return apart({name: sizes[name] for name in kinds}, kinds)


def _bytes(ref: Value) -> int:
    return ref.shape[0] * dtypes.bits(ref.dtype) // 8


def memory_dtype(argument: Argument) -> str:
    """The dtype of the memory behind a pointer.  Raises ExportError."""
    pointee = str(Type(argument.type.pointee))
    try:
        return values.memory_dtype(pointee)
    except KeyError:
        raise ExportError("tt.func", argument.location, f"{argument.name}: a pointer to {pointee} is not supported") from None


def _number(builder: Builder, argument: Argument) -> Value:
    return builder.value(number_type(argument.type)[0], (), is_ref=True)


def _meaning(builder: Builder, argument: Argument, tensors: Sequence[Place], numbers: Mapping[str, Value]) -> Meaning:
    if argument.type.pointee is None:
        ref = numbers[argument.name]
        return builder.emit1("load", [ref], (ref.dtype, ()), index=[])
    place = next(one for one in tensors if one.tensor.name == argument.name[1:])
    return pointers.into(builder, place, str(Type(argument.type.pointee)))


__all__ = ["ExportError", "Unsupported", "convert"]
