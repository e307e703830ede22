"""Arrays on the devices of a mesh, and kernels that run there: one run a device, each on its own parts of the arrays.

>>> x = tilegrind.mesh.MeshLayout("P('x', 'y')", (8, 8), mesh="x=4,y=2")
>>> x.shards()[3].index
(slice(2, 4, None), slice(4, 8, None))
>>> x.plan(tilegrind.mesh.MeshLayout("P('x')", (8, 8), mesh="x=4,y=2"))[0].kind
'all_gather'

`Module.run` and `Module.check` take `mesh` and `shardings`.  docs/mesh.md says which notations there are.
"""

import ctypes
import math
import operator
from dataclasses import dataclass

import numpy as np

from . import _native
from ._native import lib, text
from .arrays import copied, view
from .errors import Collected


@dataclass(frozen=True)
class Shard:
    """The block of an array that a device holds: `index` cuts it out of the whole array.  `replica` counts the devices before it
    that hold the same."""

    device: int
    index: tuple
    shape: tuple
    replica: int


@dataclass(frozen=True)
class Step:
    """A collective of a plan; see struct tg_mesh_step in the C header."""

    kind: str
    text: str
    devices: int
    sent: int
    ring_link: int
    pair_link: int


@dataclass(frozen=True)
class MeshOutput:
    """What became of an output's parts; see struct tg_mesh_output in the C header."""

    name: str
    layout: str
    blocks: int
    copies: int
    terms: int
    reduction: str


