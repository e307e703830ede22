"""Expressions that XLA rewrites or writes out, under contract xla-cpu: what of it the contract covers, and what it does not.

XLA's algebraic simplifier (xla/hlo/transforms/simplifiers/algebraic_simplifier.cc) knows real numbers, not floats.  `holes` says
by dtype what no bound of the contract allows: such a row must have alarms, all others none.  What JAX 0.10 did and 0.12 no
longer does is `mended`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

from .false_alarms import all_trials
from .recorded import subject_of_task
from .tables import Part, Table
from .vacuous_tasks import Task

_SHAPES = ((40, 200),) * 2
_DTYPES = ("float32", "bfloat16", "float16")
_QUICK = ("x / sqrt y", "x / c", "(x c) d", "logistic x", "tanh x")
_EXPONENTS = "exponents are added before exp, or moved out of log: roundings and overflow are elsewhere"
_CONSTANTS = "(x c) d is x (c d), (x + c) + d is x + (c + d): the bound knows the first rounding of x c"
_WRITTEN_OUT = "written out in operations of the dtype itself"
_F32, _F16, _BOTH = ("float32",), ("float16",), ("float32", "float16")
_NARROW = ("bfloat16", "float16")
_MENDED = (0, 12)


@dataclass(frozen=True)
class Expression:
    """A function of two arrays; `holes` are dtypes for which XLA does what contract xla-cpu does not allow, and `why`.

    `mended`: JAX from _MENDED on has no such hole.
    """

    name: str
    compute: Callable[[jax.Array, jax.Array], jax.Array]
    holes: tuple[str, ...] = ()
    why: str = ""
    mended: bool = False

    def is_hole(self, dtype: str) -> bool:
        """Whether this JAX does with arrays of `dtype` what the contract does not allow."""
        return dtype in self.holes and not (self.mended and jax.__version_info__ >= _MENDED)


def _root(y: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.abs(y) + 0.1)


def _base(x: jax.Array) -> jax.Array:
    return jnp.abs(x) + 0.5


EXPRESSIONS = (
    Expression("x / sqrt y", lambda x, y: x / _root(y)),
    Expression("x / rsqrt y", lambda x, y: x / jax.lax.rsqrt(jnp.abs(y) + 0.1)),
    Expression("x / c", lambda x, y: x / 3.0),
    Expression("(x / c) / (y / d)", lambda x, y: (x / 3.7) / (y / 1.3)),
    Expression("(x / y) / c", lambda x, y: (x / y) / 7.0),
    Expression("x / (y / c)", lambda x, y: x / (y / 7.0)),
    Expression("x y / y", lambda x, y: x * y / y),
    Expression("x - y + y", lambda x, y: (x - y) + y),
    Expression("x y + c x", lambda x, y: x * y + x * 0.3),
    Expression("rsqrt x rsqrt x", lambda x, y: jax.lax.rsqrt(_base(x)) * jax.lax.rsqrt(_base(x))),
    Expression("sqrt x sqrt x", lambda x, y: _root(x) * _root(x)),
    Expression("sqrt 1/x", lambda x, y: jnp.sqrt(1 / _base(x))),
    Expression("log sqrt x", lambda x, y: jnp.log(jnp.sqrt(_base(x)))),
    Expression("(x c) d", lambda x, y: (x * 0.1) * 0.3, _F32, _CONSTANTS, True),
    Expression("(x + c) + d", lambda x, y: (x + 0.1) + 0.3, _BOTH, _CONSTANTS, True),
    Expression("exp x exp y", lambda x, y: jnp.exp(x) * jnp.exp(y), _BOTH, _EXPONENTS, True),
    Expression("exp x / exp y", lambda x, y: jnp.exp(x) / jnp.exp(y), _BOTH, _EXPONENTS, True),
    Expression("x / exp y", lambda x, y: x / jnp.exp(y), _BOTH, _EXPONENTS, True),
    Expression("log (exp x exp y)", lambda x, y: jnp.log(jnp.exp(x) * jnp.exp(y)), _BOTH, _EXPONENTS, True),
    Expression("pow(exp x, y)", lambda x, y: jnp.power(jnp.exp(x), y), _BOTH, _EXPONENTS, True),
    Expression("x / pow(y, x)", lambda x, y: x / jnp.power(_base(y), x), _F32, _EXPONENTS),
    Expression("log pow(x, y)", lambda x, y: jnp.log(jnp.power(_base(x), y)), _F16, _EXPONENTS),
    Expression("pow(x, 3)", lambda x, y: jnp.power(x, 3.0), _F16, _WRITTEN_OUT),
    Expression("pow(x, -1/2)", lambda x, y: jnp.power(_base(x), -0.5)),
    Expression("logistic x", lambda x, y: jax.nn.sigmoid(x), _NARROW, _WRITTEN_OUT),
    Expression("exp2 x", lambda x, y: jnp.exp2(x), _NARROW, _WRITTEN_OUT),
    Expression("asinh x", lambda x, y: jnp.arcsinh(x), _NARROW, _WRITTEN_OUT),
    Expression("expm1 x", lambda x, y: jnp.expm1(x), _F16, _WRITTEN_OUT, True),
    Expression("log1p x", lambda x, y: jnp.log1p(jnp.abs(x))),
    Expression("tanh x", lambda x, y: jnp.tanh(x)),
    Expression("erf x", lambda x, y: jax.lax.erf(x)),
    Expression("log x", lambda x, y: jnp.log(jnp.abs(x))),
    Expression("cbrt x", lambda x, y: jnp.cbrt(x), _F32, "of the least subnormal numbers it has the other sign"),
    Expression("sin x", lambda x, y: jnp.sin(x)),
    Expression("cosh x", lambda x, y: jnp.cosh(x)),
    Expression("atan2(x, y)", lambda x, y: jnp.arctan2(x, y)),
    Expression("sum of c x", lambda x, y: jnp.sum(x * 0.3, axis=1, keepdims=True)),
    Expression("sum of x / c", lambda x, y: jnp.sum(x, axis=1, keepdims=True) / 3.0),
    Expression("c (d x . y)", lambda x, y: jnp.dot(x * 0.3, y.T, preferred_element_type=jnp.float32) * 0.7),
    Expression("maximum of a row", lambda x, y: jnp.max(x, axis=1, keepdims=True)),
)


@dataclass
class Found:
    """Checks of an expression, and the texts of alarms."""

    checks: int = 0
    alarms: list[str] = field(default_factory=list)


def run(quick: bool, say=lambda text: None) -> Part:
    """Judges all expressions; alarms must be where `holes` says, and nowhere else."""
    table = Table("Expressions that XLA compiles, contract xla-cpu",
                  ["expression", "dtype", "input sets", "alarms", "the first", "why"])
    failures, clean = [], 0
    for one in EXPRESSIONS:
        for dtype in _DTYPES if not quick or one.name in _QUICK else ():
            say(f"{one.name} {dtype}")
            found = _judged(one, dtype)
            is_hole = one.is_hole(dtype)
            clean += not found.alarms
            if found.alarms:
                table.add(one.name, dtype, found.checks, len(found.alarms), found.alarms[0], one.why if is_hole else "")
            if bool(found.alarms) != is_hole:
                failures.append(f"{one.name} {dtype}: " + (found.alarms[0] if found.alarms else "no alarm where one is listed"))
    table.notes = [f"{clean} expressions and dtypes more have no alarm. What is listed is what contract xla-cpu does not cover: it "
                   "is about single operations, as all contracts are, and XLA changes which there are."]
    return Part([table], failures)


def _judged(one: Expression, dtype: str) -> Found:
    task = Task(one.name, "", "", "", "", one.compute, _SHAPES, 1, dtype=dtype)
    subject = replace(subject_of_task(task), contract="xla-cpu")
    found, compiled = Found(), jax.jit(one.compute)
    for trial in all_trials(subject, 1):
        (output, _), = trial.witness.outputs.items()
        verdict, = trial.witness.judge({output: np.asarray(compiled(*trial.arrays.values()))})
        found.checks += 1
        if verdict.failed:
            got, want = float(verdict.got), float(verdict.want)
            found.alarms.append(f"{trial.inputs.name}: got {got:.9g}, want {want:.9g} +- {verdict.bound:.3g}")
    return found
