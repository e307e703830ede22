"""Tracing a function and converting every `pallas_call` in it."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

import jax

from ..ir.errors import Unsupported
from ..ir.module import Module
from ..ir.partly_written import PartlyWritten, mark, names_of
from .launch.mosaic_gpu import GpuLaunch, is_gpu_launch
from .launch.names import distinct
from .launch.pallas_call import GridSemantics, Launch
from .lowering.converter import located
from .lowering.cores import Cores
from .lowering.devices import Devices
from .lowering.tpu_model import TpuModel
from .tracing import jaxprs
from .tracing.sources import Calls, Locations, Place, calls_through, place_of, place_of_function

_PALLAS_CALL = jaxprs.primitive("pallas", "pallas_call")
_OTHER_LAUNCHES = [p for name in ("mpmd_map", "core_map")
                   if (p := jaxprs.primitive("pallas", name)) is not None]


def export(fn: Callable[..., Any], *args: Any, grid_semantics: GridSemantics = None,
           partly_written: PartlyWritten = (), **kwargs: Any) -> Module:
    """Trace ``fn(*args, **kwargs)`` and convert each ``pallas_call`` that it makes to a kernel.

    fn              any function that ``jax.make_jaxpr`` accepts; transformed functions are fine
    args, kwargs    arrays or ``jax.ShapeDtypeStruct``s; nothing is computed
    grid_semantics  ``"parallel"`` or ``"arbitrary"`` for all axes of the grid, or a tuple with one
                    per axis, for calls whose compiler parameters do not declare them; None: arbitrary for
                    kernels that only a TPU runs (scratch, scalar prefetch), parallel otherwise
    partly_written  names of outputs that have elements which stay unwritten on purpose, as "o_ref" or
                    "kernel.o_ref": `output-unwritten` is reported only if a whole output stays unwritten

    Returns a Module with one kernel for each call, in program order, names made distinct.
    Raises ExportError if a call is not supported, or if there is no call; ValueError if a name in
    `partly_written` is not an output.
    """
    unused = set(names_of(partly_written))
    jaxpr = jax.make_jaxpr(fn)(*args, **kwargs)
    locations = Locations()
    kernels = []
    taken: set[str] = set()
    for eqn, outer in _launches(jaxpr):
        place = place_of(eqn.source_info)
        locations.calls = calls_through(eqn.source_info, outer)
        if eqn.primitive is _PALLAS_CALL:
            kernel = convert_call(eqn.params, locations, grid_semantics, place)
        elif is_gpu_launch(eqn.params):
            kernel = convert_gpu(eqn.params, locations, place)
        else:
            raise located(eqn.primitive.name, place, "only pallas_call and kernels of Mosaic GPU can be exported")
        kernel["name"] = distinct(kernel["name"], taken)
        unused -= mark(kernel, names_of(partly_written))
        kernels.append(kernel)
    if not kernels:
        raise located("pallas_call", None, "the function makes no pallas_call")
    if unused:
        raise ValueError(f"partly_written: no kernel has an output {min(unused)!r}")
    return Module(kernels, locations.json())


def convert_call(params: Mapping[str, Any], locations: Locations, grid_semantics: GridSemantics,
                 place: Place | None) -> dict[str, Any]:
    """The kernel of one `pallas_call` with these parameters.  `place` is where it is called, for
    errors of the launch itself; without it they name the kernel function.  Raises ExportError."""
    return convert_for(params, locations, grid_semantics, place, TpuModel())[0]


def convert_for(params: Mapping[str, Any], locations: Locations, grid_semantics: GridSemantics,
                place: Place | None, model: TpuModel, in_mesh: bool = False,
                devices: Devices | None = None) -> tuple[dict[str, Any], Cores]:
    """As `convert_call`, for `model`, and with `devices` as one kernel for all of them; also returns the assignment of its programs
    to cores, which with `in_mesh` may ask for the device's coordinates in the mesh around the call."""
    try:
        launch = Launch(params, grid_semantics, model, devices)
        launch.cores.in_mesh = in_mesh
        return launch.kernel(locations), launch.cores
    except Unsupported as problem:
        place = place or place_of_function(jaxprs.opened(params["jaxpr"])[0].debug_info)
        raise located("pallas_call", place, str(problem)) from None


def convert_gpu(params: Mapping[str, Any], locations: Locations, place: Place | None,
                model: TpuModel = TpuModel(), devices: Devices | None = None) -> dict[str, Any]:
    """As `convert_call`, for the parameters of a launch of a Mosaic GPU kernel; with `devices` as one for all of them."""
    try:
        return GpuLaunch(params, devices).kernel(locations, model)
    except Unsupported as problem:
        place = place or place_of_function(jaxprs.opened(params["jaxprs"][0])[0].debug_info)
        raise located("mpmd_map", place, str(problem)) from None


def _launches(jaxpr: Any, outer: Calls | None = None) -> Iterator[tuple[Any, Calls | None]]:
    """The equations that launch kernels, depth first in program order, and the calls that lead to their jaxprs."""
    for eqn in jaxprs.opened(jaxpr)[0].eqns:
        if eqn.primitive is _PALLAS_CALL or eqn.primitive in _OTHER_LAUNCHES:
            yield eqn, outer
            continue
        for inner in jaxprs.sub_jaxprs(eqn.params):
            yield from _launches(inner, calls_through(eqn.source_info, outer))
