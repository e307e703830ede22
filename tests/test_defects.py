"""The corpus of defects: that it is consistent, and how findings are held against what it expects."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
sys.path.insert(0, str(ROOT))

from conformance.defects import alike, corpus, document, judge, layout_kernels, pair_cases, reports, times, triton_kernels  # noqa: E402

# Other folders have a run.py as well.
_spec = importlib.util.spec_from_file_location("run_defects", ROOT / "conformance" / "defects" / "run.py")
run = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run)

KERNEL = {"params": [{"name": "x_ref", "type": "f32[2,3]"}, {"name": "o_ref", "type": "f32[4]"}]}


def broken():
    first = 1  # <first>
    second = 2  # <second>
    third = 3  # <third>
    return first + second + third


def repaired():
    return 0


LINE = corpus.marks_of(broken)


def pair(*finds, also=(), name="pair", **more):
    return corpus.Pair("class", name, "why", None, finds, tuple(also), "xla", "any", (), broken, repaired, **more)


RACE = corpus.race("x_ref", (1, 1), ("first", (0,)), ("second", (1,)))
OUTSIDE = corpus.outside("first", (2,), "o_ref")


def race_told(lines=("first", "second"), programs=((0,), (1,)), elements=(4, 4), param="x_ref", kind="race"):
    one, two = ({"line": LINE[line], "program": list(program), "param": param}
                for line, program in zip(lines, programs))
    return {"kind": kind, **one, "related": [{"role": "conflicts with", **two}], "elements": list(elements)}


def outside_told(line="first", program=(2,), **more):
    return {"kind": "access-outside-ref", "param": "o_ref", "line": LINE[line], "program": list(program), **more}


def judged(case, broken_run, repaired_run=(), known=("race", "access-outside-ref")):
    return judge.judge(case, KERNEL, broken_run, repaired_run, known)


# -- the corpus itself --


def test_the_corpus_has_no_problems():
    pairs = corpus.load()
    assert corpus.problems(pairs) == []
    assert len(pairs) >= 120
    assert {pair.group for pair in pairs} == set(corpus.CLASSES)


def test_waiting_programs_and_other_orders_have_pairs_enough():
    pairs = corpus.load()
    assert sum(pair.group in ("waiting", "locks_and_barriers", "residence") for pair in pairs) >= 16
    assert sum(pair.group == "orders" for pair in pairs) >= 10
    assert all(pair.by_check for pair in pairs if pair.group == "orders")
    assert sum(any(finding.kind == "assumes-resident" for finding in pair.finds) for pair in pairs) >= 3


def test_repaired_kernels_of_programs_that_wait_wait(tmp_path):
    """In a loop on memory that others write."""
    pairs = corpus.load(["waiting", "locks_and_barriers", "residence"])
    for label, cases in pair_cases.write_all(pairs, tmp_path).items():
        kernel, = json.loads((cases.repaired / "kernel.json").read_text())["kernels"]
        loops = [op for op in ops_of(kernel) if op["op"] == "while"]
        assert any(op["op"] in ("atomic_rmw", "atomic_cas", "semaphore_read") for loop in loops for op in ops_of(loop)), label


def ops_of(value):
    """All ops inside of what JSON holds, in whatever regions."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        if isinstance(one, dict) and isinstance(one.get("op"), str):
            yield one
        yield from ops_of(one)


def test_the_document_is_that_of_the_corpus():
    assert document.FILE.read_text(encoding="utf-8") == document.text(corpus.load())


def test_kinds_that_exist_are_spelled_as_they_are():
    """The corpus may run ahead of the detectors, but not along another way."""
    known = run.kinds()
    assert {"access-outside-ref", "block-outside-array", "output-unwritten"} <= known
    expected = {finding.kind for pair in corpus.load() for finding in pair.finds}
    assert {"access-outside-ref", "block-outside-array", "output-unwritten", "division-by-zero", "shift-too-far",
            "check-failed"} <= expected & known


def test_marks_are_lines():
    assert LINE["second"] == LINE["first"] + 1
    with pytest.raises(corpus.CorpusError, match="<twice> stands on two lines"):
        corpus.marks_of(with_a_mark_twice)


def with_a_mark_twice():
    one = 1  # <twice>
    return one  # <twice>


@pytest.mark.parametrize("case, problem", [
    (pair(OUTSIDE), "nothing names <second>"),
    (pair(RACE, corpus.outside("fourth", (0,), "o_ref")), "no line is marked <fourth>"),
    (pair(), "nothing is expected"),
])
def test_what_is_wrong_with_a_pair_is_told(case, problem):
    assert any(problem in text for text in corpus.problems([case]))


