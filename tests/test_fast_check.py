"""The check of profile fast: what it calls equal, within its bound, outside of it, and beyond judgement."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = Path(os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind")))
sys.path.insert(0, str(ROOT))

from conformance import error_bound, fast_check  # noqa: E402

N = 64


def judge(got, exact, bound):
    got = np.array(got, np.float32)
    return fast_check.judge(got, np.full_like(got, 12345), np.array(exact, float), np.array(bound, float)).verdict


def test_elements_are_held_to_their_own_bounds():
    assert judge([1.0, 2.0], [1.0, 2.25], [0.0, 0.25]) == "within"
    assert judge([1.0, 2.0], [1.0, 2.25], [0.25, 0.2]) == "outside"
    assert judge([1.0, np.nan], [1.0, 2.0], [0.25, 0.25]) == "outside"
    assert judge([1.0, 2.0], [1.0, 2.0], [0.0, np.inf]) == "unjudged"


def test_what_may_be_beyond_the_greatest_number_may_be_infinite():
    most = float(np.finfo(np.float32).max)
    assert judge([np.inf], [most], [most * 1e-6]) == "within"
    assert judge([-np.inf], [most], [most * 1e-6]) == "outside"
    assert judge([np.inf], [most / 2], [most * 1e-6]) == "outside"


def test_every_row_of_the_table_has_a_bound():
    rows = (ROOT / "gpu_backend" / "elementwise" / "fast.def").read_text().count("\nTG_PTX_FAST(")
    bounds = error_bound.fast_bounds()
    assert rows == len(bounds) == 9
    assert bounds["tanh"].dtypes == ("f16", "bf16") and bounds["exp"].by_operand > 2.0**-23


def kernel(ops, dtype="f32"):
    whole = [["slice", 0, N, 1], ["slice", 0, N, 1]]
    block = f"{dtype}[{N},{N}]"
    body = [{"op": "load", "in": [0], "out": [{"id": 3, "type": block}], "index": whole},
            {"op": "load", "in": [1], "out": [{"id": 4, "type": block}], "index": whole},
            *ops(block),
            {"op": "store", "in": [2, 9], "index": whole}]
    params = [{"name": n, "role": "output" if n == "o" else "input", "type": block} for n in "xyo"]
    args = [{"id": i, "type": f"ref<{block}>"} for i in range(3)]
    return {"tilegrind": "0.1", "kernels": [{"name": "k", "grid": [], "params": params,
                                             "body": {"args": args, "ops": body}}]}


def case_of(folder, ops):
    rng = np.random.default_rng(1)
    (folder / "kernel.json").write_text(json.dumps(kernel(ops)))
    (folder / "case.json").write_text("{}")
    np.savez(folder / "inputs.npz", **{name: rng.standard_normal((N, N), np.float32) for name in "xy"})
    return folder


def dot(block):
    return [{"op": "dot_general", "in": [3, 4], "out": [{"id": 9, "type": block}], "lhs_contract": [1],
             "rhs_contract": [0], "lhs_batch": [], "rhs_batch": []}]


def softened(block):
    return [{"op": "exp", "in": [3], "out": [{"id": 5, "type": block}]},
            {"op": "div", "in": [4, 5], "out": [{"id": 9, "type": block}]}]


def total(block):
    return [{"op": "add", "in": [3, 4], "out": [{"id": 9, "type": block}]}]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ops", [dot, softened])
def test_kernels_are_within_their_bounds(tmp_path, ops, seed):
    found = fast_check.check(TILEGRIND, case_of(tmp_path, ops), seed)
    assert found.verdict == "within" and 0 < found.share <= 1, found


def test_kernels_that_approximate_nothing_have_equal_bits(tmp_path):
    assert fast_check.check(TILEGRIND, case_of(tmp_path, total), 1).verdict == "equal"


def test_the_bound_of_profile_reference_is_too_narrow_for_fast_products(tmp_path, monkeypatch):
    """So the check would see a product that is wrong in tf32's last bits, were it not allowed to be."""
    narrow = error_bound.evaluate
    monkeypatch.setattr(error_bound, "evaluate", lambda *given, is_fast: narrow(*given))
    assert fast_check.check(TILEGRIND, case_of(tmp_path, dot), 0).verdict == "outside"
