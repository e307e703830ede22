"""What docs/triton.md shows with torch."""

import pytest
from documents import blocks, run

pytest.importorskip("torch")


def test_torch_compile(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    (code,) = [code for code in blocks("docs/triton.md", "python") if "import torch" in code]
    run(code, tmp_path, monkeypatch)
