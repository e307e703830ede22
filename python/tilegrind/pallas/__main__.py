"""``python -m tilegrind.pallas``: run a script and keep its kernels as cases."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Sequence

from ..scripts import run_script

OK, USAGE, INVALID = 0, 2, 3

_EPILOG = """\
exit codes:
  0  the script ran and all of its kernels were kept
  2  usage or I/O: no such script, the folder cannot be written
  3  the script failed, or a kernel has no Tilegrind form (the other cases are written)

example:
  python -m tilegrind.pallas capture train.py --out cases --limit 2 -- --steps 1
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tilegrind.pallas", description="Pallas kernels as Tilegrind cases.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "capture", help="run a script and write a case for each pallas_call that runs",
        description="Run SCRIPT.py as a program, with every pallas_call in JAX's interpreter, and "
        "write a case folder for each call: the kernel, its inputs, and the outputs.",
        usage="%(prog)s SCRIPT.py --out FOLDER [--grid-semantics S] [--limit N] [-- ARG ...]",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("script", metavar="SCRIPT.py",
                         help="the program; it gets the arguments after --")
    command.add_argument("--out", required=True, metavar="FOLDER",
                         help="where the case folders go; made if missing")
    command.add_argument("--grid-semantics", metavar="S",
                         help="parallel or arbitrary, or a comma-separated list with one per axis, "
                         "for calls whose compiler parameters do not say")
    command.add_argument("--limit", type=int, metavar="N",
                         help="greatest number of cases per kernel (default: no limit)")
    return parser


def _semantics(text: str | None) -> str | tuple[str, ...] | None:
    """The value of --grid-semantics.  Raises ValueError."""
    if text is None:
        return None
    names = tuple(text.split(","))
    for name in names:
        if name not in ("parallel", "arbitrary"):
            raise ValueError(f"--grid-semantics: {name!r} is neither parallel nor arbitrary")
    return names if len(names) > 1 else names[0]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    end = words.index("--") if "--" in words else len(words)
    parser = _parser()
    options = parser.parse_args(words[:end])
    try:
        semantics = _semantics(options.grid_semantics)
    except ValueError as problem:
        parser.error(str(problem))
    if not os.path.isfile(options.script):
        print(f"tilegrind.pallas: {options.script}: no such script", file=sys.stderr)
        return USAGE

    from .capturing import capture  # after the options: it imports JAX

    try:
        with capture(options.out, semantics, options.limit) as captured:
            ran = run_script(options.script, words[end + 1 :])
    except OSError as problem:
        print(f"tilegrind.pallas: {options.out}: {problem.strerror}", file=sys.stderr)
        return USAGE
    for case in captured.cases:
        print(case)
    for error in captured.errors:
        print(f"tilegrind.pallas: no case: {error}", file=sys.stderr)
    if not ran:
        print(f"tilegrind.pallas: {options.script} failed", file=sys.stderr)
    return OK if ran and not captured.errors else INVALID


if __name__ == "__main__":
    sys.exit(main())
