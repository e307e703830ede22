"""Random numbers by counter: element i depends on the seed, the name and i alone.

The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014), whose
output i is a function of the start and i.  Everything made of it is exact arithmetic on integers, so that each machine
and each version of numpy has the same bits.
"""

import hashlib

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_NORMAL_TERMS = 4  # words a number; each gives four 16-bit terms
_BLOCK = 1920      # numbers that are made at once: with their terms they stay in the cache, below what malloc maps anew each time
_STEPS = np.arange(1, _NORMAL_TERMS * _BLOCK + 1, dtype=np.uint64) * _GAMMA
_ONES = np.ones(4 * _NORMAL_TERMS, np.float32)


def words(seed, name, count):
    """`count` random u64."""
    found = np.empty(count, np.uint64)
    for first, block in _blocks(seed, name, count):
        found[first:first + block.size] = block
    return found


def _blocks(seed, name, count):
    """(index of the first, words) of each block.  The words are in memory that the next ones take."""
    start = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "little")
    steps = _STEPS[:count]
    made, scratch = np.empty_like(steps), np.empty_like(steps)
    for first in range(0, count, _STEPS.size):
        z, shifted = made[:count - first], scratch[:count - first]
        np.add(steps[:z.size], np.uint64((start + first * int(_GAMMA)) % 2**64), out=z)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z ^= np.right_shift(z, np.uint64(shift), out=shifted)
            z *= np.uint64(factor)
        z ^= np.right_shift(z, np.uint64(31), out=shifted)
        yield first, z


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
    found = np.empty(count, np.float64)
    terms = np.empty((min(count, _BLOCK), _ONES.size), np.float32)
    for first, z in _blocks(seed, name, count * _NORMAL_TERMS):
        these, at = terms[:z.size // _NORMAL_TERMS], first // _NORMAL_TERMS
        these[...] = z.view(np.uint16).reshape(these.shape)
        sums = these @ _ONES  # exact in any order: they are below 2^20
        np.subtract(2 * sums, _ONES.size * 65535, out=found[at:at + sums.size])
    found *= 56765 * 2.0**-33  # sqrt(3)/2 to 16 bits, times 2^-17
    return found
