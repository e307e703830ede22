"""Runs kernels as JAX interprets them and as XLA compiles them, in a process of its own: XLA_FLAGS count for all of it.

    python xla_child.py FOLDER HOW KERNEL...

FOLDER has KERNEL/NUMBER.inputs.npz; outputs are written as KERNEL/NUMBER.HOW.npz.  HOW is "compiled" or "interpreted".
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import jax  # noqa: E402

from conformance.golden.xla_kernels import tasks  # noqa: E402
from tilegrind import read_arrays, write_arrays  # noqa: E402


def main(folder: Path, how: str, kernels: list[str]) -> int:
    known = tasks()
    for name in kernels:
        call = jax.jit(known[name].compute) if how == "compiled" else known[name].call
        for path in sorted((folder / name).glob("*.inputs.npz")):
            arrays = list(read_arrays(path).values())
            write_arrays(path.with_name(path.name.replace("inputs", how)), {"o": jax.block_until_ready(call(*arrays))})
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
