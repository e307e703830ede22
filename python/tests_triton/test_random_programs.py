"""Random programs have the same bits in every order, and a difference is told; each kind of step has the operations that it names."""

import collections
import functools
import pathlib
import sys
import types

import numpy as np
import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conformance" / "triton"))
import random_programs  # noqa: E402
from random_source import ARRAYS, STEPS, program, program_of  # noqa: E402

SEEDS = range(8)  # of programs with steps of one kind


def test_programs_have_the_same_bits_in_every_order(capsys):
    assert random_programs.run(range(30), with_triton=False) == 0
    assert "30 programs in 5 orders: 0 differ" in capsys.readouterr().out


def test_a_seed_is_a_program():
    random_programs.program.cache_clear()
    before = program(7)
    random_programs.program.cache_clear()
    assert program(7) == before and program(8).source != before.source


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_kind_of_step_has_its_operations(step, monkeypatch, tmp_path):
    monkeypatch.setattr(random_programs, "program", functools.cache(lambda seed: program_of(seed, step)))
    drawn, expected = collections.Counter(), set(STEPS[step][1].split())
    for seed, _, wrong in random_programs.in_tilegrind(SEEDS, tmp_path, drawn):
        assert wrong is None, seed
        if expected <= set(drawn):
            return
    assert expected - set(drawn) == set()


def test_other_bits_in_one_order_are_told(monkeypatch, capsys):
    launches = []

    def disturbed(seed, kernel, wrap):
        arrays = random_programs.arrays_of(seed)
        launches.append(arrays)
        if len(launches) == 2:
            arrays["f"][5] = -0.
        return arrays, types.SimpleNamespace(asm={"ttir": ""})

    monkeypatch.setattr(random_programs, "launched", disturbed)
    assert random_programs.run([3], with_triton=False) == 1
    assert "3: reversed: f has other bits than in order sequential" in capsys.readouterr().out


def test_what_raises_is_told(monkeypatch, capsys):
    def failing(seed, kernel, wrap):
        raise RuntimeError("broken")

    monkeypatch.setattr(random_programs, "launched", failing)
    assert random_programs.run([3], with_triton=False) == 1
    assert "3: sequential: RuntimeError: broken" in capsys.readouterr().out


@pytest.mark.parametrize("name, other, told", [("f", 0.5, True), ("f", -0., False), ("f", np.nan, True), ("rounded", 0.5, False), ("counters", 1, True)])
def test_differences_from_tritons_own_interpreter(name, other, told):
    arrays = {name: np.zeros(4, one.dtype) for name, one in ARRAYS.items()}
    own = {name: array.copy() for name, array in arrays.items()}
    own[name][2] = other
    wrong = random_programs.compared(3, arrays, own)
    assert bool(wrong) == told
    assert not told or wrong.startswith(f"{name}[2] is ")


def test_nan_is_nan_in_tritons_own_interpreter_too():
    arrays = {name: np.full(4, np.nan if one.dtype == "float32" else 0, one.dtype) for name, one in ARRAYS.items()}
    assert random_programs.compared(3, arrays, arrays) is None


def test_operations_are_counted():
    text = '  %a = arith.addi %b, %c : i32 loc(#loc)\n  %d:2 = "tt.scan"(%a) <{axis = 0 : i32}> ({\n  tt.store %p, %a : !tt.ptr<i32>\n'
    text += "  %0, %1 = tt.split %x : tensor<2x2xi32>\n  %7 = arith.addi %a, %a : i32\n"
    found = random_programs.operations(types.SimpleNamespace(asm={"ttir": text}))
    assert found == {"arith.addi": 2, "tt.scan": 1, "tt.store": 1, "tt.split": 1}


def test_a_program_that_is_not_run_there_is_told():
    assert random_programs.compared(3, {}, {}) == "Triton's interpreter did not run it"
