"""Random numbers by counter: element i depends on the seed, the name and i alone.

The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014), whose
output i is a function of the start and i.  Everything made of it is exact arithmetic on integers, so that each machine
and each version of numpy has the same bits.
"""

import hashlib

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_NORMAL_TERMS = 4  # words a number; each gives four 16-bit terms


def words(seed, name, count):
    """`count` random u64."""
    start = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "little")
    with np.errstate(over="ignore"):
        z = np.uint64(start) + np.arange(1, count + 1, dtype=np.uint64) * _GAMMA
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def integers(seed, name, count, least, most):
    """`count` i64 from least to most, both included; the range is far below 2^32, so that its bias does not matter."""
    size = np.uint64(most - least + 1)
    return ((words(seed, name, count) >> np.uint64(32)) * size >> np.uint64(32)).astype(np.int64) + least


def uniform(seed, name, count):
    """`count` f64 in (0, 1], multiples of 2^-32."""
    return ((words(seed, name, count) >> np.uint64(32)) + np.uint64(1)).astype(np.float64) * 2.0**-32


def normal(seed, name, count):
    """`count` f64 close to the standard normal distribution, none beyond 7: sums of 16 uniform numbers, whose variance of
    16/12 is scaled by a factor that is exact."""
    parts = words(seed, name, count * _NORMAL_TERMS).view("<u2").reshape(count, -1).astype(np.int64)
    centred = 2 * parts.sum(1) - parts.shape[1] * 65535
    return centred.astype(np.float64) * (56765 * 2.0**-33)  # sqrt(3)/2 to 16 bits, times 2^-17
