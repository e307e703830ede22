"""One unit in one process: run it, keep the result, note it in the log."""

import json
import time
from dataclasses import dataclass

from ..digests import digest
from . import kinds, log
from .errors import InvalidError, SweepError, UnitError
from .store import Store

KEPT = "kept"  # the store has had a result before the unit ran
STOP = "stop"  # the store can keep nothing


@dataclass(frozen=True)
class Outcome:
    """What became of a unit: state is what Store.put returned or KEPT; with the reason in `why`, STOP, log.FAILED or
    log.LOST."""

    unit: str
    state: str
    findings: int = 0
    why: str = ""


def perform(line, files, store_path):
    """Runs the unit of a line of a plan unless the store has its result; returns an Outcome.

    files       the folder with the files of the plan
    store_path  the folder of the store
    """
    unit = digest(line)
    try:
        store = Store(store_path)
        try:
            return _run(unit, line, files, store)
        except (UnitError, InvalidError) as problem:
            return _failed(store, unit, str(problem))
        except (SweepError, OSError):
            raise
        except Exception as problem:  # a defect, which must not keep other units from running
            return _failed(store, unit, f"a defect of Tilegrind: {type(problem).__name__}: {problem}")
    except SweepError as problem:
        return Outcome(unit, STOP, why=str(problem))
    except OSError as problem:
        return Outcome(unit, STOP, why=f"{store_path}: {problem}")


def _failed(store, unit, why):
    log.note(store, unit, log.FAILED, why=why)
    return Outcome(unit, log.FAILED, why=why)


def _run(unit, line, files, store):
    if store.has(unit):
        return Outcome(unit, KEPT, _findings_in(store.read(unit)))
    began = time.monotonic()
    text = kinds.run(json.loads(line), files)
    state = store.put(unit, text)
    log.note(store, unit, state, round(time.monotonic() - began, 6))
    return Outcome(unit, state, _findings_in(text))


def _findings_in(text):
    return json.loads(text)["counters"]["findings"]
