"""Golden checks from Python."""

from dataclasses import replace
from pathlib import Path

from . import checking, contracts, recording
from .bundle import Bundle
from .candidates import ORDER
from .outputs import NoArray, as_array
from .store import Store
from .subject import Subject


class Failed(AssertionError):
    """An implementation that a golden fails; `result` has the checking.Result, `results` those of all calls of a function."""

    def __init__(self, results):
        from .report import lines_of

        failing = [result for result in results if not result.passed]
        super().__init__("\n".join(line for result in failing for line in lines_of(result)))
        self.result, self.results = failing[0], results


class Goldens:
    """The goldens of a folder."""

    def __init__(self, folder="goldens"):
        self.store = Store(folder)

    def record(self, name, subject=None, *, case=None, contract="ieee", partly_written=(), kinds=ORDER, provenance=None,
               progress=None):
        """Makes a golden, pending until it is accepted.  It passes no test before.

        subject   a Subject: any kernel, with given inputs, which may be arrays of any library
        case      or: a case folder, with a contract and the outputs that have elements which stay unwritten on purpose
        contract  its name, or a file NAME.json with one (docs/bounds.md), which is kept in the golden
        Returns recording.Recorded.
        """
        if (subject is None) == (case is None):
            raise TypeError("record takes either a subject or a case")
        subject = subject or subject_of_case(case, contract, partly_written)
        subject = replace(subject, contract=contracts.text_of(subject.contract), given={one: as_array(array) for one, array in subject.given.items()})
        made = recording.record(name, subject, kinds=kinds, progress=progress,
                                provenance={**_provenance(case), **(provenance or {})})
        self.store.put_pending(made.bundle)
        return made

    def check(self, name, implementation=None, *, explain=True):
        """Raises Failed unless the implementation passes the accepted golden `name`; else returns the checking.Result.

        implementation  called with the kernel's inputs, numpy arrays in the order of its parameters; returns outputs by name, or
                        one array, or a tuple in the order of the outputs: arrays of numpy, jax, torch, or anything with __array__ or
                        __dlpack__.  None: Tilegrind's interpreter, which says whether the golden is stale
        """
        bundle = self.store.read(name)
        result = checking.check(bundle, caller_of(bundle, implementation), explain=explain)
        if not result.passed:
            raise Failed([result])
        return result

    def record_function(self, name, fn, *args, contract="xla-cpu", grid_semantics=None, partly_written=(), kinds=ORDER, provenance=None,
                        progress=None, kwargs=None):
        """Makes a golden of each `pallas_call` that a JAX function makes: NAME if it makes one, NAME.KERNEL for each if it makes
        several.  They are pending until they are accepted.

        Inputs that are floats are made; integers and bools stay as they are in that call, the first time that it runs.
        args, kwargs    of the function
        contract, kinds, provenance, progress    as for `record`
        grid_semantics, partly_written           as for `tilegrind.pallas.export`
        R is held to JAX's own interpreter in f64, which shares no code with Tilegrind.
        Returns a recording.Recorded for each call.  Raises pallas.ExportError for a call that Tilegrind does not support, with its
        line; recording.NotRecorded; judging.Unjudged.  Then nothing is recorded.
        """
        from . import pallas

        names = (partly_written,) if isinstance(partly_written, str) else tuple(partly_written)
        made = pallas.record(name, fn, args, kwargs or {}, contract=contracts.text_of(contract), grid_semantics=grid_semantics, partly_written=names,
                             kinds=kinds, provenance={**_provenance(None), **(provenance or {})}, progress=progress)
        for one in made:
            self.store.put_pending(one.bundle)
        return made

    def check_function(self, name, fn, *args, explain=True, kwargs=None):
        """Runs each `pallas_call` of a JAX function by itself, on the inputs of its golden, as JAX runs it here: in JAX's interpreter
        where the call has ``interpret``, compiled otherwise.

        Raises Failed unless all pass, pallas.Changed if the kernels are not those that were recorded, BadBundle where there is no
        accepted golden.  Returns a checking.Result for each call.
        """
        from . import pallas

        results = pallas.check(self.store, name, fn, args, kwargs or {}, explain=explain)
        if not all(result.passed for result in results):
            raise Failed(results)
        return results


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
        return {name: as_array(array) for name, array in given.items()}
    given = given if isinstance(given, (tuple, list)) else [given]
    if len(given) != len(names):
        raise NoArray(f"the implementation gives {len(given)} arrays; the kernel has outputs {', '.join(names)}")
    return dict(zip(names, map(as_array, given)))


def _provenance(case):
    from .. import __version__

    return {"tilegrind": __version__, "oracle": "none", **({"case": Path(case).name} if case else {})}
