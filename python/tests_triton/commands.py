"""`python -m tilegrind.triton` as a user starts it."""

import os
import subprocess
import sys

from conftest import FOLDERS, ROOT


def command(program, *words, module=("-m", "tilegrind.triton"), **more):
    """Runs the command in the folder of a program, with PROGRAM in `words` standing for its path, and more variables of the environment."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / one) for one in FOLDERS), **more}
    words = [str(program) if word == "PROGRAM" else word for word in words]
    return subprocess.run([sys.executable, *module, *words], cwd=program.parent, env=environment, capture_output=True, text=True, timeout=120)
