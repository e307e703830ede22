"""Descriptors that a program makes and passes to a kernel: a parameter for each, and behind it its extents and its strides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

from ...ir.builder import Builder, Value
from ..lowering.values import Descriptor, Meaning, Pointers
from ..ttir.syntax import Argument
from ..ttir.types import Descriptor as DescriptorType


@dataclass(frozen=True)
class Host:
    """padding  "zero" or "nan": what is outside
    rounds   whether f32 elements are rounded to tf32 when they are read"""

    padding: str = "zero"
    rounds: bool = False


def described(builder: Builder, arguments: Sequence[Argument], meanings: Sequence[Meaning],
              hosts: Mapping[str, Host]) -> list[Meaning]:
    """The meanings of a kernel's parameters, where those of descriptors are so far pointers to their memory."""
    found = list(meanings)
    for place, (one, base) in enumerate(zip(arguments, meanings)):
        if not isinstance(one.type.element, DescriptorType):
            continue
        assert isinstance(base, Pointers)
        box, host = one.type.element.box, hosts.get(one.name[1:], Host())
        rank = len(box.shape or ())
        numbers = [_i64(builder, meaning) for meaning in meanings[place + 1:place + 1 + 2 * rank]]
        found[place] = Descriptor(base, tuple(numbers[:rank]), tuple(numbers[rank:]), box.shape or (), str(box.element), host.padding,
                                  host.rounds)
    return found


def _i64(builder: Builder, meaning: Meaning) -> Value:
    assert isinstance(meaning, Value)
    return builder.convert(meaning, "i64")
