"""random_programs: a slice of what it is for, on the interpreter alone and as PTX, and how it goes on from its log."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind")).resolve().parent / "random_programs"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests")


def random_programs(*arguments, env=()):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive", **dict(env)})


def test_as_ptx():
    done = random_programs(400, 40)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("40 kernels, seeds 400 to 439: all hold; ")


def test_on_the_interpreter_and_on_from_the_log(tmp_path):
    log = tmp_path / "log"
    first = random_programs("--cpu", "--log", log, 500, 30)
    again = random_programs("--cpu", "--log", log, 500, 50)
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert "seeds 500 to 529: all hold on the interpreter; this call began at seed 500" in first.stdout
    assert "seeds 500 to 549: all hold on the interpreter; this call began at seed 530" in again.stdout
    assert log.read_text().splitlines() == [
        "seeds 500 to 529 hold, 0 of them refused as PTX", "seeds 530 to 549 hold, 0 of them refused as PTX"]


@pytest.mark.parametrize("arguments", [("--tpu",), ("--log",), ("--ops",), ("--ops", "x"), ("x",), ("1", "y"), ("1", "2", "3")])
def test_wrong_use(arguments):
    done = random_programs(*arguments)
    assert done.returncode == 2 and "random_programs [--cpu | --gpu]" in done.stderr


def test_a_gpu_that_is_not_there():
    done = random_programs("--gpu", 0, 1, env={"TILEGRIND_LIBCUDA": "/nowhere/libcuda.so.1"})
    assert done.returncode == 1 and "this machine has no NVIDIA driver" in done.stderr


def test_fewer_ops():
    done = random_programs("--cpu", "--ops", 2, 5, 3)
    assert done.returncode == 0 and done.stdout.startswith("3 kernels, seeds 5 to 7: all hold on the interpreter; ")


def test_a_log_that_cannot_be_written(tmp_path):
    done = random_programs("--log", tmp_path / "missing" / "log", 0, 1)
    assert done.returncode == 1 and "cannot be written" in done.stderr
