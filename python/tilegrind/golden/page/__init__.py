"""The page of goldens: one HTML file for who reviews a golden, or looks for a fault (docs/golden-review.md)."""

import re
import shlex
from pathlib import Path

from ... import whole_file
from ..checking import check
from ..bad_bundle import BadBundle
from ..folder import Refused
from .budget import Budget
from .data import Watched, of_check, of_review, sizes_in
from .encode import in_script

__all__ = ["CheckPage", "require_folder", "text_of", "write_review"]

_HERE = Path(__file__).parent
_PART = re.compile(r"@([a-z_]+\.(?:css|js)|data)@")


class CheckPage:
    """The page of a check of goldens, of which there are some with so many outputs over all input sets."""

    def __init__(self, bundles):
        self._budget, self._goldens = Budget.of(sizes_in(bundles)), []

    def check(self, bundle, implementation, **options):
        """As checking.check; the page shows what comes of it."""
        watched = Watched(implementation)
        result = check(bundle, watched, **options)
        self._goldens.append(of_check(bundle, result, watched.outputs, self._budget))
        return result

    def write(self, path):
        whole_file.write(path, text_of("check", self._goldens))


def write_review(path, store, names, progress=None):
    """Writes the page of pending goldens of a Store."""
    bundles = [store.read(name, pending=True) for name in names]
    budget = Budget.of(sizes_in(bundles))
    goldens = [of_review(bundle, _accepted(store, bundle.name), _accept(store, bundle), budget, progress) for bundle in bundles]
    whole_file.write(path, text_of("review", goldens))


def _accepted(store, name):
    """The golden of that name that was accepted, or None.  Raises BadBundle for one that is no longer what was accepted."""
    accepted = store.manifest().get(name)
    if accepted is None:
        return None
    found = store.read(name)
    if found.digest != accepted[0]:
        raise BadBundle(f"{store.path(name)}: it is not the golden that was accepted; `tilegrind golden lint` says more")
    return found


def _accept(store, bundle):
    """The command that accepts what the page shows, up to the reason."""
    return shlex.join(["tilegrind", "golden", "--goldens", str(store.root), "accept", bundle.name, "--digest",
                       bundle.digest, "--why"])


def text_of(what, goldens):
    """The page: `what` is "review" or "check", `goldens` what `of_review` or `of_check` gave."""
    from ... import __version__

    data = in_script({"what": what, "tilegrind": __version__, "goldens": goldens})
    template = (_HERE / "page.html").read_text(encoding="utf-8")
    return _PART.sub(lambda part: data if part[1] == "data" else (_HERE / part[1]).read_text(encoding="utf-8"), template)


def require_folder(path):
    """Raises Refused where no file can be written because its folder is missing: before the work, not after it."""
    if not Path(path).absolute().parent.is_dir():
        raise Refused(f"--html {path}: there is no folder {Path(path).absolute().parent}")
