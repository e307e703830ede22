"""Kind `random`: kernels made from seeds, on the interpreter in all its orders and as PTX.  The program
random_programs of a build with tests runs them."""

import os
import re
import subprocess
from pathlib import Path

from .errors import UnitError
from .kind import Kind

VARIABLE = "TILEGRIND_RANDOM_PROGRAMS"
MODES = {"cpu": ["--cpu"], "ptx": []}


def _units_of(table, base, files):
    modes, seeds = table.choices("mode", list(MODES), "cpu"), table.seeds()
    table.end()
    for mode in modes:
        for first, count in seeds:
            yield {"mode": mode, "first": first, "count": count}


def _program():
    """The program that the variable names, else the one beside the command `tilegrind`."""
    command = os.environ.get("TILEGRIND")
    named = os.environ.get(VARIABLE) or (Path(command).resolve().with_name("random_programs") if command else None)
    if not named or not os.access(named, os.X_OK):
        raise UnitError(f"random kernels need the program random_programs of a build with tests; {VARIABLE} may name it")
    return str(named)


def _failure(unit, errors):
    """The failure that the program has reported; UnitError where it ended for another reason."""
    found = re.search(r"^seed (\d+): (.*)$", errors, re.MULTILINE)
    if not found:
        raise UnitError(f"random_programs has failed: {errors.strip()[-300:]}")
    repeat = " ".join(["random_programs", *MODES[unit["mode"]], found[1], "1"])
    return {"kind": "random-kernel", "level": "error", "message": f"seed {found[1]}: {found[2]}", "repeat": repeat}


def _run(unit, root):
    command = [_program(), *MODES[unit["mode"]], str(unit["first"]), str(unit["count"])]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    held = re.search(r"^(\d+) kernels, .*: all hold.* (\d+) were refused as PTX$", done.stdout, re.MULTILINE)
    is_clean = done.returncode == 0 and held is not None and int(held[1]) == unit["count"]
    failures = [] if is_clean else [_failure(unit, done.stderr)]
    counters = {"runs": unit["count"], "findings": len(failures), "refused": int(held[2]) if is_clean else 0}
    return {"counters": counters, "digests": {}, "worst": {}, "failures": failures}


RANDOM = Kind("random", _units_of, lambda unit: unit["count"], _run)
