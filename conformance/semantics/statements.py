"""The sentences of docs/semantics.md: read from the tables in this folder, with the operations that they are about.

A table is TOML with entries

    [[statement]]
    ops = ["max", "min"]
    topic = "NaN"                 one of TOPICS
    says = "NaN if any operand is NaN."
    dialect = "triton"            optional; absent: for "xla", and for "triton" unless another statement says otherwise
    examples = ["max f32 nan, f32 1 -> f32 nan", ...]   see examples.py

`says` is left out for the topic "result": then it is the sentence of ir/ops.def.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Iterator

from conformance.semantics.examples import Example, Malformed, parse

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOPICS = ("result", "rounding", "NaN", "ties", "signed zero", "infinity", "overflow", "undefined",
          "undefined operands", "edge", "order")

# The topics that each operation must cover, by the operands that it accepts (the `domain` of ops.def).
_WANTED = {"FLOAT": ("result", "rounding", "NaN"), "NUM": ("result", "NaN", "overflow"),
           "INT": ("result", "overflow"), "BITS": ("result",), "ANY": ("result",)}
_ELEMENTWISE = ("SAME", "REDUCE", "SCAN")


@dataclass
class Statement:
    ops: list[str]
    topic: str
    says: str
    dialect: str
    source: str  # of the table
    examples: list[Example] = field(default_factory=list)

    def examples_of(self, op: str) -> list[Example]:
        return [example for example in self.examples if example.op == op]


@dataclass(frozen=True)
class Operation:
    """A row of ir/ops.def."""

    name: str
    rule: str
    domain: str
    means: str


def operations() -> list[Operation]:
    """All of ir/ops.def, in its order."""
    definitions = ("#define TG_A(...)\n#define TG_R(...)\n#define TG_ANY_COUNT any\n"
                   "#define TG_OP(id, least, most, out, regions, rule, domain, traits, refs, step, lower, "
                   'triton, needs, may, means) ROW @ #id @ #rule @ #domain @ means\n#include "ir/ops.def"\n')
    done = subprocess.run(["cc", "-E", "-P", "-I", ".", "-x", "c", "-"], input=definitions,
                          cwd=ROOT, capture_output=True, text=True, check=True)
    rows = re.sub(r"\s+", " ", done.stdout).split("ROW @ ")[1:]
    cells = ([cell.strip().strip('"').replace('\\"', '"') for cell in row.split(" @ ")]
             for row in rows)
    return [Operation(*row) for row in cells]


def read(tables: Iterable[Path]) -> tuple[list[Statement], list[str]]:
    """The statements of all tables, and a list of malformed ones."""
    statements, problems = [], []
    for table in tables:
        for entry in tomllib.loads(table.read_text(encoding="utf-8")).get("statement", []):
            statement = Statement(entry["ops"], entry["topic"], entry.get("says", ""),
                                  entry.get("dialect", "xla"), table.name)
            for line in entry.get("examples", []):
                try:
                    statement.examples.append(parse(line))
                except Malformed as problem:
                    problems.append(f"{table.name}: {problem}")
            statements.append(statement)
    return statements, problems


def tables() -> list[Path]:
    return sorted(HERE.glob("*.toml"))


def unpinned(statements: Iterable[Statement]) -> list[str]:
    """Sentences without an example, for each operation that they are about."""
    missing = []
    for statement in statements:
        for op in statement.ops:
            if not statement.examples_of(op):
                sentence = statement.says or "its result"
                missing.append(f"{statement.source}: {op}, {statement.topic}: no example of "
                               f"\"{sentence}\"")
    return missing


def untold(statements: Iterable[Statement], known: Iterable[Operation]) -> list[str]:
    """Problems in the tables: unknown operations or topics, empty sentences, operations without a required topic."""
    statements, known = list(statements), list(known)
    names = {operation.name for operation in known}
    problems = []
    for statement in statements:
        where = f"{statement.source}: {', '.join(statement.ops)}"
        problems += [f"{where}: there is no operation {op}" for op in statement.ops
                     if op not in names]
        problems += [f"{where}: the example is of {example.op}: {example.text}"
                     for example in statement.examples if example.op not in statement.ops]
        if statement.topic not in TOPICS:
            problems.append(f"{where}: the topic {statement.topic} is none of {', '.join(TOPICS)}")
        if not statement.says and statement.topic != "result":
            problems.append(f"{where}, {statement.topic}: nothing is said")
    told = {(op, statement.topic) for statement in statements for op in statement.ops}
    for operation in known:
        wanted = _WANTED[operation.domain] if operation.rule in _ELEMENTWISE else ("result",)
        wanted += ("undefined operands",)
        problems += [f"{operation.name}: nothing is said of its {topic}" for topic in wanted
                     if (operation.name, topic) not in told]
    return problems


def about(operation: Operation, statements: Iterable[Statement]) -> Iterator[tuple[str, str, str, str]]:
    """(topic, dialect, sentence, first example) of each statement about an operation, in the order of
    TOPICS."""
    own = [statement for statement in statements if operation.name in statement.ops]
    for statement in sorted(own, key=lambda statement: TOPICS.index(statement.topic)):
        examples = statement.examples_of(operation.name)
        yield (statement.topic, statement.dialect, statement.says or operation.means,
               examples[0].text if examples else "")
