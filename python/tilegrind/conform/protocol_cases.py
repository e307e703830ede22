"""Cases of level L0: what a runner answers, whatever it can compute."""

from __future__ import annotations

from typing import Callable

from ..digests import digest
from .messages import LATER_COMMAND
from .session import Session
from .suite import module_text
from .verdicts import Fault, Verdict


def _judged(check: Callable[[Session], str | None]) -> Callable[[Session], Verdict]:
    """A check as a case: it says what is wrong, or None."""
    def case(session: Session) -> Verdict:
        try:
            session.start()
            problem = check(session)
            session.expect_silence()
        except Fault as fault:
            session.kill()
            return fault.verdict
        return Verdict("bad-answer", problem) if problem else Verdict("equal")
    return case


def _hello(session: Session) -> str | None:
    """A runner that starts answers hello."""
    session.stop()
    session.start()
    return None


def _unknown_command(session: Session) -> str | None:
    """A command of a later version is answered with `unsupported`."""
    answer = session.ask({"cmd": LATER_COMMAND}, session.limits.run)
    return None if "unsupported" in answer else f"{answer} in answer to a command that does not exist"


def _unknown_member(session: Session) -> str | None:
    """Members that the protocol does not have are ignored."""
    answer = session.ask({"cmd": LATER_COMMAND, "a-member-of-a-later-version": {"seq": 99}}, session.limits.run)
    return None if "unsupported" in answer else f"{answer} in answer to a request with a member that does not exist"


def _broken_kernel(session: Session) -> str | None:
    """A file that is no module is an error, or unsupported, and the runner goes on."""
    text = module_text({"tilegrind": "0.1", "kernels": [{"name": "broken"}]})
    path = session.kernels / "broken.json"
    path.write_text(text, encoding="utf-8")
    request = {"cmd": "load", "kernel": "broken", "path": str(path), "digest": digest(text)}
    answer = session.ask(request, session.limits.run)
    return "a file that is no module is loaded" if "ok" in answer else None


def _kernel_never_loaded(session: Session) -> str | None:
    """A run of a kernel that was never loaded is an error, or unsupported."""
    nowhere = {"path": "/nowhere"}
    answer = session.ask({"cmd": "run", "kernel": "never-loaded", "inputs": nowhere, "outputs": nowhere,
                          "order": "sequential", "grid": [], "deadline_ms": 1000}, session.limits.run)
    return "a kernel that was never loaded runs" if "ok" in answer else None


def _bye(session: Session) -> str | None:
    """After bye the process ends."""
    fault = session.stop()
    session.start()
    if fault:
        raise fault
    return None


CASES = {check.__name__.lstrip("_").replace("_", "-"): _judged(check)
         for check in (_hello, _unknown_command, _unknown_member, _broken_kernel, _kernel_never_loaded, _bye)}
