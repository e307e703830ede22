"""Atomics that are missing, that protect one side only, or whose order shows in the result."""

import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, ints, numbers

ALL = (slice(None),)


@defect("programs count into one element by a load and a store",
        race("count_ref", (0,), ("count", (0,)), ("count", (1,))), thread="vllm-project/vllm-ascend#6979",
        inputs=[ints(1, 0, 1, 1), ints(0)])
class CounterWithoutAtomics:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, count_ref):
            count_ref[...] += jnp.sum(x_ref[...], keepdims=True)  # <count>
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE], input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, count_ref):
            plgpu.atomic_add(count_ref, ALL, jnp.sum(x_ref[...], keepdims=True))
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE], input_output_aliases={1: 0})


@defect("one program clears by a plain store what all of them add to atomically",
        race("sum_ref", (0,), ("clear", (0,)), ("add", (1,))),
        inputs=[ints(1, 2, 3, 4)])
class ClearedBesideAtomics:
    def broken(x):
        def kernel(x_ref, sum_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                sum_ref[...] = jnp.zeros_like(sum_ref)  # <clear>
            plgpu.atomic_add(sum_ref, ALL, jnp.sum(x_ref[...], keepdims=True))  # <add>
        return call(kernel, i32(1), x, grid=2, ins=blocks(2))

    def repaired(x):
        def kernel(x_ref, sum_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                sum_ref[...] = jnp.zeros_like(sum_ref)
            plgpu.atomic_add(sum_ref, ALL, jnp.sum(x_ref[...], keepdims=True))
        return call(kernel, i32(1), x, grid=2, ins=blocks(2), order=["arbitrary"])


@defect("the sum that atomics are still making is read by a plain load",
        race("sum_ref", (0,), ("add", (0,)), ("read", (1,))), inputs=[ints(1, 2, 3, 4), ints(0)])
class ReadBesideAtomics:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, sum_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                plgpu.atomic_add(sum_ref, ALL, jnp.sum(x_ref[...], keepdims=True))  # <add>

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = x_ref[...] + sum_ref[...]  # <read>
        return call(kernel, [i32(1), i32(4)], x, zero, grid=2, input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, sum_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                plgpu.atomic_add(sum_ref, ALL, jnp.sum(x_ref[...], keepdims=True))

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = x_ref[...] + jnp.sum(x_ref[...])
        return call(kernel, [i32(1), i32(4)], x, zero, grid=2, input_output_aliases={1: 0})


@defect("all parts of a product along a split k are added, but not by atomics",
        race("o_ref", (0, 0), ("add", (0,)), ("add", (1,))), thread="pytorch/helion#2615",
        inputs=[ints((1, 2, 3, 4), (5, 6, 7, 8)), ints((1, 0), (2, 1), (0, 3), (1, 1)), ints((0, 0), (0, 0))])
class SplitKWithoutAtomics:
    def broken(x, y, zero):
        def kernel(x_ref, y_ref, zero_ref, o_ref):
            o_ref[...] += x_ref[...] @ y_ref[...]  # <add>
        return call(kernel, i32(2, 2), x, y, zero, grid=2, input_output_aliases={2: 0},
                    ins=[pl.BlockSpec((2, 2), lambda k: (0, k)), pl.BlockSpec((2, 2), lambda k: (k, 0)), WHOLE])

    def repaired(x, y, zero):
        def kernel(x_ref, y_ref, zero_ref, o_ref):
            plgpu.atomic_add(o_ref, (slice(None), slice(None)), x_ref[...] @ y_ref[...])
        return call(kernel, i32(2, 2), x, y, zero, grid=2, input_output_aliases={2: 0},
                    ins=[pl.BlockSpec((2, 2), lambda k: (0, k)), pl.BlockSpec((2, 2), lambda k: (k, 0)), WHOLE])


@defect("an atomic counter hands out places in the order in which programs happen to come",
        Finding("order-dependence", "store|take", (0,), "o_ref", (0,), "store|take", (1,)),
        inputs=[numbers(2), ints(0)])
class PlacesByArrival:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, next_ref, o_ref):
            place = plgpu.atomic_add(next_ref, ALL, jnp.ones(1, jnp.int32))  # <take>
            o_ref[place] = x_ref[pl.ds(pl.program_id(0), 1)]  # <store>
        return call(kernel, [i32(1), f32(2)], x, zero, grid=2, input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, next_ref, o_ref):
            plgpu.atomic_add(next_ref, ALL, jnp.ones(1, jnp.int32))
            o_ref[pl.ds(pl.program_id(0), 1)] = x_ref[pl.ds(pl.program_id(0), 1)]
        return call(kernel, [i32(1), f32(2)], x, zero, grid=2, input_output_aliases={1: 0})


@defect("a sum of floats by atomics has the rounding of whatever order the programs came in",
        Finding("order-rounding", "add", (3,), "o_ref", (0,), "add", (0,)),
        inputs=[np.float32([1e8, 1, -1e8, 1]), np.float32([0])])
class SumByArrival:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            plgpu.atomic_add(o_ref, ALL, x_ref[pl.ds(pl.program_id(0), 1)])  # <add>
        return call(kernel, f32(1), x, zero, grid=4, input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            o_ref[...] = zero_ref[...]
            for i in range(4):
                o_ref[...] += x_ref[i]
        return call(kernel, f32(1), x, zero)


@defect("the last of several atomic exchanges decides what stays",
        Finding("order-dependence", "exchange", (0,), "o_ref", (0,), "exchange", (1,)), inputs=[ints(3, 5), ints(0)])
class LastExchangeWins:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            plgpu.atomic_xchg(o_ref, ALL, x_ref[pl.ds(pl.program_id(0), 1)])  # <exchange>
        return call(kernel, i32(1), x, zero, grid=2, input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            plgpu.atomic_max(o_ref, ALL, x_ref[pl.ds(pl.program_id(0), 1)])
        return call(kernel, i32(1), x, zero, grid=2, input_output_aliases={1: 0})


@defect("a product kept by load and store meets an atomic sum in another program",
        race("o_ref", (0,), ("scale", (0,)), ("add", (1,))), inputs=[ints(3, 5), ints(1)])
class AtomicOnOneSide:
    def broken(x, one):
        def kernel(x_ref, one_ref, o_ref):
            x = x_ref[pl.ds(pl.program_id(0), 1)]

            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = o_ref[...] * x  # <scale>

            @pl.when(pl.program_id(0) == 1)
            def _():
                plgpu.atomic_add(o_ref, ALL, x)  # <add>
        return call(kernel, i32(1), x, one, grid=2, input_output_aliases={1: 0})

    def repaired(x, one):
        def kernel(x_ref, one_ref, o_ref):
            plgpu.atomic_add(o_ref, ALL, x_ref[pl.ds(pl.program_id(0), 1)])
        return call(kernel, i32(1), x, one, grid=2, input_output_aliases={1: 0})


@defect("the rows of a batch add their loss to one element without atomics, in two stores of one program each",
        race("loss_ref", (0,), ("first|second", (0,)), ("first", (1,))), inputs=[ints(1, 2, 3, 4), ints(0)])
class LossOfManyRows:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, loss_ref):
            loss_ref[0] = loss_ref[0] + x_ref[0]  # <first>
            loss_ref[0] = loss_ref[0] + x_ref[1]  # <second>
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE], input_output_aliases={1: 0})

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, loss_ref):
            plgpu.atomic_add(loss_ref, ALL, jnp.sum(x_ref[...], keepdims=True))
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE], input_output_aliases={1: 0})
