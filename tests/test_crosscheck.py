"""tilegrind crosscheck: what it says of cases, in each of its forms."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
sys.path.insert(0, str(ROOT / "conformance" / "semantics"))


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Every example of docs/semantics.md, as a case."""
    folder = tmp_path_factory.mktemp("cases")
    subprocess.run([sys.executable, ROOT / "conformance" / "semantics" / "run.py", "cases", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


def crosscheck(*arguments):
    return subprocess.run([TILEGRIND, "crosscheck", *arguments], capture_output=True, text=True)


def some(cases, tmp_path, *names):
    """A folder with some of the cases, one of them deeper down."""
    for i, name in enumerate(names):
        shutil.copytree(cases / name, tmp_path / "some" / ("deeper" if i else ".") / name)
    return tmp_path / "some"


def test_equal_cases_are_counted(cases, tmp_path):
    done = crosscheck("--seeds", "2", some(cases, tmp_path, "add-result-1", "exp-result-1"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 cases, 2 runs each: 4 equal, 0 different, 0 refused, 0 failed; ")


def test_what_ptx_lacks_is_refused_with_the_reason(cases):
    done = crosscheck(cases / "debug_print-result-1")
    assert done.returncode == 0
    assert "refused" in done.stdout and "does not support debug_print" in done.stdout


def test_findings_are_compared_too(cases, tmp_path):
    found = [path.parent for path in cases.rglob("case.json") if json.loads(path.read_text())["expect"].get("findings")]
    assert found, "no example makes a finding"
    for case in found:
        done = crosscheck(case)
        assert done.returncode == 0 and " 1 equal" in done.stdout, done.stdout


def test_json(cases):
    done = crosscheck("--json", "--seeds", "2", cases / "add-result-1")
    report = json.loads(done.stdout)
    assert [(r["backend"], r["verdict"], r["message"]) for r in report["results"]] == [
        ("emulator", "equal", None), ("emulator:1", "equal", None)]
    assert (report["cases"], report["equal"], report["exit"]) == (1, 2, 0)


def test_junit(cases, tmp_path):
    file = tmp_path / "results.xml"
    done = crosscheck("--junit", file, some(cases, tmp_path, "add-result-1", "debug_print-result-1"))
    assert done.returncode == 0
    tests = ElementTree.parse(file).getroot().findall("testcase")
    assert sorted(len(test.findall("skipped")) for test in tests) == [0, 1]
    assert not list(tmp_path.glob("*.tmp"))


def test_junit_that_cannot_be_written(cases, tmp_path):
    done = crosscheck("--junit", tmp_path / "missing" / "results.xml", cases / "add-result-1")
    assert done.returncode == 2 and "cannot be written" in done.stderr


@pytest.mark.parametrize("arguments, says", [
    ((), "at least one case"),
    (("--seeds", "0", "x"), "--seeds takes a number"),
    (("--seeds", "many", "x"), "--seeds takes a number"),
    (("nowhere",), "cannot be read"),
])
def test_wrong_use(arguments, says):
    done = crosscheck(*arguments)
    assert done.returncode == 2 and says in done.stderr


def test_a_folder_without_cases(tmp_path):
    done = crosscheck(tmp_path)
    assert done.returncode == 2 and "has none below it" in done.stderr


def test_a_broken_case_ends_with_its_diagnosis(tmp_path):
    (tmp_path / "case.json").write_text("{")
    done = crosscheck(tmp_path)
    assert done.returncode == 3 and "case.json" in done.stdout + done.stderr


@pytest.mark.parametrize("order, says", [("reversed", "knows the orders"), ("shuffled:3", "knows the orders")])
def test_orders_that_a_device_does_not_know(cases, order, says):
    done = subprocess.run([TILEGRIND, "run", cases / "add-result-1", "--backend", "emulator", "--order", order],
                          capture_output=True, text=True)
    assert done.returncode == 2 and says in done.stdout + done.stderr


def test_run_tells_how_many_instructions_the_emulator_executed(cases):
    def stats(*arguments):
        done = subprocess.run([TILEGRIND, "run", "--json", cases / "add-result-1", *arguments], capture_output=True, text=True)
        return json.loads(done.stdout)["runs"][0]

    first, again = (stats("--backend", "emulator")["instructions"] for _ in range(2))
    assert first == again > 100
    assert "instructions" not in stats()


@pytest.mark.parametrize("backend", ["tpu", "emulator:", "emulator:x", "emulators"])
def test_unknown_backends(cases, backend):
    done = subprocess.run([TILEGRIND, "run", cases / "add-result-1", "--backend", backend],
                          capture_output=True, text=True)
    assert done.returncode == 2 and backend in done.stdout + done.stderr


def test_run_on_the_emulator_meets_the_expectation(cases):
    done = subprocess.run([TILEGRIND, "run", cases / "add-result-1", "--backend", "emulator:5", "--order", "parallel:2"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "emulator" in done.stdout and "as expected" in done.stdout


def test_ptx_of_a_kernel_is_shown(cases):
    done = subprocess.run([TILEGRIND, "show", "--ptx", cases / "add-result-1" / "kernel.json"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and ".visible .entry tg_" in done.stdout and "add.rn.f32" in done.stdout
