"""Mutants of outputs: each kind has outputs on which it applies, and its mutants differ from them as it says."""

import ml_dtypes
import numpy as np
import pytest

from tilegrind._dtypes import DTYPES
from tilegrind.mutants import OUTPUT_KINDS, Context, output_mutants
from tilegrind.mutants.outputs import CHANGES

SHAPE = (6, 8)
GOOD = (np.arange(48).reshape(SHAPE) * np.float32(0.37) - 5).astype(np.float32)
WRITERS = np.repeat(np.arange(3), 2)[:, None] * 2 + np.repeat([0, 1], 4)  # 6 programs, blocks of 2 x 4
TINY = np.float32(1e-40)
SPECIAL = np.array([1, -0.0, np.nan, np.inf, TINY, -2, 0, 3], np.float32)
INTEGERS = np.array([-128, 127, 5, 0], np.int8)


def context(values, inputs=None, exact=None, bound=None, writers=None, other=None, tile=None):
    known = {"inputs": inputs or {}, "exact": exact, "bound": bound, "writers": writers, "tile": tile}
    each = {name: {} if value is None else {"o": value} for name, value in known.items() if name != "inputs"}
    return Context(inputs=inputs or {}, other=None if other is None else {"o": other}, **each)


def mutants(name, values=GOOD, **known):
    found = output_mutants({"o": values}, context(values, **known))
    return [mutant for mutant in found if mutant.kind.name == name]


def only(name, values=GOOD, **known):
    found = mutants(name, values, **known)
    assert len(found) == 1, [mutant.site for mutant in found]
    return found[0].outputs["o"]


EXACT = GOOD.astype(np.float64) * (1 - 2**-26)
BLOCKS = {"writers": WRITERS, "tile": (2, 4)}

# kind: (outputs and what is known, element, value of the first mutant there)
ROWS = {
    "zeros": ({}, (0, 0), 0),
    "mean-of-tensor": ({}, (2, 3), GOOD.astype(np.float64).mean()),
    "mean-of-rows": ({}, (2, 3), GOOD[2].astype(np.float64).mean()),
    "input-returned": ({"inputs": {"y": np.zeros(3), "x": GOOD * 2}}, (1, 1), GOOD[1, 1] * 2),
    "block-unwritten": ({**BLOCKS, "other": GOOD + 1}, (1, 3), GOOD[1, 3] + 1),
    "ragged-tile-unwritten": ({"tile": (4, 8)}, (4, 0), 0),
    "rolled": ({}, (0, 0), GOOD[-1, 0]),
    "tile-transposed": ({"tile": (2, 4)}, (0, 1), GOOD[1, 0]),
    "blocks-swapped": (BLOCKS, (1, 1), GOOD[1, 5]),
    "rounded-bf16": ({}, (0, 1), GOOD[0, 1].astype(ml_dtypes.bfloat16)),
    "rounded-f16": ({}, (0, 1), GOOD[0, 1].astype(np.float16)),
    "rounded-tf32": ({}, (0, 1), GOOD[0, 1].astype(np.float16)),  # 11 digits as well, and within its range
    "rounded-e4m3": ({}, (0, 1), GOOD[0, 1].astype(ml_dtypes.float8_e4m3fn)),
    "rounded-toward-zero": ({"exact": EXACT}, (0, 0), np.nextafter(GOOD[0, 0], np.float32(0))),
    "scaled": ({}, (0, 0), GOOD[0, 0] * np.float32(1.0078125)),
    "affine-rows": ({}, (0, 0), GOOD[0, 0] * 1.125 + np.abs(GOOD[0]).max() * 0.125),
    "sign-flipped": ({"values": np.array([1, 2, 0, 9], np.float32)}, (1,), -2),
    "two-bounds-off": ({"exact": EXACT, "bound": np.full(SHAPE, 0.125)}, (0, 0), EXACT[0, 0] + 0.25),
    "half-bound-off": ({"exact": EXACT, "bound": np.full(SHAPE, 0.125)}, (0, 0), EXACT[0, 0] + 0.0625),
    "specials-to-zero": ({"values": SPECIAL}, (3,), 0),
    "finite-to-nan": ({"values": SPECIAL}, (5,), np.nan),
    "subnormals-flushed": ({"values": SPECIAL}, (4,), 0),
    "zero-sign-lost": ({"values": SPECIAL}, (1,), 0),
    "other-inputs": ({"other": GOOD + 1}, (2, 2), GOOD[2, 2] + 1),
    "half-copied": ({}, (3, 1), GOOD[0, 1]),
    "integer-off-by-one": ({"values": INTEGERS}, (0,), -127),
    "saturated-wrapped": ({"values": INTEGERS}, (1,), -128),
}


