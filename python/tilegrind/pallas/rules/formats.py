"""Python's formats, and numpy's print options, for `debug_print` and `check`."""

from __future__ import annotations

import string
from typing import Any, Mapping, Sequence

from ...ir.builder import Value
from ...ir.errors import Unsupported

# numpy's print options: the attribute of each, and numpy's own default.
_OPTIONS = {
    "precision": ("print_precision", 8),
    "threshold": ("print_threshold", 1000),
    "edgeitems": ("print_edge_items", 3),
    "linewidth": ("print_width", 75),
    "suppress": ("print_suppress", False),
}
_FIXED = {"floatmode": "maxprec", "nanstr": "nan", "infstr": "inf", "sign": "-",
          "formatter": None, "legacy": False, "override_repr": None}


def followed(fmt: str, args: Sequence[Any]) -> tuple[str, list[Value]]:
    """A text followed by its arguments, each as ``str`` writes it."""
    text, values = _escaped(fmt), []
    for arg in args:
        text += " " + _put(arg, "", "s", values)
    return text, values


def filled(fmt: str, args: Sequence[Any],
           kwargs: Mapping[str, Any]) -> tuple[str, list[Value]]:
    """A format of ``str.format`` with replacement fields in the order of the operands.  Arguments that are not
    arrays become text."""
    text, values, position = "", [], 0
    for before, field, spec, conversion in string.Formatter().parse(fmt):
        text += _escaped(before)
        if field is None:
            continue
        if field == "":
            field, position = str(position), position + 1
        try:
            arg = args[int(field)] if field.isdecimal() else kwargs[field]
        except (IndexError, KeyError):
            raise Unsupported(f"the format names an unknown argument {field!r}") from None
        text += _put(arg, spec or "", conversion, values)
    return text, values


def _put(arg: Any, spec: str, conversion: str | None, values: list[Value]) -> str:
    """The replacement field of an argument, which is appended to `values`, or the text of one that is not an array."""
    if "{" in spec:
        raise Unsupported("a format specification with fields of its own is not supported")
    if not isinstance(arg, Value):
        place = f"{{!{conversion}:{spec}}}" if conversion else f"{{:{spec}}}"
        return _escaped(place.format(arg))
    if conversion not in (None, "s"):
        raise Unsupported(f"the conversion !{conversion} is not supported")
    values.append(arg)
    return "{" + ("!s" if conversion else "") + (f":{spec}" if spec else "") + "}"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def print_attributes(options: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a debug_print with these print options of numpy."""
    for name, value in _FIXED.items():
        if options.get(name, value) != value:
            raise Unsupported(f"numpy's print option {name}={options[name]!r} is not supported")
    attributes = {}
    for name, (attribute, default) in _OPTIONS.items():
        value = options.get(name, default)
        if name != "suppress" and (value is None or not 0 <= value < 2**53):
            raise Unsupported(f"numpy's print option {name}={value!r} is not supported")
        if value != default:
            attributes[attribute] = bool(value) if name == "suppress" else int(value)
    return attributes
