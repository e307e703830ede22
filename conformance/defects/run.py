"""The corpus of defects: ./bootstrap defects.

The broken kernel of each pair must give the expected finding, with the right kind, lines, programs and element, in one run in sequential
order, and the repaired one must give none.  There is one row for each class of defects; docs/defects.md lists the pairs.
Other orders, and one and two threads, must give the same findings.  If order sequential hides a defect, `tilegrind check` must
find it, and name an order that shows it again.  No verdict may take more than 5 s.  The kernels of the acceptance table and the
examples of docs/semantics.md must give exactly the findings that they state.  `tilegrind check` runs on all
these kernels, and each must take less than 10 s; --check does only this last part.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402

from conformance.case_folders import acceptance_cases, semantics_cases  # noqa: E402
from conformance.defects import corpus, document, judge, pair_cases, times  # noqa: E402
from conformance.defects.alike import OTHER_ORDERS, unlike_in_orders  # noqa: E402
from conformance.defects.reports import Failure, findings_of, run, runs_of  # noqa: E402

MOST_SECONDS = 5.0  # per verdict
PHYSICAL = ("--layouts", "physical")


def kinds(table: Path = ROOT / "report" / "checks.def") -> set[str]:
    """The kinds of findings in this tree."""
    return set(re.findall(r'^TG_FINDING\([A-Z_]+, "([a-z-]+)"', table.read_text(encoding="utf-8"), re.M))


def are_clean(command: Sequence[str], cases: Sequence[Path], jobs: int) -> bool:
    """Prints cases with findings that they do not state, or without findings that they state; returns whether there are none.
    ./bootstrap accept checks numbers."""
    def problem(case: Path) -> str | None:
        try:
            one, = runs_of(run(command, case))
        except Failure as failure:
            return str(failure)
        if one["unexpected_findings"] or one["absent_findings"]:
            return f"{case}: {[(finding['kind'], finding['message']) for finding in one['findings']]}"
        return None

    with ThreadPoolExecutor(jobs) as pool:
        problems = [said for said in pool.map(problem, cases) if said]
    print("\n".join([*problems, f"The acceptance table: {len(cases)} kernels, {len(problems)} with findings that they do not say"]))
    return bool(cases) and not problems


def differences_of(report: Mapping[str, Any]) -> list[str]:
    """Outputs that differ from the expected ones."""
    return [f"{output['name']}: {output['summary']}" for one in runs_of(report) for output in one.get("outputs", ())
            if output["expected"] and not output["agrees"]]


def wrong_values(command: Sequence[str], written: pair_cases.Cases, line: int) -> list[Mapping[str, Any]]:
    """As a finding: the first element of each output of the broken kernel, in a physical run, that is not the repaired one's."""
    with tempfile.TemporaryDirectory() as folder:
        run([*command, *PHYSICAL, "--out", f"{folder}/o.npz"], written.broken)
        got, expected = np.load(f"{folder}/o.npz"), np.load(written.repaired / "expected.npz")
        found = []
        for name in got.files:
            same = got[name].shape == expected[name].shape and (got[name] == expected[name]).ravel()
            if not np.all(same):
                first = int(np.argmin(same))
                found.append({"kind": judge.WRONG_VALUES, "param": name, "line": line, "related": [], "elements": [first, first]})
    return found


def examine(command: Sequence[str], pair: corpus.Pair, written: pair_cases.Cases, known: set[str]) -> judge.Verdict:
    if written.broken is None or written.repaired is None:
        return judge.Verdict(pair, not_yet=written.refused)
    module = json.loads((written.broken / "kernel.json").read_text())
    kernel, = module["kernels"]
    begun = time.perf_counter()
    try:
        broken, repaired = run(command, written.broken), run(command, written.repaired)
    except Failure as failure:
        return judge.Verdict(pair, missed=[str(failure)])
    seconds = time.perf_counter() - begun
    told = findings_of(broken)
    if any(finding.kind == judge.WRONG_VALUES for finding in pair.finds):
        told += wrong_values(command, written, module["locations"][kernel["loc"] - 1]["line"])
    verdict = judge.judge(pair, kernel, told, findings_of(repaired), known | {judge.WRONG_VALUES})
    verdict.false += differences_of(repaired)
    if pair.write:  # it has layouts
        verdict.false += differences_of(run([*command, *PHYSICAL], written.repaired))
    verdict.seconds = seconds
    return verdict


def show(verdicts: Sequence[judge.Verdict]) -> bool:
    """Prints failures and the table; returns whether everything passed."""
    for verdict in verdicts:
        for word, texts in (("missed", verdict.missed), ("told as well", verdict.extra),
                            ("told of the repaired kernel", verdict.false)):
            for text in texts:
                print(f"{verdict.pair.label}: {word}: {text}")
    reasons = sorted({verdict.not_yet for verdict in verdicts if verdict.not_yet})
    for reason in reasons:
        labels = [verdict.pair.label for verdict in verdicts if verdict.not_yet == reason]
        print(f"not yet: {reason}: {len(labels)} pairs" if len(labels) > 1 else f"not yet: {labels[0]}: {reason}")
    print(f"\n{'class':20} {'pairs':>5} {'found':>6} {'missed':>7} {'as well':>8} {'repaired':>9} {'not yet':>8} "
          f"{'precision':>10} {'recall':>7}")
    for name, score in judge.scores(verdicts).items():
        print(f"{name:20} {score.pairs:5} {score.found:6} {score.missed:7} {score.extra:8} {score.false:9} "
              f"{score.not_yet:8} {ratio(score.precision):>10} {ratio(score.recall):>7}")
    return all(verdict.passed for verdict in verdicts)


