"""What a golden is about: a kernel with the inputs that are not made but given."""

import functools
import json
from dataclasses import dataclass, field

from ..judging import Witness


@dataclass(frozen=True)
class Subject:
    """A kernel of a module, the sizes of its dynamic axes, its contract, given inputs by name, and the outputs that have
    elements which stay unwritten on purpose.  The contract is a name, or the text of one in JSON."""

    module: object
    kernel: str
    grid: tuple = ()
    contract: str = "ieee"
    given: dict = field(default_factory=dict, repr=False)
    partly_written: tuple = ()

    @classmethod
    def of_bundle(cls, bundle):
        return cls(_loaded(bundle.module), bundle.kernel, bundle.grid, bundle.contract, bundle.kept,
                   bundle.partly_written)

    @property
    def params(self):
        return self.module.params(self.kernel)

    def arrays(self, inputs):
        """The arrays of an InputSet."""
        return inputs.arrays(self.params, self.given)

    def witness(self, arrays, probable=False):
        """The Witness for these arrays, of an InputSet that is_random by probable bounds; see there for what it raises."""
        return Witness.of(self.module, self.contract, arrays, probable=probable, kernel=self.kernel, grid=self.grid,
                          partly_written=self.partly_written)

    def run(self, module, arrays, **options):
        """The run of this kernel in the interpreter, or of another module's with the same name."""
        return module.run(arrays, kernel=self.kernel, grid=self.grid, partly_written=self.partly_written, **options)

    def tree(self):
        """The module as JSON data."""
        return json.loads(self.module.to_json())


@functools.lru_cache(maxsize=64)
def _loaded(text):
    """The module; that of one golden is loaded, and its companion derived, once for all its checks."""
    from .. import runtime

    return runtime.loads(text)
