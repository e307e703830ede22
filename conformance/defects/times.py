"""The time of `tilegrind check` on each kernel of the tree, without a limit of steps: ./bootstrap defects --check."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Mapping, Sequence

from conformance.defects.reports import Failure, run

MOST_SECONDS = 10.0
SHOWN = 3  # the slowest of each source


def seconds_of(cli: str, folder: Path) -> float:
    """Raises Failure if a check does not end, or cannot run."""
    begun = time.perf_counter()
    run([cli, "check", "--json"], folder)
    return time.perf_counter() - begun


def are_short(cli: str, sources: Mapping[str, Sequence[Path]], jobs: int) -> bool:
    """Prints a table of times, by the origin of the kernels; returns whether each is short enough."""
    good = True
    print(f"{'tilegrind check':28} {'kernels':>7} {'seconds':>8}  slowest")
    for name, folders in sources.items():
        good &= is_short(cli, name, folders, jobs)
    return good


def is_short(cli: str, name: str, folders: Sequence[Path], jobs: int) -> bool:
    def seconds(folder: Path) -> float:
        try:
            return seconds_of(cli, folder)
        except Failure as failure:
            print(failure, file=sys.stderr)
            return float("inf")

    with ThreadPoolExecutor(jobs) as pool:
        took = sorted(zip(pool.map(seconds, folders), map(str, folders)), reverse=True)
    shown = ", ".join(f"{'/'.join(Path(folder).parts[-2:])} {one:.2f} s" for one, folder in took[:SHOWN])
    print(f"{name:28} {len(took):7} {sum(one for one, _ in took):8.1f}  {shown}")
    too_long = [f"{folder}: {one:.1f} s, {MOST_SECONDS:.0f} s are the most" for one, folder in took if one >= MOST_SECONDS]
    print("\n".join(too_long), end="\n" if too_long else "")
    return bool(took) and not too_long
