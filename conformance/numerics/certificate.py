"""The certificate: what was checked, with which sources, and with which result.  One line per operation and dtype.

Columns of certificate.tsv:
  name       the operation, or round_away for `round` with rounding away
  dtype
  inputs     how many operands, or pairs, were checked, counted from the first; the order is fixed
  wanted     how many there are to check in total: all, or a number of pseudo-random ones
  wrong      results that were not the nearest value; for f64, results with an error above 1 ULP
  exceptions f32: operands whose results are in a list, as their form would be wrong
  by_mpfr    inputs that the C library's f64 functions could not decide
  ulp        f64: the largest error in units of the last place
  at         f64: its operand or operands
  sources    digest of the C that computes it (sources.py)
  isa        instruction set and compiler of the last part
"""

import fcntl
import os
import re
import subprocess
from dataclasses import dataclass, fields, replace
from pathlib import Path

from conformance.numerics import sources

FILE = Path(__file__).resolve().parent / "certificate.tsv"
PAIRS = 10**9  # of f32
POINTS = 10**7  # of f64
NARROW = ("f16", "bf16", "f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3",
          "f8e3m4", "f8e8m0fnu")
FLOATS = ("f32", "f64", *NARROW)
CODES = {dtype: 2**16 if dtype in ("f16", "bf16") else 2**8 for dtype in NARROW}


@dataclass(frozen=True)
class Row:
    name: str
    dtype: str
    inputs: int
    wanted: int
    wrong: int
    exceptions: int
    by_mpfr: int
    ulp: float
    at: str
    sources: str
    isa: str

    @property
    def op(self):
        return self.name.removesuffix("_away")

    @property
    def key(self):
        return self.name, self.dtype

    @property
    def whole(self):
        return self.inputs >= self.wanted


COLUMNS = [field.name for field in fields(Row)]


def load(path=FILE):
    """key -> Row."""
    if not path.exists():
        return {}
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == COLUMNS, f"{path}: not the columns of this version"
    kinds = [field.type for field in fields(Row)]
    rows = [Row(*(kind(text) for kind, text in zip(kinds, line.split("\t"), strict=True))) for line in lines]
    return {row.key: row for row in rows}


def save(row, path=FILE):
    """Writes one row anew, in one step: a reader sees the old file or the new one.  Several processes may."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        rows = {**load(path), row.key: row}
        lines = ["\t".join(COLUMNS)] + ["\t".join(str(getattr(rows[key], column)) for column in COLUMNS)
                                        for key in sorted(rows)]
        temporary = path.with_suffix(".tmp")
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.replace(temporary, path)
    finally:
        os.close(folder)


def operations(tool):
    """(name, operands) of all operations that the tool can check."""
    text = subprocess.run([tool, "list"], capture_output=True, text=True, check=True).stdout
    return [(name, int(operands)) for name, operands in map(str.split, text.splitlines())]


def wanted(dtype, operands):
    """How many inputs a complete row has; 0 if no row is required."""
    if dtype == "f64":
        return POINTS
    if dtype == "f32":
        return 2**32 if operands == 1 else PAIRS
    return CODES[dtype] ** operands if operands == 1 or CODES[dtype] == 2**8 else 0


def exceptions(op, dtype):
    """Number of operands in the list of exceptions of the elementary functions."""
    text = (sources.ROOT / sources.LANES / "elementary_exceptions.h").read_text(encoding="utf-8")
    listed = re.search(rf"TG_EXCEPTIONS_{op}\(E\)((?:.*\\\n)*.*)", text)
    return listed[1].count("E(") if listed and dtype == "f32" else 0


def empty(name, operands, dtype):
    row = Row(name, dtype, 0, wanted(dtype, operands), 0, 0, 0, 0.0, "", "", "")
    return replace(row, exceptions=exceptions(row.op, dtype), sources=sources.digest(row.op, dtype))


def everything(tool):
    """The rows of a complete certificate, empty, with the digests of the present sources; f32 first."""
    return [empty(name, operands, dtype) for dtype in FLOATS for name, operands in operations(tool)
            if wanted(dtype, operands)]


def advanced(row, part, isa):
    """The row after one more part, given in the tool's output format."""
    values = dict(item.split("=") for item in part.split())
    ulp = float(values["ulp"])
    return replace(row, inputs=row.inputs + int(values["tried"]), wrong=row.wrong + int(values["wrong"]),
                   by_mpfr=row.by_mpfr + int(values["by_mpfr"]), ulp=max(row.ulp, ulp),
                   at=values["at"] if ulp > row.ulp else row.at, isa=isa)
