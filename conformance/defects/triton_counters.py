"""Triton kernels that count by atomics: which program is the last one, which takes the next piece of work, and which has the greatest value."""

from __future__ import annotations

import numpy as np

from conformance.defects.corpus import race
from conformance.defects.triton_kernels import at, triton_defect

try:
    import triton.language as tl
except ImportError:  # only Triton looks into these functions
    tl = None


def zeros(*counts):
    return [np.zeros(count, np.int32) for count in counts]


# Each of four programs leaves a part, and the last one adds them.
PARTS = {"grid": 4, "inputs": zeros(4, 1, 1)}


def added(parts, count, total):
    return {"parts": np.array([1, 2, 3, 4], np.int32), "count": count + 4, "total": total + 10}


def gathered(*pairs):
    return [race("parts", (0,), at("leave", 0), at("gather", 3)), *pairs]


@triton_defect("the counter that tells the last program is relaxed, so that what others have left need not be there", *gathered(), **PARTS)
class LastOneRelaxed:
    def broken(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)  # <leave>
        if tl.atomic_add(count, 1, sem="relaxed") == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))  # <gather>

    def repaired(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)
        if tl.atomic_add(count, 1, sem="acq_rel") == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))

    outputs = added


@triton_defect("the counter only releases: the last program does not take on what others have left", *gathered(), **PARTS)
class LastOneReleases:
    def broken(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)  # <leave>
        if tl.atomic_add(count, 1, sem="release") == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))  # <gather>

    def repaired(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)
        if tl.atomic_add(count, 1) == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))

    outputs = added


@triton_defect("the program with the highest number is taken for the last one, whatever the counter says", *gathered(), **PARTS)
class LastOneByNumber:
    def broken(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)  # <leave>
        tl.atomic_add(count, 1)
        if pid == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))  # <gather>

    def repaired(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)
        if tl.atomic_add(count, 1) == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))

    outputs = added


@triton_defect("a program counts before it has left its part", *gathered(), **PARTS)
class CountedTooEarly:
    def broken(parts, count, total):
        pid = tl.program_id(0)
        before = tl.atomic_add(count, 1)
        tl.store(parts + pid, pid + 1)  # <leave>
        if before == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))  # <gather>

    def repaired(parts, count, total):
        pid = tl.program_id(0)
        tl.store(parts + pid, pid + 1)
        before = tl.atomic_add(count, 1)
        if before == tl.num_programs(0) - 1:
            tl.store(total, tl.sum(tl.load(parts + tl.arange(0, 4))))

    outputs = added


@triton_defect("a sum is made by atomics of scope cta, which lose what other programs add",
               race("total", (0,), at("add", 0), at("add", 1)), grid=4, inputs=[np.arange(8, dtype=np.int32), *zeros(1)])
class SumOfScopeCta:
    def broken(x, total):
        part = tl.load(x + tl.program_id(0) * 2 + tl.arange(0, 2))
        tl.atomic_add(total, tl.sum(part), sem="relaxed", scope="cta")  # <add>

    def repaired(x, total):
        part = tl.load(x + tl.program_id(0) * 2 + tl.arange(0, 2))
        tl.atomic_add(total, tl.sum(part), sem="relaxed", scope="gpu")

    def outputs(x, total):
        return {"total": total + 28}


@triton_defect("a histogram is counted by loads and stores",
               race("bins", (0,), at("write", 0), at("read", 1)), race("bins", (0,), at("write", 0), at("write", 1)),
               grid=2, inputs=[np.array([0, 1, 2, 3, 0, 1, 2, 3], np.int32), *zeros(4)],
               also=["race-same-value"])
class HistogramByStores:
    def broken(x, bins):
        where = bins + tl.load(x + tl.program_id(0) * 4 + tl.arange(0, 4))
        count = tl.load(where)  # <read>
        tl.store(where, count + 1)  # <write>

    def repaired(x, bins):
        where = bins + tl.load(x + tl.program_id(0) * 4 + tl.arange(0, 4))
        tl.atomic_add(where, 1, sem="relaxed")

    def outputs(x, bins):
        return {"bins": bins + 2}


@triton_defect("the greatest value is kept by a load and a store",
               race("most", (0,), at("write", 0), at("read", 1)), race("most", (0,), at("write", 0), at("write", 1)),
               grid=4, inputs=[np.array([3, 9, 4, 1], np.int32), *zeros(1)],
               also=["race-same-value"])
class GreatestByStore:
    def broken(x, most):
        value = tl.load(x + tl.program_id(0))
        old = tl.load(most)  # <read>
        tl.store(most, tl.maximum(old, value))  # <write>

    def repaired(x, most):
        value = tl.load(x + tl.program_id(0))
        tl.atomic_max(most, value, sem="relaxed")

    def outputs(x, most):
        return {"most": most + 9}


@triton_defect("programs take pieces of work from a queue by a load and a store, so that two may take one",
               race("head", (0,), at("move", 0), at("next", 1)), race("head", (0,), at("move", 0), at("move", 1)),
               grid=4, inputs=zeros(1, 4),
               also=["race-same-value"])
class QueueByStore:
    def broken(head, done):
        piece = tl.load(head)  # <next>
        tl.store(head, piece + 1)  # <move>
        tl.atomic_add(done + piece, 1, sem="relaxed")

    def repaired(head, done):
        piece = tl.atomic_add(head, 1, sem="relaxed")
        tl.atomic_add(done + piece, 1, sem="relaxed")

    def outputs(head, done):
        return {"head": head + 4, "done": done + 1}


@triton_defect("two pieces of work share an element of the output",
               race("done", (0,), at("leave", 0), at("leave", 1)), grid=4, inputs=[np.arange(4, dtype=np.int32), *zeros(1, 4)])
class QueueOfSharedPlaces:
    def broken(x, head, done):
        piece = tl.atomic_add(head, 1, sem="relaxed")
        tl.store(done + piece // 2, tl.load(x + piece) + 1)  # <leave>

    def repaired(x, head, done):
        piece = tl.atomic_add(head, 1, sem="relaxed")
        tl.store(done + piece, tl.load(x + piece) + 1)

    def outputs(x, head, done):
        return {"head": head + 4, "done": np.arange(1, 5, dtype=np.int32)}


@triton_defect("a plain load reads the count while others still count", race("count", (0,), at("count", 0), at("read", 1)),
               grid=4, inputs=zeros(1, 4))
class CountReadByLoad:
    def broken(count, seen):
        tl.atomic_add(count, 1, sem="relaxed")  # <count>
        tl.store(seen + tl.program_id(0), tl.load(count) > 0)  # <read>

    def repaired(count, seen):
        tl.atomic_add(count, 1, sem="relaxed")
        tl.store(seen + tl.program_id(0), tl.atomic_load(count, sem="relaxed") > 0)

    def outputs(count, seen):
        return {"count": count + 4, "seen": seen + 1}