class MeshLayout:
    """Where an array of `shape` is on the devices of a mesh.

    sharding  a text in any notation, a Layout, or a PartitionSpec or NamedSharding of JAX
    mesh      "x=4,y=2", a dict of names and numbers, or a mesh of JAX; None: the sharding says it, or devices have numbers only
    notation  "axe", "jax", "shardy" or "sbp": what the text must be; None: whichever it is
    """

    def __init__(self, sharding, shape, mesh=None, notation=None):
        self._handle = ctypes.c_void_p()
        self.shape = tuple(map(operator.index, shape))
        extents = (ctypes.c_int64 * len(self.shape))(*self.shape)
        with Collected() as errors:
            errors.check(lib.tg_mesh_layout_read(_bytes(notation), sharding_text(sharding).encode(), _bytes(mesh_text(mesh)), extents,
                                                 len(self.shape), ctypes.byref(self._handle), errors.handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.tg_mesh_layout_free(self._handle)

    def __str__(self):
        return self.to("axe")

    def __repr__(self):
        return f"MeshLayout({str(self)!r}, {self.shape})"

    def to(self, notation):
        """The same in a notation, "axe", "jax", "shardy" or "sbp"."""
        with Collected() as errors:
            return errors.check_text(lib.tg_mesh_layout_print(self._handle, notation.encode(), errors.handle))

    @property
    def device_count(self):
        """Devices of the mesh."""
        return lib.tg_mesh_layout_device_count(self._handle)

    def shards(self):
        """The Shard of each device, by position in the mesh."""
        return [self._shard(position) for position in range(self.device_count)]

    def _shard(self, position):
        found = _native.MeshShard()
        with Collected() as errors:
            errors.check(lib.tg_mesh_layout_shard(self._handle, position, ctypes.byref(found), errors.handle))
        first, extent = found.first[:found.rank], found.extent[:found.rank]
        index = tuple(slice(begin, begin + size) for begin, size in zip(first, extent))
        return Shard(found.device, index, tuple(extent), found.replica)

    def plan(self, to, element_bytes=4):
        """The Steps that move an array from here to another MeshLayout, with their bytes."""
        plan = ctypes.c_void_p()
        with Collected() as errors:
            errors.check(lib.tg_mesh_plan_new(self._handle, to._handle, element_bytes, ctypes.byref(plan), errors.handle))
        try:
            steps = [lib.tg_mesh_plan_step(plan, i) for i in range(lib.tg_mesh_plan_step_count(plan))]
            return [Step(text(s.kind), text(s.text), s.devices, s.sent, s.ring_link, s.pair_link) for s in steps]
        finally:
            lib.tg_mesh_plan_free(plan)


# ---- texts ----


def mesh_text(mesh):
    """The text of a mesh, which may be a text, a dict, or a mesh of JAX; None for None.  Raises ValueError for one whose devices
    are not numbered from 0."""
    if mesh is None or isinstance(mesh, str):
        return mesh
    sizes = dict(mesh if isinstance(mesh, dict) else mesh.shape)
    axes = ", ".join(f'"{name}"={size}' for name, size in sizes.items())
    ids = _ids(mesh)
    if ids is None or ids == list(range(len(ids))):
        return f"<[{axes}]>"
    if sorted(ids) != list(range(len(ids))):
        raise ValueError(f"the devices of the mesh are {ids}; {len(ids)} devices are 0 to {len(ids) - 1}")
    return f"<[{axes}], device_ids={ids}>"


def _ids(mesh):
    """The ids of the devices of a mesh of JAX; None if it has none."""
    devices = None if isinstance(mesh, dict) else getattr(mesh, "devices", None)
    return None if devices is None else [device.id for device in devices.flat]


def sharding_text(sharding):
    """The text of a sharding, which may be a text, a Layout, or a PartitionSpec or NamedSharding of JAX."""
    spec = getattr(sharding, "spec", None)
    return str(sharding) if spec is None else f"{mesh_text(sharding.mesh)} {spec}"


def _bytes(words):
    return None if words is None else words.encode()


# ---- runs ----


class OnMesh:
    """A run of a kernel on a mesh, as `Module.run` makes it.  `shardings` has one for each array, by the name of its parameter;
    a pair is a sharding and the shape of the whole array."""

    def __init__(self, inputs, mesh, shardings, device_order, orders=None):
        self._inputs, self._outputs = lib.tg_arrays_new(), lib.tg_arrays_new()
        if not self._inputs or not self._outputs:
            raise MemoryError
        self._list, self._kept = self._shardings(shardings)
        self._options = _native.MeshOptions(
            size=ctypes.sizeof(_native.MeshOptions), mesh=_bytes(mesh_text(mesh)), shardings=self._list,
            sharding_count=len(self._list), device_order=_bytes(device_order), check=orders and ctypes.pointer(orders))
        for name, array in inputs.items():
            shown = view(name, np.asarray(array, order="C"))
            with Collected() as errors:
                errors.check(lib.tg_arrays_add(self._inputs, ctypes.byref(shown), errors.handle))

    def __del__(self):
        for arrays in (getattr(self, "_inputs", None), getattr(self, "_outputs", None)):
            lib.tg_arrays_free(arrays)

    @staticmethod
    def _shardings(shardings):
        kept, rows = [], []
        for name, given in (shardings or {}).items():
            sharding, shape = given if isinstance(given, tuple) and not hasattr(given, "_partitions") else (given, None)
            extents = None if shape is None else (ctypes.c_int64 * len(shape))(*map(operator.index, shape))
            kept.append(extents)
            rows.append(_native.MeshSharding(name.encode(), sharding_text(sharding).encode(), extents, len(extents or ())))
        return (_native.MeshSharding * len(rows))(*rows), kept

    def run(self, module, kernel, options, report, errors):
        """The status of the call."""
        return lib.tg_mesh_run(module, kernel, self._inputs, ctypes.byref(self._options), options, self._outputs, report, errors)

    def record(self, module, kernel, options, report, device, limits, recording, errors):
        """The status of the call that records the run of a device; see `tracing.trace_text`."""
        return lib.tg_mesh_record(module, kernel, self._inputs, ctypes.byref(self._options), device, options, report, limits,
                                  recording, errors)

    def outputs(self):
        """The whole arrays by name."""
        found = [lib.tg_arrays_get(self._outputs, i) for i in range(lib.tg_arrays_count(self._outputs))]
        return {text(array.name): copied(array) for array in found}


def outputs_of(report):
    """The MeshOutputs of a report of the library."""
    found = [lib.tg_report_mesh_output(report, i) for i in range(lib.tg_report_mesh_output_count(report))]
    return [MeshOutput(text(o.name), text(o.layout), o.blocks, o.copies, o.terms, text(o.reduction)) for o in found]


# ---- arrays of JAX ----


@dataclass(frozen=True)
class DifferingCopies:
    """Devices of an array of JAX that hold copies of each other with other bits: the first element that differs, two devices and their
    values."""

    count: int
    element: tuple
    devices: tuple
    values: tuple

    def __str__(self):
        return (f"{self.count} elements differ between devices that hold copies of them: {list(self.element)} is {self.values[0]!r} on "
                f"device {self.devices[0]} and {self.values[1]!r} on device {self.devices[1]}")


def differing_copies(array):
    """Compares, bit by bit, what the devices of an array of JAX hold that are copies of each other: a list with a DifferingCopies for
    each device that differs from the first with the same block.  Two NaNs are equal.

    JAX takes it on trust that they are equal, as in a `shard_map` with check_vma=False."""
    first, found = {}, []
    for shard in sorted(array.addressable_shards, key=lambda shard: shard.replica_id):
        block, key = np.asarray(shard.data), _key(shard.index, array.shape)
        if key not in first:
            first[key] = (shard.device.id, block)
            continue
        device, other = first[key]
        differs = (block.view(_bits(block)) != other.view(_bits(other))) & ~((block != block) & (other != other))
        if differs.any():
            at = np.unravel_index(int(np.argmax(differs)), block.shape)
            element = tuple(int(begin + i) for (begin, _), i in zip(key, at))
            found.append(DifferingCopies(int(differs.sum()), element, (device, shard.device.id), (other[at], block[at])))
    return found


def _key(index, shape):
    return tuple(part.indices(extent)[:2] for part, extent in zip(index, shape))


def _bits(block):
    return f"u{block.dtype.itemsize}" if block.dtype.itemsize in (1, 2, 4, 8) else block.dtype
