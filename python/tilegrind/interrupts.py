"""Ctrl-C while the library runs: it ends the run, and then does what it always does."""

import contextlib
import signal
import threading

from . import _native
from .finding_text import texts_of


def is_watchable():
    """Whether this thread is the one that acts on signals, and Python has a handler for Ctrl-C."""
    return threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT))


class Watch:
    """Ctrl-C during one call of the library; ``progress`` is the callback that stops it."""

    def __init__(self):
        self._came = None  # the arguments of the handler that was there
        self.progress = _native.PROGRESS(lambda *_: self._came is not None)

    def _note(self, number, frame):
        self._came = (number, frame)

    @contextlib.contextmanager
    def watching(self):
        """Inside the ``with`` block signals are kept; behind it `hand_on` acts on them."""
        self._before = signal.signal(signal.SIGINT, self._note) if is_watchable() else None
        try:
            yield
        finally:
            if self._before is not None:
                signal.signal(signal.SIGINT, self._before)

    def hand_on(self, findings):
        """Lets the handler that was there act on what came; the KeyboardInterrupt that it raises tells of what `findings` returns."""
        if self._came is None:
            return
        try:
            self._before(*self._came)
        except KeyboardInterrupt as error:
            note(error, findings())
            raise


def note(error, findings):
    """Adds to an exception what was found before it."""
    if findings:
        error.add_note("\n".join(["Tilegrind has found:", *texts_of(findings)]))
