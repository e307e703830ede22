"""The runner of JAX's own tests: its counting, its table of expected differences, and its processes.  JAX's checkout is not
needed: the tests that are run here are written here."""

import json
import re
import signal
import subprocess
import textwrap
import types

import pytest

from conformance.jax import expected, gpu_answers, lifts, refusals, report, session, smaller, suites, tpu_answers
from conformance.jax import run as jax_suites
from conformance.jax.session import Outcome, Settings

A, B = "tests/pallas/x_test.py::T::test_a", "tests/pallas/x_test.py::T::test_b"
STRICT = Settings()


def outcomes(*some):
    return {one.test: one for one in some}


def rows(*lines):
    return expected.read_rows("\n".join("\t".join(line) for line in lines))


# -- the table of expected differences --


@pytest.mark.parametrize("line, message", [
    ("always\tfailure\tx_test.py::T::test_a", "parted by tabs"),
    ("always\tfailure\tx_test.py::T::test_a\t ", "parted by tabs"),
    ("never\tfailure\tx_test.py::T::test_a\twhy", "unknown condition never"),
    ("always\tfine\tx_test.py::T::test_a\twhy", "unknown kind fine"),
    ("always\tfailure\ttest_a\twhy", "FILE.py::CLASS::TEST"),
    ("always\trace\tx_test.py::T::test_a\twhy", "a race, and nothing else, has a pair"),
    ("always\tfailure\tx_test.py::T::test_a\twhy\to_ref[0] by (0) and (1)", "a race, and nothing else, has a pair"),
    ("always\trace\tx_test.py::T::test_a\twhy\to_ref by (0) and (1)", "a pair is BUFFER"),
])
def test_bad_rows_are_told_with_their_line(line, message):
    with pytest.raises(suites.SuiteError, match=f"(?s)expected.tsv:2: .*{message}"):
        expected.read_rows(f"# comment\n{line}")


def test_the_table_is_readable_and_names_known_files():
    for row in expected.read_rows(expected.EXPECTED.read_text()):
        assert row.file in jax_suites.all_files()


@pytest.mark.parametrize("when, settings, holds", [
    ("always", STRICT, True),
    ("always", Settings(lifted=True), False),
    ("lifted", Settings(lifted=True), True),
    ("lifted", STRICT, False),
    ("jax", STRICT, False),
    ("strict+reordered", STRICT, False),
    ("strict+reordered", Settings(order="shuffled:7"), True),
    ("shuffled", Settings(order="reversed"), False),
    ("sequential", STRICT, True),
    ("cpu", STRICT, True),
    ("cpu", Settings(backend="emulator"), False),
    ("device", Settings(backend="emulator:1"), True),
    ("avx2", Settings(vectors="avx2"), True),
    ("avx2", Settings(vectors="avx512"), False),
    ("avx512", Settings(vectors="avx512"), True),
    ("avx512", Settings(vectors=""), False),
    ("device+sequential", STRICT, False),
])
def test_conditions(when, settings, holds):
    [row] = rows((when, "failure", "x_test.py::T::test_a", "why"))
    assert row.holds(settings) == holds


@pytest.mark.parametrize("flags, vectors", [
    ("fpu sse2 avx avx2 avx512f avx512bw", "avx512"),
    ("fpu sse2 avx avx2", "avx2"),
    ("fpu sse2 avx", ""),
])
def test_the_widest_vectors_of_a_machine(flags, vectors, tmp_path):
    described = tmp_path / "cpuinfo"
    described.write_text(f"processor\t: 0\nmodel name\t: avx512f\nflags\t\t: {flags}\nbugs\t\t: avx2\n")
    assert session.widest_vectors(described) == vectors
    assert session.widest_vectors(tmp_path / "missing") == ""


def test_brackets_in_ids_are_no_patterns():
    [row] = rows(("always", "failure", "x_test.py::T::test_a[1]*", "why"))
    assert row.covers(A + "[1]_more") and not row.covers(A + "1")


