"""What does next to nothing: programs of a large grid, calls from JAX, and the command line on a tiny case."""

import os
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from launch import Launch
from peers import Compiled, interpreted
from tilegrind.pallas import capture, interpreter, statistics
from timing import Runner
from workloads import add

PROGRAMS = 1 << 18
INTERPRETED_PROGRAMS = 1 << 10  # JAX's interpreter copies whole arrays in each program
PROGRAM_REQUIRED = 150e-9  # seconds
CASE_REQUIRED = 10e-3
CALLS = 1000  # a run
CALL_REQUIRED = 2e-6  # over JAX's interpreter
ROOT = Path(__file__).resolve().parent.parent


# ---- programs ----

@dataclass(frozen=True)
class Small:
    """`pallas` takes `programs` and the array x, which has `elements` for each program, or 8 in all;
    `loop` is what it amounts to, for XLA's compiler."""

    name: str
    pallas: object
    loop: object
    elements: int | None
    required: float | None

    def array(self, programs):
        return jnp.ones(programs * self.elements if self.elements else 8, jnp.float32)


def launched(kernel, block, index_map):
    """A function for Small.pallas."""
    def pallas(x, programs, interpret=False, **options):
        spec = pl.BlockSpec((block,), index_map)
        return pl.pallas_call(kernel, grid=(programs,), in_specs=[spec], out_specs=spec, interpret=interpret,
                              out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), **options)(x)

    return pallas


def empty_kernel(x_ref, o_ref):
    pass


def scalar_kernel(x_ref, o_ref):
    o_ref[0] = jnp.float32(1)


def twice_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def empty_loop(x, programs):
    """XLA may not drop it: each turn depends on the last."""
    return lax.fori_loop(0, programs, lambda i, x: x * 0.5, x)


def scalar_loop(x, programs):
    return lax.fori_loop(0, programs, lambda i, out: out.at[i].set(1.0), jnp.zeros_like(x))


def twice_loop(x, programs):
    def turn(i, out):
        part = lax.dynamic_slice(x, (i * 8,), (8,))
        return lax.dynamic_update_slice(out, part + part, (i * 8,))

    return lax.fori_loop(0, programs, turn, jnp.zeros_like(x))


# The output of the empty program is its input, so that nothing is left unwritten.
PROGRAMS_MEASURED = [
    Small("empty", partial(launched(empty_kernel, 8, lambda i: 0), input_output_aliases={0: 0}), empty_loop,
          None, PROGRAM_REQUIRED),
    Small("stores one scalar", launched(scalar_kernel, 1, lambda i: i), scalar_loop, 1, PROGRAM_REQUIRED),
    Small("adds 8 elements", launched(twice_kernel, 8, lambda i: i), twice_loop, 8, None),
]


def measure_program(small, watch):
    """Times of one program by peer, and whether the results were right."""
    x, few = small.array(PROGRAMS), small.array(INTERPRETED_PROGRAMS)
    launch = Launch(partial(small.pallas, programs=PROGRAMS), (x,))
    loop = Compiled(partial(small.loop, programs=PROGRAMS), (x,))
    interpreter = interpreted(partial(small.pallas, programs=INTERPRETED_PROGRAMS), (few,))
    times = watch.measure({"tilegrind": Runner(launch), "xla": Runner(loop), "jax": Runner(interpreter)})
    counts = {"tilegrind": PROGRAMS, "xla": PROGRAMS, "jax": INTERPRETED_PROGRAMS}
    want = x if small.elements is None else loop.result
    is_right = launch.findings == 0 and np.array_equal(launch.outputs[0], want)
    return {name: times[name] / counts[name] for name in times}, is_right


# ---- calls from JAX ----

class Repeated:
    """`call`, many times."""

    def __init__(self, call):
        self.call = call

    def __call__(self):
        for _ in range(CALLS):
            self.call()


def measure_call(watch):
    """Times of one call of a compiled function by who runs its kernel, and whether the results were right."""
    x = jnp.arange(8, dtype=jnp.float32)
    pallas = partial(pl.pallas_call, twice_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)
    calls = {"jax": Compiled(lambda x: pallas()(x), (x,)), "xla": Compiled(lambda x: x + x, (x,))}
    with interpreter():
        calls["tilegrind"] = Compiled(lambda x: pallas()(x), (x,))
    before = statistics().runs
    calls["tilegrind"]()
    has_run = statistics().runs == before + 1
    times = watch.measure({name: Runner(Repeated(call)) for name, call in calls.items()})
    is_right = has_run and all(np.array_equal(call.result, x + x) for call in calls.values())
    return {name: times[name] / CALLS for name in times}, is_right


# ---- the command line ----

def measure_case(folder, watch):
    """Times of the whole process `tilegrind run CASE`, for an add of 64 elements in 8 programs."""
    x = jnp.arange(64, dtype=jnp.float32)
    with capture(folder) as session:
        jax.block_until_ready(add(x, x, block=8, interpret=True))
    command = [os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind")), "run", str(session.cases[0])]

    def run():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return watch.measure({"tilegrind": Runner(run, least=20)})["tilegrind"]
