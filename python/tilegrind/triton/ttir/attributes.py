"""Attributes: numbers, texts, words, lists, dense literals, dictionaries."""

from __future__ import annotations

import re
from typing import Any

from .locations import STRING, string_value
from .scanner import Scanner
from .syntax import Bits, Literal, Typed
from .types import SCALAR, Type, read_type

NAME = r"[A-Za-z_][\w.$-]*"
NUMBER = r"-?(?:0x[0-9A-Fa-f]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)"


def read_number(at: Scanner) -> int | float | Bits:
    text = at.need(NUMBER, "a number")
    if text.startswith("0x"):
        return Bits(int(text, 16))
    return float(text) if "." in text else int(text)


def read_attribute(at: Scanner) -> Any:
    """The attribute that is next: int, float, bool, str, Bits, list, dict, Literal, Type, or Typed."""
    if at.peek(STRING):
        return string_value(at.take(STRING))
    if at.peek(NUMBER):
        return _with_type(at, read_number(at))
    if at.is_next("["):
        return _list(at)
    if at.is_next("{"):
        return read_dictionary(at)
    if at.is_next("@"):
        return at.take(rf"@(?:{STRING}|{NAME})")
    if at.accept("dense<"):
        literal = Literal(_dense(at))
        at.expect(">")
        return _with_type(at, literal)
    if at.accept("array<"):
        return _array(at)
    if at.is_next("#"):
        return _of_dialect(at)
    if at.peek(rf"!tt\.|tensor<|{SCALAR}"):
        return read_type(at)
    word = at.need(NAME, "an attribute")
    return {"true": True, "false": False}.get(word, word)


def read_dictionary(at: Scanner) -> dict[str, Any]:
    """`{name = value, flag, ...}`; a name alone is True."""
    at.expect("{")
    at.lines += 1
    found: dict[str, Any] = {}
    while not at.is_next("}"):
        name = string_value(at.take(STRING)) if at.peek(STRING) else at.need(NAME, "the name of an attribute")
        found[name] = read_attribute(at) if at.accept("=") else True
        if not at.accept(","):
            break
    at.lines -= 1
    at.skip_lines()
    at.expect("}")
    return found


def read_literal(at: Scanner) -> Any:
    """What `arith.constant` says, without its type."""
    if at.accept("dense<"):
        literal = Literal(_dense(at))
        at.expect(">")
        return literal
    word = at.take(r"(?:true|false)\b")
    return word == "true" if word else read_number(at)


def _with_type(at: Scanner, value: Any) -> Any:
    """`value : type`; the usual types, i32, i64 and f32, say nothing that a reader wants."""
    if not at.accept(":"):
        return value
    kind = read_type(at)
    return value if kind in (Type("i32"), Type("i64"), Type("f32")) else Typed(value, kind)


def _list(at: Scanner) -> list[Any]:
    at.expect("[")
    found: list[Any] = []
    while not at.is_next("]"):
        found.append(read_attribute(at))
        if not at.accept(","):
            break
    at.expect("]")
    return found


def _array(at: Scanner) -> list[Any]:
    """`array<i32: 1, 0>`"""
    kind = at.need(SCALAR, "a type")
    found: list[Any] = []
    if at.accept(":"):
        found.append(read_literal(at))
        while at.accept(","):
            found.append(read_literal(at))
    if kind.startswith("i") and any(isinstance(one, (Bits, float)) for one in found):
        raise at.problem("expected integers")
    at.expect(">")
    return found


def _dense(at: Scanner) -> Any:
    if at.accept("["):
        found = []
        while not at.is_next("]"):
            found.append(_dense(at))
            if not at.accept(","):
                break
        at.expect("]")
        return found
    if at.peek(STRING):
        digits = string_value(at.take(STRING)).removeprefix("0x")
        if len(digits) % 2 or not re.fullmatch("[0-9A-Fa-f]*", digits):
            raise at.problem("expected bytes")
        return bytes.fromhex(digits)
    word = at.take(r"(?:true|false)\b")
    return word == "true" if word else read_number(at)


def _of_dialect(at: Scanner) -> Any:
    """`#tt.name<fields>`, and `#name`: the fields as a dictionary, or what stands for them as text."""
    name = at.need(r"#[\w.]+", "an attribute")
    if not at.accept("<"):
        return name
    fields: dict[str, Any] = {"": name}
    while not at.is_next(">"):
        key = at.need(NAME, "a field")
        fields[key] = read_attribute(at) if at.accept("=") else True
        if not at.accept(","):
            break
    at.expect(">")
    return fields
