"""The benchmarks: Tilegrind, JAX's own interpreter, XLA's compiled code, OpenBLAS and memcpy on the same
data, in one process on one core.  docs/benchmarks.md says what the figures mean.

    python bench/run.py [--quick | --full] [--part NAME] [--only TEXT] [--clock cpu|wall] [--json FILE]
"""

import one_core  # first: numpy and JAX read its settings as they load

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

import jax  # noqa: E402
import numpy as np  # noqa: E402

import as_ptx  # noqa: E402
import checks_part  # noqa: E402
import elementary  # noqa: E402
import fast  # noqa: E402
import golden  # noqa: E402
import growth  # noqa: E402
import layouts  # noqa: E402
import mosaic  # noqa: E402
import physical  # noqa: E402
import small  # noqa: E402
import triton_part  # noqa: E402
from kernels import kernels  # noqa: E402
from launch import Launch  # noqa: E402
from peers import Blas, Compiled, Copy, blas_name, interpreted, interpreted_times  # noqa: E402
from report import against, seconds, show, spread, times_as_long, verdict  # noqa: E402
from tilegrind.pallas import ExportError  # noqa: E402
from timing import CLOCKS, Runner, Watch  # noqa: E402
from workloads import workloads  # noqa: E402


@dataclass(frozen=True)
class Effort:
    """How long to measure: seconds for each thing, the least number of runs of JAX's interpreter, and whether it also runs what takes
    it half a minute."""

    budget: float
    interpreted: int
    is_patient: bool


EFFORTS = {"quick": Effort(0.3, 1, False), "default": Effort(1.0, 1, True), "full": Effort(4.0, 3, True)}


# ---- workloads against JAX's interpreter and against compiled code ----

def largest_difference(got, want):
    """Greatest |got - want| / (1 + |want|); infinite where only one of the two is a NaN."""
    got, want = (np.asarray(a, np.float64) for a in (got, want))
    if not np.array_equal(np.isnan(got), np.isnan(want)):
        return float("inf")
    return float(np.nanmax(np.abs(got - want) / (1 + np.abs(want)), initial=0))


