"""Functions that Triton does not inline, prints and assertions, in Triton's own PTX."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
from conformance.triton.kernels.case import floats, integers, zeros

from tilegrind.triton import crosscheck
from tilegrind.triton.crosscheck_report import Report
from tilegrind.triton.ptx.printed import Printed, printed

TARGETS = (80, 90)


@triton.jit(noinline=True)
def halves(n):
    if n < 0:
        return -1, 0
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    return steps, n


@triton.jit(noinline=True)
def total(x, o, count, B: tl.constexpr):
    at = tl.arange(0, B)
    found = tl.sum(tl.load(x + at, mask=at < count, other=0.0))
    steps, _ = halves(count)
    tl.store(o + tl.program_id(0), found)
    return found + steps


@triton.jit
def calls(x, k, o, sums, B: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.load(k + pid)
    first, rest = halves(count)
    at = tl.arange(0, B)
    tl.store(o + pid * B + at, total(x, sums, count, B) + total(x + B, sums + 4, count, B) + at + first * 1000 + rest)


@pytest.mark.parametrize("target", TARGETS)
def test_functions_are_called(target):
    x, k, o, sums = floats(np.random.default_rng(1), 256), integers(np.random.default_rng(2), 4), zeros(512), zeros(8)
    k.array[:] = 128, 77, 5, -3
    done = crosscheck(calls, x, k, o, sums, grid=(4,), target=target, B=128)
    assert ".func" in done.ptx and "call.uni" in done.ptx
    assert done.within_ulps(4), done
    steps, rests = (np.repeat(numbers, 128) for numbers in ((7, 6, 2, -1), (1, 1, 1, 0)))
    read = [x.array[start:start + 128][:max(count, 0)].sum() for count in k.array for start in (0, 128)]
    wanted = np.repeat(np.add(read[::2], read[1::2]), 128) + 2 * steps + np.tile(np.arange(128), 4) + 1000 * steps + rests
    assert np.allclose(o.array, wanted, atol=1e-3)


@triton.jit
def prints(x, k, o, B: tl.constexpr):
    at = tl.arange(0, B)
    value = tl.load(x + at)
    tl.device_print("value", value)
    tl.device_print("", tl.load(k + at), tl.program_id(0))
    tl.device_print("hex", tl.load(k + at).to(tl.uint16), hex=True)
    tl.store(o + at, value)


@pytest.mark.parametrize("target", TARGETS)
def test_printed_lines_are_compared(target, capsys):
    x, k = floats(np.random.default_rng(1), 64), integers(np.random.default_rng(2), 64, below=5000)
    done = crosscheck(prints, x, k, zeros(64), grid=(1,), target=target, B=64)
    assert done.equal and done.prints is None, done
    assert "vprintf" in done.ptx and len(set(capsys.readouterr().out.splitlines())) == 64 * 4 - 63


@triton.jit
def prints_rounded(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    value = tl.exp(tl.load(x + at) * 20.0) * 1e30
    tl.device_print("value", value)
    tl.store(o + at, value)


def test_printed_lines_that_differ_are_told(capsys):
    x = floats(np.random.default_rng(1), 128)
    done = crosscheck(prints_rounded, x, zeros(128), grid=(1,), B=128)
    assert done.prints and not done.equal and done.within_ulps(100)
    assert "by the reference alone, as 'pid (0, 0, 0) idx (" in str(done)
    for ulps, verdict in ((0, "different"), (100, "within")):
        report = Report(ulps, 0.0, names=False)
        report.tell(done)
        assert report.verdict(done) == verdict
        assert f"{verdict}\n" in capsys.readouterr().out


def test_lines_are_compared_as_a_set(tmp_path):
    assert printed("a\nb\na\n", "b\na\n") is None
    assert printed("p: 0x00007f0012345678\n", "p: 0x00007f00ffffffff\n") is None
    assert printed("p: 0x12\n", "") == Printed(("p: 0x12",), ())
    assert str(printed("a\n", "c\nb\n")) == "printed lines: 1 by the reference alone, as 'a', 2 by Triton's PTX alone, as 'b'"


@triton.jit(debug=True)
def asserts(k, o, B: tl.constexpr):
    at = tl.arange(0, B)
    value = tl.load(k + at)
    tl.device_assert(value >= 0, "negative")
    tl.store(o + at, value)


@pytest.mark.parametrize("target", TARGETS)
def test_assertions(target, tmp_path):
    k = integers(np.random.default_rng(2), 128)
    k.array[:] = abs(k.array)
    assert crosscheck(asserts, k, zeros(128, dtype="int32"), grid=(1,), target=target, B=128).equal
    k.array[77] = -1
    done = crosscheck(asserts, k, zeros(128, dtype="int32"), grid=(1,), target=target, B=128)
    assert done.trap.kind == "assertion" and done.trap.message.startswith("negative (") and not done.equal
    assert any("negative" in str(finding) for finding in done.findings)
    report = Report(0, 0.0, names=False)
    report.tell(done)
    report.write(tmp_path / "report.json", 1)
    told = json.loads((tmp_path / "report.json").read_text())["results"][0]
    assert told["trap"]["kind"] == "assertion" and told["prints"] is None
