"""Conformance checks: each folder is a collection of cases with the script that runs them.

A script puts the root of the repository on the path; `python -m conformance.defects.run` has it there anyway.  Sub-folders have no
`__init__.py`: to the scripts of this folder `jax` is the library, not the folder."""
