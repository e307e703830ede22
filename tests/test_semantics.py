"""The tables of meaning: what their check would let slip."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.semantics import statements  # noqa: E402
from conformance.semantics.examples import Malformed, parse  # noqa: E402
from conformance.semantics.statements import Operation  # noqa: E402

ADD = Operation("add", "SAME", "NUM", "r = a + b")


def read(tmp_path, text):
    table = tmp_path / "table.toml"
    table.write_text(text, encoding="utf-8")
    return statements.read([table])


def statement(examples, topic="result", says="", ops='["add"]'):
    return (f'[[statement]]\nops = {ops}\ntopic = "{topic}"\nsays = "{says}"\n'
            f"examples = {examples}\n")


def test_an_example_has_operands_keys_and_results():
    example = parse("add_x ref f32[2] [1 -0], i32 7; axis=1 index=[[\"at\"]] grid=[2] -> "
                    "f32[2] nan, ref f32[2] undefined, finding x-y")
    assert [tensor.type for tensor in example.operands] == ["f32[2]", "i32[]"]
    assert [tensor.is_ref for tensor in example.operands] == [True, False]
    assert example.operands[0].data == [1, "-0x0p+0"]
    assert example.attrs == {"axis": 1, "index": [["at"]]} and example.grid == [2]
    assert [tensor.data for tensor in example.results] == ["nan", None]
    assert example.findings == ["x-y"]
    assert parse('show i32 3; format="x" -> prints "a, b"').prints == "a, b"


@pytest.mark.parametrize("text, problem", [
    ("add f32 1, f32 2", "no ->"),
    ("add f32 1 f32 2 -> f32 3", "a comma is missing"),
    ("add 1 -> f32 3", "no type"),
    ("add f32 1; axis -> f32 3", "no KEY=JSON"),
    ("add f32 1; axis=[1 -> f32 3", "axis"),
    ("add f32[2] , f32 1 -> f32 3", "elements are missing"),
])
def test_malformed_examples_are_errors(text, problem):
    with pytest.raises(Malformed, match=problem):
        parse(text)


def test_sentences_without_an_example_are_found(tmp_path):
    found, problems = read(tmp_path, statement("[]", "NaN", "Is NaN."))
    assert not problems
    assert statements.unpinned(found) == ['table.toml: add, NaN: no example of "Is NaN."']


def test_an_example_of_one_operation_pins_no_other(tmp_path):
    found, _ = read(tmp_path, statement('["add f32 1, f32 2 -> f32 3"]', ops='["add", "sub"]'))
    assert len(statements.unpinned(found)) == 1


def test_what_is_not_told_is_found(tmp_path):
    found, _ = read(tmp_path, statement('["add f32 1, f32 2 -> f32 3"]'))
    assert statements.untold(found, [ADD]) == ["add: nothing is said of its NaN",
                                              "add: nothing is said of its overflow",
                                              "add: nothing is said of its undefined operands"]


def test_what_belongs_nowhere_is_found(tmp_path):
    found, problems = read(tmp_path, statement('["mul f32 1, f32 2 -> f32 2", "bad"]', "colour",
                                               "Blue.", '["ad"]'))
    assert len(problems) == 1 and "bad" in problems[0]
    told = "\n".join(statements.untold(found, []))
    assert "there is no operation ad" in told
    assert "the example is of mul" in told
    assert "the topic colour" in told


def test_every_sentence_has_an_example():
    found, problems = statements.read(statements.tables())
    assert problems + statements.unpinned(found) == []
    assert statements.untold(found, statements.operations()) == []
