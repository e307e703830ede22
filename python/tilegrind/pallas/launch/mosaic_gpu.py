"""One launch of a Mosaic GPU kernel as one kernel: a `mpmd_map` over a mesh of blocks of threads.

Each block of threads is a program, and its threads (warpgroups) are threads of that program.  Where blocks are in clusters, a
cluster is a program, and its threads are those of all its blocks (gpu/cluster.py).
"""

from __future__ import annotations

import ast
import functools
import importlib
import linecache
import math
from typing import Any, Mapping, Sequence

from jax._src import core

from ..gpu.cluster import Cluster
from ..gpu.warps import WARPS, Warps, warp_axis
from ...ir.builder import Builder, Value, drop_unused_constants, type_text
from ...ir.errors import Unsupported
from ..legality.budgets import Memory, check_mesh
from ..legality.judging import Legality
from ..legality.registers import registers_of
from ..lowering.converter import Converter, aval_type, located
from ..lowering.devices import Devices
from ..lowering.tpu_model import TpuModel
from ..tracing import jaxprs
from ..tracing.sources import Locations, place_of_function
from .names import distinct, function_name, identifier
from .scratch import Scratch, first_axis


def is_gpu_launch(params: Mapping[str, Any]) -> bool:
    """Whether the parameters of a `mpmd_map` are those of a Mosaic GPU kernel."""
    meshes = params.get("meshes", ())
    try:
        mesh = importlib.import_module("jax._src.pallas.mosaic_gpu.core").Mesh
    except ImportError:
        return False
    return len(meshes) == 1 and isinstance(meshes[0], mesh)


