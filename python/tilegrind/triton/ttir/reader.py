"""Reads the text of TTIR, as Triton prints it before any pass, into `syntax.Module`.

Triton's printer has a form of its own for most operations, and its Python bindings do not show all that is in them; so the text is
read.  All forms are alike enough for one reader: a name, operands, words and attributes, a colon and types, regions.  What an
operation may have is known where it is converted, which refuses what it does not know."""

from __future__ import annotations

from typing import Any

from .attributes import NAME, NUMBER, read_attribute, read_dictionary, read_literal, read_number
from .locations import STRING, Location, Locations, string_value
from .scanner import Scanner, SyntaxProblem
from .syntax import Argument, Block, Function, Module, Op
from .types import Type, read_type

__all__ = ["SyntaxProblem", "read"]

VALUE = r"%[\w.$-]+(?:#\d+)?"
LABEL = r"\^\w+"
SYMBOL = rf"@(?:{STRING}|[\w.$-]+)"
OP_NAME = r"(?:arith|math|tt|ttg|scf|cf|ub|llvm|builtin|gpu|nvvm|ttng|proton|gluon)\.[\w.]+"


def read(text: str) -> Module:
    """The module that `text` is.  Raises SyntaxProblem, which says the line and column of what the reader does not know."""
    reader = _Reader(text)
    try:
        return reader.module()
    except RecursionError:
        raise reader.at.problem("nested too deeply") from None


