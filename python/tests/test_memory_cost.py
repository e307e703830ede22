"""Check "memory-cost" from Python: costs of runs, and what `tilegrind.pallas.check` makes of advice."""

from pathlib import Path

import jax
import numpy as np
import pytest

import tilegrind
import tilegrind.pallas as tp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def transposed():
    return tilegrind.load(EXAMPLES / "transposed.json"), dict(np.load(EXAMPLES / "transposed_inputs.npz"))


def test_costs_of_a_run(transposed):
    module, inputs = transposed
    run = module.run(inputs, checks="memory-cost", warps=2)
    assert [(c.op, c.param, c.space, c.line, c.cost, c.least) for c in run.memory_cost] == [
        ("load", "x_ref", "global", 15, 256, 256), ("store", "tile_ref", "shared", 15, 64, 64),
        ("load", "tile_ref", "shared", 16, 2048, 64), ("store", "o_ref", "global", 16, 256, 256)]
    load = run.memory_cost[2]
    assert (load.warps, load.is_assumed, load.narrowest_bytes, load.widest_bytes, load.program) == (2, True, 4, 4, (0, 0))
    assert (load.accesses, load.instructions, load.worst_cost, load.worst_least) == (2, 64, 32, 1)
    assert (load.swizzle_bytes, load.swizzle_elements) == ((3, 4, 3), (3, 2, 3))
    assert (load.swizzle_before, load.swizzle_after, load.swizzle_least) == (1056, 160, 64)
    assert run.memory_cost[0].swizzle_bytes is None and run.memory_cost[0].used_bytes == 8192
    (finding,) = run.findings
    assert finding.level == "advice" and "Sw<3,2,3>" in finding.advice and f"   = advice: {finding.advice}" in str(finding)


def test_costs_only_where_asked_for(transposed):
    module, inputs = transposed
    assert module.run(inputs, checks="all").memory_cost == []
    checked = module.check(inputs)
    assert checked.memory_cost == [] and checked.findings == []
    assert len(module.check(inputs, checks="all,memory-cost", warps=1).memory_cost) == 4


def test_warps_out_of_range(transposed):
    module, inputs = transposed
    with pytest.raises(tilegrind.Error, match="warps is 33; it is 1 to 32, or 0 for 4"):
        module.run(inputs, checks="memory-cost", warps=33)


def transpose(x):
    def kernel(x_ref, o_ref, tile_ref):
        tile_ref[...] = x_ref[...]
        o_ref[...] = tile_ref.T[...]

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape[::-1], x.dtype),
                          scratch_shapes=[plgpu.SMEM(x.shape, x.dtype)], interpret=True)(x)


def test_advice_raises_only_where_asked_for():
    x = np.zeros((32, 32), np.float32)
    with tp.check(checks="memory-cost", fail_on="note", on_finding="collect") as checked:
        transpose(x)
    assert [finding.level for finding in checked.findings] == ["advice"]
    with pytest.warns(tp.FindingWarning, match="memory-cost"), tp.check(checks="memory-cost", fail_on="note"):
        transpose(x)
    with pytest.raises(tp.FindingError, match="memory-cost"), tp.check(checks="memory-cost", fail_on="advice"):
        transpose(x)
