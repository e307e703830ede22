"""The lists of docs/adding.md against the toys of tests/adding/: what each touches.  tests/adding/try_toys.py builds and runs them."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from adding import lists, try_toys  # noqa: E402

TOYS = {toy.name: toy for toy in lists.toys()}
DOCUMENT = lists.DOCUMENT.read_text(encoding="utf-8")
# How many files of the product each may touch at most.
LIMITS = {"elementwise": 4, "memory": 10, "dtype": 1, "detector": 2, "backend": 2, "front_end": 0}


def tree_of(toy, folder):
    """A tree of the files that the toy changes."""
    for change in toy.changes:
        path = folder / change.file
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / change.file, path)
    return folder


def test_each_list_has_a_toy_within_its_limit():
    assert {name: toy.most for name, toy in TOYS.items()} == LIMITS


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_the_document_lists_what_the_toy_touches(name):
    assert lists.problems(TOYS[name], DOCUMENT) == []


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_the_toy_fits_into_the_tree(name, tmp_path):
    tree = tree_of(TOYS[name], tmp_path)
    lists.add(TOYS[name], tree)
    for change in TOYS[name].changes:
        assert change.text.strip("\n") in (tree / change.file).read_text(encoding="utf-8")
    for file, text in TOYS[name].new.items():
        assert (tree / file).read_text(encoding="utf-8") == text


def test_each_toy_is_tried():
    assert set(try_toys.TRIALS) == set(LIMITS)


def test_the_document_counts_right():
    rows = [line.split("|") for line in DOCUMENT.splitlines() if "tests/adding/" in line and line.startswith("|")]
    assert len(rows) == len(LIMITS)
    for _, _, files, new, toy, _ in rows:
        name = next(name for name in LIMITS if f"tests/adding/{name}/" in toy)
        assert (int(files), int(new)) == (len(TOYS[name].files), len(TOYS[name].new))


def test_a_list_that_misses_a_file_is_told():
    short = DOCUMENT.replace("5. `lower/memory.c`", "5. nothing")
    assert "lower/memory.c" in lists.problems(TOYS["memory"], short)[0]


def test_a_toy_beyond_its_limit_is_told():
    assert lists.problems(replace(TOYS["dtype"], most=0), DOCUMENT) == ["dtype: touches 1 files of the product, not at most 0"]


def test_a_list_without_a_section_is_told():
    with pytest.raises(lists.Malformed, match="no section 'A dtype'"):
        lists.listed(DOCUMENT.replace("## A dtype", "## Dtypes"), TOYS["dtype"])


@pytest.mark.parametrize("text, count", [("a\nb\n", 0), ("here\nhere\n", 2)])
def test_a_place_that_is_not_there_once_is_told(text, count):
    with pytest.raises(lists.Malformed, match=f"x.c: {count} lines contain 'here', not one"):
        lists.changed(text, lists.Change("x.c", "new", after="here"))


def test_lines_go_in_front_or_behind():
    assert lists.changed("a\nhere\nb\n", lists.Change("x.c", "new\n", after="here")) == "a\nhere\nnew\nb\n"
    assert lists.changed("a\nhere\nb\n", lists.Change("x.c", "1\n2\n", before="here")) == "a\n1\n2\nhere\nb\n"


def test_a_new_file_that_exists_is_told(tmp_path):
    tree = tree_of(TOYS["detector"], tmp_path)
    (tree / "checks").mkdir()
    (tree / "checks" / "output_reads.c").write_text("taken")
    with pytest.raises(lists.Malformed, match="is there already"):
        lists.add(TOYS["detector"], tree)