def are_quick(verdicts: Sequence[judge.Verdict]) -> bool:
    """Prints which verdict took longest, and those that took too long; returns whether there are none."""
    slowest = max(verdicts, key=lambda verdict: verdict.seconds)
    too_long = [verdict for verdict in verdicts if verdict.seconds > MOST_SECONDS]
    print("\n".join(f"{verdict.pair.label}: {verdict.seconds:.1f} s, {MOST_SECONDS:.0f} s are the most" for verdict in too_long),
          end="\n" if too_long else "")
    print(f"The slowest verdict, {slowest.pair.label}, took {slowest.seconds:.2f} s")
    return not too_long


def check_everything(cli: str, written: Mapping[str, pair_cases.Cases], work: Path, scratch: Path, jobs: int) -> bool:
    """Whether `tilegrind check` is fast enough on every kernel of the tree."""
    pairs = [folder for cases in written.values() for folder in (cases.broken, cases.repaired) if folder]
    return times.are_short(cli, {"the corpus of defects": pairs, "the acceptance table": acceptance_cases(work),
                                 "the meaning of operations": semantics_cases(Path(cli), scratch)}, jobs)


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "tilegrind")
    parser.add_argument("--only", metavar="PATTERN", help="pairs whose CLASS/NAME matches, as in 'masks/*'")
    parser.add_argument("--order", default="sequential", help="the order of the one run (default sequential)")
    parser.add_argument("--brief", action="store_true", help="the pairs in one order, and nothing else")
    parser.add_argument("--check", action="store_true", help="how long `tilegrind check` takes on every kernel, and nothing else")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "accept",
                        help="folder of the acceptance table's cases")
    parser.add_argument("--list", action="store_true", help="name the pairs and stop")
    parser.add_argument("--document", action="store_true", help="write docs/defects.md and stop")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the cases to FOLDER and leave them there")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("TG_JOBS", 0)) or os.cpu_count())
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    pairs = [pair for pair in corpus.load() if fnmatch.fnmatch(pair.label, options.only or "*")]
    problems = corpus.problems(pairs)
    if problems or not pairs:
        print("\n".join(problems) or f"no pair matches {options.only}", file=sys.stderr)
        return 2
    if options.list:
        for pair in pairs:
            print(f"{pair.label}: {pair.why}")
        return 0
    if options.document:
        document.FILE.write_text(document.text(corpus.load()), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        written = pair_cases.write_all(pairs, options.keep or Path(scratch) / "pairs")
        if options.check:
            return 0 if check_everything(str(options.cli), written, options.work, Path(scratch) / "semantics", options.jobs) else 1
        pair_cases.expect_outputs(pairs, written)
        good = is_as_stated(options, pairs, written)
        if not options.brief and not options.only:
            good &= others_are_clean(options)
            good &= check_everything(str(options.cli), written, options.work, Path(scratch) / "semantics", options.jobs)
        return 0 if good else 1


def is_as_stated(options: argparse.Namespace, pairs: Sequence[corpus.Pair], written: Mapping[str, pair_cases.Cases]) -> bool:
    """Prints the findings of the pairs; returns whether they are as stated."""
    run_once = [str(options.cli), "run", "--order", options.order, "--json", "--check"]
    in_orders = [str(options.cli), "check", "--json"]
    known = kinds()
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(lambda pair: examine(in_orders if pair.needs_orders else [*run_once, pair.checks], pair,
                                                      written[pair.label], known), pairs))
        unlike = [text for texts in pool.map(lambda pair: unlike_in_orders(str(options.cli), pair, written[pair.label], known),
                                             () if options.brief else pairs) for text in texts]
    many = sum(pair.needs_orders for pair in pairs)
    print(f"{len(pairs) - many} pairs, each in one run: tilegrind {' '.join(run_once[1:])} all; with memory-cost those about it")
    print(f"{many} that need other orders: tilegrind {' '.join(in_orders[1:])}")
    good = show(verdicts)
    good &= are_quick(verdicts)
    if not options.brief:
        print("\n".join([*unlike, f"{len(unlike)} differences between order sequential and {', '.join(OTHER_ORDERS)}"]))
    return good and not unlike


def others_are_clean(options: argparse.Namespace) -> bool:
    """Prints the findings of kernels without a defect; returns whether they are as stated."""
    good = are_clean([str(options.cli), "run", "--check", "all", "--json"], acceptance_cases(options.work), options.jobs)
    print("The meaning of operations:", end=" ", flush=True)
    meaning = [sys.executable, ROOT / "conformance" / "semantics" / "run.py", "check", "--cli", options.cli]
    return subprocess.run(meaning).returncode == 0 and good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
