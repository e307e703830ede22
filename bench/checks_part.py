"""The tables of what the checks cost."""

import sys
import tempfile
from pathlib import Path

import checks
import small
from kernels import kernels
from launch import Launch
from peers import interpreted_times
from report import seconds, show, size, spread, times_as_long, verdict
from workloads import workloads


def ratio_cells(ratios):
    return [times_as_long(ratios[name]) for name in checks.MOST]


def run_check_costs(options, effort, watch, folder):
    """Time and memory with checks of every workload: two tables, and the rows of both."""
    rows, memory = [], []
    for make in workloads(options.effort) + kernels():
        work = make()
        if options.only and options.only not in work.name:
            continue
        print(f"    {work.name}", file=sys.stderr, flush=True)
        launch = Launch.of(work)
        row = checks.measure_workload(work, launch, watch, effort, interpreted_times.get(work.name))
        rows.append({"name": work.name, "verdict": verdict(row["is_right"], row["is_met"])} | row)
        if taken := checks.measure_memory(launch, folder):
            is_met = taken["ratio"] <= checks.MOST_MEMORY
            memory.append({"name": work.name, "verdict": verdict(True, is_met)} | taken)
    most = ", ".join(f"{name} at most {most}x" for name, most in checks.MOST.items())
    show(f"Checks against a plain run: {most}, and all of them faster than JAX's interpreter",
         ["workload", "plain, median (least .. most)", *checks.MOST, "JAX", "of all checks", "verdict"],
         [[r["name"], spread(r["times"]["plain"]), *ratio_cells(r["ratios"]),
           ("~" if r["sampled"] > 1 else "") + seconds(r["times"]["jax"].median),
           times_as_long(r["times"]["jax"].median / r["times"]["all"].median), r["verdict"]] for r in rows])
    show(f"Memory beyond the arrays: what all checks need more at most {checks.MOST_MEMORY}x the arrays",
         ["workload", "arrays", "plain run", "with all checks", "more, of the arrays", "verdict"],
         [[r["name"], size(r["arrays"]), size(r["plain"]), size(r["all"]), f"{r['ratio']:.3f}x", r["verdict"]]
          for r in memory])
    return {"time": rows, "memory": memory}


def run_small_checks(options, effort, watch):
    rows = []
    for kind in small.PROGRAMS_MEASURED:
        row = checks.measure_small(kind, watch, effort)
        rows.append({"name": kind.name, "verdict": verdict(row["is_right"], None)} | row)
    show("Checks of a program that does next to nothing, each of many",
         ["program", "plain, median (least .. most)", *checks.MOST, "all", "verdict"],
         [[r["name"], spread(r["times"]["plain"]), *ratio_cells(r["ratios"]), seconds(r["times"]["all"].median),
           r["verdict"]] for r in rows])
    return rows


def run_checks_against_tpu(options, effort, watch):
    rows = []
    for kernel in checks.TPU_KERNELS:
        row = checks.measure_against_tpu(kernel, watch, effort, checks.EDGES[options.effort])
        rows.append(row | {"verdict": verdict(row["is_right"], row["is_met"])})
    show("A program with all checks against JAX's interpreter of TPU kernels with detect_races=True",
         ["kernel", "programs", "Tilegrind, median (least .. most)", "JAX", "ratio", "XLA", "at least", "verdict"],
         [[r["name"], str(r["programs"]), spread(r["times"]["tilegrind"]), seconds(r["times"]["jax"].median),
           times_as_long(r["ratio"]), seconds(r["times"]["xla"].median),
           times_as_long(r["required"]), r["verdict"]]
          for r in rows])
    return rows


def run_check_growth(options, folder):
    rows, in_orders, slope = checks.measure_growth(folder, options.effort)
    for row in [*rows, in_orders]:
        is_met = None if row["extra"] is None else row["arrays"] + row["extra"] < checks.MOST_BYTES
        row["verdict"] = verdict(row["findings"] == 0, is_met)
    rows.append(in_orders)
    show(f"Programs of {checks.ELEMENTS} elements with all checks: in less than {size(checks.MOST_BYTES)}",
         ["programs", "elements", "time, median (least .. most)", "a program", "arrays", "beyond them", "verdict"],
         [[f"{r['programs']:,}" + (", in 14 orders" if r is in_orders else ""), f"{r['elements']:,}", spread(r["times"]),
           seconds(r["times"].median / r["programs"]), size(r["arrays"]),
           "-" if r["extra"] is None else size(r["extra"]), r["verdict"]] for r in rows])
    is_linear = verdict(True, slope <= checks.MOST_SLOPE)
    print(f"Time against programs, slope of the logarithms: {slope:.3f}, at most {checks.MOST_SLOPE}: {is_linear}")
    return {"rows": rows, "slope": slope, "verdict": is_linear}


def run(options, effort, watch):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {"costs": run_check_costs(options, effort, watch, folder)}
        if options.only:
            return found
        return found | {"small": run_small_checks(options, effort, watch),
                        "tpu": run_checks_against_tpu(options, effort, watch),
                        "growth": run_check_growth(options, folder)}
