"""Kinds `golden` and `mutants` of sweeps: goldens on inputs of other seeds."""

import json
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tilegrind
from sweeping import ENVIRONMENT, ROOT, accept, digest_of, sweep, write_spec
from tilegrind import golden
from tilegrind.golden.subject import Subject
from tilegrind.sweep import goldens, kinds
from tilegrind.sweep.canonical import canonical
from tilegrind.sweep.unit_files import UnitFiles


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Goldens of two examples, accepted."""
    made = golden.Goldens(tmp_path_factory.mktemp("made") / "goldens")
    for name in ("add", "sum"):
        module = tilegrind.loads(MODULES[name]())
        pending = made.record(name, Subject(module, module.kernels[0])).bundle
        accept(made, name, pending)
    return made.store.root


def sum_module():
    from jax.experimental import pallas as pl
    from tilegrind.pallas import export

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].sum(axis=1, keepdims=True)

    block = pl.BlockSpec((2, 8), lambda i: (i, 0))
    call = pl.pallas_call(kernel, grid=(2,), in_specs=[block], out_specs=pl.BlockSpec((2, 1), lambda i: (i, 0)),
                          interpret=True, out_shape=np.zeros((4, 1), np.float32))
    return export(call, np.zeros((4, 8), np.float32)).dumps()


MODULES = {"add": lambda: (ROOT / "examples" / "add.json").read_text(), "sum": sum_module}


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "goldens")
    return tmp_path


def table(kind, **more):
    return {"kind": kind, "goldens": "goldens", "seeds": [1, 6], "per-unit": 3, **more}


def results(folder):
    return [json.loads(path.read_text().split("\n")[0]) for path in sorted((folder / "store").glob("??/*.json"))]


def swept(folder, *tables, code=0):
    write_spec(folder, *tables)
    sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder)
    sweep("run", "plan.jsonl", "--store", "store", "--quiet", cwd=folder, code=code)
    return results(folder)


def test_goldens_hold_for_other_seeds_and_in_all_orders(folder):
    found = swept(folder, table("golden"))
    assert len(found) == 4 and sum(one["counters"]["findings"] for one in found) == 0
    sets = {name: len(golden.Goldens(folder / "goldens").store.read(name).sets) for name in ("add", "sum")}
    assert sum(one["counters"]["runs"] for one in found) == 6 * 4 * sum(sets.values())
    assert all(one["digests"] and one["worst"].keys() == one["digests"].keys() for one in found)
    assert all(0 <= share["millionths_of_bound"] <= 10**6 for one in found for share in one["worst"].values())


@pytest.mark.slow
def test_pieces_of_the_kill_matrix_add_up(folder):
    whole = swept(folder, table("mutants", seeds=[1, 2], **{"per-unit": 2}))
    shutil.rmtree(folder / "store")
    pieces = swept(folder, table("mutants", seeds=[1, 2], parts=3, **{"per-unit": 2}))
    assert len(whole) == 2 and len(pieces) == 6
    for counter in ("runs", "killed", "alive", "allowed", "unchanged", "undecided"):
        assert sum(one["counters"][counter] for one in whole) == sum(one["counters"][counter] for one in pieces), counter
    assert sum(one["counters"]["killed"] for one in whole) > 40 and not any(one["failures"] for one in whole)


@pytest.mark.slow
def test_the_digest_is_the_same_in_one_process_and_in_two(folder):
    swept(folder, table("golden"), table("mutants", seeds=[1, 1]))
    sweep("run", "plan.jsonl", "--store", "two", "--on", "processes:2", "--quiet", cwd=folder)
    assert digest_of(folder, "store") == digest_of(folder, "two")


def unit_of(folder, kind, **more):
    """A unit on golden sum, and the folder with its files."""
    from tilegrind.golden.folder import GOLDEN, KERNEL, SENSITIVITY

    files = UnitFiles(folder / "files")
    named = files.add(folder / "goldens" / "sum", [GOLDEN, KERNEL, SENSITIVITY])
    unit = {"kind": kind, "tilegrind": tilegrind.version(), "first": 2, "count": 1,
            "golden": {"name": "goldens/sum", "files": named}, **more}
    files.write()
    return unit, folder / "files"


def test_a_bound_that_does_not_hold_is_a_finding(folder, monkeypatch):
    from tilegrind.judging import Witness

    honest = Witness.judge
    monkeypatch.setattr(Witness, "judge", lambda self, outputs: honest(self, {name: x + 1 for name, x in outputs.items()}))
    outcome = json.loads(kinds.run(*unit_of(folder, "golden", orders=[])))
    first = outcome["failures"][0]
    assert first["kind"] == "golden-outside" and first["message"].startswith("sum, seed 2: ")
    assert first["repeat"] == "tilegrind golden --goldens goldens check sum --seed 2"


def test_other_bits_in_an_order_are_a_finding_with_a_command(folder, monkeypatch):
    honest = Subject.run

    def run(self, module, arrays, **options):
        done = honest(self, module, arrays, **options)
        if options.get("order") == "shuffled:2":
            done.outputs["o_ref"][0] += 1
        return done

    monkeypatch.setattr(Subject, "run", run)
    outcome = json.loads(kinds.run(*unit_of(folder, "golden", orders=["reversed", "shuffled"])))
    assert {one["kind"] for one in outcome["failures"]} == {"golden-order"}
    command = shlex.split(outcome["failures"][0]["repeat"])
    assert command[-4:] == ["--seed", "2", "--order", "shuffled:2"]
    done = subprocess.run([sys.executable, "-m", "tilegrind.golden", *command[2:]], cwd=folder, env=ENVIRONMENT,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "sum/normal-2/o_ref: equal" in done.stdout, done.stderr  # without the patch it passes


def test_a_mutant_that_passes_is_a_finding(folder, monkeypatch):
    from tilegrind.golden import sensitivity

    monkeypatch.setattr(sensitivity, "margin_of", lambda witness, outputs: 0.5)
    monkeypatch.setattr(sensitivity, "_count_steps", lambda row, witness, outputs: setattr(row, "steps", 9))
    outcome = json.loads(kinds.run(*unit_of(folder, "mutants", part=0, parts=1)))
    assert outcome["counters"]["alive"] > 20 and outcome["counters"]["killed"] == 0
    assert outcome["failures"][0]["kind"] == "mutant-alive" and "passes" in outcome["failures"][0]["message"]


def test_a_golden_that_is_none_gives_no_result(folder):
    unit, root = unit_of(folder, "golden", orders=[])
    unit["golden"]["name"] = "goldens/other"
    goldens._opened.cache_clear()
    with pytest.raises(Exception, match="it is named 'sum'"):
        kinds.run(json.loads(canonical(unit)), root)


@pytest.mark.parametrize("change, said", [
    ({"goldens": "nowhere"}, "goldens: no folder that matches 'nowhere' has accepted goldens"),
    ({"orders": "parallel"}, "orders: 'parallel' is none of reversed, shuffled, interleaved"),
    ({"cases": "x"}, "cases: is unknown here"), ({"seeds": [2, 1]}, "seeds: must be [FIRST, LAST]"),
    ({"kind": "mutants", "parts": 0}, "parts: must be from 1 to 4096"),
    ({"kind": "mutants", "orders": "x"}, "orders: is unknown here")])
def test_what_a_spec_may_not_say(folder, change, said):
    write_spec(folder, {**table("golden"), **change})
    assert said in sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder, code=3)[1]


def test_another_golden_is_another_unit(folder):
    write_spec(folder, table("golden"))
    units = []
    for _ in range(2):
        sweep("plan", "spec.json", "-o", "plan.jsonl", cwd=folder)
        units.append(set((folder / "plan.jsonl").read_text().splitlines()[1:]))
        made = golden.Goldens(folder / "goldens")
        accept(made, "add", made.record("add", Subject.of_bundle(made.store.read("add")), kinds=("normal", "whole")).bundle)
    assert len(units[0] & units[1]) == 2 and len(units[0]) == 4
