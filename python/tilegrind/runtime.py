"""The parts of the package that need the C library; importing this module loads it."""

from .arrays import Param, arrays_at, params_of
from .cases import Case, open_case, read_arrays, write_arrays
from .errors import Error, Problem
from .findings import Caller, Finding, Related, Suppressed, findings_of, split_findings
from .memory_cost import AccessCost
from .module import Executable, Module, Run, contract_text, json_of, load, loads, schema, version
from .suppressions import Suppression, Suppressions

__all__ = ["AccessCost", "Caller", "Case", "Error", "Executable", "Finding", "Module", "Param", "Problem", "Related", "Run",
           "Suppressed", "Suppression", "Suppressions", "arrays_at", "contract_text", "findings_of", "json_of", "load", "loads",
           "open_case", "params_of", "read_arrays", "schema", "split_findings", "version", "write_arrays"]
