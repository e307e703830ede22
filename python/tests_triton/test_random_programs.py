"""Random programs have the same bits in every order, and a difference is told."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conformance" / "triton"))
import random_programs  # noqa: E402
from random_source import ARRAYS, program  # noqa: E402


def test_programs_have_the_same_bits_in_every_order(capsys):
    assert random_programs.run(range(30), with_triton=False) == 0
    assert "30 programs in 5 orders: 0 differ" in capsys.readouterr().out


def test_a_seed_is_a_program():
    random_programs.program.cache_clear()
    before = program(7)
    random_programs.program.cache_clear()
    assert program(7) == before and program(8).source != before.source


def test_other_bits_in_one_order_are_told(monkeypatch, capsys):
    launches = []

    def disturbed(seed, kernel, wrap):
        arrays = random_programs.arrays_of(seed)
        launches.append(arrays)
        if len(launches) == 2:
            arrays["f"][5] = -0.
        return arrays

    monkeypatch.setattr(random_programs, "launched", disturbed)
    assert random_programs.run([3], with_triton=False) == 1
    assert "3: reversed: f has other bits than in order sequential" in capsys.readouterr().out


def test_what_raises_is_told(monkeypatch, capsys):
    def failing(seed, kernel, wrap):
        raise RuntimeError("broken")

    monkeypatch.setattr(random_programs, "launched", failing)
    assert random_programs.run([3], with_triton=False) == 1
    assert "3: sequential: RuntimeError: broken" in capsys.readouterr().out


@pytest.mark.parametrize("name, other, told", [("f", 0.5, True), ("f", -0., False), ("rounded", 0.5, False), ("counters", 1, True)])
def test_differences_from_tritons_own_interpreter(name, other, told):
    arrays = {name: np.zeros(4, dtype) for name, (dtype, *_) in ARRAYS.items()}
    own = {name: array.copy() for name, array in arrays.items()}
    own[name][2] = other
    wrong = random_programs.compared(3, arrays, own)
    assert bool(wrong) == told
    assert not told or wrong.startswith(f"{name}[2] is ")


def test_a_program_that_is_not_run_there_is_told():
    assert random_programs.compared(3, {}, {}) == "Triton's interpreter did not run it"
