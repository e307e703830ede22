"""The real kernels: all export, and the quick ones leave cases."""

import jax
import pytest
from ir_check import check_module

from conformance import acceptance_kernels
from tilegrind.pallas import capture, export

KERNELS = acceptance_kernels.KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_export(name):
    module = export(KERNELS[name].run, grid_semantics=KERNELS[name].grid_semantics)
    check_module(module.json())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["atomic_add", "dynamic_grid", "softmax_f16", "mha_grad",
                                  "tpu_gmm"])
def test_capture(name, tmp_path):
    with capture(tmp_path, KERNELS[name].grid_semantics) as captured:
        jax.block_until_ready(KERNELS[name].run())
    assert captured.cases and not captured.errors
