"""What a case may come out as."""

from __future__ import annotations

from dataclasses import dataclass, field

# Verdicts with which a case is met, those that say nothing against an implementation, and all others: its faults.
MET = {
    "equal": "the bits that the suite has",
    "within": "within the bound of the contract",
}
NEUTRAL = {
    "not-claimed": "the runner's hello leaves the case out",
    "unsupported": "the runner answered that it does not support the kernel, which it had not claimed",
    "skipped": "not run",
}
FAULTS = {
    # of results
    "differs": "other bits, of a result that is determined",
    "outside": "farther from the exact result than the contract allows",
    "biased": "all results are within their bounds, but the errors lean to one side",
    "special-differs": "NaN, infinity or the sign of zero differs",
    "undefined-differs": "defined where the result is undefined, or the other way round",
    "unjudged": "no bound is known for the kernel, and the bits differ",
    "not-written": "elements of an output are as the judge left them",
    "missing": "an output is missing",
    "nondeterministic": "two runs on the same inputs gave other bits",
    "from-cache": "the result of earlier inputs was given for other inputs",
    # of what a runner may touch
    "shape": "the header of the file of outputs changed",
    "output-replaced": "the file of outputs is another file now, or has another size",
    "wrote-outside": "memory around an output changed",
    "input-modified": "an input changed",
    # of the runner's process
    "claimed-unsupported": "the runner's hello claims the case, but its answer is that it is unsupported",
    "error": "the runner answered with an error",
    "crash": "the process ended",
    "timeout": "no answer in time",
    "stderr-flood": "more on standard error than a judge keeps reading",
    "pipe-held": "the process ended, but a child of it keeps its standard output open",
    # of the protocol
    "bad-hello": "no fitting answer to hello",
    "not-json": "a line that is no JSON",
    "half-line": "a line without an end",
    "line-too-long": "a line longer than the protocol allows",
    "bad-answer": "an answer against the schema of the protocol",
    "wrong-seq": "an answer to another request",
    "two-answers": "more than one answer to a request",
}
ALL = {**MET, **NEUTRAL, **FAULTS}


@dataclass(frozen=True)
class Verdict:
    """``kind`` is a key of ALL; ``detail`` says what was seen and where."""

    kind: str
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in ALL:
            raise ValueError(f"{self.kind!r} is no verdict")

    @property
    def is_met(self) -> bool:
        return self.kind in MET

    @property
    def is_fault(self) -> bool:
        return self.kind in FAULTS


class Fault(Exception):
    """What a runner did against the protocol, as the verdict that it makes."""

    def __init__(self, kind: str, detail: str = ""):
        super().__init__(f"{kind}: {detail}")
        self.verdict = Verdict(kind, detail)
