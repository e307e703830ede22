"""Goldens of JAX functions, and arrays of other libraries."""

import contextlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl

import tilegrind
from tilegrind import golden
from tilegrind.golden import oracle, outputs, recording
from tilegrind.golden.changes import changes
from tilegrind.golden.pallas import Changed, calls_of
from tilegrind.pallas import ExportError
from tilegrind.pallas.running import interpreters
from tilegrind.pallas.running.launches import first_operands, launches

SPEC = pl.BlockSpec((8, 32), lambda i: (i, 0))
X = np.ones((16, 32), np.float32)


def softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def softmax(x, kernel=softmax_kernel, interpret=True):
    return pl.pallas_call(kernel, grid=(2,), in_specs=[SPEC], out_specs=SPEC, out_shape=jax.ShapeDtypeStruct((16, 32), x.dtype),
                          interpret=interpret)(x)


def take_kernel(rows_ref, x_ref, o_ref):
    for row in range(8):
        o_ref[row, :] = x_ref[rows_ref[row], :] * 3


@jax.jit
def take(rows, x):
    return pl.pallas_call(take_kernel, out_shape=jax.ShapeDtypeStruct((8, 32), x.dtype), interpret=True)(rows, x)


ROWS = np.array([3, 1, 0, 2, 15, 9, 7, 4], np.int32)


def both(rows, x):
    """Two kernels; the first runs in a loop, and its integers come from the program."""
    total = jax.lax.fori_loop(0, 2, lambda _, y: y + take(rows + 1, x), jnp.zeros((8, 32), x.dtype))
    return total[0, 0] + softmax(x)


KINDS = ("normal", "ties")


def accept(goldens, made):
    """Accepts goldens as they are: these tests are about other things than what their few inputs show."""
    for one in made:
        goldens.store.accept(one.bundle.name, "a test", one.bundle.digest,
                             {f"{kind} {site}": "a test" for kind, site, _ in one.bundle.alive})


@pytest.fixture(scope="module")
def goldens(tmp_path_factory):
    made = golden.Goldens(tmp_path_factory.mktemp("functions") / "goldens")
    accept(made, made.record_function("softmax", softmax, X, kinds=KINDS))
    accept(made, made.record_function("both", both, ROWS - 1, X, kinds=KINDS))
    return made


# ---- functions ----


@pytest.mark.slow
def test_a_function_with_one_call_is_one_golden(goldens):
    bundle = goldens.store.read("softmax")
    assert bundle.kernel == "softmax_kernel" and not bundle.kept and not bundle.is_vacuous
    (result,) = goldens.check_function("softmax", softmax, X)
    assert result.passed and result.kind == "within"


def test_each_call_of_a_function_is_a_golden_and_keeps_its_integers(goldens):
    assert goldens.store.names() == ["both.softmax_kernel", "both.take_kernel", "softmax"]
    np.testing.assert_array_equal(goldens.store.read("both.take_kernel").kept["rows_ref"], ROWS)
    results = goldens.check_function("both", both, ROWS - 1, X)
    assert [result.name for result in results] == ["both.take_kernel", "both.softmax_kernel"]


def test_r_is_held_to_jax_in_f64(goldens):
    provenance = goldens.store.read("softmax").provenance
    assert provenance["oracle"] == "jax-f64" and float(provenance["oracle_gap"]) < 1 / 64
    assert provenance["function"] == "softmax" and provenance["jax"] == jax.__version__


def test_a_disagreement_of_the_two_is_not_recorded(monkeypatch, tmp_path):
    def lying(call, *operands):
        results = honest(call, *operands)
        wrong = results[0].copy()
        wrong[5, 7] *= 1 + 2.0**-20
        return [wrong]

    honest = oracle.wide.Call.run_in_f64
    monkeypatch.setattr(oracle.wide.Call, "run_in_f64", lying)
    with pytest.raises(recording.NotRecorded, match=r"normal/o_ref\[5, 7\]: Tilegrind has R = .*JAX's interpreter in f64"):
        golden.Goldens(tmp_path).record_function("softmax", softmax, X, kinds=KINDS)
    assert not list(tmp_path.iterdir())


def test_where_jax_has_no_f64_the_golden_says_so(monkeypatch, tmp_path):
    def refuse(*_):
        raise NotImplementedError("not in f64")

    monkeypatch.setattr(oracle.wide.Call, "run_in_f64", refuse)
    (made,) = golden.Goldens(tmp_path).record_function("softmax", softmax, X, kinds=KINDS)
    assert made.bundle.provenance["oracle"] == "none"
    assert made.bundle.provenance["oracle_missing"] == "NotImplementedError: not in f64"


