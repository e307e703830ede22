"""The calls on the way to a finding's line, those of libraries folded."""

import importlib
import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
import tilegrind
import tilegrind.pallas as tp
from jax.experimental import pallas as pl
from tilegrind.pallas.tracing import sources

X = jnp.arange(4, dtype=jnp.float32)
HERE = sources._shown(__file__)

# A library: its kernel loads behind the array, in a function of its own.
LIBRARY = """
import jax
from jax.experimental import pallas as pl

def load(x_ref, i):
    return x_ref[pl.ds(i + 2, 4)]  # outside

def kernel(x_ref, o_ref):
    o_ref[...] = load(x_ref, pl.program_id(0))

def copy(x):
    return pl.pallas_call(kernel, grid=(1,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)  # call
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """The library as if it were installed."""
    folder = tmp_path / "site-packages" / "somebodys"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "copies.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder.parent))
    yield importlib.import_module("somebodys.copies")
    for name in ("somebodys.copies", "somebodys"):
        sys.modules.pop(name)


def fetch(x_ref, i):
    return x_ref[pl.ds(i + 2, 4)]  # fetch


def outside(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)  # when
    def _():
        o_ref[...] = fetch(x_ref, pl.program_id(0))  # inside


def launch(x):
    return pl.pallas_call(outside, grid=(1,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)  # launch


def line_of(mark):
    with open(__file__, encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1) if line.endswith(f"  # {mark}\n"))


def the_finding(function):
    with tp.check(on_finding="collect", checks="none", orders=False) as checked:
        function(X)
    finding, = checked.findings
    assert finding.kind == "access-outside-ref"
    return finding


def lines(finding):
    """Lines of this file only, from the inside outwards, as far as this test."""
    return [caller.line for caller in finding.callers if caller.file == HERE]


@pytest.mark.parametrize("transform", [lambda function: function, jax.jit, lambda function: jax.jit(jax.jit(function))])
def test_calls_of_the_users(transform):
    finding = the_finding(lambda x: transform(launch)(x))  # test
    assert (finding.file, finding.line, finding.function) == (HERE, line_of("fetch"), "fetch")
    expected = [line_of(mark) for mark in ("inside", "when", "launch", "test")]
    assert lines(finding)[: len(expected)] == expected
    assert finding.callers[0].skipped == "" and finding.callers[0].function.endswith("outside.<locals>._")


def test_a_library_is_folded(library):
    """The finding is in its line; the user's own line is the first of the callers."""
    finding = the_finding(lambda x: library.copy(x))  # library
    assert finding.file.endswith("somebodys/copies.py") and finding.function == "load"
    assert finding.callers[0].line == line_of("library")
    assert finding.callers[0].skipped == "2 frames in somebodys"
    assert not any("site-packages" in caller.file for caller in finding.callers)


def test_frames_at_the_outside_are_left_out():
    """Who runs the test is no business of the finding."""
    finding = the_finding(launch)
    assert finding.callers[-1].file == HERE and finding.callers[-1].function == "test_frames_at_the_outside_are_left_out"


def test_exports_know_calls_inside_of_what_they_trace():
    module = tp.export(jax.jit(lambda x: launch(x) + 1), X).json()  # export
    locations = module["locations"]
    for number, at in enumerate(locations, 1):
        assert at.get("caller", 0) < number
    (fetched,) = [at for at in locations if at["line"] == line_of("fetch")]
    chain = []
    while "caller" in fetched:
        fetched = locations[fetched["caller"] - 1]
        chain.append(fetched["line"])
    assert chain[:4] == [line_of(mark) for mark in ("inside", "when", "launch", "export")]
    assert len({json.dumps(at) for at in locations}) == len(locations)  # each one once


def test_as_text(tmp_path):
    finding = the_finding(launch)
    shown = [line for line in str(finding).splitlines() if "called from" in line]
    assert shown[0] == f"   = called from {HERE}:{line_of('inside')} in outside.<locals>._" and len(shown) == len(finding.callers)
    assert repr(finding).count("called from") == 0


def test_calls_are_told_once(tmp_path):
    """The command and Python tell the same; the second of two findings has nothing to add."""
    def twice(x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(pl.program_id(0) + 2, 4)]
        o_ref[...] = x_ref[pl.ds(pl.program_id(0) + 3, 4)]

    def call(x):
        return pl.pallas_call(twice, grid=(1,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    with tp.check(on_finding="collect", checks="none", orders=False, save=tmp_path) as checked:
        call(X)
    command = [os.environ["TILEGRIND"], "run", checked.cases[0]]
    told = subprocess.run(command, capture_output=True, text=True).stdout
    error = str(tp.FindingError(checked.findings))
    for text in (told, error):
        assert [line for line in text.splitlines() if "called from" in line] == [
            line for line in str(checked.findings[0]).splitlines() if "called from" in line]
    assert checked.findings[0].callers == checked.findings[1].callers
    report = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True).stdout)
    callers = report["runs"][0]["findings"][0]["callers"]
    assert [(caller["file"], caller["line"]) for caller in callers] == [(c.file, c.line) for c in checked.findings[0].callers]
    subprocess.run([*command, "--sarif", tmp_path / "log.sarif"], capture_output=True)
    result = json.loads((tmp_path / "log.sarif").read_text())["runs"][0]["results"][0]
    frames = [frame["location"]["physicalLocation"]["region"]["startLine"] for frame in result["stacks"][0]["frames"]]
    assert frames == [checked.findings[0].line, *(caller["line"] for caller in callers)]


@pytest.mark.parametrize("at, message", [
    ({"caller": 1}, "locations/0/caller"), ({"caller": 0}, "locations/0/caller"), ({"skipped": "2 frames"}, 'it goes with "caller"'),
    ({"caller": "k"}, "locations/0/caller")])
def test_locations_that_are_wrong(at, message):
    tree = tp.export(launch, X).json()
    tree["locations"][0].update(at)
    with pytest.raises(tilegrind.Error, match=message):
        tilegrind.loads(json.dumps(tree))


def test_locations_survive_canonical_json():
    text = tilegrind.loads(tp.export(launch, X).dumps()).to_json()
    assert json.loads(text)["locations"] == tp.export(launch, X).json()["locations"]
