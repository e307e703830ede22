"""Makes the package and the acceptance kernels importable from a checkout, and random numbers the same in every run."""

import os
import pathlib
import sys
import tempfile
import zlib

import numpy as np
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # XLA compiles very much here, and computes little
# Many tests compile the same.  A folder for each process: JAX writes a file there in steps, which another process could read.
COMPILED = tempfile.TemporaryDirectory(prefix="tilegrind-compiled-")
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", COMPILED.name)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("", "python", "python/tests")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]


@pytest.fixture(autouse=True)
def own_random_numbers(request, monkeypatch):
    """Each test of a module with a generator RNG draws the same numbers in every run, whatever ran before it in its
    process: with several processes that is never the same."""
    if hasattr(request.module, "RNG"):
        seed = zlib.crc32(request.node.name.encode())
        monkeypatch.setattr(request.module, "RNG", np.random.default_rng(seed))
