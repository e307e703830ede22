"""Kernels of our own that Triton compiles: what its reductions, scans, products and atomics become in PTX."""