def test_a_pair_that_is_right_has_no_problem():
    assert corpus.problems([pair(RACE, corpus.outside("third", (0,), "o_ref"))]) == []


# -- one pair --


def test_a_race_is_found_from_either_side():
    other_way = race_told(lines=("second", "first"), programs=((1,), (0,)))
    for finding in (race_told(), other_way):
        verdict = judged(pair(RACE), [finding])
        assert (verdict.found, verdict.right, verdict.passed) == (1, 1, True)


@pytest.mark.parametrize("wrong", [
    race_told(programs=((0,), (2,))),
    race_told(programs=((1,), (0,))),
    race_told(elements=(3, 4)),
    race_told(param="o_ref"),
    race_told(lines=("first", "first")),
    {**race_told(), "related": []},
    {key: value for key, value in race_told().items() if key != "elements"},
])
def test_a_race_told_wrongly_is_missed_but_no_other_defect(wrong):
    verdict = judged(pair(RACE), [wrong])
    assert len(verdict.missed) == 1 and verdict.extra == [] and not verdict.passed


def test_a_race_on_another_line_is_no_part_of_the_defect():
    verdict = judged(pair(RACE), [race_told(), race_told(lines=("first", "third"))])
    assert verdict.found == 1 and len(verdict.extra) == 1 and not verdict.passed


def test_sides_of_other_findings_do_not_change_places():
    expected = corpus.undefined("o_ref", (2,), "second", (1,), "first")
    told = {"kind": "undefined-output", "param": "o_ref", "line": LINE["second"], "program": [1], "elements": [2, 3],
            "related": [{"role": "comes from", "line": LINE["first"], "program": [1]}]}
    turned = {**told, "line": LINE["first"],
              "related": [{"role": "comes from", "line": LINE["second"], "program": [1]}]}
    known = ["undefined-output"]
    assert judged(pair(expected), [told], known=known).passed
    assert not judged(pair(expected), [turned], known=known).passed


def test_an_alias_is_known_by_both_names():
    kernel = {"params": [*KERNEL["params"], {"name": "y_ref", "type": "f32[2,3]", "alias": "x_ref"}]}
    for param in ("x_ref", "y_ref"):
        assert judge.judge(pair(RACE), kernel, [race_told(param=param)], [], ["race"]).passed
    assert not judge.judge(pair(RACE), kernel, [race_told(param="o_ref")], [], ["race"]).passed


def test_several_marks_of_a_side_are_one_as_good_as_the_other():
    expected = corpus.race("x_ref", (1, 1), ("first|second", (0,)), ("third", (1,)))
    for line in ("first", "second"):
        assert judged(pair(expected), [race_told(lines=(line, "third"))]).passed


def test_a_finding_without_other_places_says_nothing_of_elements():
    expected = corpus.Finding("access-outside-ref", "first", (2,), "o_ref", (3,))
    assert judged(pair(expected), [outside_told()]).passed
    assert not judged(pair(expected), [outside_told(related=[])]).passed
    assert judged(pair(expected), [outside_told(related=[], elements=[3, 3])]).passed


def test_what_follows_from_a_defect_counts_neither_way():
    verdict = judged(pair(OUTSIDE, also=["race"]), [outside_told(), race_told()])
    assert verdict.passed and verdict.right == 1


def test_findings_on_the_repaired_kernel_are_false_but_notes_are_not():
    assert judged(pair(OUTSIDE), [outside_told()], [outside_told(level="warning")]).false != []
    assert judged(pair(OUTSIDE), [outside_told()], [race_told() | {"level": "note"}]).passed


def test_a_note_is_false_on_the_repaired_kernel_where_the_pair_is_about_it():
    verdict = judged(pair(OUTSIDE), [outside_told(level="note")], [outside_told(level="note")])
    assert (verdict.found, len(verdict.false)) == (1, 1)


def test_a_finding_that_says_something_else_is_another_one():
    case = pair(corpus.Finding("access-outside-ref", "first", None, says="operand 1"))
    verdict = judged(case, [outside_told(message="operand 0 of dot_general")])
    assert len(verdict.missed) == len(verdict.extra) == 1
    assert judged(case, [outside_told(message="operand 1 of dot_general")]).passed


def test_layouts_have_pairs_enough_of_every_kind():
    pairs = [pair for pair in corpus.load() if pair.group.startswith("layouts_")]
    kinds = [finding.kind for pair in pairs for finding in pair.finds]
    assert len(pairs) >= 40 and all(pair.write for pair in pairs)
    for kind in ("layout-mismatch", "layout-illegal", "layout-overlap", "undefined-output", "wrong-values"):
        assert kinds.count(kind) >= 3, kind


