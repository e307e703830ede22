"""Which program stored each element last."""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu
from mutant_kernels import ATOMIC, DMA, GRID, HEADS, LAST_WINS, Row, blocks, call_of, normal
from test_mutants_kernels import module_of
from tilegrind.mutants import places_of, tiles_of, writers_of
from tilegrind.mutants.writers import with_writers
from tilegrind.pallas import export


def writers(row, **options):
    module, inputs = module_of(row)
    names = [p["name"] for p in module["kernels"][0]["params"] if p["role"] == "output"]
    return list(writers_of(module, names, inputs, **options).values())


def test_blocks():
    [found] = writers(GRID)
    assert found.tolist() == np.repeat(np.repeat(np.arange(8).reshape(2, 4), 4, 0), 2, 1).tolist()


def test_the_last_of_several():
    assert (writers(LAST_WINS)[0] == 7).all()
    racing = Row(LAST_WINS.call, LAST_WINS.inputs, semantics="parallel")
    assert (writers(racing, order="reversed")[0] == 0).all()


def test_ragged_blocks():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    row = Row(call_of(kernel, (5,), grid=(3,), in_specs=[blocks(2)], out_specs=blocks(2)), (normal(5),))
    assert writers(row)[0].tolist() == [0, 0, 1, 1, 2]
    assert tiles_of(module_of(row)[0]) == {"o_ref": (2,)}


def test_the_line_of_the_last_store():
    """Two stores to the same place, of which the second is made by some programs alone."""
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.when(pl.program_id(0) == 1)
        def _():
            o_ref[...] = x_ref[...] + 1

    row = Row(call_of(kernel, (5,), grid=(3,), in_specs=[blocks(2)], out_specs=blocks(2)), (normal(5),))
    module, inputs = module_of(row)
    first = kernel.__code__.co_firstlineno + 1
    [found] = places_of(module, ["o_ref"], inputs).values()
    assert [module["locations"][number - 1]["line"] - first for number in found] == [0, 0, 4, 4, 0]
    del module["locations"]
    module = json.loads(re.sub(r', "(loc|caller)": \d+', "", json.dumps(module)))
    assert (places_of(module, ["o_ref"], inputs)["o_ref"] == 0).all()


def test_squeezed_and_whole_blocks():
    def kernel(o_ref, p_ref):
        o_ref[...] = jnp.full((2,), pl.program_id(1))
        p_ref[pl.program_id(1), pl.program_id(0)] = pl.program_id(0)

    call = pl.pallas_call(kernel, [jax.ShapeDtypeStruct((3, 4), jnp.int32), jax.ShapeDtypeStruct((2, 3), jnp.int32)],
                          grid=(3, 2), out_specs=[pl.BlockSpec((None, 2), lambda i, j: (i, j)), pl.BlockSpec()])
    row = Row(call, ())
    first, second = writers(row)
    assert first.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]] and second.tolist() == [[0, 2, 4], [1, 3, 5]]
    assert list(tiles_of(module_of(row)[0]).values()) == [(1, 2), (2, 3)]


def test_masks_and_elements_that_nobody_stores():
    def kernel(x_ref, o_ref):
        plgpu.store(o_ref.at[pl.ds(0, 8)], x_ref[...], mask=jnp.arange(8) < 5)

    assert writers(Row(call_of(kernel, (8,)), (normal(8),)))[0].tolist() == [0] * 5 + [-1] * 3


def test_views_atomics_aliases_and_copies():
    def kernel(x_ref, o_ref):
        o_ref.at[2:6].reshape(2, 2).at[1][...] = x_ref[:2]

    assert writers(Row(call_of(kernel, (8,)), (normal(8),)))[0].tolist() == [-1] * 4 + [0, 0] + [-1] * 2
    assert (writers(ATOMIC)[0] == 3).all()
    assert writers(HEADS)[0][:, 0].tolist() == [0, 1, 2, 3]
    assert (writers(DMA)[0] == 0).all()


def test_copies_to_an_output():
    def kernel(x_ref, o_ref, sem):
        copy = pltpu.make_async_copy(x_ref.at[pl.ds(2, 4)], o_ref.at[pl.ds(4, 4)], sem)
        copy.start()
        copy.wait()

    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    row = Row(call_of(kernel, (8,), in_specs=[anywhere], out_specs=anywhere,
                      scratch_shapes=[pltpu.SemaphoreType.DMA]), (normal(8),))
    assert writers(row)[0].tolist() == [-1] * 4 + [0] * 4


def test_a_dynamic_grid():
    def kernel(o_ref):
        o_ref[pl.program_id(1)] = pl.num_programs(0)

    def run(size):
        return call_of(kernel, (4,), np.int32, grid=(size, 4))()

    module = json.loads(export(run, jax.ShapeDtypeStruct((), jnp.int32), grid_semantics="arbitrary").dumps())
    assert writers_of(module, ["o_ref"], {}, grid=[3])["o_ref"].tolist() == [8, 9, 10, 11]


def bitcast(dtype):
    def kernel(o_ref):
        view = o_ref.bitcast(dtype)
        view[1:] = jnp.zeros((view.shape[0] - 1, 4), dtype)

    return Row(call_of(kernel, (2, 4)), ())


def test_a_bitcast_view_of_the_same_width():
    assert writers(bitcast(jnp.int32))[0].tolist() == [[-1] * 4, [0] * 4]


def test_a_bitcast_view_of_another_width_is_refused():
    with pytest.raises(ValueError, match=r"view_bitcast at .*: a store through a bitcast view"):
        writers(bitcast(jnp.int16))


def test_an_output_that_is_none():
    module, _ = module_of(GRID)
    with pytest.raises(ValueError, match="kernel copy_kernel has no output x_ref"):
        with_writers(module, ["x_ref"])


def test_the_outputs_stay_as_they_are():
    module, inputs = module_of(GRID)
    both = tilegrind.loads(json.dumps(with_writers(module, ["o_ref"]))).run(inputs)
    assert not both.findings
    assert both.outputs["o_ref"].tobytes() == tilegrind.loads(json.dumps(module)).run(inputs).outputs["o_ref"].tobytes()


def test_products_beside_the_program():
    """Program 1 multiplies into the whole output, which program 0 has filled."""
    def op(name, ins=(), out=None, **attrs):
        return {"op": name, "in": list(ins), **({"out": [{"id": out[0], "type": out[1]}]} if out else {}), **attrs}

    whole = {"index": [["slice", 0, 2, 1], ["slice", 0, 2, 1]]}
    module = {"tilegrind": "0.1", "kernels": [{
        "name": "k", "grid": [{"size": 2, "semantics": "arbitrary", "name": "i"}],
        "params": [{"name": name, "role": role, "type": "f32[2,2]"} for name, role in (("x", "input"), ("o", "output"))],
        "body": {"args": [{"id": n, "type": "ref<f32[2,2]>"} for n in (0, 1)], "ops": [
            op("program_id", out=(2, "i32[]"), axis=0), op("constant", out=(3, "f32[2,2]"), value=0),
            op("constant", out=(4, "i32[]"), value=0),
            op("switch", [2], regions=[
                {"ops": [op("store", [1, 3], **whole)]},
                {"ops": [op("dot_start", [1, 0, 0]), op("dot_commit"), op("dot_wait_groups", [4])]}])]}}]}
    [found] = writers_of(module, ["o"], {"x": np.ones((2, 2), np.float32)}).values()
    assert (found == 1).all()
