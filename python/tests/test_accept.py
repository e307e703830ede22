"""The acceptance table's own arithmetic: references, bounds, verdicts.  No C library is needed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

from conformance import acceptance_cases, error_bound
from conformance import acceptance_verdicts as verdicts
from conformance.acceptance_kernels import KERNELS
from conformance.error_bound import UNIT, Type, Value

U = UNIT["f32"]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """A few kernels, captured with their references."""
    names = ["exp_per_program", "masked_store", "matmul_gelu", "softmax_f16", "layer_norm_grad",
             "mha_padded_head", "tpu_tgmm", "squeezed", "slices_beyond"]
    found = acceptance_cases.all_cases(tmp_path_factory.mktemp("accept"), names)
    return {case.label: case for case in found}


def evaluate(fn, *args):
    """Values and bounds of the first output of a kernel without grid."""
    from tilegrind.pallas import export

    def kernel(*refs):
        refs[-1][...] = fn(*(ref[...] for ref in refs[:-1]))

    shape = jax.eval_shape(fn, *args)
    module = export(pl.pallas_call(kernel, out_shape=shape, interpret=True), *args)
    ir = module.json()["kernels"][0]
    names = [param["name"] for param in ir["params"] if param["role"] == "input"]
    return next(iter(error_bound.evaluate(ir, dict(zip(names, args))).values()))


# -- bounds --


def test_exact_results_have_no_error():
    x = np.arange(8, dtype=np.float32)
    assert not evaluate(lambda x: (x + 1) * 2, x).e.any()


def test_a_rounded_product_is_off_by_half_a_step():
    x = np.full(8, 1 / 3, np.float32)
    got = evaluate(lambda x: x * x, x)
    assert np.allclose(got.e, U * got.x, rtol=1e-6)


def test_a_sum_counts_the_levels_of_its_tree():
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    got = evaluate(jnp.sum, x)
    assert np.isclose(got.e, 6 * U * np.abs(x).sum(), rtol=1e-5)


def test_a_dot_counts_its_terms():
    x, y = np.random.default_rng(0).standard_normal((2, 16, 16)).astype(np.float32)
    got = evaluate(lambda x, y: x @ y, x, y)
    assert np.allclose(got.e, 16 * U * (np.abs(x).astype(float) @ np.abs(y)), rtol=1e-5)


def test_cancellation_keeps_the_error_of_the_operands():
    x = np.full(8, 1 / 3, np.float32)
    got = evaluate(lambda x: x * x - jnp.float32(1 / 9), x)
    assert (got.e > 0.9 * U / 9).all() and (np.abs(got.x) < 1e-8).all()


def test_masks_do_not_spoil_a_maximum():
    lowest = float(np.finfo(np.float32).min)
    masked, kept = Value(np.array(lowest), np.array(1e31)), Value(np.array(1.0), np.array(1e-7))
    result, error = error_bound.EXACT["max"](masked, kept)
    assert result == 1 and np.isclose(error, 1e-7)


def test_an_operation_without_a_rule_is_refused():
    with pytest.raises(KeyError, match="cumsum"):
        evaluate(jnp.cumsum, np.ones(8, np.float32))


@pytest.mark.parametrize("text, dtype, shape", [("f32[2,3]", "f32", (2, 3)),
                                                ("ref<i32[]>", "i32", ())])
def test_types(text, dtype, shape):
    assert Type.of(text) == Type(dtype, shape)


# -- cases --


@pytest.mark.slow
def test_only_kernels_with_float_sums_have_references(cases):
    with_reference = {label for label, case in cases.items()
                      if (case.folder / "reference.npz").exists()}
    assert with_reference == set(cases) - {"exp_per_program", "masked_store", "squeezed",
                                           "slices_beyond"}


@pytest.mark.slow
def test_the_references_are_in_f64_and_agree(cases):
    for label in ("matmul_gelu", "layer_norm_grad/ln_backward_dx", "mha_padded_head", "tpu_tgmm"):
        case = cases[label]
        evaluated, bound = case.arrays("evaluated.npz"), case.arrays("bound.npz")
        for name, reference in case.arrays("reference.npz").items():
            assert reference.dtype == np.float64
            assert (reference != reference.astype(np.float32)).any()
            noise = 1e-13 * np.abs(reference).max()
            assert (np.abs(evaluated[name] - reference) <= 1e-6 * bound[name] + noise).all()


@pytest.mark.slow
def test_cases_are_captured_once(cases, monkeypatch):
    monkeypatch.setattr(acceptance_cases, "_capture", pytest.fail)
    case = cases["squeezed"]
    again = acceptance_cases.all_cases(case.folder.parents[2], ["squeezed"])
    assert [c.folder for c in again] == [case.folder]


def test_every_kernel_has_a_source():
    assert {kernel.source for kernel in KERNELS.values()} == {
        "pallas-design.txt", "grid-blockspec.txt", "ops/gpu", "ops/tpu"}


def test_every_table_has_a_kernel():
    assert set(verdicts._tables()) <= set(KERNELS)
    assert len(verdicts._tables()) == 13


# -- verdicts --


def run_of(case, outputs, findings=()):
    """The report of a run with these outputs, as far as verdicts read it."""
    expected = case.arrays("expected.npz")
    reports = [{"name": name, "agrees": np.array_equal(array, expected[name], equal_nan=True),
                "differing": int((array != expected[name]).sum()), "summary": "differs"}
               for name, array in outputs.items()]
    return {"outputs": reports, "findings": [{"kind": kind} for kind in findings],
            "unexpected_findings": len(findings), "absent_findings": 0}


def right(case):
    """Outputs that must pass: JAX's, or where a reference is in f64, that one rounded."""
    outputs = case.arrays("expected.npz")
    if (case.folder / "reference.npz").exists():
        reference = case.arrays("reference.npz")
        return {name: reference[name].astype(array.dtype) for name, array in outputs.items()}
    return outputs


