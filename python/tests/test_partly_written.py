"""Outputs of which elements stay unwritten on purpose."""

import json
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
import tilegrind.pallas as tp
from jax.experimental import pallas as pl

X = jnp.arange(8, dtype=jnp.float32)


def evens(x_ref, o_ref, p_ref):
    @pl.when(pl.program_id(0) % 2 == 0)
    def _():
        o_ref[...] = x_ref[...]

    @pl.when(pl.program_id(0) < 0)
    def _():
        p_ref[...] = x_ref[...]


def call(x):
    """Every other block of `o_ref` is written, and nothing of `p_ref`."""
    block = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(evens, grid=(4,), in_specs=[block], out_specs=[block, block], interpret=True,
                          out_shape=[jax.ShapeDtypeStruct(x.shape, x.dtype)] * 2)(x)


def unwritten(findings):
    assert {finding.kind for finding in findings} <= {"output-unwritten"}
    return [finding.param for finding in findings]


def command(*words, expect=1):
    done = subprocess.run([os.environ["TILEGRIND"], *map(str, words)], capture_output=True, text=True)
    assert done.returncode == expect, done
    return done.stdout + done.stderr


@pytest.mark.parametrize("names, left", [
    ((), ["o_ref", "p_ref"]), ("o_ref", ["p_ref"]), (["o_ref"], ["p_ref"]), ("o_ref,p_ref", ["p_ref"]), (("p_ref",), ["o_ref", "p_ref"])])
def test_a_module(names, left):
    """What nobody writes at all is told whatever is said."""
    module = tilegrind.loads(tp.export(call, X).dumps())
    for run in (module.run, module.check):
        assert unwritten(run({"x_ref": np.asarray(X)}, partly_written=names).findings) == left


@pytest.mark.parametrize("names", ["x_ref", "q_ref", "o_ref,", ","])
def test_names_that_are_no_outputs(names):
    module = tilegrind.loads(tp.export(call, X).dumps())
    with pytest.raises(tilegrind.Error, match="partly_written: kernel evens has no output"):
        module.run({"x_ref": np.asarray(X)}, partly_written=names)


def test_an_export_says_so():
    plain = tp.export(call, X).json()["kernels"][0]["params"]
    told = tp.export(call, X, partly_written=["evens.o_ref", "p_ref"]).json()["kernels"][0]["params"]
    assert not any("partly_written" in param for param in plain)
    assert [param.get("partly_written", False) for param in told] == [False, True, True]
    text = tp.export(call, X, partly_written="o_ref").dumps()
    module = tilegrind.loads(text)
    assert '"partly_written": true' in module.to_json() and "partly written" in module.to_text()
    assert unwritten(module.run({"x_ref": np.asarray(X)}).findings) == ["p_ref"]
    for names in ("x_ref", "other.o_ref"):
        with pytest.raises(ValueError, match=f"no kernel has an output '{names}'"):
            tp.export(call, X, partly_written=names)


def test_only_outputs_say_so():
    tree = tp.export(call, X).json()
    for value, message in ((True, 'only outputs have "partly_written"'), (3, "expected true or false")):
        params = tree["kernels"][0]["params"]
        params[0].pop("partly_written", None)
        params[0 if value is True else 1]["partly_written"] = value
        with pytest.raises(tilegrind.Error, match=message):
            tilegrind.loads(json.dumps(tree))


def test_inside_of_checks():
    with tp.check(on_finding="collect", partly_written="o_ref,of_another_kernel") as checked:
        call(X)
    assert unwritten(checked.findings) == ["p_ref"]
    with pytest.raises(ValueError, match="empty name"):
        tp.check(partly_written="o_ref,")


def test_inside_of_interpreters():
    def first_half(x_ref, o_ref):
        o_ref[:4] = x_ref[:4]

    def half(x):
        return pl.pallas_call(first_half, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    with tp.interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="output-unwritten"):
        jax.jit(lambda x: half(x))(X).block_until_ready()
    with tp.interpreter(partly_written=["first_half.o_ref"]):
        assert jax.jit(lambda x: half(x))(X)[3] == 3


def test_cases_say_so(tmp_path):
    with tp.capture(tmp_path, partly_written=["o_ref"]) as captured:
        call(X)
    told = command("run", captured.cases[0])
    assert "elements of output p_ref" in told and "elements of output o_ref" not in told


def test_the_command(tmp_path):
    tp.export(call, X).save(tmp_path / "evens.json")
    np.savez(tmp_path / "x.npz", x_ref=X)
    arguments = [tmp_path / "evens.json", "--in", tmp_path / "x.npz"]
    for name in ("run", "check"):
        told = command(name, *arguments, "--partly-written", "o_ref")
        assert "elements of output p_ref" in told and "elements of output o_ref" not in told
        assert "--partly-written o_ref\n" in told  # of what repeats it
    assert 'has no output "x_ref"' in command("run", *arguments, "--partly-written", "x_ref", expect=2)


def test_suppressions_that_are_made_cover_it(tmp_path):
    """And not an output of which nothing is written any more."""
    tp.export(call, X).save(tmp_path / "evens.json")
    np.savez(tmp_path / "x.npz", x_ref=X)
    arguments = [tmp_path / "evens.json", "--in", tmp_path / "x.npz"]
    command("check", *arguments, "--gen-suppressions", tmp_path / "known.supp")
    blocks = (tmp_path / "known.supp").read_text()
    assert blocks.count("written: part\n") == 1 and blocks.count("kind: output-unwritten\n") == 2
    command("check", *arguments, "--suppressions", tmp_path / "known.supp", expect=0)
    (tmp_path / "part.supp").write_text("{\n  meant\n  kind: output-unwritten\n  written: part\n}\n")
    told = command("check", *arguments, "--suppressions", tmp_path / "part.supp")
    assert "elements of output p_ref" in told and "elements of output o_ref" not in told
    (tmp_path / "part.supp").write_text("{\n  meant\n  kind: output-unwritten\n  written: half\n}\n")
    assert "'half' is neither part nor nothing" in command("check", *arguments, "--suppressions", tmp_path / "part.supp", expect=3)
