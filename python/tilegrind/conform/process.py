"""A runner's process: lines to and from it.  Every read has a deadline, and the process group is killed at the end."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from typing import Any, Sequence

from . import messages
from .verdicts import Fault

STDERR_LIMIT = 4 << 20  # bytes for each request
_STDERR_KEPT = 1 << 14
_GRACE = 2.0  # seconds to end after bye, and to go on after a cancel
_LOOK = 0.05  # seconds between looks at whether the process has ended, or floods standard error


class Process:
    """A running runner.  Requests and answers alternate."""

    def __init__(self, command: Sequence[str]):
        self._out = b""
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, start_new_session=True)
        except OSError as problem:
            raise Fault("crash", f"{command[0]}: {problem.strerror}") from None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._stderr, self._stderr_size = bytearray(), 0
        # A daemon: a child of the runner may keep the pipe open for ever.
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _drain(self) -> None:
        pipe = self._process.stderr.fileno()
        with contextlib.suppress(OSError):
            while chunk := os.read(pipe, 1 << 16):
                self._stderr_size += len(chunk)
                self._stderr += chunk
                del self._stderr[:-_STDERR_KEPT]
        self._process.stderr.close()

    @property
    def stderr(self) -> str:
        """The end of what the runner wrote to standard error."""
        return bytes(self._stderr).decode("utf-8", "replace").strip()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request.  Raises Fault; after that the process is of no use."""
        before, deadline = self._stderr_size, time.monotonic() + seconds
        self.expect_silence()
        self.tell(request, deadline)
        answer = messages.decode(self._line(deadline, before))
        if answer["seq"] != request["seq"]:
            raise Fault("wrong-seq", f"{answer['seq']} in answer to {request['seq']}")
        if self._out:
            raise Fault("two-answers", f"to request {request['seq']}: {self._shown()}")
        return answer

    def expect_silence(self) -> None:
        """Raises Fault if there is an answer that no request asked for."""
        if not self._out and not self.has_ended() and self._selector.select(0):
            self._out += os.read(self._process.stdout.fileno(), 1 << 16)
        if self._out:
            raise Fault("two-answers", f"without a request: {self._shown()}")

    def tell(self, request: dict[str, Any], deadline: float | None = None) -> None:
        """Sends a request.  Raises Fault if the runner is gone, or does not read."""
        rest, deadline = messages.encode(request), deadline or time.monotonic() + _GRACE
        while rest:
            try:
                rest = rest[os.write(self._process.stdin.fileno(), rest):]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Fault("timeout", "the runner does not read its standard input") from None
                time.sleep(_LOOK)
            except OSError:
                raise self._ended() from None

    def cancel(self, seq: int) -> None:
        """Asks the runner to give up a request that took too long.  A runner that reads nothing is not waited for."""
        with contextlib.suppress(Fault):
            self.tell({"cmd": "cancel", "of": seq}, time.monotonic())

    def _line(self, deadline: float, stderr_before: int) -> bytes:
        """The next line.  Raises Fault."""
        while b"\n" not in self._out:
            self._check(deadline, stderr_before)
            if not self._selector.select(min(_LOOK, max(0.0, deadline - time.monotonic()))):
                if self._process.poll() is not None:
                    self._wait_for_end_of_pipe()
                continue
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise self._half_line() if self._out else self._ended()
            self._out += chunk
        line, _, self._out = self._out.partition(b"\n")
        if len(line) > messages.LINE_LIMIT:
            raise Fault("line-too-long", f"more than {messages.LINE_LIMIT} bytes")
        return line

    def _check(self, deadline: float, stderr_before: int) -> None:
        if len(self._out) > messages.LINE_LIMIT:
            raise Fault("line-too-long", f"more than {messages.LINE_LIMIT} bytes")
        if self._stderr_size - stderr_before > STDERR_LIMIT:
            raise Fault("stderr-flood", f"more than {STDERR_LIMIT} bytes for one request")
        if time.monotonic() > deadline:
            raise self._half_line() if self._out else Fault("timeout")

    def _wait_for_end_of_pipe(self) -> None:
        """The process has ended.  Unless a child of it holds the pipe, its end can be read by now."""
        if self._selector.select(_GRACE / 4):
            return
        raise Fault("pipe-held", f"{self._how_it_ended()}, and standard output is still open")

    def _half_line(self) -> Fault:
        return Fault("half-line", f"no end of line after {self._shown()}")

    def _ended(self) -> Fault:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._reader.join(_GRACE / 4)  # so that its last words are there
        last = self.stderr.splitlines()[-1:] or [""]
        return Fault("crash", f"{self._how_it_ended()} {last[0][:300]}".strip())

    def _how_it_ended(self) -> str:
        code = self._process.poll()
        if code is None:
            return "the process closed its pipe"
        if code >= 0:
            return f"exit code {code}"
        known = {one.value: one.name for one in signal.Signals}  # real-time signals have no name but the first and the last
        return f"signal {known.get(-code, -code)}"

    def _shown(self) -> str:
        return repr(self._out[:80])

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> Fault | None:
        """Says bye and ends the process group.  What was wrong with the way it ended, or None."""
        fault = None
        if not self.has_ended():
            with contextlib.suppress(Fault):
                self.tell({"cmd": "bye"})
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                self._process.stdin.close()
                self._process.wait(_GRACE)
            if self._process.poll() is None:
                fault = Fault("timeout", "the runner does not end after bye")
            elif not self._selector.select(_GRACE / 4):
                fault = Fault("pipe-held", f"{self._how_it_ended()}, and standard output is still open")
            elif os.read(self._process.stdout.fileno(), 1):
                fault = Fault("two-answers", "a line after bye")
        self.kill()
        return fault

    def kill(self) -> None:
        """Ends the process and all that it started in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
