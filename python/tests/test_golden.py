"""Golden checks: recorded, reviewed, accepted, checked; and bundles that are not what they should be."""

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

import tilegrind
from tilegrind import golden
from tilegrind.golden import bundle, checking, command, likeness, recording
from tilegrind.golden.folder import Folder
from tilegrind.golden.store import Store
from tilegrind.golden.subject import Subject
from tilegrind.judging import Expected
from tilegrind.pallas import capture, export

ROOT = Path(__file__).resolve().parents[2]


def softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def matmul_kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def softmax(x, **options):
    spec = pl.BlockSpec((8, 32), lambda i: (i, 0))
    return pl.pallas_call(softmax_kernel, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True, **options)(x)


def matmul(x, y):
    return pl.pallas_call(
        matmul_kernel, grid=(2, 4), in_specs=[pl.BlockSpec((8, 16), lambda i, k: (i, k)), pl.BlockSpec((16, 32), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((8, 32), lambda i, k: (i, 0)), out_shape=jax.ShapeDtypeStruct((16, 32), jnp.float32), interpret=True)(x, y)


X, Y = np.ones((16, 64), np.float32), np.ones((64, 32), np.float32)


def subject(function, *arrays, semantics="arbitrary"):
    module = tilegrind.loads(export(function, *arrays, grid_semantics=semantics).dumps())
    return Subject(module, module.kernels[0])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with two accepted goldens; tests that change it copy it."""
    goldens = golden.Goldens(tmp_path_factory.mktemp("made") / "goldens")
    for name, one in (("softmax", subject(softmax, X[:, :32])), ("matmul", subject(matmul, X, Y))):
        recorded = goldens.record(name, one)
        goldens.store.accept(name, "a test", recorded.bundle.digest)
    return goldens.store.root


@pytest.fixture
def folder(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "goldens"))


def run(*arguments, folder=None):
    """The exit code of the command."""
    return command.main([*(["--goldens", str(folder)] if folder else []), *map(str, arguments)])


# ---- from a kernel to an accepted golden ----


def test_every_mutant_dies(made):
    for name, least in (("softmax", 40), ("matmul", 40)):
        one = Store(made).read(name)
        assert one.killed >= least and not one.is_vacuous
        assert len(one.sets) <= recording.MOST_SETS and one.sets[0].kills
        assert len(one.sensitivity.splitlines()) > least


def test_what_is_recorded_is_small_and_always_the_same(made, tmp_path):
    sizes = [sum(file.stat().st_size for file in (made / name).iterdir()) for name in ("softmax", "matmul")]
    assert max(sizes) < 16384
    again = golden.Goldens(tmp_path / "again")
    recorded = again.record("softmax", subject(softmax, X[:, :32]))
    accepted = Store(made).read("softmax")
    assert recorded.bundle.text() == bundle.replace(accepted, provenance=recorded.bundle.provenance).text()


def test_pending_goldens_pass_nothing(tmp_path, capsys):
    goldens = golden.Goldens(tmp_path / "goldens")
    recorded = goldens.record("softmax", subject(softmax, X[:, :32]))
    with pytest.raises(golden.BadBundle, match="there is no golden softmax; there are: none; one of that name is pending"):
        goldens.check("softmax", softmax)
    assert run("check", folder=tmp_path / "goldens") == 2
    assert "there are no accepted goldens; pending: softmax" in capsys.readouterr().err
    assert run("lint", folder=tmp_path / "goldens") == 1
    assert "softmax: pending: nobody has accepted it" in capsys.readouterr().out
    assert run("review", folder=tmp_path / "goldens") == 0
    shown = capsys.readouterr().out
    assert f"accept softmax --digest {recorded.bundle.digest[:16]} --why" in shown and "normal: kills" in shown


def test_accepting_needs_a_reason_and_the_digest_of_what_was_reviewed(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    folder = tmp_path / "goldens"
    digest = golden.Goldens(folder).record("softmax", subject(softmax, X[:, :32])).bundle.digest
    for arguments, said in ((["--why", " ", "--digest", digest], "for a reason"), (["--why", "new", "--digest", "0" * 16], "review it first"),
                            (["--why", "new", "--digest", digest[:11]], "review it first"),
                            (["--why", "new", "--digest", digest, "--equivalent", "zeros o=x"], "no mutant 'zeros o' passes"),
                            (["--why", "new", "--digest", digest, "--equivalent", "zeros"], "the reason why")):
        assert run("accept", "softmax", *arguments, folder=folder) == 2
        assert said in capsys.readouterr().err
        assert not (folder / "softmax").exists() and (folder / "pending" / "softmax").exists()
    assert run("accept", "softmax", "--why", "new", "--digest", digest[:12], folder=folder) == 0
    assert run("lint", folder=folder) == 0 and not (folder / "pending").exists()
    accepted = Store(folder).read("softmax")
    assert accepted.provenance["why"] == "new" and accepted.provenance["replaces"] == ""


def test_a_new_golden_names_the_one_that_it_replaces(folder):
    goldens, old = golden.Goldens(folder), Folder(folder).manifest()["softmax"][0]
    recorded = goldens.record("softmax", subject(softmax, X[:, :32]), kinds=("normal", "large", "special", "ties"))
    goldens.store.accept("softmax", "other inputs", recorded.bundle.digest)
    assert goldens.store.read("softmax").provenance["replaces"] == old
    assert set(Folder(folder).manifest()) == {"softmax", "matmul"} and not Folder(folder).problems()


def test_goldens_are_rejected_and_removed(folder):
    goldens = golden.Goldens(folder)
    goldens.record("softmax", subject(softmax, X[:, :32]), kinds=("normal",))
    assert run("reject", "softmax", folder=folder) == 0 and run("reject", "softmax", folder=folder) == 2
    assert run("remove", "softmax", folder=folder) == 0 and run("remove", "softmax", folder=folder) == 2
    assert not Folder(folder).problems() and Folder(folder).names() == ["matmul"]


@pytest.mark.parametrize("arguments", [["record", "case"], ["accept", "softmax", "--why", "x", "--digest", "0" * 64]])
def test_ci_neither_records_nor_accepts(arguments, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CI", "true")
    assert run(*arguments, folder=tmp_path) == 2
    assert "CI is set in the environment; --force" in capsys.readouterr().err


def test_a_kernel_whose_outputs_say_nothing(tmp_path):
    def constant(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.zeros_like(o_ref)
        return pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
    with pytest.raises(golden.NotRecorded, match="do not depend on the inputs"):
        golden.Goldens(tmp_path).record("constant", subject(constant, X))
    assert not (tmp_path / "pending").exists()


def test_a_kernel_with_findings_is_not_recorded(tmp_path):
    shifted = tilegrind.load(ROOT / "examples" / "shifted.json")
    with pytest.raises(golden.NotRecorded, match="the interpreter has findings: access-outside-ref"):
        golden.Goldens(tmp_path).record("shifted", Subject(shifted, shifted.kernels[0]))


def test_mutants_that_pass_make_a_golden_vacuous(folder, capsys):
    text = (folder / "softmax" / "golden.json").read_text()
    tree = json.loads(text)
    tree["mutants"]["alive"] = [["zeros", "o_ref", ""]]
    rewrite(folder, "softmax", tree)
    assert run("lint", folder=folder) == 1 and run("check", "softmax", folder=folder) == 1
    said = capsys.readouterr().out
    assert "softmax: vacuous: 1 of its mutants passes, as zeros o_ref" in said and "softmax  vacuous  passed by 1 mutant," in said
    tree["mutants"]["alive"] = [["zeros", "o_ref", "not a fault"]]
    rewrite(folder, "softmax", tree)
    assert run("lint", folder=folder) == 0 and run("check", "softmax", folder=folder) == 0


# ---- checks ----


def by_hand(x):
    x = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("name, implementation", [
    ("softmax", None), ("softmax", by_hand), ("softmax", lambda x: {"o_ref": by_hand(x)}), ("softmax", lambda x: (by_hand(x),)),
    ("matmul", None), ("matmul", matmul), ("matmul", jax.jit(matmul)), ("matmul", jnp.dot),
    ("matmul", lambda x, y: sum(x[:, k:k + 8].astype(np.float64) @ y[k:k + 8] for k in range(0, 64, 8)).astype(np.float32))])
def test_right_implementations_pass(made, name, implementation):
    result = golden.Goldens(made).check(name, implementation)
    assert result.passed and result.kind in (("equal",) if implementation is None else ("equal", "within"))


@pytest.mark.slow
def test_implementations_that_flush_subnormals(tmp_path):
    goldens = golden.Goldens(tmp_path)
    for contract in ("ieee", "xla-cpu"):
        one = subject(softmax, X[:, :32])
        recorded = goldens.record(contract, Subject(one.module, one.kernel, contract=contract))
        goldens.store.accept(contract, "a test", recorded.bundle.digest)
        assert not recorded.bundle.is_vacuous
    for flushing in (softmax, jax.jit(softmax), lambda x: jax.nn.softmax(x, axis=1)):
        assert goldens.check("xla-cpu", flushing).passed
        with pytest.raises(golden.Failed, match="subnormal numbers were flushed"):
            goldens.check("ieee", flushing)


@pytest.mark.parametrize("wrong, said", [
    (lambda x: np.zeros_like(x), "zeros"),
    (lambda x: np.roll(by_hand(x), 1, axis=0), "one place further along an axis (o_ref, axis 0)"),
    (lambda x: by_hand(x).astype(jnp.bfloat16).astype(np.float32), "passed through bf16"),
    (lambda x: by_hand(x) * np.float32(1 + 2.0**-7), "as if"),
    (lambda x: np.full_like(x, by_hand(x).mean()), "as if"),
])
def test_wrong_implementations_fail_and_look_like_a_mutant(made, wrong, said):
    with pytest.raises(golden.Failed, match="outside") as failure:
        golden.Goldens(made).check("softmax", wrong)
    assert "as if" in str(failure.value) and said in str(failure.value)


def test_a_mutant_that_gives_nan_explains_no_finite_error():
    exact = np.arange(8.0)
    expected = {"o": Expected(exact.astype(np.float32), exact, np.zeros(8))}
    finite, nans = {"o": exact + 100}, {"o": np.full(8, np.nan)}
    assert likeness._explained(expected, finite, nans) == 0
    assert likeness._explained(expected, nans, nans) == 1 and likeness._explained(expected, finite, finite) == 1


def test_a_dropped_tile_is_named(made):
    def dropped(x, y):
        return matmul(np.where(np.arange(64) < 48, x, 0).astype(np.float32), y)
    with pytest.raises(golden.Failed) as failure:
        golden.Goldens(made).check("matmul", dropped)
    assert "last" in str(failure.value.result.sets[0].likeness) and failure.value.result.sets[0].likeness.explained > 0.99


def test_what_an_implementation_gives_must_fit(made):
    goldens = golden.Goldens(made)
    with pytest.raises(TypeError, match="gives 2 arrays; the kernel has outputs o_ref"):
        goldens.check("softmax", lambda x: (x, x))
    with pytest.raises(golden.Failed, match=r"shape: got float64\[16,32\], want float32\[16,32\]"):
        goldens.check("softmax", lambda x: by_hand(x).astype(np.float64))
    with pytest.raises(golden.Failed, match="missing: no array of that name"):
        goldens.check("softmax", lambda x: {})


def test_inputs_that_an_implementation_changes_do_not_matter(made):
    def changes(x):
        result = by_hand(x)
        x[...] = 0
        return result
    assert golden.Goldens(made).check("softmax", changes).passed


def test_results_from_files(made, tmp_path, capsys):
    assert run("inputs", "softmax", "-o", tmp_path / "in", folder=made) == 0
    paths = sorted((tmp_path / "in" / "softmax").iterdir())
    assert [str(path) for path in paths] == sorted(capsys.readouterr().out.split())
    (tmp_path / "out" / "softmax").mkdir(parents=True)
    for path in paths:
        tilegrind.write_arrays(tmp_path / "out" / "softmax" / path.name, {"o_ref": by_hand(tilegrind.read_arrays(path)["x_ref"])})
    assert run("check", "softmax", "--got", tmp_path / "out", folder=made) == 0
    tilegrind.write_arrays(tmp_path / "out" / "softmax" / path.name, {"o_ref": np.zeros((16, 32), np.float32)})
    assert run("check", "softmax", "--got", tmp_path / "out", folder=made) == 1
    assert "0 passed, 1 failed" in capsys.readouterr().out
    path.with_suffix(".safetensors").write_bytes(b"")
    shutil.copy(path, tmp_path / "out" / "softmax" / path.with_suffix(".safetensors").name)
    assert run("check", "softmax", "--got", tmp_path / "out", folder=made) == 3
    (tmp_path / "out" / "softmax" / path.with_suffix(".safetensors").name).unlink()
    (tmp_path / "out" / "softmax" / path.name).write_bytes(b"PK")
    assert run("check", "softmax", "--got", tmp_path / "out", folder=made) == 3
    (tmp_path / "out" / "softmax" / path.name).unlink()
    assert run("check", "softmax", "--got", tmp_path / "out", folder=made) == 3
    assert "outputs for inputs" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--order", "reversed"], ["--backend", "emulator"], ["--profile", "fast"]])
def test_our_own_backends_pass(made, options):
    assert run("check", *options, folder=made) == 0


def test_reports(made, tmp_path, capsys):
    assert run("check", "--json", "--junit", tmp_path / "junit.xml", folder=made) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in told] == ["matmul", "softmax"] and all(one["passed"] for one in told)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("failures") == "0" and int(suite.get("tests")) == sum(len(one["sets"]) for one in told)


def test_shards_are_a_partition(made, capsys, monkeypatch):
    names = [f"{i}" for i in range(40)]
    parts = [command._shard(names, f"{i}/3") for i in range(3)]
    assert sorted(sum(parts, [])) == sorted(names) and all(parts)
    assert run("check", "--shard", "3/3", folder=made) == 2 and run("check", "--shard", "x", folder=made) == 2
    assert run("check", "--shard", "auto", folder=made) == 2
    monkeypatch.setenv("BUILDKITE_PARALLEL_JOB", "1")
    assert command._shard(names, "auto/3") == parts[1]


def test_mutants_are_made_once_for_all_sets_that_fail(made, monkeypatch):
    calls, mutants = [], checking.Mutants
    monkeypatch.setattr(checking, "Mutants", lambda subject: calls.append(subject) or mutants(subject))
    bundle_ = Store(made).read("softmax")
    zeros = lambda _, arrays: {"o_ref": np.zeros_like(arrays["x_ref"])}
    result = checking.check(bundle_, zeros)
    assert sum(any(v.failed for v in one.verdicts) for one in result.sets) > 1 and len(calls) == 1
    checking.check(bundle_, zeros, explain=False)
    assert len(calls) == 1


def test_got_and_a_backend_exclude_each_other(made, tmp_path):
    assert run("check", "--got", tmp_path, "--backend", "cpu", folder=made) == 2


# ---- cases ----


def test_a_case_with_given_indices(tmp_path, monkeypatch):
    monkeypatch.delenv("CI", raising=False)

    def gather_kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + i_ref[...].astype(jnp.float32)

    with capture(tmp_path / "cases"):
        pl.pallas_call(gather_kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True)(
            jnp.arange(8, dtype=jnp.int32), jnp.ones(8, jnp.float32)).block_until_ready()
    (case,) = (tmp_path / "cases").iterdir()
    assert run("record", case, "--name", "gather", folder=tmp_path / "goldens") == 1  # has yet to be reviewed
    store = Store(tmp_path / "goldens")
    pending = store.read("gather", pending=True)
    assert list(pending.kept) == ["i_ref"] and np.array_equal(pending.kept["i_ref"], np.arange(8))
    store.accept("gather", "a test", pending.digest)
    assert run("check", folder=tmp_path / "goldens") == 0
    tilegrind.write_arrays(tmp_path / "goldens" / "gather" / "kept.npz", {"i_ref": np.zeros(8, np.int32)})
    assert run("check", folder=tmp_path / "goldens") == 3


def test_cases_that_cannot_be_recorded(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    assert run("record", tmp_path / "nowhere", folder=tmp_path) == 3
    assert run("record", "a", "b", "--name", "c", folder=tmp_path) == 2
    assert "nowhere: not recorded: " in capsys.readouterr().err


# ---- bundles that are not what they should be ----


def rewrite(folder, name, tree):
    """Writes golden.json and its line of the manifest, as if it had been accepted so."""
    text = json.dumps(tree)
    (folder / name / "golden.json").write_text(text)
    rows = Folder(folder).manifest()
    Store(folder)._write_manifest({**rows, name: (bundle.digest(text), len(text))})


def edited(change):
    def apply(folder):
        tree = json.loads((folder / "softmax" / "golden.json").read_text())
        change(tree)
        rewrite(folder, "softmax", tree)
    return apply


BAD = {
    "truncated": (lambda f: (f / "softmax/golden.json").write_text('{"tilegrind-golden": 1'), "not the JSON of a golden", "edited"),
    "twice": (lambda f: (f / "softmax/golden.json").write_text('{"a": 1, "a": 2}'), "the key 'a' occurs twice", "edited"),
    "not a number": (lambda f: (f / "softmax/golden.json").write_text('{"a": NaN}'), "NaN is no number", "edited"),
    "deep": (lambda f: (f / "softmax/golden.json").write_text("[" * 100000), "not the JSON of a golden", "edited"),
    "binary": (lambda f: (f / "softmax/golden.json").write_bytes(b"\xff\xfe\x00"), "not the JSON of a golden", "edited"),
    "foreign": (edited(lambda t: t.update({"tilegrind-golden": 2})), "tilegrind-golden", None),
    "unknown member": (edited(lambda t: t.update(more=1)), "must not contain", None),
    "no sets": (edited(lambda t: t.update(sets=[])), "sets must contain at least 1", None),
    "wrong digest": (edited(lambda t: t["kernel"].update(sha256="0" * 64)), "it was edited, or belongs to another", "edited"),
    "another name": (edited(lambda t: t.update(name="other")), "it is named 'other'", None),
    "no kernel": (lambda f: (f / "softmax/kernel.json").unlink(), "kernel.json: No such file", "edited"),
    "edited kernel": (lambda f: (f / "softmax/kernel.json").write_text("{}"), "it was edited, or belongs to another", "edited"),
    "edited table": (lambda f: (f / "softmax/sensitivity.tsv").write_text(""), "it was edited, or belongs to another", "edited"),
    "unknown inputs": (edited(lambda t: t["sets"][0]["inputs"].update(kind="odd")), "there is no kind of inputs 'odd'", None),
    "no array": (edited(lambda t: t.update(kept={"i": {"type": "int32[2]", "sha256": "0" * 64}})), "kept.npz", "missing"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_bundles_are_told(folder, name, capsys):
    change, said, lint = BAD[name]
    change(folder)
    assert run("check", "softmax", folder=folder) == 3
    assert said in capsys.readouterr().err
    problems = Folder(folder).problems()
    assert [problem.kind for problem in problems] == ([lint] if lint else [])


@pytest.mark.parametrize("text, said", [("softmax\n", "manifest.tsv:1: no line"), ("b\t0\t1\na\t0\t1\n", ":2: a is not after b"),
                                        ("a\t0\t1\na\t0\t1\n", ":2: a is not after a"), ("../x\t0\t1\n", ":1: no line")])
def test_bad_manifests_are_told(folder, text, said):
    (folder / "manifest.tsv").write_text(text)
    (problem,) = Folder(folder).problems()
    assert problem.kind == "bad" and said in problem.text


def test_orphans_and_missing_goldens_are_told(folder):
    shutil.copytree(folder / "softmax", folder / "orphan")
    shutil.rmtree(folder / "softmax")
    assert {(problem.kind, problem.name) for problem in Folder(folder).problems()} == {("missing", "softmax"), ("orphan", "orphan")}
    recorded = golden.Goldens(folder).record("new", subject(softmax, X[:, :32]), kinds=("normal",))
    Store(folder).accept("new", "a test", recorded.bundle.digest)
    assert "orphan" not in Folder(folder).manifest()  # accepting one golden accepts no other


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "pending", "a b"])
def test_names_that_are_none(tmp_path, name):
    with pytest.raises(golden.Refused, match="is no name of a golden"):
        Store(tmp_path).read(name)


def stale(folder, change):
    edited(change)(folder)
    result = checking.check(Store(folder).read("softmax"), lambda name, arrays: {"o_ref": by_hand(arrays["x_ref"])})
    assert not result.passed or not result.stale
    return result


def outputs_of(tree):
    return tree["sets"][0]["outputs"]["o_ref"]


def test_stale_goldens_name_the_witness_that_moved(folder):
    moved = stale(folder, lambda t: outputs_of(t).update(bits="0" * 64, samples=[[0, "3f800000", "0x1.0000000000000p-5", "0x1.0000000000000p-30"]]))
    assert moved.kind == "stale" and "bits: the interpreter computes other ones, as [0] with " in moved.stale[0]
    assert "was 3f800000" in moved.stale[0]


@pytest.mark.parametrize("sample, said", [
    (lambda s: [s[0], s[1], "0x1.8000000000000p+0", s[3]], "R: [0] is"),
    (lambda s: [s[0], s[1], s[2], "0x1.0000000000000p-60"], "a wider bound would excuse more")])
def test_moved_values_and_wider_bounds_are_stale(folder, sample, said):
    def change(tree):
        output = outputs_of(tree)
        output.update(bound="0" * 64, samples=[sample(output["samples"][0])])
    assert said in stale(folder, change).stale[0]


def test_narrower_bounds_are_a_note(folder):
    def change(tree):
        output = outputs_of(tree)
        output["bound"] = "0" * 64
        output["samples"] = [[*sample[:3], "0x1.0000000000000p+0"] for sample in output["samples"]]
    result = stale(folder, change)
    assert result.passed and "computed otherwise" in result.notes[0]


# ---- writers ----


def test_a_second_writer_is_told(folder):
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(golden.Refused, match="another process changes these goldens"):
            Store(folder).remove("softmax")
    finally:
        os.close(handle)
    assert (folder / "softmax").exists()


def test_a_full_disk_leaves_the_old_golden(folder, monkeypatch, capsys):
    goldens = golden.Goldens(folder)
    recorded = goldens.record("softmax", subject(softmax, X[:, :32]), kinds=("normal",))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def full(path, data):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(Path, "write_bytes", full)
    assert run("accept", "softmax", "--why", "x", "--digest", recorded.bundle.digest, folder=folder) == 2
    assert "No space left on device" in capsys.readouterr().err
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("arguments", [("check",), ("lint",), ("inputs", "-o", "inputs"), ("status",)])
def test_a_folder_that_is_not_there_passes_nothing(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments, folder=tmp_path / "nowhere") == 2
    assert "nowhere: there " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_lint_needs_no_kernel_and_no_numpy(made):
    code = ("import sys; from tilegrind.golden.command import main\n"
            f"code = main(['--goldens', {str(made)!r}, 'lint'])\n"
            "sys.exit(code or 'numpy' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "goldens: 2, problems: 0\n"), done.stderr
