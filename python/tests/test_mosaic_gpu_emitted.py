"""Code that kernels of Mosaic GPU insert as MLIR: what it emits is run and checked, and what has no counterpart is refused."""

import inspect
import operator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, gpu, memref, nvvm, scf

import tilegrind.pallas as tp
from mosaic_kernels import TILES, f32, found, ints, launch_of, numbers, refusal, runs

LAYOUT, SPLAT = plgpu.Layout.WGMMA, plgpu.Layout.WG_SPLAT
SHAPE, TILE = (64, 64), (8, 32)
INT = plgpu.ShapeDtypeStruct((), jnp.int32, layout=SPLAT)


def constant(value, kind="i32"):
    return mgpu.c(value, ir.Type.parse(kind))


def scalar(value, is_signed=True):
    return mgpu.FragmentedArray.splat(value, (), is_signed=is_signed)


def returns(emit, *arguments, kind=jnp.int32, **launch):
    """A launch whose output is the scalar that `emit` returns; `arguments`, integers, are handed to the inserted function."""

    def body(o_ref):
        given = tuple(map(jnp.int32, arguments))
        types = tuple(SPLAT for _ in given)
        result = plgpu.ShapeDtypeStruct((), kind, layout=SPLAT)
        o_ref[...] = plgpu.inline_mgpu(arg_types=types, return_type=result)(lambda ctx, *those: emit(*those))(*given)

    return launch_of(body, out=jax.ShapeDtypeStruct((), kind), **launch)


def only(launch, *args):
    [result] = runs(launch, *args, orders=["sequential"])
    return result


# -- memory in tiles --


def doubled(commit=mgpu.commit_shared, swizzle=128, transform=mgpu.TileTransform(TILE)):
    """A kernel that loads a tile, doubles it, adds one and stores it by inserted code; a copy in inserted code takes it out."""

    def body(x_ref, o_ref, tile, arrived):
        plgpu.copy_gmem_to_smem(x_ref, tile.at[1], arrived)
        plgpu.barrier_wait(arrived)

        @plgpu.inline_mgpu(arg_types=(plgpu.RefType(TILES),), return_type=plgpu.ShapeDtypeStruct(SHAPE, jnp.float32, layout=LAYOUT))
        def load(ctx, ref):
            value = mgpu.FragmentedArray.load_tiled(ref, swizzle=128)
            return value + value + mgpu.FragmentedArray.splat(mgpu.c(1.0, value.mlir_dtype), value.shape, value.layout)

        @plgpu.inline_mgpu(arg_types=(LAYOUT, plgpu.RefType(TILES), plgpu.RefType()))
        def put(ctx, value, ref, out):
            first = mgpu.memref_slice(ref, 0)
            value.store_tiled(first, swizzle=swizzle)
            commit()
            ctx.async_copy(src_ref=first, dst_ref=out, swizzle=128, gmem_transform=transform)
            ctx.await_async_copy(0)
            with mgpu.when(mgpu.single_thread_predicate()):
                pass

        put(load(tile.at[1]), tile, o_ref)

    return launch_of(body, out=f32(*SHAPE), scratch=[plgpu.SMEM((2, *SHAPE), jnp.float32, transforms=TILES), plgpu.Barrier()])


def loaded(ref, layout):
    """All of `ref` in registers; JAX 0.10.2 wants an index."""
    index = ((),) if "idx" in inspect.signature(plgpu.load).parameters else ()
    return plgpu.load(ref, *index, layout=layout, optimized=False)


def test_tiles_are_loaded_stored_and_copied():
    x = numbers(*SHAPE)
    for result in runs(doubled(), x):
        np.testing.assert_array_equal(result, x + x + 1)
    assert found(doubled(), x) == set()


def test_inserted_code_is_checked_as_the_kernel_around_it_is():
    assert found(doubled(commit=lambda: None), numbers(*SHAPE)) == {"proxy-fence-missing"}


def test_a_finding_in_inserted_code_names_its_line():
    with tp.check(on_finding="collect") as checked:
        jax.block_until_ready(doubled(commit=lambda: None)(numbers(*SHAPE)))
    [finding] = checked.findings
    line = next(number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "ctx.async_copy(src_ref=first" in text)
    assert f"{Path(__file__).name}:{line} in doubled.<locals>.body.<locals>.put" in str(finding)


