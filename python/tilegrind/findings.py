"""Findings of runs, and conversion of the library's reports into them."""

from dataclasses import dataclass

from ._native import lib, take_text, text
from .finding_text import short_text_of, text_of
from .suppressions import Suppression

KINDS = frozenset(text(lib.tg_finding_kind_get(i).name) for i in range(lib.tg_finding_kind_count()))


@dataclass(frozen=True)
class Related:
    """A related place of a finding; see struct tg_related in the C header."""

    role: str
    op: str
    param: str
    file: str
    function: str
    line: int
    program: tuple | None
    variable: str = ""
    callers: tuple = ()  # Callers of the line, innermost first
    program_name: str = ""  # as messages name it: "(1, 2)", or "(x=3)" where axes of the grid have names


@dataclass(frozen=True)
class Caller:
    """A source location in the chain of calls that leads to the line of a finding."""

    file: str
    function: str
    line: int
    skipped: str  # calls left out between this one and the next inner one, "3 frames in jax"


@dataclass(frozen=True, repr=False)
class Finding:
    """Something wrong with a kernel; see struct tg_finding in the C header.  Prints as in the command."""

    kind: str
    level: str
    kernel: str
    op: str
    param: str
    file: str
    function: str
    line: int
    program: tuple | None
    count: int
    message: str
    elements: tuple | None  # first and last offset in the array of `param`, row-major
    order: str  # the order that repeats it
    related: tuple
    to_suppress: str = ""  # a block for a suppression file
    hint: str = ""  # which declaration removes the finding
    callers: tuple = ()  # Callers of the line, innermost first
    device: str = ""  # "device 3 (x=1, y=1)": where it was, or was first; "" if the run was on no mesh
    devices: tuple = ()  # ids of all devices that have it, or that it is about, that one first
    advice: str = ""  # what would help
    variable: str = ""  # what the line assigns the value of the op, or what is made of it, to
    program_name: str = ""  # as messages name it: "(1, 2)", or "(x=3)" where axes of the grid have names

    def __str__(self):
        return text_of(self)

    def __repr__(self):
        return f"<Finding {short_text_of(self)}>"


@dataclass(frozen=True)
class Suppressed:
    """A known finding, and the suppression that covers it."""

    finding: Finding
    suppression: Suppression

    def __str__(self):
        known = self.suppression
        return f"{self.finding}\n   = suppressed by {known.name} ({known.file}:{known.line})"


def _program(numbers, rank):
    return tuple(numbers[:rank]) if numbers else None


def _program_name(report, numbers, rank):
    return take_text(lib.tg_report_program(report, numbers)) or "" if numbers and rank else ""


def _related(report, index, number, rank):
    r = lib.tg_report_related(report, index, number)
    return Related(text(r.role), text(r.op), text(r.param), text(r.file), text(r.function), r.line,
                   _program(r.program, rank), text(r.variable),
                   tuple(_caller(lib.tg_report_related_caller(report, index, number, i)) for i in range(r.caller_count)),
                   _program_name(report, r.program, rank))


def _caller(c):
    return Caller(text(c.file), text(c.function), c.line, text(c.skipped))


def _finding(report, index):
    f = lib.tg_report_finding(report, index)
    related = tuple(_related(report, index, i, f.rank) for i in range(f.related_count))
    return Finding(text(f.kind), text(f.level), text(f.kernel), text(f.op), text(f.param), text(f.file),
                   text(f.function), f.line, _program(f.program, f.rank), f.count, text(f.message),
                   None if f.first < 0 else (f.first, f.last), text(f.order), related,
                   take_text(lib.tg_suppression_for(report, index)) or "", text(f.hint) or "",
                   tuple(_caller(lib.tg_report_caller(report, index, i)) for i in range(f.caller_count)),
                   text(f.device), tuple(lib.tg_report_device(report, index, i) for i in range(f.device_count)),
                   text(f.advice) or "", text(f.variable), _program_name(report, f.program, f.rank))


def findings_of(report):
    """The findings of a report of the library."""
    return [_finding(report, i) for i in range(lib.tg_report_finding_count(report))]


def split_findings(report, known):
    """The findings of a report that no suppression of `known` (which may be None) covers, and the others as `Suppressed`."""
    findings, suppressed = [], []
    for i in range(lib.tg_report_finding_count(report)):
        suppression, finding = known and known._find(report, i), _finding(report, i)
        if suppression:
            suppressed.append(Suppressed(finding, suppression))
        else:
            findings.append(finding)
    return findings, suppressed
