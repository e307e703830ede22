"""Programs that wait in a loop for a flag of others, or a semaphore.

Each repaired kernel waits, too, and ends in every order.  All of them state their outputs: JAX's interpreter runs one program
after the other, so that who waits for a later one would never end there."""

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.shorthand import call, i32, ints, program

ALIASED = {"input_output_aliases": {0: 0}}


def livelock(wait, who, param, *element):
    """Line `wait` waits for ever for an element that nobody changes."""
    return Finding("livelock", wait, (who,), param, element, wait, (who,))


def mailbox(kernel, flags, x, *, programs=2, boxes=1, out=1):
    """`kernel` on flags, which are 0, and x; it writes the flags, boxes and an output."""
    return call(kernel, [i32(*flags.shape), i32(boxes), i32(out)], flags, x, grid=programs, **ALIASED)


@defect("the flag is never set",
        livelock("wait", 1, "flag_ref", 0), also=["output-unwritten"], inputs=[ints(0), ints(7)])
class FlagNeverSet:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)  # <wait>
                o_ref[0] = box_ref[0]
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


@defect("each program waits for a flag of its own, and one of them is passed over where they are set",
        livelock("wait", 2, "flag_ref", 2), also=["output-unwritten"], inputs=[ints(0, 0, 0), ints(7)])
class FlagOfTheWrongProgram:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                box_ref[0] = x_ref[0]
                for k in range(2):
                    plgpu.atomic_xchg(flag_ref, k, 1)

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, i, 0), 0)  # <wait>
                o_ref[i - 1] = box_ref[0] + i
        return mailbox(kernel, zero, x, programs=3, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                box_ref[0] = x_ref[0]
                for k in range(2):
                    plgpu.atomic_xchg(flag_ref, k + 1, 1)

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, i, 0), 0)
                o_ref[i - 1] = box_ref[0] + i
        return mailbox(kernel, zero, x, programs=3, out=2)

    def outputs(zero, x):
        return ints(0, 1, 1), x, ints(8, 9)


@defect("the flag says that the data is there before it is written",
        race("box_ref", (0,), ("write", (0,)), ("read", (1,))), inputs=[ints(0), ints(7)])
class FlagBeforeData:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                plgpu.atomic_xchg(flag_ref, 0, 1)
                box_ref[0] = x_ref[0]  # <write>

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
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


@defect("the data is read before the flag is waited for",
        race("box_ref", (0,), ("write", (0,)), ("read", (1,))), inputs=[ints(0), ints(7)])
class ReadBeforeTheWait:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]  # <write>
                plgpu.atomic_xchg(flag_ref, 0, 1)

            @program(1)
            def _():
                value = box_ref[0]  # <read>
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = value
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
                value = box_ref[0]
                o_ref[0] = value
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(1), x, x


@defect("the flag is polled by plain loads, which order nothing",
        race("flag_ref", (0,), ("set", (0,)), ("poll", (1,))), race("box_ref", (0,), ("write", (0,)), ("read", (1,))),
        inputs=[ints(0), ints(7)])
class PlainPoll:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]  # <write>
                plgpu.atomic_xchg(flag_ref, 0, 1)  # <set>

            @program(1)
            def _():
                flag = jax.lax.while_loop(lambda flag: flag == 0, lambda _: flag_ref[0], 0)  # <poll>
                o_ref[0] = box_ref[0] * flag  # <read>
        return mailbox(kernel, zero, x)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 1)

            @program(1)
            def _():
                flag = jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = box_ref[0] * flag
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(1), x, x


@defect("the flag is set by a plain store, so that nothing orders what was written before it",
        race("flag_ref", (0,), ("set", (0,)), ("poll", (1,))), race("box_ref", (0,), ("write", (0,)), ("read", (1,))),
        inputs=[ints(0), ints(7)])
class PlainSet:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]  # <write>
                flag_ref[0] = 1  # <set>

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)  # <poll>
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


@defect("the loop waits for 1, but the flag goes from 0 to 2",
        livelock("wait", 1, "flag_ref", 0), also=["output-unwritten"], inputs=[ints(0), ints(7)])
class WaitsForTheWrongValue:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 2)

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag != 1, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)  # <wait>
                o_ref[0] = box_ref[0]
        return mailbox(kernel, zero, x)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            @program(0)
            def _():
                box_ref[0] = x_ref[0]
                plgpu.atomic_xchg(flag_ref, 0, 2)

            @program(1)
            def _():
                jax.lax.while_loop(lambda flag: flag < 1, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                o_ref[0] = box_ref[0]
        return mailbox(kernel, zero, x)

    def outputs(zero, x):
        return ints(2), x, x


@defect("a program waits for the flag that it sets itself, after the wait",
        livelock("wait", 0, "flag_ref", 0), also=["output-unwritten"], inputs=[ints(0, 0, 0), ints(5, 6, 7)])
class WaitsForItself:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)
            jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, i, 0), 0)  # <wait>
            box_ref[0] = x_ref[i]
            plgpu.atomic_xchg(flag_ref, i, 1)
        return mailbox(kernel, zero, x, programs=3)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, i - 1, 0), 0)
            box_ref[0] = x_ref[i]
            o_ref[0] = i
            plgpu.atomic_xchg(flag_ref, i, 1)
        return mailbox(kernel, zero, x, programs=3)

    def outputs(zero, x):
        return zero + 1, x[2:], ints(2)


