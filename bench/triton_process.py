"""Triton kernels in a process of their own, with a Python that has Triton.

    python bench/triton_process.py MODE KERNEL RUNS

MODE is plain or checked, in Tilegrind; interpreted, in Triton's own interpreter; first, how long the first call takes, and how long Triton
takes to compile the same kernel for a GPU, which it does without one.  KERNEL is a name of triton_kernels.LAUNCHES.  Prints a line of JSON:
`seconds` of RUNS runs, of the core, after one that warms up; the `difference` from the reference; `findings`.  With first: `seconds` of the
first call, `compiled`, those that Triton takes, and `read`, those of its part in our call: from Python to TTIR."""

import one_core  # noqa: F401

import contextlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

mode, name, runs = sys.argv[1:]
if mode == "interpreted":
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is loaded
if mode == "first":
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "0")  # else 3.9 warns

import triton  # noqa: E402
import triton_kernels  # noqa: E402


def timed(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def context():
    if mode == "interpreted":
        return contextlib.nullcontext()
    import tilegrind.triton

    if mode == "checked":
        return tilegrind.triton.check(orders=False, on_finding="collect")
    return tilegrind.triton.interpreter(findings="collect")


def repeated(launch):
    with context() as session:
        launch()
        found = {"seconds": [timed(launch) for _ in range(int(runs))], "difference": launch.difference()}
    return found | {"findings": len(session.findings) if session else 0, "is_right": found["difference"] <= launch.tolerance}


def stages(launch, target):
    """Seconds from Python to TTIR, and from there to a binary for a GPU."""
    from triton._C.libtriton import ir
    from triton.compiler import ASTSource, make_backend
    from triton.compiler import compile as compile_all

    names = launch.kernel.arg_names
    kinds = {np_name: f"*{'fp16' if np_name == 'float16' else 'fp32'}" for np_name in ("float16", "float32")}
    signature = {}
    for key, value in zip(names, launch.args):
        signature[key] = kinds[str(value.dtype)] if hasattr(value, "dtype") else "fp32" if isinstance(value, float) else "i32"
    signature |= {key: "constexpr" for key in launch.meta}
    source = ASTSource(launch.kernel, signature, launch.meta)
    backend = make_backend(target)
    options = backend.parse_options({})

    def read():
        inside = ir.context()
        ir.load_dialects(inside)
        backend.load_dialects(inside)
        str(source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), inside))

    return timed(read), timed(lambda: compile_all(source, target=target))


def first(launch):
    from triton.backends.compiler import GPUTarget

    import tilegrind.triton

    with tilegrind.triton.interpreter(findings="collect"):
        triton_kernels.launch_copy()()  # loads what every kernel needs
        seconds = timed(launch)
    target = GPUTarget("cuda", 90, 32)
    stages(triton_kernels.launch_copy(), target)  # likewise
    read, compiled = stages(launch, target)
    return {"seconds": seconds, "read": read, "compiled": compiled}


made = triton_kernels.LAUNCHES[name]()
print(json.dumps(first(made) if mode == "first" else repeated(made)))
