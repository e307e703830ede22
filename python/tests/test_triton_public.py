"""How results of public suites of Triton kernels are judged, and what the recorder of a session writes; running the suites needs checkouts."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

from conformance.triton import public, sizes, suites

pytest_plugins = ["pytester"]

RACE = "race in k, k.py:3"
KNOWN = public.Known([suites.Expected("x.py::test_gpu*", "needs a GPU"), suites.Expected("x.py::test_random", "random numbers", some=True)],
                     frozenset([RACE]), [suites.Expected("x.py::test_big*", "too large")])
TESTS = """
import time
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_skips(): pytest.skip("no such thing")
@pytest.mark.xfail
def test_expected(): assert False
def test_endless():
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass
@pytest.fixture
def broken():
    yield
    raise ValueError("behind it")
def test_broken(broken): pass
@pytest.mark.parametrize("n", [1, 100000, 1000001])
def test_sizes(n): pass
"""


def line(test, outcome="passed", **more):
    return {"test": test, "outcome": outcome, "why": "", "runs": 1, "refused": [], "findings": [], **more}


def result_of(*lines):
    return public.judged("f", [*({"began": one["test"]} for one in lines), *lines], KNOWN)


def test_outcomes_are_counted():
    result = result_of(line("a"), line("b", runs=0), line("c", "skipped"), line("d", "slow"), line("e", "failed", findings=[RACE]),
                       line("f", "failed", why="1 != 2\nmore"), line("x.py::test_gpu", "failed"), line("x.py::test_big1", "left"))
    assert result.row() == {"file": "f", "tests": 8, "passed": 2, "executed": 2, "skipped": 1, "expected": 1, "left": 1, "failed": 1,
                            "slow": 1, "findings": 1, "reasons": {"needs a GPU": 1, "too large": 1}, "found": {RACE: 1}}
    assert result.surprises == {"f": "1 != 2 more"}


def test_a_finding_that_nobody_judged_is_a_surprise():
    assert result_of(line("a", "failed", findings=[RACE, "race in k, k.py:4"])).surprises == {"a": "race in k, k.py:4"}


def test_what_is_too_large_is_told():
    known = public.Known([], frozenset(), [suites.Expected("a*", "by its name")], 1000)
    assert [known.why_left(test) for test in ("a[1]", "b[B2-T500]", "b[B2-T501]")] == [
        "by its name", None, "the numbers in its name multiply to more than 1000"]
    assert public.leaving(known) == ["--tilegrind-leave=a*", "--tilegrind-largest=1000"]


@pytest.mark.parametrize("test, size", [
    ("f.py::test_2d", 1), ("t[B2-T63-H4-torch.float16]", 2 * 63 * 4), ("t[H4-D60-mask_p0-cu_seqlens[0, 15, 100]-scale0.1]", 4 * 60 * 100),
    ("t[B2_T64_D128_W3_activationswish]", 2 * 64 * 128 * 3), ("t[2-128-1e-05-dtype2-chunk_size64]", 2 * 128), ("t[3-None-0.25]", 3)])
def test_sizes_are_those_that_names_say(test, size):
    assert sizes.size_of(test) == size


def test_what_passes_against_what_is_known():
    assert result_of(line("x.py::test_gpu"), line("x.py::test_random")).surprises == {
        "x.py::test_gpu": "passes, and is expected to fail: needs a GPU"}


def test_a_file_without_tests_is_no_success():
    assert public.judged("f", [], KNOWN).surprises == {"f": "no test ran"}


@pytest.fixture
def recorded(pytester, monkeypatch):
    """The lines that the recorder writes for TESTS, by test."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "conformance" / "triton"), str(ROOT), str(ROOT / "python")]))
    pytester.makepyfile(test_it=TESTS)
    pytester.runpytest_subprocess("-p", "public_plugin", "-p", "no:cacheprovider", "--tilegrind-record=record", "--tilegrind-seconds=1",
                                  "--tilegrind-leave=*sizes[*000]", "--tilegrind-largest=1000000", timeout=60)
    lines = [json.loads(one) for one in (pytester.path / "record").read_text().splitlines()]
    return {one["test"].partition("::")[2]: one for one in lines if "test" in one}


def test_the_recorder_tells_how_each_test_ends(recorded):
    assert {name: one["outcome"] for name, one in recorded.items()} == {
        "test_passes": "passed", "test_fails": "failed", "test_skips": "skipped", "test_expected": "xfailed", "test_endless": "slow",
        "test_broken": "failed", "test_sizes[1]": "passed", "test_sizes[100000]": "left", "test_sizes[1000001]": "left"}
    assert recorded["test_fails"]["why"].startswith("assert 1 == 2") and "no such thing" in recorded["test_skips"]["why"]
    assert "takes longer than 1 s" in recorded["test_endless"]["why"]


def test_modules_that_cannot_be_imported_are_told(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "conformance" / "triton"), str(ROOT), str(ROOT / "python")]))
    pytester.makepyfile(test_it="import no_such_module")
    pytester.runpytest_subprocess("-p", "public_plugin", "-p", "no:cacheprovider", "--tilegrind-record=record", timeout=60)
    lines = [json.loads(one) for one in (pytester.path / "record").read_text().splitlines()]
    assert [one["outcome"] for one in lines if "test" in one] == ["failed"]
    assert "No module named 'no_such_module'" in next(one["why"] for one in lines if "test" in one)


def test_stored_rows_of_other_files_stay(tmp_path):
    path = tmp_path / "results.json"
    for name in ("b", "a", "b"):
        path.write_text(public.stored(path, [public.Result(name)], False))
    assert [row["file"] for row in json.loads(path.read_text())["files"]] == ["a", "b"]


def test_files_are_chosen(tmp_path):
    for name in ("test/transformers/test_a.py", "test/transformers/deep/test_b.py", "test/other/test_c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert public.files_of(public.SUITES[0], tmp_path, []) == ["test/transformers/deep/test_b.py", "test/transformers/test_a.py"]
    assert public.files_of(public.SUITES[0], tmp_path, ["test_a"]) == ["test/transformers/test_a.py"]


def test_what_is_no_checkout(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "conformance" / "triton" / "public.py", "--liger", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "has no such test files of liger" in done.stderr


@pytest.mark.parametrize("suite", public.SUITES, ids=lambda suite: suite.name)
def test_what_is_known_has_reasons(suite):
    known = public.Known.of(suite)
    assert all(one.tests and one.reason for one in known.expected + known.left)


@pytest.mark.parametrize("suite", public.SUITES, ids=lambda suite: suite.name)
def test_stored_results_have_the_columns_of_the_table(suite):
    path = ROOT / "conformance" / "triton" / f"public_{suite.name}.json"
    judged = public.Known.of(suite).findings
    for file in json.loads(path.read_text())["files"] if path.exists() else []:
        assert set(file) == {"file", *public.COLUMNS, "reasons", "found"} and file["tests"] >= file["passed"]
        assert file["failed"] == 0 and judged.issuperset(file["found"]), file["file"]
