"""The quick parts of what golden checks are worth (conformance/golden)."""

import importlib

import numpy as np
import pytest

from conformance.golden import corpus, equivalents, illusion_kernels, kills, recorded, rewrites, rules, run, tables
from conformance.golden import tosa_data, tosa_faults, xla, xla_expressions, xla_kernels


@pytest.mark.slow
@pytest.mark.parametrize("name", run.PARTS)
def test_no_judge_fails(name):
    part = importlib.import_module(f"conformance.golden.{name}").run(quick=True)
    assert part.failures == [] and all(table.rows for table in part.tables)


def test_rules_of_tolerance():
    loose, close, jax = rules.RULES[0], rules.RULES[2], rules.RULES[3]
    want = {"o": np.float32([1, 0, np.nan, np.inf])}
    assert not loose.accepts(want, want, 1) and jax.accepts(want, want, 1)
    want = {"o": np.float32([1, 0.005, np.inf])}
    assert loose.accepts(want, {"o": np.float32([1.01, 0, np.inf])}, 1)
    assert not close.accepts(want, {"o": np.float32([1.01, 0, np.inf])}, 1)
    assert not loose.accepts(want, {"o": np.float64([1, 0.005, np.inf])}, 1) and not loose.accepts(want, {}, 1)
    assert not loose.accepts(want, None, 1)
    assert rules.RULES[4].accepts(want, {"o": np.float32([1.09, 0, np.inf])}, 1000)


def test_flag_gems_has_one_absolute_tolerance_for_all_dtypes():
    flag_gems = rules.RULES[4]
    assert flag_gems.accepts({"o": np.int32([3])}, {"o": np.int32([4])}, 10000)
    assert not flag_gems.accepts({"o": np.int32([3])}, {"o": np.int32([4])}, 9999)
    assert not flag_gems.accepts({"o": np.float32([np.nan])}, {"o": np.float32([np.nan])}, 1)


def test_the_illusion_has_all_kernels_of_its_table():
    assert len(illusion_kernels.PAIRS) == 16 and sum(bool(pair.buggy) for pair in illusion_kernels.PAIRS) == 10
    assert all(bool(pair.bug) == bool(pair.buggy) == bool(pair.wrong) for pair in illusion_kernels.PAIRS)


def test_one_shape_of_a_benchmark_hides_errors_that_goldens_show():
    rows = importlib.import_module("conformance.golden.illusion").run(quick=True).tables[0].rows
    hidden = {row[0] for row in rows if row[3] == "fails" and row[-1] == "passes"}
    assert hidden == {"softmax_llm_buggy", "flash_attention_triton_buggy"}


def test_public_threads_show_both_kinds_of_bad_bounds():
    """Too tight ones, which fail what is right, and too loose ones, which pass what is wrong."""
    rows = importlib.import_module("conformance.golden.threads").run(quick=True).tables[0].rows
    too_tight = {row[0] for row in rows if row[4] == "fails"}
    too_loose = {row[0] for row in rows if row[7] == "passes"}
    assert {"HazyResearch/HipKittens#64", "aqlaboratory/openfold-3#240", "iree-org/iree#15930"} <= too_tight
    assert {"KernelBench-Hard, FP8 GEMM", "linkedin/Liger-Kernel#192", "iree-org/iree#15930"} <= too_loose


def test_stale_equivalents_are_told(tmp_path):
    listed = {("a", "zeros", "o"): "why", ("b", "zeros", "o"): "why"}
    assert equivalents.stale(listed, ["a"], [("a", "zeros", "o")]) == []
    assert equivalents.stale(listed, ["a", "b"], [("a", "zeros", "o")]) == ["equivalents.toml: b zeros o: no such mutant passes"]
    (tmp_path / "e.toml").write_text('[[equivalent]]\nkernel = "k"\nmutant = "m"\nsite = "s"\nreason = " "\n')
    with pytest.raises(ValueError, match="k m s: no reason"):
        equivalents.load(tmp_path / "e.toml")


def test_tables(tmp_path):
    table = tables.Table("Title", ["a", "b"], notes=["a note"])
    table.add("x|y", 3)
    assert table.text() == "Title\na    b\nx|y  3\na note"
    assert "| x\\|y | 3 |" in table.markdown() and "* a note" in table.markdown()


@pytest.mark.slow
def test_outputs_that_are_written_in_part_have_goldens():
    golden = recorded.record("masked_store", corpus.subject("masked_store", quick=True))
    assert golden.sets and not golden.refused and not golden.passing()


@pytest.mark.slow
def test_variants_are_other_computations():
    """Each rewriting changes bits somewhere, or is exact by IEEE 754: else it would show nothing."""
    exact = {"operands exchanged", "a + -b for a - b"}
    part = importlib.import_module("conformance.golden.false_alarms").run(quick=True)
    other = {row[0]: int(row[3]) for row in part.tables[0].rows}
    names = set(rewrites.NAMES) - exact
    assert names <= other.keys() and all(other[name] for name in names)


