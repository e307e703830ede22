"""Timelines from Python: of `Module.run` and `Module.check`, of `pallas.check`, and of `pytest --tilegrind`."""

import json
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from conftest import ROOT
from kernels import X
from test_checking import racy
from test_interpreting import double
from test_shard_map import eight_devices

import tilegrind
import tilegrind.pallas as tp

sys.path.append(str(ROOT / "tests"))
from trace_schema import check  # noqa: E402


pytest_plugins = ["pytester"]


def example(name):
    return tilegrind.load(ROOT / "examples" / f"{name}.json"), dict(np.load(ROOT / "examples" / f"{name}_inputs.npz"))


def trace_at(path):
    trace = json.loads(path.read_text())
    check(trace)
    return trace


# ---- Module.run, Module.check ----


@pytest.mark.parametrize("order", ["sequential", "interleaved:1"])
def test_run(tmp_path, order):
    module, inputs = example("pipelined")
    run = module.run(inputs, order=order, trace=tmp_path / "t.json")
    trace = trace_at(tmp_path / "t.json")
    assert trace["otherData"]["order"] == order and trace["otherData"]["kernel"] == "pipelined_kernel"
    assert any(e["ph"] == "s" for e in trace["traceEvents"]) and "repeat" not in trace["otherData"]
    np.testing.assert_array_equal(run.outputs["o_ref"], module.run(inputs, order=order).outputs["o_ref"])


def test_check_shows_order_sequential(tmp_path):
    module, inputs = example("summed")
    assert module.check(inputs, trace=str(tmp_path / "t.json")).findings
    assert trace_at(tmp_path / "t.json")["otherData"]["order"] == "sequential"


def test_a_mesh(tmp_path):
    module, inputs = example("row_sums")
    module.run(inputs, mesh="x=4,y=2", shardings={"x_ref": "P('x', 'y')", "o_ref": "P('x')"}, trace=tmp_path / "t.json")
    devices = trace_at(tmp_path / "t.json")["otherData"]["devices"]
    assert [device["name"] for device in devices] == [f"device {i} (x={i // 2}, y={i % 2})" for i in range(8)]


def test_refusals(tmp_path):
    module, inputs = example("summed")
    with pytest.raises(ValueError, match="trace goes with backend 'cpu', not 'emulator'"):
        module.run(inputs, backend="emulator", trace=tmp_path / "t.json")
    with pytest.raises(OSError, match="nowhere"):
        module.run(inputs, trace=tmp_path / "nowhere" / "t.json")
    (tmp_path / "t.json").write_text("before")
    with pytest.raises(tilegrind.Error):
        module.run({}, trace=tmp_path / "t.json")
    assert (tmp_path / "t.json").read_text() == "before"


# ---- pallas.check ----


def test_first_runs_and_those_with_findings(tmp_path):
    with tp.check(on_finding="collect", orders=False, trace=tmp_path / "traces") as checked:
        double(X).block_until_ready()
        double(X).block_until_ready()
        racy(X).block_until_ready()
    assert [path.name for path in checked.traces] == ["double_kernel-0.json", "last_wins-0.json"]
    for path in checked.traces:
        assert path.parent == tmp_path / "traces" and trace_at(path)["otherData"]["order"] == "sequential"


def test_order_of_the_trace(tmp_path):
    """Results are those of order sequential, whatever order is traced."""
    with tp.check(on_finding="collect", checks="none", orders=False, trace=tmp_path, trace_order="reversed") as checked:
        result = racy(X)
    assert float(result[0]) == X[-1]
    work = [e for e in trace_at(checked.traces[0])["traceEvents"] if e.get("cat") == "work"]
    assert checked.findings == [] and work[0]["pid"] == X.size


def test_take_begins_anew(tmp_path):
    with tp.check(on_finding="collect", orders=False, trace=tmp_path) as checked:
        double(X).block_until_ready()
        first = checked.take().traces
        double(X).block_until_ready()
        second = checked.take().traces
    assert [path.name for path in first + second] == ["double_kernel-0.json", "double_kernel-1.json"]


def test_wrong_options(tmp_path):
    with pytest.raises(ValueError, match="upwards"):
        tp.check(trace=tmp_path, trace_order="upwards")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), tp.check(trace=tmp_path / "file" / "traces"):
        double(jnp.zeros(4))


def test_a_kernel_under_shard_map(tmp_path):
    """Each device makes a run of its own; that of the first one that runs is traced."""
    eight_devices(f"""
import json
with tp.check(on_finding="collect", trace={str(tmp_path)!r}) as checked:
    on(mesh)(outside(), X).block_until_ready()
(path,) = checked.traces
assert json.loads(path.read_text())["otherData"]["steps"] > 0
""")


# ---- pytest ----


SUITE = '''
from suite_kernels import *


def test_race():
    assert racy(X)[0] == 3


def test_clean():
    double(X)
    double(X)
'''


@pytest.mark.slow
def test_pytest(pytester):
    from test_pytest_plugin import KERNELS
    pytester.makepyfile(suite_kernels=KERNELS, test_suite=SUITE)
    result = pytester.runpytest_subprocess("--tilegrind", "--tilegrind-trace", "traces", "--tilegrind-trace-order", "interleaved:2", "-v",
                                           "-p", "no:cacheprovider", "-p", "tilegrind.pytest_plugin")
    result.assert_outcomes(passed=1, failed=1)
    files = sorted((pytester.path / "traces").iterdir())
    assert [path.name for path in files] == ["double_kernel-0.json", "last_wins-0.json"]
    for path in files:
        assert trace_at(path)["otherData"]["order"] == "interleaved:2"
        assert f"  timeline in {path}" in result.outlines


@pytest.mark.slow
def test_pytest_refuses_an_order_that_there_is_not(pytester):
    from test_pytest_plugin import KERNELS
    pytester.makepyfile(suite_kernels=KERNELS, test_suite=SUITE)
    result = pytester.runpytest_subprocess("--tilegrind", "--tilegrind-trace", "traces", "--tilegrind-trace-order", "upwards",
                                           "-p", "tilegrind.pytest_plugin")
    assert "--tilegrind: " in result.stdout.str() + result.stderr.str() and "upwards" in result.stdout.str() + result.stderr.str()
