"""Real Pallas kernels on small seeded inputs, which exports, captures and runs must support.

`KERNELS` maps a name to an Acceptance.  Its `run` takes no arguments and makes one or more
``pallas_call``s; it works under `tilegrind.pallas.export` and inside `tilegrind.pallas.capture`,
which makes the calls interpreted.  Both must be called with its `grid_semantics`.

    python conformance/acceptance_kernels.py FOLDER [NAME...]

captures all kernels, or those named, into FOLDER/NAME/.
"""

from __future__ import annotations

import functools
import importlib  # megablox has a function and a module of the same name
import pathlib
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

warnings.filterwarnings("ignore", category=DeprecationWarning, module="jax.*")


GridSemantics = str | tuple[str, ...] | None


@dataclass(frozen=True)
class Acceptance:
    """A program with kernels.

    source          the document or part of the wheel that contains it
    grid_semantics  those of the kernels' grids, if the source does not declare them
    findings        the kinds of findings that the kernels have on purpose
    """

    run: Callable[[], Any]
    source: str
    grid_semantics: GridSemantics = None
    findings: tuple[str, ...] = ()


KERNELS: dict[str, Acceptance] = {}
_source = ""  # of the kernels that are being added


def acceptance(name: str, grid_semantics: GridSemantics = None,
               findings: tuple[str, ...] = ()) -> Callable:
    """Adds a function to KERNELS."""

    def enter(run: Callable[[], Any]) -> Callable[[], Any]:
        KERNELS[name] = Acceptance(run, _source, grid_semantics, findings)
        return run

    return enter


def normal(seed: int, *shape: int, dtype: Any = jnp.float32) -> jax.Array:
    """Standard normal numbers, the same on every machine."""
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


# -- the quickstart and the design document --

_source = "pallas-design.txt"


def _add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


@acceptance("add_vectors")
def add_vectors():
    return pl.pallas_call(_add_kernel, out_shape=i32(8))(jnp.arange(8), jnp.arange(8, 16))


@acceptance("add_blocks")
def add_blocks():
    spec = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(_add_kernel, out_shape=i32(8), grid=(4,), in_specs=[spec, spec],
                          out_specs=spec)(jnp.arange(8), jnp.arange(8, 16))


@acceptance("add_ragged_blocks")
def add_ragged_blocks():
    """The last block reaches beyond the arrays."""
    spec = pl.BlockSpec((4,), lambda i: (i,))
    return pl.pallas_call(_add_kernel, out_shape=f32(10), grid=(3,), in_specs=[spec, spec],
                          out_specs=spec)(normal(0, 10), normal(1, 10))


@acceptance("exp_per_program")
def exp_per_program():
    def exp_kernel(x_ref, o_ref):
        i = pl.program_id(axis=0)
        o_ref[i] = jnp.exp(x_ref[i])

    return pl.pallas_call(exp_kernel, out_shape=f32(8), grid=(8,))(normal(0, 8))


@acceptance("numpy_indexing")
def numpy_indexing():
    def index_kernel(x_ref, y_ref, o_ref, p_ref):
        o_ref[jnp.arange(3), :] = x_ref[0, 2:5, :]
        p_ref[...] = y_ref[jnp.arange(2)[..., None], jnp.arange(3)[None, ...]]

    return pl.pallas_call(index_kernel, out_shape=[f32(3, 4), f32(2, 3)])(
        normal(0, 2, 6, 4), normal(1, 8, 4))


@acceptance("masked_load")
def masked_load():
    def masked_load_kernel(x_ref, o_ref):
        idx = jnp.arange(8)
        mask = idx < 5
        o_ref[...] = plgpu.load(x_ref.at[idx], mask=mask, other=-jnp.inf)

    return pl.pallas_call(masked_load_kernel, out_shape=f32(8))(normal(0, 8))


@acceptance("masked_store", findings=("output-unwritten",))
def masked_store():
    """Three elements of the output are never written."""
    def masked_store_kernel(x_ref, o_ref):
        mask = jnp.arange(8) < 5
        plgpu.store(o_ref.at[pl.ds(0, 8)], x_ref[...], mask=mask)

    return pl.pallas_call(masked_store_kernel, out_shape=f32(8))(normal(0, 8))


def _templated(eltwise: Callable) -> Callable:
    def templated_kernel(x_ref, y_ref, o_ref):
        o_ref[()] = eltwise(x_ref[()] + y_ref[()])

    return pl.pallas_call(templated_kernel, out_shape=f32(), grid=1)


