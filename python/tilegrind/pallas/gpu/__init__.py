"""What only kernels of Mosaic GPU have: clusters, warps, shared memory, tensor memory, and code that they insert."""
