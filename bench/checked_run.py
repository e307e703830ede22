"""A kernel run in a process of its own, without JAX: what it takes of memory beyond its arrays, and of time.

    python bench/checked_run.py KERNEL.json [--checks NAMES] [--inputs FILE.npz] [--grid N ...] [--runs N] [--orders]

Prints one JSON object:
    seconds    of each run, of the core
    arrays     bytes of the arrays that the kernel reads and writes
    extra      the most bytes that the runs needed at one time beyond what was there before; null where the system does not tell
    findings   their number"""

import one_core  # noqa: F401

import argparse
import ctypes
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

import numpy as np  # noqa: E402

import tilegrind  # noqa: E402
from call import Call  # noqa: E402
from timing import core_time  # noqa: E402


def most_resident():
    """Bytes of memory that the process has had at one time since `forget_most`; None where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def forget_most():
    """From now on the most is what is there now; and nothing is there that was given back and would be taken again unseen."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def timed(run):
    start = core_time()
    findings = run()
    return (core_time() - start) * 1e-9, findings


def measure(run, count):
    """`run` returns its findings' number."""
    forget_most()
    before = most_resident()
    runs = [timed(run) for _ in range(count)]
    return {"seconds": [seconds for seconds, _ in runs], "findings": runs[-1][1],
            "extra": None if before is None else most_resident() - before}


def checked_in_orders(module, call):
    """As `tilegrind check` does, whose outputs are arrays of its own."""
    names = [p.name for p in module.params() if p.role not in ("output", "scratch")]
    return lambda: len(module.check(dict(zip(names, call.inputs))).findings)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kernel", type=Path)
    parser.add_argument("--checks", default="none")
    parser.add_argument("--inputs", type=Path, help="in the order of the parameters; ones if not given")
    parser.add_argument("--grid", type=int, nargs="*", default=[], help="sizes of the dynamic axes")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--orders", action="store_true", help="every check, in many orders, instead of one run")
    options = parser.parse_args()
    module = tilegrind.load(options.kernel)
    if options.inputs:
        with np.load(options.inputs) as found:
            inputs = [found[name] for name in found.files]
    else:
        inputs = [np.ones(p.shape, p.dtype) for p in module.params() if p.role not in ("output", "scratch")]
    call = Call(module, inputs, options.grid, checks=options.checks)
    for array in call.outputs:
        array.fill(0)  # takes its memory

    def run():
        call()
        return call.findings

    figures = measure(checked_in_orders(module, call) if options.orders else run, options.runs)
    print(json.dumps(figures | {"arrays": call.bytes()}))


if __name__ == "__main__":
    main()
