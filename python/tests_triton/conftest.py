"""Makes the package importable from a checkout, and keeps what Triton caches out of the home folder."""

import pathlib
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("", "python", "python/tests_triton")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]


@pytest.fixture(scope="session", autouse=True)
def own_cache():
    """An empty cache of Triton, for this process and those that it starts."""
    patch = pytest.MonkeyPatch()
    with tempfile.TemporaryDirectory() as folder:
        patch.setenv("TRITON_CACHE_DIR", folder)
        yield
        patch.undo()
