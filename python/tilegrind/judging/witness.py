"""Witnesses: what a kernel should give on some inputs, and how far off a result may be."""

import functools
import json
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import Error
from ..once import Once
from .errors_of_all import problem_of, sums_of
from .verdicts import judge

_EXACT, _BOUND = " exact", " bound"
_TINY = 1e-30  # more than what flushing takes from a sum


class Unjudged(ValueError):
    """No bound can be derived: an operation has no rule.  The text says which, and where."""


class Undecided(ValueError):
    """On these inputs no bound can be derived: a comparison is too close.  The text says which, and where."""


@dataclass(frozen=True)
class Expected:
    """What is expected of one output.

    bits   what the interpreter computes
    exact  R, f64: the result in exact arithmetic; None for integers and bool
    bound  B, f64: how far from R a result that keeps the contract may be; NaN where nobody wrote the element
    signs  whether the sign of a zero is determined where the result is exactly 0
    """

    bits: np.ndarray = field(repr=False)
    exact: np.ndarray | None = field(repr=False, default=None)
    bound: np.ndarray | None = field(repr=False, default=None)
    signs: bool = False

    @property
    def loose(self):
        """The share of written elements whose bound says next to nothing: it reaches half of the result, or is infinite."""
        if self.exact is None or np.all(np.isnan(self.bound)):
            return 0.0
        with np.errstate(invalid="ignore"):
            says_nothing = ~(self.bound < np.abs(self.exact) / 2) & ~(self.bound == 0)
        return float(np.mean(says_nothing[~np.isnan(self.bound)]))


@dataclass(frozen=True)
class Witness:
    """What is expected of all outputs, and the findings of the interpreter's run.

    certain  returns the Witness with certain bounds, where these are probable ones; else None
    sums     returns (output, expected, terms, values) of each output whose errors are judged together (errors_of_all.py)
    """

    outputs: dict
    findings: list = field(repr=False, default_factory=list)
    certain: object = field(repr=False, default=None)
    sums: object = field(repr=False, default=tuple)

    @classmethod
    def of(cls, module, contract, inputs, *, probable=False, kernel=None, grid=(), **options):
        """Runs the kernel and its companions once.

        inputs    an array for each prefetch and input parameter
        contract  a name, or None: only what the interpreter computes
        probable  whether bounds may hold with a probability close to 1 only, as on random inputs they do
        options   as for Module.run
        Raises Unjudged, Undecided, and Error for what the interpreter refuses.
        """
        if contract is None:
            run = module.run(inputs, kernel=kernel, grid=grid, **options)
            return cls({name: Expected(array) for name, array in run.outputs.items()}, run.findings)
        companion = _companion(module, contract, kernel, probable)
        certain = Once(functools.partial(cls.of, module, contract, inputs, kernel=kernel, grid=grid,
                                         **options)) if probable else None
        options["partly_written"] = _with_companions(options.get("partly_written", ()))
        run = companion.run({**inputs, **_initial(companion, inputs)}, grid=grid, **options)
        for finding in run.findings:
            if finding.kind == "check-failed":
                raise Undecided(str(finding))
        signs = _has_signs(module, kernel)
        return cls({name: Expected(array, run.outputs.get(name + _EXACT), run.outputs.get(name + _BOUND), signs)
                    for name, array in run.outputs.items() if not name.endswith((_EXACT, _BOUND))}, run.findings, certain,
                   Once(functools.partial(_sums, module, contract, inputs, kernel, grid)) if probable else tuple)

    def judge(self, outputs):
        """A Verdict for each output; `outputs` has arrays by name."""
        return [judge(name, expected, outputs.get(name)) for name, expected in self.outputs.items()]

    def graded(self, outputs):
        """As `judge`, but "statistical" where only the probable bounds fail, which another run tells, and where the errors
        of all elements together cannot be chance."""
        verdicts = self.judge(outputs)
        if self.certain is not None and any(verdict.kind == "outside" for verdict in verdicts):
            verdicts = [replace(found, kind="statistical") if found.kind == "outside" and not certain.failed else found
                        for found, certain in zip(verdicts, self.certain().judge(outputs), strict=True)]
        if not any(verdict.kind == "within" for verdict in verdicts):
            return verdicts
        problems = {name: problem_of(expected, np.asarray(outputs[name]), terms, values)
                    for name, expected, terms, values in self.sums() if name in outputs}
        return [replace(found, kind="statistical", note=problems[found.output])
                if found.kind == "within" and problems.get(found.output) else found for found in verdicts]


_IEEE = "ieee"


def _sums(module, contract, inputs, kernel, grid):
    """Of each output whose elements are sums that the contract rounds to nearest: its bounds are no wider than those of ieee."""
    found = sums_of(module.to_json(), kernel)
    if not found:
        return ()
    nearest = Witness.of(module, _IEEE, inputs, kernel=kernel, grid=grid).outputs
    own = nearest if contract == _IEEE else Witness.of(module, contract, inputs, kernel=kernel, grid=grid).outputs
    return tuple((name, nearest[name], *found[name]) for name in found
                 if np.all(~(own[name].bound > 1.001 * nearest[name].bound + _TINY)))


@functools.lru_cache(maxsize=64)
def _companion(module, contract, kernel, probable):
    try:
        return module.companion(contract, kernel, probable)
    except Error as problem:
        if problem.status == "ERR_UNSUPPORTED":
            raise Unjudged(str(problem)) from None
        raise


# Ops that leave the sign of a zero open: sums begin with 0 or with their first element, and max(0, -0) is either.
_SIGNLESS = frozenset(("reduce_sum", "dot_general", "cumsum", "add_update", "atomic_rmw", "max", "min", "reduce_max", "reduce_min",
                       "cummax", "cummin", "clamp", "sort", "argmax", "argmin"))


@functools.lru_cache(maxsize=64)
def _has_signs(module, kernel):
    kernels = json.loads(module.to_json())["kernels"]
    chosen = next(found for found in kernels if kernel in (None, found["name"]))
    return not _SIGNLESS & set(_ops(chosen["body"]))


def _ops(region):
    for op in region.get("ops", ()):
        yield op["op"]
        for inner in op.get("regions", ()):
            yield from _ops(inner)


def _with_companions(names):
    """Names of outputs, and of their companions: what stays unwritten has neither R nor B."""
    return tuple(name + ending for name in names for ending in ("", _EXACT, _BOUND))


def _initial(companion, inputs):
    """The companions of inputs that share their memory with an output: the inputs themselves, and no error."""
    found = {}
    for param in companion.params():
        if param.role == "input" and param.name.endswith(_EXACT):
            found[param.name] = np.asarray(inputs[param.name.removesuffix(_EXACT)]).astype(np.float64)
        elif param.role == "input" and param.name.endswith(_BOUND):
            found[param.name] = np.zeros(param.shape, np.float64)
    return found
