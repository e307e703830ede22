"""Checks the operations on floats against MPFR and writes certificate.tsv.

    conformance/numerics/certify.py [--tool BUILD/verify_elementary] [--jobs N] [--only NAME,...] [--dtypes D,...]

Continues where the certificate stops: rows that are complete for the present sources stay, rows for
other sources start anew.  You can interrupt it at any time; it writes the certificate after each part.  A complete run takes
about half an hour on one core with AVX-512.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.numerics import certificate  # noqa: E402

# Inputs of one call of the tool: work for some seconds.
PART = {"f32": 2**27, "f64": 10**6}


def pending(tool, only, dtypes):
    """The rows that are still to be checked, with the progress made so far."""
    known = certificate.load()
    for row in certificate.everything(tool):
        old = known.get(row.key)
        if old and old.sources == row.sources:
            row = replace(old, wanted=row.wanted)
        if not row.whole and (not only or row.name in only) and (not dtypes or row.dtype in dtypes):
            yield row


def parts(row):
    """(first, count) of the remaining calls for a row."""
    size = PART.get(row.dtype, row.wanted)
    return [(first, min(size, row.wanted - first)) for first in range(row.inputs, row.wanted, size)]


def check_part(tool, row, first, count):
    """The tool's output; its complaints go to stderr as they come."""
    done = subprocess.run([tool, row.dtype, row.name, str(first), str(count)], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{tool} ended with {done.returncode}")
    if done.returncode == 1 and " wrong=0 " in done.stdout:
        sys.exit(f"{row.name} {row.dtype}: the C library is too far off to decide: {done.stdout}")
    return done.stdout


def certify(tool, row, pool, isa):
    """Checks the rest of a row.  Parts end in any order but are counted in their own."""
    started = time.monotonic()
    left = parts(row)
    for part in pool.map(lambda span: check_part(tool, row, *span), left):
        row = certificate.advanced(row, part, isa)
        certificate.save(row)
        print(f"\r{row.name} {row.dtype}: {row.inputs} of {row.wanted}, {row.wrong} wrong, "
              f"{time.monotonic() - started:.0f} s ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(Path(__file__).resolve().parents[2] / "build" / "verify_elementary"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    isa = subprocess.run([options.tool, "about"], capture_output=True, text=True, check=True).stdout.strip()
    wrong = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in list(pending(options.tool, options.only, options.dtypes)):
            wrong += certify(options.tool, row, pool, isa).wrong
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
