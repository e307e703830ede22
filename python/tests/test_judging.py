"""Input sets, witnesses and verdicts."""

import hashlib
import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilegrind
from tilegrind.arrays import Param
from tilegrind.judging import Expected, InputSet, Undecided, Undecided, Unfit, Unjudged, Witness, judge
from tilegrind.judging.errors_of_all import sums_of
from tilegrind.judging import inputs, random_words
from tilegrind.judging.errors_of_all import sums_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def param(dtype="float32", shape=(6, 50), name="x", role="input"):
    return Param(name, role, np.dtype(dtype), shape, None)


# ---- inputs ----


def test_words_are_those_of_splitmix64():
    # The first output of the published generator for state 0.
    z = 0x9E3779B97F4A7C15
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    assert z ^ z >> 31 == 0xE220A8397B1DCDAF
    start = int.from_bytes(hashlib.sha256(b"1:x").digest()[:8], "little")
    z = (start + 3 * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    assert int(random_words.words(1, "x", 5)[2]) == z ^ z >> 31


def test_an_element_does_not_depend_on_how_many_there_are():
    for made in (random_words.words, random_words.uniform, random_words.normal):
        assert np.array_equal(made(3, "a", 10), made(3, "a", 1000)[:10])
        assert not np.array_equal(made(3, "a", 10), made(4, "a", 10))
        assert not np.array_equal(made(3, "a", 10), made(3, "b", 10))


def test_moments():
    x, u = random_words.normal(1, "x", 400000), random_words.uniform(1, "u", 400000)
    assert abs(x.mean()) < 0.01 and abs(x.std() - 1) < 0.01 and np.abs(x).max() < 3.47
    assert abs(u.mean() - 0.5) < 0.01 and 0 < u.min() and u.max() <= 1


def test_the_same_bits_on_every_machine():
    digest = hashlib.sha256()
    for kind in inputs.KINDS:
        if kind != "given":
            for dtype in ("float32", "bfloat16", "float8_e4m3fn", "int8", "bool"):
                digest.update(InputSet(kind, 5).arrays([param(dtype)])["x"].tobytes())
    assert digest.hexdigest()[:16] == "8c942bc7b52d25b3"


@pytest.mark.parametrize("dtype", sorted(inputs._FLOATS))
@pytest.mark.parametrize("kind", [kind for kind in inputs.KINDS if kind not in ("given", "special")])
def test_sets_are_finite_in_every_dtype(kind, dtype):
    made = InputSet(kind).arrays([param(dtype)])["x"]
    assert made.dtype == dtype and made.shape == (6, 50) and np.all(np.isfinite(made.astype(np.float64)))
    assert len(np.unique(made.astype(np.float64))) > 1


def test_kinds_are_what_they_say():
    def made(kind, **settings):
        return InputSet(kind, settings=settings).arrays([param()])["x"]
    assert set(np.unique(made("whole", most=3))) == set(range(-3, 4))
    assert np.mean(made("whole", most=3, of=8) == 0) > 0.8
    assert len(np.unique(made("ids"))) == 300
    assert made("positive").min() > 0
    assert np.ptp(np.log2(np.abs(made("wide")))) > 15
    assert abs(made("cancel").sum()) < np.abs(made("cancel")).sum() / 1000
    assert made("large").max() > 88  # the logarithm of the greatest f32
    assert set(np.unique(made("ties"))) == {-1, 0, 1}
    special = made("special")
    assert np.isnan(special).any() and np.isposinf(special).any() and np.isneginf(special).any()
    assert np.any((special == 0) & np.signbit(special)) and np.any((special != 0) & (np.abs(special) < 1e-38))


def test_integers_are_in_the_range_of_their_dtype():
    for dtype in ("int8", "uint32", "int2", "uint4", "int64"):
        made = InputSet("normal").arrays([param(dtype)])["x"].astype(np.int64)
        assert made.min() >= ml_dtypes.iinfo(dtype).min and made.max() <= 7 and len(np.unique(made)) > 2


def test_inputs_that_are_kept():
    given = {"i": np.arange(4, dtype=np.int32)}
    params = [param(), param("int32", (4,), "i", "prefetch"), param(name="o", role="output")]
    made = InputSet("normal", keep=("i",)).arrays(params, given)
    assert list(made) == ["x", "i"] and np.array_equal(made["i"], given["i"])
    with pytest.raises(Unfit, match="input x"):
        InputSet("given").arrays(params, given)
    with pytest.raises(Unfit, match="no kind of inputs 'odd'; there are: normal"):
        InputSet("odd")


def test_sets_as_json():
    for chosen in (InputSet("normal"), InputSet("whole", 7, {"most": 3, "of": 4}, ("i",))):
        assert InputSet.of_json(json.loads(json.dumps(chosen.to_json()))) == chosen
    assert InputSet("whole", 7, {"most": 3}).name == "whole-7-most3"


# ---- verdicts ----


def expected(exact, bound, dtype=np.float32):
    exact = np.asarray(exact, np.float64)
    return Expected(exact.astype(dtype), exact, np.broadcast_to(np.asarray(bound, np.float64), exact.shape))


def verdict(exact, bound, got, dtype=np.float32):
    return judge("o", expected(exact, bound, dtype), np.asarray(got, dtype))


@pytest.mark.parametrize("exact, bound, got, kind", [
    ([1, 2], 0.5, [1, 2], "equal"), ([1, 2], 0.5, [1.5, 2], "within"), ([1, 2], 0.5, [1.51, 2], "outside"),
    ([1, 2], 0, [1, 2.0000002], "outside"), ([np.nan], 0, [np.nan], "equal"), ([np.nan], 0.5, [0], "special-differs"),
    ([1], 0.5, [np.nan], "special-differs"), ([1], 0.5, [np.inf], "special-differs"), ([np.inf], 0, [np.inf], "equal"),
    ([np.inf], 0, [-np.inf], "outside"), ([np.inf], 0, [3e38], "special-differs"), ([5], np.inf, [np.nan], "within"),
    ([5], np.nan, [7], "within"), ([1, 1], 0.5, [np.nan, 3], "outside"), ([0.0], 0, [-0.0], "within")])
def test_kinds_of_verdicts(exact, bound, got, kind):
    found = verdict(exact, bound, got)
    assert found.kind == kind and found.failed == (kind not in ("equal", "within"))


@pytest.mark.parametrize("exact, bound, got, kind", [
    (1, 0.5, 1, "equal"), (1, 0.5, 1.5, "within"), (1, 0.5, 2, "outside"), (np.nan, 0, np.nan, "equal"),
    (0.0, 0, -0.0, "within"), (1, 0.5, np.nan, "special-differs"), (5, np.inf, 7, "within")])
def test_arrays_without_dimensions(exact, bound, got, kind):
    found = verdict(exact, bound, got)
    assert (found.kind, found.index, found.count) == (kind, (), 1)


def test_the_worst_element():
    found = verdict([[1, 2], [3, 4]], 0.25, [[1, 2.125], [4, 4]])
    assert (found.index, found.worst, found.failing, found.count) == ((1, 0), 4.0, 1, 4)
    assert str(found) == "o: outside, 1 of 4 elements; worst at [1, 0]: got 4.0, want 3.0 +- 0.25"
    assert verdict([1, 2], np.inf, [7, 8]).open == 2
    assert "within, worst 0.5 of its bound at [1]" in str(verdict([1, 2], 0.25, [1, 2.125]))


def test_missing_arrays_and_other_types():
    want = expected([1, 2], 0)
    assert judge("o", want, None).kind == "missing"
    assert str(judge("o", want, np.zeros(2))) == "o: shape: got float64[2], want float32[2]"
    assert judge("o", want, np.zeros((2, 1), np.float32)).kind == "shape"
    assert judge("o", expected(np.zeros((0, 3)), 0), np.zeros((0, 3), np.float32)).kind == "equal"


def test_integers_are_compared_by_bits():
    want = Expected(np.array([1, 2], np.int32))
    assert judge("o", want, np.array([1, 2], np.int32)).kind == "equal"
    wrong = judge("o", want, np.array([1, 3], np.int32))
    assert wrong.kind == "outside" and wrong.index == (1,) and wrong.want == 2


# ---- witnesses ----


def module(ops, dtype="f32"):
    """A kernel that loads x, value 2, and stores the value of the last op to o."""
    whole = [["slice", 0, 8, 1]]
    body = [{"op": "load", "in": [0], "out": [{"id": 2, "type": f"{dtype}[8]"}], "index": whole}, *ops]
    body.append({"op": "store", "in": [1, ops[-1]["out"][0]["id"]], "index": whole})
    params = [{"name": name, "role": role, "type": f"{dtype}[8]"} for name, role in (("x", "input"), ("o", "output"))]
    args = [{"id": i, "type": f"ref<{dtype}[8]>"} for i in (0, 1)]
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [
        {"name": "k", "grid": [], "params": params, "body": {"args": args, "ops": body}}]}))


