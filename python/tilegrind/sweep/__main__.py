"""``python -m tilegrind.sweep``."""

import sys

from .. import standard_output
from .command import main

if __name__ == "__main__":
    sys.exit(standard_output.run(main))
