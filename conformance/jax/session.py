"""One file of JAX's tests in a process of its own: started, watched, and started again behind a test that ended it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from suites import Checkout, SuiteError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
POLL_SECONDS = 0.2
RESTARTS_MOST = 25


@dataclass(frozen=True)
class Settings:
    """How the tests of a session are run."""

    backend: str = "tilegrind"  # or "stock": JAX's own interpreter
    order: str = "sequential"
    compat: str = "strict"
    findings: str = "warn"  # "raise": a test fails by what is found in its kernels, be its numbers right
    lifted: bool = False  # pass over the skips of lifts.py, and run the tests named there only
    quiet_seconds: float = 600.0  # a test that takes longer is ended

    def for_plugin(self) -> dict[str, Any]:
        names = ("backend", "order", "compat", "findings", "lifted")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Outcome:
    """What became of one test."""

    test: str
    result: str  # passed, skipped, failed, refused, crashed, timed out
    message: str = ""  # of a skip or failure: its last line
    runs: int = 0  # kernels that Tilegrind executed in it
    seconds: float = 0.0
    lift: str = ""  # in a session of lifted tests: the name of the lift that let it run
    findings: tuple[str, ...] = ()  # what Tilegrind said of its kernels


@dataclass
class Session:
    """All outcomes of one file."""

    file: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    seconds: float = 0.0


def without_root(outcome: Outcome, root: Path) -> Outcome:
    """The outcome with paths in its texts as they are inside the checkout, the same on every machine."""
    texts = [text.replace(f"{root}/", "") for text in (outcome.message, *outcome.findings)]
    return replace(outcome, message=texts[0], findings=tuple(texts[1:]))


def read_outcomes(lines: list[str]) -> tuple[list[Outcome], str | None]:
    """The outcomes that a worker wrote, and the test that had started but not ended."""
    outcomes: dict[str, Outcome] = {}
    running: str | None = None
    for line in lines:
        if not line.endswith("\n"):
            break  # cut short when the process ended
        entry = json.loads(line)
        event, test = entry.pop("event"), entry["test"]
        if event == "start":
            running = test
        elif event == "end":
            running = None
            outcomes[test] = Outcome(**entry)
        else:  # findings follow the end of their test
            outcomes[test] = replace(outcomes[test], findings=(*outcomes[test].findings, entry["text"]))
    return list(outcomes.values()), running


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without settings that change JAX's tests, and with `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "PYTEST_")) and name != "XLA_FLAGS"}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), str(ROOT / "python"), kept.get("PYTHONPATH")]))
    kept.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))
    # NPROC is the size of XLA's pool of threads: with fewer than two JAX's TPU interpreter can lock up.
    return {**kept, "JAX_PLATFORMS": "cpu", "NPROC": "16", "PYTHONDONTWRITEBYTECODE": "1", **extra}


def pytest_command(checkout: Checkout, file: str) -> list[str]:
    # No configuration file, so that JAX's pyproject.toml does not choose options; the root makes ids as in the list of stock passes.
    return [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "suite_plugin"),
        *("-c", os.devnull, f"--rootdir={checkout.root}", str(checkout.path_of(file))),
    ]


def watch(process: subprocess.Popen[bytes], record: Path, quiet_seconds: float) -> bool:
    """Wait for the end of a worker; False if it wrote no outcome for `quiet_seconds` and was killed."""
    size, since = 0, time.monotonic()
    while process.poll() is None:
        time.sleep(POLL_SECONDS)
        now_size = record.stat().st_size
        if now_size != size:
            size, since = now_size, time.monotonic()
        elif time.monotonic() - since > quiet_seconds:
            process.kill()
            process.wait()
            return False
    return True


def run_once(checkout: Checkout, file: str, settings: Settings, done: list[str], scratch: Path) -> list[Outcome]:
    """One worker over the tests of `file` that are not `done`."""
    record, job, log = scratch / "outcomes.jsonl", scratch / "job.json", scratch / "log.txt"
    record.write_bytes(b"")
    job.write_text(json.dumps({**settings.for_plugin(), "jax": str(checkout.root), "record": str(record), "done": done}))
    with log.open("ab") as output:
        process = subprocess.Popen(
            pytest_command(checkout, file),
            cwd=scratch,
            env=environment({"TILEGRIND_SUITE_JOB": str(job)}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            in_time = watch(process, record, settings.quiet_seconds)
        except BaseException:
            process.kill()
            raise
    outcomes, running = read_outcomes(record.read_text().splitlines(keepends=True))
    if running is not None:
        message = f"the process ended with status {process.returncode}" if in_time else f"no end after {settings.quiet_seconds:.0f} s"
        outcomes.append(Outcome(running, "crashed" if in_time else "timed out", message))
    elif process.returncode not in (0, 1, 5):  # passed, failures, nothing collected
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise SuiteError(f"{file}: pytest ended with status {process.returncode} outside any test:\n{tail}")
    return [without_root(outcome, checkout.root) for outcome in outcomes]


def run_file(
    checkout: Checkout,
    file: str,
    settings: Settings,
    scratch: Path,
    progress: Callable[[str], None] = lambda _: None,
    leave_out: Iterable[str] = (),
) -> Session:
    """All tests of one file but those to `leave_out`.  A test that ends its process costs a restart, and no other test.

    `scratch` is a folder that does not exist yet; `progress` is told of each restart."""
    session, start = Session(file), time.monotonic()
    scratch.mkdir(parents=True)
    leave_out = list(leave_out)
    for _ in range(RESTARTS_MOST):
        outcomes = run_once(checkout, file, settings, [*leave_out, *session.outcomes], scratch)
        session.outcomes.update((outcome.test, outcome) for outcome in outcomes)
        if not outcomes or outcomes[-1].result not in ("crashed", "timed out"):
            break
        progress(f"{file}: {outcomes[-1].test} {outcomes[-1].result}; going on with the next")
    else:
        raise SuiteError(f"{file}: {RESTARTS_MOST} tests ended their process; giving up")
    session.seconds = time.monotonic() - start
    return session
