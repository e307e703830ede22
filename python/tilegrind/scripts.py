"""Running a program of a user inside this process."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from typing import Callable, Sequence


def run_script(script: str, args: Sequence[str], advise: Callable[[Exception], str] = lambda error: "") -> bool:
    """Runs a script as ``python SCRIPT ARGS`` would; returns whether it ended well.  `advise` gives a line to print behind the traceback of
    an error, or ""."""
    sys.argv = [script, *args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code in (None, 0)
    except Exception as error:
        traceback.print_exc()
        if advice := advise(error):
            print(advice, file=sys.stderr)
        return False
    return True
