"""Triton kernels whose arithmetic goes wrong where an index, a branch or an output depends on it, or that give one element several values."""

from __future__ import annotations

import numpy as np

from conformance.defects.corpus import Finding, race
from conformance.defects.triton_kernels import at, triton_defect

try:
    import triton.language as tl
except ImportError:  # only Triton looks into these functions
    tl = None


def ints(*numbers):
    return np.array(numbers, np.int32)


def floats(*numbers):
    return np.array(numbers, np.float32)


def wrong(kind, line, program=0, param=None):
    return Finding(kind, line, (0, 0, program), param)


@triton_defect("an offset in a large table wraps around in 32 bits", wrong("integer-overflow", "place", 3), also=["access-outside-ref"],
               grid=4, inputs=[ints(1, 2, 3, 4, 5), ints(0, 0, 0, 0), np.int32(5)])
class PlaceInATable:
    def broken(table, o, n):
        pid = tl.program_id(0)
        tl.store(o + pid, tl.load(table + pid * 1000000007 % n))  # <place>

    def repaired(table, o, n):
        pid = tl.program_id(0)
        tl.store(o + pid, tl.load(table + pid.to(tl.int64) * 1000000007 % n))

    def outputs(table, o, n):
        return {"o": table[np.arange(4) * 1000000007 % n]}


@triton_defect("the mean of a segment divides by its length, also where the segment is empty", wrong("division-by-zero", "divide", 1),
               grid=3, inputs=[ints(6, 5, 8), ints(2, 0, 4), ints(0, 0, 0)])
class MeanOfAnEmptySegment:
    def broken(sums, lengths, o):
        pid = tl.program_id(0)
        length = tl.load(lengths + pid)
        tl.store(o + pid, tl.where(length > 0, tl.load(sums + pid) // length, 0))  # <divide>

    def repaired(sums, lengths, o):
        pid = tl.program_id(0)
        length = tl.load(lengths + pid)
        tl.store(o + pid, tl.where(length > 0, tl.load(sums + pid) // tl.maximum(length, 1), 0))

    def outputs(sums, lengths, o):
        return {"o": ints(3, 0, 2)}


@triton_defect("a mask of the lowest bits is made by a shift, also one of all 32", wrong("shift-too-far", "shift"), grid=1,
               inputs=[ints(4, 8, 16, 32), np.zeros(4, np.int32)])
class MaskOfAllBits:
    def broken(widths, o):
        at = tl.arange(0, 4)
        tl.store(o + at, (1 << tl.load(widths + at)) - 1)  # <shift>

    def repaired(widths, o):
        at = tl.arange(0, 4)
        width = tl.load(widths + at)
        tl.store(o + at, tl.where(width < 32, (1 << (width & 31)) - 1, -1))

    def outputs(widths, o):
        return {"o": ints(15, 255, 65535, -1)}


@triton_defect("a value beyond the last bin of a histogram has a number that an integer cannot hold", wrong("float-to-int-range", "number"),
               grid=1, inputs=[floats(0.5, 1.5, 3e10, 2.5), np.zeros(4, np.int32)])
class BinOfAGreatNumber:
    def broken(x, o):
        at = tl.arange(0, 4)
        tl.store(o + at, tl.minimum(tl.load(x + at).to(tl.int32), 3))  # <number>

    def repaired(x, o):
        at = tl.arange(0, 4)
        tl.store(o + at, tl.minimum(tl.load(x + at), 3.0).to(tl.int32))

    def outputs(x, o):
        return {"o": ints(0, 1, 3, 2)}


@triton_defect("lanes of one bin store what they have counted, each its own", wrong("scatter-duplicates", "store", param="counts"),
               grid=1, inputs=[ints(2, 0, 2, 5, 2, 1, 7, 7), np.zeros(8, np.int32)])
class CountsByStore:
    def broken(bins, counts):
        at = tl.arange(0, 8)
        bin = tl.load(bins + at)
        tl.store(counts + bin, tl.cumsum(tl.full([8], 1, tl.int32)))  # <store>

    def repaired(bins, counts):
        tl.atomic_add(counts + tl.load(bins + tl.arange(0, 8)), 1)

    def outputs(bins, counts):
        return {"counts": np.bincount(bins, minlength=8).astype(np.int32)}


@triton_defect("kept elements move together, and those that are not kept go to the same places", wrong("scatter-duplicates", "store", param="o"),
               grid=1, inputs=[ints(3, -1, 4, -1, 5, 9, -2, 6), np.zeros(8, np.int32)])
class CompactionWithoutAMask:
    def broken(x, o):
        value = tl.load(x + tl.arange(0, 8))
        kept = (value > 0).to(tl.int32)
        tl.store(o + tl.cumsum(kept) - kept, value)  # <store>

    def repaired(x, o):
        value = tl.load(x + tl.arange(0, 8))
        kept = (value > 0).to(tl.int32)
        tl.store(o + tl.cumsum(kept) - kept, value, mask=kept != 0)

    def outputs(x, o):
        return {"o": np.concatenate([x[x > 0], np.zeros(3, np.int32)])}


@triton_defect("an index that the caller gives is asserted to be in the table, and one is not", wrong("check-failed", "assert", 1), grid=2,
               inputs=[ints(10, 20, 30, 40), ints(3, 4), ints(0, 0), np.int32(4)], also=["access-outside-ref", "undefined-output"])
class IndexBeyondTheTable:
    def broken(table, indices, o, n):
        pid = tl.program_id(0)
        index = tl.load(indices + pid)
        tl.device_assert(index < n, "index")  # <assert>
        tl.store(o + pid, tl.load(table + index))

    def repaired(table, indices, o, n):
        pid = tl.program_id(0)
        index = tl.minimum(tl.load(indices + pid), n - 1)
        tl.device_assert(index < n, "index")
        tl.store(o + pid, tl.load(table + index))

    def outputs(table, indices, o, n):
        return {"o": ints(40, 40)}


@triton_defect("each program that finds a negative number sets the flag", race("flag", (0,), at("set", 0), at("set", 1), "race-same-value"),
               thread="fla-org/flash-linear-attention#1018", grid=2, inputs=[floats(1, -1, -2, 3), ints(0)])
class FlagOfSeveralPrograms:
    def broken(x, flag):
        negative = tl.load(x + tl.program_id(0) * 2 + tl.arange(0, 2)) < 0
        if tl.max(negative.to(tl.int32)) != 0:
            tl.store(flag, 1)  # <set>

    def repaired(x, flag):
        negative = tl.load(x + tl.program_id(0) * 2 + tl.arange(0, 2)) < 0
        if tl.max(negative.to(tl.int32)) != 0:
            tl.atomic_max(flag, 1)

    def outputs(x, flag):
        return {"flag": ints(1)}
