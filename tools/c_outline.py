"""The names that a C file defines at file scope, and the names that it uses: enough of C for tools/structure.py.

`read` gives the outline of one text.  It knows no types and expands no macros, except those that stand for
`static`: a name made by a macro, such as TG_ISA_NAME(x), does not count as a name.  Of `#if` groups it reads all branches
if each has as many opening as closing braces, and otherwise only the first.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\.\.\.|##|\S")
WORD = re.compile(r"[A-Za-z_]\w*")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}"}
# Their parentheses do not belong to a declarator.
ATTRIBUTES = {"__attribute__", "_Alignas", "__declspec", "_Alignof", "__asm__"}


@dataclass(frozen=True)
class Token:
    text: str
    line: int


@dataclass
class Name:
    """A name at file scope.  kind: function, object, type, tag, constant, macro; `forward` says that another
    declaration has to complete it (a prototype, an extern object, `struct x;`, `typedef struct x x;`)."""

    text: str
    kind: str
    line: int
    forward: bool = False
    internal: bool = False  # static


@dataclass
class Function:
    """A function with its body, for the statistics."""

    name: str
    line: int
    lines: int
    params: int


@dataclass
class Outline:
    includes: list = field(default_factory=list)  # (path between quotes, line)
    names: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    used: dict = field(default_factory=dict)  # name -> first line that uses it
    pasted: list = field(default_factory=list)  # prefixes of names that macros make: "tg_exec_" of tg_exec_##id
    guard: str = None  # the macro of the first #ifndef, where the first #define defines it


def blank(text):
    """The text without comments and literals, with all line numbers unchanged."""

    def gap(match):
        found = match.group()
        return ('""' if found[0] in "\"'" else " ") + "\n" * found.count("\n")

    return LITERAL.sub(gap, text)


def logical_lines(text):
    """(first line number, text) with continued lines joined."""
    parts, first = [], 1
    for number, line in enumerate(text.split("\n"), 1):
        parts.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield first, " ".join(parts)
            parts, first = [], number + 1


def tokens_of(text, line):
    return [Token(match.group(), line) for match in TOKEN.finditer(text)]


def balance(tokens):
    return sum((token.text == "{") - (token.text == "}") for token in tokens)


class Branches:
    """The tokens of a file, by the branches of its #if groups."""

    def __init__(self):
        self.open = [[[]]]  # for each open group its branches; the outermost has one

    def add(self, tokens):
        self.open[-1][-1].extend(tokens)

    def directive(self, word, rest):
        if word in ("if", "ifdef", "ifndef"):
            self.open.append([[]])
            self.cplusplus = word == "ifdef" and rest == "__cplusplus"
        elif word in ("elif", "else"):
            self.open[-1].append([])
        elif word == "endif" and len(self.open) > 1:
            self.close()

    def close(self):
        branches = self.open.pop()
        if all(balance(branch) == 0 for branch in branches):
            self.add([token for branch in branches for token in branch])
        elif not (branches[0] and branches[0][0].text == "extern"):  # extern "C" { of a public header
            self.add(branches[0])

    def tokens(self):
        while len(self.open) > 1:
            self.close()
        return self.open[0][0]


def matching(tokens, at):
    """The index after the bracket that closes the one at `at`."""
    opening, closing, depth = tokens[at].text, CLOSING[tokens[at].text], 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text == opening) - (tokens[index].text == closing)
        if depth == 0:
            return index + 1
    return len(tokens)


def is_word(token):
    return WORD.fullmatch(token.text) is not None


def is_macro(token):
    """Whether it is spelled like a macro: a call of a macro is not a declarator."""
    return is_word(token) and token.text.upper() == token.text and token.text.strip("_") != ""


def items(tokens):
    """The declarations and definitions at file scope, each a list of tokens with its end."""
    start = index = 0
    while index < len(tokens):
        text = tokens[index].text
        if index == start and is_macro(tokens[index]) and tokens[index + 1:index + 2] and (
                tokens[index + 1].text == "("):  # TG_PRINTF(1, 2) before, or rows of a macro
            after = matching(tokens, index + 1)
            if after < len(tokens) and tokens[after].text not in "([={":
                start = index = after + (tokens[after].text == ";")
                continue
            index = after
        elif text == "{":
            body = index
            index = matching(tokens, index)
            if is_function(tokens[start:body]):
                yield tokens[start:index]
                start = index
        elif text in "([":
            index = matching(tokens, index)
        elif text == ";":
            if index > start:
                yield tokens[start:index + 1]
            start = index = index + 1
        else:
            index += 1


