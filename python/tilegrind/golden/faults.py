"""What an implementation may do instead of giving an output that can be judged."""

from dataclasses import dataclass

from ..judging import Verdict

# Kinds of Fault of a runner; those of its process and of the protocol are listed in conform.verdicts.FAULTS.
KINDS = {
    "skipped": "the runner answered that it does not support the kernel",
    "error": "the runner answered with an error",
    "not-written": "elements of the output are as they were before the run",
    "nondeterministic": "a second run on the same inputs gave other bits",
    "not-bool": "bytes of a bool output that are neither 0 nor 1",
}


@dataclass(frozen=True)
class Fault:
    """What stands in the place of an output; ``note`` says what was seen and where."""

    kind: str
    note: str


class Faulty(Verdict):
    """The verdict on an output that is a Fault.  It never passes."""

    @classmethod
    def of(cls, output, fault):
        return cls(output, fault.kind, note=fault.note)

    @property
    def failed(self):
        return True

    def __str__(self):
        return f"{self.output}: {self.kind}: {self.note}" if self.note else f"{self.output}: {self.kind}"
