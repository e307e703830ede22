"""Bounds that people chose, rebuilt from public threads: right results must pass, wrong ones fail.  The rules are those of
the threads, the kernels are ours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

import tilegrind
from tilegrind.golden.candidates import kept
from tilegrind.golden.sensitivity import Trial
from tilegrind.golden.subject import Subject
from tilegrind.judging import InputSet
from tilegrind.mutants import kernel_mutants

from . import rewrites
from .recorded import rounded_once, subject_of_task
from .rules import Rule
from .tables import Part, Table
from .vacuous_tasks import Shapes, Task, group_norm, softmax

Judge = Callable[[np.ndarray, np.ndarray], bool]
Outputs = dict[str, np.ndarray]
EXACT = "exact, rounded once"


@dataclass(frozen=True)
class Thread:
    """A thread.

    right, wrong  a result that must pass, and one that must fail: a legitimate variant of rewrites, a kind of mutants, EXACT
                  or "mean-of-rows"
    reference     what their rule compares with: the interpreter's result, or another of these
    """

    name: str
    about: str
    compute: Callable[..., jax.Array]
    shapes: Shapes
    rule: str
    theirs: Judge
    right: str
    wrong: str
    dtype: str = "float32"
    inputs: str = "normal"
    settings: dict = field(default_factory=dict)
    reference: str = ""


def close(rtol: float, atol: float) -> Judge:
    rule = Rule("", "", "", lambda dtype, length: (rtol, atol))
    return lambda want, got: rule.accepts({"o": want}, {"o": got}, 1)


def correlated(least: float) -> Judge:
    return lambda want, got: float(np.corrcoef(want.astype(np.float64).ravel(), got.astype(np.float64).ravel())[0, 1]) >= least


def _dot(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)


def _attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    return _dot(softmax(jnp.dot(q, k.T, preferred_element_type=jnp.float32) * 0.125, 1), v)


def _attention_in_steps(x: jax.Array, q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Attention whose every step is rounded to the dtype of its operands, and a residual."""
    p = softmax((_dot(q, k.T) * 0.125).astype(jnp.float32), 1).astype(v.dtype)
    return 4 * x + _dot(p, v)


def _product_of_fp8(x: jax.Array, w: jax.Array) -> jax.Array:
    """In bf16, as the task's reference does; 2^-6 is about the size of its weights."""
    return (_dot32(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)) * 2.0**-6).astype(jnp.bfloat16)


