"""A runner on JAX: ``jax_runner --mode interpret|compiled``.

JAX has no reader of kernels in JSON, so it takes a kernel in two ways: where the kernel carries its source, it imports
and calls that; a kernel without a grid whose body is a list of elementwise operations on whole arrays it turns into a
function of jax.lax (``jax_elementwise``).  ``interpret`` runs Pallas's interpreter operation by operation; ``compiled``
is the same program compiled by XLA for the CPU, which has no other way to run a Pallas kernel.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import numpy as np

from tilegrind.conform.adapters import jax_elementwise
from tilegrind.runner import Runner, Unsupported, serve


class Jax(Runner):
    def __init__(self, mode):
        # On the CPU, XLA takes subnormals for zeros, which this contract does not allow: the cases with subnormals fail.
        super().__init__({"name": "jax", "version": jax.__version__, "device": f"cpu, {mode}"}, contract="ieee")
        self._compiled, self._modules = mode == "compiled", {}

    def load(self, path, source):
        kernel = json.loads(path.read_text())["kernels"][0]
        names = [[param["name"] for param in kernel["params"] if param["role"] == role] for role in ("input", "output")]
        function = self._imported(source) if source else jax_elementwise.function_of(kernel)
        return jax.jit(function) if self._compiled else function, *names

    def _imported(self, source):
        path = source["path"]
        if path not in self._modules:
            spec = importlib.util.spec_from_file_location("kernels_of_the_suite", path)
            self._modules[path] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self._modules[path])
        function = getattr(self._modules[path], source["function"])
        return lambda *inputs: function(*inputs, interpret=True)

    def run(self, kernel, inputs, outputs, order, grid):
        function, takes, gives = kernel
        if order != "sequential":
            raise Unsupported(f"order {order}: JAX runs programs one after the other")
        wide = any(array.dtype.itemsize == 8 for array in [*inputs.values(), *outputs.values()])
        with jax.enable_x64(wide), contextlib.nullcontext() if self._compiled else jax.disable_jit():
            found = jax.tree.leaves(function(*(inputs[name] for name in takes)))
            for name, array in zip(gives, found, strict=True):
                outputs[name][...] = np.asarray(array)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="jax_runner", description=__doc__)
    parser.add_argument("--mode", choices=("interpret", "compiled"), default="compiled")
    serve(Jax(parser.parse_args(sys.argv[1:]).mode))
