"""What a demand on elements a second means on a slower machine.

Such demands were set where exp of f32, by way of SLEEF's f64 function with AVX2, gave RATE elements a second.  Where it gives
less in the same run, the demand is less by the same factor; where it gives more, or cannot be had, the demand is as it is."""

import ctypes
import os
from pathlib import Path

import numpy as np

RATE = 640e6


class SleefExp:
    """A call computes exp of all `operands`."""

    def __init__(self, library, operands):
        self._library = library
        self._operands = np.ascontiguousarray(operands, np.float32)
        self.result = np.empty_like(self._operands)

    def __call__(self):
        self._library.sleef_exp(ctypes.c_void_p(self._operands.ctypes.data), ctypes.c_void_p(self.result.ctypes.data),
                                ctypes.c_size_t(self._operands.size))


def peers(operands):
    """The yardstick by its name, or nothing where the build has no SLEEF or is for another processor."""
    path = Path(os.environ["TILEGRIND_LIBRARY"]).with_name("libsleef_exp.so")
    return {"sleef": SleefExp(ctypes.CDLL(str(path)), operands)} if path.exists() else {}


def demanded(rate, count, times):
    """The demand on this machine, of runs of `count` elements that took `times`."""
    return rate * min(1, count / times["sleef"].median / RATE) if "sleef" in times else rate