def _dot32(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.dot(x, y, preferred_element_type=jnp.float32)


_MATRICES = ((128, 512), (512, 128))
_ALIKE = close(0, 0)
THREADS = (
    Thread("sgl-project/sglang#35795", "half an ULP of bf16 at 16 is 0.0625", _dot, _MATRICES, "atol 0.06", close(0, 0.06),
           right="sums in 5 parts, last first", wrong="term-dropped", dtype="bfloat16"),
    Thread("HazyResearch/HipKittens#64", "1 % of a sum whose terms nearly cancel: torch's own result fails",
           lambda x, y: _dot(jnp.abs(x), y.T), ((128, 512), (128, 512)), "rtol 0.01, atol 1e-8", close(1e-2, 1e-8),
           right=EXACT, wrong="term-dropped", dtype="bfloat16", inputs="cancel"),
    Thread("aqlaboratory/openfold-3#240", "fails in 2 % of runs: a step of bf16 is 0.031 at 4", _attention_in_steps,
           ((64, 64), (64, 64), (256, 64), (256, 64)), "greatest difference 0.02", close(0, 0.02), right=EXACT,
           wrong="mean-of-rows", dtype="bfloat16"),
    Thread("Xilinx/mlir-air#1427", "flash attention with correlation 0.086 passes", _attention, ((64, 64), (1024, 64), (1024, 64)),
           "rtol 0.2, atol 0.5", close(0.2, 0.5), right="functions rounded up", wrong="mean-of-rows"),
    Thread("linkedin/Liger-Kernel#192", "atol 1 in f32", _dot, ((32, 64), (64, 32)), "atol 1", close(0, 1.0),
           right="sums in 4 parts", wrong="operand-bf16"),
    Thread("tenstorrent/tt-metal#50682", "padding in the statistics of a group norm", lambda x: group_norm(x, 4), ((16, 200),),
           "correlation 0.99", correlated(0.99), right="sums in 3 parts", wrong="mean-by-padded-n"),
    Thread("KernelBench-Hard, Kahan softmax", "results of 3e-5 at 1e-5: compensation is not needed", lambda x: softmax(x, 1),
           ((2, 32768),), "rtol = atol = 1e-5", close(1e-5, 1e-5), right="sums in f64", wrong="accumulator-bf16"),
    Thread("KernelBench-Hard, FP8 GEMM", "0.15 hides what fp8 must not lose: all fast answers compute in bf16, which is right",
           _product_of_fp8, ((64, 1024), (1024, 64)), "rtol = atol = 0.15", close(0.15, 0.15), right="sums in 16 parts",
           wrong="term-dropped", dtype="float8_e4m3fn"),
    Thread("iree-org/iree#15930", "bf16 accumulators are not exact from 256 on", _dot, ((64, 512), (512, 64)),
           "equal to sums in bf16", _ALIKE, right=EXACT, wrong="accumulator-bf16", dtype="bfloat16", inputs="whole",
           settings={"most": 7}, reference="accumulator-bf16"),
    Thread("iree-org/iree#15930, below 256", "smaller elements, as the thread does: all orders are exact", _dot,
           ((64, 512), (512, 64)), "equal to sums in bf16", _ALIKE, right="accumulator-bf16", wrong="term-dropped",
           dtype="bfloat16", inputs="whole", settings={"most": 1, "of": 4}, reference="accumulator-bf16"),
)


def run(quick: bool, say=lambda text: None) -> Part:
    """The verdicts of all threads; ours must all be right."""
    table = Table("Bounds that people chose", ["thread", "what happened", "their rule", "right result", "theirs", "ours",
                                               "wrong result", "theirs", "ours"])
    failures = []
    for thread in THREADS:
        say(thread.name)
        subject = subject_of_task(Task(thread.name, "", "", "", "", thread.compute, thread.shapes, 1, dtype=thread.dtype))
        trial = _trial(subject, thread)
        right, wrong = (_verdicts(thread, subject, trial, what) for what in (thread.right, thread.wrong))
        failures += [f"{thread.name}: {thread.right} fails"] * (right[1] != "passes")
        failures += [f"{thread.name}: {thread.wrong} passes"] * (wrong[1] != "fails")
        table.add(thread.name, thread.about, thread.rule, thread.right, *right, thread.wrong, *wrong)
    table.notes = ["Right results are legitimate variants of the kernel, wrong ones mutants; theirs compares with the "
                   "interpreter's result, in iree's thread with sums in bf16, as its reference has them; ours with R and B under "
                   "contract ieee.",
                   "Inputs are normal, in HipKittens' thread sums that cancel, in iree's whole numbers."]
    return Part([table], failures)


def _trial(subject: Subject, thread: Thread) -> Trial:
    inputs = InputSet(thread.inputs, 1, thread.settings, kept(subject))
    arrays = subject.arrays(inputs)
    return Trial(inputs, arrays, subject.witness(arrays, inputs.is_random))


def _verdicts(thread: Thread, subject: Subject, trial: Trial, what: str) -> tuple[str, str]:
    (name, expected), = trial.witness.outputs.items()
    outputs = _outputs(subject, trial, what)
    want = _outputs(subject, trial, thread.reference)[name] if thread.reference else expected.bits
    ours = not any(verdict.failed for verdict in trial.witness.graded(outputs))
    return tuple("passes" if passed else "fails" for passed in (thread.theirs(want, outputs[name]), ours))


def _outputs(subject: Subject, trial: Trial, what: str) -> Outputs:
    if what == EXACT:
        return rounded_once(trial)
    if what == "mean-of-rows":
        (name, expected), = trial.witness.outputs.items()
        values = expected.bits.astype(np.float64)
        return {name: np.broadcast_to(values.mean(axis=1, keepdims=True), values.shape).astype(expected.bits.dtype)}
    if what in rewrites.NAMES:
        module = dict(rewrites.variants(subject.tree(), subject.kernel))[what]
    else:
        mutant = next(one for one in kernel_mutants(subject.tree(), subject.kernel) if one.kind.name == what)
        module = tilegrind.loads(json.dumps(mutant.module))
    return subject.run(module, trial.arrays).outputs