class GpuLaunch:
    """The parameters of a `mpmd_map` equation, as read by an export; with `devices` as one kernel for all of them.  Raises
    Unsupported."""

    def __init__(self, params: Mapping[str, Any], devices: Devices | None = None):
        [self.jaxpr] = params["jaxprs"]
        [self.mesh] = params["meshes"]
        self.aliases = tuple(params["input_output_aliases"].items())
        self.out_count = len(params["out_avals"])
        self.devices = devices
        self.compiler_params = params.get("compiler_params")
        self.is_interpreted = bool(params.get("interpret"))
        self.warp_axis = warp_axis(self.jaxpr)
        self.debug_info = _users(jaxprs.opened(self.jaxpr)[0])
        self.name = params["name"] or function_name(self.debug_info)
        if params.get("external_meshes"):
            raise Unsupported("a launch together with other meshes is not supported")

    def kernel(self, locations: Locations, model: TpuModel) -> dict[str, Any]:
        """The kernel in the form of docs/ir.md."""
        builder = Builder()
        taken: set[str] = set()
        params = self._arrays(builder, taken)
        axes = self._axes()
        builder.loc = None
        own = range(first_axis(self.devices), len(axes))
        converter = Converter(builder, locations, own, [axis[1] for axis in self._named_axes()], model)
        converter.cluster = self._cluster(builder)
        converter.devices = self.devices
        arrays = [ref for _, ref in params]
        budget = self._judge(converter)
        converter.scratch = Scratch(builder, taken, self.mesh, converter.cluster, self.devices, params, budget)
        with builder.region() as body:
            self._body(converter, [self.devices.own(builder, ref) for ref in arrays] if self.devices else arrays)
        params += converter.scratch.params
        body.args = [ref for _, ref in params]
        kernel: dict[str, Any] = {"name": self.name}
        loc = locations.number(place_of_function(self.debug_info))
        if loc is not None:
            kernel["loc"] = loc
        kernel.update(grid=axes, params=[json for json, _ in params], body=body.json())
        drop_unused_constants(kernel["body"])
        return kernel

    def _judge(self, converter: Converter) -> Memory | None:
        """Has the converter refuse what no GPU can do.  A launch with `interpret` is for no GPU."""
        if self.is_interpreted:
            return None
        check_mesh(self.mesh)
        converter.legality = Legality(self.jaxpr, self.mesh, self.compiler_params, self._registers)
        return Memory(self.mesh, converter.legality.scene.lanes_arrive)

    @functools.cache
    def _registers(self) -> dict[int, int]:
        return registers_of(self.jaxpr, self.mesh)

    def _body(self, converter: Converter, arrays: Sequence[Value]) -> None:
        """What a thread does; the first warp of it, if the kernel looks at warps."""
        if self.warp_axis is None:
            converter.inline(self.jaxpr, arrays)
            converter.scratch.end()
            return
        build = converter.builder
        warp = build.emit1("program_id", [], ("i32", ()), axis=len(self._named_axes()) - 1)
        converter.warps = Warps(converter)
        with build.region() as thread:
            converter.inline(self.jaxpr, arrays)
            converter.scratch.end()
            converter.warps.end()
        with build.region() as followers:
            converter.warps.follow()
        build.emit("switch", [warp], [], [thread, followers])

    def _named_axes(self) -> list[tuple[int, Any, str]]:
        """Size, name and semantics of the axes of devices, of the grid, of a cluster, and of threads.  An axis that vmap has added has an
        object as its name."""
        mesh = self.mesh
        axes = self.devices.axes() if self.devices else []
        axes += [(size, name, "parallel") for size, name in zip(mesh.grid, mesh.grid_names)]
        axes += [(size, name, "thread") for size, name in zip(mesh.cluster or (), mesh.cluster_names or ())]
        if mesh.thread_name is not None:
            axes.append((mesh.num_threads or 1, mesh.thread_name, "thread"))
        if self.warp_axis is not None:
            axes.append((WARPS, self.warp_axis, "thread"))
        return axes

    def _cluster(self, builder: Builder) -> Cluster | None:
        """The cluster; None if it is one block."""
        mesh = self.mesh
        if math.prod(mesh.cluster or ()) == 1:
            return None
        return Cluster(builder, mesh.cluster_names, mesh.cluster, first_axis(self.devices) + len(mesh.grid))

    def _axes(self) -> list[dict[str, Any]]:
        return [{"size": size, "semantics": semantics, "name": name if isinstance(name, str) else f"axis_{number}"}
                for number, (size, name, semantics) in enumerate(self._named_axes())]

    def _arrays(self, builder: Builder, taken: set[str]) -> list[tuple[dict[str, Any], Value]]:
        """The arrays in global memory: inputs, then outputs."""
        invars = jaxprs.opened(self.jaxpr)[0].invars
        inputs = len(invars) - self.out_count
        names = _array_names(self.debug_info, len(invars))
        found = []
        for number, var in enumerate(invars):
            role = "input" if number < inputs else "output"
            name = names[number] if names else f"{role}_{number if role == 'input' else number - inputs}"
            if not hasattr(var.aval, "inner_aval"):
                raise located("mpmd_map", place_of_function(self.debug_info), "the kernel closes over a scalar of the program around it, "
                              "which no launch passes; an array can be passed")
            dtype, shape = aval_type(var.aval)
            whole = (dtype, (*(self.devices.shape if self.devices else ()), *shape))
            json = {"name": distinct(identifier(name), taken), "role": role, "type": type_text(*whole), "space": "gmem"}
            found.append((json, builder.value(*whole, is_ref=True)))
        for source, target in self.aliases:
            found[inputs + target][0]["alias"] = found[source][0]["name"]
        return found


def _users(jaxpr: Any) -> Any:
    """What is known of the user's function: JAX wraps it in one of its own, which allocates its scratch."""
    if len(jaxpr.eqns) == 1 and "jaxpr" in jaxpr.eqns[0].params:
        return jaxprs.opened(jaxpr.eqns[0].params["jaxpr"])[0].debug_info
    return jaxpr.debug_info


def _array_names(debug_info: Any, count: int) -> list[str]:
    """The names of the first `count` arguments of a function, which JAX does not keep, by its source; [] if that does not
    tell.  Those behind them must be the scratch, which JAX does name."""
    place = place_of_function(debug_info)
    scratch = list(debug_info.arg_names or ())
    if place is None:
        return []
    for line, names in _functions("".join(linecache.getlines(place.file))):
        if line == place.line and names[count:] == scratch and len(names) >= count:
            return names[:count]
    return []


@functools.lru_cache(maxsize=8)
def _functions(source: str) -> list[tuple[int, list[str]]]:
    """The functions in a file: where each begins, and the names of its positional arguments.  Parsing takes as long as all
    the rest of an export, and a file often has many kernels."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [(min([node.lineno, *(d.lineno for d in node.decorator_list)]), [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)])
            for node in functions]


def outputs_of(params: Mapping[str, Any], devices: Devices | None = None) -> tuple[core.ShapedArray, ...]:
    """The results of a launch, on all devices."""
    each = devices.shape if devices else ()
    return tuple(core.ShapedArray((*each, *aval.shape), aval.dtype) for aval in params["out_avals"])
