"""`check()`: kernels run with detectors on and in many orders, under every transformation, and what is found reaches the
user on the kernel's line."""

import os
import pickle
import re
import subprocess
import threading
import traceback
import warnings
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind.pallas as tp
from jax.experimental import pallas as pl
from kernels import OUTSIDE_PLACE, X, blocks_of_two, double_kernel, outside_call, shaped
from test_interpreting import TRANSFORMED, double, unsupported_call
from tilegrind.finding_text import texts_of

HERE = __file__
TILEGRIND = os.environ.get("TILEGRIND", str(Path(HERE).resolve().parents[2] / "build" / "tilegrind"))


def last_wins(x_ref, o_ref):
    o_ref[0] = x_ref[pl.program_id(0)]


LAST_LINE = last_wins.__code__.co_firstlineno + 1


def racy(x):
    return pl.pallas_call(last_wins, out_shape=shaped(1), grid=(x.size,), interpret=True)(x)


def all_ones(o_ref):
    o_ref[0] = 1


def harmless():
    """Its one finding is a warning."""
    return pl.pallas_call(all_ones, out_shape=shaped(1, dtype=jnp.int32), grid=(3,), interpret=True)()


def add_in_place(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def in_place(x):
    spec = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(add_in_place, out_shape=shaped(x.size), grid=(x.size // 2,), in_specs=[spec], out_specs=spec,
                          input_output_aliases={0: 0}, interpret=True)(x)


def kinds(findings):
    return sorted({finding.kind for finding in findings})


# -- transformations --


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformation(name):
    function, runs = TRANSFORMED[name]
    expected = function(X)
    with tp.check() as checked:
        np.testing.assert_array_equal(function(X), expected)
    assert checked.findings == [] and checked.refused == []
    (kernel, counts), = checked.kernels.items()
    assert kernel == "double_kernel" and counts.programs >= counts.runs
    assert counts.runs == runs or (runs is None and counts.runs > 0)


@jax.custom_vjp
def racy_with_gradient(x):
    return racy(x)


racy_with_gradient.defvjp(lambda x: (racy(x), None), lambda _, g: (jnp.ones(4) * g,))

RACY = {
    "eager": racy,
    "jit": jax.jit(racy),
    "vmap": lambda x: jax.vmap(racy)(jnp.stack([x, x])),
    "grad": jax.grad(lambda x: racy_with_gradient(x)[0]),
    "scan": lambda x: jax.lax.scan(lambda carry, _: (racy(x + carry), None), jnp.zeros(1), None, length=2)[0],
}


@pytest.mark.parametrize("name", RACY)
def test_findings_of_transformed_calls(name):
    with tp.check(on_finding="collect") as checked:
        RACY[name](jnp.arange(4.0))
    assert kinds(checked.findings) == ["order-dependence", "race"]
    assert {finding.line for finding in checked.findings} == {LAST_LINE}


def test_what_is_compiled_before_the_block_is_checked_inside():
    call = jax.jit(racy)
    x = jnp.arange(4.0)
    call(x)
    with tp.check(on_finding="collect") as checked:
        call(x)
    assert kinds(checked.findings) == ["order-dependence", "race"]
    before = tp.statistics().runs
    call(x)  # and not behind it
    assert tp.statistics().runs == before


def test_runs_are_counted_and_equal_findings_are_one():
    def steps(x):
        return jax.lax.scan(lambda carry, _: (racy(x + carry), None), jnp.zeros(1), None, length=5)[0]

    with tp.check(on_finding="collect", checks="races", orders=False) as checked:
        jax.jit(steps)(jnp.arange(4.0)).block_until_ready()
        harmless()
    assert {name: (counts.runs, counts.programs) for name, counts in checked.kernels.items()} == {
        "last_wins": (5, 20), "all_ones": (1, 3)}
    race, same = checked.findings
    assert (race.kind, race.line, race.program, race.related[0].program) == ("race", LAST_LINE, (0,), (1,))
    assert race.count == 5 and same.kind == "race-same-value"


def test_outputs_are_those_of_the_sequence_and_inputs_survive():
    x = jnp.arange(8.0)
    with tp.check(shuffles=3) as checked:
        for _ in range(3):
            np.testing.assert_array_equal(in_place(x), np.arange(8.0) + 1)
        donated = jax.jit(in_place, donate_argnums=0)(x + 1)
        np.testing.assert_array_equal(donated, np.arange(8.0) + 2)
        np.testing.assert_array_equal(x, np.arange(8.0))
    with tp.check(on_finding="collect") as checked:
        assert racy(jnp.arange(4.0))[0] == 3  # the last one's, in order
    assert checked.findings


def test_calls_without_interpret_are_checked():
    def call(x):
        return pl.pallas_call(last_wins, out_shape=shaped(1), grid=(4,))(x)

    with tp.check(on_finding="collect") as checked:
        with tp.check(on_finding="collect"):
            pass
        call(jnp.arange(4.0))
    assert "race" in kinds(checked.findings)
    with pytest.raises(ValueError, match="Only interpret mode"):
        call(jnp.arange(4.0))


def test_several_threads():
    def work():
        for _ in range(5):
            np.asarray(racy(jnp.arange(4.0)))
            np.asarray(double(X))

    with tp.check(on_finding="collect", shuffles=2, interleavings=1) as checked:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert {name: counts.runs for name, counts in checked.kernels.items()} == {"last_wins": 20, "double_kernel": 20}
    assert kinds(checked.findings) == ["order-dependence", "race"]


# -- exceptions --


def lines_of(error):
    return [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]


def test_findings_are_exceptions_on_the_kernels_line():
    with pytest.raises(tp.FindingError) as caught:
        with tp.check():
            racy(jnp.arange(4.0)).block_until_ready()
    error = caught.value
    assert lines_of(error)[-1] == (HERE, LAST_LINE)
    assert kinds(error.findings) == ["order-dependence", "race"]
    assert f"test_checking.py:{LAST_LINE} in last_wins" in str(error) and "o_ref[0] = x_ref[pl.program_id(0)]" in str(error)
    assert "program (0), op store" in str(error) and "conflicts with store of o_ref, program (1)" in str(error)
    assert isinstance(error, jax.errors.JaxRuntimeError) and type(error.__cause__) is jax.errors.JaxRuntimeError


def test_exceptions_reach_other_processes():
    with pytest.raises(tp.FindingError) as caught, tp.check():
        racy(jnp.arange(4.0))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.findings) == (str(caught.value), caught.value.findings)


def test_findings_nobody_waited_for_are_raised():
    with pytest.raises(tp.FindingError), tp.check():
        racy(jnp.arange(4.0))


def test_findings_that_the_program_swallows_are_raised():
    with pytest.raises(tp.FindingError) as caught:
        with tp.check():
            with pytest.raises(jax.errors.JaxRuntimeError, match="race: program"):
                racy(jnp.arange(4.0)).block_until_ready()
    assert lines_of(caught.value)[-1] == (HERE, LAST_LINE)


def test_other_exceptions_stay_and_are_told_of_findings():
    with pytest.raises(KeyError) as caught:
        with tp.check(on_finding="warn"), warnings.catch_warnings():
            warnings.simplefilter("error")
            racy(jnp.arange(4.0)).block_until_ready()
            raise KeyError("mine")
    assert any("race: program (0)" in note for note in caught.value.__notes__)
    with pytest.raises(KeyError) as caught:
        with tp.check():
            double(X)
            raise KeyError("mine")
    assert not hasattr(caught.value, "__notes__")


def test_a_finding_without_checks_is_one_too():
    with pytest.raises(tp.FindingError, match="access-outside-ref") as caught:
        with tp.check(checks="none", orders=False):
            outside_call(X[:4]).block_until_ready()
    file, line = lines_of(caught.value)[-1]
    assert file.endswith("kernels.py") and f"kernels.py:{line} " in OUTSIDE_PLACE


def test_errors_that_are_no_findings_stay_what_they_are():
    def kernel(o_ref):
        jax.debug.print("{}", pl.program_id(0))
        o_ref[...] = jnp.zeros((4,))

    @jax.jit
    def run(steps):
        return pl.pallas_call(kernel, out_shape=shaped(4), grid=(steps,), interpret=True)()

    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="axis 0 of the grid has size -1") as caught:
        with tp.check():
            run(-1)
    assert not isinstance(caught.value, tp.FindingError)


