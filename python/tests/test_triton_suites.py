"""How the results of Triton's own tests are judged; running them needs a checkout of Triton."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

from conformance.triton import run, suites

KNOWN = [suites.Expected("test_core.py::test_scan[bf16-*]", "the order of sums is open"), suites.Expected("*::test_gpu*", "needs a GPU"),
         suites.Expected("x.py::test_random?", "random numbers", some=True)]


def line(test, outcome="passed", **more):
    return {"test": test, "outcome": outcome, "why": "", "runs": 1, "refused": [], "findings": [], **more}


def result_of(*lines, began=None):
    started = began or [one["test"] for one in lines]
    return run.judged("f", [{"collected": started}, *({"began": one} for one in started), *lines], KNOWN)


def test_outcomes_are_counted():
    result = result_of(line("a"), line("b", runs=0), line("c", "skipped"), line("d", "xfailed"), line("e", findings=["race in k"]),
                       line("f", "failed", why="1 != 2\nmore"), line("g", "failed", why="x", refused=["k.py:3: tt.dot: no"]))
    assert result.row() == {"file": "f", "tests": 7, "passed": 3, "executed": 2, "skipped": 2, "expected": 0, "failed": 2, "findings": 1,
                            "reasons": {}}
    assert result.surprises == {"f": "1 != 2 more", "g": "k.py:3: tt.dot: no"}


def test_expected_failures():
    result = result_of(line("test_core.py::test_scan[bf16-1]", "failed"), line("x.py::test_gpu", "failed"), line("x.py::test_gpu_too"))
    assert (result.counts["expected"], result.counts["failed"]) == (2, 0)
    assert result.reasons == {"the order of sums is open": 1, "needs a GPU": 1}
    assert result.surprises == {"x.py::test_gpu_too": "passes, and is expected to fail: needs a GPU"}


def test_tests_that_name_cuda(tmp_path, monkeypatch):
    monkeypatch.setattr(suites, "EXPECTED", tmp_path / "expected.toml")
    assert suites.naming_cuda(["x.py::test_pinned"]) == set()
    suites.EXPECTED.write_text('cuda = ["x.py::test_pinned*"]\n')
    assert suites.naming_cuda(["x.py::test_pinned[1]", "y.py::test_pinned", "x.py::test_add"]) == {"x.py::test_pinned[1]"}
    assert suites.expected() == []


def test_of_some_tests_it_is_open_whether_they_fail():
    result = result_of(line("x.py::test_random?", "failed"), line("x.py::test_randoms", "failed", why="1 != 2"))
    assert (result.counts["expected"], result.surprises) == (1, {"x.py::test_randoms": "1 != 2"})
    assert result_of(line("x.py::test_random?")).surprises == {}


def test_a_test_that_ends_the_process_fails():
    result = result_of(line("a"), began=["a", "b"])
    assert result.surprises == {"b": "the process ended"} and result.counts["failed"] == 1
    assert run.left_behind([{"collected": ["a", "b", "c", "d"]}, {"began": "a"}, {"began": "b"}]) == ["c", "d"]


def test_nothing_that_ran_is_no_success():
    assert run.judged("f", [], KNOWN).surprises == {"f": "no test ran"}


def test_what_pytest_says_when_nothing_runs(tmp_path):
    """As of a checkout whose files cannot be imported."""
    tests = tmp_path / "python/test/unit/language"
    tests.mkdir(parents=True)
    options = run.parser().parse_args(["--triton", str(tmp_path), "test_standard"])
    assert run.run_file("language/test_standard.py", options).surprises["language/test_standard.py"].startswith("no test ran: ")
    assert run.last_line(tmp_path / "missing") == "it said nothing"
    (tmp_path / "output").write_text("a\n E   ImportError: no such thing\n\n1 error\n")
    assert run.last_line(tmp_path / "output") == "E   ImportError: no such thing"


def test_the_last_report_of_a_test_counts():
    assert result_of(line("a"), line("a", "failed", why="in its teardown"), began=["a"]).surprises == {"a": "in its teardown"}


@pytest.mark.parametrize("names, files", [(["test_core"], ["language/test_core.py"]), ([], list(suites.FILES)),
                                          (["test_cache", "tuple"], ["language/test_tuple.py", "runtime/test_cache.py"])])
def test_files_are_chosen(names, files):
    assert run.chosen(names) == files


def test_a_file_that_there_is_not():
    with pytest.raises(SystemExit, match="there is no test_cores among"):
        run.chosen(["test_cores"])


def test_what_is_no_checkout(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "conformance" / "triton" / "run.py", "--triton", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "is no checkout of Triton" in done.stderr


def test_expected_failures_have_reasons():
    assert all(one.tests and one.reason for one in suites.expected())


def test_the_table_sums_up():
    lines = run.table([result_of(line("a")), result_of(line("b", "skipped"))]).splitlines()
    assert lines[-1].split() == ["all", "2", "1", "1", "1", "0", "0", "0"]


def test_stored_results_have_the_columns_of_the_table():
    for file in json.loads((ROOT / "conformance" / "triton" / "results.json").read_text())["files"]:
        assert set(file) == {"file", *run.COLUMNS, "reasons"} and file["tests"] >= file["passed"] >= file["executed"]