def test_a_wrong_compiler_fails(goldens, monkeypatch):
    """What runs is the call as JAX lowers it."""
    from jax._src.pallas import hlo_interpreter

    def wrong(*args, **params):
        return [honest(*args, **params)[0] * (1 + 2.0**-10)]

    honest = hlo_interpreter.pallas_call_hlo_interpret
    monkeypatch.setattr(hlo_interpreter, "pallas_call_hlo_interpret", wrong)
    with pytest.raises(golden.Failed, match="softmax/normal/o_ref: outside") as failure:
        goldens.check_function("softmax", softmax, X)
    assert failure.value.result.name == "softmax" and len(failure.value.results) == 1
    with contextlib.ExitStack() as undo:
        interpreters.replace(lambda _: honest, undo)  # as Tilegrind in the place of JAX's interpreter, which would judge itself
        with pytest.raises(golden.Failed):
            goldens.check_function("softmax", softmax, X)


def test_a_changed_kernel_is_named_with_what_differs(goldens):
    def exp2_kernel(x_ref, o_ref):
        x = x_ref[...]
        e = jnp.exp2(x - jnp.max(x, axis=1, keepdims=True))
        o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)

    exp2_kernel.__name__ = "softmax_kernel"
    line = exp2_kernel.__code__.co_firstlineno + 2
    with pytest.raises(Changed, match="softmax: the kernel changed: record it anew") as problem:
        goldens.check_function("softmax", lambda x: softmax(x, exp2_kernel), X)
    text = str(problem.value)
    assert f"test_golden_pallas.py:{line}: exp2 f32[8,32]" in text and ": exp f32[8,32]" in text
    with pytest.raises(Changed, match="softmax: the kernel changed"):
        goldens.check_function("softmax", softmax, X.astype(ml_dtypes.bfloat16))


def test_lines_that_move_change_nothing():
    def shift(tree):
        return {**tree, "locations": [{**one, "line": one["line"] + 9} for one in tree["locations"]]}

    call = calls_of("softmax", softmax, (X,), {}, None)[0][0]
    tree = call.module.json()
    assert changes(tree, shift(tree)) == []
    swapped = call.module.json()
    next(op for op in swapped["kernels"][0]["body"]["ops"] if op["op"] == "sub")["in"].reverse()
    assert changes(tree, swapped) == ["operations have other operands"]


def test_calls_that_come_and_go_are_told(goldens, tmp_path):
    for other, now in ((lambda rows, x: take(rows, x) + take(rows, x), "both.take_kernel, both.take_kernel_1"), (take, "both")):
        with pytest.raises(Changed) as problem:
            goldens.check_function("both", other, ROWS, X)
        assert str(problem.value) == f"both: the calls changed: record them anew; now {now}, recorded both.softmax_kernel, both.take_kernel"
    with pytest.raises(golden.BadBundle, match="there is no golden fresh; there are: both.softmax_kernel"):
        goldens.check_function("fresh", softmax, X)
    with pytest.raises(ExportError, match="makes no pallas_call"):
        goldens.check_function("softmax", lambda x: x, X)


def test_the_semantics_of_the_grid_are_kept(tmp_path):
    made = golden.Goldens(tmp_path)
    accept(made, made.record_function("softmax", softmax, X, kinds=KINDS, grid_semantics=("arbitrary",)))
    assert '"arbitrary"' in made.store.read("softmax").module
    assert made.check_function("softmax", softmax, X)[0].passed


def test_partly_written_names_are_those_of_outputs(tmp_path):
    with pytest.raises(ValueError, match="no kernel has an output 'p_ref'"):
        golden.Goldens(tmp_path).record_function("softmax", softmax, X, partly_written="p_ref")


def test_calls_without_interpret_are_recorded_and_refused_where_jax_cannot_run_them(tmp_path):
    def compiled(x):
        return softmax(x, interpret=False)

    made = golden.Goldens(tmp_path)
    accept(made, made.record_function("softmax", compiled, X, kinds=KINDS))
    with pytest.raises(ValueError, match="Only interpret mode is supported on CPU"):
        made.check_function("softmax", compiled, X)
    assert made.check_function("softmax", softmax, X)[0].passed


# ---- operands ----


def operands(fn, *args):
    jaxpr = jax.make_jaxpr(fn)(*args)
    found = first_operands(jaxpr, *args)
    return [found.get(launch.path) for launch in launches(jaxpr)]


