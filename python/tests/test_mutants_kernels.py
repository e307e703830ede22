"""Mutants of kernels: each kind has a minimal kernel on which it applies, and what it gives differs."""

import json
import re

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import tilegrind
from jax import lax
from jax.experimental.pallas import triton as plgpu
from mutant_kernels import CAUSAL, DOT, GRID, OTHER_ROWS, ROWS, SUM, X, Row, call_of, normal, pointwise
from tilegrind.mutants import KERNEL_KINDS, kernel_mutants
from tilegrind.mutants.registry import FINDERS, spread
from tilegrind.pallas import export

NAMES = [kind.name for kind in KERNEL_KINDS]


def module_of(row):
    """The kernel as JSON, and its inputs by name."""
    text = export(row.call, *row.inputs, grid_semantics=row.semantics).dumps()
    params = [p for p in tilegrind.loads(text).params() if p.role in ("prefetch", "input")]
    return json.loads(text), {p.name: np.asarray(x) for p, x in zip(params, row.inputs, strict=True)}


def outputs(module, inputs, **options):
    return tilegrind.loads(json.dumps(module)).run(inputs, max_steps=10000, **options).outputs


def bits(arrays):
    return {name: array.tobytes() for name, array in arrays.items()}


def mutants(row, name, **options):
    module, inputs = module_of(row)
    return module, inputs, [m for m in kernel_mutants(module, **options) if m.kind.name == name]


@pytest.mark.parametrize("name", NAMES)
def test_kind(name):
    row = ROWS[name]
    module, inputs, found = mutants(row, name, most=0)
    assert [mutant.sites for mutant in found] == [row.sites] * row.sites
    good = bits(outputs(module, inputs))
    for mutant in found:
        assert bits(outputs(mutant.module, inputs)) != good, mutant.site


@pytest.mark.parametrize("name, row", OTHER_ROWS, ids=[f"{i}-{name}" for i, (name, _) in enumerate(OTHER_ROWS)])
def test_kind_on_another_kernel(name, row):
    module, inputs, found = mutants(row, name, most=0)
    good = bits(outputs(module, inputs))
    assert found and all(bits(outputs(mutant.module, inputs)) != good for mutant in found)


def test_every_kind_has_a_function_and_a_row():
    assert sorted(FINDERS) == sorted(NAMES) == sorted(ROWS)


# What the first mutant of a kind gives on the kernel of its row, written with numpy.

def e4m3(x):
    return x.astype(ml_dtypes.float8_e4m3fn).astype(np.float32)


def bf16(x):
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def grown(x, rounded):
    total = np.zeros_like(x[0])
    for row in x:
        total = rounded(total + row)
    return total


def lower(x):
    return np.where(np.tri(8, dtype=bool), x, 0)


def clipped(index):
    """Blocks of 4 x 2 of an 8 x 8 array, by the index of the block that each is a copy of."""
    def block(x, a, b):
        return x[4 * a:4 * a + 4, 2 * b:2 * b + 2]

    return lambda x: np.block([[block(x, *index(i, j)) for j in range(4)] for i in range(2)])


