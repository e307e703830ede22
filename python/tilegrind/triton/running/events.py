"""Events and streams of a device on which a launch has ended when it returns."""

from __future__ import annotations

import time
from typing import Any


class Event:
    """A moment, as `torch.cuda.Event`."""

    def __init__(self, enable_timing: bool = False, **options: Any) -> None:
        self._seconds = time.perf_counter()

    def record(self, stream: Any = None) -> None:
        self._seconds = time.perf_counter()

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """As `synchronize`."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds, never 0: programs divide by it."""
        return max((end._seconds - self._seconds) * 1e3, 1e-6)


class Stream:
    """The only stream, as `torch.cuda.Stream`; also as a context."""

    cuda_stream = 0

    def __init__(self, *place: Any, **options: Any) -> None:
        pass

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def wait_stream(self, other: Any) -> None:
        """As `synchronize`."""

    def wait_event(self, event: Any) -> None:
        """As `synchronize`."""

    def record_event(self, event: Event | None = None) -> Event:
        return event or Event()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        pass
