"""JAX's own interpreter of GPU kernels in a process of its own, which runs a kernel once at a time, when it is told to."""

import json
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import one_core

PROGRAM = Path(__file__).with_name("interpreted_gpu.py")
POOL = 16  # threads of XLA's pool: with too few the interpreter waits for ever


class InterpreterProcess:
    """A context that holds the process for a product of `size` x `size` by `pallas`, for `limit` seconds at most."""

    def __init__(self, pallas, size, limit):
        self._command = [sys.executable, str(PROGRAM), pallas.__module__, pallas.__name__, str(size), *map(str, one_core.CORES or ())]
        self._limit = limit

    def __enter__(self):
        self._end = time.monotonic() + self._limit
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
                                         env=one_core.ENVIRONMENT | {"JAX_PLATFORMS": "cpu", "NPROC": str(POOL)})
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def run(self):
        """Figures of one run, as interpreted_gpu.py says; or `why` there are none.  `is_late` says whether that is the limit."""
        try:
            print(file=self._process.stdin, flush=True)
        except BrokenPipeError:
            pass  # it has ended, and said why
        left = max(0, self._end - time.monotonic())
        self.is_late = not select.select([self._process.stdout], [], [], left)[0]
        if self.is_late:
            return {"why": f"it was not done within {self._limit} s"}
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"why": self._last_words()}

    def _last_words(self):
        status = self._process.wait()
        self._errors.seek(0)
        return (self._errors.read().strip().splitlines() or [f"exit status {status}"])[-1]
