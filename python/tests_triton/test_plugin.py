"""Tilegrind beside Triton: found when it is asked for, and in nobody's way when it is not, even broken."""

import dataclasses
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

ENTRY = "[triton.backends]\ntilegrind = tilegrind_triton_plugin\n"
SAY = "import triton; print(sorted(triton.backends.backends)); print(triton.backends.backends['tilegrind'].driver.is_active())"
HEAVY = "import sys, triton; print([one for one in ('numpy', 'tilegrind.runtime', 'tilegrind._native', 'torch') if one in sys.modules])"
LAUNCH = """
import sys; sys.path.append({tests!r})
from arrays import iota, zeros
from kernels import add
o = zeros(4)
add[(1,)](iota(4), iota(4), o, 4, B=4)
print(o.array)
"""


@pytest.fixture
def installed(tmp_path):
    """A folder that is as if Tilegrind were installed there; its packages may be broken."""
    for name in ("tilegrind", "tilegrind_triton_plugin"):
        shutil.copytree(ROOT / "python" / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    about = tmp_path / "tilegrind-0.1.0.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text(ENTRY)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tilegrind\nVersion: 0.1.0\n")
    return tmp_path


def python(folder, code, **more):
    environment = {**os.environ, "PYTHONPATH": str(folder), **more}
    environment.pop("TILEGRIND", None) if "TILEGRIND" not in more else None
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)


def launch():
    return LAUNCH.format(tests=str(ROOT / "python" / "tests_triton"))


def test_triton_finds_it_and_does_not_choose_it(installed):
    done = python(installed, SAY)
    assert (done.returncode, done.stdout) == (0, "['amd', 'nvidia', 'tilegrind']\nFalse\n")
    assert "0 active drivers" in python(installed, launch()).stderr


def test_import_of_triton_loads_little(installed):
    beside = python("", "import sys, triton; print([one for one in ('numpy', 'torch') if one in sys.modules])")
    with_it = python(installed, HEAVY)
    assert with_it.returncode == 0 and with_it.stdout == beside.stdout == "[]\n"


@pytest.mark.parametrize("more", [{}, {"TRITON_DEFAULT_BACKEND": "tilegrind"}], ids=["alone", "beside others"])
def test_the_environment_asks_for_it(installed, more):
    done = python(installed, launch(), TILEGRIND="1", **more)
    assert done.returncode == 0 and done.stdout == "[0. 2. 4. 6.]\n", done.stderr


BROKEN = {"package": ("tilegrind/__init__.py", "1 / 0\n"), "front end": ("tilegrind/triton/__init__.py", "def f(:\n"),
          "compiler": ("tilegrind/triton/backend/compiler.py", "from triton.backends.compiler import NoSuchName\n"),
          "no class": ("tilegrind/triton/backend/compiler.py", "TilegrindBackend = None\n"),
          "driver": ("tilegrind/triton/backend/driver.py", "raise OSError('no such library')\n"),
          "abstract": ("tilegrind/triton/backend/driver.py",
                       "from triton.backends.driver import DriverBase\nclass TilegrindDriver(DriverBase): pass\n")}


@pytest.mark.parametrize("file, text", BROKEN.values(), ids=BROKEN)
def test_a_broken_one_is_in_nobodys_way(installed, file, text):
    (installed / file).write_text(text)
    done = python(installed, SAY + "; import triton.language, triton.compiler; from triton.backends.compiler import GPUTarget; "
                                   "print(type(triton.compiler.make_backend(GPUTarget('cuda', 90, 32))).__name__)")
    assert (done.returncode, done.stdout) == (0, "['amd', 'nvidia', 'tilegrind']\nFalse\nCUDABackend\n"), done.stderr


@pytest.mark.parametrize("file, text", BROKEN.values(), ids=BROKEN)
def test_a_broken_one_says_so_when_it_is_asked_for(installed, file, text):
    (installed / file).write_text(text)
    done = python(installed, launch(), TILEGRIND="1")
    assert done.returncode == 1
    assert "ImportError: Tilegrind cannot be loaded: " in done.stderr


def test_texts_for_a_gpu_can_be_asked_for(installed):
    code = launch().replace("add[(1,)]", "kernel = add[(1,)]") + "print(kernel.asm['ptx'])"
    assert ".target sm_90a" in python(installed, code, TILEGRIND="1").stdout


def test_without_entry_points_the_context_works(installed):
    code = "import tilegrind.triton as tt\nwith tt.interpreter():\n" + "\n".join(f"    {line}" for line in launch().strip().splitlines())
    done = python(installed, code, TRITON_BACKENDS_IN_TREE="1")
    assert done.returncode == 0 and done.stdout == "[0. 2. 4. 6.]\n", done.stderr


def test_options_of_other_backends_are_accepted():
    """Programs pass them to whatever backend there is."""
    from triton.backends.amd.compiler import HIPOptions
    from triton.backends.nvidia.compiler import CUDAOptions

    from tilegrind.triton.backend.compiler import Options

    known = {one.name for one in dataclasses.fields(Options)}
    wanted = {one.name for other in (CUDAOptions, HIPOptions) for one in dataclasses.fields(other)}
    assert wanted - known == set()


def test_libraries_are_a_tuple_of_names_and_paths():
    from tilegrind.triton.backend.compiler import Options

    options = Options(extern_libs={"libdevice": "libdevice.bc"})
    assert options.extern_libs == (("libdevice", "libdevice.bc"),) and options.hash()
