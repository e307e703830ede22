"""What Triton makes of a launch for a GPU of NVIDIA, run in the emulator, without a GPU."""
