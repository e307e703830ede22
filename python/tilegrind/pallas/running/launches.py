"""Every `pallas_call` of a function, and the operands that it has the first time that it runs.

Loops and branches with calls in them are run step by step; the rest is left to JAX.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ..lowering.converter import located
from ..tracing import jaxprs
from ..tracing.sources import place_of
from . import interpreters

Path = tuple[int, ...]  # of an equation: its number, then that of a jaxpr among its parameters, and so on inward


@dataclass(frozen=True, eq=False)
class Launch:
    """A `pallas_call` equation, at a place of the function's jaxpr."""

    path: Path
    eqn: Any

    def runner(self) -> Callable[..., Sequence[jax.Array]]:
        """A function that runs the call by itself, as JAX runs it here, compiled once."""
        primitive, params = self.eqn.primitive, self.eqn.params
        return jax.jit(lambda *operands: primitive.bind(*operands, **params))


def launches(jaxpr: Any, path: Path = ()) -> Iterator[Launch]:
    """All calls, depth first in program order, as `export` has them."""
    for number, eqn in enumerate(jaxprs.opened(jaxpr)[0].eqns):
        if eqn.primitive is interpreters.PALLAS_CALL:
            yield Launch((*path, number), eqn)
            continue
        for which, inner in enumerate(jaxprs.sub_jaxprs(eqn.params)):
            yield from launches(inner, (*path, number, which))


def first_operands(jaxpr: Any, *args: Any) -> dict[Path, list[np.ndarray]]:
    """Runs a closed jaxpr.  Returns the operands (dynamic grid bounds, prefetched arrays, inputs) of each call that ran, the first
    time that it did.  Calls that were written without ``interpret`` run in JAX's interpreter on a CPU.

    Raises ExportError where a call is inside of what cannot be run step by step, as `shard_map`.
    """
    run = _Run()
    with contextlib.ExitStack() as undo:
        interpreters.interpret_all(undo)
        run.jaxpr(jaxpr, args, ())
    return run.operands


class _Run:
    def __init__(self) -> None:
        self.operands: dict[Path, list[np.ndarray]] = {}

    def jaxpr(self, jaxpr: Any, args: Sequence[Any], path: Path) -> list[Any]:
        inner, consts = jaxprs.opened(jaxpr)
        known = dict(zip((*inner.constvars, *inner.invars), (*consts, *args), strict=True))

        def read(atom: Any) -> Any:
            return atom.val if jaxprs.is_literal(atom) else known[atom]

        for number, eqn in enumerate(inner.eqns):
            results = self._eqn(eqn, [read(atom) for atom in eqn.invars], (*path, number))
            known.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in inner.outvars]

    def _eqn(self, eqn: Any, values: list[Any], path: Path) -> Sequence[Any]:
        if eqn.primitive is interpreters.PALLAS_CALL:
            self.operands.setdefault(path, [np.asarray(value) for value in values])
            return _bound(eqn, values)
        inner = list(jaxprs.sub_jaxprs(eqn.params))
        if not any(next(launches(one), None) for one in inner):
            return _bound(eqn, values)
        step = _STEPS.get(eqn.primitive.name)
        if step is None:
            raise located(eqn.primitive.name, place_of(eqn.source_info), "a pallas_call inside of it cannot be run by itself")
        return step(self, eqn.params, values, [(one, (*path, number)) for number, one in enumerate(inner)])


def _bound(eqn: Any, values: list[Any]) -> Sequence[Any]:
    found = eqn.primitive.get_bind_params(eqn.params)
    functions, params = found if isinstance(found, tuple) else ((), found)  # a tuple before JAX 0.10
    results = eqn.primitive.bind(*functions, *values, **params)
    return results if eqn.primitive.multiple_results else [results]


def _call(run: _Run, params: Any, values: list[Any], inner: list[Any]) -> Sequence[Any]:
    jaxpr, path = inner[0]
    return run.jaxpr(jaxpr, values, path)


def _cond(run: _Run, params: Any, values: list[Any], inner: list[Any]) -> Sequence[Any]:
    jaxpr, path = inner[min(max(int(values[0]), 0), len(inner) - 1)]
    return run.jaxpr(jaxpr, values[1:], path)


def _while(run: _Run, params: Any, values: list[Any], inner: list[Any]) -> Sequence[Any]:
    cond, body = (next(one for one in inner if one[0] is params[name]) for name in ("cond_jaxpr", "body_jaxpr"))
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    carry = values[second:]
    while bool(run.jaxpr(cond[0], [*values[:first], *carry], cond[1])[0]):
        carry = run.jaxpr(body[0], [*values[first:second], *carry], body[1])
    return carry


def _scan(run: _Run, params: Any, values: list[Any], inner: list[Any]) -> Sequence[Any]:
    (jaxpr, path), (consts, carries) = inner[0], jaxprs.scan_counts(params)
    fixed, carry, rows = values[:consts], values[consts : consts + carries], values[consts + carries :]
    steps = range(params["length"])
    found: list[Any] = [None] * params["length"]
    for step in reversed(steps) if params["reverse"] else steps:
        results = run.jaxpr(jaxpr, [*fixed, *carry, *(row[step] for row in rows)], path)
        carry, found[step] = results[:carries], results[carries:]
    if not found:
        outs = jaxprs.opened(jaxpr)[0].outvars[carries:]
        return [*carry, *(jnp.zeros((0, *out.aval.shape), out.aval.dtype) for out in outs)]
    return [*carry, *(jnp.stack(column) for column in zip(*found))]


_STEPS = {**dict.fromkeys(("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2", "custom_jvp_call", "custom_vjp_call"), _call),
          "cond": _cond, "while": _while, "scan": _scan}
