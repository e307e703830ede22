"""The quick parts of what golden checks are worth (conformance/golden)."""

import importlib

import numpy as np
import pytest

from conformance.golden import corpus, equivalents, illusion_kernels, kills, recorded, rewrites, rules, run, tables


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


def test_outputs_that_are_written_in_part_have_goldens():
    golden = recorded.record("masked_store", corpus.subject("masked_store", quick=True))
    assert golden.sets and not golden.refused and not golden.passing()


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
