"""tilegrind.mesh, and runs of kernels on the devices of a mesh."""

import json

import numpy as np
import pytest
from conftest import ROOT

import tilegrind
from tilegrind._dtypes import DTYPES
from tilegrind.layout import Layout
from tilegrind.mesh import MeshLayout, mesh_text, sharding_text

X = np.arange(64, dtype=np.float32).reshape(8, 8)
SUMS = tilegrind.load(ROOT / "examples" / "row_sums.json")
P_XY = {"x_ref": "P('x', 'y')", "o_ref": "P('x', unreduced={'y'})"}


def test_a_layout_in_all_notations():
    layout = MeshLayout("(S(0), P)", (8, 4), mesh={"x": 2, "y": 2})
    assert str(layout) == "(2,16):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid]"
    assert layout.to("jax") == "x=2,y=2 P('x', None, unreduced={'y'}, unreduced_kind=sum)" and layout.device_count == 4
    assert repr(layout) == f"MeshLayout({str(layout)!r}, (8, 4))"
    assert MeshLayout(Layout("(2,16):(1@gpuid,1@m)"), (8, 4)).to("sbp") == "device=2 (S(0))"
    with pytest.raises(tilegrind.Error, match="is no notation of arrays on devices"):
        layout.to("cute")
    with pytest.raises(tilegrind.Error, match="this is in notation jax, not sbp"):
        MeshLayout("P('x')", (8, 4), mesh="x=2", notation="sbp")
    with pytest.raises(tilegrind.Error, match='the mesh has no axis "z"'):
        MeshLayout("P('z')", (8, 4), mesh="x=2")


def test_shards():
    shards = MeshLayout("P('y')", (8, 4), mesh='<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>').shards()
    assert [s.device for s in shards] == [0, 2, 1, 3] and [s.replica for s in shards] == [0, 0, 1, 1]
    assert shards[3].index == (slice(4, 8), slice(0, 4)) and shards[3].shape == (4, 4)
    scalar = MeshLayout("P()", (), mesh="x=2").shards()
    assert scalar[1].index == () and scalar[1].replica == 1


def test_plan():
    split, whole = (MeshLayout(text, (8, 8), mesh="x=4") for text in ("P('x')", "P()"))
    (step,) = split.plan(whole)
    assert (step.kind, step.devices, step.sent, step.ring_link, step.pair_link) == ("all_gather", 4, 192, 192, 64)
    assert split.plan(split) == [] and split.plan(whole, element_bytes=2)[0].sent == 96


@pytest.mark.parametrize("order", [None, "reversed", "shuffled:3"])
def test_run(order):
    run = SUMS.run({"x_ref": X}, mesh="x=4,y=2", shardings=P_XY, device_order=order)
    np.testing.assert_array_equal(run.outputs["o_ref"], X.sum(axis=1))
    assert run.findings == [] and (run.devices, run.device_order, run.programs) == (8, order or "sequential", 8)
    (told,) = run.mesh_outputs
    assert (told.name, told.blocks, told.copies, told.terms, told.reduction) == ("o_ref", 4, 1, 2, "sum")


def test_a_run_on_no_mesh():
    run = SUMS.run({"x_ref": X[:2, :4]})
    assert (run.devices, run.device_order, run.mesh_outputs) == (0, "", [])


@pytest.mark.parametrize("run", [SUMS.run, SUMS.check])
def test_copies_that_differ(run):
    result = run({"x_ref": X}, mesh="x=4,y=2", shardings={**P_XY, "o_ref": "P('x')"})
    (finding,) = result.findings
    assert finding.kind == "replicas-differ" and finding.device == "device 0 (x=0, y=0)" and finding.devices == (0, 1)
    assert "o_ref[0] is 6 [40c00000] on device 0 (x=0, y=0) and 22 [41b00000] on device 1 (x=0, y=1)" in finding.message
    assert "kernel row_sums, device 0 (x=0, y=0) and 1 other" in str(finding) and "device 0" in repr(finding)
    np.testing.assert_array_equal(result.outputs["o_ref"], X[:, :4].sum(axis=1))


