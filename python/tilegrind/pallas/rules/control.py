"""Rules for control flow, calls and printing."""

from __future__ import annotations

from typing import Any

from jax._src import debugging, tree_util
from jax._src.pallas import core as pallas_core

from ...ir.builder import Type, Value
from ...ir.dtypes import SEMAPHORES
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, aval_type, result_type, rule
from ..lowering.tpu_model import refuse_hbm, space_of
from ..tracing import jaxprs
from . import formats, references
from .wgmma import is_accumulator, wait_for_products


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
    """The branch for the CPU, else the default, as in JAX's own interpreter."""
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
    if conv.scratch is not None:
        return conv.scratch.scoped(conv, eqn, operands)
    if eqn.params["collective_axes"]:
        raise Unsupported("collective_axes is not supported")
    if any(eqn.params.get("ref_transforms", ())):
        raise Unsupported("scoped memory with layout transforms is not supported")
    jaxpr, _ = jaxprs.opened(eqn.params["jaxpr"])
    refs = [_allocated(conv, var.aval) for var in jaxpr.invars]
    own = [ref for ref in refs if ref.id not in conv.cores.hoisted_ids and not (conv.devices and conv.devices.has(ref))]
    with conv.builder.region(own) as region:
        region.yields = conv.inline(jaxpr, refs, captured=operands)
    return conv.builder.emit("scoped", [], _result_types(eqn), [region])


def _allocated(conv: Converter, aval: Any) -> Value:
    """The reference to memory that `run_scoped` allocates: memory of the region or, if cores or devices share it, of the kernel."""
    type_ = aval_type(aval)
    if conv.model.is_tpu and not conv.model.hbm_scopes:
        refuse_hbm(aval, "run_scoped_p", "Cannot allocate HBM in `run_scoped`.")
    if conv.devices is not None and type_[0] == "sem":
        return references.shared_semaphores(conv, object(), type_[1])
    if conv.cores.is_mesh and type_[0] in SEMAPHORES.values():
        return conv.cores.scratch(conv.builder, *type_)
    if conv.cores.is_mesh and space_of(aval) == "hbm":
        return conv.cores.hbm(conv.builder, *type_)
    ref = conv.builder.value(*type_, is_ref=True)
    conv.note_padding(ref, aval)
    return ref


# -- references created inside the body --


def _filled(conv: Converter, value: Value) -> Value:
    """A reference to fresh memory that holds `value`."""
    ref = conv.builder.alloc(*value.type)
    references.fill(conv, ref, value)
    return ref


@rule("state", "run_state")
def _run_state(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """References that start with the operands' values; the results are their values at the end.
    An operand that is a reference is used as it is."""
    if not all(eqn.params["is_initialized"]):
        raise Unsupported("run_state without initial values is not supported")
    refs = [value if value.is_ref else _filled(conv, value) for value in operands]
    returned = conv.call(eqn.params["jaxpr"], refs)
    has_accumulators = any(is_accumulator(var.aval) for var in jaxprs.opened(eqn.params["jaxpr"])[0].invars)
    if has_accumulators:
        wait_for_products(conv, conv.builder.i32(0))
    contents = [references.content(conv, ref) for value, ref in zip(operands, refs) if not value.is_ref]
    # JAX's lowering for Mosaic GPU takes what the function returns, if it does, for the first of these values.
    results = iter([*returned, *contents] if has_accumulators else contents)
    return [value if value.is_ref else next(results) for value in operands]


@rule("lax", "new_ref")
def _new_ref(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del eqn
    return [_filled(conv, operands[0])]


@rule("lax", "empty_ref")
def _empty_ref(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    return [conv.builder.alloc(*result_type(eqn))]


@rule("lax", "freeze")
def _freeze(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del eqn
    return [references.content(conv, operands[0])]


@rule("lax", "free_ref")
@rule("pallas", "delay")
@rule("triton", "debug_barrier", "debug_barrier_p")
@rule("mosaic_gpu", "async_prefetch", "set_max_registers_p", "set_max_registers", "print_layout")
def _nothing(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del conv, eqn, operands
    return []


@rule("pallas", "jaxpr_call")
def _jaxpr_call(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A call with references and program ids of its own, as in emitted pipelines."""
    trees = eqn.params["ref_treedefs"]
    args = []
    for tree in trees:
        leaves, operands = operands[: tree.num_leaves], operands[tree.num_leaves :]
        ref, transforms = tree.unflatten(leaves), ()
        if isinstance(ref, tuple):
            ref, transforms = ref
        args.append(references.transformed(conv, ref, transforms))
    with conv.program_ids(eqn.params["program_ids_treedef"].unflatten(operands)):
        return conv.call(eqn.params["jaxpr"], args)


# -- text --


@rule("check", "check")
def _check(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A finding if the condition is false; nothing while JAX's debug checks are off, as JAX
    leaves it out then too."""
    if not eqn.params["debug"]:
        raise Unsupported("a check must be a debug check, or be functionalised")
    if not pallas_core.debug_checks_enabled():
        return []
    error = tree_util.tree_unflatten(eqn.params["err_tree"], operands)
    [failed], [payload] = error._pred.values(), error._payload.values()
    [tree] = error._metadata.values()
    exception = tree_util.tree_unflatten(tree, payload)
    text, values = formats.filled(exception.fmt_string, exception.args, exception.kwargs)
    fine = conv.builder.emit1("not", [failed], ("bool", ()))
    return conv.builder.emit("check", [fine, *values], format=text)


@rule("lax", "debug_print")
def _debug_print(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    params = eqn.params
    if params["logging_record"] is not None:
        raise Unsupported("printing to a log is not supported")
    operands = [references.content(conv, value) if value.is_ref else value for value in operands]
    args, kwargs = debugging.merge_callback_args(params["in_tree"], operands, params["static_args"])
    if params["has_placeholders"]:
        text, values = formats.filled(params["fmt"], args, kwargs)
        attributes = formats.print_attributes(dict(params["np_printoptions"]))
    else:
        text, values = formats.followed(params["fmt"], args)
        attributes = {}
    conv.builder.emit("debug_print", values, format=text, **attributes)
    return []
