"""Random programs of Triton: what one is made of, and the kinds of steps that it takes."""