WANTED = {
    "last-step-dropped": lambda x: x[:7].sum(0),
    "first-step-twice": lambda x: x.sum(0) + x[0],
    "term-dropped": lambda a, b: a[:, 1:] @ b[1:],
    "accumulator-uninitialised": lambda x: np.full((1, 16), np.nan),
    "initial-value-twice": lambda x: x.sum(0) + x[0],
    "accumulator-bf16": lambda x: grown(x, bf16),
    "accumulator-i16": lambda x: x.sum(0).astype(np.int16),
    "accumulator-i8": lambda x: x.sum(0).astype(np.int8),
    "operand-bf16": lambda a, b: bf16(a) @ bf16(b),
    "operand-e4m3": lambda a, b: e4m3(a) @ e4m3(b),
    "mask-strictness": lambda x: np.where(np.tri(8, k=-1, dtype=bool), x, 0),
    "mask-shifted": lambda x: np.where(np.tri(8, k=1, dtype=bool), x, 0),
    "mask-all-true": lambda x: x.sum(1),
    "other-zero": lambda x: x[:, :5].sum(1),
    "other-one": lambda x: x[:, :5].sum(1) + 3,
    "other-minus-inf": lambda x: np.full(3, -np.inf),
    "index-map-swapped": clipped(lambda i, j: (min(j, 1), i)),
    "index-map-off-by-one": clipped(lambda i, j: (1, j)),
    "element-for-block-index": clipped(lambda i, j: (0, j)),
    "neighbours-rows": clipped(lambda i, j: (1 - i, j)),
    "quotient-for-remainder": lambda x: np.stack([x[0], x[0], x[1], x[1]]),
    "axis-reversed": lambda x: x[:1],
    "subtraction-reversed": lambda x, y: y - x,
    "division-reversed": lambda x, y: y / x,
    "shift-reversed": lambda x, y: y << x,
    "select-reversed": lambda x: x - lower(x),
    "maximum-not-subtracted": np.exp,
    "scale-dropped": lambda x: x,
    "scale-squared": lambda x: x * 0.12345**2,
    "exp-of-other-base": np.exp2,
    "log-of-other-base": np.log2,
    "gelu-other-form": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "bias-left-out": lambda x, y, b: np.exp(x),
    "op-as-identity": lambda x: x,
    "mean-by-n-minus-1": lambda x: x / np.sqrt((x * x).sum(1, keepdims=True) / 11 + 1e-3),
    "mean-by-padded-n": lambda x: x / np.sqrt((x * x).sum(1, keepdims=True) / 16 + 1e-3),
    "epsilon-dropped": lambda x: x**-0.5,
    "epsilon-times-10": lambda x: (x + 1e-2)**-0.5,
    "epsilon-outside-root": lambda x: 1 / (np.sqrt(x) + 1e-3),
    "constant-3-digits": lambda x: x * 0.123,
    "reduction-other-axis": lambda x: x.sum(0),
    "last-of-ties": lambda x: [2, 3],
    "nan-skipped": lambda x: [1, 0, 0, 3],
    "remainder-sign": lambda x, y: x % y,
    "copy-awaited-late": lambda x: np.full(8, np.nan),
}


@pytest.mark.parametrize("name", WANTED)
def test_values(name):
    row = ROWS[name]
    module, inputs, found = mutants(row, name)
    [got] = outputs(found[0].module, inputs).values()
    np.testing.assert_allclose(got, WANTED[name](*row.inputs), rtol=3e-6, atol=1e-6)


def test_toward_zero_is_never_away_from_it():
    row = ROWS["convert-toward-zero"]
    module, inputs, found = mutants(row, "convert-toward-zero")
    [got] = outputs(found[0].module, inputs).values()
    assert (abs(got.astype(np.float32)) <= abs(row.inputs[0])).all()
    assert (abs(np.nextafter(got, np.copysign(np.float16(np.inf), got)).astype(np.float32)) > abs(row.inputs[0])).all()


def test_twelve_bits():
    row = ROWS["reciprocal-12-bits"]
    module, inputs, found = mutants(row, "reciprocal-12-bits")
    [good], [got] = outputs(module, inputs).values(), outputs(found[0].module, inputs).values()
    assert (abs(got - good) <= 2.0**-12 * abs(good)).all() and not (got.view(np.uint32) & 0xFFF).any()


# -- where kinds do not apply --

def nothing(row, name):
    return not mutants(row, name)[2]


def test_a_copy_has_no_defect_of_its_own():
    module, _ = module_of(pointwise(lambda x: x, normal(8)))
    assert not list(kernel_mutants(module))


OUTER = pointwise(lambda a, b: lax.dot_general(a, b, (((), ()), ((), ()))), normal(4), normal(5))  # no terms to add


def unused_axis_kernel(x_ref, o_ref):
    """All programs do the same."""
    o_ref[...] = x_ref[...]


