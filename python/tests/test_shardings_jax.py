"""Shardings of JAX, live on 8 devices, held against Tilegrind's layouts: conformance/jax/shardings.py."""

import os
import re
import subprocess
import sys

from conftest import ROOT


def test_shardings_of_jax():
    done = subprocess.run([sys.executable, ROOT / "conformance" / "jax" / "shardings.py", "300"], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [tuple(map(int, row)) for row in re.findall(r"(\d+) of +(\d+), (\d+) of them refused", done.stdout)]
    assert len(counts) == 3 and all(passed == tried > refused for passed, tried, refused in counts)
    assert counts[0][1] >= 40 and counts[1][1] >= 40 and counts[2][1] == 300 and counts[0][2] >= 4 and counts[2][2] >= 4
