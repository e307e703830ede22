"""One launch of a Mosaic GPU kernel as one kernel: a `mpmd_map` over a mesh of blocks of threads.

Each block of threads is a program, and its threads (warpgroups) are threads of that program.  Where blocks are in clusters, a
cluster is a program, and its threads are those of all its blocks (gpu/cluster.py).  Memory that the kernel allocates is scratch of
the kernel: a GPU allocates it once as well, and a second scope finds there what the first one left.  Accumulators are registers of
one thread, which begin as zeros.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import linecache
import math
from typing import Any, Callable, Mapping, Sequence

from jax._src import core

from ..gpu import shared_memory, tensor_memory
from ..gpu.cluster import Cluster
from ..gpu.warps import WARPS, Warps, warp_axis
from ..ir.builder import Builder, Value, drop_unused_constants, type_text
from ..ir.errors import Unsupported
from ..legality.budgets import Memory, check_mesh
from ..legality.judging import Legality
from ..legality.registers import registers_of
from ..lowering.converter import Converter, aval_type
from ..lowering.devices import Devices
from ..lowering.tpu_model import TpuModel
from ..rules.memory import fill
from ..rules.wgmma import is_accumulator
from ..tracing import jaxprs
from ..tracing.sources import Locations, place_of_function
from .pallas_call import distinct, function_name, identifier


def is_gpu_launch(params: Mapping[str, Any]) -> bool:
    """Whether the parameters of a `mpmd_map` are those of a Mosaic GPU kernel."""
    meshes = params.get("meshes", ())
    try:
        mesh = importlib.import_module("jax._src.pallas.mosaic_gpu.core").Mesh
    except ImportError:
        return False
    return len(meshes) == 1 and isinstance(meshes[0], mesh)


class Scratch:
    """The memory that a kernel allocates: parameters of role `scratch`, in the order of allocation.

    grid_sizes, cluster_axes, thread_axes   of the axes of the kernel: the sizes of those of the mesh's grid, which follow those of
                                            devices; the numbers of those of a cluster; and of all of threads, with those
    axes                                    names and sizes of the axes of the mesh"""

    def __init__(self, builder: Builder, taken: set[str], mesh: Any, cluster: Cluster | None, devices: Devices | None,
                 arrays: Sequence[tuple[dict[str, Any], Value]], budget: Memory | None) -> None:
        self.params: list[tuple[dict[str, Any], Value]] = []
        self._blocks_end_together = False
        self._named_arrays = list(arrays)
        self._arrays = tuple(ref for _, ref in arrays)
        self._budget = budget
        self._builder = builder
        self._taken = taken
        self._mesh = mesh
        self._cluster = cluster
        self._devices = devices
        first = _first_axis(devices)
        of_cluster = first + len(mesh.grid)
        self._threads, self._thread_axis = mesh.num_threads or 1, of_cluster + len(mesh.cluster or ())
        self.grid_sizes = tuple(mesh.grid)
        threads = [(mesh.thread_name, self._threads)] if mesh.thread_name is not None else []
        self.axes = (*zip(mesh.grid_names, mesh.grid), *zip(mesh.cluster_names or (), mesh.cluster or ()), *threads)
        self.cluster_axes = range(of_cluster, self._thread_axis)
        self.thread_axes = range(of_cluster, self._thread_axis + (mesh.thread_name is not None))
        self._block_axes = {axis: size for axis, size in enumerate((*mesh.grid, *(mesh.cluster or ())), first)}

    def scoped(self, conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
        """Converts a `run_scoped` equation."""
        jaxpr, _ = jaxprs.opened(eqn.params["jaxpr"])
        with self._budget.scope([var.aval for var in jaxpr.invars]) if self._budget else contextlib.nullcontext():
            return self._scoped(conv, eqn, jaxpr, operands)

    def end(self) -> None:
        """Appends what a thread does at its end: where two blocks have tensor memory together, all threads of the cluster wait for each
        other before it is freed (JAX, `jax/experimental/mosaic/gpu/core.py`)."""
        if self._cluster is None or not self._blocks_end_together:
            return
        count = math.prod(self._cluster.shape) * self._threads
        barrier = self._cluster.own(self._param("cluster_end", "barrier", (), {"arrivals": count}))
        for at in self._cluster.members(range(len(self._cluster.shape))):
            self._builder.emit("barrier_arrive", [self._cluster.of_peer(barrier, at)])
        self._builder.emit("barrier_wait", [barrier], idle=True)

    def _enter(self, conv: Converter) -> None:
        """All threads of a block allocate memory that they share together, behind a barrier of the block."""
        if self._threads > 1:
            conv.builder.emit("collective", along=[self._thread_axis], name="run_scoped")

    def names(self) -> dict[int, str]:
        """The names of arrays and of scratch, by the ids of references to them, or to the block's part."""
        found = {}
        for json, whole in (*self._named_arrays, *self.params):
            found[whole.id] = json["name"]
            if self._cluster is not None:
                found.update(dict.fromkeys(self._cluster.parts(whole), json["name"]))
        return found

    def _scoped(self, conv: Converter, eqn: Any, jaxpr: Any, operands: list[Value]) -> list[Value]:
        if any(type(var.aval).__name__ != "WGMMAAbstractAccumulatorRef" for var in jaxpr.invars):
            self._check_sharers(eqn.params.get("collective_axes") or ())
            self._enter(conv)
        names = jaxpr.debug_info.arg_names or ()
        if len(names) != len(jaxpr.invars):
            names = [None] * len(jaxpr.invars)
        transforms = eqn.params.get("ref_transforms") or [()] * len(jaxpr.invars)
        refs = [_accumulator(conv, var.aval) if is_accumulator(var.aval) else self._allocate(conv, var.aval, own, name)
                for var, own, name in zip(jaxpr.invars, transforms, names, strict=True)]
        accumulators = [ref for ref, var in zip(refs, jaxpr.invars) if is_accumulator(var.aval)]
        if not accumulators:
            return conv.inline(jaxpr, refs, captured=operands)
        with conv.builder.region(accumulators) as region:
            for accumulator in accumulators:
                fill(conv, accumulator, conv.builder.broadcast(conv.builder.constant(0, accumulator.dtype), accumulator.shape))
            region.yields = conv.inline(jaxpr, refs, captured=operands)
        return conv.builder.emit("scoped", [], [aval_type(var.aval) for var in eqn.outvars], [region])

    def shared(self, conv: Converter, aval: Any) -> Value:
        """Semaphores that all programs share, of several devices those of each."""
        dtype, shape = aval_type(aval)
        if dtype != "sem":
            raise Unsupported("only semaphores can be shared by all programs")
        return self._semaphores(conv, shape)

    def _semaphores(self, conv: Converter, shape: Sequence[int], axes: Sequence[int] = (), name: str | None = None) -> Value:
        """Semaphores in global memory, for each device and, along these axes of the grid, for each block."""
        each = (*(self._devices.shape if self._devices else ()), *(self._block_axes[axis] for axis in axes))
        whole = ("sem", (*each, *shape))
        json = {**self._named(name), "type": type_text(*whole), "space": "gmem", "shared": True}
        self.params.append((json, conv.builder.value(*whole, is_ref=True)))
        ref = self.params[-1][1]
        return self._devices.own(conv.builder, ref, axes) if self._devices else ref

    def _named(self, name: str | None) -> dict[str, Any]:
        return {"name": distinct(identifier(name or f"scratch_{len(self.params)}"), self._taken), "role": "scratch"}

    def _check_sharers(self, axes: Any) -> None:
        """Memory belongs to a block: all of its threads share it, and no other block does.  Accumulators do not: they are
        registers of a thread."""
        mesh, named = self._mesh, axes if isinstance(axes, (tuple, list)) else (axes,)
        blocks = (*mesh.grid_names, *(mesh.cluster_names or ()))
        for name in named:
            if name in blocks:
                raise Unsupported(f"memory that blocks share along {name!r} is not supported")
            if name != mesh.thread_name:
                raise Unsupported(f"memory is to be shared along {name!r}, but the mesh has no such axis")
        if mesh.thread_name is not None and not named:
            raise Unsupported("memory that each thread allocates for itself is not supported")

    def _allocate(self, conv: Converter, aval: Any, own: Sequence[Any], name: str | None) -> Value:
        kind = type(aval).__name__
        json: dict[str, Any] = {}
        if hasattr(aval.inner_aval.dtype, "num_arrivals"):
            dtype, shape = self._barriers(aval, json)
        elif self._devices is not None and aval_type(aval)[0] == "sem":
            return self._semaphores(conv, aval.shape, tuple(self._block_axes), name)
        else:
            dtype, shape = self._memory(aval, kind, own, json)
        ref = self._own(self._param(name, dtype, shape, json))
        if own:
            conv.views[ref.id] = tuple(own)
        return ref

    def _param(self, name: str | None, dtype: str, shape: Sequence[int], json: dict[str, Any]) -> Value:
        """Memory that each block has."""
        whole = (dtype, (*(self._cluster.shape if self._cluster else ()), *shape))
        if self._cluster:
            json = {**json, "cluster": len(self._cluster.shape)}
        ref = self._builder.value(*whole, is_ref=True)
        self.params.append(({**self._named(name), "type": type_text(*whole), **json}, ref))
        return ref

    def _own(self, whole: Value) -> Value:
        return self._cluster.own(whole) if self._cluster else whole

    def of_each_thread(self, name: str, dtype: str, shape: Sequence[int] = (), **json: Any) -> Callable[[], Value]:
        """Makes memory that each thread has; returns a function that appends a view of the thread's own."""
        whole = self._param(name, dtype, (self._threads, *shape), json)

        def own() -> Value:
            build = self._builder
            thread = build.emit1("program_id", [], ("i32", ()), axis=self._thread_axis) if self._threads > 1 else build.i32(0)
            return build.view(self._own(whole), [thread], shape, [["at"], *(["slice", 0, extent, 1] for extent in shape)])

        return own

    def again(self, conv: Converter, ref: Value) -> Callable[[], Value]:
        """Returns a function that appends what makes the reference to a parameter, or to the block's part of one, where it cannot
        be seen.  Raises Unsupported for other references."""
        devices = self._devices
        if devices is not None and devices.has(ref):
            return lambda: devices.again(conv.builder, ref)
        whole = self._cluster.whole(ref) if self._cluster else None
        if whole is None:
            if ref.id not in {param.id for param in (*self._arrays, *(ref for _, ref in self.params))}:
                raise Unsupported("a part of a reference is used by warps, which can only use whole ones")
            return lambda: ref

        def own() -> Value:
            found = self._own(whole)
            if ref.id in conv.views:
                conv.views[found.id] = conv.views[ref.id]
            return found

        return own

    def _memory(self, aval: Any, kind: str, own: Sequence[Any], json: dict[str, Any]) -> tuple[str, Sequence[int]]:
        """Type of memory that each block has."""
        json["space"] = str(getattr(aval.memory_space, "value", aval.memory_space)).lower()
        if kind == "AbstractRefUnion":
            return (tensor_memory if json["space"] == "tmem" else shared_memory).union_type(aval)
        dtype, held = aval_type(aval)
        if json["space"] == "tmem":
            self._blocks_end_together |= bool(getattr(aval, "collective", False))
            return dtype, tensor_memory.shape_in_tensor_memory(held, own)
        layout = shared_memory.memory_layout(held, own, dtype, self._cluster.shape if self._cluster else ())
        if layout is not None:
            json["layout"] = layout
        return dtype, shared_memory.logical_shape(held, own)

    def _barriers(self, aval: Any, json: dict[str, Any]) -> tuple[str, Sequence[int]]:
        """Type of barriers that each block has."""
        barrier = aval.inner_aval.dtype
        json["arrivals"] = barrier.num_arrivals
        if type(barrier).__name__ == "ClusterBarrierType" and self._cluster:
            json["arrivals"] *= self._cluster.arrivals(barrier.collective_axes)
        return "barrier", tuple(aval.inner_aval.shape)


