"""Runners with one fault each, by which ``tilegrind conform --self-test`` tests the judge: ``python -m ... NAME``.

They add two arrays.  All but those of FROM_THE_START have their fault only with a kernel of the name "faulty".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

from ..runner.layout import Entry, parse_header

_FOR_EVER = 600  # seconds: longer than any judge waits


class State:
    """What a faulty runner remembers."""

    def __init__(self) -> None:
        self.kernel = ""
        self.calls = 0
        self.answers: dict[str, bytes] = {}


class Files:
    """The files of a run."""

    def __init__(self, request: dict[str, Any]):
        self.inputs, self.outputs = Path(request["inputs"]["path"]), Path(request["outputs"]["path"])

    def entries(self, path: Path) -> dict[str, Entry]:
        return parse_header(path.read_bytes(), path.stat().st_size)

    def sum(self) -> bytes:
        content, entries = self.inputs.read_bytes(), self.entries(self.inputs)
        arrays = [np.frombuffer(content[entries[name].begin:entries[name].end], "<f4") for name in ("x", "y")]
        return (arrays[0] + arrays[1]).tobytes()

    def write(self, data: bytes, shift: int = 0) -> None:
        """Writes the output, or beside it."""
        with open(self.outputs, "r+b") as file:
            file.seek(self.entries(self.outputs)["o"].begin + shift)
            file.write(data)


def _say(text: str) -> None:
    os.write(1, text.encode())


def _answer(request: dict[str, Any], **members: Any) -> None:
    _say(json.dumps({"seq": request["seq"], **(members or {"ok": True})}) + "\n")


def _right(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum())
    _answer(request)


def wrong_seq(state: State, request: dict[str, Any]) -> None:
    _right(state, {**request, "seq": request["seq"] + 7})


def two_answers(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum())
    line = json.dumps({"seq": request["seq"], "ok": True}) + "\n"
    _say(line + line)


def half_line(state: State, request: dict[str, Any]) -> None:
    _say('{"seq": 2, "o')
    time.sleep(_FOR_EVER)


def nan_as_json(state: State, request: dict[str, Any]) -> None:
    _say(f'{{"seq": {request["seq"]}, "ok": true, "time_ns": NaN}}\n')


def key_twice(state: State, request: dict[str, Any]) -> None:
    _say(f'{{"seq": {request["seq"]}, "error": {{"kind": "k", "message": "m"}}, "seq": {request["seq"]}}}\n')


def against_schema(state: State, request: dict[str, Any]) -> None:
    _answer(request, ok="yes")


def huge_line(state: State, request: dict[str, Any]) -> None:
    _say('{"seq": 2, "unsupported": "')
    while True:
        _say("x" * 65536)


def lying_shape(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum())
    content = files.outputs.read_bytes()
    with open(files.outputs, "r+b") as file:
        file.write(content.replace(b'"shape":[5]', b'"shape":[1]', 1)[:len(content)])
    _answer(request)


def not_written(state: State, request: dict[str, Any]) -> None:
    _answer(request)


def half_written(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum()[:8])
    _answer(request)


def output_replaced(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    content = files.outputs.read_bytes()
    files.outputs.unlink()
    files.outputs.write_bytes(content)
    _right(state, request)


def input_modified(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum())
    os.chmod(files.inputs, 0o644)
    with open(files.inputs, "r+b") as file:
        file.seek(files.entries(files.inputs)["x"].begin)
        file.write(b"\1\2\3\4")
    _answer(request)


def writes_outside(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(files.sum() + b"\0\0\0\0")
    _answer(request)


def writes_before(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(b"\0\0\0\0" + files.sum(), -4)
    _answer(request)


def slow(state: State, request: dict[str, Any]) -> None:
    time.sleep(_FOR_EVER)


def dead(state: State, request: dict[str, Any]) -> None:
    os._exit(3)


def dead_by_signal(state: State, request: dict[str, Any]) -> None:
    os.abort()


def dead_after_answer(state: State, request: dict[str, Any]) -> None:
    _right(state, request)
    os._exit(0)


def other_bits(state: State, request: dict[str, Any]) -> None:
    """Right in its first call for a kernel, then one bit off: from the third call on, which has the inputs of the
    first."""
    files, data = Files(request), None
    data = bytearray(files.sum())
    data[0] ^= state.calls >= 3
    files.write(bytes(data))
    _answer(request)


def from_cache(state: State, request: dict[str, Any]) -> None:
    """What it computed first for a file of that name."""
    files = Files(request)
    files.write(state.answers.setdefault(str(files.inputs), files.sum()))
    _answer(request)


def sign_of_zero(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write((np.frombuffer(files.sum(), "<f4") * np.float32(-1)).tobytes()[:4] + files.sum()[4:])
    _answer(request)


def nan_as_result(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write(np.full(5, np.nan, "<f4").tobytes())
    _answer(request)


def wrong_result(state: State, request: dict[str, Any]) -> None:
    files = Files(request)
    files.write((np.frombuffer(files.sum(), "<f4") + np.float32([0, 0, 0, 0, 1])).astype("<f4").tobytes())
    _answer(request)


def stderr_flood(state: State, request: dict[str, Any]) -> None:
    while True:
        os.write(2, b"x" * 65535 + b"\n")


def chatter(state: State, request: dict[str, Any]) -> None:
    _say("running the kernel\n")
    _right(state, request)


def keeps_pipe(state: State, request: dict[str, Any]) -> None:
    """A child in a session of its own has the pipe, and the runner ends."""
    subprocess.Popen(["sleep", "20"], start_new_session=True)
    os._exit(0)


def claims_too_much(state: State, request: dict[str, Any]) -> None:
    _answer(request, unsupported="the kernel that was claimed")


def error(state: State, request: dict[str, Any]) -> None:
    _answer(request, error={"kind": "Internal", "message": "no registers left"})


def later_protocol(state: State, request: dict[str, Any]) -> None:
    """Says hello in a version that the judge does not speak."""


def banner(state: State, request: dict[str, Any]) -> None:
    """Prints a line before it answers hello."""


def refuses_hello(state: State, request: dict[str, Any]) -> None:
    """Answers hello with unsupported."""


FROM_THE_START = {"later-protocol", "banner", "refuses-hello"}
# The verdict that each of them must get.
EXPECTED: dict[str, str] = {
    "wrong-seq": "wrong-seq", "two-answers": "two-answers", "half-line": "half-line", "nan-as-json": "not-json",
    "key-twice": "not-json", "against-schema": "bad-answer", "huge-line": "line-too-long", "lying-shape": "shape",
    "not-written": "not-written", "half-written": "not-written", "output-replaced": "output-replaced",
    "input-modified": "input-modified", "writes-outside": "wrote-outside", "writes-before": "wrote-outside",
    "slow": "timeout", "dead": "crash", "dead-by-signal": "crash", "dead-after-answer": "crash",
    "other-bits": "nondeterministic", "from-cache": "from-cache", "sign-of-zero": "special-differs",
    "nan-as-result": "special-differs", "wrong-result": "outside", "stderr-flood": "stderr-flood", "chatter": "not-json",
    "keeps-pipe": "pipe-held", "claims-too-much": "claimed-unsupported", "error": "error", "later-protocol": "bad-hello",
    "banner": "not-json", "refuses-hello": "bad-hello",
}


def _hello(name: str, request: dict[str, Any]) -> None:
    if name == "banner":
        _say("Welcome!\n")
    if name == "refuses-hello":
        _answer(request, unsupported="this judge")
        return
    _answer(request, protocol=2 if name == "later-protocol" else 1, ir=["0.1"],
            implementation={"name": f"faulty {name}", "version": "1"}, claims={"ops": ["load", "add", "store"]})


def serve(name: str) -> None:
    fault: Callable[[State, dict[str, Any]], None] = globals()[name.replace("-", "_")]
    state = State()
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        if request["cmd"] == "hello":
            _hello(name, request)
        elif request["cmd"] == "load":
            state.kernel, state.calls = json.loads(Path(request["path"]).read_text())["kernels"][0]["name"], 0
            _answer(request)
        elif request["cmd"] == "run":
            state.calls += 1
            (fault if state.kernel == "faulty" and name not in FROM_THE_START else _right)(state, request)
        elif "seq" in request:
            _answer(request, unsupported=request["cmd"])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in EXPECTED:
        sys.exit(f"usage: faulty NAME, one of {', '.join(EXPECTED)}")
    serve(sys.argv[1])
