"""Accesses that take more of a GPU's memory than they would have to: lanes of a warp that want words of one bank of shared
memory, and sectors of global memory of which only a part is used.

Nothing is wrong with the values, and only `--check memory-cost` tells of it.  Programs have four warps, over whose lanes the
elements of a block go in turn.
"""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu, triton

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers


def costly(access, param, element, program=()):
    """An access whose costliest instruction has its first two lanes in conflict, or apart, at `element` and behind it."""
    return Finding("memory-cost", access, program, param, element)


def shared(*shape, dtype=jnp.float32):
    """Scratch in shared memory."""
    return mosaic_gpu.SMEM(shape, dtype)


# ---- banks of shared memory ----


@defect("a tile is read by columns, and its rows are 128 bytes",
        costly("load", "tile_ref", (0, 0)), inputs=[numbers(32, 32)])
class ColumnsOfATile:
    def broken(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[...] = x_ref[...]
            o_ref[...] = tile_ref.T[...]  # <load>
        return call(kernel, f32(32, 32), x, scratch_shapes=[shared(32, 32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[:, :32] = x_ref[...]
            o_ref[...] = tile_ref.T[:32, :]
        return call(kernel, f32(32, 32), x, scratch_shapes=[shared(32, 33)])

    def outputs(x):  # JAX's interpreter knows no transposed references
        return [x.T]


@defect("a tile is stored by columns; repaired, a swizzle of the columns takes the rows of each to different banks",
        costly("store", "tile_ref", (0, 0)), inputs=[numbers(32, 32)])
class SwizzleForgotten:
    def broken(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref.T[...] = x_ref[...]  # <store>
            o_ref[...] = tile_ref[...]
        return call(kernel, f32(32, 32), x, scratch_shapes=[shared(32, 32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile_ref):
            row, column = (jnp.arange(32)[:, None], jnp.arange(32)[None, :])
            tile_ref[column, row ^ column] = x_ref[...]
            o_ref[...] = tile_ref[row, column ^ row]
        return call(kernel, f32(32, 32), x, scratch_shapes=[shared(32, 32)])


@defect("the even elements are taken from shared memory with a stride of two",
        costly("load", "pairs_ref", (0,)), inputs=[numbers(256)])
class EvenElements:
    def broken(x):
        def kernel(x_ref, o_ref, pairs_ref):
            pairs_ref[...] = x_ref[...]
            o_ref[...] = pairs_ref[pl.ds(0, 128, 2)]  # <load>
        return call(kernel, f32(128), x, scratch_shapes=[shared(256)])

    def repaired(x):
        def kernel(x_ref, o_ref, pairs_ref):
            pairs_ref[...] = x_ref[...].reshape(128, 2).T.reshape(256)
            o_ref[...] = pairs_ref[pl.ds(0, 128)]
        return call(kernel, f32(128), x, scratch_shapes=[shared(256)])


@defect("the first elements of 128 rows of 16 words are read: every other row begins in the same bank",
        costly("load", "rows_ref", (0, 0)), inputs=[numbers(128, 16)])
class HeadsOfRows:
    def broken(x):
        def kernel(x_ref, o_ref, rows_ref):
            rows_ref[...] = x_ref[...]
            o_ref[...] = rows_ref[:, 0]  # <load>
        return call(kernel, f32(128), x, scratch_shapes=[shared(128, 16)])

    def repaired(x):
        def kernel(x_ref, o_ref, columns_ref):
            columns_ref[...] = x_ref[...].T
            o_ref[...] = columns_ref[0, :]
        return call(kernel, f32(128), x, scratch_shapes=[shared(16, 128)])


@defect("a column of a tile of 16-bit floats, whose rows are 128 bytes",
        costly("load", "tile_ref", (0, 5)), inputs=[numbers(32, 64).astype("float16")])
class ColumnOfHalves:
    def broken(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[...] = x_ref[...]
            o_ref[...] = tile_ref[:, 5].astype(jnp.float32)  # <load>
        return call(kernel, f32(32), x, scratch_shapes=[shared(32, 64, dtype=jnp.float16)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[:, :64] = x_ref[...]
            o_ref[...] = tile_ref[:, 5].astype(jnp.float32)
        return call(kernel, f32(32), x, scratch_shapes=[shared(32, 66, dtype=jnp.float16)])


@defect("vectors of four words, of rows of 128 bytes: the eight lanes of a phase want the same four banks",
        costly("load", "tile_ref", (0, 0)), inputs=[numbers(128, 32)])
class VectorsOfRows:
    def broken(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[...] = x_ref[...]
            o_ref[...] = tile_ref[:, :4]  # <load>
        return call(kernel, f32(128, 4), x, scratch_shapes=[shared(128, 32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[:, :32] = x_ref[...]
            o_ref[...] = tile_ref[:, :4]
        return call(kernel, f32(128, 4), x, scratch_shapes=[shared(128, 36)])


@defect("a table in shared memory is looked up at multiples of 32",
        costly("load", "table_ref", (0,)), inputs=[numbers(1024), ints(*range(32))])
class LookUpOfMultiples:
    def broken(x, at):
        def kernel(x_ref, at_ref, o_ref, table_ref):
            table_ref[...] = x_ref[...]
            o_ref[...] = table_ref[at_ref[...] * 32]  # <load>
        return call(kernel, f32(32), x, at, scratch_shapes=[shared(1024)])

    def repaired(x, at):
        def kernel(x_ref, at_ref, o_ref, table_ref):
            table_ref[...] = x_ref[...]
            o_ref[...] = table_ref[at_ref[...] * 33]
        return call(kernel, f32(32), x, at, scratch_shapes=[shared(1024)])


# ---- sectors of global memory ----


@defect("the real parts of complex numbers are read, which stand between their imaginary parts",
        costly("load", "x_ref", (0,)), inputs=[numbers(256)])
class RealParts:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[pl.ds(0, 128, 2)]  # <load>
        return call(kernel, f32(128), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...].reshape(128, 2)[:, 0]
        return call(kernel, f32(128), x)


@defect("a column of an array: a sector for each element",
        costly("load", "x_ref", (0, 3)), inputs=[numbers(128, 128)])
class ColumnOfAnArray:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[:, 3]  # <load>
        return call(kernel, f32(128), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[3, :]
        return call(kernel, f32(128), x)


@defect("a tile is transposed in the store; repaired, in shared memory",
        costly("store", "o_ref", (0, 0)), inputs=[numbers(32, 32)])
class TransposedInTheStore:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref.T[...] = x_ref[...]  # <store>
        return call(kernel, f32(32, 32), x)

    def repaired(x):
        def kernel(x_ref, o_ref, tile_ref):
            tile_ref[:, :32] = x_ref[...]
            o_ref[...] = tile_ref.T[:32, :]
        return call(kernel, f32(32, 32), x, scratch_shapes=[shared(32, 33)])

    def outputs(x):  # JAX's interpreter knows no transposed references
        return [x.T]


@defect("a window begins one element behind the beginning of a sector",
        costly("load", "x_ref", (1,)), inputs=[numbers(256)])
class MisalignedWindow:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[pl.ds(1, 128)]  # <load>
        return call(kernel, f32(128), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[pl.ds(8, 128)]
        return call(kernel, f32(128), x)


@defect("rows of 33 elements, of which all but the first begin inside of a sector; repaired, they are 40 apart",
        costly("load", "x_ref", (33,), (1,)), inputs=[numbers(320)])
class OddPitch:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.sum(x_ref[pl.ds(33 * pl.program_id(0), 33)], keepdims=True)  # <load>
        return call(kernel, f32(8), x, grid=8, ins=WHOLE, outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.sum(x_ref[pl.ds(40 * pl.program_id(0), 33)], keepdims=True)
        return call(kernel, f32(8), x, grid=8, ins=WHOLE, outs=blocks(1))


@defect("one field of records of 32 is gathered; repaired, fields are outermost",
        costly("load", "x_ref", (0, 1)), inputs=[numbers(32, 32)])
class FieldOfRecords:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[jnp.arange(32), 1]  # <load>
        return call(kernel, f32(32), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[1, jnp.arange(32)]
        return call(kernel, f32(32), x)


@defect("half of the lanes are masked off, every other one; repaired, the second half",
        costly("load", "x_ref", (0,)), inputs=[numbers(128)])
class EveryOtherLane:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = triton.load(x_ref, mask=jnp.arange(128) % 2 == 0, other=0.0)  # <load>
        return call(kernel, f32(128), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = triton.load(x_ref, mask=jnp.arange(128) < 64, other=0.0)
        return call(kernel, f32(128), x)


@defect("a head of 16 bytes is read whose tokens lie side by side with those of other heads; repaired, heads are outermost",
        costly("load", "x_ref", (0, 0, 3), (0,)), inputs=[numbers(32, 32, 4)])
class HeadsInside:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[0] = x_ref[:, pl.program_id(0), :]  # <load>
        return call(kernel, f32(32, 32, 4), x, grid=32, ins=WHOLE, outs=pl.BlockSpec((1, 32, 4), lambda i: (i, 0, 0)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[0] = x_ref[pl.program_id(0)]
        return call(kernel, f32(32, 32, 4), x, grid=32, ins=WHOLE, outs=pl.BlockSpec((1, 32, 4), lambda i: (i, 0, 0)))
