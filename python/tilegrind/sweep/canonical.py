"""Canonical JSON, in which one value has one text, and digests of it."""

import hashlib
import json

from .errors import InvalidError


def canonical(value):
    """The JSON text of a value: keys sorted, no spaces, ASCII only, and no NaN or infinity (ValueError)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(data):
    """The SHA-256 of a text or of bytes, in hexadecimal."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _without_duplicates(pairs):
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} appears twice")
    return value


def _no_constant(name):
    raise ValueError(f"{name} is no JSON")


def parse(text, where):
    """The value of a strict JSON text: duplicate keys, NaN and infinity are errors.  `where` begins the text of an
    InvalidError."""
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as problem:
        raise InvalidError(f"{where}: line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except (ValueError, RecursionError) as problem:
        raise InvalidError(f"{where}: {problem}") from None


def parse_canonical(text, where):
    """As `parse`, of a text that must be canonical."""
    value = parse(text, where)
    if canonical(value) != text:
        raise InvalidError(f"{where}: is not canonical JSON: something else has written or changed it")
    return value
