"""Modules, launches, index maps, locations, and the walk to the calls."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ir_check import all_ops, check_module, dtypes
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu
from jax.sharding import Mesh, PartitionSpec
from tilegrind.pallas import ExportError, export
from tilegrind.ir import dtypes as exporter_dtypes
from tilegrind.ir.builder import Builder


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def blocked_add(**options):
    spec = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(add_kernel, out_shape=f32(8), grid=(4,), in_specs=[spec, spec],
                          out_specs=spec, **options)


def kernel_of(function, *inputs, **options):
    module = export(function, *inputs, **options).json()
    check_module(module)
    (kernel,) = module["kernels"]
    return kernel


def semantics_of(kernel):
    return [axis.get("semantics") for axis in kernel["grid"]]


def test_dtype_names_are_those_of_the_table():
    assert exporter_dtypes.IR_NAMES == dtypes()


def test_add():
    kernel = kernel_of(pl.pallas_call(add_kernel, out_shape=f32(8)), f32(8), f32(8))
    assert kernel["name"] == "add_kernel" and kernel["grid"] == []
    assert kernel["params"] == [
        {"name": "x_ref", "role": "input", "type": "f32[8]"},
        {"name": "y_ref", "role": "input", "type": "f32[8]"},
        {"name": "o_ref", "role": "output", "type": "f32[8]"}]
    assert [op["op"] for op in kernel["body"]["ops"]] == ["load", "load", "add", "store"]


def test_blocks_and_index_maps():
    kernel = kernel_of(blocked_add(), f32(8), f32(8))
    assert kernel["grid"] == [{"size": 4}]
    param = kernel["params"][0]
    assert param["block"] == [{"blocked": 2}]
    (argument,) = param["index_map"]["args"]
    assert param["index_map"]["yield"] == [argument["id"]]
    assert kernel["body"]["args"][0]["type"] == "ref<f32[2]>"


def test_block_dimensions():
    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    kernel = kernel_of(pl.pallas_call(
        copy, out_shape=f32(3, 8), grid=(3,),
        in_specs=[pl.BlockSpec((None, pl.Element(4, (1, 2))), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((None, 4), lambda i: (i, 0))), f32(3, 8))
    assert kernel["params"][0]["block"] == ["squeezed", {"element": 4, "pad": [1, 2]}]
    assert kernel["body"]["args"][0]["type"] == "ref<f32[4]>"


def test_partial_block_at_zero_has_no_index_map():
    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((4,), lambda i: (0,))
    kernel = kernel_of(pl.pallas_call(copy, out_shape=f32(8), grid=(2,), in_specs=[spec],
                                      out_specs=spec), f32(8))
    assert "block" in kernel["params"][0] and "index_map" not in kernel["params"][0]


def test_text_round_trip(tmp_path):
    module = export(blocked_add(), f32(8), f32(8))
    module.save(tmp_path / "add.json")
    assert json.loads((tmp_path / "add.json").read_text()) == module.json()
    assert module.dumps().endswith("}\n")


def test_locations_are_the_users():
    module = export(blocked_add(), f32(8), f32(8)).json()
    places = {(place["function"], place["line"]) for place in module["locations"]}
    first = add_kernel.__code__.co_firstlineno
    assert places == {("add_kernel", first), ("add_kernel", first + 1)}
    assert all(place["file"].endswith("test_export.py") for place in module["locations"])


def test_location_of_a_cached_library_function():
    """jnp.where is traced once; each use has the line of that use all the same."""
    def kernel(x_ref, o_ref, p_ref):
        o_ref[...] = jnp.where(x_ref[...] > 0, x_ref[...], 0)
        p_ref[...] = jnp.where(x_ref[...] > 1, x_ref[...], 0)

    module = export(pl.pallas_call(kernel, out_shape=[f32(8), f32(8)]), f32(8)).json()
    lines = [module["locations"][op["loc"] - 1]["line"]
             for op in all_ops(module["kernels"][0]["body"]) if op["op"] == "select"]
    first = kernel.__code__.co_firstlineno
    assert lines == [first + 1, first + 2]


def test_location_of_a_kernel_in_jax():
    from jax.experimental.pallas.ops.gpu import softmax

    module = export(softmax.softmax, f32(4, 8)).json()
    assert {place["file"] for place in module["locations"]} == {
        "jax/experimental/pallas/ops/gpu/softmax.py"}


def test_names_are_distinct():
    def twice(x):
        call = pl.pallas_call(add_kernel, out_shape=f32(8))
        return call(call(x, x), x)

    assert export(twice, f32(8)).names == ["add_kernel", "add_kernel_1"]


@pytest.mark.parametrize("wrap", [
    jax.jit, jax.checkpoint, lambda f: lambda x: jax.lax.cond(x[0] > 0, f, lambda y: y, x),
    lambda f: lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0],
    lambda f: lambda x: jax.lax.while_loop(lambda c: c[0] < 9, f, x)])
def test_the_walk_reaches_every_call(wrap):
    def call(x):
        return pl.pallas_call(add_kernel, out_shape=f32(8))(x, x)

    assert export(wrap(call), f32(8)).names == ["add_kernel"]


def test_the_walk_enters_shard_map():
    mesh = Mesh(np.array(jax.devices()[:1]), ("x",))
    call = jax.shard_map(
        lambda x: pl.pallas_call(add_kernel, out_shape=f32(8))(x, x), mesh=mesh,
        in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x"), check_vma=False)
    assert export(call, f32(8)).names == ["add_kernel"]


def test_custom_vjp_forward_and_backward():
    @jax.custom_vjp
    def double(x):
        return pl.pallas_call(add_kernel, out_shape=f32(8), name="forward")(x, x)

    def backward(_, g):
        return (pl.pallas_call(add_kernel, out_shape=f32(8), name="backward")(g, g),)

    double.defvjp(lambda x: (double(x), None), backward)
    names = export(jax.grad(lambda x: double(x).sum()), f32(8)).names
    assert names[-1] == "backward" and "forward" in names


# -- grids --


def test_vmap_adds_an_axis_that_program_id_skips():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.program_id(0)

    spec = pl.BlockSpec((2,), lambda i: (i,))
    call = jax.vmap(pl.pallas_call(kernel, out_shape=f32(8), grid=(4,), in_specs=[spec],
                                   out_specs=spec))
    result = kernel_of(call, f32(3, 8), grid_semantics="arbitrary")
    assert [axis["size"] for axis in result["grid"]] == [3, 4]
    assert semantics_of(result) == ["parallel", "arbitrary"]
    assert result["params"][0]["block"] == ["squeezed", {"blocked": 2}]
    (op,) = [op for op in all_ops(result["body"]) if op["op"] == "program_id"]
    assert op["axis"] == 1


@pytest.mark.parametrize("declared, expected", [
    (None, "arbitrary"), (("parallel",), "parallel"), (("arbitrary",), "arbitrary"),
    ((pltpu.PARALLEL,), "parallel"), (("core_parallel",), "parallel")])
def test_semantics_of_tpu_parameters(declared, expected):
    params = pltpu.CompilerParams(dimension_semantics=declared)
    kernel = kernel_of(blocked_add(compiler_params=params), f32(8), f32(8),
                       grid_semantics="parallel")
    assert semantics_of(kernel) == [expected]


def test_axes_that_nobody_declares():
    assert semantics_of(kernel_of(blocked_add(), f32(8), f32(8))) == [None]
    assert semantics_of(kernel_of(blocked_add(), f32(8), f32(8), grid_semantics="parallel")) == ["parallel"]
    assert semantics_of(kernel_of(jax.vmap(blocked_add()), f32(3, 8), f32(3, 8))) == ["parallel", None]


def test_semantics_of_triton_parameters_and_the_argument():
    call = blocked_add(compiler_params=plgpu.CompilerParams(num_warps=1))
    assert semantics_of(kernel_of(call, f32(8), f32(8))) == ["parallel"]
    assert semantics_of(kernel_of(call, f32(8), f32(8), grid_semantics=("arbitrary",))) == [
        "arbitrary"]


def scratch_sum():
    def kernel(x_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += x_ref[...]
        o_ref[...] = acc_ref[...]

    return pl.pallas_call(kernel, out_shape=f32(2), grid=(4,),
                          in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
                          out_specs=pl.BlockSpec((2,), lambda i: (0,)),
                          scratch_shapes=[pltpu.VMEM((2,), jnp.float32)])


def test_scratch_means_a_sequential_grid():
    kernel = kernel_of(scratch_sum(), f32(8))
    assert kernel["params"][-1] == {"name": "acc_ref", "role": "scratch", "type": "f32[2]",
                                    "space": "vmem"}
    assert semantics_of(kernel) == ["arbitrary"]


def test_scalar_prefetch():
    def kernel(order_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * order_ref[0]

    call = pl.pallas_call(kernel, out_shape=f32(4, 8), grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(4,),
        in_specs=[pl.BlockSpec((1, 8), lambda i, order: (order[i], 0))],
        out_specs=pl.BlockSpec((1, 8), lambda i, order: (i, 0))))
    result = kernel_of(call, jax.ShapeDtypeStruct((4,), jnp.int32), f32(4, 8))
    assert [param["role"] for param in result["params"]] == ["prefetch", "input", "output"]
    index_map = result["params"][1]["index_map"]
    assert [arg["type"] for arg in index_map["args"]] == ["i32[]", "ref<i32[4]>"]
    assert "load" in [op["op"] for op in index_map["ops"]]


def test_dynamic_grid():
    def kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    def run(steps):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.int32),
                              grid=(2, steps))()

    result = kernel_of(run, jax.ShapeDtypeStruct((), jnp.int32))
    assert [axis["size"] for axis in result["grid"]] == [2, "dynamic"]


def test_named_grid():
    def kernel(o_ref):
        o_ref[jax.lax.axis_index("rows")] = jax.lax.axis_index(("rows", "columns"))

    result = kernel_of(pl.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.int32),
        grid=(("rows", 4), ("columns", 2))))
    assert [axis["name"] for axis in result["grid"]] == ["rows", "columns"]
    axes = [op["axis"] for op in all_ops(result["body"]) if op["op"] == "program_id"]
    assert sorted(axes) == [0, 0, 1]


def test_alias_counts_prefetch_operands():
    def kernel(n_ref, x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    call = pl.pallas_call(kernel, out_shape=f32(8), input_output_aliases={2: 0},
                          grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1))
    result = kernel_of(call, jax.ShapeDtypeStruct((1,), jnp.int32), f32(8), f32(8))
    assert result["params"][3]["alias"] == "y_ref"


def test_x64_index_map():
    with jax.enable_x64(True):
        spec = pl.BlockSpec((2,), lambda i: (i.astype(jnp.int64),))
        call = pl.pallas_call(add_kernel, out_shape=f32(8), grid=(4,), in_specs=[spec, spec],
                              out_specs=spec)
        index_map = kernel_of(call, f32(8), f32(8))["params"][0]["index_map"]
    assert index_map["ops"][-1]["out"][0]["type"] == "i64[]"


def test_variadic_kernels_have_distinct_names():
    def kernel(*refs):
        refs[2][...] = refs[0][...] + refs[1][...]

    params = kernel_of(pl.pallas_call(kernel, out_shape=f32(8)), f32(8), f32(8))["params"]
    assert [param["name"] for param in params] == ["refs_0", "refs_1", "refs_2"]


# -- literals --


@pytest.mark.parametrize("array, expected", [
    (np.float32([1.5, 1.5]), "0x1.8000000000000p+0"),
    (np.float32([0.0, -0.0]), ["0x0.0p+0", "-0x0.0p+0"]),
    (np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32), ["nan", "bits:7fc00001"]),
    (np.int64([2**53, -1]), [str(2**53), -1]),
    (np.array([], np.int32), []),
    (np.array([True]), True),
    (np.array([1, 2]).astype("bfloat16"), ["0x1.0000000000000p+0", "0x1.0000000000000p+1"]),
    (np.array([-7, 7]).astype("int4"), [-7, 7]),
])
def test_literals(array, expected):
    assert exporter_dtypes.literal(array) == expected


# -- errors --


def fails(kernel, *inputs, out=None, **options):
    with pytest.raises(ExportError) as caught:
        export(pl.pallas_call(kernel, out_shape=out or f32(8), **options), *inputs)
    return caught.value


def test_unknown_primitive_is_named_with_its_line():
    def kernel(x_ref, o_ref):
        o_ref[...] = jax.lax.digamma(x_ref[...])

    error = fails(kernel, f32(8))
    assert error.primitive == "digamma"
    assert error.file.endswith("test_export.py")
    assert error.line == kernel.__code__.co_firstlineno + 1
    assert str(error).startswith(f"{error.file}:{error.line}: digamma: ")


def test_error_in_a_loop_names_the_inner_line():
    def kernel(x_ref, o_ref):
        def body(i, total):
            return total + jax.lax.digamma(x_ref[...])[i]

        o_ref[...] = jnp.full(8, jax.lax.fori_loop(0, 8, body, 0.0))

    assert fails(kernel, f32(8)).line == kernel.__code__.co_firstlineno + 2


def test_view_through_an_index_array():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref.at[jnp.arange(8)].at[0:8][...]

    error = fails(kernel, f32(8))
    assert "indexed with an array cannot be indexed again" in error.message


def test_complex_dtype():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    complex8 = jax.ShapeDtypeStruct((8,), jnp.complex64)
    error = fails(kernel, complex8, out=complex8)
    assert error.primitive == "pallas_call" and "complex64" in error.message


def test_bounded_slice_block():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((pl.BoundedSlice(4),), lambda i: (pl.ds(i * 4, 4),))
    error = fails(kernel, f32(8), grid=(2,), in_specs=[spec], out=f32(4),
                  out_specs=pl.BlockSpec((4,), lambda i: (0,)))
    assert "BoundedSlice" in error.message and error.line is not None


def test_semaphore_scratch():
    def kernel(x_ref, o_ref, sem):
        pl.semaphore_signal(sem)
        o_ref[...] = x_ref[...]

    error = fails(kernel, f32(8), scratch_shapes=[pltpu.SemaphoreType.BARRIER])
    assert "dtype barrier_semaphore" in error.message


def test_semaphore_that_nothing_touches_is_left_out():
    def kernel(x_ref, o_ref, sem, y_ref):
        y_ref[...] = x_ref[...]
        o_ref[...] = y_ref[...]

    scratch = [pltpu.SemaphoreType.DMA((2,)), pltpu.VMEM((8,), jnp.float32)]
    call = pl.pallas_call(kernel, out_shape=f32(8), scratch_shapes=scratch)
    kernel = kernel_of(call, f32(8))
    assert [param["name"] for param in kernel["params"]] == ["x_ref", "o_ref", "y_ref"]
    x, o, y = kernel["body"]["args"]
    stored = [op["in"][0] for op in kernel["body"]["ops"] if op["op"] == "store"]
    assert stored == [y["id"], o["id"]]


def test_wrong_semantics():
    with pytest.raises(ExportError, match="semantics"):
        export(blocked_add(), f32(8), f32(8), grid_semantics="random")
    with pytest.raises(ExportError, match="semantics"):
        export(blocked_add(), f32(8), f32(8), grid_semantics=("parallel",) * 3)


def test_no_call():
    with pytest.raises(ExportError, match="no pallas_call"):
        export(jnp.sin, f32(8))


@pytest.mark.parametrize("op, attrs, message", [
    ("plus", {}, "no operation plus"), ("add", {"axis": 0}, "add has the attributes"), ("iota", {}, "needs")])
def test_what_no_rule_may_append(op, attrs, message):
    build = Builder()
    with build.region(), pytest.raises(ValueError, match=message):
        build.emit(op, (), [("f32", (8,))], **attrs)
