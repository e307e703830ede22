"""The judge of `tilegrind conform`: faulty runners are named rightly, and faults are charged to their own case."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from tilegrind.conform import self_test
from tilegrind.conform.comparing import compare, different
from tilegrind.conform.faulty import EXPECTED
from tilegrind.conform.files import Written
from tilegrind.conform.judge import judge
from tilegrind.conform.session import Limits, Session
from tilegrind.runner.layout import Type


def test_a_runner_without_faults_is_met():
    assert self_test.problem_without_fault() is None


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_each_faulty_runner_is_named(name):
    assert self_test.problem_of(name) is None


def test_the_self_test_fails_where_the_judge_is_wrong(monkeypatch, capsys):
    monkeypatch.setattr(self_test, "EXPECTED", {"dead": "timeout"})
    assert self_test.run() == 1
    assert "dead: {" in capsys.readouterr().out


def test_nothing_of_a_killed_runner_is_left():
    """The slow runner is killed; so is every process of its group."""
    with Session(self_test.command_of("slow"), self_test.suite(), Limits(run=0.5)) as session:
        session.start()
        pid = session._process.pid
        assert judge(session, session.suite.cases[1]).kind == "timeout"
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)
        folder = session.folder
    assert not folder.exists()


def test_a_child_that_keeps_the_pipe_holds_nothing_up():
    begun = time.monotonic()
    assert self_test.problem_of("keeps-pipe") is None
    assert time.monotonic() - begun < 10


def test_a_command_that_does_not_exist():
    found = self_test.verdicts(["/does/not/exist"], self_test.suite())
    assert {verdict.kind for verdict in found.values()} == {"crash"}
    assert "No such file" in found["fault"].detail


def test_a_runner_that_ends_by_a_signal_without_a_name():
    found = self_test.verdicts([sys.executable, "-c", "import os; os.kill(os.getpid(), 40)"], self_test.suite())
    assert {(verdict.kind, verdict.detail) for verdict in found.values()} == {("crash", "signal 40")}


@pytest.mark.parametrize("harm, kind", [
    ("os.unlink(i); os.mkdir(i)", "input-modified"), ("os.unlink(i)", "input-modified"),
    ("os.truncate(o, 0)", "output-replaced"), ("os.unlink(o)", "output-replaced")])
def test_files_that_a_runner_takes_away(harm, kind):
    text = ("import os\nfrom tilegrind.conform.adding import Adding\nfrom tilegrind.runner import serve\n"
            "class Harm(Adding):\n"
            "    def run(self, *given):\n"
            "        super().run(*given)\n"
            "        i, o = (os.path.join(os.environ['TILEGRIND_TEST_DIR'], n + '.safetensors')"
            " for n in ('inputs', 'outputs'))\n"
            f"        {harm}\n"
            "serve(Harm({'name': 'harm', 'version': '1'}))\n")
    with Session([sys.executable, "-c", text], self_test.suite()) as session:
        session.command = ["env", f"TILEGRIND_TEST_DIR={session.folder}", *session.command]
        assert judge(session, session.suite.cases[0]).kind == kind


def test_a_runner_that_says_nothing(tmp_path):
    found = self_test.verdicts([sys.executable, "-c", "import time; time.sleep(60)"], self_test.suite(), Limits(start=0.3))
    assert {verdict.kind for verdict in found.values()} == {"timeout"}


def test_the_runner_does_not_see_what_is_expected(tmp_path):
    """Nothing that it is given, and no file in its folder, has the result."""
    told = tmp_path / "told"
    spy = [sys.executable, "-c", f"""
import sys, json, pathlib, os
out = open({str(told)!r}, "wb")
for line in sys.stdin:
    request = json.loads(line)
    out.write(line.encode())
    if request["cmd"] == "run":
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file(): out.write(path.read_bytes())
    out.flush()
    if request["cmd"] == "hello":
        folder = request["dir"]
        implementation = {{"name": "spy", "version": ""}}
        print(json.dumps({{"seq": 0, "protocol": 1, "implementation": implementation, "ir": []}}), flush=True)
    elif "seq" in request:
        print(json.dumps({{"seq": request["seq"], "ok": True}}), flush=True)
"""]
    case = self_test.suite().cases[0]
    assert self_test.verdicts(spy, self_test.suite())["before"].kind == "not-written"
    seen = told.read_bytes()
    assert case.run.inputs["x"][1] in seen and case.run.expected["o"][1] not in seen
    assert case.twin.expected["o"][1] not in seen


def _written(values, dtype):
    data = np.array(values, dtype).tobytes()
    return Written(Type({"float32": "f32", "int32": "i32", "bool": "bool"}[np.dtype(dtype).name], (len(values),)), data,
                   bytes(byte ^ 0x5A for byte in data))


@pytest.mark.parametrize("want, got, dtype, kind", [
    ([1, np.nan], [1, -np.nan], np.float32, "equal"),
    ([1, 2], [1, np.nan], np.float32, "special-differs"),
    ([1, np.nan], [1, 2], np.float32, "special-differs"),
    ([1, np.inf], [1, -np.inf], np.float32, "special-differs"),
    ([0.0], [-0.0], np.float32, "special-differs"),
    ([1, 2], [1, np.nextafter(np.float32(2), np.float32(3))], np.float32, "differs"),
    ([1, 2], [1, 3], np.int32, "differs"),
    ([True, False], [True, True], bool, "differs"),
])
def test_nan_is_no_wildcard_and_bits_count(want, got, dtype, kind):
    expected = _written(want, dtype)
    verdict = compare({"o": (expected.type, expected.data)}, {"o": _written(got, dtype)})
    assert verdict.kind == kind
    assert kind == "equal" or "instead of" in verdict.detail


def test_an_output_that_is_missing():
    one = _written([1], np.float32)
    assert compare({"o": (one.type, one.data)}, {}).kind == "missing"


def test_a_bool_is_0_or_1():
    assert different(Type("bool", (2,)), b"\1\0", b"\2\0").tolist() == [True, False]


def test_only_the_bits_of_a_short_element_count():
    assert different(Type("i4", (3,)), b"\x0f\x01\x02", b"\xff\xf1\x03").tolist() == [False, False, True]


def test_shared_memory_is_a_transport(tmp_path):
    """The same runner with its tensors in shared memory, which is gone afterwards."""
    text = ("from tilegrind.conform.adding import Adding; from tilegrind.runner import serve; "
            "serve(Adding({'name': 'adding', 'version': '1'}, tensors='shm'))")
    with Session([sys.executable, "-c", text], self_test.suite()) as session:
        assert {judge(session, case).kind for case in session.suite.cases} == {"equal"}
        places = session.places()
        assert str(places[0]).startswith("/dev/shm/") and "shm" in places[2]["inputs"]
    assert not places[0].exists() and not places[1].exists()


@pytest.mark.slow
def test_the_command_of_the_self_test():
    done = subprocess.run([sys.executable, "-m", "tilegrind.conform", "--self-test"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(EXPECTED)} faulty runners and one without a fault: 0 named wrongly" in done.stdout
    assert len(EXPECTED) >= 12


def test_the_published_schema_is_a_schema():
    import jsonschema

    from tilegrind.conform.messages import schema
    jsonschema.Draft7Validator.check_schema(schema())
    assert json.dumps(schema()).count("$ref") > 10
