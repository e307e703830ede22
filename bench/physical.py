"""Physical runs, whose blocks are in tiles with swizzled rows, against logical ones."""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from call import Call  # noqa: E402
from conformance.block_layouts import Transforms, blocks_of, with_layouts  # noqa: E402
from kernels import flash_workload  # noqa: E402
from launch import Launch  # noqa: E402
from report import seconds, show, spread, times_as_long, verdict  # noqa: E402
from tilegrind import runtime  # noqa: E402
from timing import Runner  # noqa: E402
from workloads import add_workload, attention_workload, bands_workload, layer_norm_workload, matmul_workload, \
    softmax_workload  # noqa: E402

MOST = 2  # times as long as the logical run

WORKLOADS = [lambda: matmul_workload(512, 128), lambda: bands_workload(512, 128), lambda: softmax_workload(1024),
             lambda: layer_norm_workload(1024), attention_workload, flash_workload, lambda: add_workload(20)]
# As PTX in the emulator.
SMALL = [lambda: matmul_workload(128, 32), lambda: softmax_workload(64), lambda: layer_norm_workload(64),
         lambda: add_workload(16)]


def swizzled(block):
    """The layout of the widest swizzled tiles that the block has; None if it has none."""
    texts = (Transforms(tile=width, swizzle=width).layout(block.shape, block.width) for width in (128, 64, 32))
    return next(filter(None, texts), None)


def pair(work, **options):
    """The workload's logical call and its physical one, and how many of its blocks are swizzled."""
    logical = Launch.of(work, **options)
    module = json.loads(logical._module.to_json())
    blocks = blocks_of(module["kernels"][0])
    layouts = {block.param: text for block in blocks if (text := swizzled(block))}
    physical = Call(runtime.loads(json.dumps(with_layouts(module, layouts))), logical.inputs, logical._grid,
                    layouts="physical", **options)
    return logical, physical, f"{len(layouts)} of {len(blocks)}"


def is_equal(a, b):
    return all(np.array_equal(x.view(np.uint8), y.view(np.uint8)) for x, y in zip(a.outputs, b.outputs))


def measure(work, watch, budget):
    logical, physical, blocks = pair(work)
    times = watch.measure({"logical": Runner(logical, budget=budget), "physical": Runner(physical, budget=budget)})
    ratio = times["physical"].median / times["logical"].median
    return {"name": work.name, "blocks": blocks, "times": times, "ratio": ratio,
            "verdict": verdict(is_equal(logical, physical), ratio <= MOST)}


def count(work):
    """Instructions as PTX."""
    logical, physical, blocks = pair(work, backend="emulator")
    logical(), physical()
    return {"name": work.name, "blocks": blocks, "logical": logical.instructions, "physical": physical.instructions,
            "verdict": verdict(is_equal(logical, physical), None)}


def run(options, effort, watch):
    rows = [measure(make(), watch, effort.budget) for make in WORKLOADS]
    show(f"Physical runs, blocks in swizzled tiles: at most {MOST} times as long as logical ones",
         ["workload", "swizzled", "logical, median (least .. most)", "physical", "ratio", "verdict"],
         [[r["name"], r["blocks"], spread(r["times"]["logical"]), seconds(r["times"]["physical"].median),
           times_as_long(r["ratio"]), r["verdict"]] for r in rows])
    small = [count(make()) for make in SMALL]
    show("The same as PTX in the emulator: instructions", ["workload", "swizzled", "logical", "physical", "ratio", "verdict"],
         [[r["name"], r["blocks"], f"{r['logical']:,}", f"{r['physical']:,}", times_as_long(r["physical"] / r["logical"]),
           r["verdict"]] for r in small])
    return rows + small