INDEX = np.arange(8, dtype=np.int32)
ABSENT = [
    ("operand-bf16", pointwise(lambda a, b: jnp.dot(a.astype(jnp.float32), b.astype(jnp.float32)),
                               normal(4, 8).astype(jnp.bfloat16), normal(8, 4).astype(jnp.bfloat16))),
    ("accumulator-bf16", pointwise(lambda x: jnp.sum(x, axis=1), normal(4, 8).astype(np.int32), dtype=np.int32)),
    ("accumulator-i16", SUM),
    ("accumulator-bf16", OUTER),
    ("term-dropped", OUTER),
    ("mask-strictness", pointwise(lambda x: jnp.where(jnp.arange(8) < 8, x, 0.0), normal(8))),
    ("mask-all-true", pointwise(lambda x: jnp.where(jnp.arange(8) < 9, x, 0.0), normal(8))),
    ("mask-shifted", pointwise(lambda x: jnp.where(jnp.arange(8) < 5, x, 0.0), normal(8))),
    ("other-zero", CAUSAL),
    ("index-map-off-by-one", DOT),
    ("axis-reversed", GRID),
    ("axis-reversed", Row(call_of(unused_axis_kernel, (1, 16), grid=(8,)), (X[:1],), semantics="arbitrary")),
    ("subtraction-reversed", pointwise(lambda x, y: abs(x - y), normal(8), normal(8))),
    ("subtraction-reversed", pointwise(lambda x, y: jnp.square(x - y), normal(8), normal(8))),
    ("subtraction-reversed", pointwise(lambda x: x - x, normal(8))),
    ("division-reversed", pointwise(lambda x: x / x, normal(8))),
    ("maximum-not-subtracted", pointwise(lambda x, y: jnp.exp(x - y), normal(8), normal(8))),
    ("accumulator-not-rescaled", SUM),
    ("scale-dropped", pointwise(lambda x: x * 1.0, normal(8))),
    ("op-as-identity", pointwise(lambda x: x + 0.0, normal(8))),
    ("bias-left-out", pointwise(lambda x, y: x + y, normal(8), normal(8))),
    ("mean-by-padded-n", pointwise(lambda x: jnp.sum(x, axis=1) / 8, normal(4, 8))),
    ("mean-by-n-minus-1", pointwise(lambda x: x / 8, normal(4, 8))),
    ("epsilon-dropped", pointwise(lambda x: jnp.exp(x + 1e-3), normal(8))),
    ("constant-3-digits", pointwise(lambda x: x * 0.125, normal(8))),
    ("reduction-other-axis", pointwise(lambda x: jnp.sum(x, axis=1), normal(4, 8))),
    ("convert-toward-zero", pointwise(lambda x: x.astype(jnp.float32), normal(8).astype(np.float16))),
    ("nan-skipped", pointwise(lambda x: jnp.maximum(x, 0), INDEX, dtype=np.int32)),
    ("gelu-other-form", pointwise(lambda x: lax.erf(x), normal(8))),
    ("remainder-sign", pointwise(lambda x: lax.rem(jnp.arange(8), 3) + x, INDEX, dtype=np.int32)),
]


@pytest.mark.parametrize("name, row", ABSENT, ids=[f"{i}-{name}" for i, (name, _) in enumerate(ABSENT)])
def test_kind_does_not_apply(name, row):
    assert nothing(row, name)


def test_a_store_masked_to_its_array_has_no_mask_to_drop():
    """What the mask leaves out is outside the output, where stores have no effect, and none uses what is loaded there."""
    def kernel(x_ref, o_ref):
        lanes = jnp.arange(8)
        x = plgpu.load(x_ref.at[lanes], mask=lanes < 5, other=0.0)
        plgpu.store(o_ref.at[lanes], x, mask=lanes < 5)

    assert nothing(Row(call_of(kernel, (5,)), (normal(5),)), "mask-all-true")
    assert nothing(Row(call_of(kernel, (5,)), (normal(5),)), "mask-strictness")
    larger = Row(call_of(kernel, (6,)), (normal(6),))
    assert [mutant.site.split()[0] for mutant in mutants(larger, "mask-all-true")[2]] == ["store"]


def chained(function):
    def chain(x):
        for _ in range(3000):
            x = function(x)
        return x

    return Row(pointwise(chain, INDEX, dtype=np.int32).call, (INDEX,))


