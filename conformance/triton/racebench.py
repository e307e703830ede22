"""Judges what Tilegrind says of the rows of TritonRaceBench: kernels of Triton with and without a race.

    racebench.py DIR [ROW]...

    DIR   a checkout of triton-viz that has evaluation/kernels/tritonracebench.py
    ROW   only rows whose names contain one of these

Each row is launched with the detector of races, which runs it in several orders, in a process of its own.  The verdict is `race` if any order has
one, else `race-free`; a row that takes longer than 10 s, or never ends, has none.  The table has the verdict, what the benchmark expects, and for rows that name the racing
lines whether a race of exactly such lines was told; below it are precision and recall.  Rows that the benchmark does not label are shown and not counted.

Needs Triton, torch, and Tilegrind's package; exit code 0 if every verdict and line is as expected.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import multiprocessing
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

MOST_SECONDS = 10.0
RACES = ("race", "race-same-value")
UNENDED = ("livelock", "deadlock", "endless-loop")


@dataclass
class Verdict:
    """What was found in a row.

    verdict  "race", "race-free", or why there is none
    lines    the two lines of each race, as numbers in the kernel's file
    kinds    of all findings
    """

    verdict: str
    lines: list[frozenset[int]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    seconds: float = 0.0


# ---- one row ----


def arguments(row: Any) -> dict[str, Any]:
    """The arguments of a launch by name: constants of the row, and its arrays and numbers in the order of the signature."""
    values = iter(row.make_args(0))
    return {name: row.constexprs[name] if kind == "constexpr" else next(values) for name, kind in row.signature.items()}


def findings_of(row: Any) -> list[Any]:
    """The findings of one launch, in every order that a check runs."""
    import tilegrind.triton

    with tilegrind.triton.check(checks="races", on_finding="collect") as session:
        row.kernel_fn[row.grid](**arguments(row))
    return session.findings


def examine(row: Any) -> Verdict:
    """Launches a row."""
    seen = Verdict("race-free")
    for finding in findings_of(row):
        seen.kinds.add(finding.kind)
        if finding.kind in RACES:
            seen.verdict = "race"
            seen.lines.append(frozenset((finding.line, finding.related[0].line)))
    unended = sorted(seen.kinds.intersection(UNENDED))
    if unended and seen.verdict != "race":
        seen.verdict = unended[0]
    return seen


# ---- a process for each row ----


def _report(row: Any, end: Any) -> None:
    try:
        end.send(examine(row))
    except Exception as problem:  # noqa: BLE001  (any error is the row's verdict)
        end.send(Verdict(type(problem).__name__))


def apart(row: Any) -> Verdict:
    """Like `examine`, in a child that is ended when its time is over."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_report, args=(row, theirs))
    start = time.monotonic()
    child.start()
    theirs.close()
    try:
        seen = ours.recv() if ours.poll(MOST_SECONDS) else Verdict(f"none in {MOST_SECONDS:.0f} s")
    except EOFError:
        seen = Verdict("the process died")
    seen.seconds = time.monotonic() - start
    child.kill()
    child.join()
    return seen


# ---- judging ----


def lines_of(row: Any) -> set[int]:
    """The lines of the kernel that contain a text of the row's `race_pair`."""
    source, first = inspect.getsourcelines(row.kernel_fn.fn)
    return {first + number for number, line in enumerate(source) if any(text in line for text in row.race_pair or ())}


def names_lines(row: Any, seen: Verdict) -> bool | None:
    """Whether a race of lines that the row names was told; None if it names none."""
    wanted = lines_of(row)
    return any(pair <= wanted for pair in seen.lines) if wanted else None


def show(row: Any, seen: Verdict, has_lines: bool | None) -> None:
    lines = {None: "", True: "lines", False: "OTHER LINES"}[has_lines]
    mark = "" if row.expected in (None, seen.verdict) else "WRONG"
    print(f"{row.name:40} {seen.verdict:10} {row.expected or '-':10} {lines:11} {seen.seconds:5.2f} s  {mark}".rstrip(), flush=True)


def ratio(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def judge(rows: Sequence[Any]) -> bool:
    """Prints the table; returns whether all of it is as expected."""
    found = [(row, apart(row)) for row in rows]
    lines = {row.name: names_lines(row, seen) if row.expected == "race" else None for row, seen in found}
    for row, seen in found:
        show(row, seen, lines[row.name])
    labelled = [(row.expected, seen.verdict) for row, seen in found if row.expected]
    right = labelled.count(("race", "race"))
    told, true = (sum(pair[side] == "race" for pair in labelled) for side in (1, 0))
    named = [one for one in lines.values() if one is not None]
    print(f"\n{len(found)} rows, {len(labelled)} labelled, {sum(a == b for a, b in labelled)} verdicts as expected; precision "
          f"{ratio(right, told)}, recall {ratio(right, true)}, lines {sum(named)} of {len(named)}; slowest "
          f"{max((seen.seconds for _, seen in found), default=0.0):.2f} s")
    return all(a == b for a, b in labelled) and all(named)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", metavar="DIR", type=Path, help="a checkout of triton-viz")
    parser.add_argument("rows", metavar="ROW", nargs="*", help="only rows whose names contain one of these")
    given = parser.parse_args(argv)
    sys.path.insert(0, str(given.folder))
    importlib.import_module("tilegrind.triton.checking")  # once, for all children
    corpus = importlib.import_module("evaluation.kernels.tritonracebench").CORPUS
    rows = [row for row in corpus.specs if not given.rows or any(name in row.name for name in given.rows)]
    if not rows:
        parser.error("no row has such a name")
    return 0 if judge(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
