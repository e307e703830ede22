"""The generated parts of docs/jax-suites.md, from the stored results of conformance/jax/run.py and from its tables."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "conformance" / "jax"
sys.path.insert(0, str(ROOT))

from conformance.jax import expected, lifts, refusals  # noqa: E402

RESULTS = FOLDER / "results"
COLUMNS = ("tests", "passed", "executed", "refused", "failed", "findings")


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def results():
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def summed(rows):
    return [sum(row[column] for row in rows) for column in COLUMNS]


def name_of(result):
    some = result.get("tests", "*")
    return f"`{result['backend']}`, `{result['order']}`, `{result['compat']}`" + (f", tests `{some}`" if some != "*" else "")


def runs():
    """One row for each stored run: all files together."""
    rows = [[name_of(result), *summed(result["files"])] for result in results() if result["files"]]
    return markdown(["backend, order, compat", "stock passes", *COLUMNS[1:]], rows)


def files():
    """For each stored run, one row for each file."""
    parts = []
    for result in filter(lambda result: result["files"], results()):
        rows = [[f"`{file['file']}`", *(file[column] for column in COLUMNS)] for file in result["files"]]
        parts.append(markdown([name_of(result), "stock passes", *COLUMNS[1:]], [*rows, ["all", *summed(result["files"])]]))
    return "\n\n".join(parts)


def times():
    """For each stored run that also ran stock JAX, one row for each file: the seconds of both, and their ratio."""
    parts = []
    for result in results():
        both = [(file["file"], file["seconds"], file["stock_seconds"]) for file in result["files"] if file["stock_seconds"]]
        rows = [[f"`{name}`", *time_cells([ours], [stock])] for name, ours, stock in both]
        if rows:
            rows.append(["all", *time_cells([ours for _, ours, _ in both], [stock for _, _, stock in both])])
            parts.append(markdown([name_of(result), *TIME_COLUMNS], rows))
    return "\n\n".join(parts)


TIME_COLUMNS = ("CPU", "stock JAX's CPU", "ratio", "wall", "stock JAX's wall", "ratio")


def time_cells(ours, stock):
    cells = []
    for clock in ("cpu", "wall"):
        mine, its = (sum(seconds[clock] for seconds in some) for some in (ours, stock))
        cells += [f"{mine:.0f}", f"{its:.0f}", f"{mine / its:.2f}"]
    return cells


def lift_rows(some, counts, columns):
    """The rows of some lifts, with their results in `counts`, by name."""
    rows = [[lift.name, f"`{lift.file}`", lift.why, *(counts[lift.name][column] for column in columns)] for lift in some]
    return [*rows, ["all", "", "", *(sum(counts[lift.name][column] for lift in some) for column in columns)]]


def lift_tables(sakes, columns):
    """For each stored run a table of the lifts for the sake of each of `sakes`."""
    parts = []
    for result in results():
        counts = {one["lift"]: one for one in result["lifted"]}
        for sake in sakes:
            some = [lift for lift in lifts.LIFTS if lift.sake == sake and lift.name in counts]
            if some:
                parts.append(f"Skipped for the sake of {sake}, {name_of(result)}:")
                parts.append(markdown(["lift", "file", "why", *columns], lift_rows(some, counts, columns)))
    return "\n\n".join(parts)


def lifted():
    return lift_tables((lifts.INTERPRETER, lifts.HARDWARE), COLUMNS)


def gpu():
    return lift_tables((lifts.GPU,), (*COLUMNS, "unjudged", "skipped"))


def gpu_files():
    """For each stored run with tests of Mosaic GPU, one row for each file: all its lifts together."""
    columns = (*COLUMNS, "unjudged", "skipped")
    parts = []
    for result in results():
        of_file = {}
        for one in result["lifted"]:
            lift = next((lift for lift in lifts.GPU_LIFTS if lift.name == one["lift"]), None)
            if lift is not None:
                of_file.setdefault(lift.file, []).append(one)
        rows = [[f"`{file}`", *(sum(one[column] for one in some) for column in columns)] for file, some in of_file.items()]
        if rows:
            parts.append(markdown([name_of(result), *columns], rows))
    return "\n\n".join(parts)


def refused():
    """The reasons of refusals in the tests of Mosaic GPU, the most frequent first, with the lifts that have them."""
    reasons = {}
    for (lift, reason), tests in refusals.read(refusals.REFUSALS.read_text(encoding="utf-8")).items():
        reasons.setdefault(reason, []).append((tests, lift))
    rows = [[sum(tests for tests, _ in of_reason), code_and_text(reason),
             ", ".join(f"{lift} {tests}" for tests, lift in sorted(of_reason, reverse=True))]
            for reason, of_reason in reasons.items()]
    return markdown(["tests", "refused", "of which"], sorted(rows, key=lambda row: (-row[0], row[1])))


def code_and_text(reason):
    primitive, _, text = reason.partition(": ")
    return f"`{primitive}`: {text}"


def unjudged():
    """The tests of Mosaic GPU that are not run."""
    return markdown(["file", "tests", "why"], [[f"`{one.file}`", f"`{one.tests}`", one.why] for one in lifts.UNJUDGED])


def differences():
    """The rows of expected.tsv; rows of one file with the same reason are merged."""
    together = {}
    for row in expected.read_rows(expected.EXPECTED.read_text(encoding="utf-8")):
        key = ("+".join(sorted(row.when)), row.kind, row.file, row.reason)
        name = f"`{row.tests.rsplit('::', 1)[1]}`"
        together.setdefault(key, []).append(f"{name} ({row.pair})" if row.pair else name)
    rows = []
    for (when, kind, file, reason), tests in together.items():
        rows.append([when, kind, f"{file}: {', '.join(tests)}", reason])
    return markdown(["when", "kind", "tests", "reason"], rows)


def legality():
    """The kernels on which JAX's lowering and Tilegrind differ, by who refuses them."""
    lines = (FOLDER / "legality.tsv").read_text(encoding="utf-8").splitlines()
    (_, count), *rows = (line.split("\t") for line in lines if not line.startswith("#"))
    cells = []
    for name, answers, why in rows:
        of_lanes, of_warpgroups = answers.split()
        who = [[kind for kind, pair in (("lanes", of_lanes), ("warpgroups", of_warpgroups)) if pair[at] == "-"] for at in (0, 1)]
        cells.append([name, *(", ".join(kinds) or "-" for kinds in who), why])
    told = f"JAX and Tilegrind agree on {int(count) - len(rows)} of {count} kernels, and differ on these:"
    return f"{told}\n\n" + markdown(["kernel", "JAX refuses", "Tilegrind refuses", "why"], cells)


PARTS = {"jax_legality": legality,
         "jax_runs": runs, "jax_files": files, "jax_times": times, "jax_lifted": lifted, "jax_gpu": gpu,
          "jax_gpu_files": gpu_files, "jax_refused": refused,
         "jax_unjudged": unjudged, "jax_differences": differences}
