"""``python -m tilegrind`` is the command: its arguments, output, exit codes and signals."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tilegrind import __main__ as command

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
MODULE = [sys.executable, "-m", "tilegrind"]
SECONDS = 60


def run(form, *arguments, program=PROGRAM):
    return subprocess.run([*form, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS,
                          env={**os.environ, "TILEGRIND": str(program)})


def without_times(text):
    return re.sub(r"[0-9.]+ [num]?s\b", "", text)


@pytest.mark.parametrize("arguments, code", [
    (["--version"], 0),
    (["run", "examples/shifted.json", "--in", "examples/shifted_inputs.npz"], 1),
    (["run", "no-such-file.json"], 2),
    (["run"], 2),
])
def test_is_the_command(arguments, code):
    ours, its = run(MODULE, *arguments), run([PROGRAM], *arguments)
    assert ours.returncode == its.returncode == code
    assert without_times(ours.stdout) == without_times(its.stdout)
    assert ours.stderr == its.stderr


def test_says_that_there_is_no_program(tmp_path):
    done = run(MODULE, "--version", program=tmp_path / "missing")
    assert done.returncode == 2
    assert done.stderr == (f"tilegrind: {tmp_path}/missing: No such file or directory; "
                           "the environment variable TILEGRIND may name the command\n")


def test_looks_beside_the_package(monkeypatch):
    monkeypatch.delenv("TILEGRIND")
    assert command.program() == Path(command.__file__).parent / "bin" / "tilegrind"


def test_a_script_that_names_itself_does_not_come_back_for_ever(tmp_path):
    script = tmp_path / "tilegrind"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -m tilegrind \"$@\"\n")
    script.chmod(0o755)
    done = run([script], "--version", program=script)
    # There is no program in the folder of a package that was not installed.
    assert done.returncode == 2 and "bin/tilegrind" in done.stderr


def test_becomes_the_program(tmp_path):
    """The process that was started is the one that a signal ends: no Python is left between."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho $$\nexec sleep 60\n")
    program.chmod(0o755)
    # Workers of xdist, and what a shell runs beside itself, ignore the signal, and so would what they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    started = subprocess.Popen(MODULE, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "TILEGRIND": str(program)})
    signal.signal(signal.SIGINT, before)
    assert int(started.stdout.readline()) == started.pid
    started.send_signal(signal.SIGINT)
    assert started.wait(SECONDS) == -signal.SIGINT
    started.stdout.close()


def test_commands_of_the_package_need_no_program(tmp_path):
    packaged = re.findall(r'^TG_PACKAGED\("(\w+)"', (ROOT / "cli" / "packaged.def").read_text(), re.M)
    assert tuple(packaged) == command.PACKAGED
    for name in packaged:
        done = run(MODULE, name, "--help", program=tmp_path / "missing")
        assert done.returncode == 0 and done.stdout.startswith(f"usage: tilegrind {name} ")