def _accumulator(conv: Converter, aval: Any) -> Value:
    """Memory of one thread, which lives as long as the region that it is an argument of."""
    return conv.builder.value(*aval_type(aval), is_ref=True)


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
        own = range(_first_axis(self.devices), len(axes))
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
        return Cluster(builder, mesh.cluster_names, mesh.cluster, _first_axis(self.devices) + len(mesh.grid))

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
            dtype, shape = aval_type(var.aval)
            whole = (dtype, (*(self.devices.shape if self.devices else ()), *shape))
            json = {"name": distinct(identifier(name), taken), "role": role, "type": type_text(*whole), "space": "gmem"}
            found.append((json, builder.value(*whole, is_ref=True)))
        for source, target in self.aliases:
            found[inputs + target][0]["alias"] = found[source][0]["name"]
        return found


def _first_axis(devices: Devices | None) -> int:
    """The number of the first axis of the grid that is the launch's own."""
    return len(devices.shape) if devices else 0


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
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except SyntaxError:
        return []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or place.line != min([node.lineno, *(d.lineno for d in node.decorator_list)]):
            continue
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        if names[count:] == scratch and len(names) >= count:
            return names[:count]
    return []


def outputs_of(params: Mapping[str, Any], devices: Devices | None = None) -> tuple[core.ShapedArray, ...]:
    """The results of a launch, on all devices."""
    each = devices.shape if devices else ()
    return tuple(core.ShapedArray((*each, *aval.shape), aval.dtype) for aval in params["out_avals"])
