"""What docs/triton.md and docs/pytest.md show."""

import pytest
from documents import blocks, run

import tilegrind.triton as tt

FIRST = blocks("docs/triton.md", "python")[0]


def test_the_first_kernel_has_the_finding_that_the_page_tells(tmp_path, monkeypatch):
    with pytest.raises(tt.FindingError) as caught:
        run(FIRST, tmp_path, monkeypatch)
    (told,) = blocks("docs/triton.md", "text")[:1]
    assert str(caught.value).splitlines()[0] == told.strip()


def test_with_an_atomic_there_is_none(tmp_path, monkeypatch):
    store = "tl.store(o, tl.load(o) + tl.sum(positive.to(tl.int32)))"
    assert store in FIRST
    names = run(FIRST.replace(store, "tl.atomic_add(o, tl.sum(positive.to(tl.int32)))"), tmp_path, monkeypatch)
    assert names["o"].array[0] == 100


def test_the_names_of_the_page_are_there():
    assert {"check", "interpreter", "install", "uninstall", "capture", "export", "FindingError", "FindingWarning"} <= set(tt.__all__)
    assert all(getattr(tt, name) for name in tt.__all__)
