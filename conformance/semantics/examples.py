"""The examples for the sentences of docs/semantics.md: one line of text is one launch of one operation.

    OP OPERAND, ...; KEY=JSON ... -> RESULT, ...

    max f32 nan, f32 1 -> f32 nan
    reduce_sum f32[3] [1 2 3]; axes=[0] -> f32 6
    load ref f32[4] [1 2 3 4], i32 1; index=[["slice",null,2,1]] -> f32[2] [2 3]
    store ref f32[2] [1 2], f32 5; index=[["at"]] ...  -> ref f32[2] [5 2]
    program_id; axis=0 grid=[3] -> i32[3] [0 1 2]

An OPERAND or RESULT is a type, as in docs/ir.md but without the brackets of a scalar, and its elements: one
for all, or a list.  An element is a number, nan, inf, -inf, true, false, a hex float, bits:HEX, or (all of an operand)
undefined.  `ref` stands for memory: the memory of an operand holds the elements before the operation; the memory of a result is
that of the same operand (the first result for the first `ref`) after it.  Further results are `finding KIND`, with all checks
on, and `prints "TEXT"`.

    and i32[2] [undef undef], i32[2] [0 1] -> i32[2] [defined undef]

Undefined values in results: an element `undef` of an operand is undefined, and `--check undefined` must report exactly the result
elements that are `undef`; the values of the elements, including `defined` ones, are not compared.

  KEY is an attribute of the operation, or

    layout   of the first result, as docs/ir.md has it
    grid     sizes of the grid; each output is one block a program, its leading dimensions those of the grid
    regions  as in docs/ir.md; operand k is value 100 + k, so ids are free from 1000 on
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

_TYPE = re.compile(r"\s*(ref\s+)?([a-z]\w*)(\[[\d,]*\])?\s+")
_ELEMENT = re.compile(r"[^\s,;\[\]]+")
_KEY = re.compile(r"\s*(\w+)=")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?$")


class Malformed(ValueError):
    """An example that does not have the form above."""


@dataclass(frozen=True)
class Tensor:
    """Elements of an operand or result: DATA of docs/ir.md, or None if all are undefined."""

    dtype: str
    shape: tuple[int, ...]
    data: Any
    is_ref: bool = False

    @property
    def undefined(self) -> list[bool]:
        """For each element, whether it is undefined."""
        count = math.prod(self.shape)
        words = self.data if isinstance(self.data, list) else [self.data] * count
        return [word == "undef" for word in words]

    @property
    def type(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass
class Example:
    text: str
    op: str
    operands: list[Tensor] = field(default_factory=list)
    results: list[Tensor] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    regions: list[Any] = field(default_factory=list)
    grid: list[int] = field(default_factory=list)
    layout: str | None = None
    findings: list[str] = field(default_factory=list)
    prints: str | None = None

    @property
    def is_about_undefined(self) -> bool:
        """Whether it says which elements are undefined instead of their values."""
        words = [word for tensor in self.operands + self.results
                 for word in (tensor.data if isinstance(tensor.data, list) else [tensor.data])]
        return "undef" in words and self.prints is None


def parse(text: str) -> Example:
    """Parses an example.  Raises Malformed with the text."""
    try:
        before, arrow, after = text.rpartition(" -> ")
        if not arrow:
            raise Malformed("there is no ->")
        op, _, rest = before.strip().partition(" ")
        example = Example(text, op.rstrip(";"))
        operands, _, keys = (rest if not op.endswith(";") else "; " + rest).partition(";")
        example.operands = _tensors(operands)
        _set_keys(example, keys)
        _set_results(example, after)
        return example
    except Malformed as problem:
        raise Malformed(f"{text!r}: {problem}") from None


def _tensors(text: str) -> list[Tensor]:
    found, at = [], 0
    while text[at:].strip():
        tensor, at = _tensor(text, at)
        found.append(tensor)
        if text[at:].strip() and text[at] != ",":
            raise Malformed(f"a comma is missing before {text[at:]!r}")
        at += 1
    return found


def _tensor(text: str, at: int) -> tuple[Tensor, int]:
    """The tensor that starts at `at`, and where the text after it starts."""
    head = _TYPE.match(text, at)
    if not head:
        raise Malformed(f"{text[at:]!r} is no type with elements")
    shape = tuple(int(extent) for extent in (head[3] or "[]")[1:-1].split(",") if extent)
    at = head.end()
    if text[at] == "[":
        end = text.index("]", at)
        data: Any = [_element(word[0]) for word in _ELEMENT.finditer(text[at:end])]
        at = end + 1
    else:
        word = _ELEMENT.match(text, at)
        if not word:
            raise Malformed(f"elements are missing at {text[at:]!r}")
        data = None if word[0] == "undefined" else _element(word[0])
        at = word.end()
    while at < len(text) and text[at] == " ":
        at += 1
    return Tensor(head[2], shape, data, bool(head[1])), at


def _element(word: str) -> Any:
    if word in ("true", "false"):
        return word == "true"
    if word == "-0":
        return "-0x0p+0"
    if re.fullmatch(r"-?\d+", word):
        return int(word) if abs(int(word)) < 2**53 else word
    return float(word) if _NUMBER.match(word) else word


def _set_keys(example: Example, text: str) -> None:
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        key = _KEY.match(text, at)
        if not key:
            raise Malformed(f"{text[at:]!r} is no KEY=JSON")
        try:
            value, at = decoder.raw_decode(text, key.end())
        except ValueError as problem:
            raise Malformed(f"{key[1]}: {problem}") from None
        if key[1] in ("grid", "regions", "layout"):
            setattr(example, key[1], value)
        else:
            example.attrs[key[1]] = value


def _set_results(example: Example, text: str) -> None:
    printed = re.search(r'(?:^|,)\s*prints (".*")\s*$', text)
    if printed:
        example.prints = json.loads(printed[1])
        text = text[: printed.start()]
    example.findings = re.findall(r"finding ([\w-]+)", text)
    example.results = _tensors(re.sub(r"(?:^|,)\s*finding [\w-]+", "", text))
