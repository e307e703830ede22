"""Bounds that people chose, rebuilt from public threads: right results must pass, wrong ones fail.  The rules are those of the
threads, the kernels are ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

import tilegrind
from tilegrind.golden.sensitivity import Trial
from tilegrind.golden.subject import Subject
from tilegrind.mutants import kernel_mutants

from . import rewrites
from .recorded import normal_trial, subject_of_task
from .rules import Rule
from .tables import Part, Table
from .vacuous_tasks import Shapes, Task, group_norm, softmax

Judge = Callable[[np.ndarray, np.ndarray], bool]


@dataclass(frozen=True)
class Thread:
    """A thread.  `variant` is a legitimate variant of rewrites, `mutant` a kind of mutants; "" where the thread has none."""

    name: str
    about: str
    compute: Callable[..., jax.Array]
    shapes: Shapes
    rule: str
    theirs: Judge
    variant: str = ""
    mutant: str = ""
    dtype: str = "float32"


def close(rtol: float, atol: float) -> Judge:
    rule = Rule("", "", "", lambda dtype, length: (rtol, atol))
    return lambda want, got: rule.accepts({"o": want}, {"o": got}, 1)


def correlated(least: float) -> Judge:
    return lambda want, got: float(np.corrcoef(want.astype(np.float64).ravel(), got.astype(np.float64).ravel())[0, 1]) >= least


def _dot(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)


def _attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    return _dot(softmax(jnp.dot(q, k.T, preferred_element_type=jnp.float32) * 0.125, 1), v)


_MATRICES = ((128, 512), (512, 128))
THREADS = (
    Thread("sgl-project/sglang#35795", "half an ULP of bf16 at 16 is 0.0625", _dot, _MATRICES, "atol 0.06", close(0, 0.06),
           variant="sums in 5 parts, last first", mutant="term-dropped", dtype="bfloat16"),
    Thread("Xilinx/mlir-air#1427", "flash attention with correlation 0.086 passes", _attention, ((64, 64), (1024, 64), (1024, 64)),
           "rtol 0.2, atol 0.5", close(0.2, 0.5), variant="functions rounded up", mutant="mean-of-rows"),
    Thread("linkedin/Liger-Kernel#192", "atol 1 in f32", _dot, ((32, 64), (64, 32)), "atol 1", close(0, 1.0),
           variant="sums in 4 parts", mutant="operand-bf16"),
    Thread("tenstorrent/tt-metal#50682", "padding in the statistics of a group norm", lambda x: group_norm(x, 4), ((16, 200),),
           "correlation 0.99", correlated(0.99), variant="sums in 3 parts", mutant="mean-by-padded-n"),
    Thread("KernelBench-Hard, Kahan softmax", "results of 3e-5 at 1e-5: compensation is not needed", lambda x: softmax(x, 1),
           ((2, 32768),), "rtol = atol = 1e-5", close(1e-5, 1e-5), variant="sums in f64", mutant="accumulator-bf16"),
)


def run(quick: bool, say=lambda text: None) -> Part:
    """The verdicts of all threads; ours must all be right."""
    table = Table("Bounds that people chose", ["thread", "what happened", "their rule", "right result: theirs", "ours",
                                               "wrong result", "theirs", "ours"])
    failures = []
    for thread in THREADS:
        say(thread.name)
        subject = subject_of_task(Task(thread.name, "", "", "", "", thread.compute, thread.shapes, 1, dtype=thread.dtype))
        trial = normal_trial(subject)
        right, wrong = _verdicts(thread, trial, _variant(subject, trial, thread.variant)), _verdicts(
            thread, trial, _mutant(subject, trial, thread.mutant))
        failures += [f"{thread.name}: the right result fails"] * (right[1] != "passes")
        failures += [f"{thread.name}: {thread.mutant} passes"] * (wrong[1] != "fails")
        table.add(thread.name, thread.about, thread.rule, *right, thread.mutant, *wrong)
    table.notes = ["Right results are legitimate variants of the kernel, wrong ones mutants, all on normal inputs; theirs compares with "
                   "the interpreter's result, ours with R and B under contract ieee."]
    return Part([table], failures)


def _verdicts(thread: Thread, trial: Trial, outputs: dict[str, np.ndarray]) -> tuple[str, str]:
    (name, expected), = trial.witness.outputs.items()
    ours = not any(verdict.failed for verdict in trial.witness.judge(outputs))
    return tuple("passes" if passed else "fails" for passed in (thread.theirs(expected.bits, outputs[name]), ours))


def _variant(subject: Subject, trial: Trial, name: str) -> dict[str, np.ndarray]:
    module = dict(rewrites.variants(subject.tree(), subject.kernel))[name]
    return subject.run(module, trial.arrays).outputs


def _mutant(subject: Subject, trial: Trial, kind: str) -> dict[str, np.ndarray]:
    (name, expected), = trial.witness.outputs.items()
    if kind == "mean-of-rows":
        values = expected.bits
        return {name: np.broadcast_to(values.mean(axis=1, keepdims=True), values.shape).astype(values.dtype)}
    module = next(one.module for one in kernel_mutants(subject.tree(), subject.kernel) if one.kind.name == kind)
    return subject.run(tilegrind.loads(json.dumps(module)), trial.arrays).outputs
