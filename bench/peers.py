"""What Tilegrind is measured against, each as something to call again and again."""

import ctypes
from functools import partial

import jax
import numpy as np


class Compiled:
    """A JAX function, compiled by XLA beforehand; a call computes and waits for the result."""

    def __init__(self, fn, args):
        self._run = jax.jit(fn).lower(*args).compile()
        self._args = args
        self.result = None

    def __call__(self):
        self.result = jax.block_until_ready(self._run(*self._args))


def interpreted(pallas, args):
    """JAX's own interpreter of Pallas kernels, which is XLA code as well."""
    return Compiled(partial(pallas, interpret=True), args)


# Its times by workload, once they are known: they take long to measure, and several parts want them.
interpreted_times = {}


class Blas:
    """A function of numpy's, which calls its OpenBLAS, into an array that is there already."""

    def __init__(self, fn, args):
        self._fn = fn
        self._args = [np.asarray(a) for a in args]
        self.result = np.array(fn(*self._args))

    def __call__(self):
        self._fn(*self._args, out=self.result)


class Copy:
    """memcpy that reads and writes `traffic` bytes taken together."""

    def __init__(self, traffic):
        self._size = traffic // 2
        self._arrays = np.ones(self._size, np.uint8), np.zeros(self._size, np.uint8)
        self._from, self._to = (array.ctypes.data for array in self._arrays)

    def __call__(self):
        ctypes.memmove(self._to, self._from, self._size)


def blas_name():
    """Such as "scipy-openblas 0.3.30"."""
    try:
        found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{found['name']} {found['version']}"
    except (KeyError, TypeError):
        return "unknown BLAS"
