"""What bench/ says: the figures are there, the results right.  Whether demands are met depends on the machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "bench"


def run(*arguments, **options):
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def environment():
    return os.environ | {"TILEGRIND_LIBRARY": os.environ.get("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))}


def test_a_run_apart_tells_time_memory_and_findings():
    done = run(BENCH / "checked_run.py", ROOT / "examples" / "add.json", "--checks", "all", "--runs", 3)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert len(figures["seconds"]) == 3 and min(figures["seconds"]) > 0
    assert figures["arrays"] > 0 and figures["findings"] == 0
    if Path("/proc/self/clear_refs").exists():
        assert 0 <= figures["extra"] < 64 << 20


@pytest.mark.slow
def test_a_workload_is_measured_with_checks(tmp_path):
    path = tmp_path / "figures.json"
    done = run(BENCH / "run.py", "--quick", "--part", "checks", "--only", "bands of 32", "--json", path)
    assert done.returncode in (0, 1), done.stderr
    assert "WRONG RESULT" not in done.stdout
    costs = json.loads(path.read_text())["checks"]["costs"]
    (row,) = costs["time"]
    assert set(row["ratios"]) == {"races", "undefined", "all"} and min(row["ratios"].values()) > 0.1
    assert set(row["times"]) == {"plain", "races", "undefined", "all", "jax"} and row["is_right"]
    for taken in costs["memory"]:
        assert taken["arrays"] == 3 * 4 * 256 * 256 and taken["verdict"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("part", ["fast", "programs", "calls", "case", "ptx", "mosaic"])
def test_every_part_ends(tmp_path, part):
    path = tmp_path / "figures.json"
    done = run(BENCH / "run.py", "--quick", "--part", part, "--json", path)
    assert done.returncode in (0, 1), done.stderr
    assert "WRONG RESULT" not in done.stdout
    assert all(row["verdict"] in ("ok", "-", "MISSED") for row in json.loads(path.read_text())[part])


@pytest.mark.slow
def test_golden_checks_are_measured(tmp_path):
    path = tmp_path / "figures.json"
    done = run(BENCH / "run.py", "--quick", "--part", "golden", "--only", "kb_1_39-bf16", "--json", path)
    assert done.returncode in (0, 1), done.stderr
    assert "WRONG RESULT" not in done.stdout and "R and B" in done.stdout
    found = json.loads(path.read_text())["golden"]
    (row,) = found["rows"]
    assert row["is_right"] and row["matrix"] > 0 and set(row["times"]) == {"run", "inputs", "witness", "check"}
    assert found["summary"]["check_ratio"] == row["check_ratio"] > row["witness_ratio"] > 0.1


def test_the_interpreter_of_gpu_kernels_is_measured_apart_or_says_why_not():
    cores = [str(core) for core in os.sched_getaffinity(0)] if hasattr(os, "sched_getaffinity") else []
    done = run("interpreted_gpu.py", "mosaic_kernels", "hopper_matmul", 256, *cores, cwd=BENCH, input="\n", env=os.environ | {"JAX_PLATFORMS": "cpu", "NPROC": "16"})
    assert done.returncode == 0, done.stderr
    (found,) = map(json.loads, done.stdout.splitlines())
    if "why" in found:
        assert found["why"]
    else:
        assert found["core"] > 0 and found["wall"] > 0 and found["difference"] < 1e-3


LIMITED = """
import one_core, json, sys
sys.path.insert(0, sys.argv[1])
import mosaic_kernels
from interpreter_process import InterpreterProcess
with InterpreterProcess(mosaic_kernels.hopper_matmul, 256, limit=0.1) as interpreter:
    print(json.dumps(interpreter.run()))
"""


def test_a_limit_of_time_is_told():
    done = run("-c", LIMITED, ROOT / "python", cwd=BENCH, env=environment())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"why": "it was not done within 0.1 s"}


GROWTH = """
import one_core, json, pathlib, sys, tempfile
sys.path.insert(0, sys.argv[1])
import checks
checks.SIZES, checks.PROGRAMS_A_ROUND = [20, 200], 1000
assert abs(checks.slope([(10, 3.0), (100, 30.0), (1000, 300.0)]) - 1) < 1e-12
assert abs(checks.slope([(1, 1.0), (2, 4.0), (4, 16.0)]) - 2) < 1e-12
with tempfile.TemporaryDirectory() as folder:
    rows, in_orders, slope = checks.measure_growth(pathlib.Path(folder), "quick")
print(json.dumps([[r["programs"], r["elements"], r["findings"], r["times"].median] for r in [*rows, in_orders]]))
"""


@pytest.mark.slow
def test_growth_is_measured_in_one_order_and_in_many():
    done = run("-c", GROWTH, ROOT / "python", cwd=BENCH, env=environment())
    assert done.returncode == 0, done.stderr
    *rows, (programs, elements, findings, seconds) = json.loads(done.stdout)
    assert [row[:3] for row in rows] == [[20, 2000, 0], [200, 20000, 0]]
    assert (programs, elements, findings) == (200, 20000, 0) and seconds > 0