@pytest.mark.parametrize("kind", [kind.name for kind in OUTPUT_KINDS])
def test_kind(kind):
    known, element, value = ROWS[kind]
    first = mutants(kind, **known)[0]
    assert np.asarray(first.outputs["o"][element]) == pytest.approx(float(value), nan_ok=True, rel=1e-6)
    assert first.outputs["o"].dtype == known.get("values", GOOD).dtype
    assert first.site.startswith("o")


@pytest.mark.parametrize("kind", [kind.name for kind in OUTPUT_KINDS])
def test_a_mutant_has_other_bits(kind):
    known, _, _ = ROWS[kind]
    given = known.get("values", GOOD)
    assert all(mutant.outputs["o"].tobytes() != given.tobytes() for mutant in mutants(kind, **known))


def test_every_kind_has_a_function():
    assert sorted(CHANGES) == sorted(kind.name for kind in OUTPUT_KINDS)


def test_outputs_without_the_defect_are_not_copied():
    outputs = {"o": GOOD, "p": INTEGERS}
    everything = Context({}, {}, {}, {}, None, {})
    for mutant in output_mutants(outputs, everything):
        assert sum(mutant.outputs[name] is outputs[name] for name in outputs) == 1


@pytest.mark.parametrize("bound", [2**-30, 1e-9, 1e-7, 1e-3, 10.0])
def test_controls_are_on_their_sides_of_the_bound(bound):
    """Also where the bound is less than the distance of two floats."""
    known = {"exact": EXACT, "bound": np.full(SHAPE, bound)}
    for kind, must in (("two-bounds-off", "die"), ("half-bound-off", "live")):
        for mutant in mutants(kind, **known):
            off = np.max(np.abs(mutant.outputs["o"].astype(np.float64) - EXACT)[mutant.outputs["o"] != GOOD])
            assert mutant.must == must and (off > bound if must == "die" else off < bound)
    assert mutants("two-bounds-off", **known)


def test_only_controls_say_what_must_happen():
    found = output_mutants({"o": GOOD}, context(GOOD, exact=EXACT, bound=np.full(SHAPE, 0.1), **BLOCKS))
    assert {mutant.kind.name for mutant in found if mutant.must} == {"two-bounds-off", "half-bound-off"}


@pytest.mark.parametrize("kind", ["two-bounds-off", "half-bound-off"])
def test_no_control_without_a_bound_above_zero(kind):
    for bound in (0.0, np.inf, np.nan):
        assert not mutants(kind, exact=EXACT, bound=np.full(SHAPE, bound))


def test_kinds_that_do_not_apply():
    """Zeros are not zeros once more, a scalar has no rows, integers have no digits, full tiles no ragged one."""
    assert not mutants("zeros", np.zeros(SHAPE, np.float32))
    assert not mutants("mean-of-rows", np.float32(3).reshape(()))
    assert not mutants("rounded-bf16", INTEGERS)
    assert not mutants("rounded-bf16", GOOD.astype(ml_dtypes.bfloat16))
    assert not mutants("ragged-tile-unwritten", tile=(2, 4))
    assert not mutants("tile-transposed", tile=(1, 8))
    assert not mutants("blocks-swapped", writers=np.zeros(SHAPE, int))
    assert not mutants("integer-off-by-one")


def test_unwritten_blocks_are_of_the_first_the_middle_and_the_last_program():
    assert [m.site for m in mutants("block-unwritten", **BLOCKS)] == ["o, program 0", "o, program 3", "o, program 5"]


def test_a_ragged_tile_is_left_as_it_is_when_tiles_are_transposed():
    changed = mutants("tile-transposed", tile=(4, 4))[-1].outputs["o"]
    assert np.array_equal(changed[4:], GOOD[4:])


@pytest.mark.parametrize("name", [dtype.numpy for dtype in DTYPES])
def test_every_dtype(name):
    values = np.tile([0, 1, 1, 0, 1, 0, 0, 1], (6, 1)).astype(np.dtype(name))
    values[2:] = values[2]
    known = context(values, exact=values.astype(np.float64), bound=np.full(SHAPE, 0.25), **BLOCKS)
    found = list(output_mutants({"o": values}, known))
    assert len({mutant.kind.name for mutant in found}) >= 5
    assert all(mutant.outputs["o"].dtype == values.dtype and mutant.outputs["o"].shape == SHAPE for mutant in found)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
def test_small_shapes(shape):
    values = np.ones(shape, np.float32)
    known = context(values, inputs={"x": values * 2}, exact=np.ones(shape), bound=np.full(shape, 0.5), other=values * 3,
                    writers=np.zeros(shape, int), tile=shape)
    names = {mutant.kind.name for mutant in output_mutants({"o": values}, known)}
    assert ("zeros" in names and "other-inputs" in names) == (values.size > 0)