def op(name, of, to=9, dtype="f32[8]", **attributes):
    return {"op": name, "in": of, "out": [{"id": to, "type": dtype}], **attributes}


def test_a_witness_judges_results():
    made = tilegrind.load(EXAMPLES / "add.json")
    given = InputSet("normal").arrays(made.params())
    witness = Witness.of(made, "ieee", given)
    right = made.run(given).outputs
    assert [v.kind for v in witness.judge(right)] == ["equal"]
    assert [v.kind for v in witness.judge({})] == ["missing"]
    next_up = {"o": np.nextafter(right["o"], np.float32(np.inf))}
    assert [v.kind for v in witness.judge(next_up)] == ["outside"]  # of a single addition only one result is right
    assert Witness.of(made, None, given).judge(right)[0].kind == "equal"


def sum_of(count):
    """A kernel that adds so many f32."""
    body = [{"op": "load", "in": [0], "out": [{"id": 2, "type": f"f32[{count}]"}], "index": [["slice", 0, count, 1]]},
            op("reduce_sum", [2], 3, "f32[]", axes=[0]), op("broadcast_in_dim", [3], 4, "f32[1]", dims=[]),
            {"op": "store", "in": [1, 4], "index": [["slice", 0, 1, 1]]}]
    types = (("x", "input", f"f32[{count}]"), ("o", "output", "f32[1]"))
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [
        {"name": "k", "grid": [], "params": [{"name": name, "role": role, "type": text} for name, role, text in types],
         "body": {"args": [{"id": i, "type": f"ref<{text}>"} for i, (*_, text) in enumerate(types)], "ops": body}}]}))


