"""Ctrl-C ends a run of the command wherever it is, at once, and what was found until then is told."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

TILEGRIND = os.environ["TILEGRIND"]
SOON = 1.0  # seconds

ORDERS = ("sequential", "reversed", "shuffled:3", "interleaved:3", "parallel:2")


def constant(number, value, dtype="i32"):
    return {"op": "constant", "out": [{"id": number, "type": f"{dtype}[]"}], "value": value}


# Four programs: a load outside an array, and more turns than anybody waits for, each with other values.
TURNS = [{"op": "add", "in": [30, 11], "out": [{"id": 31, "type": "i32[]"}]}]
LONG = {"tilegrind": "0.1", "locations": [{"file": "k.py", "line": 7}, {"file": "k.py", "line": 9}], "kernels": [
    {"name": "long", "grid": [{"size": 4}],
     "params": [{"name": "x", "role": "input", "type": "i32[4]"}, {"name": "o", "role": "output", "type": "i32[1]"}],
     "body": {"args": [{"id": 1, "type": "ref<i32[4]>"}, {"id": 2, "type": "ref<i32[1]>"}], "ops": [
         constant(10, 0), constant(11, 1), constant(12, 9), constant(13, True, "bool"),
         {"op": "load", "in": [1, 12], "out": [{"id": 14, "type": "i32[]"}], "index": [["at"]], "loc": 1},
         {"op": "debug_print", "format": "begins {}", "in": [11]},
         {"op": "while", "loc": 2, "in": [10], "out": [{"id": 20, "type": "i32[]"}], "regions": [
             {"args": [{"id": 29, "type": "i32[]"}], "yield": [13]},
             {"args": [{"id": 30, "type": "i32[]"}], "ops": TURNS, "yield": [31]}]},
         {"op": "store", "in": [2, 20, 10], "index": [["at"]]},
         {"op": "store", "in": [2, 14, 10], "index": [["at"]]}]}}]}


@pytest.fixture
def kernel(tmp_path):
    import numpy as np

    (tmp_path / "long.json").write_text(json.dumps(LONG))
    np.savez(tmp_path / "long.npz", x=np.arange(4, dtype=np.int32))
    return tmp_path


def interrupt(folder, *arguments):
    """Standard output and error of a command that is interrupted once a program runs; its exit code must be 130, soon."""
    command = [TILEGRIND, *map(str, arguments), "long.json", "--in", "long.npz"]
    with subprocess.Popen(["stdbuf", "-o0", *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "NO_COLOR": "1"}) as run:
        time.sleep(0.3)  # it runs for ever; a signal before it has a handler would end it otherwise than by 130
        assert run.poll() is None
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert (run.returncode, time.monotonic() - start < SOON) == (130, True), (run.returncode, time.monotonic() - start, err)
    return out, err


@pytest.mark.parametrize("order", ORDERS)
def test_run(kernel, order):
    out, err = interrupt(kernel, "run", "--order", order, "--check", "all")
    assert "access-outside-ref: load reaches index 9" in out and "--> k.py:7" in out
    assert re.search(r"\d finding.* until it was stopped", out)
    assert re.search(r"stopped after 0 programs, in program \(\d\) within a while loop at k.py:9", err)


def test_check(kernel):
    out, err = interrupt(kernel, "check")
    assert "access-outside-ref: load reaches index 9" in out and "stopped after 0 programs" in err


def test_json(kernel):
    out, _ = interrupt(kernel, "check", "--json")
    report = json.loads(out)
    assert (report["status"], report["exit"]) == ("ERR_STOPPED", 130)
    assert "access-outside-ref" in [finding["kind"] for finding in report["findings"]]


def test_a_case(kernel):
    case = kernel / "case"
    case.mkdir()
    for name in ("long.json", "long.npz"):
        (kernel / name).rename(case / name)
    (case / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "name": "long", "kernel": "long.json", "orders": ["reversed", "sequential"],
        "inputs": {"x": {"file": "long.npz", "key": "x"}}}))
    for command, form in (("run", ()), ("check", ()), ("check", ("--json",))):
        with subprocess.Popen([TILEGRIND, command, *form, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(0.3)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
        assert run.returncode == 130, err
        if form:
            only, = json.loads(out)["runs"]
            assert "access-outside-ref" in [finding["kind"] for finding in only["findings"]] and not only["passed"]
        else:
            assert "access-outside-ref" in out and "stopped" in out


def test_nothing_is_left_behind(kernel):
    """Files that are written at the end are written as a whole or not at all."""
    before = sorted(path.name for path in kernel.iterdir())
    interrupt(kernel, "run", "--check", "all", "--out", "o.npz", "--html", "page.html", "--sarif", "found.sarif")
    left = {path.name for path in kernel.iterdir()} - set(before)
    assert left <= {"found.sarif"}
    if left:
        assert json.loads((kernel / "found.sarif").read_text())["version"] == "2.1.0"


def test_a_limit(kernel):
    """--max-steps ends such loops by itself."""
    done = subprocess.run([TILEGRIND, "check", "long.json", "--in", "long.npz", "--max-steps", "1000"], cwd=kernel,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "step-limit: while: the loops of the program have made 1000 turns, which is the limit" in done.stdout
    assert "--> k.py:9" in done.stdout and "--max-steps 1000" in done.stdout


@pytest.mark.parametrize("text", ["0", "-1", "", "many", "1e3", "99999999999999999999"])
def test_bad_limits(kernel, text):
    done = subprocess.run([TILEGRIND, "run", "long.json", "--in", "long.npz", "--max-steps", text], cwd=kernel,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--max-steps takes a number from 1 on" in done.stderr
