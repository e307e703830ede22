"""The judge of TritonRaceBench, on rows of our own in the benchmark's form."""

import sys
import textwrap

import pytest

from conformance.triton import racebench

ROWS = """
    import numpy as np
    import triton
    import triton.language as tl
    from arrays import zeros
    from dataclasses import dataclass

    @dataclass
    class Row:
        name: str
        kernel_fn: object
        expected: str
        race_pair: tuple
        signature: dict
        constexprs: dict
        grid: tuple = (2,)

        def make_args(self, seed):
            return (zeros(8, dtype=np.int32),)

    class CORPUS:
        specs = []

    @triton.jit
    def write(x, STEP: tl.constexpr):
        pid = tl.program_id(0)
        tl.store(x + pid * STEP + tl.arange(0, 4), pid)

    @triton.jit
    def hang(x, STEP: tl.constexpr):
        at = tl.load(x).to(tl.int64)
        while at >= 0:
            at += STEP

    @triton.jit
    def wait(x, STEP: tl.constexpr):
        while tl.atomic_add(x, 0) < STEP:
            pass

    def add(name, kernel, expected, step, pair=None):
        CORPUS.specs.append(Row(name, kernel, expected, pair, {"x": "*i32", "STEP": "constexpr"}, {"STEP": step}))

    add("apart_no", write, "race-free", 4)
    add("together_yes", write, "race", 2, ("tl.store(x + pid",))
    add("together_wrong_line", write, "race", 2, ("pid = tl.program_id",))
    add("together_no", write, "race-free", 2)
    add("unlabelled", write, None, 2)
    add("hang", hang, "race-free", 1)
    add("wait", wait, "race-free", 1)
    add("refused", write, "race", "many")
"""


@pytest.fixture
def judged(tmp_path, monkeypatch, capsys):
    """The exit code and the table for rows whose names contain some text."""
    folder = tmp_path / "evaluation" / "kernels"
    folder.mkdir(parents=True)
    (folder / "tritonracebench.py").write_text(textwrap.dedent(ROWS))
    monkeypatch.setattr(racebench, "MOST_SECONDS", 5.0)
    yield lambda *names: (racebench.main([str(tmp_path), *names]), capsys.readouterr().out)
    for name in [one for one in sys.modules if one.split(".")[0] == "evaluation"]:
        del sys.modules[name]
    sys.path.remove(str(tmp_path))


def test_right_verdicts(judged):
    code, table = judged("apart_no", "together_yes", "unlabelled")
    assert code == 0
    assert "together_yes                             race       race       lines" in table
    assert "3 rows, 2 labelled, 2 verdicts as expected; precision 1.000, recall 1.000, lines 1 of 1" in table


def test_a_wrong_verdict_and_other_lines_fail(judged):
    code, table = judged("together_no")
    assert code == 1 and "WRONG" in table and "precision 0.000, recall -" in table
    code, table = judged("together_wrong_line")
    assert code == 1 and "OTHER LINES" in table and "lines 0 of 1" in table


def test_no_verdict(judged):
    code, table = judged("hang", "wait", "refused")
    assert code == 1
    for verdict in ("none in 5 s", "livelock", "CompilationError", "0 verdicts as expected"):
        assert verdict in table


def test_unknown_rows_are_refused(judged):
    with pytest.raises(SystemExit):
        judged("nothing")