@pytest.mark.parametrize("options, message", [
    ({"swizzle": 64}, "takes memory in tiles of [8, 32] with a swizzle of 128 bytes for one in tiles of [8, 32] with 64"),
    ({"transform": ()}, "makes a copy with other tiles or another swizzle than its memory has"),
    ({"transform": mgpu.TileTransform((16, 32))}, "makes a copy with other tiles")], ids=["swizzle", "no tiles", "other tiles"])
def test_memory_that_is_held_otherwise_is_refused(options, message):
    assert message in refusal(doubled(**options), numbers(*SHAPE))


def of_memory(emit, shape=(2, *SHAPE), transforms=TILES):
    """A launch that fills memory with 0, 1, 2, ..., hands it to an inserted function, and writes out the memory then."""

    def body(x_ref, o_ref, ref):
        ref[...] = x_ref[...]
        plgpu.inline_mgpu(arg_types=(plgpu.RefType(transforms),))(lambda ctx, ref: emit(ref))(ref)
        o_ref[...] = ref[...]

    return launch_of(body, out=f32(*shape), scratch=[plgpu.SMEM(shape, jnp.float32, transforms=transforms)])


def index(value):
    return constant(value, "index")


def moved(ref):
    """Element [1, 9, 40] is stored to [0, 63, 63]."""
    value = memref.load(ref, [index(number) for number in (1, 1, 1, 1, 8)])
    memref.store(value, ref, [index(number) for number in (0, 7, 1, 7, 31)])


def filled_tiles(ref):
    """The tiles [1, 2:4, 1] are filled with 5."""
    part = mgpu.memref_slice(ref, (arith.addi(index(0), index(1)), mgpu.ds(2, 2), mgpu.ds(index(1), 1)))
    kind = ir.F32Type.get()
    mgpu.FragmentedArray.splat(mgpu.c(5.0, kind), (16, 32), plgpu.Layout.TCGEN05.to_mgpu()).store_tiled(part, swizzle=128)


def test_elements_of_memory_in_tiles():
    x = np.array(numbers(2, *SHAPE))
    wanted = x.copy()
    wanted[0, 63, 63] = x[1, 9, 40]
    np.testing.assert_array_equal(only(of_memory(moved), x), wanted)


def test_whole_tiles_of_memory():
    x = np.array(numbers(2, *SHAPE))
    wanted = x.copy()
    wanted[1, 16:32, 32:] = 5
    np.testing.assert_array_equal(only(of_memory(filled_tiles), x), wanted)


def incremented(ref):
    value = mgpu.FragmentedArray.load_strided(ref, vec_size=1)
    (value + 1).store_untiled(ref)


def test_memory_without_tiles():
    x = numbers(128)
    np.testing.assert_array_equal(only(of_memory(incremented, (128,), ()), x), x + 1)


@pytest.mark.parametrize("emit, message", [
    (lambda ref: mgpu.memref_slice(ref, (0, 0, 0, mgpu.ds(0, 4))), "takes a part of a tile"),
    (lambda ref: mgpu.memref_slice(ref, (0, 0)), "leaves out a dimension of tiles"),
    (lambda ref: memref.load(ref, [gpu.thread_id(gpu.Dimension.x)] * 5), "uses a value that differs between lanes"),
    (lambda ref: mgpu.memref_transpose(ref, (0, 2, 1, 3, 4)), "has an op memref.transpose, which has no counterpart here"),
    (lambda ref: mgpu.FragmentedArray.load_strided(ref), "for one in tiles of [] with 16")],
    ids=["part of a tile", "dimension", "lanes", "transpose", "strided"])
def test_views_of_memory_that_are_refused(emit, message):
    assert message in refusal(of_memory(emit), numbers(2, *SHAPE))


def test_memory_that_lanes_cannot_divide_is_refused():
    launch = of_memory(lambda ref: mgpu.FragmentedArray.load_strided(ref), (100,), ())
    assert "loads (100,) elements, which 128 lanes cannot divide among themselves" in refusal(launch, numbers(100))