@pytest.mark.parametrize("number, covered", [("0", True), ("3", True), ("4", False), ("7", True), ("70", False), ("", False), ("x", False)])
@pytest.mark.parametrize("name", ["T::test_a", "T*::test_a", "*_a"])
def test_rows_may_have_numbers_at_their_end(name, number, covered):
    [row] = rows(("always", "failure", f"x_test.py::{name}{{0-3,7}}", "why"))
    assert row.covers(A + number) == covered


# -- judging --


def judge(some, *lines, wanted=()):
    return expected.judge(outcomes(*some), wanted, rows(*lines), STRICT)


def test_what_passes_is_no_difference():
    assert judge([Outcome(A, "passed", runs=1)], wanted=[A]) == []


@pytest.mark.parametrize("result", ["failed", "refused", "crashed", "timed out", "not executed"])
def test_an_unexpected_failure_is_a_problem(result):
    [one] = judge([Outcome(A, result, "broken")], wanted=[A])
    assert one.problem and one.what == "broken"


def test_an_expected_failure_has_its_reason():
    [one] = judge([Outcome(A, "failed")], ("always", "failure", "x_test.py::T::test_*", "rounding"), wanted=[A])
    assert (one.reason, one.problem) == ("rounding", "")


def test_an_expected_failure_that_passes_is_a_problem():
    some = [Outcome(A, "failed"), Outcome(B, "passed")]
    found = judge(some, ("always", "failure", "x_test.py::T::test_*", "rounding"), wanted=[A, B])
    assert [bool(one.problem) for one in found] == [False, True]


def test_findings_are_differences_of_their_own():
    found = Outcome(A, "passed", findings=("unwritten",))
    [unexpected] = judge([found])
    [right] = judge([found], ("always", "finding", "x_test.py::T::test_a", "never written"))
    [wrong_kind] = judge([found], ("always", "failure", "x_test.py::T::test_a", "never written"))
    [not_seen] = judge([Outcome(A, "passed")], ("always", "finding", "x_test.py::T::test_a", "never written"))
    assert unexpected.problem and not right.problem and wrong_kind.problem and not_seen.problem
    assert unexpected.what == "unwritten"


@pytest.mark.parametrize("order, result, right", [
    ("reversed", "failed", True), ("reversed", "passed", False), ("shuffled:1", "failed", True),
    ("shuffled:1", "passed", True), ("sequential", "failed", False), ("sequential", "passed", True)])
def test_a_race_fails_where_its_programs_change_places(order, result, right):
    row = ("reordered", "race", "x_test.py::T::test_a", "both set it", "o_ref[0,1] by (0,0) and (2,0)")
    found = expected.judge(outcomes(Outcome(A, result)), [A], rows(row), Settings(order=order))
    assert all(not one.problem for one in found) == right
    if right and result == "failed":
        assert found[0].reason == "both set it: o_ref[0,1] by (0,0) and (2,0)"


@pytest.mark.parametrize("result", ["skipped", "unjudged"])
def test_what_is_left_out_counts_for_wanted_tests_only(result):
    assert judge([Outcome(A, result)]) == []
    assert judge([Outcome(A, result)], wanted=[A])[0].problem


def test_a_wanted_test_that_is_missing_is_a_problem():
    assert judge([], wanted=[A])[0].outcome.result == "missing"


def test_a_row_without_tests_is_a_problem():
    [one] = judge([], ("always", "failure", "x_test.py::T::test_gone", "why"))
    assert "covers no test" in one.problem


# -- counting --


def test_counts():
    some = outcomes(Outcome(A, "passed", runs=2, findings=("odd",)), Outcome(B, "refused"))
    counts = report.count(some, [A, B, "elsewhere"])
    assert vars(counts) == dict(tests=3, passed=1, executed=1, refused=1, failed=1, findings=1)
    assert vars(counts + counts)["tests"] == 6


def test_passing_without_tilegrind_shows_nothing():
    some = outcomes(Outcome(A, "passed"), Outcome(B, "passed"))
    judged = jax_suites.with_executions(some, {A: "hlo", B: "none"})
    assert (judged[A].result, judged[B].result) == ("not executed", "passed")


def a_report(*differences):
    file = report.FileReport("x_test", report.Counts(2, 1, 1, 0, 1, 0), session.Times(3.4, 2.5), differences=list(differences))
    return report.Report(STRICT, [file])


