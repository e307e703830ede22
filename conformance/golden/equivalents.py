"""Mutants that a golden accepts and that are no faults, with reasons: equivalents.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Iterable

FILE = Path(__file__).with_name("equivalents.toml")
Key = tuple[str, str, str]  # kernel, kind, site


def load(file: Path = FILE) -> dict[Key, str]:
    """The reasons.  Raises ValueError for an entry without one, and for two of one mutant."""
    found: dict[Key, str] = {}
    for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", []):
        key = entry["kernel"], entry["mutant"], entry["site"]
        if key in found or not entry["reason"].strip():
            raise ValueError(f"{file.name}: {' '.join(key)}: {'listed twice' if key in found else 'no reason'}")
        found[key] = entry["reason"]
    return found


def stale(listed: dict[Key, str], kernels: Iterable[str], accepted: Iterable[Key]) -> list[str]:
    """Entries for kernels that were judged, whose mutants are not accepted, or no longer there."""
    judged, known = set(kernels), set(accepted)
    return [f"equivalents.toml: {' '.join(key)}: no such mutant passes" for key in listed if key[0] in judged and key not in known]
