"""Rules for control flow, calls and printing."""

from __future__ import annotations

import string
from typing import Any, Sequence

from jax._src import tree_util

from . import jaxprs
from .builder import Type, Value
from .converter import Converter, aval_type, result_type, rule
from .errors import Unsupported


def _result_types(eqn: Any) -> list[Type]:
    return [result_type(eqn, index) for index in range(len(eqn.outvars))]


@rule("lax", "jit", "pjit", "closed_call", "core_call", "call", "eval_jaxpr", "remat2", "remat",
      "checkpoint", "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr",
      "composite")
def _call(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    for key in ("call_jaxpr", "jaxpr", "fun_jaxpr"):
        if key in eqn.params:
            return conv.call(eqn.params[key], operands)
    raise Unsupported("the call holds no jaxpr")


@rule("lax", "cond")
def _cond(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    index, *args = operands
    regions = []
    for branch in eqn.params["branches"]:
        with conv.builder.region() as region:
            region.yields = conv.inline(branch, args)
        regions.append(region)
    return conv.builder.emit("switch", [index], _result_types(eqn), regions)


@rule("lax", "platform_index")
def _platform_index(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The branch for the CPU, else the default: what JAX's own interpreter takes."""
    del operands
    platforms = eqn.params["platforms"]
    for position, names in enumerate(platforms):
        if names is None or "cpu" in names:
            return [conv.builder.i32(position)]
    raise Unsupported("no branch for the CPU and no default branch")


@rule("lax", "while")
def _while(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    first, second = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    cond_consts, body_consts = operands[:first], operands[first : first + second]
    carries = operands[first + second :]
    regions = []
    for jaxpr, consts in ((eqn.params["cond_jaxpr"], cond_consts),
                          (eqn.params["body_jaxpr"], body_consts)):
        args = [conv.builder.value(*carry.type) for carry in carries]
        with conv.builder.region(args) as region:
            region.yields = conv.inline(jaxpr, [*consts, *args])
        regions.append(region)
    return conv.builder.emit("while", carries, _result_types(eqn), regions)


@rule("lax", "scan")
def _scan(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A `for` over the counter.  Scanned inputs are slices at it; stacked results are carries that
    start undefined and have one slice replaced in each turn."""
    build, length = conv.builder, eqn.params["length"]
    const_count, carry_count = jaxprs.scan_counts(eqn.params)
    consts = operands[:const_count]
    carries = operands[const_count : const_count + carry_count]
    scanned = operands[const_count + carry_count :]
    types = _result_types(eqn)
    stacks = [build.emit1("undefined", [], type_) for type_ in types[carry_count:]]

    counter = build.value("i32", ())
    inside = [build.value(*value.type) for value in (*carries, *stacks)]
    with build.region([counter, *inside]) as region:
        position = counter
        if eqn.params["reverse"]:
            position = build.emit1("sub", [build.i32(length - 1), counter], counter.type)
        layers = [_layer(conv, value, position) for value in scanned]
        results = conv.inline(eqn.params["jaxpr"], [*consts, *inside[:carry_count], *layers])
        updated = [_with_layer(conv, stack, layer, position)
                   for stack, layer in zip(inside[carry_count:], results[carry_count:])]
        region.yields = [*results[:carry_count], *updated]
    bounds = [build.i32(0), build.i32(length), build.i32(1)]
    return build.emit("for", [*bounds, *carries, *stacks], types, [region])


def _starts(conv: Converter, value: Value, position: Value) -> list[Value]:
    return [position, *[conv.builder.i32(0)] * (len(value.shape) - 1)]


def _layer(conv: Converter, value: Value, position: Value) -> Value:
    """value[position], of one dimension less."""
    shape = (1, *value.shape[1:])
    layer = conv.builder.emit1("dynamic_slice", [value, *_starts(conv, value, position)],
                               (value.dtype, shape))
    return conv.builder.reshape(layer, value.shape[1:])


def _with_layer(conv: Converter, stack: Value, layer: Value, position: Value) -> Value:
    """`stack` with stack[position] replaced."""
    layer = conv.builder.reshape(layer, (1, *layer.shape))
    operands = [stack, layer, *_starts(conv, stack, position)]
    return conv.builder.emit1("dynamic_update_slice", operands, stack.type)


@rule("pallas", "run_scoped")
def _run_scoped(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if eqn.params["collective_axes"]:
        raise Unsupported("collective_axes is not supported")
    if any(eqn.params.get("ref_transforms", ())):
        raise Unsupported("scoped memory with layout transforms is not supported")
    jaxpr, _ = jaxprs.opened(eqn.params["jaxpr"])
    refs = [conv.builder.value(*aval_type(var.aval), is_ref=True) for var in jaxpr.invars]
    with conv.builder.region(refs) as region:
        region.yields = conv.inline(jaxpr, refs, captured=operands)
    return conv.builder.emit("scoped", [], _result_types(eqn), [region])


@rule("lax", "debug_print")
def _debug_print(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    params = eqn.params
    if params.get("static_args"):
        raise Unsupported("arguments that are no arrays are not supported")
    args, kwargs = tree_util.tree_unflatten(params["in_tree"], operands)
    text, values = _placeholders(params["fmt"], args, kwargs)
    conv.builder.emit("debug_print", values, format=text)
    return []


def _placeholders(fmt: str, args: Sequence[Value],
                  kwargs: dict[str, Value]) -> tuple[str, list[Value]]:
    """A Python format as text with plain ``{}``, and the operands in their order.  Arguments of a
    format without placeholders follow it, as on a GPU."""
    text, values, position = "", [], 0
    for before, field, spec, conversion in string.Formatter().parse(fmt):
        text += before
        if field is None:
            continue
        if spec or conversion:
            raise Unsupported("format specifications are not supported")
        if field == "":
            field, position = str(position), position + 1
        try:
            values.append(args[int(field)] if field.isdecimal() else kwargs[field])
        except (IndexError, KeyError):
            raise Unsupported(f"the format names an unknown argument {field!r}") from None
        text += "{}"
    if not values and args:
        return text + " {}" * len(args), list(args)
    return text, values