@defect("each of two programs waits for the other one before it sets its flag",
        livelock("wait", 0, "flag_ref", 1), also=["output-unwritten"], inputs=[ints(0, 0), ints(5, 6)])
class TwoWaitForEachOther:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]
            jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 1 - i, 0), 0)  # <wait>
            plgpu.atomic_xchg(flag_ref, i, 1)
            o_ref[i] = box_ref[1 - i]
        return mailbox(kernel, zero, x, boxes=2, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)
            box_ref[i] = x_ref[i]
            plgpu.atomic_xchg(flag_ref, i, 1)
            jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, 1 - i, 0), 0)
            o_ref[i] = box_ref[1 - i]
        return mailbox(kernel, zero, x, boxes=2, out=2)

    def outputs(zero, x):
        return zero + 1, x, x[::-1]


@defect("a token goes round a ring of three, and nobody has it at first",
        livelock("wait", 0, "flag_ref", 2), also=["output-unwritten"], inputs=[ints(0, 0, 0), ints(5, 6, 7)])
class RingWithoutABeginning:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)
            before = jax.lax.rem(i + 2, 3)
            jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, before, 0), 0)  # <wait>
            o_ref[i] = x_ref[i]
            box_ref[0] = i
            plgpu.atomic_xchg(flag_ref, i, 1)
        return mailbox(kernel, zero, x, programs=3, out=3)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i > 0)
            def _():
                jax.lax.while_loop(lambda flag: flag == 0, lambda _: plgpu.atomic_add(flag_ref, i - 1, 0), 0)
            o_ref[i] = x_ref[i]
            box_ref[0] = i
            plgpu.atomic_xchg(flag_ref, i, 1)
        return mailbox(kernel, zero, x, programs=3, out=3)

    def outputs(zero, x):
        return zero + 1, ints(2), x


@defect("the second of two items overwrites the first one before it is taken out of its slot",
        race("box_ref", (0,), ("put", (0,)), ("take", (1,))), by_check=True, also=["order-dependence", "undefined-output"],
        inputs=[ints(0, 0), ints(7, 8)])
class SlotOverwritten:
    def broken(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            for k in range(2):
                @program(0)
                def _():
                    box_ref[0] = x_ref[k]  # <put>
                    plgpu.atomic_xchg(flag_ref, 0, k + 1)

                @program(1)
                def _():
                    jax.lax.while_loop(lambda put: put <= k, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                    o_ref[k] = box_ref[0]  # <take>
                    plgpu.atomic_xchg(flag_ref, 1, k + 1)
        return mailbox(kernel, zero, x, out=2)

    def repaired(zero, x):
        def kernel(zero_ref, x_ref, flag_ref, box_ref, o_ref):
            for k in range(2):
                @program(0)
                def _():
                    jax.lax.while_loop(lambda taken: taken < k, lambda _: plgpu.atomic_add(flag_ref, 1, 0), 0)
                    box_ref[0] = x_ref[k]
                    plgpu.atomic_xchg(flag_ref, 0, k + 1)

                @program(1)
                def _():
                    jax.lax.while_loop(lambda put: put <= k, lambda _: plgpu.atomic_add(flag_ref, 0, 0), 0)
                    o_ref[k] = box_ref[0]
                    plgpu.atomic_xchg(flag_ref, 1, k + 1)
        return mailbox(kernel, zero, x, out=2)

    def outputs(zero, x):
        return ints(2, 2), x[1:], x


@defect("a semaphore is polled that no program signals",
        Finding("livelock", "poll", (1,), "ready", None, "read", (1,)), also=["output-unwritten"], inputs=[ints(7)])
class PolledSemaphore:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            @program(1)
            def _():
                count = jax.lax.while_loop(lambda count: count == 0,  # <poll>
                                           lambda _: pl.semaphore_read(ready), 0)  # <read>
                o_ref[0] = x_ref[0] + count
        return call(kernel, i32(1), x, grid=2, order=["arbitrary"], scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            @program(0)
            def _():
                pl.semaphore_signal(ready, 1)

            @program(1)
            def _():
                count = jax.lax.while_loop(lambda count: count == 0, lambda _: pl.semaphore_read(ready), 0)
                o_ref[0] = x_ref[0] + count
                pl.semaphore_wait(ready, 1)
        return call(kernel, i32(1), x, grid=2, order=["arbitrary"], scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    def outputs(x):
        return (x + 1,)


@defect("a semaphore is polled for one that is more than the count of the signals",
        Finding("livelock", "poll", (0,), "ready", None, "read", (0,)), also=["output-unwritten", "semaphore-left"], inputs=[ints(7)])
class PolledBeyondTheSignals:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready, 2)
            count = jax.lax.while_loop(lambda count: count <= 2,  # <poll>
                                       lambda _: pl.semaphore_read(ready), 0)  # <read>
            o_ref[0] = x_ref[0] + count
            pl.semaphore_wait(ready, 2)
        return call(kernel, i32(1), x, grid=1, order=["arbitrary"], scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready, 2)
            count = jax.lax.while_loop(lambda count: count < 2, lambda _: pl.semaphore_read(ready), 0)
            o_ref[0] = x_ref[0] + count
            pl.semaphore_wait(ready, 2)
        return call(kernel, i32(1), x, grid=1, order=["arbitrary"], scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    def outputs(x):
        return (x + 2,)
