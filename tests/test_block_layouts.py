"""Layouts of blocks against a model that moves an array's elements; and what the comparison of physical runs finds."""

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


def test_each_choice_occurs_among_the_first_combinations():
    choices = [[(Transforms(), f"{i}.{k}") for k in range(count)] for i, count in enumerate((30, 4, 1, 24))]
    picked = list(physical.combinations(choices, 30))
    assert len({tuple(text for _, text in picks) for picks in picked}) == 30
    assert {text for picks in picked for _, text in picks} == {text for choice in choices for _, text in choice}
    assert len(list(physical.combinations(choices, 50))) == 50
    assert len(list(physical.combinations(choices[1:3], 50))) == 4


# ---- runs ----

@pytest.fixture(scope="module")
def case(tmp_path_factory):
    pytest.importorskip("jax")
    return physical.all_cases(tmp_path_factory.mktemp("cases"), ["tpu_matmul"])[0]


def test_physical_runs_give_the_bits_of_the_logical_run(case):
    row = physical.examine(case, 24, 3)
    assert (row.blocks, row.layouts, row.run, row.of) == (4, 96, 24, 24 ** 4)
    assert (row.equal, row.different, row.refused, row.illegal) == (24 * 2 + 3, [], 0, {})


def test_physical_runs_of_products():
    product = Product("mma", "f16", "f32", 64, 64, 64)
    row = physical.examine(product, 6, 2)
    assert (row.equal, row.different, row.refused) == (6 * 2 + 2 * 2, [], 0)
    kernel = physical.Kernel.of_product(product)
    assert kernel.run({}, backend="emulator", profile="fast") != kernel.run({}, order="sequential")  # it is mma.sync there


def test_layouts_that_lose_elements_are_found(case, monkeypatch, capsys):
    """Two elements of each row share a place, so that the run loses one of them."""
    def lossy(shape, width):
        yield Transforms(), f"({shape[0]},{shape[1] // 2},2):({shape[1]},2,0)"

    monkeypatch.setattr(physical, "layouts_of", lossy)
    monkeypatch.setattr(physical, "all_cases", lambda work, names: [case])
    assert physical.main(["tpu_matmul", "--most", "1"]) == 1
    assert "0 equal, 3 different" in capsys.readouterr().out


def test_blocks_that_cannot_be_held_so(tmp_path):
    pytest.importorskip("jax")
    row = physical.examine(physical.all_cases(tmp_path, ["atomic_max"])[0], 4, 0)
    assert row.illegal == {"an atomic op on a block that each program has a copy of": ["o_ref"]} and not row.different
