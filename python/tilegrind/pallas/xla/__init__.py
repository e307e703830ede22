"""A kernel's run as a custom call of XLA to libtilegrind_xla."""