def test_the_report_lists_expected_and_unexpected():
    fine = expected.Difference(Outcome(A, "failed"), "rounding", "")
    bad = expected.Difference(Outcome(B, "failed", "broken"), "", "unexpected failure")
    assert a_report(fine).problems() == []
    assert a_report(fine, bad).problems() == [f"{B}: unexpected failure: broken"]
    text = report.text(a_report(fine, bad))
    assert "rounding" in text and "broken" in text
    assert [line.split() for line in text.splitlines() if line.startswith("x_test")] == [
        ["x_test", "2", "1", "1", "0", "1", "0", "3"]]
    tree = json.loads(json.dumps(report.as_json(a_report(fine))))
    assert tree["files"][0]["passed"] == 1 and tree["backend"] == "cpu"
    assert tree["files"][0]["differences"][0]["reason"] == "rounding"


def test_stock_passes_that_no_longer_pass_are_problems():
    stock = session.Session("x_test", outcomes(Outcome(A, "passed"), Outcome(B, "failed", "flaky")), session.Times(4.0, 2.0))
    ours = session.Session("x_test", outcomes(Outcome(A, "passed", runs=1), Outcome(B, "passed", runs=1)), session.Times(3.0, 1.0))
    whole = report.Report(STRICT, [report.file_report(ours, {A: "hlo", B: "hlo"}, [], stock)])
    assert whole.problems() == [f"{B}: failed with stock JAX: flaky"]
    assert [line.split() for line in report.text(whole).splitlines() if line.startswith("total")][1] == [
        "total", "3.0", "4.0", "0.75", "1.0", "2.0", "0.50"]


def test_a_lift_without_tests_is_a_problem():
    [one] = [lift for lift in lifts.LIFTS if lift.name == "softmax"]
    whole = report.Report(STRICT, lifted=[report.LiftReport(one, report.NOTHING)])
    assert whole.problems() == ["lift 'softmax': no test of it ran"]


# -- data --


def test_the_stock_list_has_all_files():
    passes = suites.stock_passes()
    assert sum(len(passes[file]) for file in suites.FILES) == 2776


def test_lifts_are_told_apart_by_name_and_say_why():
    assert len({lift.name for lift in lifts.LIFTS}) == len(lifts.LIFTS)
    assert all(lift.why and lift.sake in lifts.SAKES and (lift.skips or lift.tests) for lift in lifts.LIFTS)


def test_a_checkout_must_be_there_and_of_the_right_version(tmp_path):
    with pytest.raises(suites.SuiteError, match="git clone --depth 1 --branch jax-v0.10.2"):
        suites.open_checkout(tmp_path, ["pallas_test"])
    for path in ("tests/pallas/pallas_test.py", *suites.TEST_SUPPORT):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert suites.open_checkout(tmp_path, ["pallas_test"]).path_of("pallas_test").is_file()
    (tmp_path / "jax" / "version.py").write_text('_version = "0.9.0"\n')
    with pytest.raises(suites.SuiteError, match="is JAX 0.9.0"):
        suites.open_checkout(tmp_path, ["pallas_test"])


@pytest.mark.parametrize("arguments", [["--files", "no_such_test"], []])
def test_what_cannot_be_run_is_told(arguments, tmp_path, capsys):
    assert jax_suites.main(["--jax", str(tmp_path), *arguments]) == 2
    assert capsys.readouterr().err.startswith("run.py: ")


# -- processes --


def test_a_record_that_breaks_off_names_the_running_test():
    lines = [
        json.dumps({"event": "start", "test": A}) + "\n",
        json.dumps({"event": "end", "test": A, "result": "passed"}) + "\n",
        json.dumps({"event": "finding", "test": A, "text": "odd"}) + "\n",
        json.dumps({"event": "start", "test": B}) + "\n",
        '{"event": "en',
    ]
    assert session.read_outcomes(lines) == ([Outcome(A, "passed", findings=("odd",))], B)


