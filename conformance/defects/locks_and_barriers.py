"""Locks, tickets, barriers, queues and scans, for which programs wait in a loop on a count or a word that others change.

As in the class before, each repaired kernel waits, ends in every order, and states its outputs."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.shorthand import call, i32, ints, program, scalar
from conformance.defects.waiting import livelock, mailbox


@defect("a program that has nothing to add leaves with the lock",
        livelock("wait", 0, "lock_ref"), by_check=True, also=["order-dependence"],
        inputs=[scalar(0), ints(0), ints(3, 0)])
class LockKeptOnOnePath:
    def broken(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, lock_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)  # <wait>

            @pl.when(x_ref[pl.program_id(0)] != 0)
            def _():
                sum_ref[0] += x_ref[pl.program_id(0)]
                plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1)], zero, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def repaired(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, lock_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)

            @pl.when(x_ref[pl.program_id(0)] != 0)
            def _():
                sum_ref[0] += x_ref[pl.program_id(0)]
            plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1)], zero, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def outputs(zero, none, x):
        return zero, ints(3)


@defect("two programs take two locks, each in an order of its own",
        livelock("second-of-one", 0, "b_ref"), livelock("second-of-other", 1, "a_ref"), by_check=True,
        also=["order-dependence"], inputs=[scalar(0), scalar(0), ints(0)])
class LocksInOppositeOrders:
    def broken(free_a, free_b, none):
        def kernel(free_a_ref, free_b_ref, none_ref, a_ref, b_ref, sum_ref):
            @program(0)
            def _():
                jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(a_ref, 0, 1), 1)
                jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(b_ref, 0, 1), 1)  # <second-of-one>
                sum_ref[0] += 1
                plgpu.atomic_xchg(b_ref, (), 0)
                plgpu.atomic_xchg(a_ref, (), 0)

            @program(1)
            def _():
                jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(b_ref, 0, 1), 1)
                jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(a_ref, 0, 1), 1)  # <second-of-other>
                sum_ref[0] += 2
                plgpu.atomic_xchg(a_ref, (), 0)
                plgpu.atomic_xchg(b_ref, (), 0)
        return call(kernel, [i32(), i32(), i32(1)], free_a, free_b, none, grid=2, input_output_aliases={0: 0, 1: 1, 2: 2})

    def repaired(free_a, free_b, none):
        def kernel(free_a_ref, free_b_ref, none_ref, a_ref, b_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(a_ref, 0, 1), 1)
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(b_ref, 0, 1), 1)
            sum_ref[0] += pl.program_id(0) + 1
            plgpu.atomic_xchg(b_ref, (), 0)
            plgpu.atomic_xchg(a_ref, (), 0)
        return call(kernel, [i32(), i32(), i32(1)], free_a, free_b, none, grid=2, input_output_aliases={0: 0, 1: 1, 2: 2})

    def outputs(free_a, free_b, none):
        return free_a, free_b, ints(3)


@defect("the lock is given back before the sum that it protects is stored",
        race("sum_ref", (0,), ("add", (0,)), ("add", (1,))), inputs=[scalar(0), ints(0), ints(3, 4)])
class LockGivenBackTooSoon:
    def broken(free, none, x):
        def kernel(free_ref, none_ref, x_ref, lock_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)
            value = x_ref[pl.program_id(0)]
            plgpu.atomic_xchg(lock_ref, (), 0)
            sum_ref[0] += value  # <add>
        return call(kernel, [i32(), i32(1)], free, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def repaired(free, none, x):
        def kernel(free_ref, none_ref, x_ref, lock_ref, sum_ref):
            jax.lax.while_loop(lambda seen: seen != 0, lambda _: plgpu.atomic_cas(lock_ref, 0, 1), 1)
            sum_ref[0] += x_ref[pl.program_id(0)]
            plgpu.atomic_xchg(lock_ref, (), 0)
        return call(kernel, [i32(), i32(1)], free, none, x, grid=2, input_output_aliases={0: 0, 1: 1})

    def outputs(free, none, x):
        return free, ints(7)


@defect("each program takes two tickets, and serves one of them",
        livelock("wait", 1, "state_ref", 1), inputs=[ints(0, 0), ints(3, 4, 5)])
class TicketNeverServed:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, state_ref, box_ref, o_ref):
            ticket = plgpu.atomic_add(state_ref, 0, 2)
            jax.lax.while_loop(lambda serving: serving != ticket, lambda _: plgpu.atomic_add(state_ref, 1, 0), -1)  # <wait>
            box_ref[0] = ticket
            o_ref[0] = 3
            plgpu.atomic_add(state_ref, 1, 1)
        return mailbox(kernel, zero, x, programs=3)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, state_ref, box_ref, o_ref):
            ticket = plgpu.atomic_add(state_ref, 0, 1)
            jax.lax.while_loop(lambda serving: serving != ticket, lambda _: plgpu.atomic_add(state_ref, 1, 0), -1)
            box_ref[0] = ticket
            o_ref[0] = 3
            plgpu.atomic_add(state_ref, 1, 1)
        return mailbox(kernel, zero, x, programs=3)

    def outputs(zero, x):
        return ints(3, 3), ints(2), ints(3)


@defect("in a look-back scan each program waits for its successor",
        livelock("wait", 0, "done_ref", 1), also=["output-unwritten"], inputs=[ints(0, 0, 0), ints(3, 4, 5)])
class LooksForward:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, done_ref, sum_ref, o_ref):
            i = pl.program_id(0)
            at = jnp.minimum(i + 1, 2)
            jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, at, 0), 0)  # <wait>
            sum_ref[i] = sum_ref[at] + x_ref[i]
            plgpu.atomic_xchg(done_ref, i, 1)
            o_ref[i] = sum_ref[i]
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=3)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, done_ref, sum_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                sum_ref[0] = x_ref[0]

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i - 1, 0), 0)
                sum_ref[i] = sum_ref[i - 1] + x_ref[i]
            plgpu.atomic_xchg(done_ref, i, 1)
            o_ref[i] = sum_ref[i]
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=3)

    def outputs(zero, x):
        return zero + 1, ints(3, 7, 12), ints(3, 7, 12)


@defect("the first program of a look-back scan, which waits for nobody, forgets to publish its sum",
        livelock("wait", 1, "done_ref", 0), also=["output-unwritten"], inputs=[ints(0, 0, 0), ints(3, 4, 5)])
class FirstSumNotPublished:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, done_ref, sum_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                sum_ref[0] = x_ref[0]

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i - 1, 0), 0)  # <wait>
                sum_ref[i] = sum_ref[i - 1] + x_ref[i]
                plgpu.atomic_xchg(done_ref, i, 1)
            o_ref[i] = sum_ref[i]
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=3)

    def repaired(zero, x):
        return LooksForward.repaired(zero, x)

    def outputs(zero, x):
        return LooksForward.outputs(zero, x)


@defect("a program that has no work does not arrive at the barrier",
        livelock("wait", 0, "count_ref", 0), also=["output-unwritten"], inputs=[ints(0), ints(3, 4, 0)])
class BarrierOneShort:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]

            @pl.when(x_ref[i] != 0)
            def _():
                plgpu.atomic_add(count_ref, 0, 1)
                jax.lax.while_loop(lambda count: count < 3, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)  # <wait>
                o_ref[i] = jnp.sum(box_ref[...])
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=3)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]
            plgpu.atomic_add(count_ref, 0, 1)
            jax.lax.while_loop(lambda count: count < 3, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
            o_ref[i] = jnp.sum(box_ref[...])
        return mailbox(kernel, zero, x, programs=3, boxes=3, out=3)

    def outputs(zero, x):
        return ints(3), x, ints(7, 7, 7)


@defect("the second barrier counts on from where the first one has ended, and lets everybody through",
        race("box_ref", (0,), ("again", (0,)), ("read", (1,))), also=["order-dependence"], inputs=[ints(0), ints(3, 4)])
class BarrierNotReset:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]
            plgpu.atomic_add(count_ref, 0, 1)
            jax.lax.while_loop(lambda count: count < 2, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
            box_ref[i] = x_ref[i] + 1  # <again>
            plgpu.atomic_add(count_ref, 0, 1)
            jax.lax.while_loop(lambda count: count < 2, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
            o_ref[i] = box_ref[1 - i]  # <read>
        return mailbox(kernel, zero, x, boxes=2, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, count_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]
            plgpu.atomic_add(count_ref, 0, 1)
            jax.lax.while_loop(lambda count: count < 2, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
            box_ref[i] = x_ref[i] + 1
            plgpu.atomic_add(count_ref, 0, 1)
            jax.lax.while_loop(lambda count: count < 4, lambda _: plgpu.atomic_add(count_ref, 0, 0), 0)
            o_ref[i] = box_ref[1 - i]
        return mailbox(kernel, zero, x, boxes=2, out=2)

    def outputs(zero, x):
        return ints(4), x + 1, x[::-1] + 1


@defect("the end of a queue is put in once, so that of two programs that take from it one never sees it",
        livelock("wait", 2, "queue_ref", 3), also=["output-unwritten"], inputs=[ints(0, 0, 0, 0), ints(3, 4), ints(0)])
class EndOfQueueOnce:
    def broken(empty, x, none):
        def kernel(empty_ref, x_ref, none_ref, queue_ref, head_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_xchg(queue_ref, 0, x_ref[0])
                plgpu.atomic_xchg(queue_ref, 1, x_ref[1])
                plgpu.atomic_xchg(queue_ref, 2, -1)

            @pl.when(pl.program_id(0) > 0)
            def _():
                def take(item):
                    at = plgpu.atomic_add(head_ref, 0, 1)
                    return jax.lax.while_loop(lambda item: item == 0, lambda _: plgpu.atomic_add(queue_ref, at, 0), 0)  # <wait>
                o_ref[pl.program_id(0) - 1] = jax.lax.while_loop(lambda item: item >= 0, take, 0)
        return call(kernel, [i32(4), i32(1), i32(2)], empty, x, none, grid=3, input_output_aliases={0: 0, 2: 1})

    def repaired(empty, x, none):
        def kernel(empty_ref, x_ref, none_ref, queue_ref, head_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_xchg(queue_ref, 0, x_ref[0])
                plgpu.atomic_xchg(queue_ref, 1, x_ref[1])
                plgpu.atomic_xchg(queue_ref, 2, -1)
                plgpu.atomic_xchg(queue_ref, 3, -1)

            @pl.when(pl.program_id(0) > 0)
            def _():
                def take(item):
                    at = plgpu.atomic_add(head_ref, 0, 1)
                    return jax.lax.while_loop(lambda item: item == 0, lambda _: plgpu.atomic_add(queue_ref, at, 0), 0)
                o_ref[pl.program_id(0) - 1] = jax.lax.while_loop(lambda item: item >= 0, take, 0)
        return call(kernel, [i32(4), i32(1), i32(2)], empty, x, none, grid=3, input_output_aliases={0: 0, 2: 1})

    def outputs(empty, x, none):
        return ints(3, 4, -1, -1), ints(4), ints(-1, -1)
