"""Commands whose reader leaves, as `head` does: no message, and the exit code that shells give for SIGPIPE."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [("golden", "review"), ("conform", "--explain"), ("sweep", "--help")])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves(command, unbuffered):
    read, write = os.pipe()
    os.close(read)
    name, *arguments = command
    done = subprocess.run([sys.executable, "-m", f"tilegrind.{name}", *arguments], stdout=write, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    os.close(write)
    assert done.stderr == ""
    assert done.returncode == 141 or (unbuffered and "--help" in arguments)  # argparse itself takes no notice
