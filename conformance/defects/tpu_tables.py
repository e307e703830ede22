"""Scalar-prefetch tables that a kernel writes while its index maps still read them."""

from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import call, f32, ints, numbers


def written(line, program, param, element, there, other):
    """Line `line` writes an element of a table that the index map on line `there` reads for a later program."""
    return Finding("prefetch-written", line, program, param, element, there, other)


def through(grid, chosen, out=lambda i, t: (i,)):
    """A grid whose input block is what `chosen` makes of the table."""
    return pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(grid,), in_specs=[pl.BlockSpec((2,), chosen)],
                                        out_specs=pl.BlockSpec((2,), out))


@defect("each program enters into the table which block the next one takes",
        written("next", (0,), "table_ref", (1,), "map", (1,)), inputs=[ints(2, 0, 0), numbers(6)])
class NextBlockEntered:
    def broken(table, x):
        def kernel(table_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[...] = x_ref[...]

            @pl.when(i < 2)
            def _():
                table_ref[i + 1] = (table_ref[i] + 1) % 3  # <next>
        return call(kernel, f32(6), table, x, grid_spec=through(
            3, lambda i, t: (t[i],)))  # <map>

    def repaired(table, x):
        def kernel(table_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(6), table, x, grid_spec=through(3, lambda i, t: ((t[0] + i) % 3,)))


@defect("the first program puts the whole table right",
        written("right", (0,), "table_ref", (1,), "map", (1,)), inputs=[ints(0, 9, 9), numbers(6)])
class TableMadeByTheFirst:
    def broken(table, x):
        def kernel(table_ref, x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                for i in (1, 2):
                    table_ref[i] = i  # <right>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(6), table, x, grid_spec=through(
            3, lambda i, t: (t[i],)))  # <map>

    def repaired(table, x):
        def kernel(table_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(6), table, x, grid_spec=through(3, lambda i, t: (t[0] + i,)))


@defect("one element counts how many blocks are done, and the index map asks it for the next",
        written("count", (0,), "count_ref", (0,), "map", (1,)), inputs=[ints(0), numbers(4)])
class CounterInTheTable:
    def broken(count, x):
        def kernel(count_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
            count_ref[0] = count_ref[0] + 1  # <count>
        return call(kernel, f32(4), count, x, grid_spec=through(
            2, lambda i, t: (t[0],)))  # <map>

    def repaired(count, x):
        def kernel(count_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), count, x, grid_spec=through(2, lambda i, t: (t[0] + i,)))


@defect("the output's block is chosen by a table from which programs take what is free",
        written("take", (0,), "free_ref", (0,), "map", (1,)), inputs=[ints(0, 1), numbers(4)])
class BlockTakenFromTheFree:
    def broken(free, x):
        def kernel(free_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
            free_ref[0] = free_ref[1]  # <take>
        return call(kernel, f32(4), free, x, grid_spec=through(
            2, lambda i, t: (i,), lambda i, t: (t[0],)))  # <map>

    def repaired(free, x):
        def kernel(free_ref, x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), free, x, grid_spec=through(2, lambda i, t: (i,), lambda i, t: (t[i],)))
