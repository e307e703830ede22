"""Contracts of users: JSON files, for companions and goldens."""

import copy
import json
import re
from pathlib import Path

import fastjsonschema
import numpy as np
import pytest
from tilegrind import golden, runtime
from tilegrind.golden import command
from tilegrind.golden.bad_bundle import BadBundle
from tilegrind.golden.store import Store
from tilegrind.golden.subject import Subject

ROOT = Path(__file__).resolve().parent.parent.parent
BOUNDS = (ROOT / "docs/bounds.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```json\n(\{\n \"tilegrind-contract\".*?)```", BOUNDS, re.S)[1]
SOFTMAX = {
    "tilegrind": "0.1", "locations": [], "kernels": [{
        "name": "k", "grid": [],
        "params": [{"name": "x", "role": "input", "type": "f32[8,32]"}, {"name": "o", "role": "output", "type": "f32[8,32]"}],
        "body": {"args": [{"id": 1, "type": "ref<f32[8,32]>"}, {"id": 2, "type": "ref<f32[8,32]>"}], "ops": [
            {"op": "load", "in": [1], "out": [{"id": 3, "type": "f32[8,32]"}], "index": [["slice", 0, 8, 1], ["slice", 0, 32, 1]]},
            {"op": "exp", "in": [3], "out": [{"id": 4, "type": "f32[8,32]"}]},
            {"op": "reduce_sum", "in": [4], "out": [{"id": 5, "type": "f32[8]"}], "axes": [1]},
            {"op": "broadcast_in_dim", "in": [5], "out": [{"id": 6, "type": "f32[8,32]"}], "dims": [0]},
            {"op": "div", "in": [4, 6], "out": [{"id": 7, "type": "f32[8,32]"}]},
            {"op": "store", "in": [2, 7], "index": [["slice", 0, 8, 1], ["slice", 0, 32, 1]]}]}}]}


@pytest.fixture
def house(tmp_path):
    path = tmp_path / "house.json"
    path.write_text("\n" + EXAMPLE)
    return path


def subject(contract):
    module = runtime.loads(json.dumps(SOFTMAX))
    return Subject(module, "k", contract=contract)


# ---- companions ----


def test_a_file_is_as_good_as_a_name(house):
    module = runtime.loads(json.dumps(SOFTMAX))
    x = np.linspace(-4, 4, 256, dtype=np.float32).reshape(8, 32)
    ieee, own = (module.companion(contract).run({"x": x}).outputs["o bound"] for contract in ("ieee", house))
    assert np.all(own > ieee)
    assert np.array_equal(own, module.companion(runtime.contract_text(house)).run({"x": x}).outputs["o bound"])


@pytest.mark.parametrize("text, said", [
    (EXAMPLE.replace('"ulp": 0.5', '"ulp": 0.25'), "/basic/ulp: 0.25 is not from 0.5 to"),
    (EXAMPLE.replace('"name": "house"', '"name": "ieee"'), '/name: "ieee" is the name of a contract of Tilegrind'),
    (EXAMPLE[:40], "a string is not closed"), ("[]", "expected an object, found a list")])
def test_files_that_are_no_contracts(house, text, said):
    house.write_text(text)
    with pytest.raises(runtime.Error) as caught:
        runtime.contract_text(house)
    assert str(house) in str(caught.value) and said in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(runtime.Error, match="nothing.json"):
        runtime.contract_text(tmp_path / "nothing.json")


# ---- the schema ----


def changes():
    """(where, contract) of the example with one member changed, removed or added."""
    example = json.loads(EXAMPLE)
    for name, value in example.items():
        for part in [value] if isinstance(value, dict) else value if isinstance(value, list) else []:
            for key in part:
                for new in (None, -1, "x", [], "missing"):
                    one = copy.deepcopy(example)
                    target = one[name] if isinstance(value, dict) else one[name][value.index(part)]
                    target.update({key: new})
                    if new == "missing":
                        del target[key]
                    yield f"{name}.{key} {new}", one
        without = {**example}
        del without[name]
        yield f"without {name}", without
    yield "one more", {**example, "more": 1}
    yield "as it is", example


def test_the_schema_accepts_what_the_library_accepts(house):
    valid = fastjsonschema.compile(json.loads((ROOT / "docs/contract.schema.json").read_text(encoding="utf-8")))
    accepted = 0
    for where, contract in changes():
        house.write_text(json.dumps(contract))
        try:
            runtime.contract_text(house)
        except runtime.Error:
            continue
        valid(contract)  # the other way round, names of ops and dtypes are the library's
        accepted += 1
    assert accepted > 15
    for broken in ({}, {**json.loads(EXAMPLE), "nan": {"rule": "maybe", "source": None}}, {**json.loads(EXAMPLE), "more": 1}):
        with pytest.raises(fastjsonschema.JsonSchemaException):
            valid(broken)


# ---- goldens ----


