"""Shards: which part of the work one of several jobs does.  The one convention of all commands: shards count from 0.

What a shard has follows from names or ids alone, so that what is added moves nothing else.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from .digests import digest

# (number of this job, how many there are) in the environment of its scheduler.
_SOURCES = (
    ("TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS"),  # Bazel
    ("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT"),
    ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"),
    ("JOB_COMPLETION_INDEX", "JOB_COMPLETION_COUNT"),  # Kubernetes sets the first, the manifest the second
)
_BAZEL_STATUS = "TEST_SHARD_STATUS_FILE"  # Bazel: a test that supports shards creates this file


HELP = ("only part I of N, I from 0 to N - 1; auto or auto/N: as the environment of Slurm, Kubernetes, Bazel or Buildkite "
        "says; by default all, or the part that Bazel asks for")


class BadShard(ValueError):
    """An option or an environment that says no shard."""


@dataclass(frozen=True)
class Shard:
    """Shard `index` of `count`; 0 <= index < count."""

    index: int = 0
    count: int = 1

    def has_id(self, unit):
        """Whether what has this id, a hexadecimal number, belongs to it."""
        return int(unit, 16) % self.count == self.index

    def has(self, name):
        """Whether what has this name belongs to it: by the digest of the name."""
        return self.has_id(digest(name))

    def __str__(self):
        return f"{self.index}/{self.count}"


def _shard(index, count, what):
    if not 0 <= index < count:
        raise BadShard(f"{what}: shards of {count} are 0/{count} to {count - 1}/{count}, and this is {index}/{count}")
    return Shard(index, count)


def _number(environment, name, default=None):
    try:
        return int(environment[name]) if default is None or name in environment else default
    except ValueError:
        raise BadShard(f"{name} is {environment[name]!r} in the environment, and not a number") from None


def _from_environment(environment, count):
    for index_name, count_name in _SOURCES:
        if index_name not in environment:
            continue
        if count is None and count_name not in environment:
            raise BadShard(f"--shard auto: the environment has {index_name} and no {count_name}: say --shard auto/COUNT")
        index = _number(environment, index_name)
        if index_name == "SLURM_ARRAY_TASK_ID":  # which need not count from 0, nor by 1
            least, step = (_number(environment, f"SLURM_ARRAY_TASK_{name}", i) for i, name in enumerate(("MIN", "STEP")))
            index = (index - least) // step
        return _shard(index, count or _number(environment, count_name), f"--shard auto, by {index_name}")
    names = ", ".join(source[0] for source in _SOURCES)
    raise BadShard(f"--shard auto: the environment has none of {names}")


def shard_of(text, environment=os.environ):
    """The Shard that an option says: "I/N", "auto" or "auto/N" (the number from the environment); None: all, or that of
    Bazel, which asks every test that supports shards for one.  Raises BadShard."""
    if text is None and "TEST_TOTAL_SHARDS" not in environment:
        return Shard()
    if environment.get(_BAZEL_STATUS) and (text is None or text.startswith("auto")):
        Path(environment[_BAZEL_STATUS]).touch()
    parts = re.fullmatch(r"(?:(\d+)|auto)(?:/([1-9]\d*))?", "auto" if text is None else text)
    if not parts or parts[1] and not parts[2]:
        raise BadShard(f"--shard takes I/N, with I from 0 to N - 1, auto or auto/N, and not {text!r}")
    count = int(parts[2]) if parts[2] else None
    return _shard(int(parts[1]), count, "--shard") if parts[1] else _from_environment(environment, count)
