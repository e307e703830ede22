"""Kernels as data, without JAX: the builder of operations, element types, the module and its text, and what follows from a kernel alone."""