# -- levels and warnings --


def test_levels():
    with pytest.warns(tp.FindingWarning, match="race-same-value") as told, tp.check():
        harmless()
    assert [(one.filename, one.lineno) for one in told] == [(HERE, all_ones.__code__.co_firstlineno + 1)]
    with pytest.raises(tp.FindingError, match="race-same-value"), tp.check(fail_on="warning"):
        harmless()


def test_findings_are_warnings_on_the_kernels_line():
    with pytest.warns(tp.FindingWarning) as told, tp.check(on_finding="warn"):
        assert racy(jnp.arange(4.0))[0] == 3
        racy(jnp.arange(4.0) + 1)
    assert {(one.filename, one.lineno) for one in told} == {(HERE, LAST_LINE)}
    assert len(told) == 2  # of each fault one


def test_warnings_that_are_errors_end_the_block():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tp.FindingError, match="race: "), tp.check(on_finding="warn"):
            racy(jnp.arange(4.0))


def test_programs_that_outlive_the_block_warn():
    x = jnp.arange(4.0)
    with tp.check(on_finding="collect") as checked:
        compiled = jax.jit(racy).lower(x).compile()
    assert checked.findings == []
    with pytest.warns(tp.FindingWarning) as told:
        compiled(x).block_until_ready()
    assert {(one.filename, one.lineno) for one in told} == {(HERE, LAST_LINE)}


