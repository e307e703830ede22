"""``tilegrind conform``: judges any implementation of the kernel language, in another process (docs/conformance.md)."""
