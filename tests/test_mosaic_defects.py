"""The corpus of defects of Mosaic GPU: a kernel that uses memory too early has wrong values in some order, not a finding alone."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import tilegrind  # noqa: E402
from conformance.defects import corpus, pair_cases  # noqa: E402

# The orders that `tilegrind check` runs by default.
ORDERS = ("sequential", "reversed", *(f"shuffled:{seed}" for seed in range(1, 9)), *(f"interleaved:{seed}" for seed in range(1, 5)))
TOO_EARLY = {"race", "dma-in-flight", "product-in-flight"}
PAIRS = [pair for pair in corpus.load() if pair.group.startswith("mosaic_")]
OF_TOO_EARLY_USE = [pair for pair in PAIRS if any(finding.kind in TOO_EARLY for finding in pair.finds)]
# Runs keep what is promised, and nobody waits for those who do not come to a collective op: no order has other values.
HIDDEN = {"wait-only-promised", "collective-diverged"}
WITHOUT_WRONG_VALUES = [pair for pair in PAIRS if {finding.kind for finding in pair.finds} <= HIDDEN]


def results(module, pair, order):
    names = [param.name for param in module.params() if param.role == "input"]
    return module.run(dict(zip(names, map(np.asarray, pair.inputs), strict=True)), order=order).outputs


def are_right(outputs, expected):
    return all(np.allclose(got, want, equal_nan=False) for got, want in zip(outputs.values(), expected, strict=True))


def test_there_are_pairs_enough():
    assert len(PAIRS) >= 60
    assert len(OF_TOO_EARLY_USE) >= 30
    assert len(WITHOUT_WRONG_VALUES) == 5


@pytest.mark.parametrize("pair", OF_TOO_EARLY_USE, ids=lambda pair: pair.label)
def test_memory_that_is_used_too_early_has_wrong_values(pair, tmp_path):
    [cases] = pair_cases.write_all([pair], tmp_path).values()
    expected = [np.asarray(output) for output in pair.outputs(*pair.inputs)]
    broken, repaired = (tilegrind.load(str(folder / "kernel.json")) for folder in (cases.broken, cases.repaired))
    assert all(are_right(results(repaired, pair, order), expected) for order in ORDERS)
    assert not all(are_right(results(broken, pair, order), expected) for order in ORDERS)


@pytest.mark.parametrize("pair", WITHOUT_WRONG_VALUES, ids=lambda pair: pair.label)
def test_what_runs_keep_has_no_wrong_values(pair, tmp_path):
    [cases] = pair_cases.write_all([pair], tmp_path).values()
    expected = [np.asarray(output) for output in pair.outputs(*pair.inputs)]
    broken = tilegrind.load(str(cases.broken / "kernel.json"))
    assert all(are_right(results(broken, pair, order), expected) for order in ORDERS)
