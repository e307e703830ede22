"""What a kernel prints, as it comes from a device: a line for each element, `pid (x, y, z) idx (i, j) prefix value`.

A device prints what a thread has: a number that is no tensor comes from each thread of a program, and so do elements of a tensor with
fewer elements than there are threads.  `Choices.threads` of 1 prints them once."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Iterator

from ...ir import dtypes
from ...ir.builder import Region, Value
from ..lowering.converter import Converter, rule
from ..lowering.pointers import address
from ..lowering.values import Pointers, dims_of
from ..ttir.syntax import Op
from .checks import coordinates, literal

# A double's bits.
FRACTION, EXPONENT, BIAS = 52, 11, 1023


@rule("tt.print")
def _print(conv: Converter, op: Op, operands: list[Any]) -> None:
    prefix, signs = literal(op.words[0]), op.attributes.get("isSigned", [])
    is_hex = op.attributes.get("hex", False)
    head, pid = _head(conv)
    if not operands:
        with _repeated(conv, ()):
            conv.builder.emit("debug_print", pid, format=f"{head}{prefix}")
    for number, (operand, kind) in enumerate(zip(operands, op.inputs)):
        label = f"(operand {number}) " if len(operands) > 1 else ""
        value = _printable(conv, operand, not isinstance(operand, Pointers) and bool(signs[number]))
        with _repeated(conv, dims_of(kind)):
            _lines(conv, value, dims_of(kind), head, pid, f"{prefix}{label}", is_hex or isinstance(operand, Pointers))


@contextlib.contextmanager
def _repeated(conv: Converter, dims: tuple[int, ...]) -> Iterator[None]:
    """What is emitted inside runs once for each thread that has the same elements of a tensor of these extents."""
    times = conv.choices.threads // math.prod(dims)
    if times <= 1:
        yield
        return
    with conv.builder.region([conv.builder.value("i32", ())]) as body:
        yield
    conv.builder.emit("for", [conv.builder.i32(number) for number in (0, times, 1)], [], [body])


def _head(conv: Converter) -> tuple[str, list[Value]]:
    return "pid ({}, {}, {})", [conv.builder.emit1("program_id", [], ("i32", ()), axis=axis) for axis in (2, 1, 0)]


def _printable(conv: Converter, operand: Any, is_signed: bool) -> Value:
    """The operand as i1's byte, a signed or an unsigned integer, or a float; a pointer is its address."""
    if isinstance(operand, Pointers):
        return conv.builder.bitcast(address(conv, operand), "u64")
    if operand.dtype == "bool":
        return conv.builder.convert(operand, "u8")
    if is_signed or dtypes.is_float(operand.dtype):
        return operand
    return conv.builder.bitcast(operand, f"u{dtypes.bits(operand.dtype)}")


def _lines(conv: Converter, value: Value, dims: tuple[int, ...], head: str, pid: list[Value], prefix: str, is_hex: bool) -> None:
    if not dims:
        _line(conv, value, f"{head} idx (){prefix}", pid, is_hex)
        return
    builder = conv.builder
    flat = builder.reshape(value, (math.prod(dims),))
    counter = builder.value("i32", ())
    with builder.region([counter]) as body:
        one = builder.reshape(builder.emit1("dynamic_slice", [flat, counter], (flat.dtype, (1,))), ())
        index = ", ".join(f"{{:{len(str(extent - 1))}}}" for extent in dims)
        _line(conv, one, f"{head} idx ({index}){prefix}", [*pid, *coordinates(conv, counter, dims)], is_hex)
    builder.emit("for", [builder.i32(0), builder.i32(math.prod(dims)), builder.i32(1)], [], [body])


def _line(conv: Converter, one: Value, before: str, operands: list[Value], is_hex: bool) -> None:
    if dtypes.is_float(one.dtype):
        if is_hex:
            _hex_float(conv, conv.builder.convert(one, "f64"), before, operands)
        else:
            conv.builder.emit("debug_print", [*operands, conv.builder.convert(one, "f64")], format=f"{before}{{:f}}")
    elif is_hex:
        width = dtypes.bits(one.dtype)
        conv.builder.emit("debug_print", [*operands, conv.builder.bitcast(one, f"u{width}")], format=f"{before}0x{{:0{width // 4}x}}")
    else:
        conv.builder.emit("debug_print", [*operands, one], format=f"{before}{{}}")


def _hex_float(conv: Converter, one: Value, before: str, operands: list[Value]) -> None:
    """As C's `%a`: `-0x1.8000000000000p+0`, and `inf` and `nan` with their signs."""
    bits = conv.builder.emit1("bitcast", [one], ("u64", ()))
    sign, exponent, fraction = (_field(conv, bits, first, width)
                                for first, width in ((FRACTION + EXPONENT, 1), (FRACTION, EXPONENT), (0, FRACTION)))
    is_zero, is_least = (_is(conv, field, 0) for field in (fraction, exponent))
    leading = _chosen(conv, is_least, 0, 1)
    power = conv.builder.emit1("sub", [exponent, conv.builder.constant(BIAS, "i64")], ("i64", ()))
    power = conv.builder.emit1("select", [is_least, power, conv.builder.constant(1 - BIAS, "i64")], ("i64", ()))
    is_none = conv.builder.emit1("and", [is_least, is_zero], ("bool", ()))
    power = conv.builder.emit1("select", [is_none, power, conv.builder.constant(0, "i64")], ("i64", ()))
    parts = [leading, fraction, power]
    special = _chosen(conv, is_zero, 4, 2)
    kind = conv.builder.emit1("select", [_is(conv, exponent, 2**EXPONENT - 1), conv.builder.constant(0, "i64"), special], ("i64", ()))
    kind = conv.builder.convert(conv.builder.emit1("add", [kind, sign], ("i64", ())), "i32")
    finite = "0x{:d}.{:013x}p{:+d}"
    texts = [(finite, parts), ("-" + finite, parts), ("nan", []), ("-nan", []), ("inf", []), ("-inf", [])]
    sides = [_printing(conv, before + text, [*operands, *more]) for text, more in texts]
    conv.builder.emit("switch", [kind], [], sides)


def _printing(conv: Converter, text: str, operands: list[Value]) -> Region:
    with conv.builder.region() as region:
        conv.builder.emit("debug_print", operands, format=text)
    return region


def _field(conv: Converter, bits: Value, first: int, width: int) -> Value:
    """`width` bits from the bit `first` on, as i64."""
    shifted = conv.builder.emit1("shift_right_logical", [bits, conv.builder.constant(first, "u64")], ("u64", ()))
    field = conv.builder.emit1("and", [shifted, conv.builder.constant(2**width - 1, "u64")], ("u64", ()))
    return conv.builder.convert(field, "i64")


def _is(conv: Converter, value: Value, number: int) -> Value:
    return conv.builder.emit1("eq", [value, conv.builder.constant(number, value.dtype)], ("bool", ()))


def _chosen(conv: Converter, condition: Value, yes: int, no: int) -> Value:
    return conv.builder.emit1("select", [condition, *(conv.builder.constant(one, "i64") for one in (no, yes))], ("i64", ()))
