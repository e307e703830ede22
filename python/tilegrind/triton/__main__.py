"""``python -m tilegrind.triton``: runs a program with its Triton kernels in Tilegrind."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Sequence

from ..scripts import run_script
from .crosscheck_options import add_options

OK, FOUND, USAGE, INVALID = 0, 1, 2, 3

_EPILOG = """\
exit codes:
  0  the program ran, without findings that count
  1  findings of level --fail-on or worse; a launch that differs
  2  usage or I/O: no such program, an invalid option, a folder that cannot be written
  3  the program failed, a kernel has no Tilegrind form, or a launch was not compared

examples:
  python -m tilegrind.triton run --order shuffled:3 softmax.py
  python -m tilegrind.triton check --device cuda train.py --steps 1
  python -m tilegrind.triton crosscheck --target 90 --ulp 4 softmax.py
  python -m tilegrind.triton capture --out cases --limit 2 train.py
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tilegrind.triton", description="Programs with Triton kernels, on the CPU.",
                                     epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = _command(commands, "run", "run a program; each launch runs once, and what is found is told at the end")
    run.add_argument("--order", default="sequential", help="sequential, reversed, shuffled[:SEED], parallel[:N], interleaved[:SEED]")
    run.add_argument("--checks", default="none", metavar="NAMES", help="none, all, or names separated by commas")
    check = _command(commands, "check", "run a program with every check, each launch in many orders")
    check.add_argument("--checks", default="all", metavar="NAMES", help="all, none, or names separated by commas")
    check.add_argument("--no-orders", action="store_true", help="run each launch only once")
    check.add_argument("--save", metavar="DIR", help="write a case of each kernel with findings, for `tilegrind check`")
    check.add_argument("--trace", metavar="DIR", help="write the timeline of each kernel, for Perfetto or chrome://tracing")
    crosscheck = _command(commands, "crosscheck", "run a program, each launch also as the PTX that Triton makes of it for a GPU, in the emulator")
    add_options(crosscheck)
    for command in (run, check, crosscheck):
        command.add_argument("--fail-on", default="error", metavar="LEVEL", help="least level that counts: error, warning, note, advice")
        command.add_argument("--suppressions", action="append", metavar="FILE", help="findings that are known")
        command.add_argument("--inductor", action="store_true", help="let torch.compile make Triton kernels for the CPU")
    capture = _command(commands, "capture", "run a program and write a case for each launch")
    capture.add_argument("--out", required=True, metavar="DIR", help="where the case folders go; made if missing")
    capture.add_argument("--limit", type=int, metavar="N", help="greatest number of cases per kernel (default: no limit)")
    capture.add_argument("--ptx", type=int, metavar="N", help="80 or 90: cases also have the PTX that Triton makes for sm_80 or sm_90, for "
                         "`tilegrind crosscheck CASE --backends cpu,triton-ptx`")
    return parser


def _command(commands: Any, name: str, what: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=what, usage=f"python -m tilegrind.triton {name} [OPTION...] PROGRAM.py [ARG...]")
    command.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help='cuda: what the program puts on "cuda" is on the CPU')
    command.add_argument("--capability", type=int, metavar="N", help="90: Triton is told that it compiles for a GPU 9.0 of NVIDIA")
    command.add_argument("--autotune", default="first", choices=("first", "all"), help="which configurations of a kernel run")
    command.add_argument("program", metavar="PROGRAM.py")
    command.add_argument("args", nargs=argparse.REMAINDER, metavar="ARG", help="what the program gets")
    return command


def _running(options: argparse.Namespace, report: Any) -> Any:
    """The context in which the program runs; `report` is that of a cross-check.  Raises ValueError, tilegrind.Error, ImportError."""
    from .capturing import capture
    from .checking import check
    from .interpreting import interpreter

    common = {"device": options.device, "capability": options.capability, "autotune": options.autotune}
    if options.command == "capture":
        return capture(options.out, options.limit, ptx=options.ptx, **common)
    common |= {"fail_on": options.fail_on, "suppressions": options.suppressions, "inductor": options.inductor, "checks": options.checks}
    if options.command == "crosscheck":
        from .crosschecking import crosschecking_for

        return crosschecking_for(options, report)
    if options.command == "run":
        return interpreter(options.order, findings="collect", **common)
    return check(orders=not options.no_orders, on_finding="collect", save=options.save, trace=options.trace, **common)


def _tell(options: argparse.Namespace, seen: Any) -> int:
    """Prints what was found; returns the exit code."""
    from ..checked import is_at_least
    from ..finding_text import counted, texts_of

    for text in texts_of(seen.findings):
        print(text, end="\n\n")
    for path in [*seen.cases, *seen.traces]:
        print(path)
    serious = sum(is_at_least(one, options.fail_on) for one in seen.findings)
    print(f"tilegrind: {counted(seen.runs, 'launch', 'es')} of {counted(len(seen.kernels), 'kernel')}, {counted(seen.programs, 'program')}; "
          f"{counted(len(seen.findings), 'finding')}, {serious} of level {options.fail_on} or worse; {len(seen.suppressed)} suppressed",
          file=sys.stderr)
    return FOUND if serious else OK


def _end(options: argparse.Namespace, seen: Any, report: Any) -> tuple[int, list[Exception]]:
    """Tells what there is to tell at the end; returns the exit code and what was refused."""
    if options.command == "capture":
        print(*seen.cases, sep="\n")
        for folder, why in seen.without_ptx:
            print(f"tilegrind.triton: {folder} has no PTX: {why}", file=sys.stderr)
        return INVALID if seen.without_ptx else OK, seen.errors
    code, refused = _tell(options, seen), seen.refused
    if report:
        print(f"tilegrind: {report.summary()}", file=sys.stderr)
        counts = report.counted()
        code = FOUND if counts["different"] else INVALID if counts["not-compared"] and code == OK else code
    return code, refused


def _advice(options: argparse.Namespace, error: Exception) -> str:
    """What a program that torch has no GPU for wants to know; "" for other errors."""
    asks_for_gpu = isinstance(error, (RuntimeError, AssertionError)) and "CUDA" in str(error)
    return 'tilegrind.triton: with --device cuda, what a program puts on "cuda" is on the CPU' if asks_for_gpu and options.device == "cpu" else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    options = _parser().parse_args(argv)
    if not os.path.isfile(options.program):
        print(f"tilegrind.triton: {options.program}: no such program", file=sys.stderr)
        return USAGE
    from .. import Error

    try:
        report = None
        if options.command == "crosscheck":
            from .crosscheck_report import Report

            report = Report(options.ulp, options.atol, "," in options.backends.removeprefix("cpu,"))
        with _running(options, report) as active:
            ran = run_script(options.program, options.args, lambda error: _advice(options, error))
        code, refused = _end(options, active, report)
        code = code if ran and not refused else INVALID
        if report and options.json:
            report.write(options.json, code)
    except (ValueError, RuntimeError, ImportError, OSError, Error) as problem:
        print(f"tilegrind.triton: {problem}", file=sys.stderr)
        return USAGE
    for error in refused:
        print(f"tilegrind.triton: not supported: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
