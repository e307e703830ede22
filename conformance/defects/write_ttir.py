"""Writes the TTIR of the corpus's Triton kernels.  Needs Triton, but neither a GPU nor JAX.

    write_ttir.py            writes those that are not of the kernel's source as it is
    write_ttir.py --all      writes all
    write_ttir.py --check    only says which are out of date; exit code 1 if any is
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path
from typing import Any, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from conformance.defects import triton_kernels  # noqa: E402
from conformance.defects.corpus import CLASSES, CorpusError  # noqa: E402
from conformance.defects.triton_kernels import KERNEL, Launch  # noqa: E402

POINTEES = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint32": "u32", "float16": "fp16", "float32": "fp32",
            "float64": "fp64"}


def ttir_of(launch: Launch) -> str:
    """The text as Triton builds it, before any pass."""
    import triton
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"debug": True, "sanitize_overflow": False})  # asserts stay; Tilegrind looks for overflow itself
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    signature = {name: _type_of(array) for name, array in launch.inputs.items()}
    names = launch.function.__code__.co_varnames[:launch.function.__code__.co_argcount]
    signature = {name: signature.get(name, "constexpr") for name in names}
    source = ASTSource(triton.jit(launch.function), signature, dict(launch.constants))
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    return _without_paths(str(module), launch)


def _type_of(array: Any) -> str:
    return ("*" if array.ndim else "") + POINTEES[str(array.dtype)]


def _without_paths(text: str, launch: Launch) -> str:
    """Lines of the kernel count from its own; of Triton's library the path begins with `triton/`."""
    file, before = launch.function.__code__.co_filename, launch.function.__code__.co_firstlineno - 1
    text = re.sub(rf'"{re.escape(file)}":(\d+)', lambda place: f'"{KERNEL}":{int(place.group(1)) - before}', text)
    return re.sub(r'"[^"]*/(triton/language/[^"]*)":', r'"\1":', text)


def is_current(launch: Launch) -> bool:
    try:
        launch.text()
    except CorpusError:
        return False
    return True


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="write all, whether they are out of date or not")
    which.add_argument("--check", action="store_true", help="only say which are out of date")
    given = parser.parse_args(argv)
    for group in CLASSES:
        if group.startswith("triton_"):
            importlib.import_module(f"conformance.defects.{group}")
    old = [launch for launch in triton_kernels.LAUNCHES.values() if given.all or not is_current(launch)]
    for launch in old:
        if not given.check:
            launch.path.parent.mkdir(parents=True, exist_ok=True)
            launch.path.write_text(f"// {launch.hash()}\n{ttir_of(launch)}", encoding="utf-8")
        print(f"{launch.path.name}: {'out of date' if given.check else 'written'}")
    return 1 if given.check and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
