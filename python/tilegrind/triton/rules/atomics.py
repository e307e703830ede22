"""Atomics, with what they order and for whom they are ones.

Those of pointers of other dtypes are on views of the same memory: comparisons are of bits, and `umax` and `umin` of unsigned
integers."""

from __future__ import annotations

from typing import Any, Callable

from ...ir.builder import Type, Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.pointers import accesses, memory_as
from ..lowering.values import Pointers, memory_dtype
from ..ttir.syntax import Op
from .lanes import Lanes
from .memory import places
from .pointers import pointers

KINDS = {"add": "add", "fadd": "add", "and": "and", "or": "or", "xor": "xor", "max": "max", "min": "min", "umax": "max", "umin": "min",
         "exch": "xchg"}

# A poll looks so often at most before its time is over; a look takes a nanosecond.
MOST_LOOKS = 1000


def order(sem: str, scope: str) -> dict[str, Any]:
    """The attributes `sem` and `scope`; both are also those that an atomic has by itself."""
    return {"sem": sem, "scope": scope}


def bits(conv: Converter, value: Value) -> Value:
    """The bits of floats as integers; integers as they are."""
    if value.dtype[0] in "iu":
        return value
    width = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}[value.dtype]
    return conv.builder.emit1("bitcast", [value], (f"i{width}", value.shape))


def in_memory(conv: Converter, where: Pointers, value: Value) -> Value:
    """An i1 is a byte in memory."""
    return conv.builder.convert(value, memory_dtype(where.pointee)) if where.pointee == "i1" else value


def back(conv: Converter, where: Pointers, value: Value, kind: Type) -> Value:
    """What memory holds, as the type of a result."""
    if where.pointee == "i1":
        return conv.builder.convert(value, "bool")
    if value.dtype.startswith("u"):
        return Lanes(conv).signed(value)
    return value if value.dtype == kind[0] else conv.builder.emit1("bitcast", [value], kind)


def masked(mask: list[Value]) -> dict[str, Any]:
    return {"mask": True} if mask else {}


@rule("tt.atomic_rmw")
def _rmw(conv: Converter, op: Op, operands: list[Any]) -> Value:
    kind, sem, scope = op.words
    where = pointers(operands[0])
    value, *mask = conv.numbers(operands[1:])
    result = (value.dtype, where.shape)
    value = in_memory(conv, where, value)
    if kind in ("umax", "umin"):
        value = Lanes(conv).unsigned(value)

    def one(place: Pointers, mask: list[Value]) -> Value:
        memory = memory_as(conv, place, value.dtype)
        return conv.builder.emit1("atomic_rmw", [memory, value, places(conv, place), *mask], (value.dtype, where.shape),
                                  kind=KINDS[kind], index=[["at"]], **order(sem, scope), **masked(mask))

    return back(conv, where, each(conv, where, mask, one), result)


def each(conv: Converter, where: Pointers, mask: list[Value], access: Callable[[Pointers, list[Value]], Value]) -> Value:
    """What an access gives in each memory that the pointers may be ones into."""
    found: Value | None = None
    for place, on in accesses(conv, where, mask[0] if mask else None):
        given = access(place, [] if on is None else [on])
        found = given if found is None or on is None else conv.builder.emit1("select", [on, found, given], given.type)
    assert found is not None
    return found


@rule("tt.atomic_cas")
def _cas(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """It compares bits: -0.0 is not 0.0, and a NaN is itself."""
    where = pointers(operands[0])
    compared, value = conv.numbers(operands[1:])
    result = (value.dtype, where.shape)
    compared, value = (bits(conv, in_memory(conv, where, one)) for one in (compared, value))
    memory = memory_as(conv, where, value.dtype)
    old = conv.builder.emit1("atomic_cas", [memory, compared, value, places(conv, where)], (value.dtype, where.shape),
                             index=[["at"]], **order(*op.words))
    return back(conv, where, old, result)


@rule("tt.atomic_load")
def _load(conv: Converter, op: Op, operands: list[Any]) -> Value:
    where = pointers(operands[0])
    mask = conv.numbers(operands[1:])
    loaded = each(conv, where, mask, lambda place, on: look(conv, place, on, *op.words))
    return conv.builder.convert(loaded, "bool") if where.pointee == "i1" else loaded


def look(conv: Converter, where: Pointers, mask: list[Value], sem: str, scope: str) -> Value:
    """What the memory holds."""
    return conv.builder.emit1("load", [where.ref, places(conv, where), *mask], (where.ref.dtype, where.shape),
                              index=[["at"]], **order(sem, scope), **masked(mask))


@rule("tt.atomic_store")
def _store(conv: Converter, op: Op, operands: list[Any]) -> None:
    where = pointers(operands[0])
    value, *mask = conv.numbers(operands[1:])
    value = in_memory(conv, where, value)
    for place, on in accesses(conv, where, mask[0] if mask else None):
        mask = [] if on is None else [on]
        conv.builder.emit("store", [place.ref, value, places(conv, place), *mask], index=[["at"]], **order(*op.words), **masked(mask))


# ---- polls ----


@rule("tt.atomic_poll")
def _poll(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """Looks at the elements that are not yet as expected, until all are or the time is over."""
    where = pointers(operands[0])
    expected, *timeout = conv.numbers(operands[1:])
    sem, scope = op.words[:2]
    if where.pointee == "i1":
        raise Unsupported("a poll of i1 is not supported")
    build = conv.builder
    expected = build.broadcast(expected, where.shape)
    left = _looks(conv, timeout[0]) if timeout else None
    state = [_is_expected(conv, where, expected, [], sem, scope), *([left] if left else [])]
    arguments = [build.value(*one.type) for one in state]
    with build.region(arguments) as test:
        test.yields = [_goes_on(conv, arguments)]
    arguments = [build.value(*one.type) for one in state]
    with build.region(arguments) as body:
        missing = build.emit1("not", [arguments[0]], arguments[0].type)
        found = _is_expected(conv, where, expected, [missing], sem, scope)
        body.yields = [build.emit1("or", [arguments[0], found], found.type)]
        if left:
            body.yields.append(build.emit1("sub", [arguments[1], build.constant(1, "i64")], ("i64", ())))
    return build.emit("while", state, [one.type for one in state], [test, body])[0]


def _looks(conv: Converter, timeout: Value) -> Value:
    """How often a poll with a timeout looks again."""
    wide = conv.builder.convert(timeout, "i64")
    return conv.builder.emit1("min", [wide, conv.builder.constant(MOST_LOOKS, "i64")], ("i64", ()))


def _is_expected(conv: Converter, where: Pointers, expected: Value, missing: list[Value], sem: str, scope: str) -> Value:
    """Whether each element is as expected; false where it is not looked at."""
    seen = look(conv, where, missing, sem, scope)
    equal = conv.builder.emit1("eq", [seen, expected], ("bool", where.shape))
    return conv.builder.emit1("and", [equal, *missing], equal.type) if missing else equal


def _goes_on(conv: Converter, state: list[Value]) -> Value:
    """Whether an element is not as expected, and there is time left."""
    build, is_there = conv.builder, state[0]
    if is_there.shape:
        is_there = build.emit1("reduce_and", [is_there], ("bool", ()), axes=list(range(len(is_there.shape))))
    goes_on = build.emit1("not", [is_there], is_there.type)
    if len(state) == 1:
        return goes_on
    has_time = build.emit1("gt", [state[1], build.constant(0, "i64")], ("bool", ()))
    return build.emit1("and", [goes_on, has_time], goes_on.type)
