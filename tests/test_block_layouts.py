"""Layouts of blocks against a model that moves an array's elements; and what the comparison of physical runs finds."""

import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

from conformance import block_layouts, physical  # noqa: E402
from conformance.block_layouts import Block, Transforms, layouts_of  # noqa: E402
from conformance.mma_kernels import Product  # noqa: E402
from conformance.physical import Effort  # noqa: E402
from tilegrind.layout import Layout  # noqa: E402


def model(transforms, shape, width):
    """The address of each element: the array is put into memory as the transforms say, step by step."""
    array = np.arange(np.prod(shape)).reshape(shape)
    if transforms.is_transposed:
        array = np.moveaxis(array, -1, -2)
    if transforms.tile:
        rows, columns = array.shape[-2] // 8, array.shape[-1] * width // transforms.tile
        tiled = array.reshape(*array.shape[:-2], rows, 8, columns, transforms.tile // width)
        array = np.moveaxis(tiled, -2, -4 if transforms.is_by_columns else -3)
    memory = array.reshape(-1).copy()
    for at in range(memory.size if transforms.swizzle else 0):  # bytes 0 to 127 of 8 lines: the line moves chunks
        chunk, line, mask = at * width // 16, at * width // 128, transforms.swizzle // 16 - 1
        memory[(chunk ^ (line & mask)) * 16 // width + at * width % 16 // width] = array.reshape(-1)[at]
    place = np.empty_like(memory)
    place[memory] = np.arange(memory.size)
    return place


@pytest.mark.parametrize("shape, width", [((64, 128), 4), ((16, 64), 2), ((32, 256), 1), ((2, 8, 16), 8), ((32, 40), 4)])
def test_layouts_are_those_of_the_model(shape, width):
    choices = list(layouts_of(shape, width))
    assert choices[0][0] == Transforms() and len(choices) > 5
    for transforms, text in choices:
        np.testing.assert_array_equal(Layout(text).map("m"), model(transforms, shape, width), str(transforms))


def test_no_layout_comes_twice():
    texts = [text for _, text in layouts_of((32, 64), 4)]
    assert not any(Layout(a) == Layout(b) for i, a in enumerate(texts) for b in texts[:i])


@pytest.mark.parametrize("shape, width, count", [((), 4, 1), ((8,), 4, 2), ((100,), 4, 1), ((5, 6), 4, 2), ((0, 8), 4, 0)])
def test_what_does_not_divide_has_no_tiles(shape, width, count):
    assert len(list(layouts_of(shape, width))) == count


def test_blocks_of_a_kernel():
    args = ["ref<i32[4]>", "ref<f16[8,64]>", "ref<i4[8]>", "ref<sem[2]>", "ref<f32[]>"]
    roles = ["prefetch", "input", "input", "scratch", "output"]
    kernel = {"params": [{"name": f"p{i}", "role": role} for i, role in enumerate(roles)],
              "body": {"args": [{"id": i, "type": ref} for i, ref in enumerate(args)]}}
    assert block_layouts.blocks_of(kernel) == [Block("p1", "input", (8, 64), 2), Block("p4", "output", (), 4)]
    module = {"kernels": [kernel]}
    assert block_layouts.with_layouts(module, {"p1": "512:1"})["kernels"][0]["params"][1]["layout"] == "512:1"
    assert "layout" not in kernel["params"][1]


def test_how_many_blocks_an_op_takes():
    refs = [{"id": i, "type": "ref<f32[8]>"} for i in range(3)]
    view = {"op": "view", "in": [2], "out": [{"id": 7, "type": "ref<f32[4]>"}]}
    copy = {"op": "dma_start", "in": [1, 7, 0]}
    load = {"op": "load", "in": [0], "out": [{"id": 8, "type": "f32[8]"}]}
    def kernel(*ops):
        return {"params": [{"name": name} for name in "xys"], "body": {"args": refs, "ops": list(ops)}}
    assert block_layouts.most_together(kernel(load, view)) == 1
    assert block_layouts.most_together(kernel(load, {"op": "store", "in": [2, 8]}, {"op": "dma_start", "in": [1, 1]})) == 1
    assert block_layouts.most_together(kernel(load, {"op": "if", "in": [], "regions": [{"ops": [view, copy]}]})) == 3


# ---- runs ----

@pytest.fixture(scope="module")
def case(tmp_path_factory):
    pytest.importorskip("jax")
    return physical.all_cases(tmp_path_factory.mktemp("cases"), ["tpu_matmul"])[0]


def test_physical_runs_give_the_bits_of_the_logical_run(case):
    row = physical.examine(case, Effort(emulated=3, sample=24))
    assert (row.blocks, row.layouts, row.run, row.of) == (4, 96, 24, 24 ** 4)
    assert 0 < row.pairs < row.of_pairs == 6 * 24 ** 2
    assert (row.equal, row.different, row.refused, row.illegal) == (24 * 2 + 3, [], 0, {})


def test_physical_runs_of_products():
    product = Product("mma", "f16", "f32", 64, 64, 64)
    row = physical.examine(product, Effort(emulated=2, sample=6))
    assert (row.equal, row.different, row.refused) == (6 * 2 + 2 * 2, [], 0)
    kernel = physical.Kernel.of_product(product)
    assert kernel.run({}, backend="emulator", profile="fast") != kernel.run({}, order="sequential")  # it is mma.sync there


def test_layouts_that_lose_elements_are_found(case, monkeypatch, capsys):
    """Two elements of each row share a place, so that the run loses one of them."""
    def lossy(shape, width):
        yield Transforms(), f"({shape[0]},{shape[1] // 2},2):({shape[1]},2,0)"

    monkeypatch.setattr(physical, "layouts_of", lossy)
    monkeypatch.setattr(physical, "all_cases", lambda work, names: [case])
    assert physical.main(["tpu_matmul", "--sample", "1"]) == 1
    assert "0 equal, 3 different" in capsys.readouterr().out


def test_pairs_that_never_run_are_found(monkeypatch, capsys):
    """Half of the rows leave out pairs; no run differs."""
    full = physical.picks_of
    monkeypatch.setattr(physical, "picks_of", lambda counts, most: itertools.islice(full(counts, most), 60))
    product = Product("mma", "f16", "f32", 16, 8, 16)
    assert not physical.show_all([product], Effort(most=1, emulated=0), 1)
    shown = capsys.readouterr().out
    assert "60 of 2592" in shown and "0 kernels in all their combinations, 0 in all pairs" in shown and "0 different" in shown


def test_an_op_with_three_blocks_wants_more_than_pairs(monkeypatch, capsys):
    monkeypatch.setattr(physical, "most_together", lambda kernel: 3)
    product = Product("mma", "f16", "f32", 16, 8, 16)
    assert not physical.show_all([product], Effort(most=1, emulated=0), 1)
    assert "an op takes 3 blocks: pairs are not enough" in capsys.readouterr().out


def test_every_pair_of_layouts_of_a_kernel_runs(capsys):
    product = Product("mma", "f16", "f32", 16, 8, 16)
    row = physical.examine(product, Effort(most=1, emulated=0))
    assert row.is_covered and row.of_pairs == 8 * 4 + 12 * 18 + 9 * 9
    assert row.of == 8 * 4 * 9 * 9 > row.run == 11 ** 2
    assert physical.show_all([product], Effort(most=1, emulated=0), 1)
    assert f"all {row.of_pairs}" in capsys.readouterr().out


def test_blocks_that_cannot_be_held_so(tmp_path):
    pytest.importorskip("jax")
    row = physical.examine(physical.all_cases(tmp_path, ["atomic_max"])[0], Effort(emulated=0))
    assert row.illegal == {"an atomic op on a block that each program has a copy of": ["o_ref"]} and not row.different
