"""Judges one case: three runs, each with its own poison and the same inputs in the first and the last.

Between these two the kernel runs on other inputs, the case's twin.  An implementation that answers from a cache, by the
kernel's name, the file's name or an address, gives the twin the result of the case.  Where there is no twin, only two runs
are made.
"""

from __future__ import annotations

import time

from . import files
from .comparing import same
from .files import Outputs, Written
from .numerics import DEFAULT_CONTRACT, judged
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
        verdict = _three_runs(session, case)
        session.expect_silence()
        return verdict
    except Unsupported as answer:
        return Verdict("unsupported" if claims is None else "claimed-unsupported", str(answer))
    except RunnerError as answer:
        return Verdict("error", str(answer))
    except Fault as fault:
        session.kill()
        return fault.verdict


def _three_runs(session: Session, case: Case) -> Verdict:
    kernel = session.load(case)
    pattern = files.poison()
    first = run_once(session, case, kernel, case.run, pattern)
    verdict = _compared(session, case, case.run, first)
    if not verdict.is_met:
        return verdict
    if case.twin:
        between = run_once(session, case, kernel, case.twin, files.poison())
        of_twin = _of_twin(session, case, first, between)
        if not of_twin.is_met:
            return of_twin
        verdict = of_twin if of_twin.kind == "within" else verdict
    second = run_once(session, case, kernel, case.run, files.complement(pattern))
    changed = same(first, second)
    if changed is not None:
        return _changed(session, case, changed, second)
    return verdict


def _compared(session: Session, case: Case, run: Run, got: dict[str, Written]) -> Verdict:
    return judged(case, run, got, (session.hello or {}).get("contract", DEFAULT_CONTRACT))


def _of_twin(session: Session, case: Case, first: dict[str, Written], between: dict[str, Written]) -> Verdict:
    verdict = _compared(session, case, case.twin, between)
    if verdict.is_met:
        return verdict
    if same(first, between) is None and _is_met_afresh(session, case):
        return Verdict("from-cache", f"the results of the inputs before; {verdict.detail}")
    return Verdict(verdict.kind, f"on the second set of inputs: {verdict.detail}")


def _is_met_afresh(session: Session, case: Case) -> bool:
    """Whether a new process, which has seen no other inputs, gives the right results for the twin."""
    session.kill()
    session.start()
    got = run_once(session, case, session.load(case), case.twin, files.poison())
    return _compared(session, case, case.twin, got).is_met


def _changed(session: Session, case: Case, name: str, second: dict[str, Written]) -> Verdict:
    """An output differs between two runs on the same inputs: nobody wrote it, or the runs differ."""
    verdict = _compared(session, case, case.run, second)
    if verdict.kind == "not-written":
        return verdict
    return Verdict("nondeterministic", f"{name} differs between two runs on the same inputs; {verdict.detail}".rstrip("; "))


def run_once(session: Session, case: Case, kernel: str, run: Run, pattern: bytes) -> dict[str, Written]:
    """What a run of a loaded kernel wrote into outputs that were filled with a pattern.  Raises Fault, Unsupported or
    RunnerError."""
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
