"""Kernels of the suite that carry their source."""


def cases():
    return []
