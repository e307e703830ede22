"""What golden checks are worth: ./bootstrap golden.

Prints tables, and fails where a golden accepts what is wrong, or refuses what is right.  docs/golden-results.md has the tables.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

PARTS = ("vacuous", "kills", "false_alarms", "xla", "xla_expressions", "threads", "illusion", "tosa", "own_defects")
_SEEDED = ("false_alarms", "xla")


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few kernels of each part")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    parser.add_argument("--seeds", type=_count, metavar="N", help="seeds of each input set, for the parts on false alarms")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to FILE")
    return parser.parse_args(argv)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    options, failures, texts = arguments(argv), [], []
    for name in options.only or PARTS:
        begun = time.perf_counter()
        seeds = {"seeds": options.seeds} if options.seeds and name in _SEEDED else {}
        part = importlib.import_module(f"conformance.golden.{name}").run(options.quick, progress, **seeds)
        progress("")
        print(*(f"{table.text()}\n" for table in part.tables), sep="\n")
        print(f"{name}: {len(part.failures)} failures, {time.perf_counter() - begun:.0f} s\n", flush=True)
        texts += [f"## {name.replace('_', ' ').capitalize()}", "", *(table.markdown() for table in part.tables)]
        failures += [f"{name}: {text}" for text in part.failures]
    print(*(f"FAILED {text}" for text in failures), sep="\n")
    if options.markdown:
        write(options.markdown, [*heading(), *texts, *_failed(failures)])
    return 1 if failures else 0


def heading() -> list[str]:
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    return ["# Results of golden checks", "", f"Made by `./bootstrap golden --markdown docs/golden-results.md` at commit {commit}.", ""]


def _failed(failures: list[str]) -> list[str]:
    return ["## Failures", "", *(f"* {text}" for text in failures), ""] if failures else []


def write(path: Path, lines: list[str]) -> None:
    scratch = path.with_name(f"{path.name}.new-{os.getpid()}")
    scratch.write_text("\n".join(lines), encoding="utf-8")
    os.replace(scratch, path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
