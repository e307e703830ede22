"""What a real GPU is asked: whether it gives what the emulator and the interpreter give (docs/gpu-results.md)."""
