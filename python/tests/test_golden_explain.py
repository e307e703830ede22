"""Explanations of bounds: shares of operations that sum to the bound, the worst first, at the right lines."""

import inspect
import json

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl

import tilegrind
from tilegrind import golden
from tilegrind.golden import command
from tilegrind.golden.explain import explain
from tilegrind.golden.folder import Refused
from tilegrind.golden.subject import Subject
from tilegrind.judging import InputSet
from tilegrind.pallas import export


def softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    total = jnp.sum(e, axis=1, keepdims=True)
    o_ref[...] = e / total


def norm_kernel(x_ref, w_ref, o_ref):
    x = x_ref[...]
    mean = jnp.sum(x, axis=1, keepdims=True) / 64
    c = x - mean
    variance = jnp.sum(c * c, axis=1, keepdims=True) / 64
    o_ref[...] = c * jax.lax.rsqrt(variance + 1e-5) * w_ref[...]


def epilogue_kernel(x_ref, y_ref, bias_ref, o_ref):
    total = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
    shifted = total + bias_ref[...]
    o_ref[...] = jnp.tanh(shifted).astype(jnp.bfloat16)


def accumulating_kernel(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jax.lax.fori_loop(0, 8, lambda i, a: a + jnp.exp(x_ref[i, :]), jnp.zeros((16,), jnp.float32))


SPEC = pl.BlockSpec((8, 32), lambda i: (i, 0))
WIDE, X = np.ones((8, 64), np.float32), np.ones((16, 32), np.float32)
NARROW = np.ones((16, 64), ml_dtypes.bfloat16)


def whole(kernel, out):
    return lambda *arrays: pl.pallas_call(kernel, out_shape=out, interpret=True)(*arrays)


KERNELS = {
    "softmax": (lambda x: pl.pallas_call(softmax_kernel, grid=(2,), in_specs=[SPEC], out_specs=SPEC, out_shape=x, interpret=True)(x), X),
    "norm": (whole(norm_kernel, WIDE), WIDE, np.ones((1, 64), np.float32)),
    "epilogue": (whole(epilogue_kernel, jax.ShapeDtypeStruct((16, 16), jnp.bfloat16)), NARROW, NARROW.T,
                 np.ones((1, 16), np.float32)),
    "accumulating": (lambda x: pl.pallas_call(
        accumulating_kernel, grid=(4,), in_specs=[pl.BlockSpec((8, 16), lambda i: (i, 0))], out_specs=pl.BlockSpec((16,), lambda i: (0,)),
        out_shape=jax.ShapeDtypeStruct((16,), jnp.float32), interpret=True)(x), np.ones((32, 16), np.float32)),
}


def subject(name):
    module = tilegrind.loads(export(KERNELS[name][0], *KERNELS[name][1:], grid_semantics="arbitrary").dumps())
    return Subject(module, module.kernels[0])


def line(kernel, text):
    lines, first = inspect.getsourcelines(kernel)
    return first + next(number for number, one in enumerate(lines) if text in one)


@pytest.mark.parametrize("name, kernel, element, worst, at, writer", [
    ("softmax", softmax_kernel, (9, 3), "reduce_sum", "total = ", (1,)),
    ("norm", norm_kernel, (2, 5), "reduce_sum", "mean = ", ()),
    ("epilogue", epilogue_kernel, (3, 5), "convert", ".astype", ()),
    ("accumulating", accumulating_kernel, (3,), "add", "a + jnp.exp", (3,))])
@pytest.mark.parametrize("scale", [1, 2.0**-4])
def test_shares_sum_to_the_bound_and_the_worst_is_the_right_line(name, kernel, element, worst, at, writer, scale):
    found = explain(subject(name), InputSet("normal", settings={"scale": scale}), "o_ref", element)
    assert sum(share.amount for share in found.shares) == pytest.approx(found.bound, rel=0.1)
    assert found.noise < found.bound * 2**-20 and not found.unknown
    assert found.shares == sorted(found.shares, key=lambda share: -share.amount)
    if scale == 1:
        assert found.shares[0].op == worst and found.shares[0].place.endswith(f"test_golden_explain.py:{line(kernel, at)}")
    assert found.writer == writer
    assert found.exact == pytest.approx(found.got, rel=2**-7)


def test_a_share_is_what_the_rule_says():
    """The last division of softmax rounds once: 2^-24 of the result."""
    found = explain(subject("softmax"), InputSet("normal"), "o_ref", 9 * 32 + 3)
    assert found.where == "normal/o_ref[9, 3]"
    (division,) = (share for share in found.shares if share.op == "div")
    assert division.amount == pytest.approx(2.0**-24 * found.exact, rel=0.05)
    (sum_,) = (share for share in found.shares if share.op == "reduce_sum")
    assert sum_.amount == pytest.approx(31 * 2.0**-24 * found.exact, rel=0.05)  # of 32 numbers, in any order


def test_the_last_conversion_dominates_a_narrow_output():
    found = explain(subject("epilogue"), InputSet("normal", settings={"scale": 2.0**-4}), "o_ref", (3, 5))
    assert found.shares[0].op == "convert"
    assert found.shares[0].amount == pytest.approx(2.0**-8 * abs(found.exact), rel=0.1)


def test_an_exact_element_has_no_shares():
    def copy_kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    module = tilegrind.loads(export(whole(copy_kernel, X), X).dumps())
    found = explain(Subject(module, module.kernels[0]), InputSet("normal"), "o_ref", (0, 0))
    assert (found.bound, found.shares, found.rest) == (0.0, [], 0.0)
    assert "bound 0" in "\n".join(found.lines())


@pytest.mark.parametrize("output, element, said", [
    ("p", (0, 0), "there is no output p; there are: o_ref"), ("o_ref", (99, 0), "no element"), ("o_ref", 512, "no element"),
    ("o_ref", (1,), "no element"), ("o_ref", (-1, 0), "no element")])
def test_what_there_is_not_is_refused(output, element, said):
    with pytest.raises(Refused, match=said):
        explain(subject("softmax"), InputSet("normal"), output, element)


def test_what_has_no_share_is_refused():
    def bits_kernel(x_ref, o_ref):
        o_ref[...] = jax.lax.bitcast_convert_type(jax.lax.bitcast_convert_type(x_ref[...], jnp.int32) & -2, jnp.float32) * 0.1

    def integer_kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    for kernel, array, said in ((bits_kernel, X, r"bitcast at .*test_golden_explain.py:\d+ is not explained: it depends on the bits"),
                                (integer_kernel, X.astype(np.int32), "without floats narrower than f64")):
        module = tilegrind.loads(export(whole(kernel, array), array).dumps())
        with pytest.raises(Refused, match=said):
            explain(Subject(module, module.kernels[0]), InputSet("normal"), "o_ref", (0, 0))
    tree = subject("softmax").tree()
    body = tree["kernels"][0]["body"]["ops"]
    body[-1] = {**body[-1], "op": "add_update"}
    with pytest.raises(Refused, match="add_update at .* is not explained: it rounds in memory"):
        explain(Subject(tilegrind.loads(json.dumps(tree)), "softmax_kernel"), InputSet("normal"), "o_ref", (0, 0))


def test_outputs_of_integers_have_no_bound():
    def both_kernel(x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[...] * 3
        p_ref[...] = jnp.ones((16, 32), jnp.int32)

    module = tilegrind.loads(export(whole(both_kernel, (X, X.astype(np.int32))), X).dumps())
    with pytest.raises(Refused, match="p_ref has no bound: its elements are no floats"):
        explain(Subject(module, module.kernels[0]), InputSet("normal"), "p_ref", (0, 0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    goldens = golden.Goldens(tmp_path_factory.mktemp("explained") / "goldens")
    goldens.record("softmax", subject("softmax"), kinds=("normal", "ties"))
    return goldens.store.root


def run(folder, *arguments):
    return command.main(["--goldens", str(folder), "explain", *arguments])


def test_the_command(folder, capsys):
    assert run(folder, "softmax", "9,3", "--pending") == 0
    text = capsys.readouterr().out
    assert run(folder, "softmax", str(9 * 32 + 3), "--pending", "--set", "normal", "--output", "o_ref") == 0
    assert capsys.readouterr().out == text
    lines = text.splitlines()
    assert lines[0].startswith("normal/o_ref[9, 3]: R = 0.02") and lines[1] == "  written by program (1)"
    assert lines[3].endswith(f"test_golden_explain.py:{line(softmax_kernel, 'total =')}") and "reduce_sum at" in lines[3]
    for arguments, said in ((["softmax", "9,3"], "there is no golden"), (["softmax", "x", "--pending"], "is no element"),
                            (["softmax", "1,2", "--pending", "--set", "wide"], "no input set wide; it has: normal"),
                            (["softmax", "1,2", "--pending", "--output", "p"], "there is no output p")):
        assert run(folder, *arguments) in (2, 3)
        assert said in capsys.readouterr().err
