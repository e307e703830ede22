"""Implementations in other processes: runners that speak the protocol `tilegrind-runner/1` (docs/protocol.md).

Each input set is run twice, into outputs that are filled with random bytes and then with their complement.  So an element
that nobody wrote is found out, and so are bits that change.  Whatever the process does wrong becomes a Fault of this input
set alone, and the next one gets a new process.
"""

import hashlib
import json
import shlex

import numpy as np

from ..conform import files
from ..conform.command import ADAPTERS, shipped
from ..conform.judge import run_once
from ..conform.session import Limits, RunnerError, Session, Unsupported
from ..conform.suite import Case, Run, Suite, module_text
from ..conform.verdicts import Fault as ProcessFault
from ..judging.verdicts import same_bits
from ..runner.layout import Type
from .faults import Fault
from .folder import Refused


def command_of(text):
    """The words of ``--runner``: a runner that comes with Tilegrind, or a command.  Raises Refused."""
    if text in ADAPTERS:
        return shipped(text)
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise Refused(f"--runner {text}: {problem}") from None
    if not words:
        raise Refused(f"--runner takes a command, or one of {', '.join(ADAPTERS)}")
    return words


class External:
    """A runner, whose process starts when it is first needed; a context manager that ends it.

    command  its words
    seconds  the longest time of one run
    """

    def __init__(self, command, seconds):
        self.command, self._loaded, self._dead = list(command), None, None
        # A golden is no suite: the runner learns nothing of it.
        about = Suite("golden", hashlib.sha256(b"").hexdigest(), [], {})
        self._session = Session(self.command, about, Limits(run=seconds))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session.__exit__()

    def hello(self):
        """What the runner says of itself, {} if it does not start."""
        self._start()
        return self._session.hello or {}

    @property
    def name(self):
        """Its name, "" if it does not start."""
        return self.hello().get("implementation", {}).get("name", "")

    def notes(self, bundle):
        """Texts on what a reader of its results may want to know."""
        declared = self.hello().get("contract", bundle.contract)
        return [] if declared == bundle.contract else [
            f"the runner declares contract {declared}; the golden judges by {bundle.contract}"]

    def implementation(self, bundle):
        """What `checking.check` calls: outputs by name, or a Fault in the place of one."""
        kernel = _kernel_of(bundle)
        text = module_text({**json.loads(bundle.module), "kernels": [kernel]})
        types = {param["name"]: Type.parse(param["type"]) for param in kernel["params"]}

        def outputs(_, arrays):
            inputs = {one: (types[one], np.ascontiguousarray(array).tobytes()) for one, array in arrays.items()}
            return self._outputs(bundle, Case(bundle.name, text, Run(inputs, {}), grid=bundle.grid))

        return outputs

    def _start(self):
        """The Fault that keeps the runner from starting, or None.  It is tried once: each try may take minutes."""
        if self._dead is None:
            try:
                self._session.start()
            except ProcessFault as fault:
                self._session.kill()
                self._dead = Fault(fault.verdict.kind, f"the runner does not start: {fault.verdict.detail}".rstrip(": "))
        return self._dead

    def _outputs(self, bundle, case):
        fault = self._start()
        if fault is None:
            try:
                return _judgeable(*self._two_runs(case), bundle.partly_written)
            except Unsupported as answer:
                fault = Fault("skipped", str(answer))
            except RunnerError as answer:
                fault = Fault("error", str(answer))
            except ProcessFault as found:
                self._session.kill()
                fault = Fault(found.verdict.kind, found.verdict.detail)
        return dict.fromkeys(case.output_types, fault)

    def _two_runs(self, case):
        session, pattern = self._session, files.poison()
        kernel = self._kernel(case)
        first = run_once(session, case, kernel, case.run, pattern)
        second = run_once(session, case, kernel, case.run, files.complement(pattern))
        session.expect_silence()
        return first, second

    def _kernel(self, case):
        """Loads the kernel, unless this process has it already."""
        key = self._session.starts, case.module
        if self._loaded is None or self._loaded[0] != key:
            self._loaded = None
            self._loaded = key, self._session.load(case)
        return self._loaded[1]


def _kernel_of(bundle):
    return next(kernel for kernel in json.loads(bundle.module)["kernels"] if kernel["name"] == bundle.kernel)


def _judgeable(first, second, partly_written):
    return {name: _output(one, second[name], name in partly_written) for name, one in first.items()}


def _output(first, second, is_partly_written):
    """The array of an output, or what keeps it from being judged."""
    unwritten = first.untouched & second.untouched
    if unwritten.any() and not is_partly_written:
        at = np.unravel_index(int(np.argmax(unwritten)), first.type.shape)
        return Fault("not-written",
                     f"{int(unwritten.sum())} of {unwritten.size} elements, the first at {list(map(int, at))}")
    arrays = [_without(one, unwritten) for one in (first, second)]
    if arrays[0].dtype == bool and arrays[0].view(np.uint8).max(initial=0) > 1:
        return Fault("not-bool", "bytes that are neither 0 nor 1")
    if not same_bits(*arrays):
        return Fault("nondeterministic", "a second run on the same inputs gave other bits")
    return arrays[0]


def _without(written, unwritten):
    """The array, with zeros where nobody wrote, as the interpreter has them."""
    array = written.array.copy()
    array.reshape(-1)[unwritten] = 0
    return array
