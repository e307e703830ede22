"""What programs measure kernels with, on a machine where times say nothing of a GPU."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ..running import events, session


def benchmark(call: Callable[[], Any], quantiles: Sequence[float] | None = None, **options: Any) -> Any:
    """What an autotuner asks of each configuration: all times are equal, so that it takes the first one.  Calls nothing, unless the
    session wants all configurations to run."""
    if session.current().autotune == "all":
        call()
    return [1.0] * len(quantiles) if quantiles else 1.0


class DeviceInterface:
    """What `triton.testing.do_bench` uses of `torch.cuda`."""

    Event = events.Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Launches have ended when they return."""

    @staticmethod
    def current_device() -> int:
        return 0
