"""Units on the workers of Dask distributed, https://distributed.dask.org (docs/sweep.md says how to start them).

Dask only has to run each unit at least once; results are kept by the workers.  So a scheduler that is killed loses nothing
but units that run: the driver connects to the next one at the same address, and begins the others again.
"""

import contextlib
import logging
import time
from collections import Counter
from concurrent.futures import CancelledError

from . import log
from .errors import SweepError
from .work import Outcome, perform

PAUSE = 0.02  # seconds between looks at what has ended
LOOK = 5.0  # seconds between looks at how many workers there are
RETRIES = 100  # of a unit that ends with an error of Dask's own
LEAST, PER_THREAD = 16, 4  # units that the scheduler holds: at least, and for each thread of its workers

_LOG = logging.getLogger("tilegrind.sweep")


def _distributed():
    """The package.  What it would log about connections that are lost, `_again` says in one line."""
    try:
        import distributed
    except ImportError as problem:
        raise SweepError(
            f"Dask distributed is needed for a scheduler ({problem}): pip install 'tilegrind[sweep]'") from None
    for name in ("client", "batched", "core", "comm"):
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL + 1)
    return distributed


class Dask:
    """The engine; see `engines`.

    address   of the scheduler, "tcp://host:8786"
    deadline  seconds within which it must answer, at the beginning and whenever it has been lost
    """

    def __init__(self, address, files, store, deadline):
        self._address, self._arguments, self._deadline = address, (str(files), str(store)), deadline
        self._distributed, self._flying, self._begun = _distributed(), {}, Counter()
        self._client, self._capacity, self._next_look = self._connected(), LEAST, 0.0

    @property
    def capacity(self):
        """A few units for each thread of the workers; asks the scheduler now and then, as workers come and go."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK
            with contextlib.suppress(OSError, TimeoutError):  # of one that is just lost: `settled` will see to it
                self._capacity = max(LEAST, PER_THREAD * sum(self._client.nthreads().values()))
        return self._capacity

    def _connected(self):
        end, problem = time.monotonic() + self._deadline, None
        while time.monotonic() < end:
            try:
                left = max(0.1, min(5.0, end - time.monotonic()))
                return self._distributed.Client(self._address, timeout=left, set_as_default=False)
            except (OSError, TimeoutError) as error:
                problem = error
                time.sleep(0.2)
            except ValueError as error:
                raise SweepError(f"{self._address}: {error}") from None
        raise SweepError(f"{self._address}: no scheduler has answered for {self._deadline:g} s: {problem}")

    def submit(self, unit, line):
        # Another key each time: Dask answers a known key with what it remembers, also that it has given the task up.
        self._begun[unit] += 1
        key = f"tilegrind-{unit}-{self._begun[unit]}"
        self._flying[unit] = self._client.submit(perform, line, *self._arguments, key=key, retries=RETRIES)

    def settled(self, seconds):
        end = time.monotonic() + seconds
        while True:
            if self._client.status != "running":
                return self._again()
            done = [unit for unit, future in self._flying.items() if future.status != "pending"]
            if done or time.monotonic() >= end:
                return [self._outcome(unit, self._flying.pop(unit)) for unit in done]
            time.sleep(PAUSE)

    def _again(self):
        """Another connection after the scheduler has been lost; what ran then is begun again."""
        _LOG.warning("the scheduler at %s is gone; waiting for the next one", self._address)
        lost = [Outcome(unit, log.LOST) for unit in self._flying]
        self._flying = {}
        self._close()
        self._client = self._connected()
        return lost

    def _outcome(self, unit, future):
        try:
            if future.status in ("cancelled", "lost"):  # its scheduler has ended
                return Outcome(unit, log.LOST)
            return future.result(timeout=self._deadline)
        except self._distributed.KilledWorker:
            return Outcome(unit, log.LOST, why="more workers ended while they had it than the scheduler allows")
        except (self._distributed.comm.CommClosedError, TimeoutError, CancelledError):
            return Outcome(unit, log.LOST)
        except Exception as problem:  # of whatever kind: the other units go on
            return Outcome(unit, log.FAILED, why=f"{type(problem).__name__}: {problem}")

    def _close(self):
        with contextlib.suppress(Exception):  # nothing is left to be done with a scheduler that is gone
            self._client.close(timeout=1)

    def close(self, at_once):
        self._close()
