"""Numpy arrays as arguments of Triton kernels."""

import numpy as np


class Array:
    """A numpy array in ``array``, with what Triton asks of a tensor."""

    def __init__(self, array):
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def data_ptr(self):
        return self.array.ctypes.data


def zeros(*shape, dtype=np.float32):
    return Array(np.zeros(shape, dtype))


def iota(*shape, dtype=np.float32):
    """0, 1, 2, ..., row-major."""
    return Array(np.arange(np.prod(shape), dtype=dtype).reshape(shape))