def is_function(head):
    """Whether a brace after these tokens begins the body of a function."""
    texts = [token.text for token in outer(head)]
    return "(" in texts and "=" not in texts and texts[-1:] == [")"] or texts[-2:-1] == [")"]


def outer(tokens):
    """The tokens outside brackets, including the brackets themselves, without attributes."""
    found, index = [], 0
    while index < len(tokens):
        token, after = tokens[index], tokens[index + 1:index + 2]
        if token.text in ATTRIBUTES and after and after[0].text == "(":
            index = matching(tokens, index + 1)
        elif token.text in CLOSING:
            end = matching(tokens, index)
            found += [token, tokens[end - 1]]
            index = end
        else:
            found.append(token)
            index += 1
    return found


def declarators(tokens):
    """[(token of the name, is it a function)] of a declaration.  Names that macros make are left out."""
    found, index, last, taken = [], 0, None, False
    while index < len(tokens):
        token, after = tokens[index], tokens[index + 1:index + 2]
        if token.text in ATTRIBUTES and after and after[0].text == "(":
            index = matching(tokens, index + 1)
            continue
        if token.text in ("=", ",", ";", "{") or token.text == "[":
            if last is not None and not taken and token.text != "{":
                found.append((last, False))
                taken = True
            if token.text == ",":
                last, taken = None, False
            index = matching(tokens, index) if token.text in CLOSING else index + 1
            if token.text == "=":
                index = skip_initialiser(tokens, index)
            continue
        if token.text == "(" and not taken:
            end = matching(tokens, index)
            inner = tokens[index + 1:end - 1]
            if inner and inner[0].text == "*":
                last = next((t for t in inner if is_word(t) and t.text not in ("const", "volatile")), None)
                found += [(last, False)] if last is not None else []
                taken = True
            elif last is not None and is_macro(last):
                pasted = end < len(tokens) and tokens[end].text in "([=;,{"
                last, taken = None, pasted
            elif last is not None:
                found.append((last, True))
                taken = True
            index = end
            continue
        if token.text == "(":
            index = matching(tokens, index)
            continue
        if is_word(token):
            last = token
        index += 1
    return found


def skip_initialiser(tokens, index):
    while index < len(tokens) and tokens[index].text not in (",", ";"):
        index = matching(tokens, index) if tokens[index].text in CLOSING else index + 1
    return index


def constants(tokens, at):
    """The constants of the enum whose brace is at `at`."""
    index, end, first = at + 1, matching(tokens, at) - 1, True
    while index < end:
        token = tokens[index]
        if first and is_word(token) and tokens[index + 1].text != "(":
            yield Name(token.text, "constant", token.line)
        first = token.text == ","
        index = matching(tokens, index) if token.text in CLOSING else index + 1


def tags(item):
    """The tags that an item gives a body, and the constants of its enums."""
    for index, token in enumerate(item):
        if token.text not in ("struct", "union", "enum"):
            continue
        named = index + 1 < len(item) and is_word(item[index + 1])
        brace = index + (2 if named else 1)
        if brace < len(item) and item[brace].text == "{":
            if named:
                yield Name(item[index + 1].text, "tag", item[index + 1].line)
            if token.text == "enum":
                yield from constants(item, brace)


def without_types(item):
    """An item without the bodies of the types that it defines, and without their tags."""
    kept, index = [], 0
    while index < len(item):
        if item[index].text in ("struct", "union", "enum"):
            index += 1
            if index < len(item) and is_word(item[index]):
                kept.append(Token("struct", item[index].line))
                index += 1
            if index < len(item) and item[index].text == "{":
                index = matching(item, index)
        else:
            kept.append(item[index])
            index += 1
    return kept


def forward_tag(item):
    """The tag of `struct x;`, or of `typedef struct x x;`, which define nothing; None for other items."""
    texts = [token.text for token in item]
    if len(texts) == 3 and texts[0] in ("struct", "union", "enum"):
        return item[1]
    if len(texts) == 5 and texts[0] == "typedef" and texts[1] in ("struct", "union") and texts[2] == texts[3]:
        return item[2]
    return None