def test_shapes_of_whole_arrays():
    axe = "(4,2):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid]"
    run = SUMS.run({"x_ref": X}, shardings={"x_ref": Layout("(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m)"), "o_ref": (axe, (8,))})
    np.testing.assert_array_equal(run.outputs["o_ref"], X.sum(axis=1))
    assert run.devices == 8


@pytest.mark.parametrize("changes, says", [
    ({"shardings": {**P_XY, "x_ref": "P('z')"}}, 'sharding of x_ref: the mesh has no axis "z"'),
    ({"shardings": {}}, "there is no sharding of x_ref"), ({"device_order": "last"}, 'device order "last" is none of'),
    ({"mesh": "x=4,y=3"}, "dimension 1 of 8 elements is no multiple of its 3 blocks"), ({"mesh": "x"}, "mesh: expected a mesh")])
def test_refusals(changes, says):
    with pytest.raises(tilegrind.Error, match=says.replace("(", r"\(")):
        SUMS.run({"x_ref": X}, **{"mesh": "x=4,y=2", "shardings": P_XY, **changes})


class Device:
    """A device of JAX, as far as meshes go."""

    def __init__(self, id):
        self.id = id


class Mesh:
    """A mesh of JAX."""

    def __init__(self, ids, **sizes):
        self.shape, self.devices = sizes, np.array([Device(i) for i in ids]).reshape(tuple(sizes.values()))


def test_texts():
    assert mesh_text(None) is None and mesh_text("x=2") == "x=2" and mesh_text({"a": 2, "b": 3}) == '<["a"=2, "b"=3]>'
    assert mesh_text(Mesh([0, 1], x=2)) == '<["x"=2]>' and mesh_text(Mesh([1, 0], x=2)) == '<["x"=2], device_ids=[1, 0]>'
    with pytest.raises(ValueError, match=r"the devices of the mesh are \[2, 3\]; 2 devices are 0 to 1"):
        mesh_text(Mesh([2, 3], x=2))
    assert sharding_text(Layout("8:1")) == "8:1"


# ---- terms, of each dtype ----


def copies(dtype):
    """A kernel whose output is its input, of 3 elements."""
    ops = [{"op": "load", "in": [0], "out": [{"id": 2, "type": f"{dtype}[3]"}], "index": [["slice", 0, 3, 1]]},
           {"op": "store", "in": [1, 2], "index": [["slice", 0, 3, 1]]}]
    params = [{"name": name, "role": role, "type": f"{dtype}[3]"} for name, role in (("x", "input"), ("o", "output"))]
    args = [{"id": i, "type": f"ref<{dtype}[3]>"} for i in range(2)]
    return tilegrind.loads(json.dumps({"tilegrind": "0.1", "kernels": [{"name": "copy", "grid": [], "params": params,
                                                                       "body": {"args": args, "ops": ops}}]}))


@pytest.mark.parametrize("reduction, fold", [("sum", np.add), ("max", np.maximum), ("min", np.minimum)])
@pytest.mark.parametrize("dtype", [d.name for d in DTYPES])
def test_terms_of_each_dtype(dtype, reduction, fold):
    """Folded from the left, in the dtype."""
    kind = dict((d.name, np.dtype(d.numpy)) for d in DTYPES)[dtype]
    chance = np.random.default_rng(3)
    terms = chance.uniform(0.5, 3, (4, 3)) if dtype.startswith(("f", "bf")) else chance.integers(0, 2, (4, 3))
    terms = terms.astype(kind)
    sums = {"f8e8m0fnu": "no zero", "bool": "no sum of bools"}
    call = {"mesh": "x=4", "shardings": {"x": "P('x')", "o": f"(P({reduction}))"}}
    if reduction == "sum" and dtype in sums:
        with pytest.raises(tilegrind.Error, match=sums[dtype]):
            copies(dtype).run({"x": terms.reshape(-1)}, **call)
        return
    expected = terms[0]
    for term in terms[1:]:
        wide = [a.astype(np.int32) if dtype[0] in "iu" and kind.itemsize == 1 else a for a in (expected, term)]
        expected = fold(*wide).astype(kind)
    got = copies(dtype).run({"x": terms.reshape(-1)}, **call).outputs["o"]
    np.testing.assert_array_equal(got.astype(np.float64), expected.astype(np.float64))