def leading(array, factor):
    """The first of `factor` equal parts."""
    return np.ravel(array)[:array.size // factor]


def measure_workload(work, watch, effort):
    """The figures of one workload, as they go into the JSON file."""
    launch = Launch.of(work)
    interpreter = interpreted(work.sample or work.pallas, work.args)
    runners = {
        "tilegrind": Runner(launch, budget=effort.budget),
        "jax": Runner(interpreter, least=effort.interpreted, most=10, budget=3 * effort.budget),
        "xla": Runner(Compiled(work.compiled, work.args), budget=effort.budget),
        "copy": Runner(Copy(launch.bytes()), budget=effort.budget / 2),
    }
    if work.blas:
        runners["blas"] = Runner(Blas(work.blas, work.args), budget=effort.budget)
    times = watch.measure(runners)
    interpreted_times[work.name] = times["jax"] = times["jax"] * work.sample_factor
    wanted = launch.expected[0] if launch.expected else interpreter.result
    difference = largest_difference(*(leading(a, work.sample_factor) for a in (launch.outputs[0], wanted)))
    ratio = times["jax"].median / times["tilegrind"].median
    is_right = launch.findings == 0 and difference <= work.tolerance
    return {"name": work.name, "times": times, "walk": launch.walks(), "ratio": ratio,
            "required": work.required, "sampled": work.sample_factor, "difference": difference, "isa": launch.isa,
            "slowest": work.slowest, "slowest_blas": work.slowest_blas,
            "verdict": verdict(is_right, None if work.required is None else ratio >= work.required),
            "against_compiled": {"verdict": compiled_verdict(work, times)}}


def compiled_verdict(work, times):
    demands = [(work.slowest, "xla"), (work.slowest_blas, "blas")]
    met = [times["tilegrind"].median <= most * times[peer].median for most, peer in demands if most]
    return verdict(True, all(met) if met else None)


def comparison(row):
    """Cells of a line of the first table."""
    times, interpreted = row["times"]["tilegrind"], row["times"]["jax"]
    mark = "~" if row["sampled"] > 1 else ""
    return [row["name"], spread(times), seconds(row["walk"].least), mark + seconds(interpreted.median),
            str(interpreted.runs), times_as_long(row["ratio"]),
            times_as_long(row["required"]) if row["required"] else "-", f"{row['difference']:.0e}",
            row["verdict"]]


def show_workloads(rows):
    show("Against JAX's interpreter (interpret=True)",
         ["workload", "Tilegrind, median (least .. most)", "least walk", "JAX", "runs", "ratio", "at least",
          "difference", "verdict"], [comparison(row) for row in rows])
    show("Against compiled code (in parentheses: how many times as long Tilegrind takes)",
         ["workload", "Tilegrind", "XLA", "OpenBLAS", "copy of its bytes", "at most", "verdict"],
         [[r["name"], seconds(r["times"]["tilegrind"].median)] +
          [against(r["times"]["tilegrind"], r["times"].get(peer)) for peer in ("xla", "blas", "copy")] +
          [times_as_long(most) if (most := r["slowest"] or r["slowest_blas"]) else "-",
           r["against_compiled"]["verdict"]] for r in rows])


def run_workloads(options, effort, watch):
    rows, skipped = [], []
    for make in workloads(options.effort) + kernels():
        work = make()
        if options.only and options.only not in work.name:
            continue
        print(f"    {work.name}", file=sys.stderr, flush=True)
        try:
            rows.append(measure_workload(work, watch, effort))
        except ExportError as error:
            skipped.append(f"skipped: {work.name}: {error}")
    for line in skipped:
        print(line)
    if rows:
        show_workloads(rows)
    return rows


# ---- next to nothing ----

def run_programs(options, effort, watch):
    rows = []
    for kind in small.PROGRAMS_MEASURED:
        times, is_right = small.measure_program(kind, watch)
        is_met = None if kind.required is None else times["tilegrind"].median <= kind.required
        rows.append({"name": kind.name, "times": times, "required": kind.required,
                     "verdict": verdict(is_right, is_met)})
    show("A program that does next to nothing, each of many",
         ["program", "Tilegrind, median (least .. most)", "JAX interpret", "XLA, a loop", "at most", "verdict"],
         [[r["name"], spread(r["times"]["tilegrind"]), seconds(r["times"]["jax"].median),
           seconds(r["times"]["xla"].median), seconds(r["required"]) if r["required"] else "-", r["verdict"]]
          for r in rows])
    return rows


def run_calls(options, effort, watch):
    times, is_right = small.measure_call(watch)
    over = times["tilegrind"].median - times["jax"].median
    row = {"name": "adds 8 elements", "times": times, "required": small.CALL_REQUIRED, "over": over,
           "verdict": verdict(is_right, over <= small.CALL_REQUIRED)}
    show("A call from JAX, compiled beforehand",
         ["kernel", "Tilegrind, median (least .. most)", "JAX interpret", "XLA", "over JAX", "at most", "verdict"],
         [[row["name"], spread(times["tilegrind"]), seconds(times["jax"].median), seconds(times["xla"].median),
           ("-" if over < 0 else "") + seconds(abs(over)), seconds(row["required"]), row["verdict"]]])
    return [row]


def run_case(options, effort, watch):
    with tempfile.TemporaryDirectory() as folder:
        times = small.measure_case(Path(folder), watch)
    row = {"name": "tilegrind run CASE", "times": {"tilegrind": times}, "required": small.CASE_REQUIRED,
           "verdict": verdict(True, times.median <= small.CASE_REQUIRED)}
    show("The command line on a tiny case, whole process",
         ["command", "Tilegrind, median (least .. most)", "at most", "verdict"],
         [[row["name"], spread(times), seconds(row["required"]), row["verdict"]]])
    return [row]


# ---- profile fast ----

def run_fast(options, effort, watch):
    rows = []
    for work in fast.workloads():
        row = fast.measure(work, watch, effort.budget)
        is_right = row["findings"] == 0 and row["difference"] <= 1e-6
        rows.append(row | {"verdict": verdict(is_right, row["is_met"])})
    show("Profile fast (in parentheses: how many times as long Tilegrind takes as XLA)",
         ["workload", "fast, median (least .. most)", "reference", "XLA: fast", "reference", "elements/s", "demand",
          "difference", "verdict"],
         [[r["name"], spread(r["times"]["fast"]), seconds(r["times"]["reference"].median),
           against(r["times"]["fast"], r["times"]["xla"]), against(r["times"]["reference"], r["times"]["xla"]),
           f"{r['rate'] / 1e9:.2f} G", r["demand"], f"{r['difference']:.0e}", r["verdict"]] for r in rows])
    return rows


# ---- elementary functions ----

def run_elementary(options, effort, watch):
    rows = []
    for function in elementary.FUNCTIONS:
        row = elementary.measure(function, watch, effort.budget / 4)
        required = row["required"]
        rows.append(row | {"verdict": verdict(row["difference"] <= 1e-4,
                                              required and row["rates"]["avx2"] >= required)})
    columns = ("reference", "avx2", "fast", "xla", "numpy", "sleef")
    show("Elementary functions of f32, millions of elements a second",
         ["function", "reference", "reference, AVX2", "fast", "XLA", "numpy", "SLEEF f64, AVX2", "at least",
          "verdict"],
         [[r["name"]] + [f"{r['rates'][c] / 1e6:.0f}" if c in r["rates"] else "-" for c in columns] +
          [f"{r['required'] / 1e6:.0f} (AVX2)" if r["required"] else "-", r["verdict"]] for r in rows])
    return rows


# ---- as PTX ----

def run_ptx(options, effort, watch):
    rows = []
    for make in as_ptx.WORKLOADS:
        row = as_ptx.measure(make(), watch, effort.budget)
        rows.append(row | {"verdict": verdict(row["is_equal"], None)})
    show("As PTX in the emulator, all its detectors on (in parentheses: how many times as long as the interpreter)",
         ["workload", "emulator, median (least .. most)", "interpreter", "instructions", "a second", "verdict"],
         [[r["name"], spread(r["times"]["emulator"]), against(r["times"]["emulator"], r["times"]["cpu"]),
           f"{r['instructions']:,}", f"{r['rate'] / 1e6:.0f} M", r["verdict"]] for r in rows])
    cases = as_ptx.crosscheck_examples()
    print(f"\nCross-check of every example of docs/semantics.md: {cases['cases']} cases, "
          f"{cases['equal']} equal, {cases['different']} different, {cases['refused']} refused, {seconds(cases['seconds'])}.")
    is_right = cases["different"] == cases["failed"] == 0
    return rows + [cases | {"verdict": verdict(is_right, None)}]


# ---- growth ----

def growth_rows(points):
    rows, last = [], None
    for size, times, grown in points:
        row = {"size": size, "times": times, "verdict": "-"}
        if last:
            row["ratio"], row["copy_ratio"] = grown["tilegrind"], grown["copy"]
            row["verdict"] = verdict(True, growth.is_linear(row["ratio"], last))
        rows.append(row)
        last = times["tilegrind"]
    return rows


def run_growth(options, effort, watch):
    found = {}
    for name, family in growth.FAMILIES.items():
        found[name] = rows = growth_rows(growth.measure_growth(family, watch, effort.budget))
        show(f"Twice the size: {name}",
             ["size", "Tilegrind, median (least .. most)", "ratio", "copy of its bytes", "ratio", "verdict"],
             [[r["size"], spread(r["times"]["tilegrind"]), f"{r['ratio']:.2f}" if "ratio" in r else "-",
               seconds(r["times"]["copy"].median), f"{r['copy_ratio']:.2f}" if "ratio" in r else "-",
               r["verdict"]] for r in rows])
    return found


# ---- the whole ----

def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def surroundings(options):
    return {"processor": processor(), "system": platform.platform(), "core": one_core.CORE,
            "jax": jax.__version__, "numpy": np.__version__, "blas": blas_name(),
            "effort": options.effort, "clock": options.clock}


PARTS = {"workloads": run_workloads, "elementary": run_elementary, "fast": run_fast, "programs": run_programs,
         "calls": run_calls, "case": run_case, "ptx": run_ptx, "checks": checks_part.run,
         "golden": golden.run, "layouts": layouts.run, "physical": physical.run, "mosaic": mosaic.run, "triton": triton_part.run, "growth": run_growth}


def verdicts(found):
    """Every verdict below `found`."""
    if isinstance(found, dict):
        yield from ([found["verdict"]] if "verdict" in found else [])
        found = found.values()
    if not isinstance(found, str):
        for part in found if hasattr(found, "__iter__") else ():
            yield from verdicts(part)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", dest="effort", action="store_const", const="quick", default="default",
                        help="fewer runs; JAX's interpreter runs a 64th of the largest grid instead of a 16th")
    effort.add_argument("--full", dest="effort", action="store_const", const="full",
                        help="more runs, three or more of JAX's interpreter, which runs all of the largest grid")
    parser.add_argument("--part", choices=PARTS, help="this part alone")
    parser.add_argument("--only", metavar="TEXT", help="of the workloads, those with TEXT in their name")
    parser.add_argument("--clock", choices=CLOCKS, default="cpu",
                        help="time of the core (cpu, the default) or on the wall")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write all figures to FILE")
    return parser.parse_args()


def main():
    options = arguments()
    watch = Watch(options.clock)
    effort = EFFORTS[options.effort]
    parts = [options.part] if options.part else ["workloads"] if options.only else list(PARTS)
    about = surroundings(options)
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    found = {part: PARTS[part](options, effort, watch) for part in parts}
    if watch.share < 0.9:
        print(f"The machine was busy: the measured work had its core for {watch.share:.0%} of the time.")
    if options.json:
        everything = {"about": about | {"share": watch.share}, **found}
        options.json.write_text(json.dumps(everything, indent=1, default=asdict) + "\n")
    bad = [v for v in verdicts(found) if v not in ("ok", "-")]
    print(f"Benchmarks: {len(bad)} demands not met." if bad else "Benchmarks: all demands met.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
