"""Triton kernels with locks, chains of programs that wait for the one before, and waits that nobody ends."""

from __future__ import annotations

import numpy as np

from conformance.defects.corpus import Finding, race
from conformance.defects.triton_kernels import at, triton_defect

try:
    import triton.language as tl
except ImportError:  # only Triton looks into these functions
    tl = None


def zeros(*counts):
    return [np.zeros(count, np.int32) for count in counts]


# Three programs count in `x` under a lock.
LOCKED = {"grid": 3, "inputs": zeros(1, 1)}
UNLOCKED = (race("x", (0,), at("write", 0), at("read", 1)), race("x", (0,), at("write", 0), at("write", 1)))


def counted(lock, x):
    return {"x": x + 3}


@triton_defect("the lock is taken by a relaxed compare-and-swap, so that what is behind it may begin too early", *UNLOCKED, **LOCKED)
class LockTakenRelaxed:
    def broken(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="relaxed") != 0:
            pass
        old = tl.load(x)  # <read>
        tl.store(x, old + 1)  # <write>
        tl.atomic_xchg(lock, 0, sem="release")

    def repaired(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="acquire") != 0:
            pass
        old = tl.load(x)
        tl.store(x, old + 1)
        tl.atomic_xchg(lock, 0, sem="release")

    outputs = counted


@triton_defect("the lock is given back by a relaxed exchange, so that what is before it may end too late", *UNLOCKED, **LOCKED)
class LockGivenBackRelaxed:
    def broken(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="acquire") != 0:
            pass
        old = tl.load(x)  # <read>
        tl.store(x, old + 1)  # <write>
        tl.atomic_xchg(lock, 0, sem="relaxed")

    def repaired(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="acquire") != 0:
            pass
        old = tl.load(x)
        tl.store(x, old + 1)
        tl.atomic_xchg(lock, 0, sem="release")

    outputs = counted


@triton_defect("the lock is given back by a plain store, as in kernels that were written before there were atomic stores",
               race("lock", (0,), at("give", 0), at("take", 1)), *UNLOCKED, **LOCKED)
class LockGivenBackByStore:
    def broken(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="acquire") != 0:  # <take>
            pass
        old = tl.load(x)  # <read>
        tl.store(x, old + 1)  # <write>
        tl.store(lock, 0)  # <give>

    def repaired(lock, x):
        while tl.atomic_cas(lock, 0, 1, sem="acquire") != 0:
            pass
        old = tl.load(x)
        tl.store(x, old + 1)
        tl.atomic_store(lock, 0, sem="release")

    outputs = counted


@triton_defect("the value is read before the lock is taken", race("x", (0,), at("write", 0), at("read", 1)), **LOCKED)
class ReadBeforeLock:
    def broken(lock, x):
        old = tl.load(x)  # <read>
        while tl.atomic_cas(lock, 0, 1) != 0:
            pass
        tl.store(x, old + 1)  # <write>
        tl.atomic_xchg(lock, 0)

    def repaired(lock, x):
        while tl.atomic_cas(lock, 0, 1) != 0:
            pass
        old = tl.load(x)
        tl.store(x, old + 1)
        tl.atomic_xchg(lock, 0)

    outputs = counted


# Each program adds to what the one before has left: running sums.
CHAIN = {"grid": 4, "inputs": [np.arange(1, 5, dtype=np.int32), *zeros(4, 4)]}


def summed(x, flags, sums):
    return {"flags": flags + 1, "sums": np.cumsum(x, dtype=np.int32)}


@triton_defect("each program tells the next one by a relaxed exchange that its sum is there",
               race("sums", (0,), at("leave", 0), at("before", 1)), **CHAIN)
class ChainRelaxed:
    def broken(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid - 1, 0, sem="acquire") == 0:
                pass
            total += tl.load(sums + pid - 1)  # <before>
        tl.store(sums + pid, total)  # <leave>
        tl.atomic_xchg(flags + pid, 1, sem="relaxed")

    def repaired(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid - 1, 0, sem="acquire") == 0:
                pass
            total += tl.load(sums + pid - 1)
        tl.store(sums + pid, total)
        tl.atomic_xchg(flags + pid, 1, sem="release")

    outputs = summed


@triton_defect("each program tells the next one before its sum is there", race("sums", (0,), at("leave", 0), at("before", 1)), **CHAIN)
class ChainTooEarly:
    def broken(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid - 1, 0) == 0:
                pass
            total += tl.load(sums + pid - 1)  # <before>
        tl.atomic_xchg(flags + pid, 1)
        tl.store(sums + pid, total)  # <leave>

    def repaired(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid - 1, 0) == 0:
                pass
            total += tl.load(sums + pid - 1)
        tl.store(sums + pid, total)
        tl.atomic_xchg(flags + pid, 1)

    outputs = summed


@triton_defect("a program waits for its own flag instead of that of the program before",
               Finding("livelock", "wait", (0, 0, 1), "flags", (1,)), **CHAIN)
class WaitForItself:
    def broken(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid, 0) == 0:  # <wait>
                pass
            total += tl.load(sums + pid - 1)
        tl.store(sums + pid, total)
        tl.atomic_xchg(flags + pid, 1)

    def repaired(x, flags, sums):
        pid = tl.program_id(0)
        total = tl.load(x + pid)
        if pid > 0:
            while tl.atomic_add(flags + pid - 1, 0) == 0:
                pass
            total += tl.load(sums + pid - 1)
        tl.store(sums + pid, total)
        tl.atomic_xchg(flags + pid, 1)

    outputs = summed


@triton_defect("a barrier of all programs counts to one more than there are", Finding("livelock", "wait", (0, 0, 0), "count", (0,)),
               grid=3, inputs=zeros(1, 3))
class BarrierOfTooMany:
    def broken(count, out):
        tl.atomic_add(count, 1, sem="release")
        while tl.atomic_load(count, sem="acquire") != tl.num_programs(0) + 1:  # <wait>
            pass
        tl.store(out + tl.program_id(0), 1)

    def repaired(count, out):
        tl.atomic_add(count, 1, sem="release")
        while tl.atomic_load(count, sem="acquire") != tl.num_programs(0):
            pass
        tl.store(out + tl.program_id(0), 1)

    def outputs(count, out):
        return {"count": count + 3, "out": out + 1}
