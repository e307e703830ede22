"""The commands of docs/sweep.md, as they stand there, in the environments of the schedulers that they are for."""

import json
import re
import subprocess
import sys
import tomllib

import pytest
from sweeping import ENVIRONMENT, ROOT, accept, digest_of, sweep, write_add, TILEGRIND

DOCUMENT = (ROOT / "docs" / "sweep.md").read_text()
SHARDS = range(4)


def section(title):
    """The text below a heading, up to the next."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#+ |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    return found[2]


def blocks(title, language):
    return re.findall(rf"^```{language}\n(.*?)^```", section(title), re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path):
    """A case, the SPEC of the document, and the command in the PATH."""
    write_add(tmp_path)
    (spec,) = blocks("From zero to a merged sweep", "toml")
    (tmp_path / "spec.toml").write_text(spec)
    (tmp_path / "bin").mkdir()
    for name, script in (("tilegrind", f'[ "$1" = sweep ] || exec {TILEGRIND} "$@"\nshift\n'
                                       f'exec {sys.executable} -m tilegrind.sweep "$@"'),
                         ("parallel", PARALLEL)):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


# What the document needs of GNU parallel: `--jobs N COMMAND ::: VALUE...`, one after the other.
PARALLEL = """shift 2
command=
while [ "$1" != ::: ]; do command="$command $1"; shift; done
shift
for value; do eval "$(echo "$command" | sed "s/{}/$value/g")" || exit; done"""


def shell(folder, script, **environment):
    path = f"{folder / 'bin'}:{ENVIRONMENT['PATH']}"
    done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60,
                          env={**ENVIRONMENT, "PATH": path, **environment})
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def planned(folder):
    """That folder with a plan, and a whole store `one`."""
    sweep("plan", "spec.toml", "-o", "plan.jsonl", cwd=folder)
    sweep("run", "plan.jsonl", "--store", "one", "--quiet", cwd=folder)
    return folder


def test_from_zero_to_a_merged_sweep(folder):
    (script,) = blocks("From zero to a merged sweep", "sh")
    out = shell(folder, script)
    assert "check: 2 units, 2 done, 0 failed, 0 left\norders: 4 units, 4 done, 0 failed, 0 left\n" in out
    assert out.splitlines()[-1] == digest_of(folder, "store")
    assert len((folder / "results.jsonl").read_text().splitlines()) == 6


def test_slurm(planned):
    (script,) = blocks("Slurm", "bash")
    first, last = map(int, re.search(r"--array=(\d+)-(\d+)", script).groups())
    for task in range(first, last + 1):
        shell(planned, script, SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN=str(first),
              SLURM_ARRAY_TASK_COUNT=str(last + 1 - first), SLURM_ARRAY_TASK_STEP="1")
    assert digest_of(planned, "store") == digest_of(planned, "one")


@pytest.mark.slow
def test_kubernetes(planned):
    (manifest,) = blocks("Kubernetes", "yaml")
    completions = re.search(r"completions: (\d+)", manifest)[1]
    count = re.search(r'name: JOB_COMPLETION_COUNT, value: "(\d+)"', manifest)[1]
    command = json.loads(re.search(r"command: (\[.*\])", manifest)[1])
    assert completions == count
    for index in range(int(completions)):
        shell(planned, " ".join(command), JOB_COMPLETION_INDEX=str(index), JOB_COMPLETION_COUNT=count)
    assert digest_of(planned, "store") == digest_of(planned, "one")


@pytest.mark.slow
def test_bazel(planned):
    (script,), (rule,) = blocks("Bazel", "bash"), blocks("Bazel", "python")
    count = int(re.search(r"shard_count = (\d+)", rule)[1])
    for index in range(count):
        outputs = planned / f"outputs{index}"
        outputs.mkdir()
        shell(planned, script, TEST_SHARD_INDEX=str(index), TEST_TOTAL_SHARDS=str(count),
              TEST_SHARD_STATUS_FILE=str(planned / "status"), TEST_UNDECLARED_OUTPUTS_DIR=str(outputs))
    assert (planned / "status").exists()
    assert digest_of(planned, *(f"outputs{index}/store" for index in range(count))) == digest_of(planned, "one")


@pytest.mark.slow
def test_buildkite(planned):
    (pipeline,) = blocks("Buildkite", "yaml")
    command, count = re.search(r"command: \|\n(.*?)    parallelism: (\d+)", pipeline, re.DOTALL).groups()
    for job in range(int(count)):
        shell(planned, command.replace("$$", "$"), BUILDKITE_PARALLEL_JOB=str(job), BUILDKITE_PARALLEL_JOB_COUNT=count)
    assert digest_of(planned, *(f"store-{job}" for job in range(int(count)))) == digest_of(planned, "one")


@pytest.mark.slow
def test_github(folder, planned):
    (workflow,) = blocks("GitHub Actions", "yaml")
    count = len(re.search(r"shard: \[(.*)\]", workflow)[1].split(","))
    plan, run, again, merge = re.findall(r"- run: (tilegrind .*)", workflow)
    assert plan == again
    for index in range(count):
        shell(folder, plan)
        shell(folder, run.replace("${{ strategy.job-index }}", str(index)).replace("${{ strategy.job-total }}", str(count)))
    assert shell(folder, merge).splitlines()[-1] == digest_of(folder, "one")


def test_gnu_parallel(planned):
    (script,) = blocks("GNU parallel", "bash")
    shell(planned, script)
    assert digest_of(planned, "store") == digest_of(planned, "one")


def test_the_settings_of_dask_are_those_of_the_chaos_test():
    text = section("Many machines: Dask")
    source = (ROOT / "bench" / "sweep_chaos.py").read_text()
    settings = re.findall(r"export (DASK_\w+)=(\S+)", text)
    assert len(settings) == 2
    assert all(f'"{name}": "{value}"' in source for name, value in settings)
    assert '"--nthreads", "1", "--no-nanny"' in source and "--nthreads 1 --no-nanny" in text


def test_the_example_with_goldens_is_a_plan(folder):
    import tilegrind
    from tilegrind import golden
    from tilegrind.golden.subject import Subject

    made, module = golden.Goldens(folder / "goldens"), tilegrind.load(ROOT / "examples" / "add.json")
    pending = made.record("add", Subject(module, module.kernels[0])).bundle
    accept(made, "add", pending)
    (spec,) = [text for text in re.findall(r"^```toml\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE) if "golden" in text]
    (folder / "goldens.toml").write_text(spec)
    out, _ = sweep("plan", "goldens.toml", "-o", "plan.jsonl", cwd=folder)
    assert json.loads((folder / "plan.jsonl").read_text().split("\n")[0])["kinds"] == {"golden": 20, "mutants": 80}
    assert {key for table in tomllib.loads(spec)["sweep"] for key in table} <= set(re.findall(r"`([a-z-]+)", DOCUMENT))


def test_the_tables_name_all_kinds_and_keys():
    from tilegrind.sweep.kinds import KINDS

    text = section("What a SPEC says")
    assert all(f"| `{kind}` | " in text for kind in KINDS)
    example = tomllib.loads(blocks("From zero to a merged sweep", "toml")[0])
    assert {key for table in example["sweep"] for key in table} <= set(re.findall(r"`([a-z-]+)", text))


def test_python_of_the_document_compiles():
    for code in re.findall(r"^```python\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE):
        compile(code, "sweep.md", "exec")
