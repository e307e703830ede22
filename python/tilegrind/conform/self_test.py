"""The judge judged: runners with a fault each, which must be named rightly, and one without, which must be met.

Each runner gets three cases, and has its fault only in the second: the other two show that a fault is charged to its own
case.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Sequence

import numpy as np

from ..runner.layout import Type
from .faulty import EXPECTED, FROM_THE_START
from .judge import judge
from .protocol_cases import CASES
from .session import Limits, Session
from .suite import Case, Run, Suite, Tensors, module_text
from .verdicts import Verdict

_LIMITS = Limits(start=30, load=10, run=2)
_TYPE = Type("f32", (5,))


def _module(name: str) -> str:
    """A kernel that adds x and y."""
    load = {"op": "load", "index": [["slice", 0, 5, 1]]}
    ops = [{**load, "in": [0], "out": [{"id": 3, "type": "f32[5]"}]},
           {**load, "in": [1], "out": [{"id": 4, "type": "f32[5]"}]},
           {"op": "add", "in": [3, 4], "out": [{"id": 5, "type": "f32[5]"}]},
           {"op": "store", "in": [2, 5], "index": [["slice", 0, 5, 1]]}]
    params = [{"name": param, "role": role, "type": "f32[5]"} for param, role in
              (("x", "input"), ("y", "input"), ("o", "output"))]
    args = [{"id": k, "type": "ref<f32[5]>"} for k in range(3)]
    return module_text({"tilegrind": "0.1", "kernels": [{"name": name, "grid": [], "params": params,
                                                         "body": {"args": args, "ops": ops}}]})


def _tensors(**arrays: Sequence[float]) -> Tensors:
    return {name: (_TYPE, np.array(values, np.float32).tobytes()) for name, values in arrays.items()}


def _case(name: str, kernel: str) -> Case:
    run = Run(_tensors(x=[0, 1, 2, 3, 4], y=[0, 10, 20, 30, 40]), _tensors(o=[0, 11, 22, 33, 44]))
    twin = Run(_tensors(x=[4, 3, 2, 1, 0], y=[0, 10, 20, 30, 40]), _tensors(o=[4, 13, 22, 31, 40]))
    return Case(name, _module(kernel), run, twin)


def suite() -> Suite:
    """A case before the fault, the one that has it, and one after."""
    cases = [_case("before", "fine"), _case("fault", "faulty"), _case("after", "fine")]
    return Suite("self-test", "0" * 64, cases, {})


def verdicts(command: Sequence[str], cases: Suite, limits: Limits = _LIMITS) -> dict[str, Verdict]:
    with Session(command, cases, limits) as session:
        return {case.id: judge(session, case) for case in cases.cases}


def command_of(name: str) -> list[str]:
    return [sys.executable, "-m", "tilegrind.conform.faulty", name]


def problem_of(name: str) -> str | None:
    """Whether the judge is wrong about a faulty runner: what it said instead."""
    found = verdicts(command_of(name), suite())
    wanted = dict.fromkeys(found, EXPECTED[name]) if name in FROM_THE_START else \
        {"before": "equal", "fault": EXPECTED[name], "after": "equal"}
    kinds = {case: verdict.kind for case, verdict in found.items()}
    return None if kinds == wanted else f"{name}: {json.dumps({c: f'{v.kind} {v.detail}' for c, v in found.items()})}"


def problem_without_fault() -> str | None:
    """Whether the judge finds a fault in a runner that has none, at any level."""
    command = [sys.executable, "-m", "tilegrind.conform.adding"]
    found = verdicts(command, suite())
    with Session(command, suite(), _LIMITS) as session:
        found |= {name: check(session) for name, check in CASES.items()}
    bad = {name: f"{verdict.kind} {verdict.detail}" for name, verdict in found.items() if verdict.kind != "equal"}
    return f"without a fault: {json.dumps(bad)}" if bad else None


def run() -> int:
    """Prints a line for each runner.  1 if the judge is wrong about one, else 0."""
    begun, bad = time.monotonic(), 0
    for name in (None, *EXPECTED):
        problem = problem_without_fault() if name is None else problem_of(name)
        bad += problem is not None
        print(problem or f"{name or 'without a fault'}: {'equal' if name is None else EXPECTED[name]}", flush=True)
    print(f"{len(EXPECTED)} faulty runners and one without a fault: {bad} named wrongly, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if bad else 0
