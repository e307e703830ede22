"""The toy dtype through the Python package: use.py KERNEL."""

import sys

import ml_dtypes
import numpy as np
import tilegrind

x = np.array([0, 0.0625, -0.3125, 1, 1.75, -7, 14, 16, -28, 5], dtype=ml_dtypes.float6_e3m2fn)
for backend in "cpu", "emulator":
    run = tilegrind.load(sys.argv[1]).run({"x": x}, backend=backend)
    assert not run.findings, run.findings
    assert run.outputs["o"].dtype == x.dtype
    np.testing.assert_array_equal(run.outputs["o"].astype(np.float32),
                                  (2 * x.astype(np.float32)).astype(x.dtype).astype(np.float32))
