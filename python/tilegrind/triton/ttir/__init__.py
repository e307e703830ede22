"""The text of TTIR, Triton's own intermediate representation, as data."""
