"""Canonical JSON, in which one value has one text."""

import json

from .. import json_text
from .errors import InvalidError


def canonical(value):
    """The JSON text of a value: keys sorted, no spaces, ASCII only, and no NaN or infinity (ValueError)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse(text, where):
    """The value of a JSON text, read as json_text.loads does.  `where` begins the text of an InvalidError."""
    try:
        return json_text.loads(text)
    except json.JSONDecodeError as problem:
        raise InvalidError(f"{where}: line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except ValueError as problem:
        raise InvalidError(f"{where}: {problem}") from None


def parse_canonical(text, where):
    """As `parse`, of a text that must be canonical."""
    value = parse(text, where)
    if canonical(value) != text:
        raise InvalidError(f"{where}: is not canonical JSON: something else has written or changed it")
    return value
