"""What a block of a GPU has of each kind of memory, of lanes, and of arrivals at a barrier."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Iterator, Sequence

import jax

from .demands import broken

_SHARED_BYTES, _SHARED_UNIT, _BARRIER_BYTES = 232448, 1024, 8
_TENSOR_COLUMNS, _TENSOR_UNIT = 512, 4
_MOST_ARRIVALS = 2**20 - 1
_LANES = 128  # of a thread
_MOST_THREADS, _MOST_BLOCKS = 8, 16
_MOST_ALONG = {"x": 2**31 - 1, "y": 65535, "z": 65535}


def check_mesh(mesh: Any) -> None:
    """Raises Unsupported for more threads, blocks of a cluster or blocks of a grid than there can be."""
    if (mesh.num_threads or 1) > _MOST_THREADS:
        broken("threads", f"a block has {mesh.num_threads} threads")
    cluster = tuple(mesh.cluster or ())
    if math.prod(cluster) > _MOST_BLOCKS:
        broken("cluster", f"a cluster has {math.prod(cluster)} blocks")
    grid = tuple(mesh.grid)
    in_grid = (math.prod(grid[:-2]), *(1, 1, *grid)[-2:])
    in_cluster = (1, 1, 1, *cluster)[-3:]
    for axis, count, size in zip("zyx", in_grid, in_cluster):
        if count * size > _MOST_ALONG[axis]:
            broken("grid", f"the grid has {count * size} blocks along {axis}")


class Memory:
    """The memory of a block that is allocated where the converter is: that of a scope and of those around it."""

    def __init__(self, mesh: Any, lanes_arrive: bool) -> None:
        self._mesh = mesh
        self._lanes_arrive = lanes_arrive
        self._shared, self._columns = 0, 0
        self._groups: set[bool] = set()

    @contextlib.contextmanager
    def scope(self, avals: Sequence[Any]) -> Iterator[None]:
        """Inside the ``with`` block, there is this memory too.  Raises Unsupported if it is more than there is."""
        outer = self._shared, self._columns
        for aval in avals:
            self._add(aval)
        if self._shared > _SHARED_BYTES:
            broken("shared_memory", f"{self._shared} bytes are allocated, each array in a multiple of {_SHARED_UNIT}")
        if self._columns > _TENSOR_COLUMNS:
            broken("tcgen05_budget", f"{self._columns} columns are allocated")
        try:
            yield
        finally:
            self._shared, self._columns = outer

    def _add(self, aval: Any) -> None:
        dtype = getattr(aval, "dtype", None)
        space = str(getattr(getattr(aval, "memory_space", None), "value", ""))
        if hasattr(getattr(getattr(aval, "inner_aval", None), "dtype", None), "num_arrivals"):
            self._add_barriers(aval.inner_aval)
        elif space == "smem":
            size = math.prod(aval.shape) * jax.dtypes.itemsize_bits(dtype) // 8
            self._shared += -(-size // _SHARED_UNIT) * _SHARED_UNIT
        elif space == "tmem":
            self._add_columns(aval)

    def _add_columns(self, aval: Any) -> None:
        layout = getattr(aval, "layout", None)
        columns = aval.shape[1] if layout is None else layout.cols_in_shape(aval.shape, jax.dtypes.itemsize_bits(aval.dtype))
        self._columns += -(-columns // _TENSOR_UNIT) * _TENSOR_UNIT
        self._groups.add(bool(getattr(aval, "collective", False)))
        if self._groups == {True, False}:
            broken("tcgen05_one_group", "one allocation is of one block, another of two")
        blocks = math.prod(self._mesh.cluster or ())
        if True in self._groups and blocks % 2:
            broken("tcgen05_pair", f"a cluster has {blocks} block{'s' * (blocks != 1)}")

    def _add_barriers(self, barriers: Any) -> None:
        kind = barriers.dtype
        self._shared += math.prod(barriers.shape) * _BARRIER_BYTES
        arrivals = kind.num_arrivals
        if hasattr(kind, "collective_axes"):
            sizes = [self._extent(name) for name in jax.tree.leaves(kind.collective_axes)]
            arrivals *= sum(sizes) - len(sizes) + 1
        if self._lanes_arrive and not kind.orders_tensor_core:
            arrivals *= _LANES
        if arrivals > _MOST_ARRIVALS:
            broken("mbarrier_count", f"a barrier waits for {kind.num_arrivals} arrivals of threads, which are {arrivals}")

    def _extent(self, name: Any) -> int:
        names = tuple(self._mesh.cluster_names or ())
        if name not in names:
            broken("mbarrier_axis", f"the cluster has no axis {name!r}")
        return int(self._mesh.cluster[names.index(name)])
