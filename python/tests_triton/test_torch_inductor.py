"""Kernels that `torch.compile` makes run in Tilegrind."""

import pytest

import tilegrind.triton as tt

torch = pytest.importorskip("torch")


def shifted(x, w):
    return torch.relu(x @ w + 1).sum(-1), x * 2 - w


@pytest.fixture
def own_code(monkeypatch, tmp_path):
    """No code of an earlier run is taken for that of this one."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    config = pytest.importorskip("torch._inductor.config")
    with config.patch(compile_threads=1):  # so that the kernels are made in this process
        yield


def test_torch_compile(own_code):
    x, w = torch.randn(32, 32), torch.randn(32, 32)
    with tt.interpreter(inductor=True, findings="collect") as active:
        made = torch.compile(shifted)(x, w)
    for one, expected in zip(made, shifted(x, w)):
        torch.testing.assert_close(one, expected)
    assert active.runs > 0 and all(name.startswith("triton_") for name in active.kernels)
    assert active.findings == [] and active.refused == []


def test_it_is_as_before_behind_it():
    from torch._inductor import config
    from torch.utils._triton import has_triton_cpu_backend

    before = config.cpu_backend, has_triton_cpu_backend()
    with tt.interpreter(inductor=True):
        assert (config.cpu_backend, has_triton_cpu_backend()) == ("triton", True)
    assert before == (config.cpu_backend, has_triton_cpu_backend()) and not has_triton_cpu_backend()
