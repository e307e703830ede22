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


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Every example of docs/semantics.md, as a case."""
    folder = tmp_path_factory.mktemp("cases")
    subprocess.run([sys.executable, ROOT / "conformance" / "semantics" / "run.py", "cases", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


NO_GPU = {"TILEGRIND_LIBCUDA": "/nowhere/libcuda.so.1", "TILEGRIND_PTXAS": ""}


def crosscheck(*arguments, env=NO_GPU):
    return subprocess.run([TILEGRIND, "crosscheck", *arguments], capture_output=True, text=True,
                          env={**os.environ, **env})


def fake_gpu():
    """The environment in which there are two GPUs, which execute one kernel only (tests/gpu/fake_driver.c)."""
    library = Path(TILEGRIND).resolve().parent / "libtg_fake_driver.so"
    if not library.exists():
        pytest.skip("the tests in C are not built")
    return {"TILEGRIND_LIBCUDA": str(library), "TILEGRIND_PTXAS": ""}


SPOILT = {"tilegrind": "0.1", "locations": [{"file": "k.py", "line": 7, "function": "spoilt"}],
          "kernels": [{"name": "spoilt", "grid": [],
                       "params": [{"name": "o", "role": "output", "type": "i32[4]"}],
                       "body": {"args": [{"id": 1, "type": "ref<i32[4]>"}], "ops": [
                           {"op": "iota", "axis": 0, "out": [{"id": 2, "type": "i32[4]"}]},
                           {"op": "add", "in": [2, 2], "out": [{"id": 3, "type": "i32[4]"}], "loc": 1},
                           {"op": "store", "in": [1, 3], "index": [["slice", 0, 4, 1]]}]}}]}


@pytest.fixture
def spoilt(tmp_path):
    """The case of a kernel that the fake GPUs execute with a fault."""
    folder = tmp_path / "spoilt"
    folder.mkdir()
    (folder / "kernel.json").write_text(json.dumps(SPOILT))
    (folder / "case.json").write_text(json.dumps({"tilegrind": "0.1", "kernel": "kernel.json", "inputs": {}}))
    return folder


def some(cases, tmp_path, *names):
    """A folder with some of the cases, one of them deeper down."""
    for i, name in enumerate(names):
        shutil.copytree(cases / name, tmp_path / "some" / ("deeper" if i else ".") / name)
    return tmp_path / "some"


def test_equal_cases_are_counted(cases, tmp_path):
    done = crosscheck("--seeds", "2", some(cases, tmp_path, "add-result-1", "exp-result-1"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 cases, 2 runs each: 4 equal, 0 different, 0 refused, 0 failed; ")


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """A case that PTX lacks something for: an atomic on elements that lie in memory in pieces."""
    folder = tmp_path_factory.mktemp("refused")
    at = [["slice", 0, 1, 1], ["slice", 0, 2, 1]]
    body = {"args": [{"id": 0, "type": "ref<u8[4,2]>"}, {"id": 1, "type": "ref<u8[4,2]>"}], "ops": [
        {"op": "view_bitcast", "in": [1], "out": [{"id": 10, "type": "ref<i32[1,2]>"}]},
        {"op": "constant", "out": [{"id": 11, "type": "i32[1,2]"}], "value": 1},
        {"op": "atomic_rmw", "in": [10, 11], "kind": "add", "index": at, "out": [{"id": 12, "type": "i32[1,2]"}]}]}
    params = [{"name": "x", "role": "input", "type": "u8[4,2]"},
              {"name": "o", "role": "output", "type": "u8[4,2]", "alias": "x"}]
    (folder / "kernel.json").write_text(json.dumps({"tilegrind": "0.1", "kernels": [
        {"name": "pieces", "grid": [], "params": params, "body": body}]}))
    (folder / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "name": "pieces", "kernel": "kernel.json",
        "inputs": {"x": {"type": "u8[4,2]", "values": [255, 0, 0, 0, 0, 0, 0, 0]}},
        "expect": {"outputs": {"o": {"type": "u8[4,2]", "values": [0, 1, 1, 0, 0, 0, 0, 0]}}, "compare": "bits"}}))
    return folder


def test_what_ptx_lacks_is_refused_with_the_reason(refused):
    done = crosscheck(refused)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused" in done.stdout and "does not support an atomic on a reference that a bitcast has made wider: atomic_rmw" in done.stdout


def test_printed_text_is_compared(cases):
    printing = [folder for folder in sorted(cases.glob("*print*")) if (folder / "case.json").exists()]
    assert printing, "no example prints"
    done = crosscheck(*printing)
    assert done.returncode == 0 and f" {len(printing)} equal, 0 different, 0 refused" in done.stdout, done.stdout


def test_a_device_prints_what_the_interpreter_prints(cases):
    texts = [subprocess.run([TILEGRIND, "run", cases / "debug_print-result-1", "--backend", backend],
                            capture_output=True, text=True).stdout for backend in ("cpu", "emulator")]
    assert all("x = 3\n" in text for text in texts), texts


# Examples of what the GPU backend refuses, which tests/test_ptx_refusals.c is about.
REFUSED = ("semaphore_signal-order", "barrier_", "inline_ptx-edge")


def test_findings_are_compared_too(cases, tmp_path):
    found = [path.parent for path in cases.rglob("case.json") if json.loads(path.read_text())["expect"].get("findings")
             and not path.parent.name.startswith(REFUSED)]
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


FIRST = ("first op that differs: add at k.py:7 in program (), i32 element [2]: cpu 4 [00000004], "
         "gpu:1 3 [00000003], 1 ULP apart; 1 of 4 elements differ")


def test_the_first_op_that_differs_is_named(spoilt):
    done = crosscheck("--backends", "cpu,emulator,gpu:1", spoilt, env=fake_gpu())
    assert done.returncode == 1 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == f"different {spoilt}, gpu:1"
    assert lines[1].startswith("  output o: 1 of 4 elements differ, most at [2] by 1 ULP: got 3, want 4")
    assert lines[2] == "  " + FIRST
    assert lines[3].startswith("1 case, 2 runs each: 1 equal, 1 different, ")


def test_the_first_op_that_differs_as_json(spoilt):
    report = json.loads(crosscheck("--backends", "cpu,gpu:1", "--json", spoilt, env=fake_gpu()).stdout)
    result = report["results"][0]
    assert (result["backend"], result["against"], result["verdict"]) == ("gpu:1", "cpu", "different")
    assert result["first"] == {
        "message": FIRST, "kind": "block",
        "at": {"op": "add", "file": "k.py", "line": 7, "program": [], "visit": 1},
        "output": None, "dtype": "i32", "index": [2], "want": {"value": "4", "bits": "00000004"},
        "got": {"value": "3", "bits": "00000003"}, "ulps": 1, "differing": 1}
    assert report["different"] == 1 and report["exit"] == 1


def test_the_first_op_that_differs_as_junit(spoilt, tmp_path):
    crosscheck("--backends", "cpu,gpu:1", "--junit", tmp_path / "x.xml", spoilt, env=fake_gpu())
    test = ElementTree.parse(tmp_path / "x.xml").getroot().find("testcase")
    assert test.get("classname") == "gpu:1" and test.find("failure").get("message").endswith("; " + FIRST)


def test_only_the_interpreter_tells_where_a_difference_comes_from(spoilt):
    report = json.loads(crosscheck("--backends", "gpu,cpu", "--json", spoilt, env=fake_gpu()).stdout)
    result = report["results"][0]
    assert (result["backend"], result["against"], result["verdict"]) == ("cpu", "gpu", "different")
    assert "first" not in result


def test_a_gpu_is_asked_too_where_there_is_one(cases):
    case = cases / "add-result-1"
    with_one, without = ([r["backend"] for r in json.loads(crosscheck("--json", case, env=env).stdout)["results"]]
                         for env in (fake_gpu(), NO_GPU))
    assert (with_one, without) == (["emulator", "gpu"], ["emulator"])


def test_a_gpu_that_is_not_there(cases):
    done = crosscheck("--backends", "cpu,gpu", cases / "add-result-1")
    assert done.returncode == 3 and "this machine has no NVIDIA driver" in done.stderr


def test_backends_that_refuse_say_so_each(refused):
    report = json.loads(crosscheck("--backends", "emulator,cpu,emulator:1", "--json", refused).stdout)
    assert [(r["backend"], r["verdict"]) for r in report["results"]] == [("cpu", "refused"), ("emulator:1", "refused")]
    assert all("does not support an atomic on a reference" in r["message"] for r in report["results"])


def test_junit(cases, refused, tmp_path):
    file = tmp_path / "results.xml"
    done = crosscheck("--junit", file, some(cases, tmp_path, "add-result-1"), refused)
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
    (("--backends", "cpu", "."), "at least two"),
    (("--backends", "cpu,", "."), "names with commas between them"),
    (("--backends", "cpu,,emulator", "."), "names with commas between them"),
    (("--backends", "cpu,emulator:12345678901234567890123456789012", "."), "names with commas between them"),
    (("--backends", "cpu,tpu", "."), 'backend "tpu" is none of'),
    (("nowhere",), "cannot be read"),
])
def test_wrong_use(arguments, says, cases):
    done = crosscheck(*(cases / "add-result-1" if a == "." else a for a in arguments))
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


def test_ptx_of_what_it_lacks_is_refused(refused):
    done = subprocess.run([TILEGRIND, "ptx", refused], capture_output=True, text=True)
    assert done.returncode == 3 and "does not support an atomic on a reference" in done.stderr and not done.stdout


def test_cases_of_profile_fast_are_compared_in_profile_reference(cases, tmp_path):
    case = shutil.copytree(cases / "exp-result-1", tmp_path / "case")
    content = json.loads((case / "case.json").read_text())
    (case / "case.json").write_text(json.dumps({**content, "profile": "fast"}))
    done = crosscheck("--seeds", "3", case)
    assert done.returncode == 0 and " 3 equal" in done.stdout, done.stdout + done.stderr


# -- profile fast --


def lanes(tmp_path, *ops):
    """The case of a kernel that stores value 9, made from %3, 64 numbers."""
    body = [{"op": "load", "in": [1], "index": [["slice", 0, 64, 1]], "out": [{"id": 3, "type": "f32[64]"}]}, *ops,
            {"op": "store", "in": [2, 9], "index": [["slice", 0, 64, 1]]}]
    params = [{"name": "x", "role": "input", "type": "f32[64]"}, {"name": "o", "role": "output", "type": "f32[64]"}]
    (tmp_path / "kernel.json").write_text(json.dumps({
        "tilegrind": "0.1", "locations": [{"file": "k.py", "line": 7, "function": "f"}],
        "kernels": [{"name": "k", "grid": [], "params": params, "body": {
            "args": [{"id": 1, "type": "ref<f32[64]>"}, {"id": 2, "type": "ref<f32[64]>"}], "ops": body}}]}))
    (tmp_path / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "kernel": "kernel.json",
        "inputs": {"x": {"type": "f32[64]", "values": [float.hex(i / 16) for i in range(64)]}}}))
    return tmp_path


def one(op, *operands, out, **attributes):
    return {"op": op, "in": list(operands), "out": [{"id": out, "type": "f32[64]"}], "loc": 1, **attributes}


FAST = ("--profile", "fast", "--backends", "cpu,emulator:1")


def test_fast_is_within_the_bound_that_is_told(tmp_path):
    case = lanes(tmp_path, one("exp", 3, out=9))
    done = crosscheck(*FAST, case)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("1 case, 1 run each: 0 equal, 1 within, 0 different, 0 unjudged, 0 refused, 0 failed; ")
    report = json.loads(crosscheck(*FAST, "--json", "--junit", tmp_path / "x.xml", case).stdout)
    result, = report["results"]
    bound = result["bound"]
    assert result["verdict"] == "within" and report["within"] == 1 and report["exit"] == 0
    assert bound["output"] == "o" and 0 < bound["off"] <= bound["bound"] < 1e-4
    tree = ElementTree.parse(tmp_path / "x.xml")
    told, = tree.iter("property")
    assert told.get("name") == "bound" and told.get("value") == result["message"]
    assert not list(tree.iter("failure"))


def test_what_cannot_be_judged_is_not_passed(tmp_path):
    case = lanes(tmp_path, one("exp", 3, out=8), one("cumsum", 8, out=9, axis=0))
    done = crosscheck(*FAST, "--junit", tmp_path / "x.xml", case)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        f"unjudged {case}, emulator:1",
        "  no bound can be derived: cumsum: no rule is known for operands that may be off at k.py:7"]
    assert "no rule is known" in next(ElementTree.parse(tmp_path / "x.xml").iter("failure")).get("message")


def test_fast_tells_what_is_outside(spoilt):
    done = crosscheck("--profile", "fast", "--backends", "cpu,gpu:1", spoilt, env=fake_gpu())
    assert done.returncode == 1 and done.stdout.splitlines()[0] == f"different {spoilt}, gpu:1"
    assert "output o: outside its bound is [2]: got 3, reference 4, " in done.stdout


def test_every_example_is_within_its_bound_or_has_infinite_operands(cases):
    report = json.loads(crosscheck(*FAST, "--json", cases).stdout)
    assert (report["different"], report["failed"]) == (0, 0)
    assert report["within"] > 10
    assert [Path(r["case"]).name for r in report["results"] if r["verdict"] == "unjudged"] == ["logistic-infinity-1"]


# -- sums of a tensor core --


@pytest.mark.parametrize("core", ["sm90", "sm100"])
def test_every_example_has_the_sums_of_a_tensor_core(core, cases):
    report = json.loads(crosscheck("--tensor-core", core, "--seeds", "2", "--json", cases).stdout)
    assert (report["different"], report["failed"]) == (0, 0)
    dots = [r["verdict"] for r in report["results"] if Path(r["case"]).name.startswith("dot_general")]
    assert len(dots) > 10 and set(dots) == {"equal"}


def test_the_first_op_that_differs_is_looked_for_with_the_same_sums(spoilt):
    done = crosscheck("--tensor-core", "sm90", "--backends", "cpu,gpu:1", spoilt, env=fake_gpu())
    assert done.returncode == 1 and "first op that differs: add at k.py:7" in done.stdout


@pytest.mark.parametrize("arguments, message", [
    (("--tensor-core", "sm80"), 'tensor core "sm80" is none of exact, sm90, sm100'),
    (("--tensor-core", "sm90", "--profile", "fast"), 'not with those of tensor core "sm90"')])
def test_wrong_use_of_tensor_cores(cases, arguments, message):
    done = crosscheck(*arguments, cases / "add-result-1")
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("arguments, message", [
    (("--profile", "quick"), "--profile takes reference or fast"),
    (("--profile", "fast", "--backends", "emulator,cpu"), "takes cpu as the first backend, and only there"),
    (("--profile", "fast", "--backends", "cpu,cpu"), "takes cpu as the first backend, and only there")])
def test_wrong_use_of_profiles(cases, arguments, message):
    done = crosscheck(*arguments, cases / "add-result-1")
    assert done.returncode == 2 and message in done.stderr
