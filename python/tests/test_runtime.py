"""The C library from Python: loading, running, what comes back, and what is refused."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilegrind

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
X, Y = np.arange(8, dtype=np.float32), np.full(8, 0.5, np.float32)


def kernel(ops, params, grid=(), **more):
    """The JSON text of a module with one kernel."""
    args = [{"id": k, "type": f"ref<{param['type']}>"} for k, param in enumerate(params)]
    return json.dumps({"tilegrind": "0.1", "kernels": [{
        "name": "k", "grid": list(grid), "params": params, "body": {"args": args, "ops": ops},
        **more}]})


def copying(dtype, extent=4):
    """Loads all of `x` and stores it to `o`."""
    whole = [["slice", 0, extent, 1]]
    return kernel([{"op": "load", "in": [0], "out": [{"id": 9, "type": f"{dtype}[{extent}]"}],
                    "index": whole}, {"op": "store", "in": [1, 9], "index": whole}],
                  [{"name": "x", "role": "input", "type": f"{dtype}[{extent}]"},
                   {"name": "o", "role": "output", "type": f"{dtype}[{extent}]"}])


PRINTING = kernel([{"op": "program_id", "out": [{"id": 9, "type": "i32[]"}], "axis": 0},
                   {"op": "debug_print", "in": [9], "format": "program {}"}], [],
                  [{"size": "dynamic", "semantics": "arbitrary"}])


def example():
    return tilegrind.load(EXAMPLES / "add.json")


def inputs_of(module):
    return {param.name: np.arange(np.prod(param.shape), dtype=param.dtype).reshape(param.shape)
            for param in module.params() if param.role == "input"}


def test_a_module_says_what_it_holds():
    module = example()
    assert module.kernels == ["add"]
    roles = [param.role for param in module.params("add")]
    assert roles.count("input") == 2 and roles.count("output") == 1
    assert module.params()[0].alias is None and module.params("no such kernel") == []
    assert tilegrind.loads(module.to_json()).to_json() == module.to_json()
    assert "kernel add" in module.to_text() and "plan of add" in module.to_plan()
    name = module.params()[0].name
    assert name in module.map(name) and module.map(name, svg=True).startswith("<svg")


def test_the_library_says_what_it_is():
    assert tilegrind.version().count(".") == 2
    assert json.loads(tilegrind.schema())["$schema"]


@pytest.mark.parametrize("order", [None, "reversed", "shuffled:3", "parallel:2", "interleaved:1"])
def test_a_run_gives_outputs_and_says_how_it_went(order):
    module = example()
    inputs = inputs_of(module)
    run = module.run(inputs, order=order, isa="baseline")
    (output,) = run.outputs.values()
    np.testing.assert_array_equal(output, sum(inputs.values()))
    assert run.findings == [] and run.isa == "baseline" and run.seconds >= 0
    assert run.order == (order or "sequential") and run.programs >= 1


def test_arrays_need_not_be_contiguous():
    module = example()
    inputs = {name: np.repeat(array, 2)[::2] for name, array in inputs_of(module).items()}
    (output,) = module.run(inputs).outputs.values()
    np.testing.assert_array_equal(output, sum(inputs.values()))


@pytest.mark.parametrize("dtype, numpy_type", [
    ("bool", np.bool_), ("i4", ml_dtypes.int4), ("u8", np.uint8), ("i64", np.int64),
    ("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f64", np.float64),
    ("f8e4m3fn", ml_dtypes.float8_e4m3fn), ("f8e8m0fnu", ml_dtypes.float8_e8m0fnu)])
def test_every_kind_of_element_goes_in_and_out(dtype, numpy_type):
    array = np.array([1, 1, 0, 1] if dtype == "bool" else [1, 2, 4, 1]).astype(numpy_type)
    output = tilegrind.loads(copying(dtype)).run({"x": array}).outputs["o"]
    assert output.dtype == array.dtype and output.tobytes() == array.tobytes()


def test_a_finding_says_where():
    module = tilegrind.load(EXAMPLES / "shifted.json")
    with np.load(EXAMPLES / "shifted_inputs.npz") as inputs:
        run = module.run(dict(inputs))
    finding = run.findings[0]
    assert finding.kind and finding.kernel == module.kernels[0] and finding.line > 0
    assert finding.file.endswith(".py") and len(finding.program) == 1 and finding.count >= 1
    assert not module.run(dict(np.load(EXAMPLES / "shifted_inputs.npz")), compat="jax").findings


def test_checks_find_more():
    module = tilegrind.load(EXAMPLES / "summed.json")
    with np.load(EXAMPLES / "summed_inputs.npz") as inputs:
        plain, checked = (module.run(dict(inputs), checks=checks) for checks in (None, "races"))
    assert not plain.findings and len(checked.findings) == 2
    first = checked.findings[0]
    assert (first.kind, first.level, first.elements, first.program) == ("race", "error", (0, 7), (0,))
    assert [(other.role, other.line, other.program) for other in first.related] == [("conflicts with", 20, (1,))]


def test_check_tries_other_orders():
    module = tilegrind.load(EXAMPLES / "summed.json")
    with np.load(EXAMPLES / "summed_inputs.npz") as inputs:
        run = module.check(dict(inputs), shuffles=0, interleavings=0)
        again = module.run(dict(inputs), order=run.findings[-1].order)
    assert [finding.kind for finding in run.findings] == ["race", "race", "order-dependence"]
    assert run.findings[-1].order == "replay:3-before-0"
    np.testing.assert_array_equal(run.outputs["o_ref"], np.arange(32, dtype=np.float32).reshape(4, 8).sum(0))
    assert again.outputs["o_ref"][0] == 24 != run.outputs["o_ref"][0]


def test_dynamic_grids_and_prints():
    module, texts = tilegrind.loads(PRINTING), []
    run = module.run({}, grid=(3,), print=texts.append)
    assert run.programs == 3
    assert [text.strip() for text in texts] == ["program 0", "program 1", "program 2"]


@pytest.mark.parametrize("change, message", [
    ({"x": None}, "x"),
    ({"x": X.astype(np.float64)}, r"x is f64\[8\]; the parameter is f32\[8\]"),
    ({"x": X[:4]}, r"x is f32\[4\]; the parameter is f32\[8\]"),
    ({"x": X.astype(ml_dtypes.float8_e5m2)}, r"x is f8e5m2\[8\]"),
    ({"unknown": X}, "unknown"),
])
def test_wrong_inputs_are_errors(change, message):
    module = tilegrind.loads(copying("f32", 8))
    inputs = {name: array for name, array in {"x": X, **change}.items() if array is not None}
    with pytest.raises(tilegrind.Error, match=message) as caught:
        module.run(inputs)
    assert caught.value.status == "ERR_USAGE" and caught.value.errors


@pytest.mark.parametrize("options", [{"order": "sideways"}, {"compat": "lax"}, {"isa": "mmx"},
                                     {"grid": (1,)}, {"kernel": "none"}, {"checks": "spelling"}])
def test_wrong_options_are_errors(options):
    with pytest.raises(tilegrind.Error, match=str(next(iter(options.values()))).strip("(),")):
        tilegrind.loads(copying("f32", 8)).run({"x": X}, **options)


@pytest.mark.parametrize("options, message", [
    ({"order": "sideways"}, "sideways"), ({"kernel": "other"}, "no kernel"), ({"backend": "abacus"}, "abacus"),
    ({"backend": "emulator", "compat": "jax"}, "does not support compat jax"), ({"target": "vax"}, "neither any nor tpu"),
    ({"tensor_core": "sm80"}, 'tensor core "sm80" is none of exact, sm90, sm100'),
    ({"backend": "emulator", "target": "tpu"}, "knows no target")])
def test_options_are_judged_when_a_kernel_is_prepared(options, message):
    with pytest.raises(tilegrind.Error, match=message):
        example().prepare(**options)


def test_what_is_prepared_may_be_closed_twice():
    ready = example().prepare(order="parallel:2", backend="emulator")
    ready.close()
    ready.close()


def test_ptx():
    assert ".visible .entry" in example().to_ptx()
    with pytest.raises(tilegrind.Error, match='no kernel "other"'):
        example().to_ptx("other")
    assert ".target sm_90" in example().to_ptx(target="sm_90")
    assert example().to_ptx(profile="fast") == example().to_ptx()  # it only adds
    assert ".target sm_100a" in example().to_ptx(tensor_core="sm100")
    with pytest.raises(tilegrind.Error, match="none of exact, sm90, sm100"):
        example().to_ptx(tensor_core="sm80")


def test_types_without_a_counterpart_are_errors():
    with pytest.raises(TypeError, match="complex64"):
        tilegrind.loads(copying("f32", 8)).run({"x": X.astype(np.complex64)})


def test_bad_files_are_errors_with_their_place(tmp_path):
    with pytest.raises(tilegrind.Error) as caught:
        tilegrind.load(tmp_path / "missing.json")
    assert caught.value.status == "ERR_IO"
    with pytest.raises(tilegrind.Error, match="/kernels/0") as caught:
        tilegrind.loads(copying("f33"))
    problem = caught.value.errors[0]
    assert problem.where.startswith("/kernels/0") and problem.offset > 0
    with pytest.raises(tilegrind.Error, match="no such"):
        example().map("no such")


def test_threads_may_share_a_module():
    module = tilegrind.loads(copying("f32", 8))

    def run(k):
        return module.run({"x": X + k}).outputs["o"]

    with ThreadPoolExecutor(4) as pool:
        for k, output in enumerate(pool.map(run, range(64))):
            np.testing.assert_array_equal(output, X + k)


# Run by a process of its own: OpenMP reads its environment once. .
THREADS = """
import os, sys
import numpy as np, tilegrind
module = tilegrind.load(sys.argv[1])
x = np.ones(10, np.float32)
print(os.environ.get("OMP_WAIT_POLICY"), *[module.run({"x": x, "y": x}, order=f"parallel:{n}").threads for n in (1, 2, 3)])
"""


@pytest.mark.parametrize("environment, said", [
    ({}, "None 1 2 3"), ({"OMP_THREAD_LIMIT": "2"}, "None 1 2 2"), ({"OMP_THREAD_LIMIT": "1"}, "None 1 1 1"),
    ({"OMP_WAIT_POLICY": "active"}, "active 1 2 3")])
def test_the_environment_of_openmp(environment, said):
    """It limits threads, and is as it was when the library is loaded."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    done = subprocess.run([sys.executable, "-c", THREADS, EXAMPLES / "add.json"], env={**inherited, **environment},
                          capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == said, done.stderr
