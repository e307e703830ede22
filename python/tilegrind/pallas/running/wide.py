"""JAX's own interpreter in double precision: the reference for kernels with sums.

A ``pallas_call`` runs a second time on the captured inputs, after every floating type of
its jaxpr has become f64.  Its constants keep their values, so the two runs differ only by
rounding.

    with recording() as calls, capture(folder) as captured:
        program()
    calls[0].run_in_f64(*inputs)

`Call.of` makes one from the parameters of an equation instead.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterator, Mapping, Sequence

import jax
import numpy as np
from jax._src import core, effects
from jax._src.pallas import hlo_interpreter
from jax._src.state.types import AbstractRef

from ..tracing import jaxprs
from . import interpreters

F64 = np.dtype(np.float64)


@dataclasses.dataclass(frozen=True)
class Call:
    """One `pallas_call`: JAX's interpreter and its parameters."""

    interpret: Callable[..., Sequence[jax.Array]]
    params: Mapping[str, Any]

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Call:
        """The call of an equation with these parameters, whatever they say of where it runs."""
        params = {name: value for name, value in params.items() if name != "interpret"}
        return cls(hlo_interpreter.pallas_call_hlo_interpret, params)

    def run_in_f64(self, *operands: np.ndarray) -> list[np.ndarray]:
        """The results for these operands: dynamic grid bounds, prefetched arrays, inputs."""
        before = jax.config.jax_enable_x64
        jax.config.update("jax_enable_x64", True)
        try:
            wide = [x.astype(F64) if _is_float(x.dtype) else x for x in map(np.asarray, operands)]
            with interpreters.jax_own():
                return [np.asarray(x) for x in self.interpret(*wide, **_Widening().of(self.params))]
        finally:
            jax.config.update("jax_enable_x64", before)


@contextlib.contextmanager
def recording() -> Iterator[list[Call]]:
    """Collects the calls that JAX's interpreter lowers inside the ``with`` block, in order.

    A capture that must see the same calls must be opened inside.
    """
    calls: list[Call] = []
    original = hlo_interpreter.pallas_call_hlo_interpret

    def interpret(*args: Any, **params: Any) -> Any:
        calls.append(Call(original, params))
        return original(*args, **params)

    hlo_interpreter.pallas_call_hlo_interpret = interpret
    try:
        yield calls
    finally:
        hlo_interpreter.pallas_call_hlo_interpret = original


def _is_float(dtype: Any) -> bool:
    return jax.numpy.issubdtype(dtype, jax.numpy.floating)


class _Widening:
    """Rewrites jaxprs and their containers; each variable has one wide counterpart."""

    def __init__(self) -> None:
        self._twins: dict[core.Var, core.Var] = {}

    def of(self, value: Any) -> Any:
        """`value` with f64 for each floating type in it; a value without floating types is returned as it is."""
        if isinstance(value, core.Var):
            return self._var(value)
        if isinstance(value, core.Literal):
            return self._literal(value)
        if isinstance(value, core.AbstractValue):
            return self._aval(value)
        if isinstance(value, effects.JaxprInputEffect):
            return value.replace(input=self.of(value.input))
        if isinstance(value, core.JaxprEqn):
            return value.replace(**self._fields(value, "invars", "outvars", "params", "effects"))
        if jaxprs.is_jaxpr(value):
            return self._jaxpr(value)
        if isinstance(value, np.dtype) or isinstance(value, type) and issubclass(value, np.generic):
            return F64 if _is_float(value) else value
        if type(value) in (tuple, list, set, frozenset):
            return type(value)(map(self.of, value))
        if isinstance(value, dict):
            return {key: self.of(item) for key, item in value.items()}
        if type(value).__name__ == "GridMapping":
            return value.replace(**self._fields(value, "block_mappings", "scratch_avals"))
        if type(value).__name__ == "BlockMapping":
            return value.replace(**self._fields(value, "transformed_block_aval", "array_aval"))
        return value

    def _fields(self, value: Any, *names: str) -> dict[str, Any]:
        return {name: self.of(getattr(value, name)) for name in names}

    def _var(self, var: core.Var) -> core.Var:
        if var not in self._twins:
            self._twins[var] = type(var)(self._aval(var.aval))
        return self._twins[var]

    def _literal(self, literal: core.Literal) -> core.Literal:
        value = literal.val
        if _is_float(literal.aval.dtype):
            value = np.asarray(value, literal.aval.dtype).astype(F64)[()]
        return core.Literal(value, self._aval(literal.aval))

    def _aval(self, aval: core.AbstractValue) -> core.AbstractValue:
        if isinstance(aval, AbstractRef):
            return aval.update(inner_aval=self._aval(aval.inner_aval))
        if isinstance(aval, core.ShapedArray) and _is_float(aval.dtype):
            return aval.update(dtype=F64)
        return aval

    def _jaxpr(self, jaxpr: Any) -> Any:
        if hasattr(jaxpr, "jaxpr") and jaxpr.jaxpr is not jaxpr:  # closed, before JAX 0.11
            return jaxpr.replace(jaxpr=self.of(jaxpr.jaxpr), consts=self._consts(jaxpr))
        fields = self._fields(jaxpr, "invars", "outvars", "eqns", "effects")
        if getattr(jaxpr, "consts", ()):
            fields["consts"] = self._consts(jaxpr)
        if jaxpr.constvars:
            fields["constvars"] = self.of(jaxpr.constvars)
        return jaxpr.replace(**fields)

    def _consts(self, jaxpr: Any) -> list[Any]:
        return [np.asarray(c, F64) if _is_float(c.dtype) else c for c in jaxpr.consts]
