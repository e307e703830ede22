"""Cores of one device: programs that run at the same time, each with scratch of its own, and share HBM.

A `core_map` names them by an axis of its grid: its chains are the cores.  If InterpretParams asks for several cores, or
for an order of the programs by a seed, a kernel's grid is divided among them as in JAX's interpreter: the grid becomes
cores and steps, and each program computes its coordinates in the kernel's own grid.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ...ir.builder import Builder, Value, type_text
from ...ir.dtypes import numpy_dtype


@dataclass
class Cores:
    """The assignment of a kernel's programs to cores.

    are_axis  the number of a chain is that of its core
    is_mesh   scratch and HBM allocated inside the body are parameters of the kernel, so that cores can access those of others
    division  of the grid; None: the grid is not divided
    hoisted   JSON of the parameters for memory allocated inside the body, with their references
    shared    dtypes and shapes of those parameters that are outputs, which no caller gets
    inputs    makes the array of each of those parameters that is an input
    in_mesh   the call may pass the device's coordinates in the mesh around it
    """

    are_axis: bool = False
    is_mesh: bool = False
    division: Division | None = None
    hoisted: list[tuple[dict[str, Any], Value]] = field(default_factory=list)
    shared: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    inputs: list[Callable[[], Any]] = field(default_factory=list)
    in_mesh: bool = False
    _coordinates: dict[Any, Value] = field(default_factory=dict)

    @property
    def hoisted_ids(self) -> set[int]:
        """Ids of those references."""
        return {ref.id for _, ref in self.hoisted}

    def scratch(self, builder: Builder, dtype: str, shape: Sequence[int]) -> Value:
        """A reference to memory of which each core has its own, as long as it runs."""
        ref = builder.value(dtype, shape, is_ref=True)
        name = f"scoped_{len(self.hoisted)}"
        self.hoisted.append(({"name": name, "role": "scratch", "type": type_text(dtype, shape)}, ref))
        return ref

    def own_copy(self, builder: Builder, ref: Value, steps: Sequence[int]) -> Value:
        """A reference to each core's own copy of an input.  The first of the core's programs, which run in sequence along
        the axes `steps`, makes the copy."""
        copy = self.scratch(builder, *ref.type)
        whole = [["slice", 0, extent, 1] for extent in ref.shape]
        is_first = builder.constant(True, "bool")
        for axis in steps:
            place = builder.emit1("program_id", [], ("i32", ()), axis=axis)
            is_here = builder.emit1("eq", [place, builder.i32(0)], ("bool", ()))
            is_first = builder.emit1("and", [is_first, is_here], ("bool", ()))
        with builder.region() as otherwise:
            pass
        with builder.region() as first:
            content = builder.emit1("load", [ref], ref.type, index=whole)
            builder.emit("store", [copy, content], index=whole)
        builder.emit("switch", [builder.convert(is_first, "i32")], [], [otherwise, first])
        return copy

    def hbm(self, builder: Builder, dtype: str, shape: Sequence[int]) -> Value:
        """A reference to memory that all cores share: an output that no caller gets, aliased to an input of undefined values."""
        name = f"scoped_{len(self.hoisted)}"
        json = {"role": "input", "type": type_text(dtype, shape), "space": "hbm"}
        unused, ref = (builder.value(dtype, shape, is_ref=True) for _ in range(2))
        self.hoisted.append(({"name": name, **json}, unused))
        self.hoisted.append(({"name": f"{name}_shared", **json, "role": "output", "alias": name}, ref))
        self.shared.append((dtype, tuple(shape)))
        self.inputs.append(lambda: _undefined(dtype, tuple(shape)))
        return ref

    def coordinate(self, builder: Builder, name: Any) -> Value:
        """The coordinate of the device along an axis of the mesh around the call, which the call passes."""
        if name not in self._coordinates:
            ref = self._coordinates[name] = builder.value("i32", (), is_ref=True)
            self.hoisted.append(({"name": f"index_{len(self._coordinates)}", "role": "input", "type": "i32[]"}, ref))
            self.inputs.append(lambda: jax.lax.axis_index(name))
        return builder.emit1("load", [self._coordinates[name]], ("i32", ()), index=[])


def _undefined(dtype: str, shape: tuple[int, ...]) -> Any:
    """The initial values of memory that all cores share: NaN, or the least integer."""
    kind = numpy_dtype(dtype)
    value = jnp.nan if jnp.issubdtype(kind, jnp.floating) else 0 if kind == bool else jnp.iinfo(kind).min
    return jnp.full(shape, value, kind)


@dataclass(frozen=True)
class Division:
    """A grid whose first axes are parallel, divided among cores: each core has a range of their coordinates, in the order in
    which `tables` permutes each of these axes, and runs all other axes for each."""

    sizes: tuple[int, ...]
    tables: tuple[np.ndarray, ...]  # a permutation of each parallel axis
    cores: int  # number of cores that run programs
    places: int  # coordinates on the parallel axes, for each core

    @property
    def steps(self) -> int:
        return self.places * self._others

    @property
    def _others(self) -> int:
        return math.prod(self.sizes[len(self.tables) :])

    def grid(self) -> list[dict[str, Any]]:
        """The axes of the divided grid."""
        return [{"size": self.cores, "semantics": "parallel", "name": "core"},
                {"size": self.steps, "semantics": "arbitrary", "name": "step"}]

    def place(self, core: Any, step: Any) -> tuple[Any, ...]:
        """The coordinates in the kernel's own grid of a program of the divided one, as arrays or numbers."""
        point, rest = core * self.places + step // self._others, step % self._others
        parallel = jnp.unravel_index(point, self.sizes[: len(self.tables)])
        others = jnp.unravel_index(rest, self.sizes[len(self.tables) :]) if len(self.sizes) > len(self.tables) else ()
        at = [jnp.asarray(table)[index] for table, index in zip(self.tables, parallel)]
        return tuple(index.astype(jnp.int32) for index in (*at, *others))

    def programs(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """All coordinates with their core, core by core in the order in which the core runs them."""
        orders = [*self.tables, *(np.arange(size) for size in self.sizes[len(self.tables) :])]
        for number, place in enumerate(itertools.product(*orders)):
            yield tuple(int(index) for index in place), number // self.steps


def divide(sizes: Sequence[Any], semantics: Sequence[str], cores: int, seed: int | None) -> Division | None:
    """The division of a grid among `cores`, permuted by `seed` as in JAX's interpreter.  None if there is nothing to
    divide or it cannot be divided evenly: then the grid itself serves, as nothing may rely on the order of
    its parallel axes."""
    parallel = sum(1 for _ in itertools.takewhile(lambda axis: axis == "parallel", semantics))
    if not parallel or "parallel" in semantics[parallel:] or not all(isinstance(size, int) for size in sizes):
        return None
    points = math.prod(sizes[:parallel])
    places = -(-points // cores)
    if not points or points % places:
        return None
    return Division(tuple(sizes), tuple(_permutations(sizes[:parallel], seed)), points // places, places)


def _permutations(sizes: Sequence[int], seed: int | None) -> Iterator[np.ndarray]:
    with jax.ensure_compile_time_eval():
        key = jax.random.key(seed or 0)
        for size in sizes:
            key, own = jax.random.split(key)
            yield np.asarray(jax.random.permutation(own, jnp.arange(size, dtype=jnp.int32)))