def test_memory_that_is_handed_over_otherwise_is_refused():
    class Other:
        def __init__(self):
            self.tiling = (8, 32)

    from tilegrind.pallas.emitted.views import view_of
    from tilegrind.ir.errors import Unsupported

    with pytest.raises(Unsupported, match="takes memory by way of Other, which is not supported"):
        view_of(None, [Other()])


# -- scalars --

LEFT, RIGHT = -7, 3
INTEGERS = {
    "addi": -4, "subi": -10, "muli": -21, "divsi": -2, "remsi": -1, "maxsi": 3, "minsi": -7, "andi": -7 & 3, "ori": -7 | 3, "xori": -7 ^ 3,
    "shli": -56, "shrsi": -1, "shrui": (2**32 - 7) >> 3, "divui": (2**32 - 7) // 3, "remui": (2**32 - 7) % 3, "maxui": -7, "minui": 3}
COMPARED = {"eq": 0, "ne": 1, "slt": 1, "sle": 1, "sgt": 0, "sge": 0, "ult": 0, "ule": 0, "ugt": 1, "uge": 1}
FLOATS = {"addf": 3.5, "subf": 0.5, "mulf": 3.0, "divf": 4 / 3, "maximumf": 2.0, "minimumf": 1.5}
COMPARED_FLOATS = {"OEQ": 0, "OGT": 1, "OGE": 1, "OLT": 0, "OLE": 0, "UNE": 1}


@pytest.mark.parametrize("name, wanted", INTEGERS.items())
def test_integers(name, wanted):
    assert only(returns(lambda: scalar(getattr(arith, name)(constant(LEFT), constant(RIGHT))))) == wanted


@pytest.mark.parametrize("name, wanted", COMPARED.items())
def test_comparisons_of_integers(name, wanted):
    def emit():
        return scalar(arith.extui(ir.Type.parse("i32"), arith.cmpi(getattr(arith.CmpIPredicate, name), constant(LEFT), constant(RIGHT))))

    assert only(returns(emit)) == wanted


@pytest.mark.parametrize("name, wanted", FLOATS.items())
def test_floats(name, wanted):
    def emit():
        return mgpu.FragmentedArray.splat(getattr(arith, name)(constant(2.0, "f32"), constant(1.5, "f32")), ())

    assert only(returns(emit, kind=jnp.float32)) == np.float32(wanted)


@pytest.mark.parametrize("name, wanted", COMPARED_FLOATS.items())
def test_comparisons_of_floats(name, wanted):
    def emit():
        mask = arith.cmpf(getattr(arith.CmpFPredicate, name), constant(2.0, "f32"), constant(1.5, "f32"))
        return scalar(arith.select(mask, constant(1), constant(0)))

    assert only(returns(emit)) == wanted


CASTS = {
    "extsi": ("i16", -5, "i32", -5), "extui": ("i16", -5, "i32", 65531), "trunci": ("i32", 65531, "i16", -5), "sitofp": ("i32", -5, "f32", -5),
    "uitofp": ("i32", -1, "f32", 2**32), "extf": ("f16", 0.1, "f32", np.float16(0.1)), "truncf": ("f32", 0.1, "f16", np.float16(0.1)),
    "index_cast": ("i32", 9, "index", 9)}


@pytest.mark.parametrize("name, given, value, kind, wanted", [(name, *row) for name, row in CASTS.items()])
def test_casts(name, given, value, kind, wanted):
    def emit():
        result = getattr(arith, name)(ir.Type.parse(kind), constant(value, given))
        return mgpu.FragmentedArray.splat(arith.index_cast(ir.Type.parse("i32"), result) if kind == "index" else result, ())

    dtype = {"i32": jnp.int32, "i16": jnp.int16, "f32": jnp.float32, "f16": jnp.float16, "index": jnp.int32}[kind]
    assert only(returns(emit, kind=dtype)) == wanted


def test_a_scalar_of_the_kernel_is_a_value_of_mlir():
    def emit(value):
        return scalar(arith.addi(value.registers.item(), constant(1)))

    assert only(returns(emit, 41)) == 42


@pytest.mark.parametrize("emit, message", [
    (lambda: scalar(arith.index_castui(ir.Type.parse("i32"), index(1))), "has an op arith.index_castui, which has no counterpart here"),
    (lambda: scalar(constant(1, "i64")), "computes with i64, which has no counterpart here"),
    (lambda: scalar(mgpu.warp_idx()), "uses a value that differs between lanes"),
    (lambda: constant(1), "returns something of type OpResult"),
    (lambda: mgpu.FragmentedArray.splat(constant(1), (64, 64), LAYOUT.to_mgpu()), "returns an array in layout"),
    (lambda: mgpu.FragmentedArray.splat(constant(1.0, "f32"), ()), "returns float32[], and the code in its place int32[]"),
    (lambda: nvvm.fence_proxy(nvvm.ProxyKind.async_global), "has an op nvvm.fence.proxy, which has no counterpart here"),
    (lambda: 1 / 0, "the inserted code raises ZeroDivisionError"),
    (lambda: mgpu.FragmentedArray.broadcasted_iota(None, (), 0), "uses FragmentedArray.broadcasted_iota, which has no counterpart here"),
    (lambda: scalar(constant(1)).reduce("add", 0), "uses FragmentedArray.reduce, which has no counterpart here")],
    ids=["op", "type", "lanes", "no array", "layout", "dtype", "fence", "error", "class", "method"])
def test_what_has_no_counterpart_is_refused(emit, message):
    text = refusal(returns(emit))
    assert message in text and "inline_effects can say what" in text
    assert Path(__file__).name in text


def test_blocks_and_clusters_as_the_launch_numbers_them():
    grid, cluster = (2, 3, 2, 2), (2, 1, 2)

    def number():
        at, counts = [], []
        for dimension in (gpu.Dimension.x, gpu.Dimension.y, gpu.Dimension.z):
            at.append(gpu.block_id(dimension))
            counts.append(gpu.grid_dim(dimension))
        within = arith.addi(arith.muli(arith.addi(arith.muli(at[2], counts[1]), at[1]), counts[0]), at[0])
        return scalar(arith.index_cast(ir.Type.parse("i32"), within))

    def body(o_ref):
        at = [jax.lax.axis_index(name) for name in "abcdefg"]
        o_ref[tuple(at)] = plgpu.inline_mgpu(return_type=INT)(lambda ctx: number())()

    launch = launch_of(body, out=ints(*grid, *cluster), grid=grid, grid_names=tuple("abcd"), cluster=cluster, cluster_names=tuple("efg"))
    a, b, c, d, e, f, g = np.indices((*grid, *cluster))
    z, y, x = (a * 3 + b) * 2 + e, c * 1 + f, d * 2 + g
    for result in runs(launch, orders=["sequential", "shuffled:1"]):
        np.testing.assert_array_equal(result, (z * 2 + y) * 4 + x)


# -- branches --


def stored_where(predicate):
    def emit(ref):
        with mgpu.when(predicate()):
            memref.store(constant(9.0, "f32"), ref, [index(3)])

    return of_memory(emit, (128,), ())


@pytest.mark.parametrize("value, wanted", [(1, 9), (0, 3)])
def test_a_branch(value, wanted):
    assert only(stored_where(lambda: arith.cmpi(arith.CmpIPredicate.eq, constant(value), constant(1))), numbers(128))[3] == wanted


def with_an_array(ref):
    with mgpu.when(constant(1, "i1")):
        mgpu.FragmentedArray.load_strided(ref)


def with_a_result(ref):
    branch = scf.IfOp(constant(1, "i1"), [ir.Type.parse("i32")], has_else=True)
    for block in (branch.then_block, branch.else_block):
        with ir.InsertionPoint(block):
            scf.yield_([constant(1)])


@pytest.mark.parametrize("launch, message", [
    (stored_where(mgpu.single_thread_predicate), "uses a value that differs between lanes"),
    (of_memory(with_an_array, (128,), ()), "arrays inside of a branch or a loop of MLIR are not supported"),
    (of_memory(with_a_result, (128,), ()), "has an op scf.if, which has no counterpart here")], ids=["lanes", "array", "result"])
def test_branches_that_are_refused(launch, message):
    assert message in refusal(launch, numbers(128))


# -- arrays --

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": lambda x, y: -x, "max": None,
             "min": None, "radd": lambda x, y: 2 + x, "rsub": lambda x, y: 2 - x, "rdiv": lambda x, y: 2 / x}
FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt", "abs")


def of_arrays(emit, dtype=jnp.float32, layouts=(LAYOUT, LAYOUT), result=LAYOUT):
    def body(x_ref, y_ref, o_ref):
        x, y = (loaded(ref, layout) for ref, layout in zip((x_ref, y_ref), layouts))
        code = plgpu.inline_mgpu(arg_types=layouts, return_type=plgpu.ShapeDtypeStruct(SHAPE, dtype, layout=result))
        o_ref[...] = code(lambda ctx, x, y: emit(x, y))(x, y)

    return launch_of(body, out=jax.ShapeDtypeStruct(SHAPE, dtype))


def operands(dtype):
    x = (jnp.arange(64 * 64).reshape(SHAPE) % 13 + 1).astype(dtype)
    return x, (x * 3 % 7 + 1).astype(dtype)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_operators(name, dtype):
    x, y = operands(dtype)
    compute = OPERATORS[name]
    wanted = compute(x, y) if compute else {"max": jnp.maximum, "min": jnp.minimum}[name](x, y)
    launch = of_arrays(compute or (lambda x, y: getattr(x, name)(y)), dtype)
    np.testing.assert_array_equal(only(launch, x, y), wanted)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    x, y = operands(jnp.float32)
    wanted = getattr(jnp, name, None) or getattr(jax.lax, name)
    np.testing.assert_allclose(only(of_arrays(lambda x, _: getattr(x, name)()), x, y), wanted(x), rtol=1e-6)