def test_a_lost_term_of_a_long_sum_is_no_chance():
    made = sum_of(65536)
    inputs = InputSet("positive")
    given = inputs.arrays(made.params())
    right = {"o": made.run(given).outputs["o"]}
    lost = {"o": right["o"] - np.float32(8)}  # of 2^15, the bound is 2^7 and the probable one 2^2
    witness = Witness.of(made, "ieee", given, probable=inputs.is_random)
    assert [v.kind for v in witness.graded(right)] == ["equal"]
    [verdict] = witness.graded(lost)
    assert verdict.kind == "statistical" and verdict.failed and "possible, but not by chance" in str(verdict)
    assert [v.kind for v in witness.judge(lost)] == ["outside"]
    assert [v.kind for v in witness.graded({"o": right["o"] * 2})] == ["outside"]
    assert [v.kind for v in Witness.of(made, "ieee", given).graded(lost)] == ["within"]


def product_of(terms, dtype="f32"):
    """A kernel that multiplies matrices with a side of 32."""
    whole = [["slice", 0, 32, 1], ["slice", 0, terms, 1]]
    body = [{"op": "load", "in": [i], "out": [{"id": 3 + i, "type": f"{dtype}[32,{terms}]"}], "index": whole} for i in (0, 1)]
    body += [op("dot_general", [3, 4], 5, "f32[32,32]", lhs_contract=[1], rhs_contract=[1], lhs_batch=[], rhs_batch=[]),
             {"op": "store", "in": [2, 5], "index": [["slice", 0, 32, 1]] * 2}]
    types = (("x", "input", f"{dtype}[32,{terms}]"), ("y", "input", f"{dtype}[32,{terms}]"), ("o", "output", "f32[32,32]"))
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [
        {"name": "k", "grid": [], "params": [{"name": name, "role": role, "type": text} for name, role, text in types],
         "body": {"args": [{"id": i, "type": f"ref<{text}>"} for i, (*_, text) in enumerate(types)], "ops": body}}]}))


def graded(made, got, contract="ieee"):
    given = InputSet("positive").arrays(made.params())
    [verdict] = Witness.of(made, contract, given, probable=True).graded({"o": got(*(a.astype(np.float64) for a in given.values()))})
    return verdict


def chain(x, y, truncated=False):
    """The product, term after term, in f32."""
    total = np.zeros((32, 32))
    for term in np.moveaxis(x[:, None, :] * y[None, :, :], 2, 0):
        size, power = np.frexp(total + term)
        scaled = np.ldexp(size, 24)
        total = np.ldexp(np.trunc(scaled) if truncated else np.rint(scaled), power - 24)
    return total.astype(np.float32)


def test_errors_of_all_elements_together():
    made = product_of(256)
    assert graded(made, chain).kind in ("equal", "within")
    truncated = graded(made, lambda x, y: (chain(x, y).view(np.uint32) & np.uint32(0xfffffff8)).view(np.float32))
    assert truncated.kind == "statistical" and "standard errors of their mean" in str(truncated)
    noise = 1 + 2.0**-18 * (random_words.uniform(1, "noise", 1024).reshape(32, 32) - 0.5)
    coarse = graded(made, lambda x, y: (x @ y.T * noise).astype(np.float32))
    assert coarse.kind == "statistical" and "times as large as roundings to nearest make them" in str(coarse)


