"""Compares shardings of JAX, live on 8 devices of the CPU, with Tilegrind's layouts.

    shardings.py [COUNT]

For each mesh, PartitionSpec and shape: which elements each device has, by JAX's device -> index map, by the arrays that JAX
really makes, by `tilegrind.mesh.MeshLayout`, and element by element by the Axe layout; the shape of a shard; replica ids;
whether every device has all of it; or that both refuse.  The table is that of JAX's own tests (tests/array_test.py, tests/pjit_test.py),
as tests/layouts/judges/sharding_jax.json names them; then meshes in the orders of devices that jax.experimental.mesh_utils makes for TPUs of 8
devices; then COUNT random ones (1000).  Exit status: 0 if all agree.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import mesh_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

import tilegrind  # noqa: E402
from tilegrind.layout import Layout  # noqa: E402
from tilegrind.mesh import MeshLayout  # noqa: E402

TABLE = ROOT / "tests" / "layouts" / "judges" / "sharding_jax.json"
OPS = {"shard_slices", "shard_shape", "shard_replicas", "sharding_is_replicated"}


@dataclass(frozen=True)
class Case:
    """A sharding of an array on a mesh of `order`, the numbers of devices by position."""

    name: str
    sizes: tuple[tuple[str, int], ...]
    spec: P
    shape: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def mesh(self) -> Mesh:
        devices = np.array([jax.devices()[i] for i in self.order])
        return Mesh(devices.reshape([size for _, size in self.sizes]), [name for name, _ in self.sizes])


@dataclass(frozen=True)
class Answer:
    """What is said of a sharding, device by device in the order of the mesh: blocks as (first, end) by dimension."""

    shard: tuple[int, ...]
    blocks: list[tuple[tuple[int, int], ...]]
    replicas: list[int]
    is_replicated: bool


# ---- both sides ----


def _blocks(indices: Sequence[Sequence[slice]], shape: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    return [tuple(part.indices(extent)[:2] for part, extent in zip(index, shape)) for index in indices]


def of_jax(case: Case) -> Answer | None:
    """JAX's answer, by its map and by an array that it makes; None if it refuses."""
    sharding, whole = NamedSharding(case.mesh, case.spec), np.arange(int(np.prod(case.shape))).reshape(case.shape)
    try:
        indices = sharding.devices_indices_map(case.shape)
        shard = sharding.shard_shape(case.shape)
        array = jax.device_put(whole, sharding)
    except ValueError:
        return None
    devices = list(case.mesh.devices.flat)
    real = {part.device: part for part in array.addressable_shards}
    for device in devices:
        np.testing.assert_array_equal(np.asarray(real[device].data), whole[indices[device]])
    return Answer(tuple(shard), _blocks([indices[d] for d in devices], case.shape), [real[d].replica_id for d in devices],
                  sharding.is_fully_replicated)


def of_tilegrind(case: Case) -> Answer | None:
    """Tilegrind's answer, as of JAX's own objects; None if it refuses."""
    try:
        layout = MeshLayout(NamedSharding(case.mesh, case.spec), case.shape)
        shards = layout.shards()
    except tilegrind.Error:
        return None
    assert [s.device for s in shards] == list(case.order)
    return Answer(shards[0].shape, _blocks([s.index for s in shards], case.shape), [s.replica for s in shards],
                  all(s.shape == case.shape for s in shards))


def agrees_element_by_element(case: Case, answer: Answer) -> bool:
    """Whether the Axe layout has each element on exactly the devices whose blocks have it, row-major in their memory."""
    if not case.shape:
        return True  # a notation needs a dimension
    mesh = ",".join(f"{name}={size}" for name, size in case.sizes)
    layout = Layout.read("jax", f"{mesh} {case.spec}", case.shape)
    places = [{(place.get("gpuid", 0), place.get("m", 0)) for place in layout.places(x)} for x in range(layout.size)]
    found: list[set[tuple[int, int]]] = [set() for _ in places]
    whole = np.arange(layout.size).reshape(case.shape)
    for position, block in enumerate(answer.blocks):
        for m, x in enumerate(whole[tuple(slice(*part) for part in block)].flat):
            found[x].add((position, m))
    return places == found


def difference(case: Case) -> str | None:
    """What differs, or None."""
    jax_says, we_say = of_jax(case), of_tilegrind(case)
    if jax_says != we_say:
        return f"JAX: {jax_says}; Tilegrind: {we_say}"
    if jax_says is not None and int(np.prod(case.shape)) <= 256 and not agrees_element_by_element(case, jax_says):
        return "the Axe layout has an element elsewhere"
    return None


# ---- cases ----


