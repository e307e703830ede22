"""A rule for each primitive of JAX, which appends its operations.  To import the package is to fill the table of rules."""

from . import (barriers, cluster_launch, control, dma, dot, elementwise, gpu, grid, inline, memory, multimem, random,  # noqa: F401
               rearrange, reductions, semaphores, shapes, tcgen05, tma, tpu, wgmma)
