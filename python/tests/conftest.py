"""Makes the package and the acceptance kernels importable from a checkout."""

import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "conformance"), str(ROOT / "python" / "tests")]
