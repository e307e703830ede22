"""Judging results of kernels: made inputs, what should come out and how far off it may be, and verdicts.

>>> inputs = InputSet("normal", seed=1).arrays(module.params())
>>> witness = Witness.of(module, "ieee", inputs)
>>> witness.judge(outputs)
[Verdict(output='o', kind='within', ...)]
"""

from .inputs import InputSet, Unfit
from .verdicts import FAILURES, Verdict, judge
from .witness import Expected, Undecided, Unjudged, Witness

__all__ = ["FAILURES", "Expected", "InputSet", "Undecided", "Unfit", "Unjudged", "Verdict", "Witness", "judge"]
