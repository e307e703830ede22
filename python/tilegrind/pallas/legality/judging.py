"""Refuses what an NVIDIA GPU cannot do, though it could be computed: demands of hardware on the equations of a kernel.

What only JAX's compiler lacks is not refused; conformance/jax/legality.py compares both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence

from jax._src import core

from ...ir.builder import Value
from ..lowering.converter import Converter
from ..tracing import jaxprs

Judge = Callable[["Scene", Any, Sequence[Value]], None]

# Filled by the modules of demands, by primitive object.
JUDGES: dict[core.Primitive, Judge] = {}

# Primitives that tell how arrays are laid out, from which JAX's lowering for warpgroups infers how memory is held.
_HINTS = {"wgmma_ref", "tcgen05_mma", "layout_cast", "load", "async_load", "async_store_tmem"}


def judges(*names: str) -> Callable[[Judge], Judge]:
    """Registers a function that looks at the equations of primitives of Mosaic GPU; those that this JAX lacks are skipped."""

    def register(function: Judge) -> Judge:
        for name in names:
            primitive = jaxprs.primitive("mosaic_gpu", name)
            if primitive is not None:
                JUDGES[primitive] = function
        return function

    return register


@dataclass
class Scene:
    """Where an equation is.

    mesh           of the launch
    infers         whether JAX decides how memory without transforms is held
    lanes_arrive   whether each lane of a thread arrives at a barrier
    names          by id of a reference: the name of its parameter
    registers      computes how many registers the threads set last (registers.py)
    in_warp        whether one warp is at it, and not the whole thread
    """

    mesh: Any
    infers: bool
    lanes_arrive: bool
    names: dict[int, str]
    registers: Callable[[], dict[int, int]]
    in_warp: bool = False

    def name(self, ref: Value, otherwise: str) -> str:
        return self.names.get(ref.id, otherwise)

    def cluster_size(self, name: Any) -> int | None:
        """The extent of an axis of the cluster; None if there is no such axis."""
        names = tuple(self.mesh.cluster_names or ())
        return self.mesh.cluster[names.index(name)] if name in names else None


class Legality:
    """Judges the equations of one launch, for a converter."""

    def __init__(self, jaxpr: Any, mesh: Any, compiler_params: Any, registers: Callable[[], dict[int, int]]) -> None:
        semantics = getattr(getattr(compiler_params, "lowering_semantics", None), "name", "Lane")
        hinted = any(eqn.primitive.name in _HINTS for eqn in jaxprs.all_eqns(jaxpr))
        self.scene = Scene(mesh, semantics != "Lane" and hinted, semantics == "Lane", {}, registers)

    def __call__(self, conv: Converter, eqn: Any, operands: Sequence[Value]) -> None:
        """Raises Unsupported for an equation that breaks a rule."""
        judge = JUDGES.get(eqn.primitive)
        if judge is None:
            return
        self.scene.names = conv.scratch.names()
        self.scene.in_warp = conv.warps is not None and conv.warps.followers == 0
        judge(self.scene, eqn, operands)
