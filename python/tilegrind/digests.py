"""Digests of content.  Needs the standard library alone."""

from __future__ import annotations

import hashlib


def digest(content: str | bytes) -> str:
    """The SHA-256 of a text, as UTF-8, or of bytes: 64 hexadecimal digits."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
