"""Launches of compiled kernels on the arrays of a program."""
