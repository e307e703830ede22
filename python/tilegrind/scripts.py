"""Running a program of a user inside this process."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from typing import Sequence


def run_script(script: str, args: Sequence[str]) -> bool:
    """Runs a script as ``python SCRIPT ARGS`` would; returns whether it ended well."""
    sys.argv = [script, *args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code in (None, 0)
    except Exception:
        traceback.print_exc()
        return False
    return True
