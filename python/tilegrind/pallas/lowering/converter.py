"""Walks a jaxpr and calls the rule of each primitive, which appends its operations."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Sequence

import jax
import numpy as np
from jax._src import core, dtypes

from ...ir.builder import Builder, Later, Type, Value
from ...ir.dtypes import SEMAPHORES, ir_dtype, numpy_dtype
from ...ir.errors import ExportError, OtherDevices, Unsupported
from ..tracing import jaxprs, keys
from ..tracing.sources import Locations, Place, calls_to, place_of, place_of_function
from .cores import Cores
from .tpu_model import TpuModel, padding, space_of

Rule = Callable[["Converter", Any, list[Value]], list[Value]]

# Filled by the modules of rules, by primitive object: names are not unique.
RULES: dict[core.Primitive, Rule] = {}

# (group, name) of every primitive that has a rule in some version of JAX, and why some are refused.
NAMES: set[tuple[str, str]] = set()
REFUSED: dict[tuple[str, str], str] = {}


def rule(group: str, *names: str) -> Callable[[Rule], Rule]:
    """Registers a function as the rule of primitives; primitives that this JAX lacks are skipped."""

    def register(function: Rule) -> Rule:
        for name in names:
            NAMES.add((group, name))
            primitive = jaxprs.primitive(group, name)
            if primitive is not None:
                RULES[primitive] = function
        return function

    return register


def refuse(group: str, *names: str, reason: str) -> None:
    """Registers primitives that cannot be supported, and why."""

    def refused(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
        raise Unsupported(reason)

    rule(group, *names)(refused)
    REFUSED.update({(group, name): reason for name in names})


def aval_type(aval: Any) -> Type:
    """Dtype and shape of an abstract value, or of the memory of an abstract reference; for random keys
    those of their words."""
    if keys.is_key(aval) and getattr(aval, "inner_aval", None) is not None:
        raise Unsupported("references to random keys are not supported; pass jax.random.key_data")
    aval = keys.words_of(aval)
    shape = getattr(aval, "shape", None)
    if shape is None:
        raise Unsupported(f"{aval} is not an array")
    if not all(isinstance(extent, int) for extent in shape):
        raise Unsupported(f"{aval} has a symbolic extent")
    return ir_dtype(aval.dtype), tuple(shape)


def result_type(eqn: Any, index: int = 0) -> Type:
    """Type of a result of an equation."""
    return aval_type(eqn.outvars[index].aval)


class Converter:
    """Converts the jaxprs of one kernel.

    builder    receives the operations
    axes       position in the full grid of each axis that `program_id` counts
    axis_names names of all axes of the full grid, None for an axis without one; empty: no names
    own_program_ids  values of `program_id` inside an emitted pipeline or on a divided grid; else None
    places     the program's coordinates on each axis of the kernel's own grid, if that is divided; else None
    model      the model of the TPU on which the kernel runs
    cores      the assignment of the kernel's programs to cores
    paddings   by id of a reference to whole memory: elements after each dimension that may be accessed
    views      by id of a reference to whole memory: the transforms with which each of its uses begins, which are left out
    is_index_map  whether the jaxpr is one of an index map, which sees no parameters but prefetch ones
    scratch    converts memory that the body allocates (launch/scratch.py); None: it is memory of a region
    cluster    the blocks that the program consists of (gpu/cluster.py); None: it is one
    devices    the devices on which the kernel runs together (devices.py); None: it runs on one
    legality   judges equations before they are converted (legality/judging.py); None: nothing does
    warps      the warps of its threads (gpu/warps.py); None: the kernel does not look at them
    """

    def __init__(self, builder: Builder, locations: Locations, axes: Sequence[int],
                 axis_names: Sequence[Any], model: TpuModel = TpuModel(), cores: Cores | None = None):
        self.builder = builder
        self.axes = tuple(axes)
        self.axis_names = tuple(axis_names)
        self.own_program_ids: Sequence[Value] | None = None
        self.places: Sequence[Value] | None = None
        self.model = model
        self.cores = cores or Cores()
        self.paddings: dict[int, list[int]] = {}
        self.views: dict[int, tuple[Any, ...]] = {}
        self.is_index_map = False
        self.scratch: Any = None
        self.cluster: Any = None
        self.devices: Any = None
        self.legality: Any = None
        self.warps: Any = None
        self._locations = locations
        self._live: list[set[Any]] = []
        self._place: Place | None = None  # source location of the equation being converted
        self._pinned = False  # equations inside have the source location of the call

    def inline(self, jaxpr: Any, args: Sequence[Value],
               captured: Sequence[Value] | None = None) -> list[Value]:
        """Appends the operations of a jaxpr, closed or not, applied to `args`; returns its results.
        `captured` are the values of its constvars, if the jaxpr does not hold them itself."""
        jaxpr, consts = jaxprs.opened(jaxpr)
        if captured is None:
            if len(consts) != len(jaxpr.constvars):
                raise Unsupported("the function closes over values that the launch does not pass")
            captured = [self._constant(var.aval, const)
                        for var, const in zip(jaxpr.constvars, consts)]
        env = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*captured, *args), strict=True))
        self._live.append(jaxprs.live_vars(jaxpr))
        try:
            for eqn in jaxpr.eqns:
                self._convert(eqn, env)
        finally:
            self._live.pop()
        return [self._read(atom, env) for atom in jaxpr.outvars]

    def call(self, jaxpr: Any, args: Sequence[Value]) -> list[Value]:
        """As `inline`, for the body of a function that the program calls.  JAX traces a function only
        once, so equations inside JAX's own functions (`jnp.where`) name the line of the first call; they get the location
        of this call instead.  A user's function keeps its lines."""
        outer = self._pinned
        defined = place_of_function(jaxprs.opened(jaxpr)[0].debug_info)
        if defined is not None:
            self._pinned = self._place is not None and not defined.is_users
        try:
            return self.inline(jaxpr, args)
        finally:
            self._pinned = outer

    def expand(self, function: Callable[..., Any], operands: Sequence[Value]) -> list[Value]:
        """Appends the operations of a function of arrays, applied to values, at the location of the current equation."""
        shapes = [jax.ShapeDtypeStruct(value.shape, numpy_dtype(value.dtype)) for value in operands]
        outer, self._pinned = self._pinned, True
        try:
            return self.inline(jax.make_jaxpr(function)(*shapes), operands)
        finally:
            self._pinned = outer

    @property
    def place(self) -> Place | None:
        """Source location of the equation being converted."""
        return self._place

    @contextlib.contextmanager
    def at_place(self, place: Place | None) -> Iterator[None]:
        """Inside the ``with`` block, operations have this location, or are called from there."""
        outer, self._place = self._place, place
        self.builder.loc = self._locations.number(place)
        try:
            yield
        finally:
            self._place = outer
            self.builder.loc = self._locations.number(outer)

    def note_padding(self, ref: Value, aval: Any) -> None:
        """Allows accesses up to the tiles of the memory that `ref` refers to as a whole, if the model says so."""
        if self.model.pads and ref.dtype not in SEMAPHORES.values() and space_of(aval) != "smem":
            self.paddings[ref.id] = padding(ref)

    @contextlib.contextmanager
    def program_ids(self, ids: Sequence[Value]) -> Iterator[None]:
        """Inside the ``with`` block, `program_id` gives these values."""
        outer, self.own_program_ids = self.own_program_ids, ids
        try:
            yield
        finally:
            self.own_program_ids = outer

    def is_used(self, var: Any) -> bool:
        """Whether the jaxpr being converted reads this result of an equation."""
        return var in self._live[-1]

    def _read(self, atom: Any, env: dict[Any, Value]) -> Value:
        if jaxprs.is_literal(atom):
            if self._is_skipped(atom):
                return self._infinity(atom.aval)
            return self._constant(atom.aval, atom.val)
        value = env[atom]
        if isinstance(value, Later):
            value = env[atom] = value.now()
        return value

    def _constant(self, aval: Any, value: Any) -> Value:
        dtype, shape = aval_type(aval)
        return self.builder.constant(np.asarray(value), dtype, shape)

    def _convert(self, eqn: Any, env: dict[Any, Value]) -> None:
        """Applies the rule of an equation; errors are raised with its primitive and line."""
        outer = self._place
        if not self._pinned:
            self._place = place_of(eqn.source_info, calls_to(outer) or self._locations.calls) or outer
        self.builder.loc = self._locations.number(self._place)
        try:
            results = self._apply(eqn, [self._read(atom, env) for atom in eqn.invars])
        except Unsupported as problem:
            error = located(eqn.primitive.name, self._place, str(problem))
            error.needs_devices = isinstance(problem, OtherDevices)
            raise error from None
        self._place = outer
        self.builder.loc = self._locations.number(outer)
        for var, value in zip(eqn.outvars, results, strict=True):
            env[var] = value

    def _apply(self, eqn: Any, operands: list[Value]) -> list[Value]:
        if self.model.skips_floats and self._is_plain(eqn) and all(map(self._is_skipped, eqn.outvars)):
            return [self._infinity(var.aval) for var in eqn.outvars]
        if eqn.primitive not in RULES:
            raise Unsupported("this primitive has no counterpart")
        if self.legality is not None:
            self.legality(self, eqn, operands)
        results = RULES[eqn.primitive](self, keys.on_words(eqn), operands)
        results = [self._infinity(var.aval) if self._is_skipped(var) else value
                   for var, value in zip(eqn.outvars, results, strict=True)]
        for var, value in zip(eqn.outvars, results):
            # A reference has its logical shape, whatever that of its memory is.
            if not isinstance(var, core.DropVar) and not value.is_ref and value.type != aval_type(var.aval):
                raise Unsupported(f"internal error: result {value.type} for {var.aval}")
        return results


    # -- skipping floating-point operations --

    def _is_skipped(self, atom: Any) -> bool:
        """Whether the value is replaced with infinity."""
        dtype = getattr(atom.aval, "dtype", None)
        is_value = dtype is not None and not hasattr(atom.aval, "inner_aval")
        return self.model.skips_floats and is_value and dtypes.issubdtype(dtype, np.floating)

    def _is_plain(self, eqn: Any) -> bool:
        """Whether an equation has no effects besides its results."""
        return not eqn.effects and not any(jaxprs.sub_jaxprs(eqn.params))

    def _infinity(self, aval: Any) -> Value:
        dtype, shape = aval_type(aval)
        return self.builder.broadcast(self.builder.constant(np.inf, dtype), shape)


def located(primitive: str, place: Place | None, message: str) -> ExportError:
    """An ExportError at `place`, or without a location."""
    file, line = (place.file, place.line) if place is not None else (None, None)
    return ExportError(primitive, file, line, message)