@pytest.mark.parametrize("compute", [operator.and_, operator.or_, operator.xor, lambda x, y: ~x, lambda x, y: 5 & y],
                         ids=["and", "or", "xor", "not", "rand"])
def test_bits(compute):
    x, y = operands(jnp.int32)
    np.testing.assert_array_equal(only(of_arrays(compute, jnp.int32), x, y), compute(x, y))


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
def test_masks(compare):
    x, y = operands(jnp.float32)
    np.testing.assert_array_equal(only(of_arrays(lambda x, y: compare(x, y).select(x, y)), x, y), jnp.where(compare(x, y), x, y))


def test_unsigned_arrays_compare_as_such():
    x, y = jnp.full(SHAPE, 2**31, jnp.uint32), jnp.ones(SHAPE, jnp.uint32)
    np.testing.assert_array_equal(only(of_arrays(lambda x, y: x.max(y), jnp.uint32), x, y), x)


def test_a_row_is_broadcast():
    def emit(x, y):
        return x.copy() * y.broadcast_in_dim(SHAPE, [0], LAYOUT.to_mgpu())

    def body(x_ref, y_ref, o_ref):
        x, y = (loaded(ref, layout) for ref, layout in ((x_ref, LAYOUT), (y_ref, LAYOUT.reduce(1))))
        code = plgpu.inline_mgpu(arg_types=(LAYOUT, LAYOUT.reduce(1)), return_type=plgpu.ShapeDtypeStruct(SHAPE, jnp.float32, layout=LAYOUT))
        o_ref[...] = code(lambda ctx, *given: emit(*given))(x, y)

    x, _ = operands(jnp.float32)
    np.testing.assert_array_equal(only(launch_of(body, out=f32(*SHAPE)), x, x[:, 0]), x * x[:, :1])


def test_splats_take_the_shape_of_what_they_meet():
    def emit(x, _):
        one = mgpu.FragmentedArray.splat(constant(1.0, "f32"), (1, 1))
        return one.broadcast((64, 64)) + x + one

    x, y = operands(jnp.float32)
    np.testing.assert_array_equal(only(of_arrays(emit), x, y), x + 2)


def test_other_types_and_layouts():
    def emit(x, _):
        return (x.astype(ir.BF16Type.get()) + 0.5).astype(ir.F32Type.get()).to_layout(LAYOUT.to_mgpu())

    x, y = operands(jnp.float32)
    np.testing.assert_array_equal(only(of_arrays(emit), x, y), (x.astype(jnp.bfloat16) + jnp.bfloat16(0.5)).astype(jnp.float32))