def run(tmp_path, source, name="x_test", **settings):
    """The outcomes of tests of our own, by the test's name."""
    folder = tmp_path / "jax" / suites.TESTS
    folder.mkdir(parents=True)
    (folder / f"{name}.py").write_text(textwrap.dedent(source))
    checkout = suites.Checkout(tmp_path / "jax")
    done = session.run_file(checkout, name, Settings(**settings), tmp_path / "scratch")
    assert 0 < done.times.cpu and 0 < done.times.wall
    return {test.rsplit("::", 1)[-1]: outcome for test, outcome in done.outcomes.items()}


@pytest.mark.slow
def test_a_crash_and_a_hang_cost_no_other_test(tmp_path):
    found = run(tmp_path, """
        import os, signal, time, unittest

        class T(unittest.TestCase):
            def test_1(self): pass
            def test_2(self): os.kill(os.getpid(), signal.SIGSEGV)
            def test_3(self): self.fail("not equal")
            def test_4(self): time.sleep(1000)
            def test_5(self): self.skipTest("not here")
            def test_6(self):
                with self.subTest("inner"):
                    self.assertEqual(1, 2)
        """, interpreter="stock", quiet_seconds=8)
    assert {test: outcome.result for test, outcome in found.items()} == {
        "test_1": "passed", "test_2": "crashed", "test_3": "failed", "test_4": "timed out", "test_5": "skipped",
        "test_6": "failed"}
    assert "not equal" in found["test_3"].message and found["test_5"].message == "not here"


@pytest.mark.parametrize("record, seconds, in_time", [("", 1, True), ("a test has started\n", 1000, False)])
def test_silence_counts_from_the_first_test_on(tmp_path, record, seconds, in_time):
    (tmp_path / "record").write_text(record)
    process = subprocess.Popen(["sleep", str(seconds)])
    end = session.watch(process, tmp_path / "record", quiet_seconds=0.1)
    assert (end.in_time, end.status) == (in_time, 0 if in_time else -signal.SIGKILL)


@pytest.mark.slow
def test_a_file_that_cannot_be_loaded_is_an_error(tmp_path):
    with pytest.raises(suites.SuiteError, match="outside any test"):
        run(tmp_path, "import no_such_module", interpreter="stock")


KERNELS = """
    import unittest
    import jax, jax.numpy as jnp
    from jax.experimental import pallas as pl

    def double(x_ref, o_ref): o_ref[...] = x_ref[...] * 2
    def nothing(x_ref, o_ref): pass
    def complex_sum(x_ref, o_ref): o_ref[...] = x_ref[...] + 1j

    def call(kernel, dtype=jnp.float32, interpret=True):
        x = jnp.ones(8, dtype)
        return jax.block_until_ready(pl.pallas_call(kernel, out_shape=x, interpret=interpret)(x))

    class SoftmaxInterpretTest(unittest.TestCase):
        INTERPRET = True
        def test_runs(self): self.assertEqual(call(double)[0], 2)
        def test_again(self): self.assertEqual(call(double)[0], 2)
        def test_finding(self): call(nothing)
        def test_refused(self): call(complex_sum, jnp.complex64)
        def test_no_kernel(self): pass
        def test_lifted(self):
            self.skipTest("Works only on GPU")
            self.assertEqual(call(double, interpret=False)[0], 2)
        def test_not_lifted(self): self.skipTest("Works only on Mars")
    """


@pytest.mark.slow
def test_kernels_are_counted_where_they_run(tmp_path):
    found = run(tmp_path, KERNELS)
    assert {test: (outcome.result, outcome.runs) for test, outcome in found.items()} == {
        "test_runs": ("passed", 1), "test_again": ("passed", 1), "test_finding": ("passed", 1),
        "test_refused": ("refused", 0), "test_no_kernel": ("passed", 0), "test_lifted": ("skipped", 0),
        "test_not_lifted": ("skipped", 0)}
    [finding] = found["test_finding"].findings
    assert "output-unwritten" in finding
    assert " tests/pallas/x_test.py" in finding  # and not where the checkout is


@pytest.mark.slow
def test_findings_may_fail_their_tests(tmp_path):
    assert run(tmp_path, KERNELS, findings="raise")["test_finding"].result == "failed"


