"""Races and faults that order sequential hides, as each program finds there what those before it have left; `tilegrind check` must find
them in another order, and name it.

Programs synchronise by atomics, and the first run looks clean to every detector."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect, outside, race, undefined
from conformance.defects.shorthand import call, i32, ints, program, scalar
from conformance.defects.waiting import mailbox


def hidden(why, *finds, **options):
    """A defect that order sequential does not show, and for which the values of other orders differ as well."""
    options["also"] = ["order-dependence", *options.get("also", ())]
    return defect(why, *finds, by_check=True, **options)


@hidden("a lock is tried once, and who does not get it goes on without it",
        race("sum_ref", (0,), ("add", (0,)), ("add", (1,))), inputs=[scalar(0), ints(0), ints(3, 4)])
class LockTriedOnce:
    def broken(free, none, x):
        def kernel(free_ref, none_ref, x_ref, lock_ref, sum_ref):
            seen = plgpu.atomic_cas(lock_ref, 0, 1)
            sum_ref[0] += x_ref[pl.program_id(0)]  # <add>

            @pl.when(seen == 0)
            def _():
                plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1)], free, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def repaired(free, none, x):
        def kernel(free_ref, none_ref, x_ref, lock_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)
            sum_ref[0] += x_ref[pl.program_id(0)]
            plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1)], free, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def outputs(free, none, x):
        return free, ints(7)


@hidden("two programs fill a box, and the one that reads it waits for the first of them",
        race("box_ref", (0,), ("write", (0,)), ("read", (2,))), also=["undefined-output"], inputs=[ints(0), ints(3, 4)])
class SecondProducer:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i < 2)
            def _():
                box_ref[i] = x_ref[i]  # <write>
                plgpu.atomic_add(count_ref, 0, 1)

            @pl.when(i == 2)
            def _():
                jax.lax.while_loop(lambda count: count < 1, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
                o_ref[0] = jnp.sum(box_ref[...])  # <read>
        return mailbox(kernel, zero, x, programs=3, boxes=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i < 2)
            def _():
                box_ref[i] = x_ref[i]
                plgpu.atomic_add(count_ref, 0, 1)

            @pl.when(i == 2)
            def _():
                jax.lax.while_loop(lambda count: count < 2, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
                o_ref[0] = jnp.sum(box_ref[...])
        return mailbox(kernel, zero, x, programs=3, boxes=2)

    def outputs(zero, x):
        return ints(2), x, ints(7)


@hidden("the flag has two values, and the loop that waits for the second one ends with the first",
        race("box_ref", (1,), ("second", (0,)), ("read", (1,))), also=["undefined-output"], inputs=[ints(0), ints(3, 4)])
class FirstOfTwoValues:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 1)
                box_ref[1] = x_ref[1]  # <second>
                plgpu.atomic_xchg(flag_ref, 0, 2)

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = box_ref[1]  # <read>
        return mailbox(kernel, zero, x, boxes=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 1)
                box_ref[1] = x_ref[1]
                plgpu.atomic_xchg(flag_ref, 0, 2)

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag != 2, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = box_ref[1]
        return mailbox(kernel, zero, x, boxes=2)

    def outputs(zero, x):
        return ints(2), x, x[1:]


@hidden("who finds that the other one has arrived takes over what that one writes only after it has",
        race("box_ref", (0,), ("take", (0,)), ("write", (1,))), also=["undefined-output"], inputs=[ints(0), ints(7)])
class ArrivedButNotDone:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            arrived = plgpu.atomic_add(count_ref, 0, 1)

            @program(1)
            def _():
                box_ref[0] = x_ref[0] + 1  # <write>

            @program(0)
            def _():
                @pl.when(arrived == 0)
                def _():
                    o_ref[0] = x_ref[0] + 1

                @pl.when(arrived == 1)
                def _():
                    o_ref[0] = box_ref[0]  # <take>
        return mailbox(kernel, zero, x)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            @program(1)
            def _():
                box_ref[0] = x_ref[0] + 1
            arrived = plgpu.atomic_add(count_ref, 0, 1)

            @program(0)
            def _():
                @pl.when(arrived == 0)
                def _():
                    o_ref[0] = x_ref[0] + 1

                @pl.when(arrived == 1)
                def _():
                    o_ref[0] = box_ref[0]
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(2), x + 1, x + 1


@hidden("the program with the greatest number is taken for the last one, and adds up what the others have not made yet",
        race("part_ref", (0,), ("part", (0,)), ("sum", (2,))), also=["undefined-output"], inputs=[ints(0), ints(3, 4, 5)])
class LastByNumber:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, part_ref, o_ref):
            part_ref[pl.program_id(0)] = 2 * x_ref[pl.program_id(0)]  # <part>
            arrived = plgpu.atomic_add(count_ref, 0, 1)

            @program(2)
            def _():
                o_ref[0] = jnp.sum(part_ref[...])  # <sum>
                o_ref[1] = arrived
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, part_ref, o_ref):
            part_ref[pl.program_id(0)] = 2 * x_ref[pl.program_id(0)]
            arrived = plgpu.atomic_add(count_ref, 0, 1)

            @pl.when(arrived == 2)
            def _():
                o_ref[0] = jnp.sum(part_ref[...])
                o_ref[1] = arrived
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=2)

    def outputs(zero, x):
        return ints(3), 2 * x, ints(24, 2)


@hidden("who finds the table in the making takes it for made",
        race("table_ref", (0,), ("fill", (0,)), ("use", (1,))), also=["undefined-output"], inputs=[scalar(0), ints(7)])
class InTheMakingTakenForMade:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, state_ref, table_ref, o_ref):
            state = plgpu.atomic_cas(state_ref, 0, 1)

            @pl.when(state == 0)
            def _():
                table_ref[0] = x_ref[0] + 1  # <fill>
                plgpu.atomic_xchg(state_ref, (), 2)
            o_ref[pl.program_id(0)] = table_ref[0]  # <use>
        return mailbox(kernel, zero, x, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, state_ref, table_ref, o_ref):
            state = plgpu.atomic_cas(state_ref, 0, 1)

            @pl.when(state == 0)
            def _():
                table_ref[0] = x_ref[0] + 1
                plgpu.atomic_xchg(state_ref, (), 2)

            @pl.when(state == 1)
            def _():
                jax.lax.while_loop(lambda state: state != 2, lambda _: plgpu.atomic_add(state_ref, (), 0), 1)
            o_ref[pl.program_id(0)] = table_ref[0]
        return mailbox(kernel, zero, x, out=2)

    def outputs(zero, x):
        return scalar(2), x + 1, ints(8, 8)


@hidden("the flag is looked at three times, and then the box is read anyway",
        race("box_ref", (0,), ("write", (0,)), ("read", (1,))), also=["undefined-output"], inputs=[ints(0), ints(7)])
class GivesUpWaiting:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]  # <write>
                plgpu.atomic_xchg(flag_ref, 0, 1)

            @program(1)
            def _():
                jax.lax.while_loop(lambda state: (state[0] < 3) & (state[1] == 0),
                                   lambda state: (state[0] + 1, plgpu.atomic_add(flag_ref, 0, 0)), (0, 0))
                o_ref[0] = box_ref[0]  # <read>
        return mailbox(kernel, zero, x)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 1)

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = box_ref[0]
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(1), x, x


@hidden("a writer makes sure that nobody reads just now, but not that nobody begins to",
        race("table_ref", (0,), ("read", (0,)), ("write", (1,))), inputs=[scalar(0), ints(7), ints(3)])
class WriterLooksOnce:
    def broken(zero, table, x):
        def kernel(zero_ref, table_in_ref, x_ref, readers_ref, table_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_add(readers_ref, (), 1)
                o_ref[0] = table_ref[0] * 0  # <read>
                plgpu.atomic_add(readers_ref, (), -1)

            @program(1)
            def _():
                jax.lax.while_loop(lambda readers: readers != 0, lambda _: plgpu.atomic_add(readers_ref, (), 0), 1)
                table_ref[0] = x_ref[0]  # <write>
        return call(kernel, [i32(), i32(1), i32(1)], zero, table, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def repaired(zero, table, x):
        def kernel(zero_ref, table_in_ref, x_ref, lock_ref, table_ref, o_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)

            @program(0)
            def _():
                o_ref[0] = table_ref[0] * 0

            @program(1)
            def _():
                table_ref[0] = x_ref[0]
            plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1), i32(1)], zero, table, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def outputs(zero, table, x):
        return zero, x, ints(0)


@hidden("the newest item is taken before there is any",
        outside("take", (1,), "item_ref"), also=["race", "undefined-output"], inputs=[ints(0), ints(7)])
class NewestOfNone:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, item_ref, o_ref):
            @program(0)
            def _():
                item_ref[0] = x_ref[0]
                plgpu.atomic_add(count_ref, 0, 1)

            @program(1)
            def _():
                count = plgpu.atomic_add(count_ref, 0, 0)
                o_ref[0] = item_ref[count - 1]  # <take>
        return mailbox(kernel, zero, x)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, item_ref, o_ref):
            @program(0)
            def _():
                item_ref[0] = x_ref[0]
                plgpu.atomic_add(count_ref, 0, 1)

            @program(1)
            def _():
                count = jax.lax.while_loop(lambda count: count == 0, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
                o_ref[0] = item_ref[count - 1]
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(1), x, x


@hidden("runs of cells are handed out at multiples of their length, and there is room for the gaps of one order only",
        outside("store", (0,), "o_ref"), also=["output-unwritten"], inputs=[ints(0), ints(2, 1)])
class RoomForOneOrder:
    def broken(zero, size):
        def kernel(zero_ref, size_ref, next_ref, box_ref, o_ref):
            size = size_ref[pl.program_id(0)]
            at = (plgpu.atomic_add(next_ref, 0, size) + size - 1) // size * size
            box_ref[pl.program_id(0)] = size

            def cell(k, _):
                o_ref[at + k] = 1  # <store>
            jax.lax.fori_loop(0, size, cell, None)
        return mailbox(kernel, zero, size, boxes=2, out=3)

    def repaired(zero, size):
        def kernel(zero_ref, size_ref, next_ref, box_ref, o_ref):
            size = size_ref[pl.program_id(0)]
            at = plgpu.atomic_add(next_ref, 0, size)
            box_ref[pl.program_id(0)] = size

            def cell(k, _):
                o_ref[at + k] = 1
            jax.lax.fori_loop(0, size, cell, None)
        return mailbox(kernel, zero, size, boxes=2, out=3)

    def outputs(zero, size):
        return ints(3), size, ints(1, 1, 1)


@hidden("a value is taken by an atomic from where nobody has put one yet",
        undefined("o_ref", (0,), "keep", (1,), "take"), inputs=[ints(7)])
class TakenBeforePut:
    def broken(x):
        def kernel(x_ref, box_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_xchg(box_ref, 0, x_ref[0])

            @program(1)
            def _():
                value = plgpu.atomic_add(box_ref, 0, 0)  # <take>
                o_ref[0] = value + 1  # <keep>
        return call(kernel, [i32(1), i32(1)], x, grid=2)

    def repaired(x):
        def kernel(x_ref, box_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_xchg(box_ref, 0, x_ref[0])

            @program(1)
            def _():
                o_ref[0] = x_ref[0] + 1
        return call(kernel, [i32(1), i32(1)], x, grid=2)

    def outputs(x):
        return x, x + 1


@hidden("a mean is made of those that have arrived, of whom there may be none",
        Finding("division-by-zero", "mean", (2,)), dialect="triton", inputs=[ints(0, 0), ints(4, 4)])
class MeanOfNone:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, sum_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i < 2)
            def _():
                box_ref[i] = x_ref[i]
                plgpu.atomic_add(sum_ref, 0, x_ref[i])
                plgpu.atomic_add(sum_ref, 1, 1)

            @pl.when(i == 2)
            def _():
                count = plgpu.atomic_add(sum_ref, 1, 0)
                o_ref[0] = plgpu.atomic_add(sum_ref, 0, 0) // count  # <mean>
        return mailbox(kernel, zero, x, programs=3, boxes=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, sum_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i < 2)
            def _():
                box_ref[i] = x_ref[i]
                plgpu.atomic_add(sum_ref, 0, x_ref[i])
                plgpu.atomic_add(sum_ref, 1, 1)

            @pl.when(i == 2)
            def _():
                count = jax.lax.while_loop(lambda count: count < 2, lambda _: plgpu.atomic_add(sum_ref, 1, 0), 0)
                o_ref[0] = plgpu.atomic_add(sum_ref, 0, 0) // count
        return mailbox(kernel, zero, x, programs=3, boxes=2)

    def outputs(zero, x):
        return ints(8, 2), x, ints(4)
