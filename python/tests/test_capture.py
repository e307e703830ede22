"""Cases written from calls that run: under every transformation, with every kind of operand."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import ROOT
from ir_check import check_module
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, PartitionSpec
from tilegrind.pallas import capture


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def double(x):
    return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def arrays(case, which):
    with np.load(case / f"{which}.npz") as file:
        return dict(file)


def check_case(folder):
    """Reads a case; asserts that its parts agree."""
    case = json.loads((folder / "case.json").read_text())
    assert case["tilegrind"] == "0.1" and case["made_by"]["jax"] == jax.__version__
    kernel = json.loads((folder / case["kernel"]).read_text())
    check_module(kernel)
    params = {param["name"]: param["role"] for param in kernel["kernels"][0]["params"]}
    inputs = {name for name, role in params.items() if role in ("prefetch", "input")}
    outputs = {name for name, role in params.items() if role == "output"}
    assert set(case["inputs"]) == inputs == set(arrays(folder, "inputs"))
    assert set(case["expect"]["outputs"]) == outputs == set(arrays(folder, "expected"))
    return case


def test_eager_call_without_interpret(tmp_path):
    with capture(tmp_path / "cases") as captured:
        out = double(jnp.arange(8.0))
    (case,) = captured.cases
    assert case == tmp_path / "cases" / "double_kernel-0" and captured.errors == []
    check_case(case)
    np.testing.assert_array_equal(arrays(case, "inputs")["x_ref"], np.arange(8.0))
    np.testing.assert_array_equal(arrays(case, "expected")["o_ref"], out)


def test_calls_compiled_before_are_seen_and_the_hook_goes_away(tmp_path):
    call = jax.jit(lambda x: pl.pallas_call(double_kernel, out_shape=f32(8), interpret=True)(x))
    call(jnp.ones(8))
    with capture(tmp_path) as captured:
        call(jnp.ones(8))
        call(jnp.ones(8))
    assert len(captured.cases) == 2
    call(jnp.ones(8))
    assert len(captured.cases) == 2
    with pytest.raises(ValueError, match="interpret"):
        double(jnp.ones(8))


def test_unused_result_of_a_jitted_call_with_a_used_one(tmp_path):
    def both(x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[...]
        p_ref[...] = -x_ref[...]

    with capture(tmp_path) as captured:
        jax.jit(lambda x: pl.pallas_call(both, out_shape=[f32(8)] * 2)(x)[0])(jnp.ones(8))
    assert set(arrays(captured.cases[0], "expected")) == {"o_ref", "p_ref"}


def test_vmap(tmp_path):
    with capture(tmp_path) as captured:
        jax.jit(jax.vmap(double))(jnp.ones((3, 8)))
    (case,) = captured.cases
    check_case(case)
    assert arrays(case, "expected")["o_ref"].shape == (3, 8)


def test_scan_runs_a_case_per_step(tmp_path):
    with capture(tmp_path) as captured:
        jax.lax.scan(lambda c, _: (double(c), None), jnp.ones(8), None, length=3)
    firsts = sorted(arrays(case, "inputs")["x_ref"][0] for case in captured.cases)
    assert firsts == [1, 2, 4]


def test_grad_of_a_custom_vjp(tmp_path):
    @jax.custom_vjp
    def function(x):
        return double(x)

    function.defvjp(lambda x: (double(x), None), lambda _, g: (double(g),))
    with capture(tmp_path) as captured:
        jax.grad(lambda x: (function(x) ** 2).sum())(jnp.arange(8.0))
    assert len(captured.cases) == 2
    last = arrays(captured.cases[1], "expected")["o_ref"]
    np.testing.assert_array_equal(last, 8 * np.arange(8.0))


def test_shard_map(tmp_path):
    mesh = Mesh(np.array(jax.devices()[:1]), ("x",))
    spec = PartitionSpec("x")
    with capture(tmp_path) as captured:
        jax.jit(jax.shard_map(double, mesh=mesh, in_specs=spec, out_specs=spec,
                              check_vma=False))(jnp.ones(8))
    assert len(captured.cases) == 1


def test_scalar_prefetch_and_alias(tmp_path):
    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * n_ref[0]

    call = pl.pallas_call(kernel, out_shape=f32(8), input_output_aliases={1: 0},
                          grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1))
    with capture(tmp_path) as captured:
        call(jnp.asarray([3], jnp.int32), jnp.ones(8))
    check_case(captured.cases[0])
    assert arrays(captured.cases[0], "inputs")["n_ref"].tolist() == [3]
    assert arrays(captured.cases[0], "inputs")["x_ref"].tolist() == [1] * 8


def test_dynamic_grid(tmp_path):
    def kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    def run(steps):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((4,), jnp.int32),
                              grid=(steps,))()

    with capture(tmp_path) as captured:
        jax.jit(run)(jnp.int32(3))
    case = check_case(captured.cases[0])
    assert case["dynamic_grid"] == [3] and case["inputs"] == {}


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "bool", "float16"])
def test_dtypes_keep_their_bits(tmp_path, dtype):
    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    x = jnp.asarray([0, 1, 1, 0]).astype(dtype)
    with capture(tmp_path) as captured:
        pl.pallas_call(copy, out_shape=jax.ShapeDtypeStruct((4,), x.dtype))(x)
    stored = arrays(captured.cases[0], "expected")["o_ref"]
    assert stored.tobytes() == np.asarray(x).tobytes()
    assert stored.dtype.kind in "biufV"


def test_limit(tmp_path):
    with capture(tmp_path, limit=2) as captured:
        for _ in range(4):
            double(jnp.ones(8))
    assert [case.name for case in captured.cases] == ["double_kernel-0", "double_kernel-1"]


def test_tolerance_reaches_the_case(tmp_path):
    with capture(tmp_path, compare={"ulp": 64}) as captured:
        double(jnp.ones(8))
    assert check_case(captured.cases[0])["expect"]["compare"] == {"ulp": 64}


def test_semantics_reach_the_kernel(tmp_path):
    spec = pl.BlockSpec((2,), lambda i: (i,))
    with capture(tmp_path, grid_semantics="arbitrary") as captured:
        pl.pallas_call(double_kernel, out_shape=f32(8), grid=(4,), in_specs=[spec],
                       out_specs=spec)(jnp.ones(8))
    kernel = json.loads((captured.cases[0] / "kernel.json").read_text())["kernels"][0]
    assert kernel["grid"] == [{"size": 4, "semantics": "arbitrary"}]


@pytest.mark.parametrize("options, target, expected", [
    ({}, None, None), ({}, "tpu", "tpu"), ({"compiler_params": pltpu.CompilerParams()}, None, "tpu"),
    ({"compiler_params": pltpu.CompilerParams()}, "any", None), ({"interpret": pltpu.InterpretParams()}, None, "tpu")])
def test_the_target_reaches_the_case(tmp_path, options, target, expected):
    with capture(tmp_path, target=target) as captured:
        pl.pallas_call(double_kernel, out_shape=f32(8), **options)(jnp.ones(8))
    assert check_case(captured.cases[0]).get("target") == expected


def test_a_target_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="target='gpu' is neither"), capture(tmp_path, target="gpu"):
        pass


def test_a_kernel_without_counterpart_runs_with_a_warning(tmp_path):
    def kernel(x_ref, o_ref):
        o_ref[...] = jax.lax.digamma(x_ref[...])

    with capture(tmp_path) as captured:
        with pytest.warns(UserWarning, match="digamma"):
            out = pl.pallas_call(kernel, out_shape=f32(3))(jnp.asarray([3.0, 1.0, 2.0]))
    np.testing.assert_allclose(out, jax.lax.digamma(jnp.asarray([3.0, 1.0, 2.0])), rtol=1e-6)
    assert captured.cases == [] and captured.errors[0].primitive == "digamma"


def test_the_hook_goes_away_after_an_exception(tmp_path):
    from jax._src.pallas import hlo_interpreter

    before = hlo_interpreter.pallas_call_hlo_interpret
    with pytest.raises(RuntimeError, match="mine"):
        with capture(tmp_path):
            assert hlo_interpreter.pallas_call_hlo_interpret is not before
            raise RuntimeError("mine")
    assert hlo_interpreter.pallas_call_hlo_interpret is before


# -- the command --


SCRIPT = """\
import sys
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl
def kernel(x_ref, o_ref):
    o_ref[...] = {expression}
