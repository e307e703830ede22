"""Runners in Python: what ``tilegrind conform`` talks to, in the protocol ``tilegrind-runner/1`` (docs/protocol.md).

>>> class Mine(Runner):
...     def load(self, path, source):
...         return compile_kernel(path)           # or raise Unsupported("op sort")
...     def run(self, kernel, inputs, outputs, order, grid):
...         outputs["o"][...] = kernel(inputs["x"])
>>> serve(Mine({"name": "mine", "version": "1"}))

It needs numpy and ml_dtypes, and neither the C library nor JAX.
"""

from .serve import Runner, Unsupported, serve

__all__ = ["Runner", "Unsupported", "serve"]
