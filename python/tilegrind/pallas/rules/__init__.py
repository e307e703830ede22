"""A rule for each primitive of JAX, which appends its operations.  To import the package is to fill the table of rules."""

from . import (cluster_launch, control, dma, gpu, inline, memory, multimem, random, rearrange, tcgen05, tpu, values,  # noqa: F401
               wgmma)
