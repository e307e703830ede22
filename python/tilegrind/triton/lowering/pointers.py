"""Pointers as values: choices between them, other types of what they point to, addresses, and which memory they reach.

A pointer whose place is not known is a *virtual address*, of 64 bits: bit 62, the number of the place from bit 48 on, and below that
how many bytes behind the start of its memory it points, plus 2^47.  So it keeps its place, however far one adds to it.  Other numbers
are real addresses at which there is no tensor."""

from __future__ import annotations

from typing import Sequence

from ...ir import dtypes
from ...ir.builder import Builder, Value
from .converter import Converter
from .errors import Unsupported
from .values import Place, Pointers, memory_dtype

TAG, CENTRE = 48, 1 << 47
MOST = (1 << 14) - 1


def size_of(pointee: str) -> int:
    """Bytes of what a pointer points to."""
    return dtypes.bits(memory_dtype(pointee)) // 8


def into(builder: Builder, place: Place, pointee: str) -> Pointers:
    """The pointer to the first element of a tensor."""
    dtype, size = memory_dtype(pointee), size_of(pointee)
    first = place.tensor.offset // size
    return Pointers(reference(builder, place, dtype), pointee, (), builder.constant(first, "i64") if first else None, (place,))


def reference(builder: Builder, place: Place, dtype: str) -> Value:
    """The memory of a tensor as elements of `dtype`, so that the tensor begins at one of them."""
    size = dtypes.bits(dtype) // 8
    ref = _as_dtype(builder, place, dtype, place.tensor.offset % size)
    return builder.tensor(ref, str(place.tensor), place.tensor.offset, *place.tensor.runs())


def _as_dtype(builder: Builder, place: Place, dtype: str, skipped: int) -> Value:
    ref, size = place.memory, dtypes.bits(dtype) // 8
    before = dtypes.bits(ref.dtype) // 8
    count = (place.bytes - skipped) // size
    if ref.dtype == dtype and not skipped:
        return ref
    if before == size and not skipped:
        return builder.recast("view_bitcast", ref, dtype, ref.shape)
    if skipped or count * size != place.bytes:  # only whole elements
        if before != 1:
            ref = _as_wide(builder, ref, "u8", place.bytes)
        ref = builder.view(ref, [], (count * size,), [["slice", skipped, count * size, 1]])
    return _as_wide(builder, ref, dtype, count) if ref.dtype != dtype else ref


def _as_wide(builder: Builder, ref: Value, dtype: str, count: int) -> Value:
    column = builder.recast("view_reshape", ref, ref.dtype, (ref.shape[0], 1))
    return builder.recast("view_reshape", builder.recast("view_bitcast", column, dtype, (count, 1)), dtype, (count,))


def memory_as(conv: Converter, where: Pointers, dtype: str) -> Value:
    """The memory as elements of another dtype of ours, of the same width."""
    if where.ref.dtype == dtype:
        return where.ref
    return conv.builder.recast("view_bitcast", where.ref, dtype, where.ref.shape)


# ---- virtual addresses ----


def virtual(conv: Converter, one: Pointers) -> Value:
    """The virtual addresses of pointers, of their shape."""
    builder = conv.builder
    if one.known is None:
        return builder.broadcast(one.offsets, one.shape)
    (place,) = one.options
    size = size_of(one.pointee)
    start = _start_of(place) + place.tensor.offset % size
    bytes_ = _constant(conv, start, ())
    if one.offsets is not None:
        offsets = builder.convert(one.offsets, "i64")
        bytes_ = _add(conv, _multiply(conv, offsets, size), start)
    return builder.broadcast(bytes_, one.shape)


def unknown(options: Sequence[Place], pointee: str, addresses: Value) -> Pointers:
    """Pointers at virtual addresses."""
    return Pointers(None, pointee, addresses.shape, addresses, tuple(options))


def select(conv: Converter, condition: Value, yes: Pointers, no: Pointers) -> Pointers:
    """One of two pointers, for each element."""
    shape = max((yes.shape, no.shape, condition.shape), key=len)
    condition = conv.builder.broadcast(condition, shape)
    if yes.known is not None and yes.known is no.known:
        offsets = [conv.builder.constant(0, "i64") if one.offsets is None else conv.builder.convert(one.offsets, "i64")
                   for one in (no, yes)]
    else:
        offsets = [virtual(conv, no), virtual(conv, yes)]
    offsets = [conv.builder.broadcast(one, shape) for one in offsets]
    chosen = conv.builder.emit1("select", [condition, *offsets], ("i64", shape))
    if yes.known is not None and yes.known is no.known:
        return yes.at(chosen, shape)
    both = {place.number: place for place in (*yes.options, *no.options)}
    return unknown(list(both.values()), yes.pointee, chosen)


def retyped(conv: Converter, one: Pointers, pointee: str) -> Pointers:
    """The same addresses as pointers to something else."""
    before, after = size_of(one.pointee), size_of(pointee)
    if one.known is None:
        return Pointers(None, pointee, one.shape, one.offsets, one.options)
    (place,) = one.options
    if memory_dtype(one.pointee) == memory_dtype(pointee):
        return Pointers(one.known, pointee, one.shape, one.offsets, one.options)
    ref = reference(conv.builder, place, memory_dtype(pointee))
    if before == after:
        return Pointers(ref, pointee, one.shape, one.offsets, one.options)
    if after > before and (one.offsets is not None or place.tensor.offset != 0):  # it need not be a multiple
        return unknown((place,), pointee, virtual(conv, one))
    return Pointers(ref, pointee, one.shape, _narrower(conv, one, place, before, after), one.options)


