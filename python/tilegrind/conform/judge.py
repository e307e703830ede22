"""Judges one case: three runs, each with its own poison and the same inputs in the first and the last.

Between these two the kernel runs on other inputs, the case's twin.  An implementation that answers from a cache, by the
kernel's name, the file's name or an address, gives the twin the result of the case.  Where there is no twin, only two runs
are made.
"""

from __future__ import annotations

import time

from . import files
from .comparing import compare, same
from .files import Outputs, Written
from .session import RunnerError, Session, Unsupported, checked
from .suite import Case, Run
from .verdicts import Fault, Verdict


def judge(session: Session, case: Case) -> Verdict:
    """The verdict on a case.  Starts the runner if it does not run, and ends it after a fault of its process."""
    begun = time.monotonic()
    verdict = _verdict(session, case)
    return Verdict(verdict.kind, verdict.detail, time.monotonic() - begun)


def _verdict(session: Session, case: Case) -> Verdict:
    claims = None
    try:
        claims = session.start().get("claims")
        missing = case.asked.missing_from(claims or {})
        if missing:
            return Verdict("not-claimed", ", ".join(missing))
        verdict = _judged(session, case)
        session.expect_silence()
        return verdict
    except Unsupported as answer:
        return Verdict("unsupported" if claims is None else "claimed-unsupported", str(answer))
    except RunnerError as answer:
        return Verdict("error", str(answer))
    except Fault as fault:
        session.kill()
        return fault.verdict


def _judged(session: Session, case: Case) -> Verdict:
    kernel = session.load(case)
    pattern = files.poison()
    first = _run(session, case, kernel, case.run, pattern)
    verdict = compare(case.run.expected, first)
    if not verdict.is_met:
        return verdict
    if case.twin:
        between = _run(session, case, kernel, case.twin, files.poison())
        verdict = _of_twin(case, first, between)
        if not verdict.is_met:
            return verdict
    second = _run(session, case, kernel, case.run, files.complement(pattern))
    changed = same(first, second)
    if changed is not None:
        return _changed(case, changed, second)
    return verdict if case.twin and verdict.kind != "equal" else compare(case.run.expected, second)


def _of_twin(case: Case, first: dict[str, Written], between: dict[str, Written]) -> Verdict:
    verdict = compare(case.twin.expected, between)
    if verdict.is_met:
        return verdict
    if same(first, between) is None:
        return Verdict("from-cache", f"the results of the inputs before; {verdict.detail}")
    return Verdict(verdict.kind, f"on the second set of inputs: {verdict.detail}")


def _changed(case: Case, name: str, second: dict[str, Written]) -> Verdict:
    """An output differs between two runs on the same inputs: nobody wrote it, or the runs differ."""
    verdict = compare(case.run.expected, second)
    if verdict.kind == "not-written":
        return verdict
    return Verdict("nondeterministic", f"{name} differs between two runs on the same inputs; {verdict.detail}".rstrip("; "))


def _run(session: Session, case: Case, kernel: str, run: Run, pattern: bytes) -> dict[str, Written]:
    """What a run wrote.  Raises Fault, Unsupported or RunnerError."""
    input_file, output_file, names = session.places()
    digest = files.write_inputs(input_file, run.inputs)
    outputs = Outputs(output_file, case.output_types, pattern)
    try:
        checked(session.ask({"cmd": "run", "kernel": kernel, **names, "order": case.order, "grid": list(case.grid),
                             "deadline_ms": int(session.limits.run * 1000)}, session.limits.run))
    except BaseException:
        outputs.close()
        raise
    written = outputs.read()
    files.check_inputs(input_file, digest)
    return written
