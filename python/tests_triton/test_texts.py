"""The texts that tests of the reader read are those of Triton."""

import pytest
import triton
from conftest import ROOT
from texts import all_texts

FOLDER = ROOT / "tests" / "data" / "triton" / triton.__version__


@pytest.mark.skipif(not FOLDER.is_dir(), reason="there are no texts of this version of Triton")
def test_texts_are_up_to_date():
    assert all_texts() == {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.ttir")}
