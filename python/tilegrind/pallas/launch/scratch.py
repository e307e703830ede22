"""The memory that a kernel of Mosaic GPU allocates, as scratch of the kernel.

A GPU allocates it once as well, and a second scope finds there what the first one left.  Accumulators are registers of one thread, which
begin as zeros.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, Callable, Sequence

from ..gpu import shared_memory, tensor_memory
from ..gpu.cluster import Cluster
from ...ir.builder import Builder, Value, type_text
from ...ir.errors import Unsupported
from ..legality.budgets import Memory
from ..lowering.converter import Converter, aval_type
from ..lowering.devices import Devices
from ..rules.references import fill
from ..rules.wgmma import is_accumulator
from ..tracing import jaxprs
from .names import distinct, identifier


def first_axis(devices: Devices | None) -> int:
    """The number of the first axis of the grid that is the launch's own."""
    return len(devices.shape) if devices else 0


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
        first = first_axis(devices)
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