@pytest.mark.slow
def test_kernels_run_where_they_are_told_to(tmp_path):
    """A device does not see what nobody wrote."""
    found = run(tmp_path, KERNELS, backend="emulator")
    assert {test: outcome.result for test, outcome in found.items() if outcome.runs} == {
        "test_runs": "passed", "test_again": "passed", "test_finding": "passed"}
    assert not any(outcome.findings for outcome in found.values())
    assert jax_suites.settings_of(jax_suites.parse(["--jax", "x", "--backend", "emulator"])).backend == "emulator"


@pytest.mark.slow
def test_lifted_tests_run_alone_and_without_their_skips(tmp_path):
    found = run(tmp_path, KERNELS, name="gpu_ops_test", lifted=True)
    assert found["test_lifted"] == Outcome(
        "tests/pallas/gpu_ops_test.py::SoftmaxInterpretTest::test_lifted", "passed", runs=1, lift="softmax",
        seconds=found["test_lifted"].seconds)
    assert found["test_not_lifted"].message == "Works only on Mars"


def test_progress_is_told_while_a_file_runs(tmp_path):
    lines = [{"event": "collected", "tests": 5}, {"event": "start", "test": A}, {"event": "end", "test": A}]
    (tmp_path / "record").write_text("\n".join(map(json.dumps, lines)) + '\n{"event": "collec')
    assert session.progress_of(tmp_path / "record") == "1 of 5 tests"


# -- the tests of Mosaic GPU --

GPU_TESTS = """
    import unittest
    import jax, jax.numpy as jnp
    from jax._src import test_util as jtu
    from jax.experimental.pallas import mosaic_gpu as plgpu

    def double(x_ref, o_ref): o_ref[...] = x_ref[...] * 2
    def raw(x_ref, o_ref):
        plgpu.inline_mgpu(arg_types=())(lambda ctx: ctx.cluster_idx())()

    def call(body):
        x = jnp.ones(128)
        return jax.block_until_ready(plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype))(x))

    class PallasCallTest(unittest.TestCase):
        def test_runs(self): self.assertEqual(call(double)[0], 2)
        def test_refused(self): call(raw)
        def test_hopper(self):
            self.assertTrue(jtu.is_cuda_compute_capability_equal("9.0") and jtu.test_device_matches(["cuda"]))
            self.assertFalse(jtu.is_cuda_compute_capability_equal("10.0") or jtu.test_device_matches(["rocm"]))
        def test_the_device(self): self.assertEqual((jax.devices()[0].core_count, len(jax.devices())), (132, 2))
        def test_line_info(self): self.fail()
        def test_skips(self): self.skipTest("not here")

    class PallasCallTCGen05Test(unittest.TestCase, jtu.CudaArchSpecificTest):
        def test_blackwell(self):
            self.skip_unless_tcgen05()
            self.assertFalse(jtu.is_cuda_compute_capability_equal("9.0"))
    """


@pytest.mark.slow
def test_tests_of_gpus_find_one(tmp_path):
    found = run(tmp_path, GPU_TESTS, name="mosaic_gpu_test", lifted=True, gpu=True)
    assert {test: outcome.result for test, outcome in found.items()} == {
        "test_runs": "passed", "test_refused": "refused", "test_hopper": "passed", "test_the_device": "passed",
        "test_line_info": "unjudged", "test_skips": "skipped", "test_blackwell": "passed"}
    assert found["test_refused"].refusal == (
        "inline_mgpu_p: the inserted code uses ctx.cluster_idx, which has no counterpart here; inline_effects can say what it does")
    assert found["test_line_info"].message == lifts.PTX
    [calls] = [one for one in report.lift_reports(session.Session("mosaic_gpu_test", found), gpu=True) if one.lift.name == "PallasCallTest"]
    assert (calls.counts.tests, calls.counts.passed, calls.counts.refused, calls.unjudged, calls.skipped) == (4, 3, 1, 1, 1)


@pytest.mark.slow
def test_some_tests_of_a_file_can_be_chosen(tmp_path):
    found = run(tmp_path, GPU_TESTS, name="mosaic_gpu_test", lifted=True, gpu=True, tests="*::test_r*")
    assert set(found) == {"test_runs", "test_refused"}