def from_table() -> Iterator[Case]:
    """Those of JAX's tests, each once."""
    seen = set()
    for row in json.loads(TABLE.read_text(encoding="utf-8"))["cases"]:
        if row.get("op") not in OPS or row["name"].startswith("run in JAX"):
            continue
        mesh, spec = re.fullmatch(r"(\S+) (P\(.*\))", row["in"][0]).groups()
        sizes = tuple((name, int(size)) for name, size in (axis.split("=") for axis in mesh.split(",")))
        made = eval(spec, {"P": P})
        shape = tuple(map(int, re.findall(r"\d+", row["in"][1]))) if len(row["in"]) > 1 else (8, 16, 8, 8)[:max(2, len(made))]
        if (sizes, spec, shape) not in seen:
            seen.add((sizes, spec, shape))
            count = int(np.prod([size for _, size in sizes]))
            yield Case(row["name"], sizes, made, shape, tuple(range(count)))


@dataclass(frozen=True)
class TpuDevice:
    """As much of a TPU's device as mesh_utils looks at."""

    id: int
    coords: tuple[int, ...]
    core_on_chip: int
    device_kind: str
    slice_index: int = 0
    platform: str = "tpu"
    process_index: int = 0


def _tpus(kind: str, bounds: tuple[int, int, int], cores: int) -> list[TpuDevice]:
    places = [(x, y, z) for z in range(bounds[2]) for y in range(bounds[1]) for x in range(bounds[0])]
    return [TpuDevice(i, places[i // cores], i % cores, kind) for i in range(len(places) * cores)]


def from_mesh_utils() -> Iterator[Case]:
    """Meshes in the orders of devices that suit the wires of TPUs."""
    chips = {"TPU v2": _tpus("TPU v2", (2, 2, 1), 2), "TPU v4": _tpus("TPU v4", (2, 2, 2), 1), "TPU v5e": _tpus("TPU v5 lite", (4, 2, 1), 1)}
    specs = [P("x", "y"), P(("y", "x")), P(None, ("x", "z")), P("z"), P("y", None, "x")]
    for kind, devices in chips.items():
        for sizes in ((8, 1, 1), (4, 2, 1), (2, 4, 1), (2, 2, 2), (1, 2, 4)):
            try:
                order = tuple(device.id for device in mesh_utils.create_device_mesh(sizes, devices).flat)
            except NotImplementedError:
                continue
            for spec in specs:
                yield Case(f"mesh_utils, {kind}", tuple(zip("xyz", sizes)), spec, (8, 8, 8)[:2 + (len(spec) > 2)], order)


def _random_spec(chance: random.Random, names: list[str], rank: int) -> P:
    left, entries = list(names), []
    chance.shuffle(left)
    for _ in range(rank):
        taken = [left.pop() for _ in range(min(len(left), chance.choice((0, 0, 1, 1, 2))))]
        entries.append(None if not taken else taken[0] if len(taken) == 1 and chance.random() < 0.7 else tuple(taken))
    while entries and entries[-1] is None and chance.random() < 0.5:
        entries.pop()
    return P(*entries)


def random_cases(count: int, seed: int = 1) -> Iterator[Case]:
    """Meshes of up to 8 devices, in any order; one in six has a dimension that its blocks do not divide."""
    chance = random.Random(seed)
    while count:
        sizes = [chance.choice((1, 2, 2, 3, 4, 5, 7, 8)) for _ in range(chance.randint(1, 3))]
        devices = int(np.prod(sizes))
        if devices > 8:
            continue
        count -= 1
        axes = tuple(zip(chance.sample(["x", "y", "data", "model_1"], len(sizes)), sizes))
        rank = chance.randint(0, 4)
        spec = _random_spec(chance, [name for name, _ in axes], rank)
        order = chance.sample(range(devices), devices) if chance.random() < 0.5 else range(devices)
        shape = [chance.randint(1, 3) for _ in range(rank)]
        for d, entry in enumerate(spec):
            names = () if entry is None else entry if isinstance(entry, tuple) else (entry,)
            shape[d] *= int(np.prod([dict(axes)[name] for name in names]))
        if shape and chance.random() < 1 / 6:
            shape[chance.randrange(rank)] += 1
        yield Case("random", axes, spec, tuple(shape), tuple(order))


# ---- the comparison ----


def judge(what: str, cases: Iterator[Case]) -> bool:
    """Prints a row, and what differs.  Whether all agree."""
    passed = refused = tried = 0
    for case in cases:
        tried += 1
        differs = difference(case)
        passed += differs is None
        refused += of_jax(case) is None
        if differs:
            print(f"  {case}: {differs}")
    print(f"{what:<48} {passed:>5} of {tried:>5}, {refused} of them refused by both", flush=True)
    return passed == tried


def main(arguments: Sequence[Any]) -> int:
    count = int(arguments[0]) if arguments else 1000
    print(f"shardings, live on {jax.device_count()} devices: JAX {jax.__version__}")
    return 0 if all([judge("those of array_test.py and pjit_test.py", from_table()),
                     judge("orders of devices of mesh_utils, for TPUs", from_mesh_utils()),
                     judge("random meshes, specs and shapes", random_cases(count))]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
