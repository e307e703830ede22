"""JAX's interpreters: replacing them, and running calls in them."""
