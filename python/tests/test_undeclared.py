"""One axis without declared semantics: one finding for each output that its programs share, and one hint."""

import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind.pallas as tp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, WIDTH, BLOCK = 64, 32, 16
SHARED = ("dw_ref", "db_ref", "largest_ref", "count_ref", "loss_ref")


def layer_norm_backward(x_ref, w_ref, g_ref, mean_ref, rstd_ref, dx_ref, dw_ref, db_ref, largest_ref, count_ref, loss_ref):
    """The gradients of layer norm; all outputs but `dx_ref` are gathered over the blocks of rows."""
    @pl.when(pl.program_id(0) == 0)
    def _():
        dw_ref[...] = jnp.zeros_like(dw_ref)
        db_ref[...] = jnp.zeros_like(db_ref)
        largest_ref[...] = jnp.zeros_like(largest_ref)
        count_ref[...] = jnp.zeros_like(count_ref)
        loss_ref[...] = jnp.zeros_like(loss_ref)

    x = (x_ref[...] - mean_ref[...][:, None]) * rstd_ref[...][:, None]
    wg = g_ref[...] * w_ref[...]
    dx = (wg - x * jnp.mean(x * wg, axis=1, keepdims=True) - jnp.mean(wg, axis=1, keepdims=True)) * rstd_ref[...][:, None]
    dx_ref[...] = dx
    dw_ref[...] += jnp.sum(g_ref[...] * x, axis=0)
    db_ref[...] += jnp.sum(g_ref[...], axis=0)
    largest_ref[...] = jnp.maximum(largest_ref[...], jnp.max(jnp.abs(dx)))
    count_ref[...] += jnp.sum((dx > 0).astype(jnp.float32))
    loss_ref[...] += jnp.sum(dx * dx)

    @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
    def _():
        dw_ref[...] = dw_ref[...] / ROWS
        db_ref[...] = db_ref[...] / ROWS
        loss_ref[...] = jnp.sqrt(loss_ref[...])


def backward(inputs, **options):
    rows, row = pl.BlockSpec((BLOCK, WIDTH), lambda i: (i, 0)), pl.BlockSpec((BLOCK,), lambda i: (i,))
    wide, one = pl.BlockSpec((WIDTH,), lambda i: (0,)), pl.BlockSpec((1,), lambda i: (0,))
    shapes = [(ROWS, WIDTH), (WIDTH,), (WIDTH,), (1,), (1,), (1,)]
    return pl.pallas_call(
        layer_norm_backward, grid=(ROWS // BLOCK,), in_specs=[rows, wide, rows, row, row], interpret=True,
        out_specs=[rows, wide, wide, one, one, one], out_shape=[jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes],
        **options)(*inputs)


@pytest.fixture(scope="module")
def inputs():
    random = np.random.default_rng(1)
    return [jnp.asarray(random.standard_normal(shape), jnp.float32)
            for shape in ((ROWS, WIDTH), (WIDTH,), (ROWS, WIDTH), (ROWS,), (ROWS,))]


def told(folder, inputs, **options):
    """The lines that the command prints of the kernel's races."""
    with tp.capture(folder, **options):
        backward(inputs)
    command = [os.environ["TILEGRIND"], "run", next(folder.iterdir()), "--check", "races"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    return done.stdout.splitlines()


def test_lines_before_and_after(tmp_path, inputs):
    """Where the axis is declared parallel, each pair of lines is told by itself, as it once was where nobody declared it."""
    apart, folded = told(tmp_path / "a", inputs, grid_semantics="parallel"), told(tmp_path / "b", inputs)
    assert sum(line.startswith("race: ") for line in apart) == 16
    assert [line.split()[4] for line in folded if line.startswith("race: ")] == [f"{name}[0]," for name in SHARED]
    assert (len(apart), len(folded)) == (230, 96)
    hints = [line for line in folded if "hint" in line]
    assert hints == [next(line for line in folded if 'dimension_semantics=("arbitrary",)' in line)]
    assert not any("hint" in line for line in apart)


def test_what_the_hint_says_works(inputs):
    with tp.check(on_finding="collect") as checked:
        backward(inputs)
    races = [finding for finding in checked.findings if finding.kind == "race"]
    assert [finding.param for finding in races] == list(SHARED)
    assert all('CompilerParams(dimension_semantics=("arbitrary",))' in finding.hint for finding in races)
    assert str(checked.findings[0]).count("= hint: axis 0 of the grid has no declared semantics") == 1
    with tp.check(fail_on="note"):
        backward(inputs, compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)))
    for options in ({"grid_semantics": ("arbitrary",)}, {"target": "tpu"}):
        with tp.check(fail_on="note", **options):
            backward(inputs)


def test_a_hint_is_told_once(inputs):
    with pytest.raises(tp.FindingError) as caught:
        with tp.check():
            backward(inputs)
    assert str(caught.value).count("   = hint: ") == 1 and str(caught.value).count("race: ") == len(SHARED)


def test_axes_that_vmap_adds_are_not_in_the_tuple(inputs):
    with tp.check(on_finding="collect") as checked:
        jax.vmap(lambda *arrays: backward(arrays))(*(jnp.stack([array] * 2) for array in inputs))
    hint = checked.findings[0].hint
    assert hint.startswith("axis 1 of the grid") and 'dimension_semantics=("arbitrary",)' in hint