# -- options --


def test_orders():
    """A place that an atomic counter hands out: no race, and nothing but another order shows it."""
    from jax.experimental.pallas import triton as plgpu

    def kernel(x_ref, zero_ref, next_ref, o_ref):
        place = plgpu.atomic_add(next_ref, (slice(None),), jnp.ones(1, jnp.int32))
        o_ref[place] = x_ref[pl.ds(pl.program_id(0), 1)]

    def call():
        return pl.pallas_call(kernel, out_shape=[shaped(1, dtype=jnp.int32), shaped(2)], grid=(2,), interpret=True,
                              input_output_aliases={1: 0})(jnp.arange(2.0), jnp.zeros(1, jnp.int32))

    with tp.check(orders=False) as checked:
        call()
    assert checked.findings == [] and checked.kernels["kernel"].runs == 1
    with tp.check(on_finding="collect", shuffles=0, interleavings=0) as checked:  # reversed is left
        call()
    assert kinds(checked.findings) == ["order-dependence"]
    assert checked.findings[0].order == "replay:1-before-0"


@pytest.mark.parametrize("checks, found", [("none", []), ("races", ["race"]), ("undefined", []), (["races", "undefined"], ["race"]),
                                           ("all", ["race"])])
def test_checks(checks, found):
    with tp.check(on_finding="collect", checks=checks, orders=False) as checked:
        racy(jnp.arange(4.0))
    assert kinds(checked.findings) == found


def test_axes_without_semantics():
    with tp.check(grid_semantics="arbitrary"):
        racy(jnp.arange(4.0))


def test_axes_of_the_tpu_interpreter_go_in_order():
    from jax.experimental.pallas import tpu as pltpu

    def call(x, interpret):
        return pl.pallas_call(last_wins, out_shape=shaped(1), grid=(4,), interpret=interpret)(x)

    with tp.check(on_finding="collect") as checked:
        call(jnp.arange(4.0), pltpu.InterpretParams())
        assert checked.findings == []
        call(jnp.arange(4.0), True)
    assert kinds(checked.findings) == ["order-dependence", "race"]
    exported = tp.export(lambda x: call(x, pltpu.InterpretParams()), jnp.arange(4.0))
    assert exported.kernels[0]["grid"] == [{"size": 4, "semantics": "arbitrary"}]


@pytest.mark.parametrize("options, message", [
    ({"on_finding": "shout"}, "on_finding='shout' is none of"),
    ({"fail_on": "fatal"}, "fail_on='fatal' is none of"),
    ({"shuffles": -1}, "shuffles=-1 is not between 0 and"),
    ({"interleavings": 10**6}, "interleavings=1000000 is not between"),
    ({"seed": 0}, "seed=0 is not between 1"),
    ({"checks": "spelling"}, '"spelling" is none of'),
    ({"checks": []}, '"" is none of'),
    ({"compat": "loose"}, 'compat "loose" is none of'),
    ({"profile": "slow"}, 'profile "slow" is neither')])
def test_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        tp.check(**options)


def test_what_has_no_counterpart():
    x = X[:4].reshape(1, 1, 4)
    expected = unsupported_call(x)
    with tp.check() as checked:
        np.testing.assert_array_equal(unsupported_call(x), expected)
    assert [error.primitive for error in checked.refused] == ["conv_general_dilated"] and checked.kernels == {}
    with pytest.raises(tp.ExportError, match="conv_general_dilated"), tp.check(fallback=False):
        unsupported_call(x)


# -- on and off --


def test_start_and_stop():
    checked = tp.check(on_finding="collect")
    checked.stop()
    for _ in range(2):
        checked.start()
        with pytest.raises(RuntimeError, match="has been started already"):
            checked.start()
        racy(jnp.arange(4.0))
        checked.stop()
        racy(jnp.arange(4.0))
        assert checked.runs == 1 and kinds(checked.findings) == ["order-dependence", "race"]


