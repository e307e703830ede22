"""Kernels with stores of what their operations give.  Needs no Triton: the text is of Triton 3.9, after its passes, of the kernel `turns`
in python/tests_triton/crosscheck_kernels.py."""

import numpy as np
import pytest
from conftest import ROOT

from tilegrind import runtime
from tilegrind.triton.launch.kernel import convert
from tilegrind.triton.ptx.dataflow import dataflow_of
from tilegrind.triton.ptx.probes import TooMuch, array_of, names_of, probes_of, with_probes
from tilegrind.triton.ttir.reader import read

TEXT = (ROOT / "tests" / "data" / "triton" / "passes" / "turns.ttir").read_text()
LINE = next(number for number, line in enumerate(TEXT.split("\n"), 1) if "tt.func" in line)


@pytest.fixture
def flow():
    return dataflow_of(read(TEXT).entry())


def test_values_that_are_computed_of_data_are_probed_in_the_order_of_the_text(flow):
    """Neither indices, nor constants, nor what only moves elements; of a loop also what it carries."""
    assert [one.value.name for one in probes_of(flow, 1)] == [
        "%total_5", "%half", "%e_9", "%e_10", "%total_11", "%most_3", "%0", "%most_5", "%above_4", "%4"]


def test_what_values_are_made_of_by_way_of_moves_loops_and_conditions(flow):
    probed = {one.value.name for one in probes_of(flow, 1)}
    assert flow.nearest("%most_3", probed) == {"%total_11"}  # through the loop's result, and not its first value, a constant
    assert flow.nearest("%above_4", probed) == {"%total_11", "%0", "%most_5", "%most_3"}  # through both branches, and what chooses
    assert flow.nearest("%half", probed) == {"%total_5"} and flow.nearest("%e_9", probed) == set()


def test_what_feeds_what_a_loop_carries(flow):
    assert flow.feeds("%half", "%total_5") and flow.feeds("%e_10", "%total_5") and flow.feeds("%total_11", "%total_5")
    assert not flow.feeds("%most_3", "%total_5") and not flow.feeds("%half", "%e_10")


def test_the_text_with_stores_gives_the_values_of_each_program(flow):
    """Those of the last turn; two programs do the same."""
    probes = probes_of(flow, 2)
    given = {name: array_of(probes, name, 2) for name in names_of(probes)}
    assert list(given) == ["probed_f32", "probed_i8"]
    module = read(with_probes(TEXT, LINE, probes))
    sizes = {"x": 384, "o": 128} | {name: array.size for name, array in given.items()}
    x = np.random.default_rng(0).standard_normal(384, np.float32)
    inputs = {"x": x, "o.before": np.zeros(128, np.float32), "n": np.int32(3), **{f"{name}.before": array for name, array in given.items()}}
    run = runtime.loads(convert(module, sizes).compact()).run(inputs, grid=(1, 1, 2))
    assert not run.findings
    values = {one.value.name: one.of(run.outputs, 2) for one in probes}
    assert all(np.array_equal(*rows) for rows in values.values())
    one = {name: rows[1] for name, rows in values.items()}
    assert np.array_equal(one["%e_9"], x[256:]) and np.array_equal(one["%half"], one["%total_5"] * np.float32(0.5))
    assert np.array_equal(one["%total_11"], one["%half"] + one["%e_10"]) and one["%most_3"] == one["%total_11"].max()
    assert one["%0"] == 1 and one["%most_5"] == one["%most_3"] - 1
    assert np.array_equal(one["%above_4"], one["%total_11"] > one["%most_5"]) and np.array_equal(one["%4"], run.outputs["o"])


def test_too_many_values(flow):
    with pytest.raises(TooMuch, match="more than 512 MiB"):
        probes_of(flow, 1 << 20)


def test_a_kernel_without_parameters_gets_some():
    text = "module {\n  tt.func public @f() attributes {noinline = false} {\n    tt.return\n  }\n}\n"
    flow = dataflow_of(read(TEXT).entry())
    probes = probes_of(flow, 1)[:1]
    assert "@f(%probed_f32: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes" in with_probes(text, 2, probes)