assert sys.argv[1:] == ["--steps", "1"]
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((4,), jnp.float32))(jnp.ones(4))
"""


def command(*args, cwd):
    return subprocess.run([sys.executable, "-m", "tilegrind.pallas", *args], cwd=cwd, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"),
                               "JAX_PLATFORMS": "cpu"})


@pytest.mark.slow
@pytest.mark.parametrize("expression, code", [("x_ref[...]", 0), ("jax.lax.digamma(x_ref[...])", 3),
                                              ("1 / 0", 3)])
def test_command(tmp_path, expression, code):
    (tmp_path / "script.py").write_text(SCRIPT.format(expression=expression))
    done = command("capture", "script.py", "--out", "cases", "--", "--steps", "1", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    if code == 0:
        assert done.stdout.split() == ["cases/kernel-0"]
        check_case(tmp_path / "cases" / "kernel-0")


@pytest.mark.slow
def test_command_usage(tmp_path):
    assert command("capture", "none.py", "--out", "x", cwd=tmp_path).returncode == 2
    assert command("capture", cwd=tmp_path).returncode == 2
    (tmp_path / "file").write_text("")
    assert command("capture", "file", "--out", "file", cwd=tmp_path).returncode == 2
    assert command("capture", "file", "--out", "x", "--grid-semantics", "odd",
                   cwd=tmp_path).returncode == 2
    helped = command("capture", "--help", cwd=tmp_path)
    assert helped.returncode == 0 and "exit codes" in helped.stdout
