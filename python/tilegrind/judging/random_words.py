"""Random numbers by counter: element i depends on the seed, the name and i alone.

Everything is exact, so that each machine has the same bits (tilegrind/random.h).
"""

import hashlib
from ctypes import POINTER, c_double, c_int64, c_uint64

import numpy as np

from .._native import lib

_OUT = {np.float64: POINTER(c_double), np.int64: POINTER(c_int64), np.uint64: POINTER(c_uint64)}


def words(seed, name, count):
    """`count` random u64."""
    return _filled(np.uint64, lib.tg_random_words, seed, name, count)


def integers(seed, name, count, least, most):
    """`count` i64 from least to most, both included; the range is far below 2^32, so that its bias does not matter."""
    return _filled(np.int64, lib.tg_random_integers, seed, name, count, least, most)


def uniform(seed, name, count):
    """`count` f64 in (0, 1], multiples of 2^-32."""
    return _filled(np.float64, lib.tg_random_uniform, seed, name, count)


def normal(seed, name, count):
    """`count` f64 of mean 0 and variance 1, close to the normal distribution: sums of four uniform numbers, none beyond 3.47."""
    return _filled(np.float64, lib.tg_random_normal, seed, name, count)


def _filled(dtype, fill, seed, name, count, *limits):
    start = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "little")
    found = np.empty(count, dtype)
    fill(start, count, *limits, found.ctypes.data_as(_OUT[dtype]))
    return found
