"""Runs of the command on cases, and their reports."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Mapping, Sequence

LIMIT = 60  # seconds per run


class Failure(Exception):
    """The table cannot be produced."""


def run(command: Sequence[str], folder: Path) -> Mapping[str, Any]:
    """The report of one case."""
    try:
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{folder}: no end after {LIMIT} s") from None
    if done.returncode not in (0, 1):
        raise Failure(f"{folder}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def runs_of(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return report.get("runs", [report])


def findings_of(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [finding for one in runs_of(report) for finding in one["findings"]]
