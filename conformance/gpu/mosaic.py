"""The repaired kernels of Mosaic GPU of the corpus of defects on a GPU, compiled by JAX itself: do they give what the corpus says?

    python -m conformance.gpu.mosaic --expect FILE      writes what they are to give; no GPU
    python -m conformance.gpu.mosaic --compare FILE     runs each on the GPU in a process of its own, and prints a JSON list

Kernels of tensor memory are left out where the GPU has none."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

_LIMIT = 90  # seconds of a kernel, JAX's start included
_AT_ONCE = 12


def _pairs() -> list[Any]:
    from conformance.defects import corpus

    return [pair for pair in corpus.load() if pair.group.startswith("mosaic_")]


def expect(file: Path) -> None:
    """Writes the outputs of each pair, or why there are none."""
    from conformance.defects import pair_cases
    from tilegrind import pallas

    wanted = {}
    for pair in _pairs():
        try:
            content = pallas.export(pair.repaired, *pair.inputs, grid_semantics=pair_cases.semantics_of(pair)).json()
            names = [param["name"] for param in content["kernels"][0]["params"] if param["role"] not in ("prefetch", "input", "scratch")]
            outputs = pair_cases.outputs_of(pair, names)
            wanted[pair.label] = [np.asarray(one) for one in outputs]
        except Exception as error:  # the others are of use
            print(f"{pair.label}: {type(error).__name__}: {str(error)[:200]}")
    file.write_bytes(pickle.dumps(wanted))
    print(f"{len(wanted)} pairs")


def one(label: str, file: Path) -> None:
    """Runs a kernel in this process, and prints what came of it as JSON."""
    import jax

    wanted = pickle.loads(file.read_bytes())[label]
    pair = next(pair for pair in _pairs() if pair.label == label)
    got = [np.asarray(one) for one in jax.tree_util.tree_leaves(jax.jit(pair.repaired)(*pair.inputs))]
    rows = []
    for number, (seen, want) in enumerate(zip(got, wanted, strict=True)):
        a, b = seen.astype(np.float64), want.astype(np.float64).reshape(seen.shape)
        unequal = (a != b) & ~(np.isnan(a) & np.isnan(b))
        if unequal.any():
            rows.append({"output": number, "elements": int(seen.size), "differing": int(unequal.sum()),
                         "largest": float(np.nanmax(np.abs(a - b))), "got": float(a[unequal][0]), "want": float(b[unequal][0])})
    print("RESULT " + json.dumps({"pair": label, "outputs": len(got), "differences": rows}))


def _apart(label: str, file: Path) -> dict[str, Any]:
    """Runs a kernel in a process of its own: one that never ends harms no other."""
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAX_PLATFORMS": "cuda"}
    command = [sys.executable, "-m", "conformance.gpu.mosaic", "--one", label, "--compare", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, env=environment)
    except subprocess.TimeoutExpired:
        return {"pair": label, "failed": f"no end within {_LIMIT} s"}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    return {"pair": label, "failed": done.stderr.strip()[-700:]}


def compare(file: Path) -> list[dict[str, Any]]:
    """All pairs that have outputs."""
    labels = [label for label in pickle.loads(file.read_bytes()) if not label.startswith("mosaic_tcgen05")]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda label: _apart(label, file), labels))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--expect", type=Path, metavar="FILE")
    parser.add_argument("--compare", type=Path, metavar="FILE")
    parser.add_argument("--one", metavar="PAIR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.expect:
        expect(options.expect)
    elif options.one:
        one(options.one, options.compare)
    else:
        print(json.dumps(compare(options.compare), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
