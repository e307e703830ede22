"""What code that `plgpu.inline_mgpu` inserts does, from the MLIR that it emits."""
