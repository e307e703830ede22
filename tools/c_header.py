"""A strict reader of our own public headers: it returns their declarations, and raises an error for anything else.

It knows `typedef struct`, `typedef enum` and functions marked TG_API, in the forms that include/tilegrind has.
"""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Type:
    """A base type, and for each level of pointer whether the pointed-to type is const, outermost last."""

    base: str
    points_to_const: tuple = ()


@dataclass(frozen=True)
class Function:
    """A function, or the target of a function pointer; `parameters` are (name, Type)."""

    name: str
    result: Type
    parameters: tuple


@dataclass(frozen=True)
class Member:
    """A member of a struct: of a Type, or a pointer to a Function; `count` elements, or None."""

    name: str
    type: Type | Function
    count: int | None = None


@dataclass
class Header:
    """The declarations of headers, in their order."""

    opaque: list = field(default_factory=list)     # names of structs that are only pointed to
    structs: dict = field(default_factory=dict)    # name: Members
    enums: dict = field(default_factory=dict)      # name, or the text of one without: {constant: value}
    functions: list = field(default_factory=list)  # Functions


_DECLARATOR = re.compile(r"((?:\*\s*(?:const\s+)?)*)(\w+)(?:\[(\w+)\])?")
_TYPED = re.compile(r"(const\s+)?(\w+)\s*(.*)", re.S)
_POINTER_TO_FUNCTION = re.compile(r"(.*?)\(\*(\w+)\)\((.*)\)", re.S)


def read(text, header=None):
    """The Header with the declarations of `text` added.  Raises ValueError for unknown syntax."""
    header = header or Header()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*$", " ", text, flags=re.M)
    for declaration in _split(text):
        _declare(" ".join(declaration.split()), header)
    header.opaque = [name for name in header.opaque if name not in header.structs]
    return header


def _split(text):
    """The text between semicolons outside braces."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        raise ValueError(f"no declaration: {text[start:].strip()[:80]}")


def _declare(text, header):
    if match := re.fullmatch(r"typedef struct (\w+) (\w+)", text):
        header.opaque.append(match[2])
    elif match := re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", text):
        parts = [part.strip() for part in match[2].split(";") if part.strip()]
        header.structs[match[3]] = [member for part in parts for member in _members(part, header)]
    elif match := re.fullmatch(r"typedef enum (\w+) \{(.*)\} (\w+)", text):
        header.enums[match[3]] = _constants(match[2])
    elif match := re.fullmatch(r"enum \{(.*)\}", text):
        header.enums[match[1].strip()] = _constants(match[1])
    elif match := re.fullmatch(r"typedef (\w+) (\w+)", text):
        header.enums[match[2]] = match[1]
    elif match := re.fullmatch(r"TG_API (.*?)(\w+)\((.*)\)", text):
        header.functions.append(_function(match[1], match[2], match[3]))
    else:
        raise ValueError(f"no declaration that is known: {text[:80]}")


def _constants(text):
    constants, value = {}, 0
    for part in filter(None, map(str.strip, text.split(","))):
        match = re.fullmatch(r"(\w+)(?: = (\d+))?", part)
        if not match:
            raise ValueError(f"no constant that is known: {part}")
        value = int(match[2]) if match[2] else value
        constants[match[1]] = value
        value += 1
    return constants


def _count(text, header):
    """How many elements "[80]" or "[TG_SOME]" is; None for no array."""
    known = {name: value for enum in header.enums.values() if isinstance(enum, dict) for name, value in enum.items()}
    if text is None or text.isdigit():
        return text and int(text)
    if text not in known:
        raise ValueError(f"no constant that is known: {text}")
    return known[text]


def _members(text, header):
    if match := _POINTER_TO_FUNCTION.fullmatch(text):
        yield Member(match[2], _function(match[1], match[2], match[3]))
        return
    is_const, base, declarators = _TYPED.fullmatch(text).groups()
    for declarator in declarators.split(","):
        match = _DECLARATOR.fullmatch(declarator.strip())
        if match is None:
            raise ValueError(f"no member that is known: {text}")
        yield Member(match[2], _type(base, is_const, match[1]), _count(match[3], header))


def _function(result, name, parameters):
    is_const, base, stars = _TYPED.fullmatch(result.strip()).groups()
    return Function(name, _type(base, is_const, stars),
                    () if parameters == "void" else tuple(map(_parameter, parameters.split(","))))


def _parameter(text):
    (member,) = _members(text.strip(), Header())
    return member.name, member.type


def _type(base, is_const, stars):
    """`stars`: "*", "*const *", ... as written after the base."""
    if not re.fullmatch(r"(\*\s*(const\s*)?)*", stars):
        raise ValueError(f"no pointer that is known: {base} {stars}")
    consts, is_const = [], bool(is_const)
    for star in re.findall(r"\*\s*(?:const)?", stars):
        consts.append(is_const)
        is_const = "const" in star
    return Type(base, tuple(consts))