@pytest.mark.slow
def test_chains_of_ops_may_be_long():
    """Twice 3000 ops that follow one another, once with both operands the same."""
    for function in (lambda x: x + jnp.arange(8, dtype=jnp.int32), lambda x: x + x):
        module, inputs, found = mutants(chained(function), "op-as-identity", most=1)
        assert bits(outputs(found[0].module, inputs)) and found[0].sites == 3000


# -- the interface --

def test_the_module_is_not_changed_and_mutants_are_not_shared():
    module, _ = module_of(DOT)
    before = json.dumps(module)
    texts = [json.dumps(mutant.module) for mutant in kernel_mutants(module)]
    assert json.dumps(module) == before and before not in texts


def test_the_same_mutants_each_time():
    module, _ = module_of(GRID)
    once, again = ([(m.kind, m.site, m.module) for m in kernel_mutants(module)] for _ in range(2))
    assert once == again


def test_sites_are_spread_and_counted():
    row = pointwise(lambda x: jnp.sin(jnp.cos(jnp.sin(jnp.cos(jnp.sin(x))))), normal(8))
    module, _, found = mutants(row, "op-as-identity", most=3)
    assert [mutant.site.split()[0] for mutant in found] == ["sin", "sin", "sin"]
    assert all(mutant.sites == 5 for mutant in found)
    assert len(mutants(row, "op-as-identity", most=0)[2]) == 5


@pytest.mark.parametrize("count, most, wanted", [(3, 3, [0, 1, 2]), (9, 3, [0, 4, 8]), (9, 1, [0]), (9, 0, list(range(9))),
                                                 (10, 4, [0, 3, 6, 9]), (0, 3, [])])
def test_spread(count, most, wanted):
    assert spread(list(range(count)), most) == wanted


def test_a_site_has_a_place_or_the_number_of_its_op():
    module, _, found = mutants(DOT, "operand-bf16")
    assert re.fullmatch(r"dot_general at mutant_kernels\.py:\d+", found[0].site)
    del module["locations"]
    plain = json.loads(re.sub(r'"loc": \d+,? ?', "", json.dumps(module)).replace(", }", "}"))
    assert [m.site for m in kernel_mutants(plain) if m.kind.name == "operand-bf16"] == ["dot_general #2"]


def test_sites_on_one_line_are_numbered():
    found = mutants(pointwise(lambda x: jnp.sin(jnp.sin(jnp.sin(x))), normal(8)), "op-as-identity")[2]
    first = found[0].site
    assert [mutant.site for mutant in found] == [first, f"{first} (2)", f"{first} (3)"]


def test_the_kernel_of_a_name():
    module, _ = module_of(DOT)
    other = json.loads(json.dumps(module["kernels"][0])) | {"name": "other"}
    both = {**module, "kernels": [*module["kernels"], other]}
    for mutant in kernel_mutants(both, "other"):
        assert mutant.module["kernels"][0] is both["kernels"][0] and mutant.module["kernels"][1]["name"] == "other"
    with pytest.raises(ValueError, match="no kernel absent; the module has kernel, other"):
        list(kernel_mutants(both, "absent"))


def test_the_same_mutant_only_once():
    """Without the maximum, or with the subtraction of the maximum as the identity, a softmax is the same."""
    module, _, found = mutants(ROWS["maximum-not-subtracted"], "op-as-identity", most=0)
    texts = [json.dumps(mutant.module) for mutant in kernel_mutants(module, most=0)]
    assert len(texts) == len(set(texts))
    assert found and not any(mutant.site.startswith("sub") for mutant in found)


def test_lanes_that_nothing_uses():
    """What the load gives outside the mask is replaced by zeros, or was zero before."""
    def kernel(x_ref, o_ref):
        lanes = jnp.arange(8)
        x = plgpu.load(x_ref.at[lanes], mask=lanes < 5, other=0.0)
        o_ref[0] = jnp.sum(jnp.where(lanes < 5, x, 0.0) + 1)
        o_ref[1] = jnp.sum(jnp.where(lanes < 5, x + 1, 0.0))

    row = Row(call_of(kernel, (2,)), (normal(8),))
    assert [mutant.site.split()[0] for mutant in mutants(row, "other-one")[2]] == ["select", "select"]
    assert [mutant.site.split()[0] for mutant in mutants(row, "mask-all-true")[2]] == ["select"]
