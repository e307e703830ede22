"""Launches of Triton kernels with atomics: values, waits, and what races."""

import numpy as np
import pytest
import triton
import triton.language as tl
from arrays import Array

import tilegrind.triton as tg

ORDERS = ("sequential", "reversed", "interleaved:1")


def launched(kernel, grid, *arrays, order="sequential", **constants):
    """The findings of a launch with the detector of races."""
    with tg.interpreter(order, checks="races", findings="collect") as session:
        kernel[(grid,)](*map(Array, arrays), **constants)
    return session.findings


def ints(*values):
    return np.array(values, np.int32)


# ---- values ----


@triton.jit
def extremes(x, low, high, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.atomic_min(low + tl.zeros((N,), tl.int32), value)
    tl.atomic_max(high + tl.zeros((N,), tl.int32), value)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
def test_extremes(dtype):
    x = np.array([3, 1, 250, 7], np.uint8).astype(dtype) - np.array(2, dtype)
    low, high = np.full(1, 100, dtype), np.full(1, 100, dtype)
    assert launched(extremes, 1, x, low, high, N=4) == []
    assert (low[0], high[0]) == (min(100, x.min()), max(100, x.max()))


@triton.jit
def add_all(x, sums, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(sums + at % 2, tl.load(x + at), sem="relaxed")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_sums(dtype):
    x, sums = np.arange(16).astype(dtype), np.zeros(2, dtype)
    for order in ORDERS:
        sums[:] = 0
        assert launched(add_all, 4, x, sums, order=order, N=4) == []
        assert sums.tolist() == [56, 64]


@triton.jit
def claim(owners, tried, N: tl.constexpr):
    at = tl.arange(0, N)
    old = tl.atomic_cas(owners + at, tl.zeros((N,), tl.int32), tl.zeros((N,), tl.int32) + tl.program_id(0) + 1)
    tl.atomic_add(tried + at, (old == 0).to(tl.int32), mask=at < N - 1)


def test_each_element_is_claimed_once():
    for order in ORDERS:
        owners, tried = ints(0, 0, 9, 0), ints(0, 0, 0, 0)
        assert launched(claim, 3, owners, tried, order=order, N=4) == []
        assert owners[2] == 9 and set(owners[[0, 1, 3]]) <= {1, 2, 3}
        assert tried.tolist() == [1, 1, 0, 0]


# ---- waits ----


@triton.jit
def scan(x, flags, sums, SEM: tl.constexpr, SCOPE: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.load(x + pid)
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0, sem="acquire", scope=SCOPE) == 0:
            pass
        total += tl.load(sums + pid - 1)
    tl.store(sums + pid, total)
    tl.atomic_xchg(flags + pid, 1, sem=SEM, scope=SCOPE)


@pytest.mark.parametrize("sem, scope, races", [("release", "gpu", []), ("relaxed", "gpu", ["nothing orders the two"]),
                                               ("release", "cta", ["the scope is too small", "nothing orders the two"])])
@pytest.mark.parametrize("order", ORDERS)
def test_running_sums(sem, scope, races, order):
    x, flags, sums = ints(1, 2, 3, 4, 5, 6), ints(*[0] * 6), ints(*[0] * 6)
    findings = [one for one in launched(scan, 6, x, flags, sums, order=order, SEM=sem, SCOPE=scope) if one.kind != "assumes-resident"]
    assert sums.tolist() == [1, 3, 6, 10, 15, 21]
    assert {one.kind for one in findings} <= {"race"}
    assert all(any(text in one.message for one in findings) for text in races) and bool(findings) == bool(races)


@triton.jit
def locked(lock, x):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(x, tl.load(x) + 1)
    tl.atomic_store(lock, 0, sem="release")


@pytest.mark.parametrize("order", ORDERS)
def test_lock(order):
    lock, x = ints(0), ints(0)
    assert launched(locked, 20, lock, x, order=order) == []
    assert (lock[0], x[0]) == (0, 20)


@triton.jit
def never(flag):
    tl.atomic_poll(flag, 1, sem="acquire")
    tl.atomic_xchg(flag, 1)


def test_who_waits_for_itself_is_told():
    findings = launched(never, 2, ints(0))
    assert [one.kind for one in findings] == ["livelock"]
    assert findings[0].line == never.fn.__code__.co_firstlineno + 2
