"""Lines of the protocol: strict JSON that keeps protocol.schema.json."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from .verdicts import Fault

PROTOCOL = 1
LATER_COMMAND = "a-command-of-a-later-version"
LINE_LIMIT = 1 << 20  # bytes of one line


@functools.cache
def schema() -> dict[str, Any]:
    """The JSON Schema of all messages."""
    return json.loads(resources.files(__package__).joinpath("protocol.schema.json").read_text(encoding="utf-8"))


@functools.cache
def _validator(part: str) -> Any:
    import jsonschema

    whole = schema()
    return jsonschema.Draft202012Validator({"$schema": whole["$schema"], "$ref": f"#/$defs/{part}", "$defs": whole["$defs"]})


def _problem(part: str, message: Any) -> str | None:
    """The first thing that is wrong with a message, or None."""
    import jsonschema

    problem = jsonschema.exceptions.best_match(_validator(part).iter_errors(message))
    if problem is None:
        return None
    return f"{problem.json_path}: {problem.message}"[:500]


def encode(request: dict[str, Any]) -> bytes:
    """The line of a request.  Raises ValueError if it is against the schema, which is a defect of the judge; commands of later
    versions are in no schema."""
    problem = _problem("request", request) if request["cmd"] != LATER_COMMAND else None
    if problem:
        raise ValueError(f"a request of the judge is against the schema: {problem}")
    return json.dumps(request, allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The answer in a line.  Raises Fault."""
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_distinct)
    except ValueError as problem:
        raise Fault("not-json", f"{problem}: {_shown(line)}") from None
    problem = _problem("answer", message)
    if problem:
        raise Fault("bad-answer", f"{problem}: {_shown(line)}")
    return message


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace").rstrip("\n")
    return text if len(text) <= 120 else f"{text[:120]}..."
