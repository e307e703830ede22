"""Random programs of Triton: each has the same bits in every order, and those of Triton's own interpreter where that is right.

    random_programs.py --show SEED                  prints the program
    random_programs.py --count N [--first SEED]     runs N of them; needs Triton
    random_programs.py ... --triton                 and compares with Triton's own interpreter, which needs torch

A program reads two arrays of numbers, computes with blocks, numbers, loops, conditions, reductions, scans, products and indices, and
stores blocks of its own and counters that all programs share.  With Triton's own interpreter no values are compared that it computes
otherwise than a compiled kernel: sums of floats that are rounded, whose order is numpy's there, and the sign of a zero, which is that of
the first operand where `maximum` and `minimum` get zeros of both."""

import argparse
import collections
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from random_source import ARRAYS, HEAD, program

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORDERS = ("sequential", "reversed", "shuffled:1", "parallel:2", "interleaved:1")
CHECKS = "races,undefined,duplicates"
AT_ONCE = 50  # programs in one file
IN_A_PROCESS = 500  # of Triton's interpreter


class Array:
    """A numpy array as an argument of a kernel."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data


def arrays_of(seed):
    """The arrays of a program, by name."""
    draw = np.random.default_rng(seed)
    made = {}
    for name, one in ARRAYS.items():
        if one.of:
            made[name] = made[one.of][one.start:].view(one.dtype)
            continue
        drawn = draw.integers(one.low, one.high, one.count)
        made[name] = (drawn / (8 if one.dtype == "float32" else 1)).astype(one.dtype)
    return made


def modules(seeds, folder):
    """Yields each seed with its kernel; the sources are files, from which Triton reads them."""
    for start in range(0, len(seeds), AT_ONCE):
        some = seeds[start:start + AT_ONCE]
        path = pathlib.Path(folder) / f"programs_{some[0]}.py"
        path.write_text(HEAD + "".join(program(seed).source for seed in some))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for seed in some:
            yield seed, getattr(module, f"program_{seed}")


def launched(seed, kernel, wrap):
    """The arrays after a launch, and what Triton has compiled."""
    arrays = arrays_of(seed)
    compiled = kernel[program(seed).grid](*(wrap(array) for array in arrays.values()), *program(seed).numbers)
    return arrays, compiled


def difference(one, other, names):
    """The first array with other bits, or None."""
    return next((name for name in names if one[name].tobytes() != other[name].tobytes()), None)


def operations(compiled):
    """How often each operation is in the text of a compiled kernel."""
    return collections.Counter(re.findall(r"^ *(?:%\S+(?:, %\S+)* = )?\"?([a-z]+\.[\w.]+)\"?", compiled.asm["ttir"], re.MULTILINE))


def in_tilegrind(seeds, folder, drawn):
    """Yields (seed, arrays, what is wrong or None) of each program; counts in `drawn` the operations of all."""
    import tilegrind.triton

    for seed, kernel in modules(seeds, folder):
        arrays, wrong = None, None
        for order in ORDERS:
            try:
                with tilegrind.triton.interpreter(order=order, checks=CHECKS):
                    found, compiled = launched(seed, kernel, Array)
            except Exception as error:  # noqa: BLE001  (whatever it is, it is wrong of this program)
                wrong = f"{order}: {type(error).__name__}: {error}"
                break
            if arrays is None:
                arrays = found
                drawn.update(operations(compiled))
            name = difference(arrays, found, arrays)
            if name:
                wrong = f"{order}: {name} has other bits than in order {ORDERS[0]}"
        yield seed, arrays, wrong


def in_triton(seeds, folder):
    """Runs the programs in Triton's own interpreter, in another process; returns the arrays of each."""
    path = pathlib.Path(folder) / "triton.npz"
    command = [sys.executable, __file__, "--own", str(path), "--first", str(seeds[0]), "--count", str(len(seeds))]
    subprocess.run(command, env={**os.environ, "TRITON_INTERPRET": "1"}, check=True)
    with np.load(path) as loaded:
        return {seed: {name: loaded[f"{seed}.{name}"] for name in ARRAYS if f"{seed}.{name}" in loaded} for seed in seeds}


def save_own(seeds, path):
    """What `in_triton` runs there."""
    import torch

    saved = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed, kernel in modules([seed for seed in seeds if program(seed).is_own], folder):
            try:
                arrays, _ = launched(seed, kernel, torch.from_numpy)
            except Exception as error:  # noqa: BLE001
                print(f"{seed}: Triton's interpreter: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            saved.update({f"{seed}.{name}": array for name, array in arrays.items()})
    np.savez(path, **saved)


def compared(seed, arrays, own):
    """What is wrong with a program whose arrays differ from those in Triton's own interpreter, or None."""
    if not own:
        return "Triton's interpreter did not run it"
    for name in program(seed).exact:
        one, other = arrays[name], own[name]
        for at in np.flatnonzero((one != other) & ~((one != one) & (other != other)))[:1]:
            return f"{name}[{at}] is {one[at]!r}, and {other[at]!r} in Triton's interpreter"
    return None


def run_some(seeds, with_triton, drawn):
    """Those of `run` whose arrays in Triton's interpreter are kept at once."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        own = in_triton(seeds, folder) if with_triton else {}
        for seed, arrays, wrong in in_tilegrind(seeds, folder, drawn):
            if wrong is None and with_triton and program(seed).is_own:
                wrong = compared(seed, arrays, own[seed])
            if wrong:
                count += 1
                print(f"{seed}: {wrong}", flush=True)
    return count


def run(seeds, with_triton):
    """Runs the programs and prints what is wrong; returns the number of those in which something is."""
    count, drawn = 0, collections.Counter()
    for start in range(0, len(seeds), IN_A_PROCESS):
        some = seeds[start:start + IN_A_PROCESS]
        count += run_some(some, with_triton, drawn)
        if len(seeds) > IN_A_PROCESS:
            print(f"{start + len(some)} of {len(seeds)} programs, {count} differ", file=sys.stderr, flush=True)
    print("operations:", ", ".join(f"{name} {times}" for name, times in drawn.most_common()))
    print(f"{len(seeds)} programs in {len(ORDERS)} orders{' and in Triton' * with_triton}: {count} differ")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--own", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seeds = list(range(options.first, options.first + options.count))
    if options.show is not None:
        print(program(options.show).source)
        return 0
    if options.triton and importlib.util.find_spec("torch") is None:
        parser.error("--triton needs torch: an argument of a kernel is a tensor in Triton's interpreter")
    if options.own:
        save_own(seeds, options.own)
        return 0
    return 1 if run(seeds, options.triton) else 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "python")]
    sys.exit(main())
