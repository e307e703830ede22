"""The texts of TTIR in tests/data/triton_ops are those that Triton writes of the kernels beside them."""

import pathlib
import subprocess
import sys

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "gen_triton_ops.py"


def test_texts_are_those_of_this_version():
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
