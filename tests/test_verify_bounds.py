"""verify_bounds: a slice of what it is for."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind")).resolve().parent / "verify_bounds"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without tests or MPFR")


@pytest.mark.parametrize("contract", ["reference", "ieee", "xla-cpu", "ptx-fast", "triton", "tpu", "tosa-1.0"])
def test_no_element_is_outside(contract):
    done = subprocess.run([PROGRAM, "--contract", contract, "--exact", "8", "0", "100"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    found = dict(pair.split("=") for pair in done.stdout.split())
    assert int(found["elements"]) == 100 * 16384 and found["outside"] == "0" and int(found["by_mpfr"]) > 100
    assert float(found["unbounded"]) < 0.4 and float(found["worst"]) > 0.5


def test_tightness_of_sums():
    done = subprocess.run([PROGRAM, "--sums", "0", "21"], capture_output=True, text=True, check=True)
    rows = re.findall(r"(certain|probable) bounds, (.*): (\d+\.\d) in fixed orders, (\d+\.\d) in any; outside (\d+)", done.stdout)
    found = {(kind, terms): (float(fixed), float(of_any)) for kind, terms, fixed, of_any, outside in rows if outside == "0"}
    assert len(found) == 4, done.stdout
    for kind, most in (("certain", 400), ("probable", 50)):
        assert all(1 < found[kind, terms][1] < most for terms in ("positive terms", "terms of both signs")), done.stdout
    for terms in ("positive terms", "terms of both signs"):
        assert found["probable", terms][0] < found["certain", terms][0] / 4
