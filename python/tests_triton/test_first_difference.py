"""The first operation that differs between the reference and Triton's PTX: the one that is at fault, with its line and its values."""

import inspect

import numpy as np
import pytest
from conformance.triton.kernels.case import floats, zeros
from crosscheck_kernels import beside_a_counter, fused, running_sum, sum_inlined, turns

from tilegrind.triton import crosscheck
from tilegrind.triton.ptx import first_difference
from tilegrind.triton.ptx.emulating import How, emulated
from tilegrind.triton.ptx.first_difference import First


def line_of(kernel, text):
    lines, start = inspect.getsourcelines(kernel.fn)
    return start + next(number for number, line in enumerate(lines) if text in line)


def explained(kernel, *arguments, grid=(1,), **options):
    done = crosscheck(kernel, *arguments, grid=grid, explain=True, **options)
    assert not done.equal and isinstance(done.first, First), str(done)
    return done.first


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("target", [80, 90])
def test_in_a_loop_it_is_not_what_only_takes_over_the_difference(rng, target):
    """`half` differs too, earlier in the text, since the turn before has made other values."""
    first = explained(turns, floats(rng, 384), zeros(128), 3, B=128, target=target)
    assert (first.op, first.variable, first.line) == ("math.exp", "e", line_of(turns, "tl.exp"))
    assert first.file.endswith("crosscheck_kernels.py") and first.type == "tensor<128xf32>" and 0 < first.difference.ulps <= 4


def test_a_product_and_a_sum_in_one_instruction_is_the_sum(rng):
    given = [floats(rng, 512) for _ in range(3)]
    first = explained(fused, *given, zeros(512), grid=(1, 4), B=128)
    assert (first.op, first.line) == ("arith.addf", line_of(fused, "product +"))
    y, element = first.program[1], first.index[0]
    x, y_, z = (one.array[128 * y + element] for one in given)
    assert first.difference.ours == x * y_ + z and first.difference.elements == 512
    assert first.difference.theirs == np.float32(np.float64(x) * np.float64(y_) + np.float64(z))
    assert f"in program (y={y}) element [{element}] " in str(first)


def test_a_sum_that_only_feeds_itself(rng):
    first = explained(running_sum, floats(rng, 1024), zeros(128), 8, B=128)
    assert (first.op, first.variable, first.line) == ("arith.addf", "total", line_of(running_sum, "+ total"))


@pytest.mark.parametrize("keeps", [False, True])
def test_what_an_atomic_returns_is_told_last(rng, keeps):
    """The order of the threads that count is another one, with no fault of anybody."""
    counter = zeros(4, dtype=np.int32)
    first = explained(beside_a_counter, floats(rng, 128), zeros(128), zeros(128, dtype=np.int32), counter, B=128, KEEPS=keeps, seed=3)
    assert (first.op, first.variable) == ("math.exp", "e") and "order of threads" not in str(first)
    one = first_difference.First("tt.atomic_rmw", first.type, "place", "k.py", 3, first.grid, first.program, first.index, first.difference)
    assert str(one).endswith("; what an atomic returns depends on the order of threads")


def test_in_a_function_of_triton_it_is_the_line_of_the_call(rng):
    first = explained(sum_inlined, floats(rng, 1024), zeros(1), B=1024)
    assert (first.op, first.line, first.index) == ("tt.reduce", line_of(sum_inlined, "tl.sum"), ())


def test_equal_launches_have_none(rng):
    assert crosscheck(running_sum, floats(rng, 128), zeros(128), 1, grid=(1,), explain=True, B=128).first is None


def told(rng):
    return crosscheck(running_sum, floats(rng, 1024), zeros(128), 8, grid=(1,), explain=True, B=128).first


def test_what_cannot_be_looked_for_says_why(rng, monkeypatch):
    monkeypatch.setattr(first_difference, "with_probes", lambda text, line, probes: text + "garbage")
    assert "could not be looked for: Triton does not compile the kernel with stores of all values" in told(rng)
    monkeypatch.undo()
    monkeypatch.setattr("tilegrind.triton.ptx.probes.MOST_BYTES", 1 << 10)
    assert told(rng) == "the first operation that differs could not be looked for: the values of its operations take more than 0 MiB"
    monkeypatch.undo()
    monkeypatch.setattr(first_difference, "probes_of", lambda flow, programs: [])
    assert told(rng) == "no operation computes with what is in memory"
    monkeypatch.undo()
    monkeypatch.setattr(first_difference, "emulated", lambda *given: emulated(*given[:-1], How(instruction_limit=5)))
    assert "could not be looked for: with stores of all values there is a trap: " in told(rng)
    monkeypatch.undo()
    monkeypatch.setattr(first_difference, "difference", lambda name, ours, theirs: first_difference.Difference(name, 1, 0, 0.0, 0, None))
    assert told(rng).startswith("no operation differs if the values of all of them are stored")
