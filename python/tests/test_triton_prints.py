"""What kernels of Triton print and demand."""

import numpy as np
from triton_texts import launch, run


def test_a_line_for_each_element():
    x = np.array([5, -6, 7, 80], np.int32)
    text = run("say", x, 300, grid=(2, 1, 1))
    first, second = text[:len(text) // 2].splitlines(), text[len(text) // 2:].splitlines()
    assert first == [
        "pid (0, 0, 0) idx (0, 0) x: (operand 0) 5", "pid (0, 0, 0) idx (0, 1) x: (operand 0) -6",
        "pid (0, 0, 0) idx (1, 0) x: (operand 0) 7", "pid (0, 0, 0) idx (1, 1) x: (operand 0) 80",
        "pid (0, 0, 0) idx () x: (operand 1) 300",
        "pid (0, 0, 0) idx (0, 0) hex: 0x00000005", "pid (0, 0, 0) idx (0, 1) hex: 0xfffffffa",
        "pid (0, 0, 0) idx (1, 0) hex: 0x00000007", "pid (0, 0, 0) idx (1, 1) hex: 0x00000050",
        "pid (0, 0, 0) idx () {n}: 44",
        f"pid (0, 0, 0) idx () where: 0x{x.ctypes.data + 8:016x}",
        "pid (0, 0, 0) done",
    ]  # yapf: disable
    assert second == [line.replace("pid (0", "pid (1") for line in first]


def test_as_often_as_threads_have_it():
    """A tensor of four elements, numbers and a text, in a program of 8, 4 and 2 threads."""
    x = np.array([5, -6, 7, 80], np.int32)
    once = run("say", x, 300).splitlines()
    assert run("say", x, 300, threads=8).splitlines() == once
    for threads, times in ((8, 2), (4, 1), (2, 1)):
        lines = run("say", x, 300, threads=threads, prints="thread").splitlines()
        for line in once:
            is_element = "idx (0, " in line or "idx (1, " in line
            assert lines.count(line) == (times if is_element else threads)
        assert list(dict.fromkeys(lines)) == once


def test_floats():
    values = np.array([1.5, -0., np.inf, -np.inf, np.nan, 2**-149, -1 / 3, 65504], np.float32)
    lines = run("say_floats", values).splitlines()
    shown = [line.rsplit(" ", 1)[1] for line in lines]
    assert shown[:4] == ["1.500000", "-0.000000", "inf", "-inf"]
    assert shown[6:8] == ["-0.333333", "65504.000000"]
    assert [float.fromhex(one) for one in shown[8:12]] == [1.5, 0, np.inf, -np.inf]
    assert shown[9].startswith("-0x0") and shown[12] == "nan"
    assert [float.fromhex(one) for one in shown[13:]] == [2**-149, -float(np.float32(1 / 3)), 65504]
    assert lines[0].startswith("pid (0, 0, 0) idx (0) f: ")


def test_an_assertion_names_its_first_element():
    x = np.ones((4, 4), np.int32)
    x[2, 3] = x[3, 0] = 10
    findings, _ = launch("demand", x)
    assert [one.message for one in findings] == ["too large {}: first at element (2, 3)"]
    assert findings[0].kind == "check-failed"
    findings, _ = launch("demand", np.zeros((4, 4), np.int32))
    assert [one.message for one in findings] == ["nothing"]
    run("demand", np.ones((4, 4), np.int32))
