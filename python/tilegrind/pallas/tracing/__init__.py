"""What JAX has traced, read: jaxprs, arrays of random keys in them, and the lines of the source that equations come from."""