def _narrower(conv: Converter, one: Pointers, place: Place, before: int, after: int) -> Value | None:
    """The offsets in elements of `after` bytes instead of `before`."""
    skipped = (place.tensor.offset % before - place.tensor.offset % after) // after
    if one.offsets is None:
        return conv.builder.constant(skipped, "i64") if skipped > 0 else None
    offsets = conv.builder.convert(one.offsets, "i64")
    return _add(conv, _multiply(conv, offsets, before // after), skipped)


# ---- real addresses ----


def address(conv: Converter, one: Pointers) -> Value:
    """The real addresses of pointers."""
    at = virtual(conv, one)
    found = at
    for place in one.options:
        here = _add(conv, at, -_start_of(place))
        here = conv.builder.emit1("add", [here, conv.builder.broadcast(conv.memories.address(place), at.shape)], at.type)
        found = conv.builder.emit1("select", [_is_in(conv, at, place), found, here], at.type)
    return found


def at_address(conv: Converter, addresses: Value, pointee: str) -> Pointers:
    """Pointers at real addresses, to whatever tensor of the launch is there."""
    builder, found = conv.builder, addresses
    places = conv.memories.places
    for place in reversed(places):  # parameters come first, and win
        memory = builder.broadcast(conv.memories.address(place), addresses.shape)
        behind = builder.emit1("sub", [addresses, memory], addresses.type)
        first = _constant(conv, place.tensor.offset, addresses.shape)
        end = _constant(conv, place.tensor.offset + place.tensor.span(), addresses.shape)
        inside = _both(conv, _compare(conv, "ge", behind, first), _compare(conv, "lt", behind, end))
        found = builder.emit1("select", [inside, found, _add(conv, behind, _start_of(place))], addresses.type)
    return unknown(places, pointee, found)


# ---- accesses ----


def accesses(conv: Converter, where: Pointers, mask: Value | None) -> list[tuple[Pointers, Value | None]]:
    """Pointers into one memory each, with the mask of those that point there.  All others are told of."""
    if where.known is not None:
        return [(where, mask)]
    at = conv.builder.broadcast(where.offsets, where.shape)
    inside = [_is_in(conv, at, place) for place in where.options]
    _tell_wild(conv, at, inside, mask)
    return [_access(conv, where, at, place, one if mask is None else _both(conv, one, mask))
            for place, one in zip(where.options, inside)]


def _access(conv: Converter, where: Pointers, at: Value, place: Place, mask: Value) -> tuple[Pointers, Value]:
    size = size_of(where.pointee)
    behind = _add(conv, at, -_start_of(place) - place.tensor.offset % size)
    if size > 1:
        rest = conv.builder.emit1("and", [behind, _constant(conv, size - 1, at.shape)], at.type)
        is_even = _compare(conv, "eq", rest, _constant(conv, 0, at.shape))
        _tell(conv, "misaligned-pointer", is_even, mask, behind,
              f"{{}} bytes behind the start of the memory of {place.tensor} is no multiple of {size} bytes")
        behind = conv.builder.emit1("shift_right_arithmetic", [behind, _constant(conv, size.bit_length() - 1, at.shape)], at.type)
    return Pointers(reference(conv.builder, place, memory_dtype(where.pointee)), where.pointee, where.shape, behind, (place,)), mask


def _tell_wild(conv: Converter, at: Value, inside: Sequence[Value], mask: Value | None) -> None:
    known = conv.builder.constant(False, "bool", at.shape) if at.shape else conv.builder.constant(False, "bool")
    for one in inside:
        known = conv.builder.emit1("or", [known, one], known.type)
    _tell(conv, "wild-pointer", known, mask, at, "there is no array of the launch at address {:#x}")


def _tell(conv: Converter, finding: str, is_fine: Value, mask: Value | None, shown: Value, text: str) -> None:
    """A finding if `is_fine` is false where the mask is set; it shows the greatest of those values."""
    builder = conv.builder
    if mask is not None:
        off = builder.emit1("not", [mask], mask.type)
        is_fine = builder.emit1("or", [is_fine, off], is_fine.type)
    least = _constant(conv, -(1 << 63), shown.shape)
    shown = builder.emit1("select", [is_fine, shown, least], shown.type)
    if shown.shape:
        axes = list(range(len(shown.shape)))
        is_fine = builder.emit1("reduce_and", [is_fine], ("bool", ()), axes=axes)
        shown = builder.emit1("reduce_max", [shown], ("i64", ()), axes=axes)
    builder.emit("check", [is_fine, shown], format=text, finding=finding)


# ---- numbers ----


def _start_of(place: Place) -> int:
    if place.number > MOST:
        raise Unsupported(f"pointers into more than {MOST + 1} tensors are not supported")
    return 1 << 62 | place.number << TAG | CENTRE


def _is_in(conv: Converter, at: Value, place: Place) -> Value:
    tags = conv.builder.emit1("shift_right_arithmetic", [at, _constant(conv, TAG, at.shape)], at.type)
    return _compare(conv, "eq", tags, _constant(conv, 1 << 62 - TAG | place.number, at.shape))


def _constant(conv: Converter, number: int, shape: tuple[int, ...]) -> Value:
    return conv.builder.broadcast(conv.builder.constant(number, "i64"), shape)


def _add(conv: Converter, value: Value, number: int) -> Value:
    return conv.builder.emit1("add", [value, _constant(conv, number, value.shape)], value.type) if number else value


def _multiply(conv: Converter, value: Value, number: int) -> Value:
    return conv.builder.emit1("mul", [value, _constant(conv, number, value.shape)], value.type) if number != 1 else value


def _compare(conv: Converter, name: str, a: Value, b: Value) -> Value:
    return conv.builder.emit1(name, [a, b], ("bool", a.shape))


def _both(conv: Converter, a: Value, b: Value) -> Value:
    return conv.builder.emit1("and", [a, b], a.type)