class _Reader:
    def __init__(self, text: str) -> None:
        self.at = Scanner(text)
        self.locations = Locations(text)

    # ---- modules and functions ----

    def module(self) -> Module:
        self._pass_aliases()
        self.at.expect("module")
        attributes = read_dictionary(self.at) if self.at.accept("attributes") else {}
        self.at.expect("{")
        functions = {}
        while not self._ends():
            function = self._function()
            functions[function.name] = function
        self._location()
        self._pass_aliases()
        if self.at.position < len(self.at.text):
            raise self.at.problem("expected the end of the module")
        return Module(functions, attributes)

    def _pass_aliases(self) -> None:
        """Moves behind definitions of locations, which have been looked at, and blank lines."""
        self.at.skip_lines()
        while self.at.take(r"#loc\d* = [^\n]*"):
            self.at.skip_lines()

    def _ends(self) -> bool:
        self.at.skip_lines()
        return self.at.accept("}")

    def _function(self) -> Function:
        self.at.expect("tt.func")
        visibility = self.at.take(r"(?:public|private)\b")
        name = self._symbol()
        arguments = self._arguments()
        results = self._types_behind_arrow()
        attributes = read_dictionary(self.at) if self.at.accept("attributes") else {}
        blocks = self._region()
        return Function(name, visibility == "public", arguments, results, attributes, blocks, self._location())

    def _symbol(self) -> str:
        name = self.at.need(SYMBOL, "the name of a function")[1:]
        return string_value(name) if name.startswith('"') else name

    def _arguments(self) -> list[Argument]:
        """`(%name: type {attributes} loc(...), ...)`"""
        self.at.expect("(")
        self.at.lines += 1
        found = []
        while not self.at.is_next(")"):
            name = self.at.need(VALUE, "an argument")
            self.at.expect(":")
            kind = read_type(self.at)
            attributes = read_dictionary(self.at) if self.at.is_next("{") else {}
            found.append(Argument(name, kind, self._location(), attributes))
            if not self.at.accept(","):
                break
        self.at.lines -= 1
        self.at.skip_lines()
        self.at.expect(")")
        return found

    def _types_behind_arrow(self) -> list[Type]:
        return self._types() if self.at.accept("->") else []

    def _types(self) -> list[Type]:
        """`T`, `T, T`, `T * T` or `(T, T)`; `()` is none."""
        is_grouped = self.at.accept("(")
        found: list[Type] = []
        if not (is_grouped and self.at.is_next(")")):
            found.append(read_type(self.at))
            while self.at.accept(",") or self.at.accept("*") or self.at.accept("x "):
                found.append(read_type(self.at))
        if is_grouped:
            self.at.expect(")")
        return found

    def _location(self) -> Location | None:
        return self.locations.read(self.at) if self.at.is_next("loc(") else None

    # ---- regions and blocks ----

    def _region(self) -> list[Block]:
        """`{ ... }` with one block or more; the first has no label unless it has arguments."""
        self.at.expect("{")
        depth, self.at.lines = self.at.lines, 0
        blocks = [Block()]
        while not self._ends():
            if self.at.is_next("^"):
                block = self._block_head()
                if blocks == [Block()]:
                    blocks = []
                blocks.append(block)
            else:
                blocks[-1].ops.append(self._op())
        self.at.lines = depth
        return blocks

    def _block_head(self) -> Block:
        label = self.at.need(LABEL, "a label")
        arguments = self._arguments() if self.at.is_next("(") else []
        self.at.expect(":")
        return Block(label, arguments)

    # ---- operations ----

    def _op(self) -> Op:
        line = self.at.line()
        results = self._results()
        quoted = self.at.take(STRING)
        name = string_value(quoted) if quoted else self.at.need(OP_NAME, "an operation")
        op = Op(name, results, line=line)
        special = {"scf.for": self._for, "scf.if": self._if, "scf.while": self._while, "arith.constant": self._constant}
        special.get(name, self._rest)(op)
        op.location = self._location()
        if not self.at.is_at_line_end():
            raise self.at.problem(f"{name} goes on")
        return op

    def _results(self) -> tuple[str, ...]:
        if not self.at.is_next("%"):
            return ()
        found: list[str] = []
        while True:
            name = self.at.need(VALUE, "a result")
            if self.at.accept(":"):
                found += [f"{name}#{number}" for number in range(int(self.at.need(r"\d+", "a number of results")))]
            else:
                found.append(name)
            if not self.at.accept(","):
                break
        self.at.expect("=")
        return tuple(found)

    def _constant(self, op: Op) -> None:
        """`arith.constant {attributes} literal : type`; of a bool without a type."""
        if self.at.is_next("{"):
            op.attributes = read_dictionary(self.at)
        op.words = [read_literal(self.at)]
        if self.at.accept(":"):
            op.outputs = [read_type(self.at)]
        else:
            op.outputs = [Type("i1")]

    def _rest(self, op: Op) -> None:
        """All behind the name of an operation without a form of its own."""
        while not self.at.is_at_line_end() and not self.at.is_next("loc("):
            if self.at.accept(":"):
                self._signature(op)
            elif self.at.accept("->"):  # of an operation without operands
                op.outputs += self._types()
            elif not self._item(op):
                raise self.at.problem(f"no part of {op.name} that is known")

    def _item(self, op: Op) -> bool:
        """Reads one operand, word, attribute, list, region or successor; false if it is none of these."""
        at = self.at
        if at.accept(","):
            return True
        if at.is_next("%"):
            op.operands.append(at.need(VALUE, "an operand"))
        elif at.is_next("["):
            self._operand_list(op)
        elif at.accept("<{"):
            at.position -= 1
            op.attributes.update(read_dictionary(at))
            at.expect(">")
        elif at.is_next("{"):
            op.attributes.update(read_dictionary(at))
        elif at.is_next("("):
            self._group(op)
        elif at.is_next("^"):
            op.successors.append(self._successor())
        elif at.is_next("@"):
            self._say(op, self._symbol())
        elif at.peek(STRING):
            self._say(op, string_value(at.take(STRING)))
        elif at.peek(NUMBER):
            self._say(op, read_number(at))
        elif word := at.take(NAME):
            self._word(op, word)
        else:
            return False
        return True

    def _word(self, op: Op, word: str) -> None:
        if self.at.accept("="):
            op.attributes[word] = read_attribute(self.at)
        else:
            self._say(op, word)

    def _say(self, op: Op, word: Any) -> None:
        op.words.append(word)
        op.behind.append(len(op.operands))

    def _operand_list(self, op: Op) -> None:
        """`[%a, %b]`, also with words or numbers in it, which stay words."""
        self.at.expect("[")
        before = len(op.operands)
        while not self.at.accept("]"):
            if not self._item(op):
                raise self.at.problem("expected `]`")
        op.lists.append((before, len(op.operands) - before))

    def _group(self, op: Op) -> None:
        """`(%a, %b)`, or `({ ... }, { ... })`: regions of the generic form."""
        self.at.expect("(")
        while not self.at.accept(")"):
            if self.at.is_next("{"):
                op.regions.append(self._region())
            elif not self._item(op):
                raise self.at.problem("expected `)`")

    def _successor(self) -> tuple[str, list[str]]:
        """`^bb1` or `^bb1(%a, %b : T, T)`"""
        label, operands = self.at.need(LABEL, "a label"), []
        if self.at.accept("("):
            while name := self.at.take(VALUE):
                operands.append(name)
                self.at.accept(",")
            if self.at.accept(":"):
                self._types()
            self.at.expect(")")
        return label, operands

    def _signature(self, op: Op) -> None:
        """Types, or, as in `tt.print`, operands and then types."""
        while self.at.is_next("%"):
            op.operands.append(self.at.need(VALUE, "an operand"))
            if not self.at.accept(","):
                self.at.expect(":")
        op.inputs += self._types()
        if self.at.accept("->") or self.at.accept("to "):
            op.outputs += self._types()

    # ---- loops and branches ----

    def _for(self, op: Op) -> None:
        """`scf.for [unsigned] %i = %a to %b step %c [iter_args(%x = %y) -> (T)] [: type] { }`; operands are a, b, c, carries."""
        at = self.at
        if at.accept("unsigned"):
            op.attributes["unsigned"] = True
        counter = at.need(VALUE, "a counter")
        at.expect("=")
        for word in ("to", "step", ""):
            op.operands.append(at.need(VALUE, "a bound"))
            if word:
                at.expect(word)
        carries = self._carries(op) if at.accept("iter_args") else []
        op.outputs = self._types_behind_arrow()
        kind = read_type(at) if at.accept(":") else Type("index")
        blocks = self._region()
        blocks[0].arguments = [Argument(counter, kind)] + [Argument(*pair) for pair in zip(carries, op.outputs)]
        op.regions = [blocks]
        self._attributes_behind(op)

    def _carries(self, op: Op) -> list[str]:
        """`(%x = %y, ...)`: adds the right sides to the operands, and returns the left ones."""
        self.at.expect("(")
        names = []
        while not self.at.accept(")"):
            names.append(self.at.need(VALUE, "a carry"))
            self.at.expect("=")
            op.operands.append(self.at.need(VALUE, "a value"))
            self.at.accept(",")
        return names

    def _if(self, op: Op) -> None:
        op.operands = [self.at.need(VALUE, "a condition")]
        op.outputs = self._types_behind_arrow()
        op.regions = [self._region()]
        if self.at.accept("else"):
            op.regions.append(self._region())
        self._attributes_behind(op)

    def _while(self, op: Op) -> None:
        """`scf.while (%x = %y) : (T) -> (T) { } do { ^bb0(...): }`"""
        names = self._carries(op) if self.at.is_next("(") else []
        self.at.expect(":")
        self._signature(op)
        before = self._region()
        before[0].arguments = [Argument(*pair) for pair in zip(names, op.inputs)]
        self.at.expect("do")
        op.regions = [before, self._region()]
        self._attributes_behind(op)

    def _attributes_behind(self, op: Op) -> None:
        if self.at.accept("attributes") or self.at.is_next("{"):
            op.attributes.update(read_dictionary(self.at))