def test_used_twice():
    checked = tp.check()
    for _ in range(2):
        with pytest.raises(tp.FindingError), checked:
            racy(jnp.arange(4.0))


def test_take():
    with tp.check(on_finding="collect") as checked:
        racy(jnp.arange(4.0))
        first = checked.take()
        assert kinds(first.findings) == ["order-dependence", "race"] and (first.runs, first.programs) == (1, 4)
        double(X)
        second = checked.take()
        assert second.findings == [] and list(second.kernels) == ["double_kernel"]
        assert checked.take() == tp.Checked()


def test_the_innermost_check_counts():
    with tp.check(on_finding="collect") as outer:
        with tp.check(on_finding="collect") as inner:
            racy(jnp.arange(4.0))
        racy(jnp.arange(3.0))
    assert inner.kernels["last_wins"].programs == 4 and outer.kernels["last_wins"].programs == 3


def test_within_an_interpreter():
    with tp.interpreter(order="reversed"):
        with tp.check(on_finding="collect") as checked:
            assert racy(jnp.arange(4.0))[0] == 3
        assert racy(jnp.arange(4.0))[0] == 0
    assert checked.findings


# -- cases --


def command(*arguments):
    return subprocess.run([TILEGRIND, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def test_cases(tmp_path):
    with tp.check(on_finding="collect", save=tmp_path / "cases") as checked:
        double(X)
        for _ in range(2):
            racy(jnp.arange(4.0))
    case, = checked.cases
    assert case == tmp_path / "cases" / "last_wins-0" and sorted(tmp_path.glob("cases/*")) == [case]
    again = command("check", case)
    assert again.returncode == 1, again
    for text in texts_of(replace(finding, count=finding.count // 2, order="") for finding in checked.findings):  # in the same words
        assert f"{text}\n   = repeat with: " in again.stdout
    with tp.check(on_finding="collect", save=tmp_path / "cases") as checked:
        racy(jnp.arange(4.0))
    assert [case.name for case in checked.cases] == ["last_wins-1"]  # nothing is written over


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    before = tp.statistics().lowered
    with pytest.raises(OSError), tp.check(save=tmp_path / "file" / "cases"):
        pass
    double(X)
    assert tp.statistics().lowered == before


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int4", "bool"])
def test_inputs_of_cases_are_as_they_were(tmp_path, dtype):
    """Every program stores behind the last one too; the output takes the memory of its input."""
    def kernel(x_ref, o_ref):
        o_ref[pl.ds(2 * pl.program_id(0), 3)] = ~x_ref[:3] if dtype == "bool" else x_ref[:3] + 1

    x = jnp.asarray([1, 0, 1, 1]).astype(dtype)
    call = pl.pallas_call(kernel, out_shape=shaped(4, dtype=x.dtype), grid=(2,), input_output_aliases={0: 0}, interpret=True)
    with tp.check(on_finding="collect", save=tmp_path, compat="strict") as checked:
        jax.jit(call, donate_argnums=0)(jnp.array(x))
    assert "access-outside-ref" in kinds(checked.findings)
    saved = np.load(checked.cases[0] / "inputs.npz")["x_ref"].view(x.dtype)
    np.testing.assert_array_equal(saved, np.asarray(x))
    assert "access-outside-ref" in command("check", checked.cases[0]).stdout


def test_cases_keep_grid_and_settings(tmp_path):
    @jax.jit
    def run(steps, x):
        return pl.pallas_call(last_wins, out_shape=shaped(1), grid=(steps,), interpret=True)(x)

    with tp.check(on_finding="collect", save=tmp_path, compat="jax") as checked:
        run(3, jnp.arange(4.0))
    text = (checked.cases[0] / "case.json").read_text()
    assert '"compat": "jax"' in text and '"dynamic_grid": [\n  3\n ]' in text and "profile" not in text
    assert command("check", checked.cases[0]).returncode == 1


def test_blocks_of_a_grid():
    """A clean kernel of several programs, in all orders."""
    with tp.check(fail_on="note") as checked:
        np.testing.assert_array_equal(blocks_of_two(double_kernel)(X), 2 * X)
    assert (checked.findings, checked.kernels["double_kernel"].programs) == ([], 4)


def test_example_of_the_document(capsys):
    text = (Path(HERE).resolve().parents[2] / "docs" / "pallas.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    example, = [block for block in blocks if "tp.check()" in block]
    exec(example, {"my_function": double, "x": X})
    assert capsys.readouterr().out == "{'double_kernel': KernelRuns(runs=1, programs=1)}\n"