def test_ops_of_a_written_kernel_have_the_lines_that_ask_for_them():
    def twice(k):
        return k.loop(2, k.input("x", "f32[4]"),
                      lambda carry: k.same("neg", carry))

    content, inputs = layout_kernels.written(twice)
    first = twice.__code__.co_firstlineno
    kernel, = content["kernels"]
    lines = [content["locations"][op["loc"] - 1]["line"] - first for op in kernel["body"]["ops"]]
    assert lines == [1, 1, 1, 1] and content["locations"][0]["line"] == first
    inner, = kernel["body"]["ops"][-1]["regions"][0]["ops"]
    assert content["locations"][inner["loc"] - 1]["line"] == first + 2
    assert [array.shape for array in inputs] == [(4,)]


def test_wrong_values_of_a_broken_kernel_are_found(capsys):
    assert run.main(["--cli", TILEGRIND, "--only", "layouts_views/read-*", "--jobs", "1"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1.000", "1.000"] in [row[-2:] for row in rows if row and row[0] == "all"]


def test_a_kind_that_no_detector_tells_is_never_passed():
    verdict = judged(pair(RACE), [], known=["access-outside-ref"])
    assert "no detector for race" in verdict.not_yet
    assert verdict.missed == [] and not verdict.passed


def test_an_element_that_the_parameter_does_not_have_is_refused():
    with pytest.raises(ValueError, match="has no element"):
        judged(pair(corpus.Finding("race", "first", (0,), "x_ref", (2, 0))), [])


# -- the table --


def test_scores():
    verdicts = [judged(pair(RACE), [race_told()]), judged(pair(RACE), [race_told(elements=(5, 5))]),
                judged(pair(OUTSIDE), [outside_told(), race_told()], [outside_told()]),
                judged(pair(RACE), [], known=[])]
    score = judge.scores(verdicts)["all"]
    assert (score.pairs, score.found, score.missed, score.not_yet) == (4, 2, 1, 1)
    assert score.recall == 2 / 3
    assert score.precision == 3 / 5


def test_a_class_without_runs_has_no_ratio(capsys):
    assert not run.show([judged(pair(RACE), [], known=[])])
    row = capsys.readouterr().out.splitlines()[-1].split()
    assert row == ["all", "1", "0", "0", "0", "0", "1", "-", "-"]


def test_a_pair_of_the_corpus_is_found(capsys):
    assert run.main(["--cli", TILEGRIND, "--only", "masks/load-without-mask", "--jobs", "1"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1.000", "1.000"] in [row[-2:] for row in rows if row and row[0] == "all"]


def test_a_verdict_that_takes_too_long_is_told(capsys):
    quick, slow = (judge.Verdict(pair(OUTSIDE, name=name), seconds=seconds) for name, seconds in (("quick", 4.9), ("slow", 5.1)))
    assert run.are_quick([quick])
    assert "class/quick, took 4.90 s" in capsys.readouterr().out
    assert not run.are_quick([quick, slow])
    assert "class/slow: 5.1 s, 5 s are the most" in capsys.readouterr().out


@pytest.mark.parametrize("seconds, is_short", [([0.5, 9.9], True), ([0.5, 10.1], False), ([0.5, None], False), ([], False)])
def test_checks_that_take_too_long_are_told(seconds, is_short, monkeypatch, capsys):
    def seconds_of(cli, folder):
        if seconds[int(folder.name)] is None:
            raise reports.Failure(f"{folder}: no end after 60 s")
        return seconds[int(folder.name)]

    monkeypatch.setattr(times, "seconds_of", seconds_of)
    folders = [Path("kernels", str(number)) for number in range(len(seconds))]
    assert times.are_short("tilegrind", {"some kernels": folders}, 2) == is_short
    assert ("kernels/1: " in capsys.readouterr().out) == (len(folders) == 2 and not is_short)


def test_outputs_are_those_that_a_pair_states():
    assert pair_cases.outputs_of(pair(OUTSIDE, outputs=lambda: (1, 2)), ["o", "p"]) == [1, 2]
    assert pair_cases.outputs_of(pair(OUTSIDE, outputs=lambda: {"o": 1, "p": 2}), ["p"]) == [2]
    assert pair_cases.outputs_of(pair(OUTSIDE), ["o"]) == [0]


def test_outputs_other_than_those_of_jax_are_told():
    output = {"name": "o_ref", "expected": True, "agrees": False, "summary": "1 of 4 elements differs"}
    assert run.differences_of({"runs": [{"findings": [], "outputs": [output]}]}) == ["o_ref: 1 of 4 elements differs"]


def test_a_pattern_that_matches_nothing_is_wrong_usage(capsys):
    assert run.main(["--only", "nothing/*"]) == 2
    assert "no pair matches nothing/*" in capsys.readouterr().err


def test_pairs_are_listed(capsys):
    assert run.main(["--list", "--only", "scatter/*"]) == 0
    assert capsys.readouterr().out.startswith("scatter/two-rows-one-slot: ")


def test_what_an_order_may_add_to_a_race_is_what_its_read_finds():
    known = {"race", "undefined-output", "undefined-address", "output-unwritten"}
    assert alike.depends_on_order(pair(RACE), known) == {"undefined-output", "undefined-address"} | alike.BY_BEGINNING
    assert alike.depends_on_order(pair(OUTSIDE), known) == alike.BY_BEGINNING


def test_programs_that_use_an_undefined_value_first_or_meet_at_a_barrier_are_a_matter_of_order():
    def told(kind, program):
        return alike.told_alike({"findings": [{"kind": kind, "line": 3, "program": [program], "level": "error"}]}, set())

    assert told("undefined-output", 0) == told("undefined-output", 1)
    assert told("barrier-overrun", 0) == told("barrier-overrun", 1)
    assert told("race", 0) != told("race", 1)


def test_programs_that_synchronise_may_meet_elsewhere_and_not_at_all():
    def told(finding):
        return alike.told_alike({"findings": [finding] if finding else []}, set(), by_arrival=True)

    here, there = told(race_told()), told(race_told(lines=("second", "first"), programs=((3,), (2,)), elements=(5, 5)))
    assert here == there
    assert alike.is_alike(told(None), here, True) and not alike.is_alike(here, told(None), True)
    assert not alike.is_alike(told(None), told(outside_told()), True)
    assert not alike.is_alike(told(None), here, False)


HIDDEN = pair(RACE, by_check=True)


def reported(monkeypatch, by_order):
    """Reports of the runs of a case, by their order; of a check, None."""
    def run_in(command, folder):
        order = command[command.index("--order") + 1] if "--order" in command else None
        return {"findings": by_order.get(order, [])}

    monkeypatch.setattr(alike, "run", run_in)


@pytest.mark.parametrize("by_order, said", [
    ({None: [race_told() | {"order": "reversed"}], "reversed": [race_told()]}, []),
    ({None: [race_told() | {"order": "reversed"}]}, ["order reversed does not repeat race"]),
    ({None: [race_told() | {"order": "reversed"}], "reversed": [race_told(programs=((0,), (2,)))]}, ["order reversed does not repeat race"]),
    ({None: [race_told() | {"order": "reversed"}], "reversed": [race_told()], "sequential": [race_told()]},
     ["order sequential alone shows it: race"]),
])
def test_what_order_sequential_hides_another_one_shows_again(by_order, said, monkeypatch):
    reported(monkeypatch, by_order)
    found = alike.unlike_in_orders("tilegrind", HIDDEN, pair_cases.Cases(Path("broken"), Path("repaired-is-silent")), set())
    texts = [text for text in found if "repaired" not in text]
    assert len(texts) == len(said) and all(part in text for part, text in zip(said, texts))


def test_a_text_of_another_kernel_is_refused():
    pair, = (one for one in corpus.load(["triton_orders"]) if one.name == "raised-relaxed")
    launch = triton_kernels.LAUNCHES[pair.broken]
    assert f'loc("{pair.broken.__code__.co_filename}":{pair.marks()["put"]}' in launch.text()
    launch = triton_kernels.Launch(pair.broken, 2, pair.inputs[:2], {"out": 1})
    with pytest.raises(corpus.CorpusError, match="raised-relaxed.broken.ttir is not that of the kernel as it is"):
        launch.text()


def test_grids_and_inputs_of_triton_kernels():
    pair, = (one for one in corpus.load(["triton_counters"]) if one.name == "sum-of-scope-cta")
    content, inputs = triton_kernels.write(pair.repaired)
    kernel, = content["kernels"]
    assert [axis["size"] for axis in kernel["grid"]] == [1, 1, 4]
    assert [array.size for array in inputs] == [param["type"].endswith("[8]") * 7 + 1 for param in kernel["params"] if param["role"] == "input"]
    assert pair.outputs(*pair.inputs)["total"].tolist() == [28]