@acceptance("templated_scalar")
def templated_scalar():
    one = jnp.float32(1.0)
    return _templated(lambda x: x * 2)(one, one), _templated(jnp.exp)(one, one)


def _matmul_kernel(x_ref, y_ref, o_ref, *, activation, block_k):
    acc = jnp.zeros((x_ref.shape[0], y_ref.shape[1]), jnp.float32)
    for k in range(x_ref.shape[1] // block_k):
        x = x_ref[:, k * block_k : (k + 1) * block_k]
        y = y_ref[k * block_k : (k + 1) * block_k, :]
        acc += x @ y
    o_ref[:, :] = activation(acc).astype(o_ref.dtype)


@functools.partial(jax.jit, static_argnames=["block_shape", "activation"])
def _matmul(x, y, *, block_shape, activation):
    block_m, block_n, block_k = block_shape
    return pl.pallas_call(
        functools.partial(_matmul_kernel, block_k=block_k, activation=activation),
        out_shape=f32(x.shape[0], y.shape[1]),
        in_specs=[
            pl.BlockSpec((block_m, x.shape[1]), lambda i, j: (i, 0)),
            pl.BlockSpec((y.shape[0], block_n), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((block_m, block_n), lambda i, j: (i, j)),
        grid=(x.shape[0] // block_m, y.shape[1] // block_n),
    )(x, y)


for _name, _activation in (("identity", lambda x: x), ("relu", jax.nn.relu),
                           ("gelu", jax.nn.gelu), ("silu", jax.nn.silu)):
    acceptance(f"matmul_{_name}")(functools.partial(
        lambda activation: _matmul(normal(0, 64, 32), normal(1, 32, 64),
                                   block_shape=(16, 32, 16), activation=activation), _activation))


@acceptance("matmul_document")
def matmul_document():
    """The call as the document has it."""
    return _matmul(jnp.ones((512, 256)), jnp.ones((256, 1024)), block_shape=(128, 256, 128),
                   activation=jax.nn.gelu)


@acceptance("matmul_vmap")
def matmul_vmap():
    multiply = functools.partial(_matmul, block_shape=(16, 16, 16), activation=jnp.tanh)
    return jax.vmap(multiply)(normal(0, 3, 32, 16), normal(1, 3, 16, 32))


@acceptance("add_vmap")
def add_vmap():
    add = pl.pallas_call(_add_kernel, out_shape=f32(8))
    return jax.vmap(add, in_axes=(0, None))(normal(0, 5, 8), normal(1, 8))


@acceptance("grad_inside")
def grad_inside():
    """Differentiation inside a kernel: the gradient of sin is cos."""
    def grad_kernel(x_ref, o_ref):
        o_ref[...] = jax.vmap(jax.grad(jnp.sin))(x_ref[...])

    return pl.pallas_call(grad_kernel, out_shape=f32(8))(normal(0, 8))


@acceptance("grad_outside")
def grad_outside():
    """The derivative of a call: JAX writes the kernel of the tangents."""
    def sin_kernel(x_ref, o_ref):
        o_ref[...] = jnp.sin(x_ref[...])

    call = pl.pallas_call(sin_kernel, out_shape=f32(8))
    return jax.jvp(call, (normal(0, 8),), (normal(1, 8),))


@acceptance("atomic_add")
def atomic_add():
    """Every program adds its block to the same eight sums."""
    def atomic_add_kernel(x_ref, init_ref, o_ref):
        del init_ref
        plgpu.atomic_add(o_ref, (pl.ds(0, 8),), x_ref[...])

    return pl.pallas_call(
        atomic_add_kernel, out_shape=i32(8), grid=(4,),
        in_specs=[pl.BlockSpec((8,), lambda i: (i,)), pl.BlockSpec((8,), lambda i: (0,))],
        out_specs=pl.BlockSpec((8,), lambda i: (0,)), input_output_aliases={1: 0},
    )(jnp.arange(32), jnp.zeros(8, jnp.int32))


@acceptance("atomic_max")
def atomic_max():
    def atomic_max_kernel(x_ref, init_ref, o_ref):
        del init_ref
        plgpu.atomic_max(o_ref, (pl.ds(0, 1),), x_ref[pl.ds(pl.program_id(0), 1)])

    return pl.pallas_call(atomic_max_kernel, out_shape=i32(1), grid=(8,),
                          input_output_aliases={1: 0})(
        jnp.asarray([3, 1, 4, 1, 5, 9, 2, 6]), jnp.zeros(1, jnp.int32))


@acceptance("atomic_cas")
def atomic_cas():
    """The one program that finds 0 leaves its mark."""
    def atomic_cas_kernel(init_ref, lock_ref, o_ref):
        del init_ref
        o_ref[()] = plgpu.atomic_cas(lock_ref, jnp.int32(0), jnp.int32(7))

    return pl.pallas_call(atomic_cas_kernel, out_shape=[i32(), i32()],
                          input_output_aliases={0: 0})(jnp.int32(0))


# -- the page on grids and block specs --

_source = "grid-blockspec.txt"


@acceptance("iota")
def iota():
    def iota_kernel(o_ref):
        i = pl.program_id(0)
        o_ref[i] = i

    return pl.pallas_call(iota_kernel, out_shape=i32(8), grid=(8,))()


def _show_program_ids(x_shape, block_shape, grid, index_map=None):
    """Fills each block with the decimal digits of its program ids."""
    def program_ids_kernel(o_ref):
        axes = 0
        for axis in range(len(grid)):
            axes += pl.program_id(axis) * 10 ** (len(grid) - 1 - axis)
        o_ref[...] = jnp.full(o_ref.shape, axes)

    return pl.pallas_call(program_ids_kernel, out_shape=i32(*x_shape), grid=grid, in_specs=[],
                          out_specs=pl.BlockSpec(block_shape, index_map))()


def _show(name: str, *args: Any, **options: Any) -> None:
    semantics = options.pop("grid_semantics", None)
    acceptance(f"program_ids_{name}", semantics)(functools.partial(_show_program_ids, *args))


_show("even", (8, 6), (2, 3), (4, 2), lambda i, j: (i, j))
_show("ragged", (7, 5), (2, 3), (4, 2), lambda i, j: (i, j))
_show("smaller", (1, 2), (2, 3), (1, 1), lambda i, j: (i, j))
_show("revisited", (8, 6), (2, 3), (4, 2, 10), lambda i, j, k: (i, j),
      grid_semantics=("parallel", "parallel", "arbitrary"))
_show("no_block", (4, 4), None, (2, 3), None, grid_semantics="arbitrary")
_show("whole_block", (4, 4), (4, 4), (2, 3), None, grid_semantics="arbitrary")
_show("element", (8, 6), (pl.Element(2), pl.Element(3)), (4, 2), lambda i, j: (2 * i, 3 * j))
_show("element_padded", (7, 7), (pl.Element(2, (1, 0)), pl.Element(3, (2, 0))), (4, 3),
      lambda i, j: (2 * i, 3 * j))


def _mark_slices(x_shape, block_shape, grid, index_map):
    """As _show_program_ids, but only programs whose third id is 0 write."""
    def mark_kernel(o_ref):
        ids = [pl.program_id(axis) for axis in range(3)]

        @pl.when(ids[2] == 0)
        def _():
            o_ref[...] = jnp.full(o_ref.shape, 100 * ids[0] + 10 * ids[1] + ids[2])

    return pl.pallas_call(mark_kernel, out_shape=i32(*x_shape), grid=grid, in_specs=[],
                          out_specs=pl.BlockSpec(block_shape, index_map))()


for _name, _shape, _grid in (("even", (100, 100), (10, 5, 1)),
                             ("revisited", (100, 100), (10, 5, 4)),
                             ("beyond", (100, 90), (10, 5, 1))):
    acceptance(f"slices_{_name}", ("parallel", "parallel", "arbitrary"))(functools.partial(
        _mark_slices, _shape, (10, 20), _grid, lambda i, j, k: (i, j)))


@acceptance("squeezed")
def squeezed():
    def squeezed_kernel(o_ref):
        o_ref[...] = jnp.full((2,), 10 * pl.program_id(1) + pl.program_id(0))

    return pl.pallas_call(squeezed_kernel, i32(3, 4), grid=(3, 2),
                          out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j)))()


@acceptance("overlapping_blocks")
def overlapping_blocks():
    """A sliding sum: windows of four elements, two apart."""
    def window_kernel(x_ref, o_ref):
        o_ref[0] = jnp.sum(x_ref[...])

    return pl.pallas_call(
        window_kernel, out_shape=f32(7), grid=(7,),
        in_specs=[pl.BlockSpec((pl.Element(4),), lambda i: (2 * i,))],
        out_specs=pl.BlockSpec((1,), lambda i: (i,)))(normal(0, 16))


@acceptance("padded_windows", findings=("undefined-output",))
def padded_windows():
    """A three-point stencil whose first and last windows reach into the padding, which it takes to be NaN."""
    def stencil_kernel(x_ref, o_ref):
        window = x_ref[...]
        o_ref[0] = jnp.sum(jnp.where(jnp.isnan(window), 0.0, window))

    return pl.pallas_call(
        stencil_kernel, out_shape=f32(8), grid=(8,),
        in_specs=[pl.BlockSpec((pl.Element(3, (1, 1)),), lambda i: (i,))],
        out_specs=pl.BlockSpec((1,), lambda i: (i,)))(normal(0, 8))


@acceptance("scalar_prefetch")
def scalar_prefetch():
    """Blocks chosen by an array that the index map reads."""
    def copy_kernel(order_ref, x_ref, o_ref):
        del order_ref
        o_ref[...] = x_ref[...]

    return pl.pallas_call(copy_kernel, out_shape=f32(4, 8), grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(4,),
        in_specs=[pl.BlockSpec((1, 8), lambda i, order: (order[i], 0))],
        out_specs=pl.BlockSpec((1, 8), lambda i, order: (i, 0))))(
            jnp.asarray([2, 0, 3, 1], jnp.int32), normal(0, 4, 8))


@acceptance("dynamic_grid")
def dynamic_grid():
    def count_kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    @jax.jit
    def count(steps):
        return pl.pallas_call(count_kernel, out_shape=i32(8), grid=(steps,))()

    return count(jnp.int32(8))


# -- kernels of the wheel for the GPU --

_source = "ops/gpu"


@acceptance("softmax")
def softmax():
    from jax.experimental.pallas.ops.gpu import softmax as kernels

    return kernels.softmax(normal(0, 3, 100))


@acceptance("softmax_f16")
def softmax_f16():
    from jax.experimental.pallas.ops.gpu import softmax as kernels

    return kernels.softmax(normal(0, 2, 64, dtype=jnp.float16))


def _norm_args() -> tuple[jax.Array, ...]:
    return normal(0, 2, 32, 100), normal(1, 100), normal(2, 100)


@acceptance("layer_norm")
def layer_norm():
    from jax.experimental.pallas.ops.gpu import layer_norm as kernels

    return kernels.layer_norm(*_norm_args())


@acceptance("layer_norm_grad")
def layer_norm_grad():
    from jax.experimental.pallas.ops.gpu import layer_norm as kernels

    return jax.grad(lambda *args: kernels.layer_norm(*args).sum(), argnums=(0, 1, 2))(*_norm_args())


@acceptance("rms_norm")
def rms_norm():
    from jax.experimental.pallas.ops.gpu import rms_norm as kernels

    return kernels.rms_norm(*_norm_args())


@acceptance("rms_norm_grad")
def rms_norm_grad():
    from jax.experimental.pallas.ops.gpu import rms_norm as kernels

    return jax.grad(lambda *args: kernels.rms_norm(*args).sum(), argnums=(0, 1, 2))(*_norm_args())


def _mha(q, k, v, *, causal=False, segment_ids=None):
    from jax.experimental.pallas.ops.gpu import attention as kernels

    blocks = kernels.BlockSizes(block_q=64, block_k=64, block_q_dkv=64, block_kv_dkv=64,
                                block_q_dq=64, block_kv_dq=64)
    return kernels.mha(q, k, v, segment_ids, sm_scale=0.125, causal=causal, block_sizes=blocks)


def _qkv(*shape: int, dtype: Any = jnp.float32) -> tuple[jax.Array, ...]:
    return tuple(normal(seed, *shape, dtype=dtype) for seed in range(3))


@acceptance("mha")
def mha():
    return _mha(*_qkv(1, 128, 2, 64))


@acceptance("mha_causal_f16")
def mha_causal_f16():
    return _mha(*_qkv(1, 128, 2, 64, dtype=jnp.float16), causal=True)


@acceptance("mha_padded_head")
def mha_padded_head():
    """A head of 48 columns in a block of 64."""
    return _mha(*_qkv(1, 128, 2, 48))


@acceptance("mha_segments")
def mha_segments():
    segments = jnp.asarray(np.repeat([[0, 1]], 64, axis=1), jnp.int32)
    return _mha(*_qkv(1, 128, 2, 64), segment_ids=segments)


@acceptance("mha_grad")
def mha_grad():
    return jax.grad(lambda *qkv: _mha(*qkv, causal=True).sum(), argnums=(0, 1, 2))(
        *_qkv(1, 128, 2, 64))


@acceptance("decode_mqa")
def decode_mqa():
    from jax.experimental.pallas.ops.gpu import decode_attention as kernels

    return kernels.mqa(normal(0, 2, 4, 16), normal(1, 2, 64, 16), normal(2, 2, 64, 16),
                       kv_seq_len=jnp.asarray([40, 64]), block_k=16, k_splits=2)


@acceptance("decode_gqa")
def decode_gqa():
    from jax.experimental.pallas.ops.gpu import decode_attention as kernels

    return kernels.gqa(normal(0, 1, 8, 16), normal(1, 1, 64, 2, 16), normal(2, 1, 64, 2, 16),
                       block_k=16, k_splits=2)


@acceptance("paged_attention")
def paged_attention():
    from jax.experimental.pallas.ops.gpu import paged_attention as kernels

    tables = np.random.default_rng(3).permutation(16).reshape(2, 8)
    return kernels.paged_attention(
        normal(0, 2, 8, 16), normal(1, 2, 16, 8, 16), normal(2, 2, 16, 8, 16),
        jnp.asarray(tables, jnp.int32), jnp.asarray([30, 61], jnp.int32),
        pages_per_compute_block=2, k_splits=2, attn_logits_soft_cap=5.0)


# -- kernels of the wheel for the TPU --

_source = "ops/tpu"


@acceptance("tpu_double", "arbitrary")
def tpu_double():
    from jax.experimental.pallas.ops.tpu import example_kernel as kernels

    return kernels.double(normal(0, 8, 128))


@acceptance("tpu_matmul", "arbitrary")
def tpu_matmul():
    from jax.experimental.pallas.ops.tpu import matmul as kernels

    return kernels.matmul(normal(0, 64, 96), normal(1, 96, 64), block_shape=(32, 32), block_k=32)


@acceptance("tpu_matmul_int8", "arbitrary")
def tpu_matmul_int8():
    from jax.experimental.pallas.ops.tpu import matmul as kernels

    numbers = np.random.default_rng(0).integers(-9, 9, (2, 32, 32))
    x, y = jnp.asarray(numbers, jnp.int8)
    return kernels.matmul(x, y, block_shape=(16, 16), block_k=16, out_dtype=jnp.int32)


def _flash(q, k, v, *, causal: bool = True, segment_ids: Any = None):
    from jax.experimental.pallas.ops.tpu import flash_attention as kernels

    block = 128
    blocks = kernels.BlockSizes(
        block_q=block, block_k_major=block, block_k=block, block_b=1, block_q_major_dkv=block,
        block_k_major_dkv=block, block_k_dkv=block, block_q_dkv=block, block_k_major_dq=block,
        block_k_dq=block, block_q_dq=block)
    if segment_ids is not None:
        segment_ids = kernels.SegmentIds(segment_ids, segment_ids)
    return kernels.flash_attention(q, k, v, segment_ids=segment_ids, causal=causal, sm_scale=0.1,
                                   block_sizes=blocks)


@acceptance("tpu_flash_attention", "arbitrary")
def tpu_flash_attention():
    return _flash(*_qkv(1, 2, 256, 128))


@acceptance("tpu_flash_attention_segments", "arbitrary")
def tpu_flash_attention_segments():
    segments = jnp.asarray(np.repeat([[0, 1]], 128, axis=1), jnp.int32)
    return _flash(*_qkv(1, 1, 256, 128), causal=False, segment_ids=segments)


@acceptance("tpu_flash_attention_grad", "arbitrary")
def tpu_flash_attention_grad():
    """Three kernels: forward with residuals, dk and dv, dq."""
    return jax.grad(lambda *qkv: _flash(*qkv).sum(), argnums=(0, 1, 2))(*_qkv(1, 1, 256, 128))


@acceptance("tpu_gmm", "arbitrary")
def tpu_gmm():
    """A scalar-prefetched table of groups and a grid of dynamic size."""
    kernels = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")
    return kernels.gmm(normal(0, 128, 128), normal(1, 3, 128, 128),
                       jnp.asarray([40, 24, 64], jnp.int32), tiling=(32, 128, 128), interpret=True)


@acceptance("tpu_tgmm", "arbitrary")
def tpu_tgmm():
    kernels = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")
    return kernels.tgmm(normal(0, 128, 128), normal(1, 128, 128),
                        jnp.asarray([40, 24, 64], jnp.int32), tiling=(32, 128, 128),
                        interpret=True)


def main(argv: list[str]) -> int:
    """Captures kernels into folders; returns how many of them left no case."""
    from tilegrind.pallas import capture

    if not argv:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(argv[0])
    failures = 0
    for name in argv[1:] or KERNELS:
        with capture(folder / name, KERNELS[name].grid_semantics) as captured:
            jax.block_until_ready(KERNELS[name].run())
        failures += bool(captured.errors) or not captured.cases
        print(f"{name}: {len(captured.cases)} cases", *captured.errors, sep="\n  ")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
