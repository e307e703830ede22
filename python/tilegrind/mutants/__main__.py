"""Says how many mutants a kernel has: python -m tilegrind.mutants KERNEL.json..."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

from ..runtime import Error, load
from .registry import kernel_mutants


def counts(module: dict, kernel: str, most: int) -> list[tuple[str, int, int]]:
    """(kind, mutants, sites) for each kind that applies."""
    made, sites = Counter(), {}
    for mutant in kernel_mutants(module, kernel, most):
        made[mutant.kind.name] += 1
        sites[mutant.kind.name] = mutant.sites
    return [(name, number, sites[name]) for name, number in made.items()]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tilegrind.mutants", description="Counts the mutants of kernels.")
    parser.add_argument("files", nargs="+", metavar="KERNEL.json", help="modules")
    parser.add_argument("--most", type=int, default=3, metavar="N", help="sites for each kind (default 3); 0: all")
    options = parser.parse_args(argv)
    print("kernel\tkind\tmutants\tsites")
    for path in options.files:
        try:
            module = json.loads(load(path).to_json())
        except Error as error:
            print(error, file=sys.stderr)
            return 3
        for kernel in module["kernels"]:
            for name, made, sites in counts(module, kernel["name"], options.most):
                print(f"{kernel['name']}\t{name}\t{made}\t{sites}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