def test_generations_are_told_by_the_name_of_the_test():
    machine = gpu_answers.Machine()
    for name, hopper in (("a.py::T::test", True), ("a.py::TCGen05Test::test", False)):
        machine.test = name
        assert (machine.is_of("9.0"), machine.is_of("10.0"), machine.is_of("8.0")) == (hopper, not hopper, False)


def test_too_much_shared_memory_is_an_error_of_jax():
    class Refused(Exception):
        def __init__(self, message):
            super().__init__(f"k.py:3: run_scoped: {message}")
            self.message = message

    gpu_answers.answer_for_memory(Refused)
    with pytest.raises(ValueError, match="a block has less .Mosaic GPU kernel exceeds available shared memory") as raised:
        raise Refused("shared_memory: a block has less")
    assert isinstance(raised.value, Refused)
    assert not isinstance(Refused("memory with tiles of tiles is not supported"), ValueError)


def test_tests_of_gpus_run_on_the_cpu_only():
    def of_gpus(*options):
        return [kind[0] for kind in jax_suites.sessions_of(jax_suites.parse(["--jax", "x", *options])) if kind[2] == jax_suites.GPU]

    assert sorted(of_gpus()) == sorted(lifts.GPU_FILES)
    assert of_gpus("--no-gpu") == of_gpus("--no-lifted") == of_gpus("--backend", "emulator") == []


def test_a_file_may_have_lifted_tests_of_both_kinds():
    kinds = [kind for kind in jax_suites.sessions_of(jax_suites.parse(["--jax", "x", "--files", "pallas_test"]))]
    assert [lifted for _, _, lifted in kinds] == ["", jax_suites.LIFTED, jax_suites.GPU]
    for gpu in (False, True):
        assert {lift.sake == lifts.GPU for lift in lifts.lifts_of("pallas_test.py::PallasMGPUTest::test_add_one", gpu)} <= {gpu}




# -- smaller arrays --


def test_arrays_are_drawn_shorter(monkeypatch):
    random = types.SimpleNamespace(normal=lambda key, shape=(), dtype=None: shape, uniform=len, randint=len)
    monkeypatch.setattr(smaller.importlib, "import_module", lambda name: random)
    smaller.install("some_test")
    assert random.normal(0, (4096, 8)) == (4096, 8)
    smaller.install("mgpu_attention_test")
    assert random.normal(0, (4096, 8)) == (512, 8) and random.normal(0, shape=(3,)) == (3,) and random.normal(0) == ()


def test_extents_of_a_module_are_shorter():
    def sample_inputs(key, m, k, n, groups, dtype="f16"):
        return key, m, k, n, groups, dtype

    module = types.SimpleNamespace(__name__="tests.mgpu_ragged_dot_test", sample_inputs=sample_inputs)
    for _ in range(2):
        smaller.adapt(module)
    assert module.sample_inputs(1, 16384, 2048, 64, 3, dtype="bf16") == (1, 512, 512, 64, 3, "bf16")
    other = types.SimpleNamespace(__name__="tests.other_test", sample_inputs=sample_inputs)
    smaller.adapt(other)
    assert other.sample_inputs is sample_inputs


def test_a_product_may_differ_by_one_unit(monkeypatch):
    import jax.numpy as jnp
    import numpy as np
    from jax.lax import DotAlgorithmPreset

    for module, name in ((jnp, "dot"), (np.testing, "assert_allclose")):
        monkeypatch.setattr(module, name, getattr(module, name))  # so that it is put back
    smaller._compare_by_units()
    a = np.full((2, 2), 3, np.float16)
    product = jnp.dot(a, a, precision=DotAlgorithmPreset.F16_F16_F32)
    assert product.dtype == np.float16 and (np.asarray(product) == 18).all()
    np.testing.assert_allclose(np.float16(1024), np.float16(1025))
    for ours, theirs in ((np.float16(1024), np.float16(1028)), (np.float32(1), np.float32(1.001))):
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(ours, theirs)


# -- refusals --

MMA, CLUSTER = ("Calls", "wgmma: none"), ("Calls", "copy: a cluster")