@pytest.mark.slow
def test_operands_are_those_of_the_first_run():
    def scanned(x):
        return jax.lax.scan(lambda c, k: (softmax(c * k), c), x, jnp.arange(2.0, 5.0), reverse=True)

    def looped(x):
        return jax.lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 4, softmax(c[1] + c[0])), (3, x))

    def branched(x):
        return jax.lax.cond(x[0, 0] > 0, lambda x: softmax(x), lambda x: softmax(-x), x)

    (first,), (second,) = operands(scanned, X)[0], operands(looped, X)[0]
    np.testing.assert_array_equal(first, 4 * X)
    np.testing.assert_array_equal(second, 4 * X)
    not_taken, taken = operands(branched, X)
    assert not_taken is None
    np.testing.assert_array_equal(taken[0], X)


def test_results_are_those_of_the_function():
    def rows(x):
        return jax.lax.scan(lambda c, k: (softmax(c * k), c[0, :3]), x, jnp.arange(2.0, 5.0))

    jaxpr = jax.make_jaxpr(rows)(X)
    from tilegrind.pallas.running.launches import _Run

    for ours, jaxs in zip(_Run().jaxpr(jaxpr, [X], ()), jax.tree.leaves(rows(X)), strict=True):
        np.testing.assert_allclose(ours, jaxs, rtol=1e-6)


def test_calls_that_do_not_run_or_cannot_be_reached_are_located(tmp_path):
    with pytest.raises(recording.NotRecorded, match="f.softmax_kernel: with these arguments the function does not call"):
        golden.Goldens(tmp_path).record_function(
            "f", lambda x: jax.lax.cond(x[0, 0] > 9, lambda x: take(ROWS, x)[0], lambda x: softmax(x)[0], x) + take(ROWS, -x)[0], -X + 99)
    mapped = jax.shard_map(softmax, mesh=jax.make_mesh((1,), ("i",)), in_specs=jax.P(), out_specs=jax.P(), check_vma=False)
    with pytest.raises(ExportError, match=r"shard_map: a pallas_call inside of it"):
        operands(mapped, X)


# ---- arrays of other libraries ----


class Foreign:
    """An array that has DLPack alone, as torch has for bf16."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class LikeTorch(Foreign):
    def __array__(self, *_, **__):
        raise TypeError("Got unsupported ScalarType BFloat16")

    def detach(self):
        return LikeTorch(self.array)

    def cpu(self):
        return LikeTorch(self.array)


@pytest.mark.parametrize("wrap", [Foreign, LikeTorch])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float8_e4m3fn, jnp.int32, jnp.bool_])
def test_arrays_with_dlpack(wrap, dtype):
    array = jnp.arange(12).reshape(3, 4).astype(dtype)
    found = outputs.as_array(wrap(array))
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found.astype(np.float32), np.asarray(array).astype(np.float32))


def test_arrays_of_jax_and_numpy_and_what_is_none():
    assert outputs.as_array(jnp.ones(3, jnp.bfloat16)).dtype == ml_dtypes.bfloat16
    array = np.ones(3)
    assert outputs.as_array(array) is array and outputs.as_array([1.0, 2.0]).shape == (2,)
    for wrong in (None, object(), {}):
        with pytest.raises(outputs.NoArray, match=f"{type(wrong).__name__} is no array"):
            outputs.as_array(wrong)


@pytest.mark.slow
def test_implementations_give_any_array(tmp_path):
    given = jnp.asarray(X, jnp.bfloat16)
    made = golden.Goldens(tmp_path)
    accept(made, made.record_function("softmax", softmax, given, kinds=KINDS))
    assert made.check("softmax", lambda x: Foreign(softmax(x))).passed
    assert made.check("softmax", lambda x: {"o_ref": LikeTorch(softmax(x))}).passed
    with pytest.raises(golden.Failed, match="outside"):
        made.check("softmax", lambda x: Foreign(softmax(x) * jnp.bfloat16(1.1)))
    with pytest.raises(TypeError, match="gives 2 arrays; the kernel has outputs o_ref"):
        made.check("softmax", lambda x: (x, x))


def test_subjects_are_given_any_array(tmp_path):
    call = calls_of("take", take, (ROWS, X), {}, None)[0][0]
    subject = golden.Subject(tilegrind.loads(call.module.dumps()), "take_kernel", given={"rows_ref": Foreign(jnp.asarray(ROWS))})
    made = golden.Goldens(tmp_path)
    made.record("take", subject, kinds=KINDS)
    bundle = made.store.read("take", pending=True)
    np.testing.assert_array_equal(bundle.kept["rows_ref"], ROWS)
    assert bundle.provenance["oracle"] == "none"
