"""Pairs of the corpus of defects under `check()`: the broken kernels give what they should, the repaired ones nothing."""

import sys
from pathlib import Path

import pytest
import tilegrind.pallas as tp

sys.path.append(str(Path(__file__).resolve().parents[2] / "conformance" / "defects"))

import corpus  # noqa: E402

GROUPS = ("sequential_grid", "overlapping_blocks", "same_value", "masks", "index_maps", "unwritten", "accumulators",
          "padding", "undefined_control", "delicate", "copies")
PAIRS = {pair.label: pair for group in GROUPS for pair in corpus.load([group])[:3]}


def check(function, inputs):
    """The kinds of what is found in a call, of whatever level."""
    with tp.check(on_finding="collect", grid_semantics="parallel", shuffles=3, interleavings=2) as checked:
        function(*inputs)
    assert checked.refused == [] and checked.runs == 1
    return {finding.kind for finding in checked.findings}


@pytest.mark.parametrize("label", PAIRS)
def test_pair(label):
    pair = PAIRS[label]
    expected = {finding.kind for finding in pair.finds}
    found = check(pair.broken, pair.inputs)
    assert expected <= found <= expected | set(pair.also) | {"order-dependence"}
    assert check(pair.repaired, pair.inputs) == set()
