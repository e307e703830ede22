"""One kernel for each construct of the text of TTIR.  tests/data/triton/ holds the texts that versions of Triton make of them."""

import triton
import triton.language as tl
from arrays import iota, zeros


@triton.jit
def cached(x, o, n, B: tl.constexpr):
    """Loads and stores with hints, masks, and a value for masked lanes."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n, other=1.5, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(o + at, v, mask=at < n, cache_modifier=".wt", eviction_policy="evict_last")


@triton.jit
def halved(v, t: tl.constexpr):
    """A device function, with an early return."""
    if t == 0:
        return v
    return v / 2


@triton.jit(noinline=True)
def twice(v):
    return v + v


@triton.jit
def calls(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, halved(tl.load(x + at), 1) * twice(tl.load(x)))


@triton.jit
def early(x, o, n, B: tl.constexpr):
    """Blocks and branches."""
    pid = tl.program_id(0)
    if pid >= n:
        return
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at))


@triton.jit
def loops(x, o, n, B: tl.constexpr):
    """for with carries, while, if with results."""
    at = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for i in tl.range(0, n, 1, num_stages=2):
        total += tl.load(x + at) * i
    j = n
    while j > 1:
        if j % 2 == 0:
            j = j // 2
        else:
            j = j - 1
    tl.store(o + at, total + j)


@triton.jit
def reduced(x, o, B: tl.constexpr):
    """Operations in generic form, with regions: reduce with two operands, scan, literals."""
    at = tl.arange(0, B)
    v = tl.load(x + at)
    best = tl.argmax(v, 0)
    tl.store(o + at, tl.cumsum(v, 0) + best + tl.max(v, 0) + float("-inf") * 0)


@triton.jit
def shaped(x, o, B: tl.constexpr):
    """Attributes with arrays and types, casts, several results."""
    rows, columns = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    v = tl.load(x + rows * B + columns)
    a, b = tl.split(tl.reshape(tl.trans(v), (B, B // 2, 2)))
    joined = tl.reshape(tl.join(b, a), (B, B))
    tl.store(o + rows * B + columns, tl.dot(joined, v, input_precision="ieee").to(tl.float16).to(tl.float32))


@triton.jit
def atomics(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.atomic_add(o + at, tl.load(x + at), sem="relaxed", scope="cta")
    tl.atomic_cas(o.to(tl.pointer_type(tl.int32)), 0, 1)


@triton.jit
def told(x, o, B: tl.constexpr):
    """Texts: print and assert."""
    at = tl.arange(0, B)
    v = tl.load(x + at)
    tl.device_assert(v >= 0, 'not "negative"')
    tl.device_print("v\\t", v)
    tl.store(o + at, v)


def _vectors(kernel, *more, grid=(2,), n=16, **meta):
    return lambda: kernel[grid](iota(n), zeros(n), *more, B=16, **meta)


LAUNCHES = {"cached": _vectors(cached, 10), "calls": _vectors(calls), "early": _vectors(early, 5), "loops": _vectors(loops, 7),
            "reduced": _vectors(reduced), "shaped": lambda: shaped[(1,)](iota(16, 16), zeros(16, 16), B=16),
            "atomics": _vectors(atomics), "told": _vectors(told)}
