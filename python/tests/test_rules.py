"""Each conversion rule at least once: the operations that a primitive becomes."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ir_check import all_ops, check_module
from jax import lax
from jax._src.state.primitives import ref_addupdate, ref_swap
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu
from tilegrind.pallas import export


def shaped(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def body_of(kernel, out_shape, *inputs, **options):
    """The body of the kernel, after a check of the whole module."""
    module = json.loads(export(pl.pallas_call(kernel, out_shape=out_shape, **options), *inputs).dumps())
    check_module(module)
    return module["kernels"][0]["body"]


def ops_of_function(function, *inputs):
    """The operations of a kernel that applies `function` to its whole inputs."""
    results = jax.tree.leaves(jax.eval_shape(function, *inputs))

    def kernel(*refs):
        outs = function(*[ref[...] for ref in refs[: len(inputs)]])
        for ref, out in zip(refs[len(inputs) :], jax.tree.leaves(outs), strict=True):
            ref[...] = out

    body = body_of(kernel, [shaped(*r.shape, dtype=r.dtype) for r in results], *inputs)
    return [op for op in all_ops(body) if op["op"] not in ("load", "store")]


F = shaped(4, 8)
I = shaped(4, 8, dtype=jnp.int32)
B = shaped(4, 8, dtype=jnp.bool_)

UNARY_FLOAT = ("neg abs sign square sqrt rsqrt cbrt exp exp2 expm1 log log1p sin cos tan asin acos "
               "atan sinh cosh tanh asinh acosh atanh logistic erf erf_inv floor ceil is_finite")


@pytest.mark.parametrize("name", UNARY_FLOAT.split())
def test_unary_float(name):
    assert [op["op"] for op in ops_of_function(getattr(lax, name), F)] == [name]


@pytest.mark.parametrize("name, op", [("bitwise_not", "not"), ("population_count", None),
                                      ("clz", None)])
def test_unary_int(name, op):
    assert [o["op"] for o in ops_of_function(getattr(lax, name), I)] == [op or name]


@pytest.mark.parametrize("name", "add sub mul div rem max min pow atan2 nextafter eq ne lt le gt "
                         "ge".split())
def test_binary_float(name):
    assert [op["op"] for op in ops_of_function(getattr(lax, name), F, F)] == [name]


@pytest.mark.parametrize("name, op", [
    ("bitwise_and", "and"), ("bitwise_or", "or"), ("bitwise_xor", "xor"),
    ("shift_left", "shift_left"), ("shift_right_logical", "shift_right_logical"),
    ("shift_right_arithmetic", "shift_right_arithmetic")])
def test_binary_int(name, op):
    assert [o["op"] for o in ops_of_function(getattr(lax, name), I, I)] == [op]


def test_scalar_literal_is_broadcast():
    ops = ops_of_function(lambda x: x * 2.0, F)
    assert [op["op"] for op in ops][-1] == "mul"
    types = {value["id"]: value["type"] for op in ops for value in op["out"]}
    assert all(types.get(used, "f32[4,8]") == "f32[4,8]" for used in ops[-1]["in"])


reciprocal = (pltpu if hasattr(pltpu, "reciprocal") else pl).reciprocal  # moved after 0.10

# name: (function, inputs, the last operation, attributes that it must have)
SHAPES = {
    "reshape": (lambda x: x.reshape(8, 4), [F], "reshape", {}),
    "squeeze": (lambda x: lax.squeeze(x[:1], (0,)), [F], "reshape", {}),
    "broadcast": (lambda x: jnp.broadcast_to(x, (2, 4, 8)), [F], "broadcast_in_dim",
                  {"dims": [1, 2]}),
    "iota": (lambda: lax.broadcasted_iota(jnp.float32, (4, 8), 1), [], "iota", {"axis": 1}),
    "transpose": (lambda x: x.T, [F], "transpose", {"permutation": [1, 0]}),
    "rev": (lambda x: lax.rev(x, (1, 0)), [F], "rev", {"axes": [0, 1]}),
    "slice": (lambda x: lax.slice(x, (1, 0), (4, 8), (2, 3)), [F], "slice",
              {"start": [1, 0], "stride": [2, 3]}),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i[0, 0], 0), (2, 8)), [F, I],
                      "dynamic_slice", {}),
    "dynamic_update_slice": (lambda x, i: lax.dynamic_update_slice(x, x[:2], (i[0, 0], 0)), [F, I],
                             "dynamic_update_slice", {}),
    "split": (lambda x: lax.split(x, (1, 3)), [F], "slice", {"start": [1, 0]}),
    "split in equal parts": (lambda x: jnp.split(x, 2)[1], [F], "slice", {"start": [2, 0]}),
    "stack": (lambda x: jnp.stack([x, x], axis=1), [F], "concatenate", {"axis": 1}),
    "unstack": (lambda x: jnp.unstack(x), [F], "reshape", {}),
    "concatenate": (lambda x: jnp.concatenate([x, x], 0), [F], "concatenate", {"axis": 0}),
    "pad": (lambda x: lax.pad(x, jnp.float32(0), [(1, 2, 3), (-1, 0, 0)]), [F], "pad",
            {"low": [1, -1], "high": [2, 0], "interior": [3, 0]}),
    "tile": (lambda x: jnp.tile(x, (2, 3)), [F], None, {}),
    "roll": (lambda x: pltpu.roll(x, 3, 1), [F], "dynamic_slice", {}),
    "sort": (lambda x, i: lax.sort((x, i), dimension=1, num_keys=2), [F, I], "sort",
             {"axis": 1, "keys": 2}),
    "top_k": (lambda x: lax.top_k(x, 3), [F], "slice", {}),
    "scatter": (lambda x, i: x.at[i[0]].set(0.0, mode="drop"), [F, I], "scatter",
                {"mode": "drop", "combine": "set"}),
    "scatter_add": (lambda x, i: x.at[i[0]].add(1.0, mode="clip"), [F, I], "scatter",
                    {"mode": "clip", "combine": "add"}),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 10), [F], "reduce_precision",
                         {"exponent_bits": 5, "mantissa_bits": 10}),
    "convert": (lambda x: x.astype(jnp.bfloat16), [F], "convert", {}),
    "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.int32), [F], "bitcast", {}),
    "select": (lambda b, x: jnp.where(b, x, 0.0), [B, F], "select", {}),
    "clamp": (lambda x: lax.clamp(-1.0, x, 1.0), [F], "clamp", {}),
    "integer_pow": (lambda x: lax.integer_pow(x, -3), [F], "integer_pow", {"exponent": -3}),
    "round_even": (jnp.round, [F], "round", {"rounding": "even"}),
    "round_away": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), [F], "round",
                   {"rounding": "away"}),
    "reduce_sum": (lambda x: x.sum(0), [F], "reduce_sum", {"axes": [0]}),
    "reduce_prod": (lambda x: x.prod(), [F], "reduce_prod", {"axes": [0, 1]}),
    "reduce_max": (lambda x: x.max(1), [F], "reduce_max", {"axes": [1]}),
    "reduce_min": (lambda x: x.min(1), [F], "reduce_min", {"axes": [1]}),
    "reduce_and": (lambda x: jnp.all(x, 1), [B], "reduce_and", {"axes": [1]}),
    "reduce_or": (lambda x: jnp.any(x, 1), [B], "reduce_or", {"axes": [1]}),
    "reduce_xor": (lambda x: lax.reduce_xor(x, axes=(1,)), [I], "reduce_xor", {"axes": [1]}),
    "argmax": (lambda x: lax.argmax(x, 1, jnp.int32), [F], "argmax", {"axis": 1}),
    "argmin": (lambda x: lax.argmin(x, 0, jnp.int32), [F], "argmin", {"axis": 0}),
    "cumsum": (lambda x: lax.cumsum(x, 1), [F], "cumsum", {"axis": 1}),
    "cumprod": (lambda x: lax.cumprod(x, 1), [F], "cumprod", {"axis": 1}),
    "cummax": (lambda x: lax.cummax(x, 0, reverse=True), [F], "cummax",
               {"axis": 0, "reverse": True}),
    "cummin": (lambda x: lax.cummin(x, 0), [F], "cummin", {"axis": 0}),
    "dot": (lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ())),
                                         precision=lax.Precision.HIGHEST), [F, F], "dot_general",
            {"lhs_contract": [1], "rhs_contract": [1], "lhs_batch": [], "rhs_batch": [],
             "precision": "highest"}),
    "dot_mixed": (lambda x, y: lax.dot_general(
        x.astype(jnp.float8_e4m3fn), y.astype(jnp.float8_e5m2), (((1,), (1,)), ((), ())),
        preferred_element_type=jnp.float32), [F, F], "dot_general", {}),
    "gather_clip": (lambda x, i: x[i[0, :4]], [F, I], "gather", {"mode": "clip"}),
    "gather_fill": (lambda x, i: jnp.take(x, i[0, :4], axis=0), [F, I], "gather",
                    {"mode": "fill", "fill": "nan"}),
    "gather_fill_int": (lambda x, i: jnp.take(x, i[0, :4], axis=0), [I, I], "gather",
                        {"mode": "fill", "fill": -(2**31)}),
    "multiple_of": (lambda x: pl.multiple_of(x, (2, 8)), [I], "assume_multiple", {"multiple": 8}),
    "reciprocal": (reciprocal, [F], "div", {}),
    "approx_tanh": (plgpu.approx_tanh, [F], "tanh", {}),
    "log2": (jnp.log2, [F], None, {}),
    "checkpoint": (jax.checkpoint(jnp.sin), [F], "sin", {}),
    "custom_jvp": (jax.nn.relu, [F], "max", {}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_function(name):
    function, inputs, last, attrs = SHAPES[name]
    op = ops_of_function(function, *inputs)[-1]
    assert last is None or op["op"] == last
    assert {key: op[key] for key in attrs} == attrs


@pytest.mark.parametrize("function", [
    lax.stop_gradient, lax.optimization_barrier, lambda x: plgpu.max_contiguous(x, 8),
    lambda x: lax.reduce_precision(x, 8, 23)])
def test_identity(function):
    assert ops_of_function(function, F) == []


def test_custom_vjp_is_inlined():
    @jax.custom_vjp
    def double(x):
        return x + x

    double.defvjp(lambda x: (x + x, None), lambda _, g: (2 * g,))
    assert [op["op"] for op in ops_of_function(double, F)] == ["add"]


def test_constants_are_exact():
    third, tiny = np.float32(1 / 3), np.float32(1e-45)
    ops = ops_of_function(lambda x: (x * third, x * tiny, x + jnp.nan, x + jnp.inf), F)
    values = {op["value"] for op in ops if op["op"] == "constant"}
    assert {float.hex(float(third)), float.hex(float(tiny)), "nan", "inf"} <= values


# -- control --


def test_cond_is_switch():
    ops = ops_of_function(lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), F)
    (switch,) = [op for op in ops if op["op"] == "switch"]
    assert [region["ops"][-1]["op"] for region in switch["regions"]] == ["cos", "sin"]


def test_switch_with_three_branches():
    ops = ops_of_function(
        lambda x, i: lax.switch(i[0, 0], [jnp.sin, jnp.cos, jnp.tan], x), F, I)
    (switch,) = [op for op in ops if op["op"] == "switch"]
    assert len(switch["regions"]) == 3


def test_scan_with_slices_and_stacks():
    def step(carry, x):
        return carry + x, carry * x

    ops = ops_of_function(lambda x: lax.scan(step, jnp.zeros(8), x, reverse=True), F)
    (loop,) = [op for op in ops if op["op"] == "for"]
    assert [value["type"] for value in loop["out"]] == ["f32[8]", "f32[4,8]"]
    assert len(loop["in"]) == 3 + 2
    inner = [op["op"] for op in loop["regions"][0]["ops"]]
    assert inner.count("dynamic_slice") == 1 and inner.count("dynamic_update_slice") == 1
    assert "sub" in inner  # the position counts down


def test_fori_loop():
    ops = ops_of_function(lambda x: lax.fori_loop(0, 5, lambda i, a: a * 2 + i, x), F)
    assert [op["op"] for op in ops if op.get("regions")] == ["for"]


def test_while_loop():
    ops = ops_of_function(
        lambda x: lax.while_loop(lambda a: a[0, 0] < 9, lambda a: a + a, x), F)
    (loop,) = [op for op in ops if op["op"] == "while"]
    assert len(loop["regions"]) == 2 and len(loop["regions"][0]["yield"]) == 1


def test_run_scoped():
    def kernel(x_ref, o_ref):
        def scoped(tmp_ref):
            tmp_ref[...] = x_ref[...] + 1
            o_ref[...] = tmp_ref[...]

        pl.run_scoped(scoped, pltpu.VMEM((4, 8), jnp.float32))

    (scope,) = [op for op in all_ops(body_of(kernel, F, F)) if op["op"] == "scoped"]
    assert scope["regions"][0]["args"][0]["type"] == "ref<f32[4,8]>"


def test_debug_print():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        jax.debug.print("{b} of {a}", a=x_ref[0, 0], b=x_ref[1, 1])

    ops = all_ops(body_of(kernel, F, F))
    (show,) = [op for op in ops if op["op"] == "debug_print"]
    assert show["format"] == "{} of {}"
    a, b = [op["out"][0]["id"] for op in ops if op["op"] == "load"][1:]
    assert show["in"] == [b, a]


# -- memory --


def accesses(kernel, out, *inputs):
    names = ("load", "store", "swap", "add_update", "atomic_rmw", "atomic_cas", "view")
    return [op for op in all_ops(body_of(kernel, out, *inputs)) if op["op"] in names]


def test_index_forms():
    def kernel(x_ref, i_ref, o_ref):
        row = i_ref[0, 0]
        o_ref[pl.ds(row, 2), pl.ds(0, 4, 2)] = x_ref[1:3, :4]
        o_ref[-1, row] = x_ref[row, 2]

    body = body_of(kernel, F, F, I)
    load_i, load, store, load_at, store_at = [op for op in all_ops(body) if "index" in op]
    assert load_i["index"] == [["at"], ["at"]]
    assert load["index"] == [["slice", 1, 2, 1], ["slice", 0, 4, 1]]
    assert store["index"] == [["slice", None, 2, 1], ["slice", 0, 4, 2]]
    assert load_at["out"][0]["type"] == "f32[]" and store_at["index"] == [["at"], ["at"]]
    values = {op["out"][0]["id"]: op["value"] for op in all_ops(body) if op["op"] == "constant"}
    assert values[store_at["in"][2]] == 3  # -1 of 4


def test_arrays_as_index_apart_come_first():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[jnp.arange(3), :, jnp.arange(3)]

    load, _ = accesses(kernel, shaped(3, 8), shaped(4, 8, 5))
    assert load["out"][0]["type"] == "f32[3,8]" and load["index"][1] == ["slice", 0, 8, 1]


def test_arrays_as_index_in_place():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[:, jnp.arange(3)[:, None], jnp.arange(2)[None]]

    load, _ = accesses(kernel, shaped(4, 3, 2), shaped(4, 8, 5))
    assert load["out"][0]["type"] == "f32[4,3,2]"


def test_nested_indexers_are_views():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref.at[1].at[pl.ds(2, 3)][pl.ds(1, 2)]

    first, second, load, _ = accesses(kernel, shaped(2), F)
    assert [first["op"], second["op"], load["op"]] == ["view", "view", "load"]
    assert [v["out"][0]["type"] for v in (first, second)] == ["ref<f32[8]>", "ref<f32[3]>"]


def test_swap_keeps_the_old_value():
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ref_swap(x_ref, ..., y_ref[...])

    assert [op["op"] for op in accesses(kernel, F, F, F)] == ["load", "swap", "store"]


def test_masks():
    def kernel(x_ref, o_ref):
        mask = jnp.arange(8) < 5
        o_ref[...] = plgpu.load(x_ref.at[...], mask=mask[None], other=0.0)
        plgpu.store(o_ref.at[0], x_ref[0], mask=mask)
        o_ref[1] = plgpu.load(x_ref.at[0], mask=mask)

    ops = accesses(kernel, F, F)
    assert ops[0]["mask"] and ops[0]["other"]
    assert ops[3]["op"] == "store" and ops[3]["mask"]
    assert ops[4]["mask"] and "other" not in ops[4]


def test_addupdate():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        ref_addupdate(o_ref, (0,), x_ref[0])

    assert [op["op"] for op in accesses(kernel, F, F)][-1] == "add_update"


@pytest.mark.parametrize("kind", "xchg add max min and or xor".split())
def test_atomics(kind):
    def kernel(x_ref, o_ref):
        getattr(plgpu, f"atomic_{kind}")(o_ref, (pl.ds(0, 4),), x_ref[...], mask=x_ref[...] > 0)

    op = accesses(kernel, shaped(8, dtype=jnp.int32), shaped(4, dtype=jnp.int32))[-1]
    assert (op["op"], op["kind"], op["mask"]) == ("atomic_rmw", kind, True)


def test_atomics_on_memory_seen_as_another_dtype():
    def kernel(x_ref, o_ref):
        o_ref[0, 0] = plgpu.atomic_add(x_ref.bitcast(jnp.int32), (0, 0), 1)

    op = next(op for op in accesses(kernel, shaped(4, 8, dtype=jnp.uint8), shaped(1, 1, dtype=jnp.int32))
              if op["op"] == "atomic_rmw")
    assert [value["type"] for value in op["out"]] == ["i32[]"]


def test_atomic_cas():
    def kernel(lock_ref, o_ref):
        o_ref[()] = plgpu.atomic_cas(lock_ref, 0, 1)

    scalar = shaped(dtype=jnp.int32)
    op = accesses(kernel, scalar, scalar)[0]
    assert op["op"] == "atomic_cas" and op["index"] == [] and len(op["in"]) == 3


def test_bool_and_small_dtypes():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].astype(jnp.float8_e5m2).astype(jnp.int4)

    body = body_of(kernel, shaped(4, dtype=jnp.int4), shaped(4, dtype=jnp.bool_))
    assert [arg["type"] for arg in body["args"]] == ["ref<bool[4]>", "ref<i4[4]>"]

