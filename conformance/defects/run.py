"""The corpus of defects: ./bootstrap defects.

Each pair's broken kernel must be found, with the right kind, lines, programs and element, in one run in sequential
order, and nothing may be said of the repaired one.  One row for each class of defects; docs/defects.md lists the pairs.
What is found must be the same in other orders and on one and two threads.  In the kernels of the acceptance table and the
examples of docs/semantics.md nothing may be found but what they say themselves.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "conformance"), str(Path(__file__).resolve().parent)]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import pair_cases  # noqa: E402
import corpus  # noqa: E402
import document  # noqa: E402
import judge  # noqa: E402
from case_folders import acceptance_cases  # noqa: E402

LIMIT = 60  # seconds a run
OTHER_ORDERS = ("reversed", "shuffled:7", "interleaved:3", "parallel:1", "parallel:2")


class Failure(Exception):
    """The table cannot be made."""


def kinds(header: Path = ROOT / "runtime" / "finding.h") -> set[str]:
    """The kinds of findings that this tree has."""
    return set(re.findall(r'X\([A-Z_]+,\s*"([a-z-]+)"', header.read_text(encoding="utf-8")))


def run(command: Sequence[str], folder: Path) -> Mapping[str, Any]:
    """The report of one case."""
    try:
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{folder}: no end after {LIMIT} s") from None
    if done.returncode not in (0, 1):
        raise Failure(f"{folder}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def runs_of(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return report.get("runs", [report])


def findings_of(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [finding for one in runs_of(report) for finding in one["findings"]]


def told_alike(report: Mapping[str, Any], left_out: set[str]) -> list[tuple]:
    """What is told of each finding, but for words: those of a deadlock, say, tell what had happened before; and which of several programs
    uses an undefined value first is a matter of order."""
    def sides(finding):
        is_of_values = is_undefined(finding["kind"])
        return [(side.line, None if is_of_values else side.program) for side in judge.sides_of(finding)]

    return sorted((finding["kind"], str(finding.get("param")), str(finding.get("elements")), str(sides(finding)))
                  for finding in findings_of(report) if finding["kind"] not in left_out)


def is_undefined(kind: str) -> bool:
    return kind.startswith("undefined-")


def depends_on_order(pair: corpus.Pair, known: set[str]) -> set[str]:
    """The kinds that an order may add to what is stated of a broken kernel: what may be told as well, as that hangs on the moment of a copy, say;
    and where programs race, what follows when the read comes before the write, and finds what nobody wrote."""
    stated = {find.kind for find in pair.finds}
    follows = {kind for kind in known if is_undefined(kind)} if "race" in stated else set()
    return (set(pair.also) | follows) - stated


def unlike_in_orders(command: Sequence[str], pair: corpus.Pair, written: pair_cases.Cases, known: set[str]) -> list[str]:
    """Orders in which something else is found than in order sequential."""
    unlike = []
    for folder, left_out in ((written.broken, depends_on_order(pair, known)), (written.repaired, set())):
        if folder is None:
            continue
        first = told_alike(run([*command, "--order", "sequential"], folder), left_out)
        for order in OTHER_ORDERS:
            found = told_alike(run([*command, "--order", order], folder), left_out)
            if found != first:
                unlike.append(f"{pair.label}, {folder.name}: {order} finds {found} instead of {first}")
    return unlike


def are_clean(command: Sequence[str], cases: Sequence[Path], jobs: int) -> bool:
    """Prints which cases have findings that they do not say, or lack those that they say; whether there is none.  Numbers are the matter of
    ./bootstrap accept."""
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
    """Outputs other than JAX's."""
    return [f"{output['name']}: {output['summary']}" for one in runs_of(report) for output in one.get("outputs", ())
            if output["expected"] and not output["agrees"]]


def examine(command: Sequence[str], pair: corpus.Pair, written: pair_cases.Cases, known: set[str]) -> judge.Verdict:
    if written.broken is None or written.repaired is None:
        return judge.Verdict(pair, not_yet=written.refused)
    kernel, = json.loads((written.broken / "kernel.json").read_text())["kernels"]
    try:
        broken, repaired = run(command, written.broken), run(command, written.repaired)
    except Failure as failure:
        return judge.Verdict(pair, missed=[str(failure)])
    verdict = judge.judge(pair, kernel, findings_of(broken), findings_of(repaired), known)
    verdict.false += differences_of(repaired)
    return verdict


def show(verdicts: Sequence[judge.Verdict]) -> bool:
    """Prints what went wrong and the table; whether all is as it should be."""
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


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "tilegrind")
    parser.add_argument("--only", metavar="PATTERN", help="pairs whose CLASS/NAME matches, as in 'masks/*'")
    parser.add_argument("--order", default="sequential", help="the order of the one run (default sequential)")
    parser.add_argument("--brief", action="store_true", help="the pairs in one order, and nothing else")
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
        written = pair_cases.write_all(pairs, options.keep or Path(scratch))
        pair_cases.expect_outputs_of_jax(pairs, written)
        run_once = [str(options.cli), "run", "--check", "all", "--order", options.order, "--json"]
        in_orders = [str(options.cli), "check", "--json"]
        known = kinds()

        def verdict_on(pair: corpus.Pair) -> judge.Verdict:
            return examine(in_orders if pair.needs_orders else run_once, pair, written[pair.label], known)

        with ThreadPoolExecutor(options.jobs) as pool:
            verdicts = list(pool.map(verdict_on, pairs))
            looks = [str(options.cli), "run", "--check", "all", "--json"]
            unlike = [text for texts in pool.map(lambda pair: unlike_in_orders(looks, pair, written[pair.label], known),
                                                 () if options.brief else pairs) for text in texts]
    many = sum(pair.needs_orders for pair in pairs)
    print(f"{len(pairs) - many} pairs, each in one run: tilegrind {' '.join(run_once[1:])}")
    print(f"{many} of an order dependence without a race: tilegrind {' '.join(in_orders[1:])}")
    good = show(verdicts)
    if not options.brief:
        print("\n".join([*unlike, f"{len(unlike)} differences between order sequential and {', '.join(OTHER_ORDERS)}"]))
    if not options.brief and not options.only:
        good &= are_clean(looks, acceptance_cases(options.work), options.jobs)
        print("The meaning of operations:", end=" ", flush=True)
        good &= subprocess.run([sys.executable, ROOT / "conformance" / "semantics" / "run.py", "check", "--cli", options.cli]).returncode == 0
    return 0 if good and not unlike else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
