"""What the tests of sweeps share: a folder with cases and a SPEC, and the command."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
FOREIGN = ("TEST_", "BUILDKITE_", "TILEGRIND_RANDOM")
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)},
               "PYTHONPATH": str(ROOT / "python"), "TILEGRIND": TILEGRIND,
               "TILEGRIND_LIBRARY": os.environ.get("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))}
COMMAND = [sys.executable, "-m", "tilegrind.sweep"]
SECONDS = 60

ADD = {"tilegrind": "0.1", "name": "add", "kernel": "kernel.json",
       "inputs": {"x": {"type": "f32[10]", "fill": "iota"}, "y": {"type": "f32[10]", "fill": "ones"}},
       "expect": {"outputs": {"o": {"type": "f32[10]", "values": list(range(1, 11))}}}}
SUMMED = {"tilegrind": "0.1", "kernel": "kernel.json", "inputs": {"x_ref": {"file": "inputs.npz", "key": "x_ref"}}}


def write_case(folder, name, case, kernel):
    """A case in `folder`/cases/`name` with the kernel of an example."""
    target = folder / "cases" / name
    target.mkdir(parents=True)
    (target / "case.json").write_text(json.dumps(case))
    shutil.copy(ROOT / "examples" / kernel, target / "kernel.json")
    return target


def write_add(folder, name="add"):
    """A case without findings."""
    return write_case(folder, name, ADD, "add.json")


def write_summed(folder, name="summed"):
    """A case whose output depends on the order."""
    target = write_case(folder, name, SUMMED, "summed.json")
    shutil.copy(ROOT / "examples" / "summed_inputs.npz", target / "inputs.npz")
    return target


def write_spec(folder, *sweeps, **top):
    """spec.json with these sweeps."""
    path = folder / "spec.json"
    path.write_text(json.dumps({"tilegrind-sweep": 1, **top, "sweep": list(sweeps)}))
    return path


def orders(last=100, per_unit=10, **more):
    """A sweep of kind `orders` over all cases."""
    return {"kind": "orders", "cases": "cases/*", "seeds": [1, last], "per-unit": per_unit, **more}


def sweep(*arguments, cwd, code=0, **environment):
    """(standard output, standard error) of the command, which must end with `code`."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=SECONDS,
                          env={**ENVIRONMENT, **environment})
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def planned(folder, *sweeps):
    """The path of the plan of these sweeps."""
    write_spec(folder, *sweeps)
    sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder)
    return folder / "plan.jsonl"


def accept(goldens, name, pending):
    """Accepts a pending golden, whatever passes it."""
    passing = {f"{kind} {site}": "a test" for kind, site, why in pending.alive if not why}
    goldens.store.accept(name, "a test", pending.digest, passing)


def last_line(text):
    """The last line of an output."""
    return text.splitlines()[-1]


def digest_of(folder, *stores, code=0):
    """The digest that `merge` prints of a whole plan."""
    out, _ = sweep("merge", "plan.jsonl", *(word for store in stores for word in ("--store", store)), cwd=folder, code=code)
    assert last_line(out).startswith("digest "), out
    return last_line(out)
