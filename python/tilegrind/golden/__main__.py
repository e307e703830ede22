"""``python -m tilegrind.golden``: the command `tilegrind golden`."""

import sys

from .command import main

sys.exit(main())
