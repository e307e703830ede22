"""What stands before the programs of a file: what they import, and the functions that they call."""

HEAD = '''import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def keep_odd(a, b):
    return tl.where(b % 2 != 0, b, a)


@triton.jit
def recur(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def mixed(a, b):
    return (a ^ b) + ((a & b) << 1)  # a + b: no order of a reduction may change it


@triton.jit
def both_ends(a, b, c, d):
    return tl.minimum(a, c), tl.maximum(b, d)


@triton.jit
def first_largest(value, at, other, other_at):
    keep = (value > other) | ((value == other) & (at < other_at))
    return tl.where(keep, value, other), tl.where(keep, at, other_at)


@triton.jit
def larger(a, b):
    if a > b:
        return a
    return b


@triton.jit
def several(a, b):
    if b > 0:
        return a + b, a
    return a - b, b


@triton.jit
def early(a, b, turns):
    if turns == 1:
        return a ^ b
    if turns > 2:
        c = a - b
        for turn in range(turns):
            c = c * 3 + turn
        return c
    return a + 7


@triton.jit
def outer_of(a, pair):
    low, high = pair
    c, d = several(low, high)
    return a * c + d


@triton.jit(noinline=True)
def apart(a, b):
    return a * 5 - b


@triton.jit(noinline=True)
def apart_of_apart(a, b):
    return apart(b, a) ^ apart(a, 3)


@triton.jit
def fetched(pointer, at, count: tl.constexpr):
    total = tl.load(pointer + at)
    for step in tl.static_range(1, count):
        total += tl.load(pointer + at) * step
    return total


@triton.jit
def on_element(a, b):
    if a > b:
        c = a - b
    else:
        c = b * 2
    return c


@triton.jit
def on_two(a, b):
    if a < 0:
        return b, a
    return a, a ^ b
'''
