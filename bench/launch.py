"""A function with a pallas_call, exported or captured and bound to its arrays."""

import json
import tempfile

import jax
import numpy as np

from call import Call
from tilegrind import runtime
from tilegrind.pallas import capture, export


class Launch(Call):
    """expected   what the outputs must be, where that is not what the function returns"""

    expected = None

    def __init__(self, fn, args, grid_semantics=None, **options):
        """`fn` is a JAX function with one pallas_call, whose inputs are `args`, in that order; `options` are those of Call."""
        module = runtime.loads(export(fn, *args, grid_semantics=grid_semantics).dumps())
        super().__init__(module, args, **options)

    @classmethod
    def captured(cls, fn, args, grid_semantics=None, **options):
        """`fn` makes one pallas_call, of what it computes from `args`: its inputs are those that JAX's own
        interpreter gets."""
        with tempfile.TemporaryDirectory() as folder:
            with capture(folder, grid_semantics=grid_semantics) as captured:
                jax.block_until_ready(fn(*args, interpret=True))
            if captured.errors:
                raise captured.errors[0]
            (case,) = captured.cases
            inputs, expected = (np.load(case / f"{name}.npz") for name in ("inputs", "expected"))
            self = cls.__new__(cls)
            Call.__init__(self, runtime.loads((case / "kernel.json").read_text()),
                          [inputs[name] for name in inputs.files],
                          json.loads((case / "case.json").read_text()).get("dynamic_grid", []), **options)
            self.expected = [expected[name] for name in expected.files]
        return self

    @classmethod
    def of(cls, work, **options):
        """Of a Workload."""
        return (cls.captured if work.is_captured else cls)(work.pallas, work.args, work.grid_semantics, **options)
