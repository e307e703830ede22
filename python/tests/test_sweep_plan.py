"""Plans of sweeps: what a SPEC may say, what a plan consists of, and what is wrong with a broken one."""

import hashlib
import json
import shutil

import pytest
from sweeping import orders, planned, sweep, write_add, write_spec, write_summed

from tilegrind.sweep.case_files import names_of


@pytest.fixture
def folder(tmp_path):
    write_add(tmp_path)
    return tmp_path


def lines_of(plan):
    head, *units = plan.read_text().splitlines()
    return json.loads(head), units


def test_a_plan_is_sorted_by_ids_and_named_by_its_digest(folder):
    head, units = lines_of(planned(folder, orders(95)))
    ids = [hashlib.sha256(unit.encode()).hexdigest() for unit in units]
    assert ids == sorted(ids) and len(set(ids)) == 10
    assert head["digest"] == hashlib.sha256("".join(f"{unit}\n" for unit in units).encode()).hexdigest()
    assert head["kinds"] == {"orders": 10} and head["runs"] == {"orders": 10 * 2 + 95 * 2}
    seeds = sorted((json.loads(unit)["first"], json.loads(unit)["shuffled"]) for unit in units)
    assert seeds == [(1 + 10 * i, 10 if i < 9 else 5) for i in range(10)]


def test_the_same_sweep_has_the_same_units_in_toml_and_json_and_elsewhere(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(folder / "cases", other / "cases")
    (other / "spec.toml").write_text('tilegrind-sweep = 1\n[[sweep]]\nkind = "orders"\ncases = "cases/*"\n'
                                     "seeds = [1, 100]\nper-unit = 10\n")
    sweep("plan", "spec.toml", "-o", "plan.jsonl", cwd=other)
    assert planned(folder, orders()).read_text() == (other / "plan.jsonl").read_text()


def test_more_seeds_keep_the_units_that_were_there(folder):
    few, more = (set(lines_of(planned(folder, orders(last)))[1]) for last in (50, 100))
    assert few < more and len(more) == 10


def test_a_unit_in_two_sweeps_is_one_unit(folder):
    assert lines_of(planned(folder, orders(), orders()))[0]["units"] == 10


@pytest.mark.parametrize("change", ["kernel", "tag"])
def test_whatever_a_unit_depends_on_is_in_its_id(folder, change):
    before = set(lines_of(planned(folder, orders()))[1])
    if change == "kernel":
        kernel = folder / "cases" / "add" / "kernel.json"
        kernel.write_text(kernel.read_text().replace('"op": "add"', '"op": "sub"'))
        after = planned(folder, orders())
    else:
        write_spec(folder, orders(), tag="another commit")
        sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder)
        after = folder / "plan.jsonl"
    assert not before & set(lines_of(after)[1])


def test_files_are_copied_so_that_later_changes_do_not_matter(folder):
    target = write_summed(folder)
    planned(folder, orders())
    shutil.rmtree(target)
    copies = sorted(path.name for path in (folder / "plan.jsonl.files").rglob("*.*") if path.is_file())
    assert copies == ["case.json", "case.json", "inputs.npz", "kernel.json", "kernel.json"]
    sweep("work", "plan.jsonl", "--store", "store", cwd=folder, code=1)


WRONG = [
    ({"kind": "ordres", "seeds": [1, 2]}, "sweep[0].kind: 'ordres' is none of orders, check, warps, random"),
    ({"seeds": [1, 2]}, "sweep[0].kind: is missing"),
    (orders(seeds=[2, 1]), "sweep[0].seeds: must be [FIRST, LAST]"),
    (orders(seeds=[1, True]), "sweep[0].seeds: must be [FIRST, LAST]"),
    (orders(seeds=[-1, 4]), "sweep[0].seeds: must be [FIRST, LAST]"),
    (orders(seeds=7), "sweep[0].seeds: must be a value of type list, not 7"),
    (orders(per_unit=0), "sweep[0].per-unit: must be from 1 to 1000000, not 0"),
    (orders(orders=["parallel"]), "sweep[0].orders: 'parallel' is none of shuffled, interleaved"),
    (orders(orders=["shuffled", "shuffled"]), "names something twice"),
    (orders(seed=1), "sweep[0].seed: is unknown here; known are cases, kind,"),
    (orders(cases="nothing/*"), "sweep[0].cases: no folder that matches 'nothing/*' has a case.json"),
    (orders(cases=[]), "sweep[0].cases: must be a text or a list of texts, not []"),
    (orders(kind="warps", trap="nan"), "sweep[0].trap: the emulator has no such option"),
    ({"kind": "random", "seeds": [1, 2], "mode": "gpu"}, "sweep[0].mode: 'gpu' is none of cpu, ptx"),
]


