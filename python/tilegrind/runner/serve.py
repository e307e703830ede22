"""The loop of a runner: reads requests from standard input, answers each on standard output."""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .layout import Type, array_in, parse_header

PROTOCOL = 1
_SHARED = Path("/dev/shm")  # where shm_open keeps its objects on Linux


class Unsupported(Exception):
    """What a runner raises for a kernel that it does not support: the reason, and an issue's address if there is one."""

    def __init__(self, reason: str, issue: str | None = None):
        super().__init__(reason)
        self.reason, self.issue = reason, issue


class Runner:
    """An implementation.  Subclasses override ``load`` and ``run``.

    implementation  its ``name`` and ``version``, and optionally ``commit``, ``homepage``, ``issues``, ``device``
    contract        what it does to numbers, the name of a contract of docs/bounds.md
    claims          what it supports, as lists ``dtypes``, ``ops`` and ``features`` (docs/conformance.md); a list that is
                    absent says nothing
    tensors         "safetensors" (files), or "shm" (shared memory)
    """

    def __init__(self, implementation: dict[str, str], contract: str = "ieee", claims: dict[str, list[str]] | None = None,
                 tensors: str = "safetensors"):
        self.implementation, self.contract, self.claims, self.tensors = implementation, contract, claims, tensors

    def load(self, path: Path, source: dict[str, str] | None) -> Any:
        """What ``run`` takes as its kernel.  ``source`` says where the kernel comes from, if that is known: ``language``,
        ``path`` and ``function``.  Raises Unsupported."""
        raise NotImplementedError

    def run(self, kernel: Any, inputs: dict[str, np.ndarray], outputs: dict[str, np.ndarray], order: str,
            grid: list[int]) -> None:
        """Writes every element of the outputs.  Inputs cannot be written.  ``order`` is as on the command line of
        tilegrind, ``grid`` has the sizes of the dynamic axes.  Raises Unsupported."""
        raise NotImplementedError


def types_of(path: Path) -> dict[str, Type]:
    """The types of the arrays of a module's first kernel, by the names of the parameters."""
    kernel = json.loads(path.read_text(encoding="utf-8"))["kernels"][0]
    return {param["name"]: Type.parse(param["type"]) for param in kernel["params"] if param["role"] != "scratch"}


def serve(runner: Runner) -> None:
    """Answers requests until the judge says bye or closes the pipe."""
    # What the implementation prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    kernels: dict[str, tuple[Any, dict[str, Type]]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            break
        if request["cmd"] == "drop":
            kernels.pop(request["kernel"], None)
        elif "seq" in request:
            _send(answers, {"seq": request["seq"], **_answer(runner, kernels, request)})


def _send(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message, allow_nan=False) + "\n")
    answers.flush()


def _answer(runner: Runner, kernels: dict, request: dict[str, Any]) -> dict[str, Any]:
    answer = {"hello": _hello, "load": _load, "run": _run}.get(request["cmd"])
    if answer is None:
        return {"unsupported": f"command {request['cmd']}"}
    try:
        return answer(runner, kernels, request)
    except Unsupported as problem:
        return {"unsupported": problem.reason, **({"issue": problem.issue} if problem.issue else {})}
    except Exception as problem:  # whatever the implementation raises is its answer
        traceback.print_exc()
        return {"error": {"kind": type(problem).__name__, "message": str(problem)[:2000]}}


def _hello(runner: Runner, kernels: dict, request: dict[str, Any]) -> dict[str, Any]:
    claims = {"claims": runner.claims} if runner.claims is not None else {}
    return {"protocol": PROTOCOL, "implementation": runner.implementation, "ir": ["0.1"], "contract": runner.contract,
            "tensors": runner.tensors, **claims}


def _load(runner: Runner, kernels: dict, request: dict[str, Any]) -> dict[str, Any]:
    path = Path(request["path"])
    kernels[request["kernel"]] = runner.load(path, request.get("source")), types_of(path)
    return {"ok": True}


def _run(runner: Runner, kernels: dict, request: dict[str, Any]) -> dict[str, Any]:
    kernel, types = kernels[request["kernel"]]
    inputs = _arrays(request["inputs"], types, False)
    outputs = _arrays(request["outputs"], types, True)
    begun = time.monotonic_ns()
    runner.run(kernel, inputs, outputs, request["order"], request["grid"])
    return {"ok": True, "time_ns": time.monotonic_ns() - begun}


def _arrays(place: dict[str, str], types: dict[str, Type], writable: bool) -> dict[str, np.ndarray]:
    """The tensors of a file that are parameters, mapped: they live as long as the arrays do."""
    path = Path(place["path"]) if "path" in place else _SHARED / place["shm"].lstrip("/")
    with open(path, "r+b" if writable else "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)
    entries = parse_header(memory, len(memory))
    return {name: array_in(memory, entry, types[name]) for name, entry in entries.items() if name in types}