def test_the_table_of_refusals_is_read_as_it_is_written():
    table = {MMA: 3, CLUSTER: 7, ("Other", "wgmma: none"): 1}
    text = refusals.text(table)
    assert refusals.read(text) == table
    assert [line.split("\t")[1] for line in text.splitlines() if not line.startswith("#")] == ["7", "3", "1"]


@pytest.mark.parametrize("line", ["Calls\tmany\twhy", "Calls\t3", "Calls\t3\t"])
def test_bad_rows_of_refusals_are_told_with_their_line(line):
    with pytest.raises(suites.SuiteError, match="refusals.tsv:2: a row is"):
        refusals.read(f"# comment\n{line}\n")


def test_refusals_are_counted_by_lift_and_reason():
    some = [Outcome(A, "refused", refusal="wgmma: none", lift="Calls"), Outcome(B, "refused", refusal="wgmma: none", lift="Calls"),
            Outcome(A, "passed", lift="Calls")]
    assert refusals.count(some) == {MMA: 2}


def test_each_other_number_of_refusals_is_a_problem():
    wanted = {MMA: 3, ("Other", "wgmma: none"): 1}
    assert refusals.judge({MMA: 3}, wanted, ["Calls"]) == []
    assert refusals.judge({MMA: 2, CLUSTER: 1}, wanted, ["Calls"]) == [
        "Calls: 1 tests are refused, where 0 are expected: copy: a cluster",
        "Calls: 2 tests are refused, where 3 are expected: wgmma: none"]
    assert refusals.replaced(wanted, {CLUSTER: 1}, ["Calls"]) == {CLUSTER: 1, ("Other", "wgmma: none"): 1}


def test_the_table_of_refusals_names_lifts():
    names = {lift.name for lift in lifts.GPU_LIFTS}
    assert {lift for lift, _ in refusals.read(refusals.REFUSALS.read_text())} <= names


@pytest.mark.parametrize("write", [False, True])
def test_a_run_is_judged_by_the_table_or_writes_it(write, tmp_path, monkeypatch):
    table = tmp_path / "refusals.tsv"
    table.write_text(refusals.text({("PallasCallTest", "wgmma: none"): 1}))
    monkeypatch.setattr(refusals, "REFUSALS", table)
    [calls] = [lift for lift in lifts.LIFTS if lift.name == "PallasCallTest"]
    whole = report.Report(STRICT, lifted=[report.LiftReport(calls, report.Counts(2, 0, 0, 2, 0, 0))],
                          refusals={("PallasCallTest", "wgmma: none"): 2})
    jax_suites.judge_refusals(whole, write)
    assert len(whole.problems()) == (0 if write else 1)
    assert refusals.read(table.read_text())["PallasCallTest", "wgmma: none"] == (2 if write else 1)
    assert "     2  wgmma: none" in report.text(whole)


@pytest.mark.parametrize("pattern, problems", [("*", True), ("*::PallasCallTest::*", False)])
def test_lifts_that_are_left_out_are_not_missed(pattern, problems):
    options = jax_suites.parse(["--jax", "x", "--files", "mosaic_gpu_test", "--tests", pattern])
    test = Outcome("tests/pallas/mosaic_gpu_test.py::PallasCallTest::test_a", "passed", runs=1, lift="PallasCallTest")
    done = {("mosaic_gpu_test", "tilegrind", jax_suites.GPU): session.Session("mosaic_gpu_test", outcomes(test))}
    result = jax_suites.make_report(options, done)
    assert [one.lift.name for one in result.lifted if one.counts.tests] == ["PallasCallTest"]
    assert problems == any("no test of it ran" in line for line in result.problems())


def test_rows_of_tests_that_are_left_out_are_not_judged():
    some = rows(("lifted", "failure", "x_test.py::T::test_a", "why"), ("lifted", "failure", "x_test.py::T::test_b", "why"))
    done = {("x_test", "tilegrind", jax_suites.LIFTED): session.Session("x_test", outcomes(Outcome(A, "failed")))}
    options = jax_suites.parse(["--jax", "x", "--tests", "*test_a"])
    assert jax_suites.rows_to_judge(options, some, done) == some[:1]
    assert jax_suites.rows_to_judge(jax_suites.parse(["--jax", "x"]), some, done) == some


