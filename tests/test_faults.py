"""The list of seeded faults: that each can still be put into the tree, and that what is wrong with a list is told."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.faults import checks, faults, record, try_faults  # noqa: E402

FAULT = faults.Fault("name", "ir/a.c", "breaks it", "meaning", "a + b", "a - b")


def tree(tmp_path, text):
    (tmp_path / "ir").mkdir()
    (tmp_path / "ir" / "a.c").write_text(text)
    return tmp_path


def test_every_fault_has_its_place():
    found = faults.read()
    assert len(found) >= 40
    assert faults.problems(found, ROOT) == []


def test_every_fault_expects_a_check_that_there_is():
    names = {check.name for check in checks.CHECKS}
    assert {fault.expect for fault in faults.read()} <= names


def test_what_checks_need_is_of_checks_that_there_are():
    assert set(checks.NEEDED) <= {check.name for check in checks.CHECKS}


def test_every_fault_is_found_by_a_check():
    found, names = record.read(), {check.name for check in checks.CHECKS}
    assert [fault.name for fault in faults.read() if fault.name not in found] == []
    assert {found[fault.name].check for fault in faults.read()} <= names
    assert found[record.NO_FAULT].says == ", ".join(check.name for check in checks.CHECKS)


def test_the_document_is_that_of_the_record():
    document = record.document(faults.read(), record.read(), checks.CHECKS)
    assert record.DOCUMENT.read_text(encoding="utf-8") == document


def test_a_record_is_read_as_it_was_written(tmp_path):
    found = {"name": record.Found("meaning", "add f32 1"), record.NO_FAULT: record.Found("passes", "meaning")}
    record.write(found | {"gone": record.Found("meaning", "x")}, [FAULT], tmp_path / "found.tsv")
    assert record.read(tmp_path / "found.tsv") == found


def test_the_document_says_what_nothing_found():
    missed = replace(FAULT, name="missed")
    text = record.document([FAULT, missed], {"name": record.Found("meaning", "a | b"), "missed": record.Found("", "")},
                           checks.CHECKS)
    assert "| name | `ir/a.c` | breaks it | meaning: a \\| b |" in text
    assert "| missed | `ir/a.c` | breaks it | **nothing** |" in text


def test_a_fault_changes_its_place_and_no_other(tmp_path):
    assert faults.seeded(FAULT, tree(tmp_path, "x = a + b;\n")) == "x = a - b;\n"


@pytest.mark.parametrize("text, change, says", [
    ("x = a * b;", {}, "occurs 0 times"),
    ("x = a + b; y = a + b;", {}, "occurs 2 times"),
    ("x = a + b;", {"text": ""}, "occurs 0 times"),
    ("x = a + b;", {"becomes": "a + b"}, "stays the same"),
    ("x = a + b;", {"file": "ir/b.c"}, "b.c"),
    ("x = a + b;", {"file": "tests/a.c"}, "is no part of the product"),
])
def test_faults_without_a_place(tmp_path, text, change, says):
    wrong = faults.problems([replace(FAULT, **change)], tree(tmp_path, text))
    assert len(wrong) == 1 and wrong[0].startswith("name: ") and says in wrong[0]


ROW = '[[fault]]\nname = "n"\nfile = "ir/a.c"\nbreaks = "b"\nexpect = "meaning"\ntext = "t"\nbecomes = "u"\n'


@pytest.mark.parametrize("text, says", [
    (ROW.replace("breaks", "brakes"), "keys are"),
    (ROW.replace('"t"', "1"), "keys are"),
    (ROW + ROW, "more than one fault is called n"),
])
def test_lists_that_are_wrong(tmp_path, text, says):
    (tmp_path / "faults.toml").write_text(text)
    with pytest.raises(faults.Malformed, match=says):
        faults.read(tmp_path / "faults.toml")


def test_faults_are_chosen_by_pattern():
    found = [replace(FAULT, name=name) for name in ("a-1", "a-2", "b-1")]
    assert [fault.name for fault in try_faults.chosen(found, ["a-*"])] == ["a-1", "a-2"]
    assert try_faults.chosen(found, []) == found
    with pytest.raises(faults.Malformed, match="no fault c"):
        try_faults.chosen(found, ["c"])


def test_the_expected_check_comes_first_where_it_is_asked_for():
    usable = [checks.Check(name, "", "", 1, lambda scratch: [], "") for name in ("cheap", "meaning", "dear")]
    fault = replace(FAULT, expect="meaning")
    assert [check.name for check in try_faults.in_order(fault, usable, False)] == ["cheap", "meaning", "dear"]
    assert [check.name for check in try_faults.in_order(fault, usable, True)] == ["meaning", "cheap", "dear"]


class Place:
    """As much of a scratch tree as a check asks for."""

    def __init__(self, folder):
        self.tree = self.build_folder = self.root = folder

    def build(self, target):
        pass


def outcome(tmp_path, script, limit=60, first=r"^(bad.*)$"):
    check = checks.Check("c", "", "", limit, lambda scratch: [sys.executable, "-c", script], first)
    return checks.run(check, Place(tmp_path))


def test_a_check_that_passes(tmp_path):
    assert not outcome(tmp_path, "print('bad')").failed


@pytest.mark.parametrize("script, says", [
    ("print('good'); print('bad luck'); exit(1)", "bad luck"),
    ("print(); print('other'); exit(1)", "other"),
    ("import os; os.abort()", "ended by SIGABRT"),
])
def test_a_check_that_fails_says_why(tmp_path, script, says):
    found = outcome(tmp_path, script)
    assert found.failed and found.says == says


def test_a_check_without_end_is_ended(tmp_path):
    found = outcome(tmp_path, "import time; time.sleep(100)", limit=1)
    assert found.failed and found.says == "no end within 1 s" and found.seconds < 30