def names_of(item):
    """The names that an item declares or defines."""
    texts = {token.text for token in item}
    if item[0].text in ("_Static_assert", "static_assert"):
        return
    forward = forward_tag(item)
    if forward is not None:
        yield Name(forward.text, "tag", forward.line, forward=True)
        return
    yield from tags(item)
    body = item[-1].text == "}"
    rest = without_types(item[:next(i for i, t in enumerate(item) if t.text == "{")] if body else item)
    head = {token.text for token in outer(rest)}
    for token, is_a_function in declarators(rest):
        if token.text in ("struct", "typedef", "static", "extern", "const"):
            continue
        if "typedef" in texts and item[0].text == "typedef":
            yield Name(token.text, "type", token.line)
        elif is_a_function:
            yield Name(token.text, "function", token.line, not body, "static" in head)
        else:
            yield Name(token.text, "object", token.line, "extern" in head, "static" in head)


def params_of(head):
    """The number of parameters in the last parentheses of a head."""
    opening = max((i for i, t in enumerate(outer(head)) if t.text == "("), default=None)
    if opening is None:
        return 0
    at = [i for i, t in enumerate(head) if t is outer(head)[opening]][0]
    inner = outer(head[at + 1:matching(head, at) - 1])
    if not inner or [token.text for token in inner] == ["void"]:
        return 0
    return 1 + sum(token.text == "," for token in inner)


def add_item(outline, item, is_header, static):
    names = list(names_of(item))
    is_static = any(token.text in static for token in item)
    for name in names:
        name.internal |= is_static and name.kind in ("function", "object")
        name.forward |= is_header and name.kind == "object" and not name.internal
    outline.names += names
    declared = {(name.text, name.line) for name in names if name.forward}
    previous = None
    for token in item:
        is_member = previous is not None and previous.text in (".", "->")
        if is_word(token) and not is_member and (token.text, token.line) not in declared:
            outline.used.setdefault(token.text, token.line)
        previous = token
    if item[-1].text == "}" and names and names[-1].kind == "function":
        body = next(index for index, token in enumerate(item) if token.text == "{")
        outline.functions.append(Function(names[-1].text, item[0].line,
                                          item[-1].line - item[0].line + 1, params_of(item[:body])))


def add_directive(outline, branches, line, text):
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    branches.directive(word, rest)
    if word == "define":
        match = WORD.match(rest)
        outline.names.append(Name(match.group(), "macro", line))
        for token in TOKEN.findall(rest[match.end():]):
            outline.used.setdefault(token, line)
        outline.pasted += re.findall(r"\b([a-z]\w*)\s*##", rest)
    elif word == "undef":
        outline.names = [name for name in outline.names if (name.text, name.kind) != (rest, "macro")]


def macros_for_static(text):
    """The macros of a file that stand for `static`, perhaps with attributes."""
    return set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+static\b", text, re.MULTILINE))


def read(text, is_header=False, static=frozenset()):
    """The Outline of a C file; `static`: macros that stand for that word.

    In a header, `handler_fn a, b;` declares functions: an object stands there with `static`, or elsewhere."""
    outline, branches, directives = Outline(), Branches(), []
    quoted = {number: match.group(1) for number, line in enumerate(text.split("\n"), 1)
              if (match := re.match(r'\s*#\s*include\s*"([^"]+)"', line))}
    for line, content in logical_lines(blank(text)):
        if content.lstrip().startswith("#"):
            directive = content.lstrip()[1:].strip()
            directives.append(directive)
            add_directive(outline, branches, line, directive)
            if line in quoted:
                outline.includes.append((quoted[line], line))
        else:
            branches.add(tokens_of(content, line))
    if len(directives) > 1 and directives[0].startswith("ifndef "):
        guard = directives[0].split()[1]
        if directives[1] == f"define {guard}":
            outline.guard = guard
            outline.names = [name for name in outline.names if name.text != guard]
    for item in items([token for token in branches.tokens() if token.text != "__extension__"]):
        add_item(outline, item, is_header, static)
    return outline
