"""Access to jaxprs that reads the same in every supported JAX version."""

from __future__ import annotations

import importlib
from typing import Any, Iterator, Sequence

from jax._src import core

# Different parts of JAX use the same primitive names, so each part has a table of its own.
_GROUPS = {
    "lax": (
        "jax._src.lax.lax",
        "jax._src.lax.slicing",
        "jax._src.lax.special",
        "jax._src.lax.parallel",
        "jax._src.lax.control_flow.loops",
        "jax._src.lax.control_flow.conditionals",
        "jax._src.ad_util",
        "jax._src.ad_checkpoint",
        "jax._src.core",
        "jax._src.custom_derivatives",
        "jax._src.debugging",
        "jax._src.pjit",
        "jax._src.shard_map",
    ),
    "random": (
        "jax._src.random.prng",
        "jax._src.random.core",
        "jax._src.random.threefry2x32",
        "jax._src.random.threefry4x32",
        "jax._src.random.philox2x32",
        "jax._src.random.philox4x32",
        "jax._src.prng",
        "jax._src.random",
    ),
    "state": (
        "jax._src.state.primitives",
        "jax._src.state.discharge",
    ),
    "check": ("jax._src.checkify",),
    "pallas": (
        "jax._src.pallas.primitives",
        "jax._src.pallas.pallas_call",
        "jax._src.pallas.mpmd",
        "jax._src.pallas.core",
    ),
    "triton": ("jax._src.pallas.triton.primitives",),
    "tpu": ("jax._src.pallas.mosaic.primitives",),
    "mosaic_gpu": ("jax._src.pallas.mosaic_gpu.primitives", "jax._src.pallas.mosaic_gpu.core"),
}


def _primitives_of(module_name: str) -> Iterator[core.Primitive]:
    """The primitives that a module of JAX binds to names; none if it cannot be imported."""
    try:
        module = importlib.import_module(module_name)
    except ImportError:
        return
    for value in vars(module).values():
        if isinstance(value, core.Primitive):
            yield value


def _index(group: str) -> dict[str, core.Primitive]:
    """Primitives of a group by name; the first module of the group wins."""
    found: dict[str, core.Primitive] = {}
    for module_name in _GROUPS[group]:
        for primitive in _primitives_of(module_name):
            found.setdefault(primitive.name, primitive)
    return found


PRIMITIVES = {group: _index(group) for group in _GROUPS}


def primitive(group: str, name: str) -> core.Primitive | None:
    """The primitive of this name, or None where this version of JAX lacks it."""
    return PRIMITIVES[group].get(name)


def opened(jaxpr: Any) -> tuple[Any, tuple[Any, ...]]:
    """The jaxpr proper and its constants, of a ClosedJaxpr or of a (merged) Jaxpr."""
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(getattr(jaxpr, "consts", ()))


def closed(jaxpr: Any, consts: Sequence[Any]) -> Any:
    """A jaxpr with the values of its constants; newer versions of JAX have one class for both."""
    make = getattr(core, "ClosedJaxpr", None)
    return make(jaxpr, consts) if make is not None else jaxpr.with_consts(consts)


def is_jaxpr(value: Any) -> bool:
    """Whether a parameter of an equation is a jaxpr, closed or not."""
    return hasattr(value, "eqns") and hasattr(opened(value)[0], "invars")


def sub_jaxprs(params: dict[str, Any]) -> Iterator[Any]:
    """All jaxprs among an equation's parameters."""
    for value in params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if is_jaxpr(item):
                yield item


def all_eqns(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, and of those inside of them."""
    for eqn in opened(jaxpr)[0].eqns:
        yield eqn
        for inner in sub_jaxprs(eqn.params):
            yield from all_eqns(inner)


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Number of constants and of carries of a scan equation."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carries, _ = params["ft_in"].unpack()
    return len(list(consts)), len(list(carries))


def unflattened(eqn: Any, flat: Sequence[Any], *keys: str) -> tuple[list[Any], list[Any]]:
    """The transforms that the operands `flat` hold, by the trees of these names, which may be None, and the operands that are left."""
    found, rest = [], list(flat)
    for key in keys:
        tree = eqn.params[key]
        count = tree.num_leaves if tree is not None else 0
        found.append(tree.unflatten(rest[:count]) if tree is not None else ())
        rest = rest[count:]
    return found, rest


def live_vars(jaxpr: Any) -> set[Any]:
    """The variables of `jaxpr` that some equation or its result reads."""
    atoms = [atom for eqn in jaxpr.eqns for atom in eqn.invars]
    return {atom for atom in (*atoms, *jaxpr.outvars) if isinstance(atom, core.Var)}


def written(jaxpr: Any) -> set[int]:
    """Positions of the arguments that a jaxpr writes through."""
    inner = opened(jaxpr)[0]
    found = set()
    for effect in inner.effects:
        if type(effect).__name__ != "WriteEffect":
            continue
        if hasattr(effect, "input_index"):
            found.add(effect.input_index)
        elif effect.input in inner.invars:
            found.add(inner.invars.index(effect.input))
    return found


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is a literal rather than a variable."""
    return isinstance(atom, core.Literal)
