"""JAX's own Pallas test files: which are run, which tests pass with stock JAX, and where a checkout has them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

TAG = "jax-v0.10.2"
VERSION = "0.10.2"
TESTS = "tests/pallas"

# The files in which tests reach interpret=True or InterpretParams, longest first so that parallel jobs end together.
FILES = (
    "ops_test",
    "gpu_attention_test",
    "gpu_paged_attention_test",
    "tpu_pallas_test",
    "tpu_pallas_interpret_test",
    "gpu_ops_test",
    "pallas_test",
    "indexing_test",
    "gpu_pallas_interpret_test",
    "tpu_pallas_interpret_distributed_test",
    "gpu_pallas_interpret_distributed_test",
    "pallas_shape_poly_test",
    "pallas_vmap_test",
    "tpu_pallas_interpret_thread_map_test",
)

# Findings that end a run although others only warn: the tests of these files expect errors, as JAX's TPU interpreter raises them.
_ERRORS = ("block-outside-array", "access-outside-ref", "deadlock", "block-revisited")
RAISED = {"tpu_pallas_interpret_test": _ERRORS, "tpu_pallas_interpret_distributed_test": _ERRORS}

# Tests that expect a kernel to be refused before it runs: they pass without having run one.
REFUSALS = (
    "tpu_pallas_interpret_test.py::InterpretTest::test_referencing_hbm_raises",
    "tpu_pallas_interpret_test.py::InterpretTest::test_hbm_allocation_in_run_scoped_raises",
    "gpu_pallas_interpret_test.py::InterpretTest::test_run_scoped_with_cluster",
    "gpu_pallas_interpret_test.py::InterpretTest::test_run_scoped_with_unknown_collective_axis",
    "gpu_pallas_interpret_test.py::InterpretTest::test_run_scoped_barrier_with_incorrect_collective_axes",
    "gpu_pallas_interpret_test.py::InterpretTest::test_not_indexing_multiple_barriers_raises",
)

# Modules that the wheel leaves out and these tests import; a checkout has them.
TEST_SUPPORT = ("jax/_src/hypothesis_test_util.py", "jax/_src/pallas/pallas_test_util.py")

STOCK_PASSES = Path(__file__).with_name("stock_passes.tsv")


class SuiteError(Exception):
    """The suites cannot be run; the text says what to do."""


@dataclass(frozen=True)
class Checkout:
    """A checkout of JAX at TAG."""

    root: Path

    def path_of(self, file: str) -> Path:
        return self.root / TESTS / f"{file}.py"


def open_checkout(folder: str | os.PathLike[str], files: Iterable[str]) -> Checkout:
    """The checkout in `folder`, which must be of TAG's version and hold `files`; else a SuiteError."""
    checkout = Checkout(Path(folder).resolve())
    wanted = [checkout.path_of(file) for file in files] + [checkout.root / path for path in TEST_SUPPORT]
    for path in wanted:
        if not path.is_file():
            raise SuiteError(
                f"{path} is missing; get JAX's sources with: git clone --depth 1 --branch {TAG} https://github.com/jax-ml/jax {folder}"
            )
    version_file = checkout.root / "jax" / "version.py"
    if version_file.is_file():
        found = re.search(r'^_version = "([^"]+)"', version_file.read_text(), re.MULTILINE)
        if found is None or found[1] != VERSION:
            raise SuiteError(f"{folder} is JAX {found[1] if found else 'of unknown version'}; tag {TAG} is needed")
    return checkout


def file_of(test: str) -> str:
    """The file of a test id: tests/pallas/FILE.py::Class::test."""
    return test.split("::", 1)[0].removeprefix(f"{TESTS}/").removesuffix(".py")


def stock_passes(path: Path = STOCK_PASSES) -> dict[str, dict[str, str]]:
    """By file, the ids that pass with stock JAX and the interpreter that each reaches: hlo, tpu, gpu or none."""
    passes: dict[str, dict[str, str]] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            test, interpreter = line.split("\t")
            passes.setdefault(file_of(test), {})[test] = interpreter
    return passes
