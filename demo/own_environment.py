"""What ./bootstrap demo says last: how to use Tilegrind from an environment of one's own.  tools/check_packages.py runs that line."""

import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def install_line() -> str:
    return f"python -m pip install {shlex.quote(str(ROOT))}"


if __name__ == "__main__":
    print(install_line())
