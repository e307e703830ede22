"""Runs one file of JAX's tests in a process of its own: starts it, watches it, and restarts it after a test that ended it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from conformance.jax.suites import Checkout, SuiteError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
POLL_SECONDS = 0.2
LOADING_SECONDS = 600.0  # time allowed until the first test starts; on a busy machine imports are slow
PROGRESS_SECONDS = 30.0  # between two lines that say how far a file is
RESTARTS_MOST = 25


def widest_vectors(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """"avx512", "avx2", or "" on other machines: XLA's own sums, with which tests compare, depend on this."""
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    flags = next((line.split() for line in text.splitlines() if line.startswith("flags")), [])
    return "avx512" if "avx512f" in flags else "avx2" if "avx2" in flags else ""


@dataclass(frozen=True)
class Settings:
    """How the tests of a session are run."""

    interpreter: str = "tilegrind"  # or "stock": JAX's own
    backend: str = "cpu"  # for tilegrind: "cpu", "emulator[:SEED]", "gpu[:NUMBER]"
    order: str = "sequential"
    compat: str = "strict"
    findings: str = "warn"  # "raise": a test fails if its kernels have findings, even if its numbers are right
    lifted: bool = False  # ignore the skips of lifts.py, and run only the tests named there
    gpu: bool = False  # tell the tests of GPUs, by gpu_answers.py
    gpu_races: bool = False  # answer what the newest tests of races ask, by gpu_race_answers.py
    tests: str = "*"  # a pattern of the ids of tests to run
    quiet_seconds: float = 600.0  # a test that takes longer is ended
    vectors: str = field(default_factory=widest_vectors)  # of the machine

    def for_plugin(self) -> dict[str, Any]:
        names = ("interpreter", "backend", "order", "compat", "findings", "lifted", "gpu", "gpu_races", "tests")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Outcome:
    """Result of one test."""

    test: str
    result: str  # passed, skipped, unjudged, failed, refused, crashed, timed out
    message: str = ""  # of a skip or failure: its last line
    refusal: str = ""  # of a refused one: the construct and why, without where it is
    runs: int = 0  # kernels that Tilegrind executed in it
    seconds: float = 0.0
    lift: str = ""  # in a session of lifted tests: the name of the lift that let it run
    findings: tuple[str, ...] = ()  # findings in its kernels


@dataclass(frozen=True)
class Times:
    """Times of sessions, in seconds."""

    wall: float = 0.0
    cpu: float = 0.0  # user and system time of their processes, and of those that they started and waited for

    def __add__(self, other: Times) -> Times:
        return Times(self.wall + other.wall, self.cpu + other.cpu)


@dataclass
class Session:
    """All outcomes of one file."""

    file: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    times: Times = Times()


def without_root(outcome: Outcome, root: Path) -> Outcome:
    """The outcome with paths relative to the checkout in its texts, so that they are the same on every machine."""
    texts = [text.replace(f"{root}/", "") for text in (outcome.message, *outcome.findings)]
    return replace(outcome, message=texts[0], findings=tuple(texts[1:]))


def read_outcomes(lines: list[str]) -> tuple[list[Outcome], str | None]:
    """The outcomes that a worker wrote, and the test that had started but not ended."""
    outcomes: dict[str, Outcome] = {}
    running: str | None = None
    for line in lines:
        if not line.endswith("\n"):
            break  # the line was cut off when the process ended
        entry = json.loads(line)
        event, test = entry.pop("event"), entry.get("test", "")
        if event == "collected":
            continue
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
    # NPROC is the size of XLA's thread pool: with fewer than two threads JAX's TPU interpreter can lock up.
    return {**kept, "JAX_PLATFORMS": "cpu", "NPROC": "16", "PYTHONDONTWRITEBYTECODE": "1", **extra}


def pytest_command(checkout: Checkout, file: str) -> list[str]:
    # No configuration file, so that JAX's pyproject.toml does not choose options; the root makes ids as in the list of stock passes.
    return [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "suite_plugin"),
        *("-c", os.devnull, f"--rootdir={checkout.root}", str(checkout.path_of(file))),
    ]


@dataclass(frozen=True)
class End:
    """How a worker ended."""

    status: int  # its exit status; below zero: the signal that ended it
    in_time: bool  # false if it was killed because it wrote nothing for too long
    cpu_seconds: float  # as in Times


