"""Shards: by id or name, from options and from the environment of schedulers."""

import hashlib

import pytest
from tilegrind.shards import BadShard, Shard, shard_of

IDS = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(1000)]


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_each_unit_is_in_exactly_one_shard(count):
    shards = [{unit for unit in IDS if Shard(index, count).has_id(unit)} for index in range(count)]
    assert sum(map(len, shards)) == len(set().union(*shards)) == len(IDS)
    assert all(shards)


def test_what_has_a_name_never_moves():
    """By the digest of the name: these numbers stay, whatever version and command asks."""
    names = ("before", "fault", "after")
    assert [[i for i in range(7) if Shard(i, 7).has(name)] for name in names] == [[2], [1], [3]]


@pytest.mark.parametrize("text, environment, shard", [
    (None, {}, "0/1"),
    ("3/4", {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2"}, "3/4"),
    (None, {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2"}, "1/2"),
    ("auto", {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2"}, "1/2"),
    ("auto", {"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "9"}, "0/9"),
    (None, {"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "9"}, "0/1"),
    ("auto", {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10"}, "2/4"),
    ("auto", {"SLURM_ARRAY_TASK_ID": "14", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10",
              "SLURM_ARRAY_TASK_STEP": "2"}, "2/4"),
    ("auto/8", {"JOB_COMPLETION_INDEX": "7"}, "7/8"),
    ("auto", {"JOB_COMPLETION_INDEX": "7", "JOB_COMPLETION_COUNT": "20"}, "7/20"),
])
def test_shards(text, environment, shard):
    assert str(shard_of(text, environment)) == shard


@pytest.mark.parametrize("text, environment, problem", [
    ("4/4", {}, "shards of 4 are 0/4 to 3/4, and this is 4/4"),
    ("1/0", {}, "takes I/N"),
    ("3", {}, "takes I/N"),
    ("-1/2", {}, "takes I/N"),
    ("", {}, "takes I/N"),
    ("auto", {}, "the environment has none of TEST_SHARD_INDEX, BUILDKITE_PARALLEL_JOB"),
    ("auto", {"JOB_COMPLETION_INDEX": "1"}, "JOB_COMPLETION_INDEX and no JOB_COMPLETION_COUNT: say --shard auto/COUNT"),
    ("auto/4", {"JOB_COMPLETION_INDEX": "x"}, "JOB_COMPLETION_INDEX is 'x' in the environment, and not a number"),
    ("auto/4", {"JOB_COMPLETION_INDEX": "4"}, "by JOB_COMPLETION_INDEX: shards of 4 are 0/4 to 3/4, and this is 4/4"),
])
def test_wrong_shards(text, environment, problem):
    with pytest.raises(BadShard, match=problem.replace("(", r"\(")):
        shard_of(text, environment)


def test_bazel_is_told_that_shards_are_supported(tmp_path):
    status = tmp_path / "status"
    environment = {"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "2", "TEST_SHARD_STATUS_FILE": str(status)}
    shard_of("0/2", environment)
    assert not status.exists()
    shard_of(None, environment)
    assert status.exists()
