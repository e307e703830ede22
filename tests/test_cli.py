"""Drives the command line as its users do.  TILEGRIND names the command; build/tilegrind if not set."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
ADD = ROOT / "examples" / "add.json"
SHIFTED = ROOT / "examples" / "shifted.json"
SHIFTED_INPUTS = ROOT / "examples" / "shifted_inputs.npz"
COMMANDS = ["run", "verify", "show", "crosscheck", "ptx", "ptx-run", "layout", "doctor"]


def tilegrind(*arguments, env=None):
    return subprocess.run([TILEGRIND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, env={**os.environ, **(env or {})})


def expect(code, *arguments):
    """Standard output of a command that must end with `code`."""
    done = tilegrind(*arguments)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def expect_error(code, *arguments):
    """Standard error of a command that must end with `code`."""
    done = tilegrind(*arguments)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stderr


# Says that it runs, in more than standard output holds back and less than a pipe holds, and never ends.
ENDLESS = {"tilegrind": "0.1", "locations": [{"file": "k.py", "line": 7}], "kernels": [
    {"name": "spin", "grid": [], "params": [], "body": {"ops": [
        {"op": "debug_print", "format": "on and on " * 2000},
        {"op": "constant", "out": [{"id": 1, "type": "bool[]"}], "value": True},
        {"op": "constant", "out": [{"id": 2, "type": "i64[]"}], "value": 1},
        {"op": "while", "loc": 1, "in": [2], "out": [{"id": 3, "type": "i64[]"}], "regions": [
            {"args": [{"id": 4, "type": "i64[]"}], "yield": [1]},
            {"args": [{"id": 5, "type": "i64[]"}],
             "ops": [{"op": "add", "in": [5, 2], "out": [{"id": 6, "type": "i64[]"}]}], "yield": [6]}]},
        {"op": "debug_print", "format": "{}", "in": [3]}]}}]}


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_ctrl_c_ends_a_run(tmp_path, form):
    (tmp_path / "spin.json").write_text(json.dumps(ENDLESS))
    run = subprocess.Popen([TILEGRIND, "run", *form, tmp_path / "spin.json"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    assert (run.stderr if form else run.stdout).read(1) == "o"  # a signal before that would find no handler
    assert run.poll() is None
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    message = json.loads(out)["errors"][0]["message"] if form else err
    assert "stopped after 0 programs, in program () within a while loop at k.py:7" in message


@pytest.fixture
def inputs(tmp_path):
    """An archive with inputs of add.json, and the sum."""
    x = np.arange(10, dtype=np.float32)
    y = np.full(10, 100, dtype=np.float32)
    np.savez(tmp_path / "inputs.npz", x=x, y=y)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "other.npy", y)
    return tmp_path


def write_case(folder, **changes):
    """A case of add.json; `changes` replace members of case.json, None removes one."""
    folder.mkdir()
    (folder / "add.json").write_text(ADD.read_text())
    x = np.arange(10, dtype=np.float32)
    np.savez(folder / "inputs.npz", x=x, y=x)
    np.save(folder / "o.npy", changes.pop("expected", 2 * x))
    case = {"tilegrind": "0.1", "name": "add", "kernel": "add.json",
            "inputs": {"x": {"file": "inputs.npz", "key": "x"}, "y": {"file": "inputs.npz", "key": "y"}},
            "expect": {"outputs": {"o": {"file": "o.npy"}}}, "orders": ["sequential", "shuffled:1", "parallel:2"]}
    case |= changes
    (folder / "case.json").write_text(json.dumps({k: v for k, v in case.items() if v is not None}))
    return folder


# ---- help and usage ----


def test_version():
    header = (ROOT / "include" / "tilegrind" / "tilegrind.h").read_text()
    numbers = re.findall(r"define TG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    assert expect(0, "--version") == f"tilegrind {'.'.join(numbers)}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    text = expect(0, command, "--help")
    assert text.startswith(f"Usage: tilegrind {command}")
    assert text == expect(0, "help", command)
    assert f"\n  {command} " in expect(0, "--help")
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("arguments, says", [
    ([], "no command"),
    (["fly"], "fly is no command"),
    (["run"], "exactly one"),
    (["run", "a", "b"], "exactly one"),
    (["run", "--fast", "a"], "unknown option --fast"),
    (["run", "a", "--order"], "needs an argument"),
    (["run", str(ADD), "--grid", "3,x"], "--grid takes sizes"),
    (["verify"], "no file"),
    (["show"], "exactly one file"),
    (["show", "--text", "--json", str(ADD)], "only one of"),
    (["show", "--svg", str(ADD)], "--svg goes with --map"),
    (["show", "--schema", str(ADD)], "takes no file"),
    (["ptx"], "exactly one case or kernel file"),
    (["ptx", str(ADD), str(ADD)], "exactly one case or kernel file"),
    (["ptx", "--kernel", "k", str(ADD.parent)], "a case names its kernel"),
    (["ptx", str(ADD), "--target", "sm_70"], 'target "sm_70" is none of sm_80, '),
    (["ptx", str(ADD), "--tensor-core", "sm80"], 'tensor core "sm80" is none of exact, sm90, sm100'),
    (["ptx", str(ADD), "--kernel", "nobody"], 'no kernel "nobody"'),
    (["ptx", str(ADD), "--out", "/nowhere/add.ptx"], "/nowhere/add.ptx"),
    (["ptx", "/nowhere.json"], "/nowhere.json"),
    (["show", "--kernel", "k", str(ADD)], "--kernel goes with --map"),
    (["doctor", "me"], "no operand"),
    (["run", "/nowhere.json"], "/nowhere.json"),
    (["verify", "/nowhere.json"], "/nowhere.json"),
])
def test_wrong_usage(arguments, says):
    assert says in expect_error(2, *arguments)


# ---- ptx ----


def test_ptx(tmp_path):
    text = expect(0, "ptx", ADD)
    assert ".version 7.8\n.target sm_80\n" in text and ".visible .entry tg_" in text and "add.rn.f32" in text
    assert expect(0, "ptx", ADD, "--out", tmp_path / "add.ptx") == ""
    assert (tmp_path / "add.ptx").read_text() == text and [p.name for p in tmp_path.iterdir()] == ["add.ptx"]


def test_barriers_in_ptx_do_not_ask_for_whole_warps():
    """bar.sync gave wrong bits on a GPU (docs/gpu-results.md)."""
    text = expect(0, "ptx", ADD.parent / "row_sums.json")
    assert "barrier.sync 0;" in text and "bar.sync" not in text and "aligned" not in text


def test_ptx_names_files_and_lines():
    places = json.loads(SHIFTED.read_text())["locations"]
    text = expect(0, "ptx", SHIFTED)
    files = {int(n): name for n, name in re.findall(r'^\.file (\d+) "(.*)"$', text, re.MULTILINE)}
    told = {(files[int(n)], int(line)) for n, line in re.findall(r"^ *\.loc (\d+) (\d+) 0$", text, re.MULTILINE)}
    assert told and told <= {(place["file"], place["line"]) for place in places}


def test_ptx_of_a_file_with_an_odd_name(tmp_path):
    module = json.loads(SHIFTED.read_text())
    for place in module["locations"]:
        place["file"] = 'a"b\\\n};.py'
    (tmp_path / "odd.json").write_text(json.dumps(module))
    text = expect(0, "ptx", tmp_path / "odd.json")
    assert '.file 1 "a?b??};.py"\n' in text and "// load, a?b??};.py:15\n" in text
    done = tilegrind("run", tmp_path / "odd.json", "--backend", "emulator", "--in",
                     SHIFTED.with_name("shifted_inputs.npz"))
    assert done.returncode == 1 and "access-outside-ref" in done.stdout


def test_ptx_of_a_case(tmp_path):
    (tmp_path / "kernel.json").write_text(ADD.read_text())
    (tmp_path / "case.json").write_text(json.dumps(
        {"tilegrind": "0.1", "kernel": "kernel.json",
         "inputs": {name: {"type": "f32[10]", "fill": "ones"} for name in "xy"}}))
    assert expect(0, "ptx", tmp_path) == expect(0, "ptx", ADD)


@pytest.mark.parametrize("target, version", [
    ("sm_90", "7.8"), ("sm_90a", "8.0"), ("sm_100", "8.6"), ("sm_100a", "8.6"), ("sm_103a", "8.8"), ("sm_110", "9.0"), ("sm_121", "8.8")])
def test_ptx_for_other_chips(target, version):
    assert f".version {version}\n.target {target}\n" in expect(0, "ptx", ADD, "--target", target)


# ---- run KERNEL.json ----


@pytest.mark.parametrize("order", ["sequential", "reversed", "shuffled:7", "parallel:2", "interleaved:3"])
@pytest.mark.parametrize("suffix", ["npz", "npy"])
def test_run_kernel(inputs, order, suffix):
    out = inputs / f"out.{suffix}"
    text = expect(0, "run", ADD, "--in", inputs / "inputs.npz", "--out", out, "--order", order)
    assert f"{order}: 3 programs" in text and "clean" in text
    got = np.load(out) if suffix == "npy" else np.load(out)["o"]
    assert (got == np.arange(100, 110, dtype=np.float32)).all()


def test_run_with_single_arrays(inputs):
    expect(0, "run", ADD, "--in", inputs / "x.npy", "--in", f"y={inputs / 'other.npy'}",
           "--out", inputs / "o.safetensors")
    assert (inputs / "o.safetensors").exists()


def test_missing_input_is_named_with_its_type(inputs):
    error = expect_error(2, "run", ADD, "--in", inputs / "x.npy")
    assert "input y of type f32[10] is missing" in error and "input x" not in error


def test_input_of_other_type(inputs):
    np.savez(inputs / "bad.npz", x=np.zeros(9, np.float32), y=np.zeros(10, np.float32))
    assert "f32[9]" in expect_error(2, "run", ADD, "--in", inputs / "bad.npz")


def test_unknown_and_repeated_inputs(inputs):
    archive = inputs / "inputs.npz"
    assert "no input z" in expect_error(2, "run", ADD, "--in", f"z={inputs / 'x.npy'}")
    assert "x is given twice" in expect_error(2, "run", ADD, "--in", archive, "--in", inputs / "x.npy")


@pytest.mark.parametrize("option", [["--order", "upwards"], ["--isa", "mmx"], ["--compat", "numpy"], ["--profile", "quick"],
                                    ["--kernel", "mul"], ["--grid", "4"], ["--out", "o.txt"]])
def test_wrong_values(inputs, option):
    expect_error(2, "run", ADD, "--in", inputs / "inputs.npz", *option)


def test_profile(inputs):
    run = ["run", ADD, "--in", inputs / "inputs.npz", "--json"]
    assert json.loads(expect(0, *run))["profile"] == "reference"
    if json.loads(expect(0, "doctor", "--json"))["profile_fast"] == "works":
        report = json.loads(expect(0, *run, "--profile", "fast"))
        assert report["profile"] == "fast" and report["repeat"].endswith("--profile fast")
    else:
        assert json.loads(expect(3, *run, "--profile", "fast"))["status"] == "ERR_UNSUPPORTED"


def test_no_output_without_a_folder_for_it(inputs):
    expect_error(2, "run", ADD, "--in", inputs / "inputs.npz", "--out", inputs / "no" / "o.npz")
    assert not list(inputs.glob("*.tmp*"))


def test_run_kernel_json(inputs):
    report = json.loads(expect(0, "run", ADD, "--in", inputs / "inputs.npz", "--json"))
    assert report["programs"] == 3 and report["findings"] == [] and report["exit"] == 0
    report = json.loads(expect(2, "run", ADD, "--json"))
    assert [e["status"] for e in report["errors"]] == ["ERR_USAGE"] * 2


# ---- findings ----


def test_finding():
    text = expect(1, "run", SHIFTED, "--in", SHIFTED_INPUTS)
    assert text.startswith("access-outside-ref: ")
    assert re.search(r"--> examples/shifted\.py:\d+ in shift_kernel", text)
    assert "o_ref[...] = x_ref[pl.ds(start + 1, 4)]" in text and "^^^^" in text
    assert "program (3)" in text and "op load" in text
    assert "\033" not in text


def test_race():
    summed = [ROOT / "examples" / "summed.json", "--in", ROOT / "examples" / "summed_inputs.npz"]
    expect(0, "run", *summed)
    text = expect(1, "run", *summed, "--check", "races")
    assert text.startswith("race: program (0) writes o_ref[0], program (1) reads it, and nothing orders the two; 8 elements")
    assert "= conflicts with load of o_ref, program (1)" in text and "--check races\n" in text
    assert re.search(r"summed\.py:16 in .*\n.*\n 16 \| .*\n.*\n.*\n.*\n  --> .*summed\.py:20 in ", text)
    reports = [json.loads(expect(1, "run", *summed, "--check", "races", "--order", order, "--json"))
               for order in ("sequential", "reversed", "shuffled:4", "interleaved:1", "parallel:2")]
    for report in reports:
        assert all(finding.pop("order") == report["order"] for finding in report["findings"])
    assert all(report["findings"] == reports[0]["findings"] for report in reports)
    finding = reports[0]["findings"][0]
    assert (finding["kind"], finding["level"], finding["line"], finding["program"]) == ("race", "error", 16, [0])
    assert finding["elements"] == [0, 7] and finding["count"] == 8
    assert [(r["role"], r["op"], r["line"], r["program"]) for r in finding["related"]] == [("conflicts with", "load", 20, [1])]


def test_check(inputs):
    summed = [ROOT / "examples" / "summed.json", "--in", ROOT / "examples" / "summed_inputs.npz"]
    text = expect(1, "check", *summed)
    assert text.count("race: ") == 2 and "= in the other order first program (3)\n" in text
    assert re.search(r"repeat with: tilegrind run .*summed_inputs.npz --order sequential --check all\n", text)
    report = json.loads(expect(1, "check", *summed, "--shuffles", "0", "--interleavings", "0", "--check", "none", "--json"))
    (finding,) = report["findings"]
    assert finding["kind"] == "order-dependence" and finding["order"] == "replay:3-before-0"
    replayed = json.loads(expect(0, "run", *summed, "--order", finding["order"], "--json"))
    assert replayed["order"] == finding["order"] and replayed["findings"] == []
    expect(0, "check", ADD, "--in", inputs / "inputs.npz")


@pytest.mark.parametrize("arguments, message", [
    (["--shuffles", "-1"], "--shuffles takes"), (["--interleavings", "many"], "--interleavings takes"),
    (["--seed", "0"], "--seed takes"), (["--order", "reversed"], "unknown option"), ([], "Try: tilegrind check --help")])
def test_wrong_checks(arguments, message):
    assert message in expect_error(2, "check", *arguments, *([ADD] if arguments else []))


def test_checks_are_known_and_made_by_the_interpreter():
    run = ["run", SHIFTED, "--in", SHIFTED_INPUTS, "--check"]
    assert '"rices" is none of none, all, races' in expect_error(2, *run, "races,rices")
    assert "makes no checks" in expect_error(2, *run, "races", "--backend", "emulator")


def test_repeat_line_repeats():
    report = json.loads(expect(1, "run", SHIFTED, "--in", SHIFTED_INPUTS, "--order", "shuffled", "--json"))
    assert re.search(r"--order shuffled:\d+", report["repeat"])
    again = json.loads(expect(1, *report["repeat"].split()[1:], "--json"))
    assert again["findings"] == report["findings"] and again["order"] == report["order"]
    finding = report["findings"][0]
    assert finding["program"] == [3] and finding["kernel"] == "shift" and finding["line"] > 0


def test_compat_jax_moves_the_read_inside(tmp_path):
    expect(0, "run", SHIFTED, "--in", SHIFTED_INPUTS, "--compat", "jax", "--out", tmp_path / "o.npy")
    assert np.load(tmp_path / "o.npy")[-4:].tolist() == [12, 13, 14, 15]


# ---- run CASE ----


def test_case_as_expected(tmp_path):
    text = expect(0, "run", write_case(tmp_path / "case"))
    assert text.count("as expected") == 3 and "shuffled:1: 3 programs" in text


def test_case_with_other_numbers(tmp_path):
    expected = 2 * np.arange(10, dtype=np.float32)
    expected[7] = np.nextafter(expected[7], np.float32(100))
    case = write_case(tmp_path / "case", expected=expected)
    text = expect(1, "run", case, "--order", "reversed")
    assert "1 of 10 elements differ" in text and "[7]" in text and "1 ULP" in text
    report = json.loads(expect(1, "run", case, "--json"))
    check = report["runs"][0]["outputs"][0]
    assert check["worst_ulps"] == 1 and check["worst_at"] == "[7]" and check["agrees"] is False


def test_case_takes_no_inputs(tmp_path, inputs):
    case = write_case(tmp_path / "case")
    assert "a case has its inputs" in expect_error(2, "run", case, "--in", inputs / "x.npy")


@pytest.mark.parametrize("changes, code", [
    ({"kernel": "../add.json"}, 3),
    ({"kernel": "nowhere.json"}, 2),
    ({"kernel": None}, 3),
    ({"surprise": 1}, 3),
])
def test_bad_case(tmp_path, changes, code):
    assert "case.json" in expect_error(code, "run", write_case(tmp_path / "case", **changes))


def test_folder_without_case(tmp_path):
    assert "case.json" in expect_error(2, "run", tmp_path)


# ---- verify, show, doctor ----


def test_verify(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(ADD.read_text().replace('"op": "add"', '"op": "adder"'))
    assert "add.json: ok, 1 kernel" in expect(0, "verify", ADD)
    error = expect_error(3, "verify", ADD, bad)
    assert "/kernels/0/body/ops/2" in error and "adder" in error
    report = json.loads(expect(3, "verify", ADD, bad, "--json"))
    assert [f["status"] for f in report["files"]][0] == "OK" and report["files"][1]["errors"]


def test_errors_hold_no_escapes(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"tilegrind": "0.1", "\\u001b[31m": 1}')
    assert "\033" not in expect_error(3, "verify", bad)


def test_show(tmp_path):
    assert "add" in expect(0, "show", ADD)
    canonical = tmp_path / "canonical.json"
    canonical.write_text(expect(0, "show", "--json", ADD))
    assert expect(0, "show", "--json", canonical) == canonical.read_text()
    assert expect(0, "show", "--plan", ADD)
    assert json.loads(expect(0, "show", "--schema"))["$schema"]


def test_map():
    assert expect(0, "show", ADD, "--map", "o")
    assert expect(0, "show", ADD, "--map", "o", "--svg").startswith("<svg")
    assert "nobody" in expect_error(2, "show", ADD, "--map", "nobody")


def test_doctor():
    text = expect(0, "doctor")
    assert "self test        passed" in text
    report = json.loads(expect(0, "doctor", "--json"))
    assert report["self_test"] is True and report["isa"]["baseline"] == "works"
    assert f"profile fast     {report['profile_fast']}" in text


def fake_gpu():
    """The environment in which there are two GPUs (tests/gpu/fake_driver.c)."""
    library = Path(TILEGRIND).resolve().parent / "libtg_fake_driver.so"
    if not library.exists():
        pytest.skip("the tests in C are not built")
    return {"TILEGRIND_LIBCUDA": str(library), "TILEGRIND_PTXAS": str(ROOT / "tests/gpu/fake_ptxas.sh")}


NO_GPU = {"TILEGRIND_LIBCUDA": "/nowhere/libcuda.so.1", "TILEGRIND_PTXAS": ""}


def test_doctor_without_gpu():
    text = tilegrind("doctor", env=NO_GPU).stdout
    assert "GPU              none: this machine has no NVIDIA driver: /nowhere/libcuda.so.1" in text
    assert "ptxas            none: TILEGRIND_PTXAS says to use none" in text
    done = tilegrind("doctor", "--json", env=NO_GPU)
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["self_test"] is True
    assert report["gpu"]["driver"] is None and report["gpu"]["devices"] == []
    assert "no NVIDIA driver" in report["gpu"]["error"]
    assert report["ptxas"] == {"path": None, "version": None, "error": "TILEGRIND_PTXAS says to use none"}


def test_doctor_with_gpus():
    text = tilegrind("doctor", env=fake_gpu()).stdout
    assert "GPU driver       CUDA 13.0\n" in text and "ptxas            12.4.131, /" in text
    assert "gpu:1            Fake 1, compute capability 9.0, 1.0 GiB, 3 multiprocessors\n" in text
    report = json.loads(tilegrind("doctor", "--json", env=fake_gpu()).stdout)
    device = {"name": "Fake 0", "compute_capability": "9.0", "memory_bytes": 1 << 30, "multiprocessors": 3,
              "usable": True}
    assert report["gpu"]["driver"] == "13.0" and report["gpu"]["error"] is None
    assert report["gpu"]["devices"] == [device, {**device, "name": "Fake 1"}]
    assert report["ptxas"]["version"] == "12.4.131"


def test_doctor_with_gpus_that_will_not_do():
    old = {**fake_gpu(), "FAKE_CUDA_CAPABILITY": "75"}
    assert "3 multiprocessors; too old\n" in tilegrind("doctor", env=old).stdout
    assert json.loads(tilegrind("doctor", "--json", env=old).stdout)["gpu"]["devices"][0]["usable"] is False
    broken = {**fake_gpu(), "FAKE_CUDA_FAIL": "cuDeviceGetName=999"}
    text = tilegrind("doctor", env=broken).stdout
    assert "gpu:0            asking what the GPU is: cuDeviceGetName returned" in text
    device = json.loads(tilegrind("doctor", "--json", env=broken).stdout)["gpu"]["devices"][0]
    assert device["usable"] is False and "CUDA_ERROR_UNKNOWN (999)" in device["error"]


@pytest.mark.parametrize("backend, env, code, why", [
    ("gpu", NO_GPU, 3, "this machine has no NVIDIA driver"),
    ("gpu:x", NO_GPU, 2, "none of cpu, emulator[:SEED], gpu[:NUMBER]"),
    ("gpu:", NO_GPU, 2, "none of cpu"),
    ("gpu:-1", NO_GPU, 2, "none of cpu"),
    ("gpu:99999999999", NO_GPU, 2, "none of cpu"),
    ("gpu:99999999999999999999999", NO_GPU, 2, "none of cpu"),
    ("gpus", NO_GPU, 2, "none of cpu"),
    ("gpu:2", None, 2, "there is no GPU 2: the last one is 1"),
])
def test_run_without_that_gpu(backend, env, code, why):
    done = tilegrind("run", SHIFTED, "--in", SHIFTED_INPUTS, "--backend", backend, env=env or fake_gpu())
    assert done.returncode == code and why in done.stderr


def test_run_on_gpu():
    """Kernels do nothing on a GPU that is none, but all around them happens."""
    def run(*arguments, **env):
        return tilegrind("run", SHIFTED, "--in", SHIFTED_INPUTS, "--json", *arguments, env={**fake_gpu(), **env})

    for arguments in [], ["--order", "parallel"], ["--order", "parallel:2"]:
        done = run("--backend", "gpu:1", *arguments)
        assert done.returncode == 0, done.stderr
        assert '"gpu"' in done.stdout
    done = run("--backend", "gpu", FAKE_CUDA_KERNEL="716")
    assert done.returncode == 4 and "CUDA_ERROR_MISALIGNED_ADDRESS (716)" in done.stdout + done.stderr


def test_full_disk_is_an_error():
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run([TILEGRIND, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "standard output" in done.stderr


# ---- commands of the Python package ----


def test_packaged_commands_are_programs_of_their_own(tmp_path):
    program = tmp_path / "tilegrind-golden"
    program.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    program.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for arguments, said in ((["golden", "check", "a b"], "check a b\n"), (["help", "golden"], "--help\n")):
        run = tilegrind(*arguments, env=path)
        assert (run.returncode, run.stdout) == (7, said)
    run = tilegrind("golden", env={"PATH": "/nowhere"})
    assert run.returncode == 2 and "golden is a command of the Python package (pip install tilegrind)" in run.stderr
    assert "\n  golden " in expect(0, "--help")
