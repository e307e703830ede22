"""A cursor over the text of a module, with the place of whatever is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

BLANK = re.compile(r"(?:[ \t\r]|//[^\n]*)*")
BLANK_LINES = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")


class SyntaxProblem(ValueError):
    """The text is not what the reader knows; the message begins with its line and column."""


@lru_cache(maxsize=None)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@dataclass
class Scanner:
    """`position` counts characters of `text`.  Blanks before what is asked for are skipped, line ends only between
    `lines` brackets: an operation ends with its line."""

    text: str
    position: int = 0
    lines: int = 0

    def skip(self) -> None:
        blank = BLANK_LINES if self.lines else BLANK
        self.position = blank.match(self.text, self.position).end()

    def skip_lines(self) -> None:
        """Skips line ends too, whatever `lines` is."""
        self.position = BLANK_LINES.match(self.text, self.position).end()

    def peek(self, pattern: str) -> str | None:
        """What matches the regular expression here; None if nothing does."""
        self.skip()
        found = _compiled(pattern).match(self.text, self.position)
        return found.group() if found else None

    def take(self, pattern: str) -> str | None:
        """Like `peek`, and moves behind it."""
        found = self.peek(pattern)
        if found is not None:
            self.position += len(found)
        return found

    def is_next(self, text: str) -> bool:
        self.skip()
        return self.text.startswith(text, self.position)

    def accept(self, text: str) -> bool:
        """Moves behind `text` if it is next; returns whether it was."""
        if not self.is_next(text):
            return False
        self.position += len(text)
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.problem(f"expected `{text}`")

    def need(self, pattern: str, what: str) -> str:
        found = self.take(pattern)
        if found is None:
            raise self.problem(f"expected {what}")
        return found

    def is_at_line_end(self) -> bool:
        self.skip()
        return self.position >= len(self.text) or self.text[self.position] == "\n"

    def line(self) -> int:
        """Number of the line here, from 1."""
        return self.text.count("\n", 0, self.position) + 1

    def problem(self, message: str) -> SyntaxProblem:
        start = self.text.rfind("\n", 0, self.position) + 1
        rest = self.text[self.position:].split("\n", 1)[0][:40]
        return SyntaxProblem(f"{self.line()}:{self.position - start + 1}: {message}, found `{rest}`")
