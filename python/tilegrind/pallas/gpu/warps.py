"""The warps of a thread of Mosaic GPU, which do different things inside a `core_map` over a WarpMesh.

A kernel that does so has four threads for each of Mosaic GPU's.  The first is the thread itself, and the first warp inside a `core_map`.
The others follow it: they wait until it begins a `core_map`, and do what their warps do there; at the end of a `core_map` it waits for
them.  What the body of a `core_map` captures reaches them by way of scratch.  A barrier that the thread waits for outside of a
`core_map` has been waited for by all its warps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..tracing import jaxprs

if TYPE_CHECKING:
    from ..lowering.converter import Converter

WARPS = 4


def mesh_of(params: Any) -> Any:
    """The mesh of a `core_map` or `mpmd_map` if it is one of warps; else None."""
    meshes = params.get("meshes") or [params.get("mesh")]
    return meshes[0] if len(meshes) == 1 and type(meshes[0]).__name__ == "WarpMesh" else None


def warp_axis(jaxpr: Any) -> Any:
    """The name of the axis of warps that a kernel uses anywhere; None: it does not.  Raises Unsupported if it uses several."""
    names = {mesh.axis_name for eqn in jaxprs.all_eqns(jaxpr) if (mesh := mesh_of(eqn.params)) is not None}
    if len(names) > 1:
        raise Unsupported("axes of warps with different names in one kernel are not supported")
    return names.pop() if names else None


@dataclass
class _Section:
    """The body of a `core_map`: its jaxpr, and how those that follow get the values of its constants."""

    jaxpr: Any
    captured: list[Callable[[], Value]]
    place: Any


class Warps:
    """The warps of the threads of a kernel."""

    def __init__(self, conv: Converter) -> None:
        self._conv = conv
        self._sections: list[_Section] = []
        self._is_inside = False
        self._begin = conv.scratch.of_each_thread("warps_begin", "barrier", arrivals=1)
        self._end = conv.scratch.of_each_thread("warps_end", "barrier", arrivals=WARPS)
        self._which = conv.scratch.of_each_thread("warps_section", "i32")

    @property
    def followers(self) -> int:
        """How many warps wait with this one where it waits now."""
        return 0 if self._is_inside else WARPS - 1

    def section(self, eqn: Any, operands: Sequence[Value]) -> list[Value]:
        """Converts a `core_map` of the thread."""
        if self._is_inside:
            raise Unsupported("warps inside of a warp are not supported")
        build = self._conv.builder
        [jaxpr] = eqn.params["jaxprs"] if "jaxprs" in eqn.params else [eqn.params["jaxpr"]]
        captured = [self._handed_on(value) for value in operands]
        self._store(self._which(), build.i32(len(self._sections)))
        self._sections.append(_Section(jaxpr, captured, self._conv.place))
        build.emit("barrier_arrive", [self._begin()])
        self._body(jaxpr, operands)
        build.emit("barrier_wait", [self._end()])
        return []

    def end(self) -> None:
        """Lets those that follow end."""
        self._store(self._which(), self._conv.builder.i32(len(self._sections)))
        self._conv.builder.emit("barrier_arrive", [self._begin()])

    def follow(self) -> None:
        """What those that follow do: one section after the other, until the thread ends."""
        build = self._conv.builder
        goes_on, again = build.value("bool", ()), build.value("bool", ())
        with build.region([goes_on]) as condition:
            condition.yields = [goes_on]
        with build.region([again]) as turn:
            build.emit("barrier_wait", [self._begin()], idle=True)
            which = build.emit1("load", [self._which()], ("i32", ()), index=[])
            regions = []
            for section in self._sections:
                with build.region() as region, self._conv.at_place(section.place):
                    self._body(section.jaxpr, [take() for take in section.captured])
                regions.append(region)
            with build.region() as last:
                pass
            build.emit("switch", [which], [], [*regions, last])
            turn.yields = [build.emit1("lt", [which, build.i32(len(regions))], ("bool", ()))]
        build.emit("while", [build.constant(True, "bool")], [("bool", ())], [condition, turn])

    def _body(self, jaxpr: Any, values: Sequence[Value]) -> None:
        """What one warp does."""
        self._is_inside = True
        jaxpr, _ = jaxprs.opened(jaxpr)
        count = len(jaxpr.constvars)
        self._conv.inline(jaxpr, values[count:], captured=values[:count])
        self._is_inside = False
        self._conv.builder.emit("barrier_arrive", [self._end()])

    def _handed_on(self, value: Value) -> Callable[[], Value]:
        """Hands a value on to those that follow; returns what gives it there."""
        build, scratch = self._conv.builder, self._conv.scratch
        if value.is_ref:
            return scratch.again(self._conv, value)
        if value.shape:
            raise Unsupported("a warp cannot use an array of its thread")
        if value.const is not None:
            return lambda: build.constant(value.const, value.dtype)
        memory = scratch.of_each_thread("warps_value", value.dtype)
        self._store(memory(), value)
        return lambda: build.emit1("load", [memory()], value.type, index=[])

    def _store(self, ref: Value, value: Value) -> None:
        self._conv.builder.emit("store", [ref, value], index=[])
