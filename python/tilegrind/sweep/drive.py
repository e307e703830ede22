"""Runs what a store lacks of a plan.

A unit whose process ended is begun again.  One that this has happened to several times runs alone from then on, so that
what else ran beside it is not suspected, and is given up if its process ends once more.
"""

from collections import Counter, deque

from . import log, work
from .errors import StoreError

TOGETHER, ALONE = 3, 3  # deaths of a unit's process: with other units beside it, and alone
TICK = 0.5  # seconds between two looks at the clock


class Drive:
    """The state of one call.

    units     {id: line of the plan} to run
    progress  is told of each Outcome, and of time that goes by
    """

    def __init__(self, units, store, engine, progress):
        self._units, self._store, self._engine, self._progress = units, store, engine, progress
        self._waiting, self._suspects = deque(units), deque()
        self._flying, self._deaths, self.outcomes = set(), Counter(), []

    def run(self):
        """Runs all units; returns the Outcomes.  StoreError where the store can keep nothing."""
        is_whole = False
        try:
            while self._waiting or self._suspects or self._flying:
                self._fill()
                for outcome in self._engine.settled(TICK):
                    self._settle(outcome)
                self._progress.tick()
            is_whole = True
        finally:
            self._engine.close(at_once=not is_whole)
        return self.outcomes

    def _fill(self):
        capacity = self._engine.capacity
        while self._waiting and len(self._flying) < capacity:
            self._submit(self._waiting.popleft())
        if self._suspects and not self._flying:
            self._submit(self._suspects.popleft())

    def _submit(self, unit):
        self._flying.add(unit)
        self._engine.submit(unit, self._units[unit])

    def _settle(self, outcome):
        self._flying.discard(outcome.unit)
        if outcome.state == work.STOP:
            raise StoreError(outcome.why)
        if outcome.state == log.LOST:
            outcome = self._lost(outcome)
        if outcome:
            self.outcomes.append(outcome)
            self._progress.settled(outcome)

    def _lost(self, outcome):
        """Begins a unit again; the Outcome where it is given up.  Without a reason the unit is not to blame."""
        self._deaths[outcome.unit] += bool(outcome.why)
        deaths = self._deaths[outcome.unit]
        if deaths >= TOGETHER + ALONE:
            why = f"the process that ran it has ended {deaths} times, {ALONE} times with nothing else beside it"
            log.note(self._store, outcome.unit, log.LOST, why=why)
            return work.Outcome(outcome.unit, log.LOST, why=why)
        (self._suspects if deaths >= TOGETHER else self._waiting).append(outcome.unit)
        return None
