"""Where in a program an operation comes from: `loc(...)` and the aliases of such at the ends of a module."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .scanner import Scanner

DEFINITION = re.compile(r"^(#loc\d*) = (?=loc\()", re.MULTILINE)
STRING = r'"(?:[^"\\]|\\.)*"'


@dataclass(frozen=True)
class Location:
    """A place in a file, columns from 1.  `name` is that of the variable which is assigned there, and `caller` the place of
    the call where the text of this one was inlined."""

    file: str
    line: int
    column: int
    name: str | None = None
    caller: "Location | None" = None

    def named(self, name: str) -> "Location":
        return Location(self.file, self.line, self.column, name, self.caller)

    def called_from(self, caller: "Location | None") -> "Location":
        outer = caller if self.caller is None else self.caller.called_from(caller)
        return Location(self.file, self.line, self.column, self.name, outer)


class Locations:
    """The locations of one module.  An alias may be used before it is defined, and is resolved when it is asked for."""

    def __init__(self, text: str) -> None:
        self._defined = {found[1]: found.end() for found in DEFINITION.finditer(text)}
        self._known: dict[str, Location | None] = {}
        self._text = text

    def read(self, at: Scanner) -> Location | None:
        """The `loc(...)` that is next; None for an unknown place."""
        at.expect("loc(")
        location = self._body(at)
        at.expect(")")
        return location

    def _alias(self, at: Scanner) -> Location | None:
        name = at.need(r"#loc\d*", "the alias of a location")
        if name not in self._known:
            if name not in self._defined:
                raise at.problem(f"no location {name}")
            self._known[name] = None  # of one that refers to itself
            self._known[name] = self.read(Scanner(self._text, self._defined[name]))
        return self._known[name]

    def _body(self, at: Scanner) -> Location | None:
        if at.is_next("#"):
            return self._alias(at)
        if at.accept("unknown"):
            return None
        if at.accept("callsite("):
            callee = self._body(at)
            at.expect("at")
            caller = self._body(at)
            at.expect(")")
            return callee.called_from(caller) if callee else caller
        if at.accept("fused"):
            return self._first_of(at)
        if at.accept("loc("):
            inner = self._body(at)
            at.expect(")")
            return inner
        return self._place(at)

    def _place(self, at: Scanner) -> Location | None:
        text = string_value(at.need(STRING, "a location"))
        if at.accept(":"):
            line = int(at.need(r"\d+", "a line"))
            at.expect(":")
            return Location(text, line, int(at.need(r"\d+", "a column")))
        if not at.accept("("):
            return None
        inner = self._body(at)
        at.expect(")")
        return inner.named(text) if inner else None

    def _first_of(self, at: Scanner) -> Location | None:
        """The first known one of several that became one operation."""
        if at.accept("<"):
            at.need(STRING, "what is fused")
            at.expect(">")
        at.expect("[")
        found = [self._body(at)]
        while at.accept(","):
            found.append(self._body(at))
        at.expect("]")
        return next((one for one in found if one), None)


def string_value(quoted: str) -> str:
    """The text of a string literal, whose escapes are those of MLIR: `\\n`, `\\t`, `\\\\`, `\\"` and two hexadecimal digits."""
    letters = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}

    def byte_of(found: re.Match[str]) -> bytes:
        escape = found[1].decode()
        return (letters[escape] if escape in letters else chr(int(escape, 16))).encode("latin-1")

    raw = quoted[1:-1].encode()
    return re.sub(rb'\\(n|t|\\|"|[0-9A-Fa-f]{2})', byte_of, raw).decode("utf-8", "replace")
