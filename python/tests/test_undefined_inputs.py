"""Runs that write to arrays that are given, and inputs of which bytes are undefined."""

import json

import numpy as np
import pytest

import tilegrind


def module():
    """o[2:] = o[:2], where o begins as x."""
    types = {"x": "f32[4]", "o": "f32[4]"}
    params = [{"name": "x", "role": "input", "type": types["x"]},
              {"name": "o", "role": "output", "type": types["o"], "alias": "x"}]
    part = [[["slice", 0, 2, 1]], [["slice", 2, 2, 1]]]
    ops = [{"op": "load", "in": [1], "out": [{"id": 2, "type": "f32[2]"}], "index": part[0]},
           {"op": "store", "in": [1, 2], "index": part[1]}]
    args = [{"id": number, "type": "ref<f32[4]>"} for number in (0, 1)]
    kernel = {"name": "k", "grid": [], "params": params, "body": {"args": args, "ops": ops}}
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [kernel]}))


@pytest.mark.parametrize("call", ["run", "check"])
def test_an_output_is_written_in_place(call):
    x = np.arange(4, dtype=np.float32)
    run = getattr(module(), call)({"x": x}, outputs={"o": x})
    assert run.outputs["o"] is x
    assert np.array_equal(x, [0, 1, 0, 1])


def test_an_output_in_an_array_of_its_own():
    x, o = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    module().run({"x": x}, outputs={"o": o})
    assert np.array_equal(o, [0, 1, 0, 1]) and np.array_equal(x, [0, 1, 2, 3])


@pytest.mark.parametrize("given, wrong", [({"p": np.zeros(4, np.float32)}, "no output p"),
                                          ({"o": np.zeros(4, np.int32)}, "output o is float32"),
                                          ({"o": np.zeros(8, np.float32)[::2]}, "not row-major")])
def test_arrays_that_no_output_can_be_written_to(given, wrong):
    with pytest.raises(ValueError, match=wrong):
        module().run({"x": np.zeros(4, np.float32)}, outputs=given)


def test_an_array_that_is_read_only():
    o = np.zeros(4, np.float32)
    o.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        module().run({"x": np.zeros(4, np.float32)}, outputs={"o": o})


@pytest.mark.parametrize("call", ["run", "check"])
def test_undefined_bytes_before_and_after(call):
    known = np.zeros(16, np.uint8)
    known[4:8] = known[8:12] = 1
    run = getattr(module(), call)({"x": np.zeros(4, np.float32)}, undefined={"x": (known, known)},
                                  **({"checks": "undefined"} if call == "run" else {}))
    assert [one.kind for one in run.findings] == ["undefined-output"]
    assert np.flatnonzero(known).tolist() == [*range(4, 8), *range(12, 16)]


def test_what_is_known_need_not_be_told():
    known = np.ones(16, np.uint8)
    run = module().run({"x": np.zeros(4, np.float32)}, undefined={"x": known}, checks="undefined")
    assert run.findings and known.all()


@pytest.mark.parametrize("known", [{"y": np.zeros(16, np.uint8)}, {"x": np.zeros(15, np.uint8)}, {"x": np.zeros(16, np.int8)},
                                   {"o": np.zeros(16, np.uint8)}])
def test_what_is_not_known_of_bytes(known):
    with pytest.raises(ValueError, match="undefined="):
        module().run({"x": np.zeros(4, np.float32)}, undefined=known)


def test_neither_goes_with_a_mesh():
    x = np.zeros(4, np.float32)
    for more in ({"outputs": {"o": x}}, {"undefined": {"x": np.zeros(16, np.uint8)}}):
        with pytest.raises(ValueError, match="mesh"):
            module().run({"x": x}, mesh="x=2", **more)


def test_masked_lanes_without_other_can_be_zero():
    args = [{"id": 0, "type": "ref<f32[2]>"}, {"id": 1, "type": "ref<f32[2]>"}]
    ops = [{"op": "constant", "out": [{"id": 2, "type": "bool[2]"}], "value": [True, False]},
           {"op": "load", "in": [0, 2], "out": [{"id": 3, "type": "f32[2]"}], "index": [["slice", 0, 2, 1]], "mask": True},
           {"op": "store", "in": [1, 3], "index": [["slice", 0, 2, 1]]}]
    params = [{"name": "x", "role": "input", "type": "f32[2]"}, {"name": "o", "role": "output", "type": "f32[2]"}]
    kernel = {"name": "k", "grid": [], "params": params, "body": {"args": args, "ops": ops}}
    masked = tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [kernel]}))
    run = masked.run({"x": np.ones(2, np.float32)}, compat="zero", checks="all")
    assert run.outputs["o"].tolist() == [1, 0] and not run.findings
    assert masked.run({"x": np.ones(2, np.float32)}, checks="all").findings
