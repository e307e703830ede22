"""What a golden check costs, beside the interpreter's own run on the same inputs."""

import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # conformance/ has the kernels

from conformance.golden import corpus  # noqa: E402
from report import seconds, show, spread, times_as_long, verdict  # noqa: E402
from tilegrind.golden import checking, recording  # noqa: E402
from tilegrind.golden.folder import Folder  # noqa: E402
from tilegrind.golden.store import Store  # noqa: E402
from tilegrind.judging import Unjudged  # noqa: E402
from timing import Runner  # noqa: E402

MOST = 4          # times the interpreter's run: the median of whole checks over kernels
MOST_MATRIX = 60  # seconds, of each kernel
MOST_LINT = 0.1   # seconds


def measure(name, subject, watch, budget):
    """The figures of one kernel, on the first input set of its golden; None where there is no golden."""
    start = time.process_time()
    try:
        bundle = recording.record(name, subject).bundle
    except (recording.NotRecorded, Unjudged):
        return None
    matrix = time.process_time() - start
    record = bundle.sets[0]
    arrays = subject.arrays(record.inputs)
    outputs = {name: one.bits for name, one in subject.witness(arrays).outputs.items()}
    check = _check_of(bundle, record, outputs)
    times = watch.measure({
        "run": Runner(lambda: subject.run(subject.module, arrays), budget=budget),
        "inputs": Runner(lambda: subject.arrays(record.inputs), budget=budget),
        "witness": Runner(lambda: subject.witness(arrays), budget=budget),
        "check": Runner(check, budget=budget)})
    ratios = {f"{what}_ratio": times[what].median / times["run"].median for what in ("witness", "check")}
    return {"name": name, "times": times, **ratios, "matrix": matrix, "is_right": check().passed, "bundle": bundle}


def _check_of(bundle, record, outputs):
    """A call that judges the interpreter's own bits, which cost nothing, on one input set."""
    one = replace(bundle, sets=(record,), alive=())
    return lambda: checking.check(one, lambda name, arrays: outputs)


def lint_times(bundles, watch, budget):
    """Times of what `tilegrind golden lint` does with these goldens in one folder, without the start of the process."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        for number, bundle in enumerate(bundles):
            store.put_pending(replace(bundle, name=f"g{number}"))
            store.accept(f"g{number}", "benchmark", store.read(f"g{number}", pending=True).digest)
        return watch.measure({"lint": Runner(Folder(folder).problems, budget=budget)})["lint"]


def _cells(row):
    times = row["times"]
    return [row["name"], spread(times["run"]), seconds(times["inputs"].median), seconds(times["witness"].median),
            seconds(times["check"].median), times_as_long(row["witness_ratio"]), times_as_long(row["check_ratio"]),
            seconds(row["matrix"]), row["verdict"]]


def _summary(rows, bundles, watch, budget):
    """The medians over kernels, and lint: held to the demands."""
    witness, check = (statistics.median(row[name] for row in rows) for name in ("witness_ratio", "check_ratio"))
    lint = lint_times(bundles, watch, budget)
    print(f"Medians: R and B {times_as_long(witness)}, a check {times_as_long(check)} the interpreter's run, "
          f"at most {MOST}x: {verdict(True, check <= MOST)}.  Lint of {len(bundles)} goldens {seconds(lint.median)}, at most "
          f"{seconds(MOST_LINT)}: {verdict(True, lint.median <= MOST_LINT)}.")
    return {"witness_ratio": witness, "check_ratio": check, "times": {"lint": lint},
            "verdict": verdict(True, check <= MOST and lint.median <= MOST_LINT)}


def run(options, effort, watch):
    rows = []
    for name in corpus.names(options.effort == "quick"):
        if options.only and options.only not in name:
            continue
        print(f"    {name}", file=sys.stderr, flush=True)
        row = measure(name, corpus.subject(name, options.effort == "quick"), watch, effort.budget / 4)
        if row:
            rows.append(row | {"verdict": verdict(row["is_right"], row["matrix"] <= MOST_MATRIX)})
    bundles = [row.pop("bundle") for row in rows]
    if not rows:
        return {"rows": []}
    show("Golden checks: an input set of each kernel's golden, judged on one core",
         ["kernel", "interpreter, median (least .. most)", "inputs", "R and B", "check", "R and B", "check", "kill matrix",
          "verdict"],
         [_cells(row) for row in rows])
    return {"rows": rows, "summary": _summary(rows, bundles, watch, effort.budget / 4)}
