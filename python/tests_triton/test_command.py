"""`python -m tilegrind.triton`: what it prints, and its exit codes."""

import functools

import pytest
from commands import command

PROGRAM = """
import sys
from arrays import iota, zeros
from kernels import add, last_wins
if "race" in sys.argv:
    last_wins[(4,)](iota(4), zeros(1))
if "fail" in sys.argv:
    sys.exit("it failed")
if "cuda" in sys.argv:
    raise RuntimeError("No CUDA GPUs are available")
o = zeros(10)
add[(1,)](iota(10), iota(10), o, 10, B=16)
print(o.array[3])
"""


@pytest.fixture
def run(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    return functools.partial(command, program)


def test_a_run(run):
    done = run("run", "--order", "reversed", "PROGRAM")
    assert (done.returncode, done.stdout) == (0, "6.0\n")
    assert "tilegrind: 1 launch of 1 kernel, 1 program; 0 findings, 0 of level error or worse; 0 suppressed" in done.stderr


def test_a_check_tells_findings(run, tmp_path):
    done = run("check", "--no-orders", "--save", "cases", "PROGRAM", "race")
    assert done.returncode == 1 and done.stdout.startswith("6.0\nrace: program (x=0) writes o[0]")
    assert "kernels.py:" in done.stdout and str(tmp_path / "cases" / "last_wins-0") in done.stdout
    assert run("check", "--checks", "none", "--no-orders", "PROGRAM", "race").returncode == 0


def test_a_capture(run, tmp_path):
    done = run("capture", "--out", "cases", "PROGRAM")
    assert done.returncode == 0 and done.stdout == f"6.0\n{tmp_path / 'cases' / 'add-0'}\n"


def test_a_program_that_fails(run):
    done = run("run", "PROGRAM", "fail")
    assert done.returncode == 3 and "it failed" in done.stderr


def test_a_program_that_wants_a_gpu(run):
    advice = "with --device cuda, what a program puts"
    done = run("run", "PROGRAM", "cuda")
    assert done.returncode == 3 and "No CUDA GPUs are available" in done.stderr and advice in done.stderr
    assert advice not in run("run", "--device", "cuda", "PROGRAM", "cuda").stderr


@pytest.mark.parametrize("words, message", [
    (["run", "--order", "sideways", "PROGRAM"], "sideways"), (["run", "no-such.py"], "no-such.py: no such program"),
    (["check", "--suppressions", "no-such.supp", "PROGRAM"], "no-such.supp"), (["check", "--fail-on", "bad", "PROGRAM"], "fail_on='bad'")])
def test_wrong_usage(run, words, message):
    done = run(*words)
    assert done.returncode == 2 and message in done.stderr


def test_tritons_interpreter_is_in_the_way(run):
    done = run("run", "PROGRAM", TRITON_INTERPRET="1")
    assert done.returncode == 2 and "TRITON_INTERPRET is set" in done.stderr
