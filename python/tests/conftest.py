"""Makes the package and the acceptance kernels importable from a checkout."""

import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("python", "conformance", "conformance/jax", "python/tests")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]
