"""Writes the TTIR of the kernels in tests/data/triton_ops/kernels.py beside them, one text a case; needs Triton.

    gen_triton_ops.py                  writes them
    gen_triton_ops.py --check          says which ones differ, and exits with 1 if any does
    gen_triton_ops.py --folder blocks  the same of the kernels there, with Triton 3.7"""

import argparse
import importlib
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "triton_ops"
sys.path[:0] = [str(ROOT / "python")]

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import triton  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

import tilegrind.triton  # noqa: E402

DTYPES = {"i32": np.int32, "u32": np.uint32, "u8": np.uint8, "f16": np.float16, "f32": np.float32, "bf16": ml_dtypes.bfloat16}


class Array:
    """What Triton asks of a tensor; the address says that it is a multiple of 16."""

    def __init__(self, text):
        dtype, extents = text.rstrip("]").split("[")
        self.dtype = np.dtype(DTYPES[dtype])
        self.shape = tuple(int(extent) for extent in extents.split(","))

    def data_ptr(self):
        return 16

    def stride(self, dim):
        return int(np.prod(self.shape[dim + 1:]))


def argument(one):
    if isinstance(one, str):
        return Array(one)
    if isinstance(one, tuple):
        base = Array(one[0])
        return TensorDescriptor(base, list(base.shape), [base.stride(dim) for dim in range(len(base.shape))], list(one[1]))
    return one


def text_of(kernel, arguments, constants):
    """The TTIR of a kernel, with paths of places as they are in any checkout."""
    compiled = kernel.warmup(*map(argument, arguments), grid=(1, ), **constants)
    text = str(compiled.asm["ttir"]).replace(f"{ROOT}/", "")
    return re.sub(r'"[^"]*/site-packages/', '"', text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folder", default=".", help="below tests/data/triton_ops")
    given = parser.parse_args()
    check, folder, wrong = given.check, FOLDER / given.folder, []
    sys.path.insert(0, str(folder))
    kernels = importlib.import_module("kernels")
    with tempfile.TemporaryDirectory() as cache, tilegrind.triton.interpreter():
        os.environ["TRITON_CACHE_DIR"] = cache  # another one may have texts with other paths
        for name, case in kernels.CASES.items():
            path, text = folder / f"{name}.ttir", text_of(*case)
            if not check:
                path.write_text(text)
            elif not path.is_file() or path.read_text() != text:
                wrong.append(path.name)
    if wrong:
        print(f"written by another version of Triton than {triton.__version__}, or out of date: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
