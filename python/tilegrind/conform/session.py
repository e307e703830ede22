"""Talks to a runner: starts it, says hello, loads kernels, runs them, and starts it again after a fault."""

from __future__ import annotations

import itertools
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from ..digests import digest
from . import messages
from .files import remove
from .process import Process
from .suite import Case, Suite
from .verdicts import Fault

_SHARED = Path("/dev/shm")  # where shm_open looks on Linux


@dataclass(frozen=True)
class Limits:
    """Seconds: to answer hello, to load a kernel, to run it."""

    start: float = 120.0
    load: float = 60.0
    run: float = 30.0


class Unsupported(Exception):
    """The runner's answer that it does not support something."""


class RunnerError(Exception):
    """The runner's answer that something failed."""


@dataclass
class Session:
    """A runner's command, and its process while there is one.  ``folder`` is the runner's to write in."""

    command: Sequence[str]
    suite: Suite
    limits: Limits = Limits()
    starts: int = 0
    hello: dict[str, Any] | None = None
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tilegrind-conform-")))
    _process: Process | None = None
    _loaded: str | None = None  # the digest of the kernel

    def __post_init__(self) -> None:
        self._seq = itertools.count()
        self._names = itertools.count(1)
        self._shared = f"tilegrind-{secrets.token_hex(8)}"
        self.kernels = self.folder / "kernels"
        self.kernels.mkdir()
        for name, content in self.suite.sources.items():
            (self.kernels / name).write_bytes(content)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> dict[str, Any]:
        """The runner's answer to hello; starts its process if there is none.  Raises Fault."""
        if self._process is not None and not self._process.has_ended():
            return self.hello
        self.stop()
        self._seq, self._loaded = itertools.count(), None
        self._process = Process(self.command)
        self.starts += 1
        offered = ["safetensors"] + (["shm"] if _SHARED.is_dir() else [])
        answer = self.ask({"cmd": "hello", "protocol": messages.PROTOCOL, "tensors": offered, "dir": str(self.folder),
                           "suite": {"version": self.suite.version, "digest": self.suite.digest}}, self.limits.start)
        if "implementation" not in answer:
            raise Fault("bad-hello", f"{answer}")
        if answer["protocol"] != messages.PROTOCOL:
            raise Fault("bad-hello", f"the runner speaks version {answer['protocol']} of the protocol, the judge "
                                     f"{messages.PROTOCOL}")
        self.hello = answer
        return answer

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request, which gets its number here.  Raises Fault."""
        seq = next(self._seq)
        try:
            return self._process.ask({"seq": seq, **request}, seconds)
        except Fault as fault:
            if fault.verdict.kind == "timeout":
                self._process.cancel(seq)
            raise

    def load(self, case: Case) -> str:
        """Loads a case's kernel; the judge's name for it.  Raises Fault, Unsupported or RunnerError."""
        if self._loaded is not None:
            self._process.tell({"cmd": "drop", "kernel": self._loaded})
            self._loaded = None
        name = f"k{next(self._names)}"
        path = self.kernels / f"{name}.json"
        path.write_text(case.module, encoding="utf-8")
        request = {"cmd": "load", "kernel": name, "path": str(path), "digest": digest(case.module)}
        if case.source:
            request["source"] = {**case.source, "path": str(self.kernels / case.source["path"])}
        checked(self.ask(request, self.limits.load))
        self._loaded = name
        return name

    def places(self) -> tuple[Path, Path, dict[str, dict[str, str]]]:
        """The files of inputs and outputs, and how requests name them."""
        files = [self.folder / f"{part}.safetensors" for part in ("inputs", "outputs")]
        if (self.hello or {}).get("tensors") != "shm":
            return *files, {"inputs": {"path": str(files[0])}, "outputs": {"path": str(files[1])}}
        names = [f"{self._shared}-{part}" for part in ("inputs", "outputs")]
        shared = {"inputs": {"shm": f"/{names[0]}"}, "outputs": {"shm": f"/{names[1]}"}}
        return _SHARED / names[0], _SHARED / names[1], shared

    def expect_silence(self) -> None:
        """Raises Fault if the runner says something without being asked, or has ended."""
        self._process.expect_silence()
        if self._process.has_ended():
            raise Fault("crash", "the process ended after its answer")

    def stop(self) -> Fault | None:
        """Ends the process.  What was wrong with how it ended, or None."""
        for path in self.places()[:2]:
            remove(path)
        if self._process is None:
            return None
        process, self._process = self._process, None
        return process.end()

    def kill(self) -> None:
        """Ends a process that is of no use any more."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def checked(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, if it is that all went well.  Raises Unsupported, RunnerError or Fault."""
    if "unsupported" in answer:
        raise Unsupported(" ".join(filter(None, (answer["unsupported"], answer.get("issue")))))
    if "error" in answer:
        raise RunnerError(" ".join(f"{answer['error']['kind']}: {answer['error']['message']}".split()))
    if "ok" not in answer:
        raise Fault("bad-answer", f"{answer} instead of ok, unsupported or error")
    return answer
