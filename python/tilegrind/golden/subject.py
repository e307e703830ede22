"""What a golden is about: a kernel with the inputs that are not made but given."""

import json
from dataclasses import dataclass, field

from ..judging import Witness


@dataclass(frozen=True)
class Subject:
    """A kernel of a module, the sizes of its dynamic axes, its contract, and given inputs by name."""

    module: object
    kernel: str
    grid: tuple = ()
    contract: str = "ieee"
    given: dict = field(default_factory=dict, repr=False)

    @classmethod
    def of_bundle(cls, bundle):
        from .. import runtime

        return cls(runtime.loads(bundle.module), bundle.kernel, bundle.grid, bundle.contract, bundle.kept)

    @property
    def params(self):
        return self.module.params(self.kernel)

    def arrays(self, inputs):
        """The arrays of an InputSet."""
        return inputs.arrays(self.params, self.given)

    def witness(self, arrays):
        """The Witness for these arrays; see there for what it raises."""
        return Witness.of(self.module, self.contract, arrays, kernel=self.kernel, grid=self.grid)

    def run(self, module, arrays):
        """The outputs of another module's kernel of the same name, in the interpreter."""
        return module.run(arrays, kernel=self.kernel, grid=self.grid, max_findings=1).outputs

    def tree(self):
        """The module as JSON data."""
        return json.loads(self.module.to_json())
