"""What Triton leaves open and a conversion has to choose."""

from __future__ import annotations

from dataclasses import dataclass

SCANS = ("sequential", "tree")


@dataclass(frozen=True)
class Choices:
    """scans    in which order a scan combines elements: "sequential", or "tree", with distances that double
    threads  how many threads of a program print; 1: each thing is printed once

    Raises ValueError for others."""

    scans: str = "sequential"
    threads: int = 1

    def __post_init__(self) -> None:
        if self.scans not in SCANS:
            raise ValueError(f"scans={self.scans!r} is none of {', '.join(map(repr, SCANS))}")
