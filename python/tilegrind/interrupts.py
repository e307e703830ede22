"""Ctrl-C while the library runs: it ends the run; then Python's handler acts on it as usual."""

import contextlib
import signal
import threading

from . import _native
from .finding_text import texts_of


def is_watchable():
    """Whether this thread handles signals, and Python has a handler for Ctrl-C."""
    return threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT))


class Watch:
    """Ctrl-C during one call of the library; ``progress`` is the callback that stops it, ``emulator_progress`` that of the emulator."""

    def __init__(self):
        self._came = None  # the arguments of the saved handler, once a signal has come
        self.progress = _native.PROGRESS(lambda *_: self._came is not None)
        self.emulator_progress = _native.EMULATOR_LAUNCH_PROGRESS(lambda *_: self._came is not None)

    def _note(self, number, frame):
        self._came = (number, frame)

    @contextlib.contextmanager
    def watching(self):
        """Keeps signals that come inside the ``with`` block; `hand_on` acts on them afterwards."""
        self._before = signal.signal(signal.SIGINT, self._note) if is_watchable() else None
        try:
            yield
        finally:
            if self._before is not None:
                signal.signal(signal.SIGINT, self._before)

    def hand_on(self, findings):
        """Passes a kept signal to the previous handler; the KeyboardInterrupt that it raises gets notes with the result of
        `findings`."""
        if self._came is None:
            return
        try:
            self._before(*self._came)
        except KeyboardInterrupt as error:
            note(error, findings())
            raise


def note(error, findings):
    """Adds the findings made before an exception to its notes."""
    if findings:
        error.add_note("\n".join(["Tilegrind has found:", *texts_of(findings)]))