@pytest.mark.parametrize("table, problem", WRONG)
def test_a_wrong_table_is_named_with_its_key(folder, table, problem):
    write_spec(folder, table)
    _, error = sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder, code=3)
    assert error.startswith("tilegrind sweep: spec.json: ") and problem in error
    assert not (folder / "plan.jsonl").exists()


@pytest.mark.parametrize("name, text, code, problem", [
    ("s.json", '{"tilegrind-sweep": 1, "sweep": [}', 3, "s.json: line 1, column 34: Expecting value"),
    ("s.json", '{"tilegrind-sweep": 1, "tilegrind-sweep": 1, "sweep": []}', 3, "'tilegrind-sweep' occurs twice"),
    ("s.json", '{"tilegrind-sweep": NaN}', 3, "NaN is no number of JSON"),
    ("s.json", "[]", 3, "s.json: must be a table"),
    ("s.json", '{"tilegrind-sweep": 2, "sweep": [1]}', 3, "must be from 1 to 1, not 2"),
    ("s.json", '{"tilegrind-sweep": 1, "sweep": []}', 3, "there is nothing to do"),
    ("s.toml", "tilegrind-sweep = ", 3, "s.toml: Invalid value (at end of document)"),
    ("none.toml", None, 2, "none.toml"),
])
def test_a_wrong_spec(tmp_path, name, text, code, problem):
    if text is not None:
        (tmp_path / name).write_text(text)
    _, error = sweep("plan", name, "-o", "plan.jsonl", cwd=tmp_path, code=code)
    assert problem in error


def test_a_case_that_names_files_outside(folder):
    case = folder / "cases" / "add" / "case.json"
    case.write_text(case.read_text().replace("kernel.json", "../kernel.json"))
    write_spec(folder, orders())
    _, error = sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder, code=3)
    assert "names the file '../kernel.json', which is outside the folder" in error


def test_a_case_whose_file_is_missing(folder):
    (folder / "cases" / "add" / "kernel.json").unlink()
    write_spec(folder, orders())
    _, error = sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder, code=2)
    assert "cases/add/kernel.json: No such file or directory" in error


def spoil(plan, change):
    lines = plan.read_text().splitlines()
    plan.write_text(change(lines))


@pytest.mark.parametrize("change, problem", [
    (lambda lines: "\n".join(lines[:-1]) + "\n", "the units are not those of the head: it says 10 with digest"),
    (lambda lines: "\n".join(lines), "plan.jsonl:11: ends within a line: the file is cut off"),
    (lambda lines: "\n".join([lines[0].replace(":", ": ", 1), *lines[1:]]) + "\n", "plan.jsonl:1: is not canonical JSON"),
    (lambda lines: "{}\n", "plan.jsonl:1: is no plan of format 1"),
    (lambda lines: "", "plan.jsonl:1: line 1, column 1"),
])
def test_a_broken_plan(folder, change, problem):
    spoil(planned(folder, orders()), change)
    _, error = sweep("run", "plan.jsonl", "--store", "store", cwd=folder, code=3)
    assert problem in error


def test_a_plan_with_units_of_an_unknown_kind(folder):
    def change(lines):
        units = [line.replace('"orders"', '"future"') for line in lines[1:]]
        head = json.loads(lines[0]) | {"digest": hashlib.sha256("".join(f"{u}\n" for u in units).encode()).hexdigest()}
        return "\n".join([json.dumps(head, sort_keys=True, separators=(",", ":")), *units]) + "\n"

    spoil(planned(folder, orders()), change)
    _, error = sweep("run", "plan.jsonl", "--store", "store", cwd=folder, code=3)
    assert "plan.jsonl:2: is no unit of a known kind" in error


def test_the_ptx_of_a_case_is_one_of_its_files(tmp_path):
    (tmp_path / "case.json").write_text(json.dumps({"kernel": "kernel.json", "inputs": {"x": {"file": "x.npy"}}, "ptx": {"file": "k.ptx"}}))
    assert names_of(tmp_path) == ["case.json", "kernel.json", "x.npy", "k.ptx"]
