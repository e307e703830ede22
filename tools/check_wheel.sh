#!/bin/sh
# check_wheel.sh PYTHON: installs the package as a wheel into a fresh environment and runs a kernel with it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$1" -m venv "$scratch/venv"
python=$scratch/venv/bin/python
# As the release build is compiled, so that a compiler cache has the objects.
SKBUILD_CMAKE_DEFINE="CMAKE_C_COMPILER=gcc;TG_WERROR=ON" "$python" -m pip install -q --disable-pip-version-check "$root"
cd "$scratch" # away from the sources, so that nothing of them is imported
unset PYTHONPATH TILEGRIND_LIBRARY || true
"$python" - "$root/examples/add.json" <<'PYTHON'
import ctypes
import pathlib
import sys

import numpy as np
import tilegrind

module = tilegrind.load(sys.argv[1])
x = np.arange(10, dtype=np.float32)
run = module.run({"x": x, "y": x}, order="reversed")
assert not run.findings, run.findings
assert (run.outputs["o"] == 2 * x).all(), run.outputs
# The part that JAX calls finds the library beside it.
ctypes.CDLL(pathlib.Path(tilegrind.__file__).with_name("libtilegrind_xla.so")).tg_xla_execute
print(f"tilegrind {tilegrind.version()} from a wheel: {run}")
PYTHON
