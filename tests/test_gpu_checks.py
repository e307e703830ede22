"""The checks of conformance/gpu/ themselves, with the emulator in the GPU's place."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from conformance.gpu import approximate, cuda, emulated, launches, products, tables  # noqa: E402
from tilegrind import emulator  # noqa: E402

COPY = """.version 7.8
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %i, %n;
    .reg .b64 %a, %o;
    .reg .f32 %f;
    mov.u32 %i, %tid.x;
    ld.param.u32 %n, [n];
    setp.ge.u32 %q, %i, %n;
    @%q ret;
    ld.param.u64 %a, [p];
    cvta.to.global.u64 %a, %a;
    mul.wide.u32 %o, %i, 4;
    add.u64 %a, %a, %o;
    ld.global.f32 %f, [%a];
    add.rn.f32 %f, %f, %f;
    st.global.f32 [%a], %f;
    ret;
}
"""


def test_tables_hold_in_the_emulator():
    report = tables.run(emulated)
    assert report["entries"] > 800 and report["rows"] > 30_000
    assert not report["wrong"] and not report["refused"]


class Wrong:
    """A device that gives a wrong bit."""

    def run(self, entry, args, **options):
        args[0][...] = 1


def test_a_wrong_bit_is_told():
    table, = tables.read("//: neg b32 = b32\n// 80000000 = 00000000\n// 00000001 = 00000005\n")
    wrong, = tables.check(Wrong(), table)
    assert str(wrong) == "neg of 00000000: 00000001, and not 80000000"


def test_the_ways_of_summing_are_told_apart():
    for one in products.run(emulated, warps=3):
        assert one["differing"]["Hopper"] == 0
        if "f32_f16" in one["form"]:
            assert one["differing"]["one by one"] > 0


def test_approximations_are_within_what_is_documented():
    for one in approximate.run(emulated, chunk=256):
        assert not one["other_kind"], one
        for part in one["ranges"]:
            assert part["error"] <= part["documented"], one


def test_a_launch_is_recorded_and_run_again(tmp_path):
    values = np.arange(5, dtype=np.float32)
    with launches.recorded(lambda record: np.savez(tmp_path / "twice.npz", **record)):
        emulator.load(COPY).run([values, np.uint32(5)], block=(32,))
    assert values.tolist() == [0, 2, 4, 6, 8]
    equal, = launches.run(emulated, tmp_path)
    assert equal["record"] == "twice" and equal["differences"] == []
    with np.load(tmp_path / "twice.npz") as record:
        changed = dict(record)
    changed["after0"][3] = np.float32(7).view(np.uint32)
    np.savez(tmp_path / "twice.npz", **changed)
    different, = launches.run(emulated, tmp_path)
    assert different["differences"][0]["differing"] == 1 and different["differences"][0]["want"] == 7


def test_a_machine_without_a_driver_is_told(monkeypatch):
    monkeypatch.setenv("TILEGRIND_LIBCUDA", "/nowhere/libcuda.so")
    cuda._driver.cache_clear()
    with pytest.raises(OSError, match="nowhere"):
        cuda.load(COPY)
    assert json.dumps(cuda._extents((2,))) == "[2, 1, 1]"


def test_a_pointer_into_an_array_is_recorded(tmp_path):
    values = np.arange(5, dtype=np.float32)
    with launches.recorded(lambda record: np.savez(tmp_path / "twice.npz", **record)):
        emulator.load(COPY).run([emulator.Pointer(values, 8), np.uint32(3)], block=(32,))
    assert values.tolist() == [0, 1, 4, 6, 8]
    equal, = launches.run(emulated, tmp_path)
    assert equal["differences"] == []
