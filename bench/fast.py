"""Profile fast against profile reference and XLA's compiled code, on kernels full of elementary functions."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import yardstick
from launch import Launch
from peers import Compiled
from timing import Runner
from workloads import normal, softmax_workload


@dataclass(frozen=True)
class Fast:
    """`pallas` and `compiled` take the arguments; the demands are on profile fast, None for none.

    rate      elements a second, at the least (yardstick.py)
    slowest   times as long as XLA's compiled code, at the most"""

    name: str
    pallas: object
    args: tuple
    compiled: object
    isa: str | None = None
    rate: float | None = None
    slowest: float | None = None

    def demand(self, rate):
        """`rate` is what `self.rate` means on this machine."""
        if self.rate:
            return f"{rate / 1e9:.2f} G/s"
        return f"{self.slowest:.1f}x" if self.slowest else "-"


def function_workload(function, log_size, **demands):
    """A function of 2^log_size f32, in blocks of 2^14."""
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    def pallas(x, interpret=False):
        spec = pl.BlockSpec((1 << 14,), lambda i: (i,))
        return pl.pallas_call(kernel, grid=(x.size >> 14,), in_specs=[spec], out_specs=spec,
                              out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=interpret)(x)

    isa = demands.get("isa")
    name = f"{function.__name__} f32 2^{log_size}" + (f", {isa}" if isa else "")
    return Fast(name, pallas, (normal(20, 1 << log_size),), function, **demands)


def workloads():
    softmax = softmax_workload(4096)
    return [
        function_workload(jnp.exp, 18, isa="avx2", rate=1.5e9),
        function_workload(jnp.exp, 18),
        function_workload(jnp.log, 18),
        function_workload(jnp.tanh, 18),
        function_workload(jnp.sin, 18),
        Fast(softmax.name, softmax.pallas, softmax.args, softmax.compiled, slowest=1.1),
    ]


def largest_difference(got, want):
    """Greatest |got - want| / (1 + |want|); infinite where only one of the two is a NaN."""
    if not np.array_equal(np.isnan(got), np.isnan(want)):
        return float("inf")
    return float(np.nanmax(np.abs(got - want) / (1 + np.abs(want))))


def is_met(work, times, rate, least_rate):
    return (work.rate is None or rate >= least_rate) and \
        (work.slowest is None or times["fast"].median <= work.slowest * times["xla"].median)


def measure(work, watch, budget):
    """The figures of one workload, as they go into the JSON file."""
    launches = {p: Launch(work.pallas, work.args, isa=work.isa, profile=p) for p in ("reference", "fast")}
    peers = {**launches, "xla": Compiled(work.compiled, work.args)} | \
        (yardstick.peers(work.args[0]) if work.rate else {})
    times = watch.measure({name: Runner(peer, budget=budget) for name, peer in peers.items()})
    reference, fast = (np.asarray(launch.outputs[0]) for launch in launches.values())
    rate = fast.size / times["fast"].median
    least_rate = yardstick.demanded(work.rate, fast.size, times) if work.rate else None
    return {"name": work.name, "times": times, "rate": rate, "demand": work.demand(least_rate),
            "findings": sum(launch.findings for launch in launches.values()),
            "difference": largest_difference(fast, reference),
            "is_met": is_met(work, times, rate, least_rate)}
