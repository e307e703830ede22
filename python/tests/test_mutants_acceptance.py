"""Mutants of all acceptance kernels: they load and run, and come quickly.  `pytest -s` prints how many there are."""

import functools
import json
import time

import numpy as np
import pytest
import tilegrind
from tilegrind.mutants import kernel_mutants, output_mutants, tiles_of, writers_of
from tilegrind.mutants.__main__ import counts
from tilegrind.mutants.outputs import Context
from tilegrind.pallas import export

from conformance import acceptance_kernels

KERNELS = acceptance_kernels.KERNELS
RNG = np.random.default_rng(0)


@functools.cache
def module_of(name):
    acceptance = KERNELS[name]
    return json.loads(export(acceptance.run, grid_semantics=acceptance.grid_semantics).dumps())


def launch(module, kernel):
    """Inputs of some values, and the sizes of dynamic axes: every kernel must run on any."""
    params = tilegrind.loads(json.dumps(module)).params(kernel["name"])
    inputs = {p.name: RNG.standard_normal(p.shape).astype(p.dtype) if p.dtype.kind not in "biu" else
              RNG.integers(0, 4, p.shape).astype(p.dtype) for p in params if p.role in ("prefetch", "input")}
    return inputs, {"grid": [2 for axis in kernel["grid"] if axis["size"] == "dynamic"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_mutants_load_and_run(name):
    module = module_of(name)
    for kernel in module["kernels"]:
        inputs, options = launch(module, kernel)
        seen = set()
        for mutant in kernel_mutants(module, kernel["name"]):
            assert (mutant.kind, mutant.site) not in seen
            seen.add((mutant.kind, mutant.site))
            loaded = tilegrind.loads(json.dumps(mutant.module))
            loaded.run(inputs, kernel=kernel["name"], max_steps=10000, **options)
        for kind, made, sites in counts(module, kernel["name"], 3):
            print(f"{name}\t{kernel['name']}\t{kind}\t{made}\t{sites}")


@pytest.mark.parametrize("name", KERNELS)
def test_mutants_come_within_a_second(name):
    module = module_of(name)
    start = time.process_time()
    for kernel in module["kernels"]:
        list(kernel_mutants(module, kernel["name"]))
    assert time.process_time() - start < len(module["kernels"])


@pytest.mark.parametrize("name", KERNELS)
def test_outputs_have_mutants_and_elements_have_writers(name):
    module = module_of(name)
    for kernel in module["kernels"]:
        inputs, options = launch(module, kernel)
        outputs = tilegrind.loads(json.dumps(module)).run(inputs, kernel=kernel["name"], **options).outputs
        writers = writers_of(module, outputs, inputs, kernel=kernel["name"], **options)
        tiles = tiles_of(module, kernel["name"])
        assert {n: w.shape for n, w in writers.items()} == {n: o.shape for n, o in outputs.items()}
        assert all(len(tiles[n]) == o.ndim for n, o in outputs.items())
        exact = {n: o.astype(np.float64) for n, o in outputs.items()}
        known = Context(inputs, exact, {n: np.abs(e) * 2.0**-20 for n, e in exact.items()}, writers, None, tiles)
        assert {"integer-off-by-one", "zeros", "finite-to-nan"} & {m.kind.name for m in output_mutants(outputs, known)}
