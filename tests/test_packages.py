"""What tools/check_packages.py refuses; that it accepts what is right, ./bootstrap test --all shows.  And the line that the demo ends with."""

import io
import os
import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "packages"), str(ROOT / "demo")]
import check_packages  # noqa: E402
import uses  # noqa: E402
import deb  # noqa: E402
import environments  # noqa: E402
import files  # noqa: E402
from environments import Failure  # noqa: E402
from own_environment import install_line  # noqa: E402

PROGRAM = Path(os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"))  # links to cJSON, libzip and SLEEF of the system


def needed_by_build():
    listed = files.output("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    return [*(name for name in listed if (ROOT / name).exists() and files.is_built(name)), f"python/{files.SUITE}"]


def write_sdist(path, names):
    with tarfile.open(path, "w:gz") as archive:
        for name in ["PKG-INFO", *names]:
            archive.addfile(tarfile.TarInfo(f"tilegrind-0.1.0/{name}"), io.BytesIO())
    return path


def test_an_sdist_holds_what_the_build_needs(tmp_path):
    files.check_sdist(write_sdist(tmp_path / "good.tar.gz", needed_by_build()))


@pytest.mark.parametrize("name", ["python/tilegrind/ir/builder.py", "ir/ops.def", "cmake/Library.cmake", "LICENSE",
                                  "python/tilegrind/conform/suite.zip"])
def test_an_sdist_without_a_file_is_refused(tmp_path, name):
    names = needed_by_build()
    names.remove(name)
    with pytest.raises(Failure, match=rf"missing \['{name}'\], too many \[\]"):
        files.check_sdist(write_sdist(tmp_path / "bad.tar.gz", names))


@pytest.mark.parametrize("name", ["core", "tests/test_cli.py", "python/tests/conftest.py", "conformance/accept.py", "ir/junk.o"])
def test_an_sdist_with_more_is_refused(tmp_path, name):
    with pytest.raises(Failure, match=rf"missing \[\], too many \['{name}'\]"):
        files.check_sdist(write_sdist(tmp_path / "bad.tar.gz", [*needed_by_build(), name]))


def write_wheel(folder, tag="manylinux_2_34_x86_64", content=b""):
    path = folder / f"tilegrind-0.1.0-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tilegrind/libtilegrind.so", content)
    return path


def test_a_wheel_for_this_system_alone_is_refused(tmp_path):
    with pytest.raises(Failure, match="is not one for every Linux"):
        files.check_wheel(write_wheel(tmp_path, "linux_x86_64"), tmp_path / "out")


def test_a_wheel_that_links_to_the_system_is_refused(tmp_path):
    with pytest.raises(Failure, match=r"links to \['libcjson.so.*', .*'libzip.so"):
        files.check_wheel(write_wheel(tmp_path, content=PROGRAM.read_bytes()), tmp_path / "out")


def compiled(folder, code):
    library = folder / "library.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=code, text=True, check=True)
    return library.read_bytes()


def test_a_wheel_that_exports_more_than_the_header_is_refused(tmp_path):
    functions = [f"void {name}(void) {{}}" for name in [*sorted(files.declared()), "cJSON_Parse"]]
    with pytest.raises(Failure, match=r"exports \['cJSON_Parse'\] against the header"):
        files.check_wheel(write_wheel(tmp_path, content=compiled(tmp_path, "\n".join(functions))), tmp_path / "out")


def test_a_wheel_without_licences_is_refused(tmp_path):
    functions = [f"void {name}(void) {{}}" for name in sorted(files.declared())]
    with pytest.raises(Failure, match=r"has the licences \[\], not"):
        files.check_wheel(write_wheel(tmp_path, content=compiled(tmp_path, "\n".join(functions))), tmp_path / "out")


def test_a_file_that_a_purge_leaves_is_told(tmp_path):
    left = tmp_path / "left"
    left.symlink_to("nowhere")
    with pytest.raises(Failure, match=f"left behind: {left}"):
        deb.check_nothing_left([left, tmp_path / "gone"])


def test_an_exit_code_that_is_not_expected_is_told(tmp_path):
    base = environments.Base(sys.executable, "0", "")
    env = environments.Environment("wheel", base, tmp_path, tmp_path)
    assert env.run("sh", "-c", "echo $TILEGRIND_LIBRARY$PYTHONPATH; exit 1", expect=(1,)) == "\n"
    with pytest.raises(Failure, match=r"exit code 3, not \(0,\)\nwhy\n"):
        env.run("sh", "-c", "echo why; exit 3")


def test_every_module_is_imported():
    modules = uses.modules()
    assert {"tilegrind", "tilegrind.__main__", "tilegrind.pallas", "tilegrind.ir.builder", "tilegrind.pytest_plugin"} <= set(modules)
    assert "tilegrind_triton_plugin.guard" in modules
    packages = ("tilegrind", "tilegrind_triton_plugin")
    assert len(modules) == sum(len(list((ROOT / "python" / name).rglob("*.py"))) for name in packages)


def test_what_fails_is_counted():
    def fail():
        raise Failure("no such module")

    failures = []
    assert check_packages.attempt(fail, failures, "wheel: import") == "FAILED"
    assert failures == ["wheel: import: no such module"]
    assert re.fullmatch(r"ok [0-9.]+ s", check_packages.attempt(lambda: None, failures, "wheel: command"))


@pytest.mark.slow
def test_the_demo_ends_with_the_line_that_the_check_runs():
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, "demo/run.py"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"$ {install_line()}"
    assert shlex.split(install_line()) == ["python", "-m", "pip", "install", str(ROOT)]
