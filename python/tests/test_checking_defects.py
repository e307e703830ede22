"""Pairs of the corpus of defects under `check()`: the broken kernels give what they should, the repaired ones nothing."""

import sys
from pathlib import Path

import pytest
import tilegrind.pallas as tp
from jax.experimental import pallas as pl

sys.path.append(str(Path(__file__).resolve().parents[2]))

from conformance.defects import corpus  # noqa: E402
from conformance.defects.pair_cases import semantics_of  # noqa: E402

# Two pairs of each class whose kernels are called as Pallas programs.
PAIRS = {pair.label: pair for group in corpus.CLASSES if group != "revisits"
         for pair in [pair for pair in corpus.load([group]) if pair.dialect == "xla" and pair.write is None][:2]}


def kinds_of(pair):
    return {finding.kind for finding in pair.finds}


def check(function, pair):
    """The kinds of what is found in a call; of notes and advice those that the pair is about."""
    with pl.enable_debug_checks(), tp.check(checks=pair.checks, on_finding="collect", grid_semantics=semantics_of(pair),
                                            target=pair.target, shuffles=2,
                                            interleavings=4 if pair.by_check else 1) as checked:
        function(*pair.inputs)
    assert checked.refused == [] and checked.runs == 1
    return {finding.kind for finding in checked.findings
            if finding.level not in ("note", "advice") or finding.kind in kinds_of(pair)}


@pytest.mark.parametrize("label", PAIRS)
def test_pair(label):
    pair = PAIRS[label]
    expected = kinds_of(pair)
    found = check(pair.broken, pair)
    assert expected <= found <= expected | set(pair.also) | {"order-dependence"}
    assert check(pair.repaired, pair) == set()
