"""Strict JSON: texts that other readers take, or take otherwise, are refused."""

import json

import pytest
from tilegrind import json_text
from tilegrind.conform import messages
from tilegrind.conform.verdicts import Fault


@pytest.mark.parametrize("text, problem", [
    ('{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' occurs twice"),
    ("[NaN]", "NaN is no number of JSON"),
    ("[-Infinity]", "-Infinity is no number of JSON"),
    ("[1e999]", "1e999 is too large for a number"),
    ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    (r'["\ud800"]', r"\\ud800 is half a character"),
    (r'{"\udfff": 1}', r"\\udfff is half a character"),
    ("[1,]", "line 1 column"),
    ("", "line 1 column 1"),
    ("1" * 5000, "digits"),
])
def test_what_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        json_text.loads(text)


@pytest.mark.parametrize("value", [1.5e300, -0.0, 2**70, "\U0001f600", [], {"": None}, [True, [{}]]])
def test_what_is_read(value):
    assert repr(json_text.loads(json.dumps(value))) == repr(value)


@pytest.mark.parametrize("line", [b"[" * 100_000, rb'{"seq": 1, "unsupported": "\ud800"}', b'{"seq": 1, "x": 1e999}', b"\xff"])
def test_no_answer_of_a_runner_is_a_defect_of_the_judge(line):
    with pytest.raises(Fault) as caught:
        messages.decode(line)
    assert caught.value.verdict.kind == "not-json"
