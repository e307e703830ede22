"""JAX's own examples of matrix products of Mosaic GPU, from its wheel: pipelines with a thread that brings tiles, clusters, tiles in turn."""

import contextlib
import importlib
from functools import partial
from unittest import mock

from jax.experimental.pallas import mosaic_gpu as plgpu

PROCESSORS = 132  # of an H100 (SXM): the example for Hopper starts a block for each, and asks the GPU how many
TILES = {"tile_m": 128, "tile_n": 128, "tile_k": 64, "max_concurrent_steps": 4}


@contextlib.contextmanager
def _example(generation, interpret):
    """The module of the example, whose kernels run with `interpret`, as it does not hand that on."""
    module = importlib.import_module(f"jax.experimental.pallas.ops.gpu.{generation}_matmul_mgpu")
    more = {} if interpret is None else {"interpret": interpret}
    with mock.patch.object(plgpu, "kernel", partial(plgpu.kernel, **more)):
        yield module


def hopper_example(x, y, interpret=None):
    """Clusters of two blocks share tiles of the right factor."""
    with _example("hopper", interpret) as example, mock.patch.object(example, "get_num_sms", lambda: PROCESSORS):
        return example.matmul(x, y, None, example.TuningConfig(**TILES, cluster_dimension=example.MatmulDimension.M))


def blackwell_example(x, y, interpret=None):
    """Clusters of two blocks multiply together."""
    with _example("blackwell", interpret) as example:
        return example.matmul_kernel(x, y, example.TuningConfig(**TILES, collective=True))