def test_errors_of_all_elements_where_sums_may_be_truncated():
    assert graded(product_of(256, "f16"), lambda x, y: chain(x, y, truncated=True)).kind == "statistical"
    assert graded(product_of(256, "f16"), lambda x, y: chain(x, y, truncated=True), "ptx-fast").kind == "within"


def test_which_outputs_are_sums_of_their_own():
    assert sums_of(product_of(256).to_json(), None) == {"o": (256, 2.0**23)}
    assert sums_of(product_of(256, "bf16").to_json(), None) == {"o": (256, 2.0**7)}
    assert sums_of(sum_of(100).to_json(), None) == {"o": (100, 2.0**23)}
    assert sums_of(product_of(8).to_json(), None) == {}  # too few terms for roundings that cancel
    assert sums_of(module([op("exp", [2])]).to_json(), None) == {}
    scaled = json.loads(product_of(256).to_json())
    scaled["kernels"][0]["body"]["ops"].insert(1, op("mul", [3, 3], 3, "f32[32,256]"))
    assert sums_of(json.dumps(scaled), None) == {}  # the operands are rounded already


def test_numbers_of_which_few_are_alike():
    assert InputSet("normal").is_random and InputSet("large", 3, {"scale": 0.25}).is_random
    assert not any(InputSet(kind).is_random for kind in ("whole", "ids", "ties", "special", "given"))


def test_bounds_that_say_nothing_are_counted():
    subtracted = module([op("exp", [2], 8), op("sub", [8, 8])])
    x = {"x": np.full(8, 3, np.float32)}
    assert Witness.of(subtracted, "ieee", x).outputs["o"].loose == 1.0
    assert Witness.of(module([op("exp", [2])]), "ieee", x).outputs["o"].loose == 0.0


def test_what_cannot_be_judged_is_told():
    with pytest.raises(Unjudged, match="no bound can be derived"):
        swapped = op("atomic_rmw", [1, 2], index=[["slice", 0, 8, 1]], kind="xchg")
        Witness.of(module([swapped]), "ieee", {"x": np.ones(8, np.float32)})
    close = module([op("exp", [2], 8), op("lt", [8, 8], 10, "bool[8]"), op("convert", [10])])
    with pytest.raises(Undecided, match="a comparison is too close to be decided"):
        Witness.of(close, "ieee", {"x": np.ones(8, np.float32)})


def test_inputs_that_share_memory_with_outputs():
    text = json.loads(module([op("exp", [2])]).to_json())
    text["kernels"][0]["params"][1]["alias"] = "x"
    x = {"x": np.linspace(0, 1, 8, dtype=np.float32)}
    witness = Witness.of(tilegrind.loads(json.dumps(text)), "ieee", x)
    assert witness.judge({"o": np.exp(x["x"])})[0].kind in ("equal", "within")


@pytest.mark.parametrize("ops", [
    [op("tanh", [6])], [op("logistic", [6])], [op("sign", [6])], [op("sin", [6])], [op("cos", [6])], [op("atan2", [6, 2])],
    [op("rem", [6, 2])], [op("atan", [6])], [op("erf", [6])], [op("floor", [6])], [op("clamp", [2, 6, 7])], [op("max", [6, 2])],
    [op("exp", [6])], [op("rsqrt", [6])], [op("asin", [6])]], ids=lambda ops: ops[0]["op"])
def test_where_an_operand_may_be_nan_nothing_is_known(ops):
    # exp(64) squared is 6e55: in f32 infinite, and the difference NaN; in exact arithmetic 0.
    made = module([op("exp", [2], 5), op("mul", [5, 5], 7), op("sub", [7, 7], 6), *ops])
    witness = Witness.of(made, "ieee", {"x": np.full(8, 64, np.float32)})
    (verdict,) = witness.judge({"o": witness.outputs["o"].bits})
    assert not verdict.failed and not np.any(witness.outputs["o"].bound < np.inf)


def test_sums_that_overflow_beside_an_infinity():
    # In f32 the greatest numbers add up to infinity, whose sign may be that of none of the elements.
    made = module([op("reduce_sum", [2], 8, "f32[]", axes=[0]), op("broadcast_in_dim", [8], dims=[])])
    x = np.array([np.inf, *[np.finfo(np.float32).min] * 7], np.float32)
    witness = Witness.of(made, "ieee", {"x": x})
    assert not witness.judge({"o": witness.outputs["o"].bits})[0].failed
    assert not witness.judge({"o": np.full(8, np.nan, np.float32)})[0].failed
    nan = Witness.of(made, "ieee", {"x": np.array([np.nan, *[1] * 7], np.float32)})
    assert nan.judge({"o": np.zeros(8, np.float32)})[0].kind == "special-differs"
