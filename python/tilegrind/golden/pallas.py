"""Goldens of JAX functions: each `pallas_call` of the function is one.

NAME is the golden of a function with one call; a function with several has NAME.KERNEL, where names of kernels that occur again
get numbers, as in `tilegrind.pallas.export`.
"""

import json
from dataclasses import dataclass, replace

import jax
import numpy as np

from .. import runtime
from ..pallas import Module, export
from ..case_folders import folder_name
from ..pallas.running import interpreters
from ..pallas.running.launches import Launch, first_operands, launches
from . import checking, oracle, recording
from .changes import changes
from .bad_bundle import BadBundle
from .subject import Subject


class Changed(BadBundle):
    """The function is not the one of which the goldens were recorded; the text says what differs."""


@dataclass(frozen=True)
class Call:
    """A `pallas_call` of a function: the name of its golden, its kernel as Tilegrind reads it, and its place in the jaxpr."""

    golden: str
    kernel: str
    module: Module
    launch: Launch

    def subject(self, contract, operands=None, partly_written=()):
        """The Subject; `operands` are those of the call, from which it takes the inputs that are kept."""
        module = runtime.loads(self.module.dumps())
        params = [param for param in module.params(self.kernel) if param.role in ("prefetch", "input")]
        operands = list(operands or ())
        bounds = len(operands) - len(params) if operands else 0
        given = {param.name: array for param, array in zip(params, operands[bounds:])}
        return Subject(module, self.kernel, tuple(map(int, operands[:bounds])), contract, given, partly_written)


def calls_of(name, fn, args, kwargs, grid_semantics):
    """The Calls of a function, in program order, and its closed jaxpr.  Raises pallas.ExportError."""
    exported = export(fn, *args, grid_semantics=grid_semantics, **kwargs)
    jaxpr = jax.make_jaxpr(fn)(*args, **kwargs)
    found = list(launches(jaxpr))
    names = [name] if len(found) == 1 else [f"{name}.{folder_name(kernel)}" for kernel in exported.names]
    return [Call(golden, kernel["name"], Module([kernel], exported.locations), launch)
            for golden, kernel, launch in zip(names, exported.kernels, found, strict=True)], jaxpr


def record(name, fn, args, kwargs, *, contract, grid_semantics, partly_written, kinds, provenance, progress):
    """A recording.Recorded for each call of a function; see Goldens.record_function."""
    calls, jaxpr = calls_of(name, fn, args, kwargs, grid_semantics)
    unwritten = _partly_written(calls, partly_written)
    operands = first_operands(jaxpr, *jax.tree.leaves((args, kwargs)))
    made = []
    for call in calls:
        if call.launch.path not in operands:
            raise recording.NotRecorded(f"{call.golden}: with these arguments the function does not call kernel {call.kernel}")
        subject = call.subject(contract, operands[call.launch.path], unwritten[call.golden])
        texts = {"function": name, "call": call.kernel, "grid_semantics": json.dumps(grid_semantics), "jax": jax.__version__}
        one = recording.record(call.golden, subject, kinds=kinds, progress=progress, provenance={**provenance, **texts})
        made.append(_held_to_oracle(one, call, subject, progress or (lambda text: None)))
    return made


def _partly_written(calls, names):
    """The outputs of each call that are among the names, "o_ref" or "kernel.o_ref".  Raises ValueError for one that is none."""
    found, unused = {}, set(names)
    for call in calls:
        outputs = [param["name"] for param in call.module.kernels[0]["params"] if param["role"] == "output"]
        found[call.golden] = tuple(one for one in outputs if {one, f"{call.kernel}.{one}"} & set(names))
        unused -= {text for one in outputs for text in (one, f"{call.kernel}.{one}")}
    if unused:
        raise ValueError(f"partly_written: no kernel has an output {min(unused)!r}")
    return found


def _held_to_oracle(made, call, subject, say):
    say(f"{call.golden}: JAX's interpreter in f64")
    try:
        gap = oracle.largest_gap(call.launch, subject, [record.inputs for record in made.bundle.sets])
        texts = {"oracle": oracle.JAX_F64, "oracle_gap": f"{gap:.3g}"}
    except oracle.Unable as problem:
        texts = {"oracle": "none", "oracle_missing": str(problem)}
    return replace(made, bundle=replace(made.bundle, provenance={**made.bundle.provenance, **texts}))


# ---- checking ----


def check(store, name, fn, args, kwargs, *, explain):
    """A checking.Result for each call of a function; see Goldens.check_function."""
    goldens = _goldens_of(store, name)
    calls, _ = calls_of(name, fn, args, kwargs, _semantics(goldens))
    names = [call.golden for call in calls]
    if not goldens:
        store.read(names[0])  # raises
    if set(names) != goldens.keys():
        raise Changed(f"{name}: the calls changed: record them anew; now {', '.join(names)}, recorded {', '.join(goldens)}")
    for call in calls:
        _hold_to_kernel(goldens[call.golden], call)
    return [checking.check(goldens[call.golden], _implementation(call, goldens[call.golden].grid), explain=explain) for call in calls]


def _goldens_of(store, name):
    """The accepted goldens of the function of that name, by their names."""
    found = {one: store.read(one) for one in store.names() if one == name or one.startswith(f"{name}.")}
    return {one: bundle for one, bundle in found.items() if one == name or bundle.provenance.get("function") == name}


def _semantics(goldens):
    """The grid semantics with which the goldens were recorded."""
    texts = {bundle.provenance["grid_semantics"] for bundle in goldens.values() if "grid_semantics" in bundle.provenance}
    found = json.loads(min(texts, default="null"))
    return tuple(found) if isinstance(found, list) else found


def _hold_to_kernel(bundle, call):
    now = runtime.loads(call.module.dumps()).to_json()
    if found := changes(json.loads(bundle.module), json.loads(now)):
        lines = "\n".join(f"  {text}" for text in found)
        raise Changed(f"{call.golden}: the kernel changed: record it anew\n{lines}")


def _implementation(call, grid):
    """Runs the call by itself, as JAX runs it here, and not in Tilegrind in its place."""
    run = call.launch.runner()
    bounds = [np.asarray(bound, atom.aval.dtype) for bound, atom in zip(grid, call.launch.eqn.invars)]
    outputs = [param["name"] for param in call.module.kernels[0]["params"] if param["role"] == "output"]

    def implementation(_, arrays):
        with interpreters.jax_own():
            return dict(zip(outputs, map(np.asarray, run(*bounds, *arrays.values())), strict=True))

    return implementation
