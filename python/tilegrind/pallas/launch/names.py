"""Names of kernels and of their parameters."""

from __future__ import annotations

import re
from typing import Any

from ..tracing.sources import place_of_function


def distinct(name: str, taken: set[str]) -> str:
    """`name`, or it with a number where it is among `taken`; joins `taken`."""
    candidate, number = name, 1
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate


def identifier(text: str) -> str:
    """`text` with everything but letters, digits and underscores folded into underscores."""
    return re.sub(r"\W+", "_", text).strip("_") or "arg"


def function_name(debug_info: Any) -> str:
    """The name of the function that a jaxpr was traced from."""
    place = place_of_function(debug_info)
    return place.function if place is not None else "kernel"
