"""Lines of the protocol: strict JSON that keeps protocol.schema.json."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, Callable

import fastjsonschema

from .. import json_text
from .verdicts import Fault

PROTOCOL = 1
LATER_COMMAND = "a-command-of-a-later-version"
_KINDS = {"ok": "ok", "unsupported": "unsupported", "error": "error", "cancelled": "cancelled",
          "implementation": "hello_answer"}  # what an answer has, and the name of its definition
LINE_LIMIT = 1 << 20  # bytes of one line


@functools.cache
def schema() -> dict[str, Any]:
    """The JSON Schema of all messages."""
    return json.loads(resources.files(__package__).joinpath("protocol.schema.json").read_text(encoding="utf-8"))


@functools.cache
def _validator(part: str) -> Callable[[Any], Any]:
    whole = schema()
    chosen = [{"$ref": f"#/$defs/{part}"}]
    return fastjsonschema.compile({"$schema": whole["$schema"], "allOf": chosen, "$defs": whole["$defs"]})


def _problem(part: str, message: Any) -> str | None:
    """The first thing that is wrong with a message, or None."""
    try:
        _validator(part)(message)
    except fastjsonschema.JsonSchemaValueException as problem:
        return str(problem)[:300]
    return None


def encode(request: dict[str, Any]) -> bytes:
    """The line of a request.  Raises ValueError if it is against the schema, which is a defect of the judge; commands of
    later versions are in no schema."""
    problem = _problem("request", request) if request["cmd"] != LATER_COMMAND else None
    if problem:
        raise ValueError(f"a request of the judge is against the schema: {problem}")
    return json.dumps(request, allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The answer in a line.  Raises Fault."""
    try:
        message = json_text.loads(line.decode("utf-8"))
    except ValueError as problem:
        raise Fault("not-json", f"{problem}: {_shown(line)}") from None
    problem = _problem_of_answer(message)
    if problem:
        raise Fault("bad-answer", f"{problem}: {_shown(line)}")
    return message


def _problem_of_answer(message: Any) -> str | None:
    """The first thing that is wrong with an answer, in terms of the kind of answer that it seems to be, or None."""
    problem = _problem("answer", message)
    if problem is None or not isinstance(message, dict):
        return problem
    kinds = [kind for member, kind in _KINDS.items() if member in message]
    if len(kinds) != 1:
        return f"an answer has one of {', '.join(_KINDS)}; this one has {len(kinds)} of them"
    return _problem(kinds[0], message) or problem


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace").rstrip("\n")
    return text if len(text) <= 120 else f"{text[:120]}..."
