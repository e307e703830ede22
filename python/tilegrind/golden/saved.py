"""Outputs of implementations that are kept, so that they can be judged anew without the implementation.

    DIR/report.json       which goldens and input sets, with digests of inputs and outputs, and what went wrong
    DIR/NAME/SET.npz      the outputs
"""

import functools
import json
from pathlib import Path

import fastjsonschema
import numpy as np

from .. import json_text, runtime, whole_file
from .bundle import digest_of, type_of
from .faults import Fault
from .bad_bundle import BadBundle
from .folder import NAME, Refused

REPORT, KEY, FORMAT = "report.json", "tilegrind-golden-report", 1
_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_NAMED = {"propertyNames": {"pattern": f"^{NAME.pattern}$"}}
_OUTPUT = {"anyOf": [
    {"type": "object", "additionalProperties": False, "required": ["type", "sha256"],
     "properties": {"type": {"type": "string"}, "sha256": _SHA256}},
    {"type": "object", "additionalProperties": False, "required": ["fault", "note"],
     "properties": {"fault": {"type": "string"}, "note": {"type": "string"}}}]}
_SET = {"type": "object", "additionalProperties": False, "required": ["inputs", "outputs"],
        "properties": {"inputs": {"type": "object", "additionalProperties": _SHA256},
                       "outputs": {"type": "object", "additionalProperties": _OUTPUT}}}
_GOLDEN = {"type": "object", "additionalProperties": False, "required": ["digest", "notes", "sets"],
           "properties": {"digest": _SHA256, "notes": {"type": "array", "items": {"type": "string"}},
                          "sets": {"type": "object", "additionalProperties": _SET, **_NAMED}}}
_SCHEMA = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": False,
           "required": [KEY, "runner", "goldens"],
           "properties": {KEY: {"const": FORMAT}, "runner": {"type": "string"},
                          "goldens": {"type": "object", "additionalProperties": _GOLDEN, **_NAMED}}}


class Saving:
    """A folder that gets outputs, and at the end the report.  Raises Refused for one that has files already."""

    def __init__(self, folder):
        self._folder, self._goldens = Path(folder), {}
        self._folder.mkdir(parents=True, exist_ok=True)
        if any(self._folder.iterdir()):
            raise Refused(f"--save-outputs {folder}: the folder has files already")

    def keeping(self, bundle, implementation, notes):
        """The implementation, whose outputs are kept."""
        row = self._goldens[bundle.name] = {"digest": bundle.digest, "notes": list(notes), "sets": {}}

        def kept(name, arrays):
            # Before the run: an implementation may change its inputs.
            inputs = {one: digest_of(array) for one, array in arrays.items()}
            given = implementation(name, arrays)
            row["sets"][name] = {"inputs": inputs, "outputs": self._keep(bundle.name, name, given)}
            return given

        return kept

    def _keep(self, golden, name, given):
        arrays = {output: np.asarray(array) for output, array in given.items() if not isinstance(array, Fault)}
        if arrays:
            (self._folder / golden).mkdir(exist_ok=True)
            runtime.write_arrays(self._folder / golden / f"{name}.npz", arrays)
        return {output: {"fault": value.kind, "note": value.note} if isinstance(value, Fault) else
                {"type": type_of(arrays[output]), "sha256": digest_of(arrays[output])} for output, value in given.items()}

    def write(self, runner):
        """Writes the report of a runner with a name, "" for none."""
        tree = {KEY: FORMAT, "runner": runner, "goldens": self._goldens}
        whole_file.write(self._folder / REPORT, json.dumps(tree, indent=1, allow_nan=False) + "\n")


class Report:
    """Outputs that were kept, as an implementation.  Raises BadBundle for what is no report.

    path  report.json, or its folder
    """

    def __init__(self, path):
        path = Path(path)
        self._path = path / REPORT if path.is_dir() else path
        tree = _tree(self._path)
        self.name, self._goldens = tree["runner"], tree["goldens"]
        self.goldens = sorted(self._goldens)

    def notes(self, bundle):
        """Texts on what a reader may want to know."""
        row = self._of(bundle)
        changed = [f"the outputs were computed for golden {row['digest'][:16]}, and are judged by {bundle.digest[:16]}"]
        return row["notes"] + changed * (row["digest"] != bundle.digest)

    def implementation(self, bundle):
        """What `checking.check` calls."""
        sets = self._of(bundle)["sets"]

        def saved(name, arrays):
            if name not in sets:
                raise BadBundle(f"{self._path}: it has no outputs of {bundle.name} on inputs {name}; it has "
                                f"{', '.join(sets) or 'none'}")
            if {one: digest_of(array) for one, array in arrays.items()} != sets[name]["inputs"]:
                raise BadBundle(f"{self._path}: the outputs of {bundle.name} on {name} were computed from other inputs than "
                                "the golden has now: run the implementation again")
            return self._outputs(bundle.name, name, sets[name]["outputs"])

        return saved

    def _of(self, bundle):
        if bundle.name not in self._goldens:
            raise BadBundle(f"{self._path}: it has no outputs of golden {bundle.name}; it has "
                            f"{', '.join(self.goldens) or 'none'}")
        return self._goldens[bundle.name]

    def _outputs(self, golden, name, rows):
        path = self._path.parent / golden / f"{name}.npz"
        arrays = _arrays(path) if any("sha256" in row for row in rows.values()) else {}
        for output, row in rows.items():
            if "sha256" in row and (output not in arrays or (type_of(arrays[output]), digest_of(arrays[output]))
                                    != (row["type"], row["sha256"])):
                raise BadBundle(f"{path}: {output} is not the one that {REPORT} names, {row['type']} with SHA-256 "
                                f"{row['sha256'][:16]}...")
        return {output: Fault(row["fault"], row["note"]) if "fault" in row else arrays[output]
                for output, row in rows.items()}


def _arrays(path):
    try:
        return runtime.read_arrays(path)
    except runtime.Error as problem:
        raise BadBundle(str(problem)) from None


@functools.lru_cache
def _validator():
    return fastjsonschema.compile(_SCHEMA)


def _tree(path):
    try:
        tree = json_text.loads(path.read_bytes())
        _validator()(tree)
        return tree
    except OSError as problem:
        raise BadBundle(f"{path}: {problem.strerror}") from None
    except fastjsonschema.JsonSchemaException as problem:
        raise BadBundle(f"{path}: {problem.message.replace('data', 'report', 1)}") from None
    except (ValueError, RecursionError) as problem:
        raise BadBundle(f"{path}: not the JSON of a report: {problem}") from None
