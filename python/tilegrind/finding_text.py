"""A finding as text, as the command line shows it: the fault, the kernel's line, related places, and
the order that repeats it.

`print(finding)`, exceptions, warnings and reports of pytest all show this text.
"""

import linecache
import os
import sys
from dataclasses import replace


def found_file(name):
    """The path of a source file that a finding names: the name itself, or below the working folder or a folder from which
    Python imports.  None if the file does not exist any more."""
    for base in ("", os.getcwd(), *sys.path):
        path = os.path.join(base, name)
        if name and os.path.isfile(path):
            return os.path.abspath(path)
    return None


def text_of(finding, find_file=found_file, tells_calls=True):
    """Several lines, without an end of line after the last.

    find_file    returns the path of a source file that a finding names, or None if it is not available; then its line is
                 not shown
    tells_calls  whether to tell who called its line
    """
    level = "" if finding.level == "error" else f" ({finding.level})"
    lines = [f"{finding.kind}{level}: {finding.message}"]
    lines += _place(finding, find_file)
    about = f"kernel {finding.kernel}{_device(finding)}{_program(', ', finding)}"
    about += f", op {finding.op}{_variable(finding)}" if finding.op else ""
    about += f"; {finding.count:,} times in all" if finding.count > 1 and finding.elements is None else ""
    lines.append(f"   = {about}")
    for other in finding.related:
        where = f" of {other.param}" if other.param else ""
        op, variable = (f" {other.op}", _variable(other)) if other.op else ("", "")
        lines.append(f"   = {other.role}{op}{where}{variable}{_program(', ' if other.op else ' ', other)}")
        if other.op:
            lines += _place(other, find_file) + _calls("called there from", _inner(other.callers, finding.callers))
    lines += _calls("called from", finding.callers) if tells_calls else []
    lines += [f"   = advice: {finding.advice}"] if finding.advice else []
    lines += [f"   = hint: {finding.hint}"] if finding.hint else []
    lines += [f'   = repeat with: order="{finding.order}"'] if finding.order else []
    return "\n".join(lines)


def texts_of(findings):
    """The text of each finding.  Only the first finding with a hint shows it, and calls are shown unless they are those of
    the finding before."""
    hints, calls = set(), ()
    for finding in findings:
        hint = "" if finding.hint in hints else finding.hint
        yield text_of(replace(finding, hint=hint), tells_calls=finding.callers != calls)
        hints.add(finding.hint)
        calls = finding.callers or calls


def _inner(callers, others):
    """Callers without those further out that are callers of the other line too."""
    inner = list(callers)
    for other in reversed(others):
        if not inner or (inner[-1].file, inner[-1].line) != (other.file, other.line):
            break
        inner.pop()
    return inner


def _calls(label, callers):
    lines = []
    for caller in callers:
        lines += [f"   = ... {caller.skipped}"] if caller.skipped else []
        lines.append(f"   = {label} {caller.file}:{caller.line}" + (f" in {caller.function}" if caller.function else ""))
    return lines


def short_text_of(finding):
    """One line that names the finding."""
    level = "" if finding.level == "error" else f" ({finding.level})"
    where = f", {finding.file}:{finding.line}" if finding.file else ""
    param = f", {finding.param}" if finding.param else ""
    return f"{finding.kind}{level} in {finding.kernel}{where}{param}{_device(finding)}{_program(', ', finding)}"


def program_name(names, sizes, program):
    """A program as messages of the library name it (`tg_report_program`): "(1, 2)", or "(x=3)" where axes of the grid have names.

    names    of the axes, None for one without
    sizes    of the axes
    program  its coordinates
    """
    axes = list(zip(names, sizes, program))
    told = [axis for axis in axes if not axis[0] or axis[1] != 1] or axes[-1:]
    return f"({', '.join(f'{name}={at}' if name else str(at) for name, _, at in told)})"


def counted(number, noun, ending="s"):
    """A number and what it counts: "1 test", "2,000 tests"."""
    return f"{number:,} {noun}{'' if number == 1 else ending}"


def _device(finding):
    others = len(finding.devices) - 1
    more = f" and {others} other{'s' if others > 1 else ''}" if others > 0 else ""
    return f", {finding.device}{more}" if finding.device else ""


def _variable(at):
    return f" for {at.variable}" if at.variable else ""


def _program(before, at):
    return f"{before}program {at.program_name}" if at.program_name else ""


def _place(at, find_file):
    """The source location of `at`, with its source line."""
    if not at.file:
        return []
    function = f" in {at.function}" if at.function else ""
    lines = [f"  --> {at.file}:{at.line}{function}"]
    path = find_file(at.file)
    source = linecache.getline(path, at.line).rstrip().expandtabs(1) if path else ""
    if not source:
        return lines
    number, code = str(at.line), source.lstrip()
    room = " " * len(number)
    marks = " " * (len(source) - len(code)) + "^" * len(code)
    return [*lines, f" {room} |", f" {number} | {source}", f" {room} | {marks}"]
