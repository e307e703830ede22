"""What a call is meant for: a TPU, or any machine.  What that means is in docs/checks.md and tests/test_target_tpu.c."""

import json
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind.pallas as tp
from conftest import ROOT
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

COMMAND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
X = np.arange(8, dtype=np.float32)
TPU = {"compiler_params": pltpu.CompilerParams()}
INTERPRETED = {"interpret": pltpu.InterpretParams()}
TRITON = {"compiler_params": plgpu.CompilerParams()}


def total(x, **options):
    """The sum of blocks along an axis that nobody declares."""
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((2,), x.dtype), grid=(4,), in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
                          out_specs=pl.BlockSpec((2,), lambda i: (0,)), **{"interpret": True, **options})(x)


def come_back(x, **options):
    """Two blocks in turn, each added to when it is come back to."""
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) < 2)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((4,), x.dtype), grid=(4,), in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
                          out_specs=pl.BlockSpec((2,), lambda i: (i % 2,)), **{"interpret": True, **options})(x)


def half(x, **options):
    """In place, of which one half is written."""
    def kernel(x_ref, o_ref):
        o_ref[:4] = -x_ref[:4]

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), input_output_aliases={0: 0},
                          **{"interpret": True, **options})(x)


def found(function, target=None, **options):
    """Kinds and levels of what a check finds."""
    with tp.check(on_finding="collect", target=target, shuffles=1, interleavings=1) as checked:
        function(X, **options)
    assert checked.refused == []
    return {(finding.kind, finding.level) for finding in checked.findings}


@pytest.mark.parametrize("target, options, is_tpu", [
    (None, {}, False), (None, TPU, True), (None, INTERPRETED, True), (None, TRITON, False), ("tpu", {}, True), ("any", {}, False),
    ("tpu", TRITON, True), ("any", TPU, False), ("any", INTERPRETED, False)])
def test_what_implies_a_target(target, options, is_tpu):
    assert (found(half, target, **options) == {("alias-unfetched", "error")}) is is_tpu


def test_axes_that_nobody_declares():
    assert found(total, "tpu") == set()
    assert {kind for kind, _ in found(total)} == {"race", "order-dependence"}
    declared = {"compiler_params": pltpu.CompilerParams(dimension_semantics=("parallel",))}
    assert ("race", "error") in found(total, "tpu", **declared)
    assert ("race", "error") in found(total, "tpu", **TRITON)  # where axes are parallel by nature


@pytest.mark.parametrize("options", [TPU, INTERPRETED])
def test_a_level_is_the_same_everywhere(options, tmp_path):
    """In a check, under the interpreter, and by the command."""
    with tp.check(on_finding="collect", save=tmp_path) as checked:
        come_back(X, **options)
    finding, = checked.findings
    assert (finding.kind, finding.level) == ("block-revisited", "error")
    case, = checked.cases
    assert json.loads((case / "case.json").read_text())["target"] == "tpu"
    done = subprocess.run([COMMAND, "check", case, "--json"], capture_output=True, text=True, check=False)
    run, = json.loads(done.stdout)["runs"]
    assert [(one["kind"], one["level"]) for one in run["findings"]] == [("block-revisited", "error")]
    assert done.returncode == 1
    with tp.interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="block-revisited"):
        jax.block_until_ready(come_back(X, **INTERPRETED))


def test_another_target_overrides(tmp_path):
    assert found(come_back, "any", **TPU) == {("block-revisited", "note")}
    with tp.check(on_finding="collect", target="any", save=tmp_path, fail_on="note") as checked:
        come_back(X, **TPU)
    assert "target" not in json.loads((checked.cases[0] / "case.json").read_text())
    with tp.check(on_finding="collect", target="tpu", save=tmp_path) as checked:
        half(X)
    case, = checked.cases
    for more, level in ([], 1), (["--target", "any"], 0), (["--target", "tpu"], 1):
        assert subprocess.run([COMMAND, "check", case, *more], capture_output=True, check=False).returncode == level, more


def test_windows_give_the_values_of_a_tpu():
    """The input is read again once the output, its alias, is written."""
    def kernel(x_ref, o_ref):
        o_ref[...] = -x_ref[...]
        o_ref[...] = 2 * x_ref[...]

    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(X.shape, X.dtype), input_output_aliases={0: 0}, interpret=True)
    with tp.interpreter(target="tpu"):
        np.testing.assert_array_equal(call(X), 2 * X)
        np.testing.assert_array_equal(jax.jit(call, donate_argnums=0)(jnp.array(X)), 2 * X)
    with tp.interpreter(target="any"):
        np.testing.assert_array_equal(call(X), -2 * X)


def test_installed():
    tp.install(target="tpu")
    try:
        np.testing.assert_array_equal(total(X), [12, 16])
    finally:
        tp.uninstall()


def test_targets_that_are_none():
    for make in (lambda: tp.check(target="vax"), lambda: tp.interpreter(target="vax").__enter__(), lambda: tp.install(target="vax")):
        with pytest.raises(ValueError, match='target "vax" is neither any nor tpu'):
            make()
    with pytest.raises(ValueError, match="backend emulator knows no target"):
        tp.install(target="tpu", backend="emulator")
    with tp.interpreter(backend="emulator"):  # there nothing implies one
        np.testing.assert_array_equal(total(X, **TPU), [12, 16])
