"""Memory of torch: tensors in storages, and what `torch.empty` leaves undefined."""

import memory_kernels as kernels
import pytest

torch = pytest.importorskip("torch")

import tilegrind.triton as tg  # noqa: E402


def findings(session, kernel, *arguments, **meta):
    """Those of one more launch."""
    session.take()
    kernel[(1,)](*arguments, **meta)
    return session.findings


@pytest.fixture
def session():
    with tg.check(on_finding="collect", orders=False) as session:
        yield session


MAKERS = {"empty": lambda: torch.empty(8), "empty_like": lambda: torch.empty_like(torch.zeros(8)),
          "new_empty": lambda: torch.zeros(8).new_empty(8), "empty_strided": lambda: torch.empty_strided((8,), (1,))}


@pytest.mark.parametrize("maker", MAKERS)
def test_memory_that_nobody_has_written(session, maker):
    (one,) = findings(session, kernels.copy, MAKERS[maker](), torch.zeros(8), 8, B=8)
    assert one.kind == "undefined-output" and "it comes from x, which nothing had written" in one.message


WRITERS = {"fill_": lambda x: x.fill_(1), "copy_": lambda x: x.copy_(torch.ones(8)), "out=": lambda x: torch.ones(8, out=x),
           "add_": lambda x: x.add_(1), "[:]": lambda x: x.__setitem__(slice(None), 2.0), "view": lambda x: x.view(2, 4).zero_(),
           "uniform_": lambda x: x.uniform_()}


@pytest.mark.parametrize("writer", WRITERS)
def test_memory_that_torch_has_written(session, writer):
    x = torch.empty(8)
    WRITERS[writer](x)
    assert not findings(session, kernels.copy, x, torch.zeros(8), 8, B=8)


def test_memory_that_torch_has_written_in_part(session):
    x = torch.empty(8)
    x[:6] = 1
    assert not findings(session, kernels.copy, x, torch.zeros(8), 6, B=8)
    (one,) = findings(session, kernels.copy, x, torch.zeros(8), 8, B=8)
    assert "o[6]" in one.message


def test_what_a_kernel_writes_is_defined(session):
    x = torch.empty(8)
    assert not findings(session, kernels.copy, torch.ones(8), x, 8, B=8)
    assert not findings(session, kernels.copy, x, torch.zeros(8), 8, B=8)


def test_memory_that_is_used_again(session):
    """Where an undefined tensor was, another one may be later."""
    for _ in range(20):
        x = torch.empty(1 << 16)
        del x
        y = torch.zeros(1 << 16)
        assert not findings(session, kernels.copy, y, torch.zeros(8), 8, B=8)


def test_outside_of_a_check_nothing_is_marked():
    x = torch.empty(8)
    with tg.check() as session:
        kernels.copy[(1,)](x, torch.zeros(8), 8, B=8)
    assert not session.findings


def test_a_run_without_the_check_defines():
    with tg.check(on_finding="collect", orders=False) as session:
        x = torch.empty(8)
        with tg.interpreter():
            kernels.copy[(1,)](torch.ones(8), x, 8, B=8)
        assert not findings(session, kernels.copy, x, torch.zeros(8), 8, B=8)


def test_views_of_one_storage_race(session):
    x = torch.arange(9, dtype=torch.float32)
    kernels.copy[(2,)](x[1:], x[:8], 8, B=4)
    assert {one.kind for one in session.findings} == {"race"}


def test_a_gap_of_a_view(session):
    x = torch.zeros(4, 16)
    (one,) = findings(session, kernels.copy, x[:, :8], torch.zeros(64), 56, B=64)
    assert one.message.startswith("load reaches element 8 of x: f32[4,8] with strides 16, 1, which is between its elements")


def test_the_same_storage_as_bytes_and_floats(session):
    x = torch.arange(8, dtype=torch.float32)
    o = x.view(torch.int8)[16:]
    assert not findings(session, kernels.as_bytes, x, o, 16, B=16)
    assert x.tolist() == [0, 1, 2, 3] * 2


def test_bf16_and_fp8(session):
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        x, o = torch.arange(8).to(dtype), torch.zeros(8).to(dtype)
        assert not findings(session, kernels.copy_rows, x, o, 1, 8, 8, 8, C=8)
        assert torch.equal(x.view(torch.uint8), o.view(torch.uint8))


def test_memory_read_as_another_type(session):
    """By triton.reinterpret: a wrapper of a view, whose storage is that of torch."""
    import triton

    whole = torch.arange(16, dtype=torch.float32)
    o = torch.zeros(16, dtype=torch.int8)
    (one,) = findings(session, kernels.copy, triton.reinterpret(whole[8:10].view(torch.int8), triton.language.int8), o, 10, B=16)
    assert one.kind == "access-outside-tensor" and "element 8 of x: i8[8]" in one.message
    assert o.tolist()[:8] == whole[8:10].view(torch.int8).tolist()


def test_a_table_of_tensors(session):
    rows = [torch.arange(4, dtype=torch.float32), torch.arange(4, 8, dtype=torch.float32)]
    table, o = torch.tensor([one.data_ptr() for one in rows]), torch.zeros(2, 4)
    kernels.through_a_table[(2,)](table, o, B=4)
    assert not session.findings
    assert o.flatten().tolist() == list(range(8))
    wild = torch.tensor([4096])
    assert "wild-pointer" in [one.kind for one in findings(session, kernels.through_a_table, wild, o, B=4)]


def test_a_tensor_that_is_elsewhere(session):
    with pytest.raises(ValueError, match="x: a tensor on meta"):
        kernels.copy[(1,)](torch.empty(8, device="meta"), torch.zeros(8), 8, B=8)
