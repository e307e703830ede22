"""Layouts: canonical form, comparison, grouping and search of long ones, and the map of all elements, beside numpy's
broadcast sums."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from report import seconds, show, verdict
from timing import Runner, times_of

MOST = 1e-6     # seconds of a canonical form, a comparison and a grouping
LEAST = 200e6   # elements a second of the map


@dataclass(frozen=True)
class Pair:
    """Two forms of one map, the iters of the first on axis m, and a shape that groups it."""

    name: str
    first: str
    second: str
    shape: str

    def numpys(self):
        """The same map by numpy."""
        extents, strides = (part.strip("()").split(",") for part in self.first.split(" o ")[-1].split(":"))
        extents = [int(extent) for extent in extents]
        moves = [int(stride.removesuffix("@m")) if stride.endswith("@m") or "@" not in stride else 0 for stride in strides]
        axes = [np.arange(extent, dtype=np.int64) * stride for extent, stride in zip(extents, moves)]

        def call():
            out = np.zeros((), np.int64)
            for axis in axes:
                out = out[..., None] + axis
            return out.ravel()
        return call


PAIRS = [
    Pair("2 iters, 2^20", "(1024,1024):(1,1024)", "(32,32,1024):(32,1,1024)", "64,16,256,4"),
    Pair("12 iters, 2^20", "(2,4,2,4,2,4,2,4,2,4,4,8):(" + ",".join(str(8 * 7 ** k) for k in range(11)) + ",1)",
         "(2,4,2,4,2,4,2,4,2,2,2,4,8):(" + ",".join(str(8 * 7 ** k) for k in range(9)) + f",{16 * 7 ** 9},{8 * 7 ** 9},"
         f"{8 * 7 ** 10},1)", "16,32,64,32"),
    Pair("12 iters of 4 axes, 2^20",
         "(2,4,2,4,2,4,2,4,2,4,4,8):(8@warp,16@lane,4@warp,100@m,2@warp,4@lane,1@warp,7@reg,2@lane,1000@m,1@reg,1@m)",
         "(2,4,2,4,2,4,2,4,2,2,2,4,8):(8@warp,16@lane,4@warp,100@m,2@warp,4@lane,1@warp,7@reg,2@lane,2000@m,1000@m,1@reg,1@m)",
         "16,32,64,32"),
    Pair("swizzled, 2^20", "Sw<3,3,3> o (1024,1024):(1024,1)", "Sw<3,3,3> o 1048576:1", "1024,1024"),
]


QUICK = ["canonical", "equal", "group"]


def measure(pair, watch, budget):
    program = Path(os.environ["TILEGRIND_LIBRARY"]).with_name("layout_speed")
    done = subprocess.run([program, pair.first, pair.second, pair.shape], capture_output=True, text=True, check=True)
    times = {name: times_of(samples) for name, samples in json.loads(done.stdout).items()}
    times["numpy"] = watch.measure({"numpy": Runner(pair.numpys(), budget=budget)})["numpy"]
    return times


def run(options, effort, watch):
    rows = []
    for pair in PAIRS:
        times = measure(pair, watch, effort.budget / 4)
        rate = 2 ** 20 / times["forward"].median
        met = max(times[name].median for name in QUICK) <= MOST and rate >= LEAST
        rows.append({"name": pair.name, "times": times, "rate": rate, "verdict": verdict(True, met)})
    show(f"Layouts: at most {seconds(MOST)} a form, a comparison and a grouping, at least {LEAST / 1e6:.0f} M elements a second",
         ["layout", "canonical form", "comparison", "grouping", "element at a place", "map of 2^20", "elements a second", "numpy",
          "verdict"],
         [[row["name"], *(seconds(row["times"][name].median) for name in [*QUICK, "where", "forward"]), f"{row['rate'] / 1e6:.0f} M", seconds(row["times"]["numpy"].median),
           row["verdict"]] for row in rows])
    return rows
