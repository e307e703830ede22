"""Who waits for a program that may begin only after it: a note, as the launch must hold both of them at once.

Order sequential lets programs begin by their numbers, which no hardware promises.  The repaired kernels take a ticket, so that
whoever is waited for has begun; no note may be told of them, in any order."""

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import call, i32, ints


def resident(wait, who, param, element, change, other):
    """Line `wait` of program `who` waits for an element that line `change` changes, in a program that had not begun."""
    return Finding("assumes-resident", wait, (who,), param, (element,), change, (other,))


def with_tickets(kernel, zero, none, x, *outs, programs):
    """`kernel` on flags and a ticket counter, both of which it changes, and x."""
    return call(kernel, [i32(*zero.shape), i32(1), *outs], zero, none, x, grid=programs, input_output_aliases={0: 0, 1: 1})


@defect("a look-back scan goes by the numbers of programs, of which the first may begin last",
        resident("wait", 1, "done_ref", 0, "publish", 0), by_check=True, inputs=[ints(0, 0, 0), ints(0), ints(3, 4, 5)])
class LookBackByNumber:
    def broken(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, done_ref, next_ref, sum_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                sum_ref[0] = x_ref[0]

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i - 1, 0), 0)  # <wait>
                sum_ref[i] = x_ref[i] + sum_ref[i - 1]
            plgpu.atomic_xchg(done_ref, i, 1)  # <publish>
        return with_tickets(kernel, zero, none, x, i32(3), programs=3)

    def repaired(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, done_ref, next_ref, sum_ref):
            i = plgpu.atomic_add(next_ref, 0, 1)

            @pl.when(i == 0)
            def _():
                sum_ref[0] = x_ref[0]

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i - 1, 0), 0)
                sum_ref[i] = x_ref[i] + sum_ref[i - 1]
            plgpu.atomic_xchg(done_ref, i, 1)
        return with_tickets(kernel, zero, none, x, i32(3), programs=3)

    def outputs(zero, none, x):
        return zero + 1, ints(3), ints(3, 7, 12)


@defect("the program that waits has a lower number than the one that it waits for",
        resident("wait", 0, "full_ref", 0, "fill", 1), inputs=[ints(0), ints(0), ints(7)])
class ConsumerBeginsFirst:
    def broken(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, full_ref, next_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 1)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(full_ref, 0, 1)  # <fill>

            @pl.when(i == 0)
            def _():
                jax.lax.while_loop(lambda full: full == 0, lambda _: plgpu.atomic_add(full_ref, 0, 0), 0)  # <wait>
                o_ref[0] = box_ref[0]
        return with_tickets(kernel, zero, none, x, i32(1), i32(1), programs=2)

    def repaired(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, full_ref, next_ref, box_ref, o_ref):
            i = plgpu.atomic_add(next_ref, 0, 1)

            @pl.when(i == 0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(full_ref, 0, 1)

            @pl.when(i == 1)
            def _():
                jax.lax.while_loop(lambda full: full == 0, lambda _: plgpu.atomic_add(full_ref, 0, 0), 0)
                o_ref[0] = box_ref[0]
        return with_tickets(kernel, zero, none, x, i32(1), i32(1), programs=2)

    def outputs(zero, none, x):
        return ints(1), ints(2), x, x


@defect("a sum goes down from the last program to the first one, each waiting for the next",
        resident("wait", 0, "done_ref", 1, "publish", 1), inputs=[ints(0, 0, 0), ints(0), ints(3, 4, 5)])
class SumFromTheLast:
    def broken(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, done_ref, next_ref, sum_ref):
            i = pl.program_id(0)

            @pl.when(i == 2)
            def _():
                sum_ref[2] = x_ref[2]

            @pl.when(i < 2)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i + 1, 0), 0)  # <wait>
                sum_ref[i] = x_ref[i] + sum_ref[i + 1]
            plgpu.atomic_xchg(done_ref, i, 1)  # <publish>
        return with_tickets(kernel, zero, none, x, i32(3), programs=3)

    def repaired(zero, none, x):
        def kernel(zero_ref, none_ref, x_ref, done_ref, next_ref, sum_ref):
            i = 2 - plgpu.atomic_add(next_ref, 0, 1)

            @pl.when(i == 2)
            def _():
                sum_ref[2] = x_ref[2]

            @pl.when(i < 2)
            def _():
                jax.lax.while_loop(lambda done: done == 0, lambda _: plgpu.atomic_add(done_ref, i + 1, 0), 0)
                sum_ref[i] = x_ref[i] + sum_ref[i + 1]
            plgpu.atomic_xchg(done_ref, i, 1)
        return with_tickets(kernel, zero, none, x, i32(3), programs=3)

    def outputs(zero, none, x):
        return zero + 1, ints(3), ints(12, 9, 5)
