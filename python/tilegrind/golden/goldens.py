"""Golden checks from Python."""

from pathlib import Path

import numpy as np

from . import checking, recording
from .bundle import Bundle
from .candidates import ORDER
from .store import Store
from .subject import Subject


class Failed(AssertionError):
    """An implementation that a golden fails; `result` has the checking.Result."""

    def __init__(self, result, text):
        super().__init__(text)
        self.result = result


class Goldens:
    """The goldens of a folder."""

    def __init__(self, folder="goldens"):
        self.store = Store(folder)

    def record(self, name, subject=None, *, case=None, contract="ieee", partly_written=(), kinds=ORDER, provenance=None,
               progress=None):
        """Makes a golden, pending until it is accepted.  It passes no test before.

        subject   a Subject: any kernel, with given inputs
        case      or: a case folder, with a contract and the outputs that have elements which stay unwritten on purpose
        Returns recording.Recorded.
        """
        if (subject is None) == (case is None):
            raise TypeError("record takes either a subject or a case")
        subject = subject or subject_of_case(case, contract, partly_written)
        made = recording.record(name, subject, kinds=kinds, progress=progress,
                                provenance={**_provenance(case), **(provenance or {})})
        self.store.put_pending(made.bundle)
        return made

    def check(self, name, implementation=None, *, explain=True):
        """Raises Failed unless the implementation passes the accepted golden `name`; else returns the checking.Result.

        implementation  called with the kernel's inputs, in the order of its parameters; returns outputs by name, or one array,
                        or a tuple in the order of the outputs.  None: Tilegrind's interpreter, which says whether the golden
                        is stale
        """
        bundle = self.store.read(name)
        result = checking.check(bundle, caller_of(bundle, implementation), explain=explain)
        if not result.passed:
            from .report import lines_of

            raise Failed(result, "\n".join(lines_of(result)))
        return result


def subject_of_case(folder, contract, partly_written=()):
    """The Subject of a case, whose inputs are the given ones."""
    from .. import runtime

    case = runtime.open_case(folder)
    return Subject(case.module, case.kernel, case.grid, contract, case.inputs, tuple(partly_written))


def caller_of(bundle: Bundle, implementation):
    """What `checking.check` calls, of what a user gives."""
    subject = Subject.of_bundle(bundle)
    if implementation is None:
        return lambda _, arrays: subject.run(subject.module, arrays).outputs
    names = [param.name for param in subject.params if param.role == "output"]

    def call(_, arrays):
        given = implementation(*arrays.values())
        return _by_name(given, names)

    return call


def _by_name(given, names):
    if isinstance(given, dict):
        return given
    given = given if isinstance(given, (tuple, list)) else [given]
    if len(given) != len(names):
        raise TypeError(f"the implementation gives {len(given)} arrays; the kernel has outputs {', '.join(names)}")
    return dict(zip(names, (np.asarray(array) for array in given)))


def _provenance(case):
    from .. import __version__

    return {"tilegrind": __version__, **({"case": Path(case).name} if case else {})}
