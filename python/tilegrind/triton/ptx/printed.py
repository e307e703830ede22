"""What a launch prints, by the reference and by Triton's PTX."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"0x[0-9a-f]{16}\b")  # which is another one on each device


@dataclass(frozen=True)
class Printed:
    """Lines that only one of them prints, each once, sorted."""

    reference: tuple[str, ...]
    ptx: tuple[str, ...]

    def __str__(self) -> str:
        sides = [f"{len(lines)} by {name} alone, as {lines[0]!r}" for lines, name in ((self.reference, "the reference"), (self.ptx, "Triton's PTX"))
                 if lines]
        return "printed lines: " + ", ".join(sides)


def printed(reference: str, ptx: str) -> Printed | None:
    """How the lines differ; None if they do not.  A line counts once: several threads may print one, and their order is open.  Numbers
    of 16 hexadecimal digits may be addresses, and are not compared."""
    ours, theirs = (set(_ADDRESS.sub("0x...", text).splitlines()) for text in (reference, ptx))
    return None if ours == theirs else Printed(tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours)))