def test_tolerances_that_are_needed():
    want = {"o": np.float32([1, np.nan, np.inf])}
    assert kills.tolerance_for(want, {"o": np.float32([1.5, np.nan, np.inf])}) == 0.25
    assert kills.tolerance_for(want, {"o": np.float32([1, 0, np.inf])}) == np.inf == kills.tolerance_for(want, None)
    assert kills.tolerance_for({"o": np.int32([1])}, {"o": np.int32([2])}) == np.inf


def test_data_of_tosa():
    """The generator as TOSA's specification has it: r = r m + 1, sign in the highest bit."""
    factor = 9 * 0x705A5E75 % 2**32
    first, second = factor + 1, ((factor + 1) * factor + 1) % 2**32
    numbers = [(1 if state < 2**31 else -1) * (state % 2**31) / (2**31 - 1) for state in (first, second)]
    assert np.allclose(tosa_data._random(1, 2), numbers, rtol=1e-6)
    places = np.tile(np.arange(8), (4, 1))
    for chosen in (0, 4):
        x, y = (tosa_data.data(chosen, position, 8, 4.0, places) for position in (0, 1))
        assert np.count_nonzero(x * y) == (4 if chosen else 0)
    assert np.all(tosa_data.data(1, 0, 8, 4.0, places) > 0)
    assert np.all(tosa_data.data(2, 0, 8, 4.0, places)[:, 0] == 1) and np.all(tosa_data.data(3, 1, 8, 4.0, places)[:, 0] == 16)


def test_rule_of_tosa():
    exact = np.full(1024, 3.0)
    unit = 3 * 2.0**-24

    def failing(errors, chosen=3):
        return tosa_data.failing(chosen, exact, exact, (exact + errors).astype(np.float32), 16)

    assert failing(np.zeros(1024)) == ""
    assert failing(np.where(np.arange(1024) == 7, 34 * unit, 0)) == "element"
    assert failing(np.where(np.arange(1024) % 2, 6 * unit, -6 * unit)) == "variance"
    assert failing(np.full(1024, 2.0**-22)) == "bias" and failing(np.full(1024, 2.0**-22), chosen=2) == ""
    assert failing(np.where(np.arange(1024) == 7, np.nan, 0)) == "element"
    zero = np.zeros(1)
    assert tosa_data.failing(0, zero, zero, np.float32([1e-30]), 16) == "element"
    assert not tosa_data.failing(0, zero, zero, np.float32([0]), 16)
    assert not tosa_data.failing(1, zero + 1e39, zero + 1e39, np.float32([np.inf]), 16)


def test_right_implementations_are_near_and_faulty_ones_are_not_right():
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=shape).astype(np.float32).astype(float) for shape in ((4, 64), (64, 4)))
    for name, implementation in tosa_faults.RIGHT.items():
        assert np.allclose(implementation(x, y), x @ y, rtol=1e-4, atol=1e-5), name
    for name, implementation in tosa_faults.FAULTY.items():
        assert not np.array_equal(implementation(x, y), tosa_faults.RIGHT["term after term"](x, y)), name
    assert tosa_faults.bits(11, np.trunc, np.float64([1 + 2.0**-11, -3.9999])).tolist() == [1, -4 + 2.0**-9]


def test_alarms_of_xla(monkeypatch):
    """A wrong result is an alarm."""
    name = "softmax-float16"

    def variants(wrong, trials, isas, say):
        for i, trial in enumerate(trials[name]):
            (output, expected), = trial.witness.outputs.items()
            yield "XLA, this machine", name, i, {output: np.full_like(expected.bits, np.nan) if wrong else expected.bits}

    monkeypatch.setattr(xla, "tasks", lambda quick: {name: xla_kernels.tasks()[name]})
    monkeypatch.setattr(xla, "variants", lambda *args: variants(True, *args))
    assert xla.run(quick=True).failures
    monkeypatch.setattr(xla, "variants", lambda *args: variants(False, *args))
    assert xla.run(quick=True).failures == []


def test_holes_of_a_contract_are_listed_where_they_are(monkeypatch):
    """An alarm that is not listed fails, and so does a listed one that does not come."""
    found = {one.name: one for one in xla_expressions.EXPRESSIONS}
    unlisted = xla_expressions.Expression("tanh x", found["exp2 x"].compute)
    missing = xla_expressions.Expression("x / c", found["x / c"].compute, ("float32",), "why")
    monkeypatch.setattr(xla_expressions, "EXPRESSIONS", (unlisted, missing))
    failures = xla_expressions.run(quick=True).failures
    assert [text.partition(": ")[0] for text in failures] == ["tanh x bfloat16", "tanh x float16", "x / c float32"]
    assert "no alarm where one is listed" in failures[2]


def test_a_process_of_xla_that_fails_is_told(tmp_path):
    with pytest.raises(xla.ChildFailed, match="(?s)XLA for AVX2.*nonsense"):
        xla._run(tmp_path, "AVX2", "compiled", ["nonsense"])


def test_seeds_of_false_alarms(capsys):
    with pytest.raises(SystemExit):
        run.arguments(["--seeds", "0"])
    assert "'0' is no positive whole number" in capsys.readouterr().err
    assert run.arguments(["--seeds", "3"]).seeds == 3
