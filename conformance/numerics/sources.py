"""Digests of exactly the C that computes an operation on a dtype.

The sources of the instruction sets are preprocessed and cut into top-level definitions; then every definition
is collected that is reachable by name from the function that the dispatch selects.  The digest is that
of their tokens and of the compiler options that affect values.  So it changes with every edit that could
change a result (of a coefficient, a helper or a list of exceptions), and with no other: not with comments,
layout, or another function of the same file.  Pragmas are left out, as they only ask for vectorisation.
"""

import functools
import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANES = "interp/elementwise/"
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\.?\d(?:[eEpP][+-]|[\w.])*|[A-Za-z_]\w*|\S')
NAME = re.compile(r"[A-Za-z_]\w*$")
OPENING, CLOSING = "([{", ")]}"


def tokens_of(path):
    """Tokens of a source after preprocessing, without those from outside the repository."""
    done = subprocess.run(["cc", "-E", "-DTG_ISA=baseline", "-I.", "-Iinclude", path], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    ours, tokens = False, []
    for line in done.stdout.splitlines():
        marker = re.match(r'#\s+\d+\s+"([^"]*)"', line)
        if marker:
            ours = not marker[1].startswith(("/", "<"))
        elif ours and not line.lstrip().startswith("#"):
            tokens += TOKEN.findall(line)
    return tokens


def definitions_of(tokens):
    """Yields the top-level declarations and definitions, each a list of tokens."""
    depth, item, is_body = 0, [], True
    for token in tokens:
        item.append(token)
        if depth == 0 and token in ("=", "typedef", "enum", "struct", "union"):
            is_body = False  # the next braces are not a function's
        depth += (token in OPENING) - (token in CLOSING)
        if depth == 0 and (token == ";" or (token == "}" and is_body)):
            yield item
            item, is_body = [], True


def names_of(item):
    """Names that a definition defines: a function, object or type its name, an enum also its constants."""
    outside, depth, inside, previous = [], 0, [], None
    for token in item:
        if token in OPENING:
            if token in "([" and depth == 0 and outside and outside[-1] != "__attribute__":
                return [outside[-1]]
            depth += 1
        elif token in CLOSING:
            depth -= 1
        elif token == "=" and depth == 0:
            return outside[-1:]
        elif NAME.match(token):
            if depth == 0:
                outside.append(token)
            elif depth == 1 and "enum" in item[:2] and previous in ("{", ","):
                inside.append(token)
        previous = token
    return [name for name in outside[-1:] if name != "enum"] + inside


def table_of(tokens):
    """name -> every definition and declaration of it, in order."""
    table = {}
    for item in definitions_of(tokens):
        for name in names_of(item):
            table.setdefault(name, []).append(item)
    return table


@functools.cache
def definitions(path):
    return table_of(tokens_of(LANES + path))


def reachable(table, root):
    """Text of everything that `root` needs, including itself."""
    names, waiting = {root}, [root]
    while waiting:
        for item in table[waiting.pop()]:
            new = {token for token in item if token in table} - names
            names |= new
            waiting += sorted(new)
    return " ".join(" ".join(item) for name in sorted(names) for item in table[name])


def roots(op, dtype):
    """(source, function) of each step from operands in memory to results, in the order of lanes.c."""
    found = [(source, name) for source, name in [
        ("isa_narrow.c", f"lanes_{op}_{dtype}"),
        ("isa_float.c", f"lanes_{op}_{dtype if dtype == 'f64' else 'f32'}"),
        ("isa_elementary.c", f"{op}_{dtype if dtype in ('f32', 'f64') else 'f32_odd'}"),
    ] if name in definitions(source)][:1]
    if not found:
        raise LookupError(f"no function computes {op} of {dtype}")
    if dtype not in ("f32", "f64"):
        found += [("isa_narrow.c", f"lanes_{way}_{dtype}") for way in ("load", "round", "store")]
    return found


@functools.cache
def options():
    """The compiler options that affect values, from the build's settings."""
    text = (ROOT / "cmake" / "Settings.cmake").read_text(encoding="utf-8")
    return " ".join(re.findall(r"-f(?:fp-|no-math|no-trap|fast|unsafe)[\w-]*(?:=\w+)?", re.sub(r"#.*", "", text)))


@functools.cache
def digest(op, dtype):
    """16 hexadecimal digits; raises LookupError if there is no such function."""
    parts = [options()] + [reachable(definitions(source), name) for source, name in roots(op, dtype)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
