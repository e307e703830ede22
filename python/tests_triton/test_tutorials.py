"""The runner of Triton's tutorials: what fails in one is told, and nothing else is."""

import pathlib
import sys

import pytest
import triton.testing
from triton._C.libtriton import nvidia

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conformance" / "triton"))
import tilegrind.triton  # noqa: E402
import tutorials  # noqa: E402

PROGRAM = '''
import numpy as np
import triton
import triton.language as tl
from triton.testing import Benchmark, perf_report


class Array:
    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data


@triton.jit
def fill(o, value):
    tl.store(o + tl.arange(0, 8), value)


@perf_report(Benchmark(["size"], [1], "provider", ["one"], ["one"], "name", {}))
def benchmark(size, provider):
    raise RuntimeError("a benchmark runs")


o = Array(np.zeros(8, np.int32))
fill[(1, )](o, 7)
benchmark.run(print_data=True)
'''


def run(monkeypatch, tmp_path, more, text="", **row):
    monkeypatch.setattr(triton.testing.Mark, "run", triton.testing.Mark.run)
    monkeypatch.setattr(nvidia.cublas, "CublasLt", nvidia.cublas.CublasLt)
    monkeypatch.setitem(tutorials.TUTORIALS, "one", tutorials.Tutorial(more, None, **row))
    path = tmp_path / "one.py"
    path.write_text(PROGRAM + text)
    tutorials.run_here(path, "all", "reversed")


def test_a_tutorial_runs_without_its_benchmarks(monkeypatch, tmp_path):
    seen = []
    run(monkeypatch, tmp_path, lambda module: seen.append(module.o.array.tolist()), "print('matches')", told=("matches",))
    assert seen == [[7] * 8]


@pytest.mark.parametrize("text, row", [("print('❌')", {}), ("", {"told": ("matches",)}), ("assert o is None", {}),
                                       ("assert o is None", {"fails_at": "x is None"})])
def test_a_tutorial_that_fails_is_told(monkeypatch, tmp_path, text, row):
    with pytest.raises(AssertionError):
        run(monkeypatch, tmp_path, lambda module: None, text, **row)


def test_a_test_that_is_wrong_on_a_cpu_may_fail(monkeypatch, tmp_path):
    seen = []
    run(monkeypatch, tmp_path, seen.append, "assert o is None", fails_at="o is None")
    assert len(seen) == 1


def test_a_finding_fails_a_tutorial(monkeypatch, tmp_path):
    with pytest.raises(tilegrind.triton.FindingError):
        run(monkeypatch, tmp_path, lambda module: None, "fill[(1, )](Array(np.zeros(4, np.int32)), 7)")


def test_a_row_compares_what_a_tutorial_gives(monkeypatch, tmp_path):
    def more(module):
        assert (module.o.array == 8).all()

    with pytest.raises(AssertionError):
        run(monkeypatch, tmp_path, more)


def test_an_unknown_name_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tutorials.py", "--triton", ".", "99"])
    with pytest.raises(SystemExit):
        tutorials.main()


def test_a_missing_tutorial_is_a_failure(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["tutorials.py", "--triton", str(tmp_path), "01"])
    assert tutorials.main() == 1
    assert "01-vector-add: FAILED\nthere is no" in capsys.readouterr().out