def reap(process: subprocess.Popen[bytes], options: int) -> float | None:
    """The CPU seconds of a worker that has ended, None for a running one.  Like `process.wait`, which does not return times."""
    pid, status, usage = os.wait4(process.pid, options)
    if pid == 0:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def progress_of(record: Path) -> str:
    """How many of how many tests have ended."""
    lines = record.read_text().split("\n")[:-1]  # the last one may not be complete
    ended = sum(line.startswith('{"event": "end"') for line in lines)
    collected = next((json.loads(line)["tests"] for line in lines if line.startswith('{"event": "collected"')), 0)
    return f"{ended} of {collected} tests"


def watch(
    process: subprocess.Popen[bytes], record: Path, quiet_seconds: float, progress: Callable[[str], None] = lambda _: None
) -> End:
    """Wait for the end of a worker; it is killed if it writes nothing for `quiet_seconds` once tests have begun."""
    size, since, in_time = 0, time.monotonic(), True
    told = since
    while (cpu_seconds := reap(process, os.WNOHANG if in_time else 0)) is None:
        time.sleep(POLL_SECONDS)
        if time.monotonic() - told > PROGRESS_SECONDS:
            told = time.monotonic()
            progress(progress_of(record))
        now_size = record.stat().st_size
        if now_size != size:
            size, since = now_size, time.monotonic()
        elif time.monotonic() - since > (quiet_seconds if size else max(quiet_seconds, LOADING_SECONDS)):
            process.kill()
            in_time = False
    return End(process.returncode, in_time, cpu_seconds)


def run_once(
    checkout: Checkout, file: str, settings: Settings, done: list[str], scratch: Path, progress: Callable[[str], None]
) -> tuple[list[Outcome], float]:
    """One worker over the tests of `file` that are not `done`: their outcomes, and its CPU seconds."""
    record, job, log = scratch / "outcomes.jsonl", scratch / "job.json", scratch / "log.txt"
    record.write_bytes(b"")
    job.write_text(json.dumps({**settings.for_plugin(), "file": file, "jax": str(checkout.root), "record": str(record), "done": done}))
    with log.open("ab") as output:
        process = subprocess.Popen(
            pytest_command(checkout, file),
            cwd=scratch,
            env=environment({"TILEGRIND_SUITE_JOB": str(job)}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            end = watch(process, record, settings.quiet_seconds, lambda text: progress(f"{file}: {text}"))
        except BaseException:
            process.kill()
            raise
    outcomes, running = read_outcomes(record.read_text().splitlines(keepends=True))
    if running is not None:
        message = f"the process ended with status {end.status}" if end.in_time else f"no end after {settings.quiet_seconds:.0f} s"
        outcomes.append(Outcome(running, "crashed" if end.in_time else "timed out", message))
    elif end.status not in (0, 1, 5):  # passed, failures, nothing collected
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise SuiteError(f"{file}: pytest ended with status {end.status} outside any test:\n{tail}")
    return [without_root(outcome, checkout.root) for outcome in outcomes], end.cpu_seconds


def run_file(
    checkout: Checkout,
    file: str,
    settings: Settings,
    scratch: Path,
    progress: Callable[[str], None] = lambda _: None,
    leave_out: Iterable[str] = (),
) -> Session:
    """Runs all tests of one file but those to `leave_out`.  A test that ends its process costs a restart, but no other test.

    `scratch` is a folder that does not exist yet; `progress` is called now and then, and for each restart."""
    session = Session(file)
    scratch.mkdir(parents=True)
    leave_out = list(leave_out)
    for _ in range(RESTARTS_MOST):
        start = time.monotonic()
        outcomes, cpu_seconds = run_once(checkout, file, settings, [*leave_out, *session.outcomes], scratch, progress)
        session.times += Times(time.monotonic() - start, cpu_seconds)
        session.outcomes.update((outcome.test, outcome) for outcome in outcomes)
        if not outcomes or outcomes[-1].result not in ("crashed", "timed out"):
            break
        progress(f"{file}: {outcomes[-1].test} {outcomes[-1].result}; going on with the next")
    else:
        raise SuiteError(f"{file}: {RESTARTS_MOST} tests ended their process; giving up")
    return session
