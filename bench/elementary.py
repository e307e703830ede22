"""Every elementary function of f32: correctly rounded (profile reference), within 1 ULP (fast), XLA's and numpy's."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import yardstick
from launch import Launch
from peers import Blas, Compiled
from timing import Runner

SIZE, BLOCK = 1 << 18, 1 << 14
LEAST_RATE = 500e6  # elements a second, of exp with AVX2 (yardstick.py)


@dataclass(frozen=True)
class Function:
    """`low` and `high` bound the operands; `numpy` is numpy's function of the same, if there is one."""

    of: object
    low: float
    high: float
    numpy: object = None

    @property
    def name(self):
        return self.of.__name__


FUNCTIONS = [
    Function(lax.exp, -20, 20, np.exp),
    Function(lax.exp2, -20, 20, np.exp2),
    Function(lax.expm1, -5, 5, np.expm1),
    Function(lax.log, 1e-3, 100, np.log),
    Function(lax.log1p, -0.9, 10, np.log1p),
    Function(lax.logistic, -10, 10),
    Function(lax.sin, -100, 100, np.sin),
    Function(lax.cos, -100, 100, np.cos),
    Function(lax.tan, -100, 100, np.tan),
    Function(lax.asin, -1, 1, np.arcsin),
    Function(lax.acos, -1, 1, np.arccos),
    Function(lax.atan, -10, 10, np.arctan),
    Function(lax.sinh, -10, 10, np.sinh),
    Function(lax.cosh, -10, 10, np.cosh),
    Function(lax.tanh, -5, 5, np.tanh),
    Function(lax.asinh, -100, 100, np.arcsinh),
    Function(lax.acosh, 1, 100, np.arccosh),
    Function(lax.atanh, -0.999, 0.999, np.arctanh),
    Function(lax.erf, -3, 3),
    Function(lax.erf_inv, -0.999, 0.999),
    Function(lax.cbrt, -10, 10, np.cbrt),
    Function(lax.rsqrt, 0.01, 10),
    Function(lax.sqrt, 0.01, 10, np.sqrt),
]


def pallas(function, x):
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    spec = pl.BlockSpec((BLOCK,), lambda i: (i,))
    return pl.pallas_call(kernel, grid=(x.size // BLOCK,), in_specs=[spec], out_specs=spec,
                          out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def launches(function, args):
    """By name: the two profiles, and the reference with AVX2 where this machine has it."""
    make = partial(Launch, partial(pallas, function.of), args)
    found = {"reference": make(), "fast": make(profile="fast"), "avx2": make(isa="avx2")}
    usable = {}
    for name, launch in found.items():
        try:
            launch()
            usable[name] = launch
        except RuntimeError:  # built without SLEEF, or a machine without AVX2
            pass
    return usable


def measure(function, watch, budget):
    """Elements a second by name, and the greatest difference to XLA's results."""
    operands = np.random.default_rng(50).uniform(function.low, function.high, SIZE).astype(np.float32)
    args = (jnp.asarray(operands),)
    ours = launches(function, args)
    xla = Compiled(function.of, args)
    is_judged = function.of is lax.exp and "avx2" in ours
    peers = {**ours, "xla": xla} | ({"numpy": Blas(function.numpy, args)} if function.numpy else {}) | \
        (yardstick.peers(operands) if is_judged else {})
    times = watch.measure({name: Runner(peer, budget=budget) for name, peer in peers.items()})
    got, want = (np.asarray(a, np.float64) for a in (ours["reference"].outputs[0], xla.result))
    return {"name": function.name, "times": times,
            "rates": {name: SIZE / taken.median for name, taken in times.items()},
            "difference": float(np.max(np.abs(got - want) / (1 + np.abs(want)))),
            "required": yardstick.demanded(LEAST_RATE, SIZE, times) if is_judged else None}
