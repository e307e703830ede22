"""Cases of kernels of Mosaic GPU: captured, and run again."""

import importlib
import json
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tilegrind.pallas as tp
from mosaic_kernels import f32, launch_of, numbers


def scale(x_ref, o_ref):
    o_ref[...] = 2 * x_ref[...]


def interpreted():
    return importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.params").InterpretGPUParams()


def made_by(folder):
    return json.loads((folder / "case.json").read_text())["made_by"]


@pytest.mark.parametrize("options, maker", [({}, {"outputs": "tilegrind"}), ({"interpret": interpreted()}, {})],
                         ids=["by Tilegrind", "by JAX"])
def test_a_case_says_who_made_its_outputs(tmp_path, options, maker):
    launch = launch_of(scale, out=f32(128), **options)
    with tp.capture(tmp_path) as captured:
        np.testing.assert_array_equal(jax.jit(launch)(numbers(128)), 2 * numbers(128))
    [folder] = captured.cases
    assert not captured.errors
    assert folder.name == "scale-0"
    assert made_by(folder) == {"jax": jax.__version__, **maker}
    assert "as expected" in subprocess.run([os.environ["TILEGRIND"], "run", folder], check=True, capture_output=True, text=True).stdout


def test_a_step_of_a_loop_is_a_case(tmp_path):
    launch = launch_of(scale, out=f32(128))
    with tp.capture(tmp_path, limit=2) as captured:
        jax.lax.fori_loop(0, 3, lambda _, x: launch(x), jnp.ones(128))
    assert [folder.name for folder in captured.cases] == ["scale-0", "scale-1"]
    np.testing.assert_array_equal(np.load(captured.cases[1] / "expected.npz")["o_ref"], np.full(128, 4, np.float32))
