"""Sweeps on Dask distributed, with workers and a scheduler that are killed; without it, only what the command says then."""

import json
import subprocess
import sys
import time

import pytest
from sweeping import COMMAND, ENVIRONMENT, ROOT, digest_of, orders, planned, sweep, write_add
from test_sweep_run import HOLDS, RANDOM, fake_random_programs, results

sys.path.append(str(ROOT / "bench"))
from sweep_chaos import Cluster, free_port  # noqa: E402

SECONDS = 60
CHAOS = ["--runs", "200000", "--per-unit", "2000", "--programs", "32", "--kill-every", "1.5", "--scheduler-kills", "1"]


@pytest.fixture
def folder(tmp_path):
    write_add(tmp_path)
    return tmp_path


def test_without_distributed_the_command_says_what_to_install(folder):
    (folder / "distributed.py").write_text("raise ImportError('there is none')")
    planned(folder, orders(10))
    _, error = sweep("run", "plan.jsonl", "--store", "store", "--scheduler", "127.0.0.1:8786", cwd=folder, code=2,
                     PYTHONPATH=f"{folder}:{ROOT / 'python'}")
    assert "Dask distributed is needed for a scheduler (there is none): pip install 'tilegrind[sweep]'" in error


@pytest.mark.slow
def test_without_a_scheduler_the_sweep_ends_at_the_deadline(folder):
    pytest.importorskip("distributed")
    planned(folder, orders(10))
    began, address = time.monotonic(), f"127.0.0.1:{free_port()}"
    _, error = sweep("run", "plan.jsonl", "--store", "store", "--scheduler", address, "--deadline", "1", cwd=folder, code=2)
    assert f"tcp://{address}: no scheduler has answered for 1 s: " in error and time.monotonic() - began < 20


@pytest.mark.slow
def test_workers_and_scheduler_that_are_killed_cost_nothing():
    pytest.importorskip("distributed")
    done = subprocess.run([sys.executable, ROOT / "bench" / "sweep_chaos.py", *CHAOS], env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["holds"] and figures["units"] == 100 and figures["runs"] == 200_200
    assert figures["scheduler kills"] == 1 and figures["worker kills"] >= 1 and figures["workers started again"] >= 4
    assert "Traceback" not in done.stderr and "is gone; waiting for the next one" in done.stderr


@pytest.mark.slow
def test_a_unit_that_the_scheduler_gives_up_runs_again(folder, monkeypatch):
    """With allowed-failures 0, Dask gives a unit up when its worker has ended once; the driver begins it again."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("sweep_chaos.ENVIRONMENT", {
        **ENVIRONMENT, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        **fake_random_programs(folder, f"mkdir {folder}/died 2>/dev/null && kill -9 $PPID && exit 1; {HOLDS}")})
    planned(folder, {**RANDOM, "per-unit": 10})
    cluster = Cluster(folder, 1)
    try:
        driver = subprocess.Popen([*COMMAND, "run", "plan.jsonl", "--store", "store", "--on", f"dask://{cluster.address}"],
                                  cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + SECONDS
        while driver.poll() is None and time.monotonic() < end:
            cluster.tend()
            time.sleep(0.05)
        out, error = driver.communicate(timeout=1)
    finally:
        cluster.close()
    assert out.startswith("10 units have run, 0 had a result before, 0 have none"), out + error
    assert (folder / "died").exists() and cluster.restarts == 1 and len(results(folder)) == 10
    digest_of(folder, "store")