# -- answers for JAX's tests of its TPU interpreter --

COPY = "kernel k, load at a/b.py:65 (T.test.<locals>.k): dma-in-flight: load reads t_ref[0, 0], which a copy may still be writing"
RACE = "kernel _, program (0, 1), dma_start at a.py:1 (f.<locals>.<lambda>): race: program (0) writes x[0], program (1) reads it: so"
UNWRITTEN = "kernel k at a.py:3 (k): output-unwritten: no program wrote 8 of the 16 elements: the first is o[1]"


def outside(op):
    return f"FAILED_PRECONDITION: kernel k, {op} at a.py:4 (k): access-outside-ref: {op} reaches index 9 in dimension 0"


def test_kinds_are_read_from_findings():
    assert tpu_answers.kinds_in(f"{COPY}\n{RACE}\n{UNWRITTEN}") == {"dma-in-flight", "race", "output-unwritten"}
    assert tpu_answers.kinds_in("kernel panic: access-outside of race: no") == set()
    assert tpu_answers.kinds_in("") == set()


def test_races_are_those_of_the_last_kernel():
    count = [0]
    races = tpu_answers.Races(lambda: count[0])
    for texts, wanted in [((), False), ((UNWRITTEN,), False), ((UNWRITTEN, RACE), True), ((), False), ((COPY,), True)]:
        count[0] += 1
        for text in texts:
            races.hear(text)
        assert races.races_found == wanted


@pytest.mark.parametrize("op, words", [
    ("load", "Out-of-bounds read"), ("store", "Out-of-bounds write, Out-of-bounds masked swap"),
    ("view", "Out-of-bounds read or Out-of-bounds write"), ("semaphore_signal", ""),
])
def test_accesses_have_the_words_of_jax(op, words):
    assert tpu_answers.words_for(outside(op)) == words


def test_other_findings_have_none():
    assert tpu_answers.words_for(f"{COPY}\n{UNWRITTEN}") == ""
    assert tpu_answers.words_for("Out of memory") == ""


def test_words_for_blocks():
    text = "kernel k, program (3) at a.py:174 (k): block-outside-array: the index map of x_ref gives 4 for dimension 0"
    assert re.search("Out-of-bounds block index .* for input", tpu_answers.words_for(text))


def test_words_for_blocks_that_are_come_back_to():
    text = ("kernel k, program (2, 0) at a.py:120 (k): block-revisited: the block of o2_ref, output 1, with o2_ref[0, 0] is left "
            "and come back to, and this visit does not write all of it")
    assert re.search(r"Revisited block .* of output 1 in iteration \(2, 0\)", tpu_answers.words_for(text))


@pytest.mark.parametrize("text, words", [
    ("k.py:3: run_scoped: memory that blocks share along 'c0' is not supported", "Collective allocations along cluster axes are not supported."),
    ("run_scoped: memory is to be shared along 'u', but the mesh has no such axis", "Collective axis `u` not found among axes `['c0', 'c1', 't']`"),
    ("barrier_arrive: one of the (2,) barriers must be named", "Attempting to operate on barrier without indexing"),
    ("core_map: a warp cannot use an array of its thread", "Can only close over scalars and Refs"),
    ("inline_mgpu_p: a warp has no arrays, and this one has shape (128,); more", "inline_mgpu in a single-warp context only supports scalar "
     "return types. Got shape=(128,)."),
])
def test_refusals_have_the_words_of_jax(text, words):
    assert tpu_answers.words_for_refusal(text).startswith(words)
    assert tpu_answers.words_for_refusal("run_scoped: memory with tiles of tiles is not supported") == ""


def test_tests_that_want_a_refusal_need_no_run():
    name = f"tests/pallas/{suites.REFUSALS[0]}0"
    some = outcomes(Outcome(name, "passed"), Outcome(B, "passed"))
    judged = jax_suites.with_executions(some, {name: "tpu", B: "tpu"})
    assert (judged[name].result, judged[B].result) == ("passed", "not executed")
