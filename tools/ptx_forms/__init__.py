"""Expands the forms of the elementary functions for PTX; tools/gen_ptx_forms.py is the command."""
