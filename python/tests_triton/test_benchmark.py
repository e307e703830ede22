"""Each mode in which the benchmark measures a Triton kernel: the results are right."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.mark.parametrize("mode", ["plain", "checked", "interpreted", "first"])
def test_modes(mode, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(BENCH), "TRITON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, BENCH / "triton_process.py", mode, "add 2^20, blocks of 1024", "1"], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if mode == "first":
        assert min(found["seconds"], found["read"], found["compiled"]) > 0
    else:
        assert found["is_right"] and found["findings"] == 0 and len(found["seconds"]) == 1