def test_a_golden_keeps_its_contract(house, tmp_path, capsys):
    goldens = golden.Goldens(tmp_path / "goldens")
    recorded = goldens.record("softmax", subject(str(house)), kinds=("normal", "positive"))
    goldens.store.accept("softmax", "a test", recorded.bundle.digest)
    house.unlink()
    kept = tmp_path / "goldens" / "softmax" / "contract.json"
    tree = json.loads((kept.parent / "golden.json").read_text())
    assert json.loads(kept.read_text()) == json.loads(EXAMPLE) and tree["contract"]["name"] == "house"
    assert goldens.check("softmax").kind == "equal"
    x_off = goldens.check("softmax", lambda x: (np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)).astype(np.float32))
    assert x_off.passed
    assert command.main(["--goldens", str(tmp_path / "goldens"), "status"]) == 0
    assert "contract house" in capsys.readouterr().out


def test_a_contract_that_was_edited(house, tmp_path):
    goldens = golden.Goldens(tmp_path / "goldens")
    recorded = goldens.record("softmax", subject(str(house)), kinds=("normal", "positive"))
    goldens.store.accept("softmax", "a test", recorded.bundle.digest)
    kept = tmp_path / "goldens" / "softmax" / "contract.json"
    kept.write_text(kept.read_text().replace('"ulp": 4', '"ulp": 400'))
    assert [problem.kind for problem in goldens.store.problems()] == ["edited"]
    with pytest.raises(BadBundle, match="contract.json: its SHA-256 is"):
        Store(tmp_path / "goldens").read("softmax")


def test_the_contract_is_part_of_what_is_accepted(house, tmp_path):
    goldens, digests = golden.Goldens(tmp_path / "goldens"), set()
    for ulp in (4, 5):
        house.write_text(EXAMPLE.replace('"ulp": 4', f'"ulp": {ulp}'))
        digests.add(goldens.record("softmax", subject(house), kinds=("normal", "positive")).bundle.digest)
    assert len(digests) == 2


def test_a_contract_that_cannot_be_read_is_told_with_its_place(house, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    house.write_text(EXAMPLE.replace('"rule": "skip"', '"rule": "maybe"'))
    (tmp_path / "kernel.json").write_text(json.dumps(SOFTMAX))
    case = {"tilegrind": "0.1", "kernel": "kernel.json", "inputs": {"x": {"type": "f32[8,32]", "fill": "iota"}}}
    (tmp_path / "case.json").write_text(json.dumps(case))
    arguments = ["--goldens", str(tmp_path / "goldens"), "record", str(tmp_path), "--contract", str(house)]
    assert command.main(arguments) == 3
    assert f'{house}: /nan/rule: "maybe" is none of: strict reduce skip any' in capsys.readouterr().err


def to_bits(x, bits):
    """Cut to so many bits of mantissa."""
    return (x.view(np.uint32) & np.uint32(0xFFFFFFFF << (23 - bits) & 0xFFFFFFFF)).view(np.float32)


MATMUL = {
    "tilegrind": "0.1", "locations": [], "kernels": [{
        "name": "k", "grid": [],
        "params": [{"name": "x", "role": "input", "type": "f32[8,64]"}, {"name": "y", "role": "input", "type": "f32[64,8]"},
                   {"name": "o", "role": "output", "type": "f32[8,8]"}],
        "body": {"args": [{"id": i + 1, "type": f"ref<f32[{shape}]>"} for i, shape in enumerate(("8,64", "64,8", "8,8"))], "ops": [
            {"op": "load", "in": [1], "out": [{"id": 4, "type": "f32[8,64]"}], "index": [["slice", 0, 8, 1], ["slice", 0, 64, 1]]},
            {"op": "load", "in": [2], "out": [{"id": 5, "type": "f32[64,8]"}], "index": [["slice", 0, 64, 1], ["slice", 0, 8, 1]]},
            {"op": "dot_general", "in": [4, 5], "out": [{"id": 6, "type": "f32[8,8]"}], "lhs_contract": [1], "rhs_contract": [0],
             "lhs_batch": [], "rhs_batch": []},
            {"op": "store", "in": [3, 6], "index": [["slice", 0, 8, 1], ["slice", 0, 8, 1]]}]}}]}


@pytest.mark.parametrize("contract, fewest", [("ieee", 23), ("triton", 10), ("tpu", 7)])
def test_matrix_units_that_round_their_operands(contract, fewest, tmp_path):
    goldens = golden.Goldens(tmp_path)
    recorded = goldens.record("matmul", Subject(runtime.loads(json.dumps(MATMUL)), "k", contract=contract), kinds=("normal", "whole"))
    for mutant, _, reason in recorded.bundle.alive:
        assert reason or contract != "ieee", mutant
    for bits in (23, 10, 7, 3):
        def unit(x, y, bits=bits):
            return (to_bits(x, bits).astype(np.float64) @ to_bits(y, bits).astype(np.float64)).astype(np.float32)
        within = all(not verdict.failed for record in recorded.bundle.sets for verdict in judged(recorded.bundle, record, unit))
        assert within == (bits >= fewest), bits


def judged(bundle, record, implementation):
    one = Subject.of_bundle(bundle)
    arrays = one.arrays(record.inputs)
    return one.witness(arrays).judge({"o": implementation(arrays["x"], arrays["y"])})
