"""Axe layouts: where each element of an array is, in lanes, registers, memory and devices.

>>> a = tilegrind.layout.Layout("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp")
>>> a.places((2, 9), shape=(8, 16))
[{'warp': 6, 'lane': 8, 'reg': 1}, {'warp': 10, 'lane': 8, 'reg': 1}]

docs/layouts.md says what a layout is.
"""

import ctypes
import json
import math
import operator

import numpy

from . import _native
from ._native import lib, take_text, text
from .errors import Collected


def _axes():
    return [text(lib.tg_layout_axis_get(i).name) for i in range(lib.tg_layout_axis_count())]


AXES = _axes()  # of hardware coordinates, from outside to inside
NOTATIONS = [text(lib.tg_layout_notation_get(i).name) for i in range(lib.tg_layout_notation_count())]
_VIEWS = {"elements": _native.VIEW_ELEMENTS, "places": _native.VIEW_PLACES}


class Layout:
    """A layout, from its text, from JSON (text or dict), or from another layout.  It never changes; two are equal exactly
    if they are the same map."""

    def __init__(self, source):
        self._handle = ctypes.c_void_p()
        written = json.dumps(source) if isinstance(source, dict) else str(source)
        with Collected() as errors:
            errors.check(lib.tg_layout_read(written.encode(), ctypes.byref(self._handle), errors.handle))

    @classmethod
    def read(cls, notation, source, shape=()):
        """A layout from the notation of others: "cute", "linear", "jax" ..; `shape` is that of the array, where the notation
        does not say it."""
        handle, extents = ctypes.c_void_p(), _extents(shape)
        with Collected() as errors:
            errors.check(lib.tg_layout_read_as(notation.encode(), str(source).encode(), extents, len(extents),
                                               ctypes.byref(handle), None, None, errors.handle))
        return cls._made(handle)

    def to(self, notation, shape=(), mesh=None):
        """The layout in the notation of others, of an array of `shape`; `mesh` names axes of devices, as "x=4,y=2"."""
        extents = _extents(shape)
        with Collected() as errors:
            return errors.check_text(lib.tg_layout_print_as(self._handle, notation.encode(), extents, len(extents),
                                                            mesh and mesh.encode(), errors.handle))

    @classmethod
    def _made(cls, handle):
        made = cls.__new__(cls)
        made._handle = handle
        return made

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.tg_layout_free(self._handle)

    def __str__(self):
        return take_text(lib.tg_layout_print(self._handle))

    def __repr__(self):
        return f"Layout({str(self)!r})"

    def rows(self):
        """Two lines, extents over strides."""
        return take_text(lib.tg_layout_print_rows(self._handle)).rstrip("\n")

    def json(self):
        """The layout as a dict."""
        return json.loads(take_text(lib.tg_layout_print_json(self._handle)))

    @property
    def size(self):
        """Elements of the logical array."""
        return lib.tg_layout_size(self._handle)

    @property
    def copies(self):
        """An upper bound to the copies of each element."""
        return lib.tg_layout_copies(self._handle)

    def range(self, axis):
        """(least, most) coordinate on an axis, before a swizzle."""
        least, most = ctypes.c_int64(), ctypes.c_int64()
        lib.tg_layout_range(self._handle, _axis(axis), ctypes.byref(least), ctypes.byref(most))
        return least.value, most.value

    def places(self, element, shape=None):
        """The places of an element, an index or a coordinate in `shape`: a list of dicts of the axes that are not 0."""
        out, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t()
        index = element if shape is None else _index(element, shape)
        with Collected() as errors:
            errors.check(lib.tg_layout_places(self._handle, operator.index(index), ctypes.byref(out),
                                              ctypes.byref(count), errors.handle))
        try:
            rows = numpy.ctypeslib.as_array(out, (count.value, len(AXES))).tolist()
        finally:
            lib.tg_layout_places_free(out)
        return [{axis: at for axis, at in zip(AXES, row) if at} for row in rows]

    def map(self, axis, shape=None):
        """The coordinates of all elements on an axis, each in its first copy, as an int64 array (of `shape`, if given)."""
        out = numpy.empty(self.size, numpy.int64)
        with Collected() as errors:
            errors.check(lib.tg_layout_map(self._handle, _axis(axis), 0, self.size,
                                           out.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), errors.handle))
        return out if shape is None else out.reshape(shape)

    def canonical(self):
        """The canonical form: one for each map, unless copies overlap."""
        handle = ctypes.c_void_p()
        with Collected() as errors:
            errors.check(lib.tg_layout_canonical(self._handle, ctypes.byref(handle), errors.handle))
        return Layout._made(handle)

    def first_difference(self, other):
        """The first element that is elsewhere in `other`; -1 if only the sizes differ; None if the maps are the same."""
        equal, element = ctypes.c_int(), ctypes.c_int64()
        with Collected() as errors:
            errors.check(lib.tg_layout_equal(self._handle, other._handle, ctypes.byref(equal), ctypes.byref(element),
                                             errors.handle))
        return None if equal.value else element.value

    def __eq__(self, other):
        return self.first_difference(other) is None if isinstance(other, Layout) else NotImplemented

    __hash__ = None  # equal maps have many forms

    # ---- backward ----

    def where(self, place, shape=None):
        """The elements at a place, a dict of axes (those that it does not have are 0): indices, or coordinates in `shape`."""
        unknown = set(place) - set(AXES)
        if unknown:
            raise ValueError(f"there is no axis {min(unknown)!r}; there are: {', '.join(AXES)}")
        at = (ctypes.c_int64 * len(AXES))(*(place.get(axis, 0) for axis in AXES))
        out, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t()
        with Collected() as errors:
            errors.check(lib.tg_layout_where(self._handle, at, ctypes.byref(out), ctypes.byref(count), errors.handle))
        try:
            found = out[:count.value]
        finally:
            lib.tg_layout_elements_free(out)
        return found if shape is None else [_coordinate(element, shape) for element in found]

    def shared(self):
        """Two elements that have one place, and the place: (lower, higher, dict); None if no two ever have."""
        injective, elements, at = ctypes.c_int(), (ctypes.c_int64 * 2)(), (ctypes.c_int64 * len(AXES))()
        with Collected() as errors:
            errors.check(lib.tg_layout_injective(self._handle, ctypes.byref(injective), elements, at, errors.handle))
        return None if injective.value else (*elements, {axis: v for axis, v in zip(AXES, at) if v})

    # ---- dimensions ----

    def group(self, *shapes):
        """The same map, with D in blocks for the dimensions of each shape; and, for each shape, where they begin: the iters
        first[i] .. first[i + 1] - 1 are dimension i."""
        lengths = [len(shape) for shape in shapes]
        extents, ranks = _extents([extent for shape in shapes for extent in shape]), (ctypes.c_size_t * len(shapes))(*lengths)
        first = (ctypes.c_size_t * (sum(lengths) + len(shapes)))()
        made, blocks = self._make(lib.tg_layout_group_many, extents, ranks, len(shapes), after=(first,)), list(first)
        return made, *[[blocks.pop(0) for _ in range(length + 1)] for length in lengths]

    def slice(self, shape, first, extent):
        """The layout of a part: of extent[i] elements from first[i] on in dimension i."""
        _same_rank(shape, first, extent)
        return self._make(lib.tg_layout_slice, _extents(shape), _extents(first), _extents(extent), len(shape))

    def permute(self, shape, permutation):
        """The layout of the array transposed: dimension i is dimension permutation[i]."""
        _same_rank(shape, permutation)
        return self._make(lib.tg_layout_permute, _extents(shape), _extents(permutation), len(shape))

    def reduce(self, shape, dims):
        """The layout of the result where dimensions are reduced and all threads that reduce together hold it; or that an
        operand must have to be broadcast along them to this one."""
        return self._make(lib.tg_layout_reduce, _extents(shape), len(shape), _extents(dims), len(dims))

    def broadcast(self, shape, dims):
        """The layout of an array of `shape` that has these elements whatever the indices in `dims`."""
        return self._make(lib.tg_layout_broadcast, _extents(shape), len(shape), _extents(dims), len(dims))

    # ---- tiles ----

    def tile(self, shape, inner, inner_shape, sum=False):
        """This layout as a grid of blocks `inner`: at self * span + inner, or, with `sum`, at self + inner."""
        return self._join(lib.tg_layout_tile, shape, inner, inner_shape, sum)

    def tile_to(self, shape, to):
        """This layout as the blocks of a row-major grid in memory, up to the shape `to`."""
        _same_rank(shape, to)
        return self._make(lib.tg_layout_tile_to, _extents(shape), _extents(to), len(shape))

    def outer_of(self, shape, inner, inner_shape, sum=False):
        """The grid, where this layout is one of blocks `inner`."""
        return self._join(lib.tg_layout_outer_of, shape, inner, inner_shape, sum)

    def inner_of(self, shape, outer, outer_shape, sum=False):
        """The blocks, where this layout is a grid `outer` of them."""
        return self._join(lib.tg_layout_inner_of, shape, outer, outer_shape, sum)

    # ---- algebra ----

    def compose(self, other):
        """x -> self(other(x))."""
        return self._make(lib.tg_layout_compose, other._handle)

    def divide(self, tile):
        """The elements as tiles, as the inner digits, and which tile as the outer ones."""
        return self._make(lib.tg_layout_divide, tile._handle)

    def product(self, other):
        """This layout as the inner digits, repeated over `other` in its gaps and beyond."""
        return self._make(lib.tg_layout_product, other._handle)

    def complement(self, size, axis="m"):
        """The repetitions that fill the gaps on an axis, up to `size` coordinates."""
        return self._make(lib.tg_layout_complement, _axis(axis), operator.index(size))

    def right_inverse(self):
        """From a coordinate to the element that is there: self(result(v)) = v."""
        return self._make(lib.tg_layout_right_inverse)

    def left_inverse(self):
        """From a coordinate to the element that is there: result(self(x)) = x."""
        return self._make(lib.tg_layout_left_inverse)

    # ---- threads, elements, memory ----

    def move_threads(self, *axes):
        """The same layout with its threads on other axes, such as "warp", "lane"."""
        return self._make(lib.tg_layout_move_threads, ",".join(axes).encode())

    def unpack(self, count, axis=None):
        """Each element as `count` side by side."""
        return self._make(lib.tg_layout_unpack, axis and axis.encode(), operator.index(count))

    def pack(self, count, axis=None):
        """Each `count` elements, which lie side by side, as one."""
        return self._make(lib.tg_layout_pack, axis and axis.encode(), operator.index(count))

    def storage(self):
        """What one thread of one device holds."""
        return self._make(lib.tg_layout_storage)

    def _make(self, call, *arguments, after=()):
        handle = ctypes.c_void_p()
        with Collected() as errors:
            errors.check(call(self._handle, *arguments, ctypes.byref(handle), *after, errors.handle))
        return Layout._made(handle)

    def _join(self, call, shape, other, other_shape, sum):
        _same_rank(shape, other_shape)
        how = _native.JOIN_SUM if sum else _native.JOIN_TILE
        return self._make(call, _extents(shape), other._handle, _extents(other_shape), len(shape), how)

    def plan(self, to, element_bytes=4):
        """What it takes to have the elements in layout `to`: the fields of tg_layout_plan as a dict."""
        plan = _native.LayoutPlan()
        with Collected() as errors:
            errors.check(lib.tg_layout_plan_between(self._handle, to._handle, element_bytes, ctypes.byref(plan),
                                                    errors.handle))
        return {name: getattr(plan, name) for name, *_ in plan._fields_}

    def conflicts(self, holders=None, element_bytes=4, access_bytes=0):
        """What it costs to move the array between memory, where this layout has it, and the threads and registers of
        `holders` (None: thread i holds element i): the fields of tg_layout_cost as a dict.  access_bytes 0: the most."""
        cost = _native.LayoutCost()
        with Collected() as errors:
            errors.check(lib.tg_layout_conflicts(self._handle, holders and holders._handle, element_bytes, access_bytes,
                                                 ctypes.byref(cost), errors.handle))
        values = {name: getattr(cost, name) for name, *_ in cost._fields_}
        return {name: list(value) if isinstance(value, ctypes.Array) else value for name, value in values.items()}

    def swizzle_for(self, *holders, element_bytes=4, access_bytes=0):
        """The memory with the swizzle by which the accesses of all `holders` take the fewest wavefronts of shared memory."""
        handle, wavefronts = ctypes.c_void_p(), _native.LayoutSwizzled()
        handles = (ctypes.c_void_p * len(holders))(*(of and of._handle.value for of in holders))
        with Collected() as errors:
            errors.check(lib.tg_layout_swizzle_for(self._handle, handles, len(handles), element_bytes, access_bytes,
                                                   ctypes.byref(handle), ctypes.byref(wavefronts), errors.handle))
        return Layout._made(handle)

    def draw(self, shape=None, view="elements", by=None, element_bytes=0, svg=False, title=None, join=(1, 1), against=None):
        """A picture of a small layout as text or SVG: view "elements", the logical array, coloured by axis `by`, or where
        layout `against` differs; or view "places", the hardware, with which element is where, coloured by dimension "d0" ..;
        `join`: rows and columns that one cell stands for."""
        if view not in _VIEWS:
            raise ValueError(f"view is {view!r}, not one of: {', '.join(_VIEWS)}")
        extents = _extents(shape or ())
        how = _native.LayoutPicture(_VIEWS[view], _native.DRAWING_SVG if svg else _native.DRAWING_TEXT, title and title.encode(),
                                    by and by.encode(), element_bytes, *join, against and against._handle)
        with Collected() as errors:
            return errors.check_text(lib.tg_layout_draw(self._handle, extents, len(extents), ctypes.byref(how), errors.handle))


def _extents(shape):
    extents = tuple(map(operator.index, shape))
    return (ctypes.c_int64 * len(extents))(*extents)


def _same_rank(*shapes):
    if len({len(shape) for shape in shapes}) > 1:
        raise ValueError("these have not the same number of dimensions: " + ", ".join(str(tuple(shape)) for shape in shapes))


def _coordinate(element, shape):
    return tuple(element // math.prod(shape[k + 1:]) % extent for k, extent in enumerate(shape))


def _axis(name):
    if name not in AXES:
        raise ValueError(f"there is no axis {name!r}; there are: {', '.join(AXES)}")
    return AXES.index(name)


def _index(coordinate, shape):
    if isinstance(coordinate, int):
        return coordinate
    if len(coordinate) != len(shape) or not all(0 <= i < n for i, n in zip(coordinate, shape)):
        raise IndexError(f"{coordinate} is not in shape {tuple(shape)}")
    return sum(i * math.prod(shape[k + 1:]) for k, i in enumerate(coordinate))
