"""Suppressions from Python: what they cover, what is refused, what was of use."""

import json
from pathlib import Path

import numpy as np
import pytest

import tilegrind

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RACE = "{\n  the sum is known to race\n  kind: race\n  kernel: sum_*\n  at: summed.py:16\n}\n"


def summed():
    return tilegrind.load(EXAMPLES / "summed.json"), dict(np.load(EXAMPLES / "summed_inputs.npz"))


def suppressions(*texts):
    known = tilegrind.Suppressions()
    for text in texts:
        known.add_text(text, "known.supp")
    return known


def test_known_findings_do_not_count():
    module, inputs = summed()
    plain = module.run(inputs, checks="races")
    run = module.run(inputs, checks="races", suppressions=suppressions(RACE))
    (suppressed,) = run.suppressed
    assert suppressed.finding.line == 16 and suppressed.suppression == tilegrind.Suppression(
        "the sum is known to race", "known.supp", 1)
    assert [f.line for f in plain.findings] == [16, *[f.line for f in run.findings]] and len(run.findings) == 1
    assert plain.suppressed == []


def test_blocks_that_findings_bring_cover_them():
    module, inputs = summed()
    found = module.check(inputs).findings
    assert len(found) > 1
    run = module.check(inputs, suppressions=suppressions(*(f.to_suppress for f in found)))
    assert run.findings == [] and [s.finding for s in run.suppressed] == found


def test_a_path_or_several_will_do(tmp_path):
    (tmp_path / "a.supp").write_text(RACE)
    (tmp_path / "b.supp").write_text(RACE.replace(":16", ""))
    module, inputs = summed()
    for given, left in ((tmp_path / "a.supp", 1), (str(tmp_path / "b.supp"), 0),
                        ([tmp_path / "a.supp", tmp_path / "b.supp"], 0)):
        assert len(module.run(inputs, checks="races", suppressions=given).findings) == left


def test_what_was_of_no_use_is_known():
    known = suppressions(RACE, "{\n  never\n  kind: deadlock\n}\n{\n  elsewhere\n  kind: race\n  kernel: k\n}\n")
    module, inputs = summed()
    for _ in range(2):
        module.run(inputs, checks="races", suppressions=known)
    assert [(s.name, uses) for s, uses in known.uses()] == [("the sum is known to race", 2), ("never", 0), ("elsewhere", 0)]
    assert [s.name for s in known.unused()] == ["never", "elsewhere"]
    assert [s.name for s in known.unused("sum_rows")] == ["never"]
    assert len(known) == 3 and known[2].line == 5
    with pytest.raises(IndexError):
        known[3]


def many_races(count):
    """A kernel of two programs that race on each of `count` outputs."""
    params = [{"name": f"o{i}", "role": "output", "type": "i32[1]"} for i in range(count)]
    ops = [{"op": "program_id", "out": [{"id": 1000, "type": "i32[]"}], "axis": 0},
           {"op": "reshape", "in": [1000], "out": [{"id": 1001, "type": "i32[1]"}]}]
    ops += [{"op": "store", "in": [i, 1001], "index": [["slice", 0, 1, 1]]} for i in range(count)]
    args = [{"id": i, "type": "ref<i32[1]>"} for i in range(count)]
    kernel = {"name": "k", "grid": [{"size": 2}], "params": params, "body": {"args": args, "ops": ops}}
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [kernel]}))


def test_known_findings_take_no_room_from_others():
    module = many_races(120)
    assert len(module.run({}, checks="races").findings) == 100
    known = suppressions(*(f"{{\n  n\n  kind: race\n  param: o{i}\n}}\n" for i in range(119)))
    run = module.run({}, checks="races", suppressions=known)
    assert [f.param for f in run.findings] == ["o119"] and len(run.suppressed) == 119


def test_what_is_wrong_is_told_with_its_line(tmp_path):
    (tmp_path / "bad.supp").write_text("{\n  name\n  kind: rice\n}\n")
    with pytest.raises(tilegrind.Error) as error:
        tilegrind.Suppressions(tmp_path / "bad.supp")
    assert error.value.status == "ERR_INVALID"
    assert str(error.value) == f"{tmp_path}/bad.supp:3: no kind of finding is called 'rice'"
    with pytest.raises(tilegrind.Error) as error:
        tilegrind.Suppressions(tmp_path / "none.supp")
    assert error.value.status == "ERR_IO"
