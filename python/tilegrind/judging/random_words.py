"""Random numbers by counter: element i depends on the seed, the name and i alone.

The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014), whose
output i is a function of the start and i.  Everything made of it is exact arithmetic on integers, so that each machine
and each version of numpy has the same bits.
"""

import hashlib

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_NORMAL_TERMS = 4  # words a number; each gives four 16-bit terms
_EACH_32 = np.uint64(0x0000FFFF0000FFFF)
_BLOCK = 4096      # numbers that are made at once: with their words they stay in the cache


def words(seed, name, count):
    """`count` random u64."""
    found = np.empty(count, np.uint64)
    for first, block in _blocks(seed, name, count, _NORMAL_TERMS * _BLOCK):
        found[first:first + block.size] = block
    return found


def _blocks(seed, name, count, most):
    """(index of the first, words) of each `most` words.  The words are in memory that the next ones take."""
    start = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "little")
    steps = np.arange(1, min(count, most) + 1, dtype=np.uint64) * _GAMMA
    made, scratch = np.empty_like(steps), np.empty_like(steps)
    for first in range(0, count, most):
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
    for first, z in _blocks(seed, name, count * _NORMAL_TERMS, _NORMAL_TERMS * _BLOCK):
        pairs = z & _EACH_32  # two sums in each word
        z >>= np.uint64(16)
        z &= _EACH_32
        pairs += z
        sums = pairs[0::4] + pairs[1::4] + pairs[2::4] + pairs[3::4]
        total = ((sums & np.uint64(0xFFFFFFFF)) + (sums >> np.uint64(32))).astype(np.int64)
        at = first // _NORMAL_TERMS
        found[at:at + total.size] = 2 * total - 4 * _NORMAL_TERMS * 65535
    found *= 56765 * 2.0**-33  # sqrt(3)/2 to 16 bits, times 2^-17
    return found