def judged(case, change=None, findings=()):
    """The verdict on right outputs, after `change` of the first one."""
    outputs = right(case)
    if change:
        change(next(iter(outputs.values())))
    return verdicts.judge(case, run_of(case, outputs, findings), outputs)


@pytest.mark.slow
def test_right_outputs_pass(cases):
    for case in cases.values():
        assert judged(case).passed, case.label


@pytest.mark.slow
def test_findings_fail(cases):
    verdict = judged(cases["exp_per_program"], findings=["access-outside-ref"])
    assert not verdict.passed and "access-outside-ref" in verdict.reason


@pytest.mark.slow
def test_a_known_finding_is_told(cases):
    assert "output-unwritten" in judged(cases["masked_store"]).reason


@pytest.mark.slow
def test_a_wrong_table_fails(cases):
    def change(array):
        array[0, 0] = 7

    assert not judged(cases["squeezed"], change).passed
    assert "[[ 7" in judged(cases["squeezed"], change).reason


@pytest.mark.slow
def test_a_block_with_a_hole_fails(cases):
    def change(array):
        array[25, 85] = 0

    assert not judged(cases["slices_beyond"], change).passed


@pytest.mark.slow
@pytest.mark.parametrize("label", ["matmul_gelu", "softmax_f16", "mha_padded_head", "tpu_tgmm"])
def test_a_number_beyond_its_bound_fails(cases, label):
    bound = next(iter(cases[label].arrays("bound.npz").values()))

    def change(array):
        at = np.unravel_index(np.argmax(bound), bound.shape)
        array[at] += 3 * bound[at]

    assert not judged(cases[label], change).passed


@pytest.mark.slow
def test_a_nan_fails(cases):
    def change(array):
        array.flat[0] = np.nan

    assert "undefined" in judged(cases["matmul_gelu"], change).reason
