"""Products of two warps whose operand B lacks copies that its instruction wants: which elements a physical run leaves undefined."""

import json

import numpy as np
import pytest

import tilegrind
from conformance.defects.layout_kernels import written
from conformance.defects.layouts_mma import B, mma

ALL, NONE, LEFT = slice(0, 16), slice(0, 0), slice(0, 8)


def product(b, layouts):
    """The product, the columns that are right, and the findings."""
    content, (x, y) = written(lambda k: mma(k, b=b))
    run = tilegrind.loads(json.dumps(content)).run({"a": x, "b": y}, layouts=layouts, checks="undefined")
    return run.outputs["o"], x.astype(np.float64) @ y.astype(np.float64), {finding.kind for finding in run.findings}


@pytest.mark.parametrize("b, right", [
    (B, ALL),
    ("(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane)", NONE),  # the second warp has none of it
    ("(2,4,2,2,8):(2@reg,1@lane,1@reg,1@warp,4@lane) + [2:1@warp]", LEFT),  # both warps have the left half, one of them the right one
    ("(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane) + [2:2@warp]", NONE)])  # the first warp and one that does not multiply
def test_elements_that_lack_a_copy_are_undefined_and_no_others(b, right):
    out, want, found = product(b, "physical")
    np.testing.assert_array_equal(out[:, right], want[:, right])
    others = np.ones(16, bool)
    others[right] = False
    assert np.isnan(out[:, others]).all() and found == ({"undefined-output"} if others.any() else set())


def test_a_logical_run_has_all_elements():
    out, want, found = product("(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane)", "logical")
    np.testing.assert_array_equal(out, want)
    assert found == set()
