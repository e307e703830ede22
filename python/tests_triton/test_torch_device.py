"""Programs that say "cuda", on the CPU."""

import numpy as np
import pytest
import triton
from kernels import add, last_wins

import tilegrind.triton as tt

torch = pytest.importorskip("torch")


def on_cuda(**options):
    return tt.interpreter(device="cuda", **options)


def test_tensors_are_on_the_cpu_and_say_cuda(capsys):
    with on_cuda():
        x = torch.arange(100, dtype=torch.float32, device="cuda")
        y, o = torch.ones(100).cuda(), torch.empty_like(x)
        assert x.is_cuda and x.device == o.device == torch.device("cuda", 0) == triton.runtime.driver.active.get_active_torch_device()
        add[(4,)](x, y.to(x.device), o, 100, B=32)
        torch.cuda.synchronize()
        assert torch.equal(o, x + 1) and np.array_equal(o.cpu().numpy(), np.arange(1, 101, dtype=np.float32))
    assert o.device.type == "cpu" and not o.is_cuda
    assert 'tilegrind: what this program puts on "cuda" is on the CPU' in capsys.readouterr().err


@pytest.mark.parametrize("copy", [lambda x: x.cuda(), lambda x: x.cpu(), lambda x: x.to("cuda"), lambda x: x.to(device=torch.device("cuda"))])
def test_copies_are_copies(copy):
    with on_cuda():
        x = torch.zeros(1)
        copied = copy(x)
        last_wins[(1,)](torch.ones(1, device="cuda"), copied)
    assert (x.item(), copied.item()) == (0, 1)


def test_pinned_memory_is_ordinary():
    with on_cuda():
        x = torch.ones(4, pin_memory=True)
        pinned = x.pin_memory()
        last_wins[(4,)](torch.arange(4.0).pin_memory().cuda(), pinned)
    assert x.tolist() == [1, 1, 1, 1] and pinned[0].item() == 3


@pytest.mark.parametrize("stay", [lambda x: x.cuda(), lambda x: x.to("cuda"), lambda x: x.to(x.device)])
@pytest.mark.parametrize("made", [lambda: torch.zeros(1, device="cuda"), lambda: torch.zeros(1).cuda(), lambda: torch.zeros(1).to("cuda"),
                                  lambda: torch.stack([torch.zeros(2, device="cuda")])[:, 1] + 1])
def test_what_is_on_cuda_stays_itself_there(made, stay):
    with on_cuda():
        x = made().requires_grad_()
        assert stay(x) is x and x.to(torch.float64) is not x
        stay(x).sum().backward()
        assert x.grad.tolist() == [1] and x.cpu() is not x


def test_what_goes_there_and_back_is_a_copy():
    with on_cuda():
        x = torch.zeros(1)
        there = x.to("cuda")
        back = there.to("cpu").add_(1)
        assert x.copy_(back) is x and x.to("cuda") is not x
        assert (x.item(), there.item(), back.item()) == (1, 0, 1)


def test_modules_of_torch_move():
    with on_cuda():
        layer = torch.nn.Linear(4, 4).to("cuda")
        assert layer.weight.is_cuda and layer(torch.ones(2, 4, device="cuda")).shape == (2, 4)


def test_gradients_flow():
    with on_cuda():
        x = torch.ones(4, requires_grad=True)
        (x.cuda() * 3).sum().backward()
    assert x.grad.tolist() == [3, 3, 3, 3]


def test_the_target_is_presented():
    with on_cuda(capability=80):
        assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (8, 0)
        assert torch.cuda.get_device_properties(0).warp_size == 32
        assert triton.runtime.driver.active.get_current_target() == triton.backends.compiler.GPUTarget("cuda", 80, 32)
        o = torch.zeros(1, device="cuda")
        last_wins[(1,)](torch.ones(1, device="cuda"), o)
        assert o.item() == 1
    assert not torch.cuda.is_available() and "nvidia" in triton.backends.backends


def test_a_program_for_each_multiprocessor():
    """Such a grid has programs that can race."""
    with pytest.raises(tt.FindingError, match="race"), on_cuda(checks="races"):
        count = torch.cuda.get_device_properties("cuda").multi_processor_count
        assert count == triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"]
        last_wins[(count,)](torch.arange(float(count), device="cuda"), torch.zeros(1, device="cuda"))


def test_a_kernel_runs_for_one_target_after_the_other():
    for capability in (None, 90, None, 80):
        o = torch.zeros(1)
        with tt.interpreter(capability=capability):
            last_wins[(1,)](torch.ones(1), o)
        assert o.item() == 1


def test_events_measure():
    with on_cuda():
        before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        before.record()
        after.record()
        assert before.elapsed_time(after) > 0
        with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
            torch.cuda.current_stream().synchronize()
        assert triton.testing.do_bench(lambda: None, warmup=1, rep=1) > 0


def test_dtypes_and_views_of_tensors():
    with tt.interpreter():
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int8):
            x, o = torch.arange(32).to(dtype), torch.zeros(64, dtype=dtype)
            add[(1,)](x, x, o[16:48], 32, B=32)
            assert torch.equal(o[16:48], x + x) and not o[:16].any() and not o[48:].any()


def test_the_default_device():
    before = torch.get_default_device()
    with on_cuda():
        torch.set_default_device("cuda")
        assert torch.get_default_device() == torch.device("cuda", 0) == torch.rand(3).device
        assert torch.randint(9, (2,)).sum() >= 0
        torch.set_default_device("cpu")
        assert torch.get_default_device() == torch.device("cpu")
        torch.set_default_device(torch.device("cuda:0"))
    assert torch.get_default_device() == before == torch.rand(3).device


def test_a_device_as_context():
    with on_cuda(), torch.device("cuda"):
        assert torch.rand(3).is_cuda
