"""Runners that come with Tilegrind: each is a program, ``python -m tilegrind.conform.adapters.NAME``."""
