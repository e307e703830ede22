"""The places of a launch, and the addresses of its memories, which a kernel has as numbers where it asks for them."""

from __future__ import annotations

from ...ir.builder import Builder, Value
from .values import Place


class LaunchMemories:
    """places  the tensors of the launch

    `addresses` has, by the number of each memory whose address the kernel uses, the reference to that number."""

    def __init__(self, builder: Builder, places: list[Place]) -> None:
        self.places = places
        self.addresses: dict[int, Value] = {}
        self._builder = builder

    def address(self, place: Place) -> Value:
        """The real address of the first byte of a place's memory."""
        number = place.tensor.memory
        if number not in self.addresses:
            self.addresses[number] = self._builder.value("i64", (), is_ref=True)
        return self._builder.emit1("load", [self.addresses[number]], ("i64", ()), index=[])
