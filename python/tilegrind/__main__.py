"""``python -m tilegrind``, and the command that pip installs: this process executes the C program ``tilegrind``.

It replaces itself with that program instead of starting a child process, so that signals, the terminal and the exit code
are the program's own.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import NoReturn

USAGE = 2  # the command's exit code for missing files
PACKAGED = ("golden", "conform", "sweep")  # commands that are modules of this package: cli/packaged.def


def program() -> Path:
    """The program that the environment variable TILEGRIND names, else the one in the folder of this package."""
    return Path(os.environ.get("TILEGRIND") or Path(__file__).with_name("bin") / "tilegrind")


def main() -> NoReturn:
    if sys.argv[1:2] and sys.argv[1] in PACKAGED:
        command = importlib.import_module(f".{sys.argv[1]}.command", __package__)
        sys.exit(command.main(sys.argv[2:]))
    path = program()
    # TILEGRIND may name this very script; then executing it again must not loop for ever.
    environment = {name: value for name, value in os.environ.items() if name != "TILEGRIND"}
    try:
        os.execve(path, ["tilegrind", *sys.argv[1:]], environment)
    except OSError as problem:
        print(f"tilegrind: {path}: {problem.strerror}; the environment variable TILEGRIND may name the command",
              file=sys.stderr)
        sys.exit(USAGE)


if __name__ == "__main__":
    main()