@pytest.mark.parametrize("emit, dtype, message", [
    (lambda x, y: x + y.to_layout(plgpu.Layout.TCGEN05.to_mgpu()), jnp.float32, "computes with arrays in different layouts"),
    (lambda x, y: x + y.astype(ir.F16Type.get()), jnp.float32, "has float16 where float32 is wanted"),
    (lambda x, y: x + y, jnp.int8, "computes with int8 what has no counterpart here"),
    (lambda x, y: x / y, jnp.int32, "computes with int32 what has no counterpart here"),
    (lambda x, y: x + 1.5, jnp.int32, "computes with an integer and a float"),
    (lambda x, y: x.select(x, y), jnp.float32, "selects by what is no mask of the same layout"),
    (lambda x, y: x.broadcast(SHAPE), jnp.float32, "broadcasts an array that is no splat without a layout"),
    (lambda x, y: x.registers, jnp.float32, "looks at the registers of an array, which has none here")],
    ids=["layouts", "dtypes", "bytes", "division", "float", "mask", "broadcast", "registers"])
def test_operations_on_arrays_that_are_refused(emit, dtype, message):
    assert message in refusal(of_arrays(emit, dtype), *operands(dtype))


# -- copies and warps --


def copying(**options):
    def body(x_ref, o_ref, ref):
        ref[...] = x_ref[...]

        @plgpu.inline_mgpu(arg_types=(plgpu.RefType(), plgpu.RefType()))
        def put(ctx, ref, out):
            ctx.async_copy(src_ref=ref, dst_ref=out, **options)

        put(ref, o_ref)

    return launch_of(body, out=f32(128), scratch=[plgpu.SMEM((128,), jnp.float32)])


def test_copies_with_what_has_no_counterpart_are_refused():
    assert "copies with collective, which has no counterpart here" in refusal(copying(collective=gpu.Dimension.x), numbers(128))


def test_copies_into_shared_memory_are_refused():
    def body(x_ref, o_ref, ref):
        plgpu.inline_mgpu(arg_types=(plgpu.RefType(), plgpu.RefType()))(
            lambda ctx, ref, x: ctx.async_copy(src_ref=x, dst_ref=ref))(ref, x_ref)
        o_ref[...] = ref[...]

    launch = launch_of(body, out=f32(128), scratch=[plgpu.SMEM((128,), jnp.float32)])
    assert "makes a copy that is not from shared to global memory" in refusal(launch, numbers(128))


def test_other_methods_of_the_context_are_refused():
    launch = of_memory(lambda ref: None, (128,), ())
    assert only(launch, numbers(128)).shape == (128,)

    def body(o_ref):
        plgpu.inline_mgpu()(lambda ctx: ctx.cluster_idx())()
        o_ref[...] = jnp.int32(0)

    assert "uses ctx.cluster_idx, which has no counterpart here" in refusal(launch_of(body, out=ints()))


def in_warp(emit, shape=()):
    def body(o_ref):
        @plgpu.warp_map
        def _(warp):
            @pl.when(warp == 1)
            def _():
                kind = plgpu.ShapeDtypeStruct(shape, jnp.int32, layout=SPLAT if not shape else plgpu.Layout.WG_SPLAT(shape))
                code = plgpu.inline_mgpu(arg_types=(plgpu.RefType(), SPLAT), return_type=kind)
                o_ref[1] = jnp.sum(code(lambda ctx, *given: emit(*given))(o_ref, warp))

    return launch_of(body, out=ints(2))


def test_inserted_code_of_a_warp():
    def emit(ref, warp):
        memref.store(warp.registers.item(), ref, [index(0)])
        return warp + 10

    np.testing.assert_array_equal(only(in_warp(emit)), [1, 11])


@pytest.mark.parametrize("emit, shape, message", [
    (lambda ref, warp: mgpu.FragmentedArray.splat(constant(1), (2,)), (2,), "a warp has no arrays, and this one has shape (2,)"),
    (lambda ref, warp: mgpu.commit_shared() or warp, (), "has an op llvm.inline_asm, which has no counterpart here")], ids=["array", "barrier"])
def test_what_a_warp_cannot_do_is_refused(emit, shape, message):
    assert message in refusal(in_warp(emit, shape))
