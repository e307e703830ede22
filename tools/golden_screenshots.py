"""Takes the pictures of docs/golden-review.md: pages of two goldens, opened in Chromium.

    golden_screenshots.py [FOLDER]     writes them to FOLDER; default: docs/

Needs JAX, the release build (or what TILEGRIND_LIBRARY names), selenium, and Chromium with its driver.
"""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from screenshots import ROOT, open_browser

import tilegrind
from tilegrind import golden
from tilegrind.golden import command
from tilegrind.golden.subject import Subject
from tilegrind.pallas import export

WIDTH = 1280
ROWS, INNER, COLUMNS = 64, 64, 96
# Name of the picture, its page, its height, and what is done on the page before.
PICTURES = [
    ("golden-review.png", "review", 1000, ""),
    ("golden-check.png", "check", 900, ""),
    ("golden-mutants.png", "review", 560, "document.getElementById('matrix').closest('section').scrollIntoView()"),
]


def matmul_kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def matmul(step):
    """A product whose terms are summed in steps of so many."""
    specs = [pl.BlockSpec((16, step), lambda i, j, k: (i, k)), pl.BlockSpec((step, 32), lambda i, j, k: (k, j))]
    return pl.pallas_call(
        matmul_kernel, grid=(4, 3, INNER // step), in_specs=specs, out_specs=pl.BlockSpec((16, 32), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32), interpret=True)


def subject_of(function):
    x, y = np.ones((ROWS, INNER), np.float32), np.ones((INNER, COLUMNS), np.float32)
    module = tilegrind.loads(export(function, x, y).dumps())
    return Subject(module, module.kernels[0])


def faulty(x, y):
    """One block lacks the last step of its sum; another one was rounded to bf16."""
    with np.errstate(over="ignore", invalid="ignore"):  # of the inputs with special numbers
        made = x @ y
        made[16:32, 32:64] = x[16:32, :32] @ y[:32, 32:64]
    made[48:, :32] = np.asarray(jnp.asarray(made[48:, :32]).astype(jnp.bfloat16).astype(jnp.float32))
    return {"o_ref": made}


def write_pages(folder):
    os.chdir(folder)  # so that no path of this machine is in a picture
    goldens, subject = golden.Goldens("goldens"), subject_of(matmul(32))
    made = goldens.record("matmul", subject).bundle
    goldens.store.accept("matmul", "the first one", made.digest)
    goldens.record("matmul", subject_of(matmul(16)))
    Path("got/matmul").mkdir(parents=True)
    for record in made.sets:
        tilegrind.write_arrays(f"got/matmul/{record.inputs.name}.npz", faulty(*subject.arrays(record.inputs).values()))
    with contextlib.redirect_stdout(io.StringIO()):
        assert command.main(["review", "--html", "review.html"]) == command.CLEAN
        assert command.main(["check", "--got", "got", "--html", "check.html"]) == command.FINDINGS


def main():
    target = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "docs"
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        write_pages(folder)
        for name, page, height, action in PICTURES:
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False})
            browser.get((Path(folder) / f"{page}.html").as_uri())
            browser.execute_script(action)
            browser.save_screenshot(str(target / name))
            print(f"{name}: {(target / name).stat().st_size} bytes")
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
