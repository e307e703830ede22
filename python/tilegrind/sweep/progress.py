"""Progress of a sweep: how much is done, how fast, and how long the rest takes."""

import time

from .store import UNEQUAL

EVERY = 10.0  # seconds between two lines where the stream is no terminal
EVERY_ON_TERMINAL = 0.2


def _duration(seconds):
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Progress:
    """Lines on a stream.

    runs    {id: how many runs the unit makes} of all units that are left
    stream  None: nothing is written
    """

    def __init__(self, runs, stream, clock=time.monotonic):
        self._runs, self._stream, self._clock = runs, stream, clock
        self._total, self._done, self._units = sum(runs.values()), 0, 0
        self._findings = self._troubles = 0
        self._began = self._shown = clock()
        self._is_terminal = bool(stream) and stream.isatty()

    def settled(self, outcome):
        """Counts a unit; one without a result is told at once."""
        self._units, self._done = self._units + 1, self._done + self._runs[outcome.unit]
        self._findings += outcome.findings + (outcome.state == UNEQUAL)
        if outcome.why:
            self._troubles += 1
            self._write(f"unit {outcome.unit[:16]}: {outcome.why}\n")

    def tick(self):
        """Shows where it is, if it is time."""
        if self._clock() - self._shown >= (EVERY_ON_TERMINAL if self._is_terminal else EVERY):
            self._shown = self._clock()
            self._write(self.line() + ("" if self._is_terminal else "\n"))

    def end(self):
        """The last line."""
        self._write(self.line() + "\n")

    def line(self):
        """Where it is, as one line."""
        seconds = self._clock() - self._began
        rate = self._done / seconds if seconds > 0 else 0.0
        parts = [f"{self._units:,} of {len(self._runs):,} units", f"{self._done:,} runs, {rate:,.0f} a second"]
        if self._done < self._total:
            parts.append(f"{_duration((self._total - self._done) / rate)} left" if rate else "no unit has ended yet")
        parts += [f"{self._findings:,} findings"] if self._findings else []
        parts += [f"{self._troubles:,} units without result"] if self._troubles else []
        return ", ".join(parts)

    def _write(self, text):
        if self._stream:
            self._stream.write(("\r\x1b[K" if self._is_terminal else "") + text)
            self._stream.flush()
