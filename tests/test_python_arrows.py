"""The imports between the folders of the Python package go one way."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import structure  # noqa: E402

PACKAGE = ROOT / "python" / "tilegrind"


def imported(path, root):
    """The files and folders below `root`, as parts of their paths, that the relative imports of a file name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for name in node.names:
            target = base / name.name
            found = target if target.is_dir() or target.with_suffix(".py").is_file() else base
            if found.is_relative_to(root):
                yield found.relative_to(root).parts


def arrows(root):
    """{folder: {folder or file of root, ...}}: what the files of each folder of `root` import, folders below them included."""
    found = {}
    for path in root.glob("*/**/*.py"):
        here = path.relative_to(root).parts[0]
        found.setdefault(here, set()).update(parts[0] for parts in imported(path, root) if parts and parts[0] != here)
    return found


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_a_circle_is_found(tmp_path):
    write(tmp_path, {"a/x.py": "from ..b import y\n", "b/y.py": "from ..c.z import one\n", "c/z.py": "def f():\n    from ..a import x\n"})
    assert structure.circles(arrows(tmp_path)) == [{"a", "b", "c"}]


def test_a_file_beside_the_folders_is_told(tmp_path):
    write(tmp_path, {"a/x.py": "from .. import top\nfrom . import y\n", "a/y.py": "", "top.py": ""})
    assert arrows(tmp_path) == {"a": {"top"}}


@pytest.mark.parametrize("root", [PACKAGE, PACKAGE / "pallas", PACKAGE / "triton"], ids=["tilegrind", "pallas", "triton"])
def test_no_folders_import_each_other(root):
    found = arrows(root)
    assert len(found) > 5
    assert structure.circles(found) == []


@pytest.mark.parametrize("front", ["pallas", "triton"])
def test_files_that_users_call_are_imported_by_no_folder(front):
    found = arrows(PACKAGE / front)
    assert {folder: others - set(found) for folder, others in found.items() if others - set(found)} == {}
