"""Writes the TTIR of the kernels in python/tests_triton/memory_kernels.py to tests/data/triton/memory, one text a case; needs Triton.

    gen_triton_memory.py          writes them
    gen_triton_memory.py --check  says which ones differ, and exits with 1 if any does"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "triton" / "memory"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "tests_triton")]

import memory_kernels as kernels  # noqa: E402
import triton  # noqa: E402

import tilegrind.triton  # noqa: E402

# By kernel: the arguments, arrays by their dtypes, and the constexprs.
CASES = {
    "copy": (["float32", "float32", 8], {"B": 4}),
    "copy_rows": (["float32", "float32", 4, 4, 8, 16], {"C": 8}),
    "either": (["float32", "float32", "float32", 8], {"B": 8}),
    "swap_in_a_loop": (["float32", "float32", "float32", 8], {"B": 8}),
    "in_a_branch": (["float32", "float32", "float32", 0, 8], {"B": 8}),
    "as_bytes": (["float32", "int8", 16], {"B": 16}),
    "words_of_bytes": (["int8", "int32", 4], {"B": 4}),
    "through_a_table": (["int64", "float32"], {"B": 4}),
    "address_of": (["float32", "int64"], {}),
    "negate_flags": (["bool", "bool"], {"B": 8}),
}


class Array:
    """What Triton asks of a tensor; the address says that it is a multiple of 16."""

    def __init__(self, dtype):
        self.dtype = dtype

    def data_ptr(self):
        return 16


def text_of(name, arguments, constants):
    """The TTIR of a kernel, with paths as they are in any checkout."""
    given = [Array(one) if isinstance(one, str) else one for one in arguments]
    compiled = getattr(kernels, name).warmup(*given, grid=(1,), **constants)
    text = str(compiled.asm["ttir"]).replace(f"{ROOT}/", "")
    return re.sub(r'"[^"]*/site-packages/', '"', text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    wrong = []
    with tempfile.TemporaryDirectory() as cache, tilegrind.triton.interpreter():
        os.environ["TRITON_CACHE_DIR"] = cache  # another one may have texts with other paths
        for name, (arguments, constants) in CASES.items():
            path, text = FOLDER / f"{name}.ttir", text_of(name, arguments, constants)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            elif not path.is_file() or path.read_text() != text:
                wrong.append(path.name)
    if wrong:
        print(f"written by another version of Triton than {triton.__version__}, or out of date: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
