"""Kernels of Mosaic GPU that run on all devices of a mesh together: they reach each other's memory and semaphores."""

import pytest
from mesh_programs import run_on_devices

pytestmark = pytest.mark.slow  # all of them together

DEVICES = """
from jax.experimental.pallas import mosaic_gpu as plgpu

ROW, LINE, SQUARE = (Mesh(np.array(jax.devices()[:count]).reshape(shape), names) for count, shape, names in (
    (2, (2,), ("x",)), (4, (4,), ("x",)), (4, (2, 2), ("x", "y"))))
SEM = plgpu.SemaphoreType.REGULAR

def other():
    return 1 - jax.lax.axis_index("x")

def on(mesh, body, *args, shape=(2, 128), dtype=jnp.float32, scratch=(), **options):
    launch = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(shape, dtype), scratch_types=list(scratch), **options)
    spec = P(mesh.axis_names)
    return jax.jit(jax.shard_map(launch, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))(*args)

def numbers(devices, *shape, dtype=np.float32):
    return np.arange(devices * np.prod(shape)).astype(dtype).reshape(devices * shape[0], *shape[1:])

def meet(sem, device):
    pl.semaphore_signal(sem, device_id=device)
    pl.semaphore_wait(sem)
"""


def devices(source):
    return run_on_devices(DEVICES + source)


EXCHANGE = """
def exchange(waits_before, waits_behind):
    def body(x_ref, o_ref, before, behind):
        o_ref[...] = -x_ref[...]
        if waits_before:
            meet(before, other())
        plgpu.remote_ref(o_ref, other())[...] = x_ref[...]
        if waits_behind:
            meet(behind, other())
            o_ref[0, 0] += 1

    return body

X = numbers(2, 2, 128)
"""


def test_devices_write_each_others_arrays():
    devices(EXCHANGE + """
wanted = np.roll(X.reshape(2, 2, 128), 1, axis=0)
wanted[:, 0, 0] += 1
same(wanted.reshape(X.shape), ROW, exchange(True, True), X, scratch=[SEM, SEM])
assert found(ROW, exchange(False, True), X, scratch=[SEM, SEM]) >= {"race"}
""")


def test_a_finding_names_the_device_by_the_place_in_the_grid():
    devices(EXCHANGE + """
def body(x_ref, o_ref, sem):
    o_ref[...] = x_ref[...]
    @pl.when(jax.lax.axis_index("x") == 1)
    def wait():
        pl.semaphore_wait(sem)

with tp.check(on_finding="collect") as checked:
    jax.block_until_ready(on(ROW, body, X, scratch=[SEM]))
[deadlock] = [finding for finding in checked.findings if finding.kind == "deadlock"]
assert "program (x=1)" in str(deadlock) and not deadlock.devices, deadlock
""")


def test_a_device_by_all_coordinates_by_some_and_by_its_number():
    devices("""
def body(name):
    def run(x_ref, o_ref, sem):
        here = jax.lax.axis_index("x"), jax.lax.axis_index("y")
        device, kind = name(*here)
        plgpu.remote_ref(o_ref, device, kind)[...] = x_ref[...]
        pl.semaphore_signal(sem, device_id=device, device_id_type=kind)
        pl.semaphore_wait(sem)

    return run

X = numbers(4, 2, 128)
parts = X.reshape(2, 2, 2, 128)
MESH, LOGICAL = pl.DeviceIdType.MESH, pl.DeviceIdType.LOGICAL
for wanted, name in (
    (parts[::-1, ::-1], lambda x, y: ((1 - x, 1 - y), MESH)),
    (parts[:, ::-1], lambda x, y: ({"y": 1 - y}, MESH)),
    (parts[::-1], lambda x, y: ({"x": 1 - x}, MESH)),
    (parts[::-1, ::-1], lambda x, y: ({("x", "y"): 3 - 2 * x - y}, MESH)),
    (parts[:, ::-1], lambda x, y: (2 * x + 1 - y, LOGICAL)),
):
    same(wanted.reshape(X.shape), SQUARE, body(name), X, scratch=[SEM])
beyond = body(lambda x, y: (2 * x + y + 1, LOGICAL))
assert "access-outside-ref" in found(SQUARE, beyond, X, scratch=[SEM])
assert "3 coordinates do not name a device of a mesh of 2 axes" in refusal(SQUARE, body(lambda x, y: ((x, y, x), MESH)), X, scratch=[SEM])
assert "'z' is not an axis of the mesh of devices" in refusal(SQUARE, body(lambda x, y: ({"z": x}, MESH)), X, scratch=[SEM])
""")


def test_copies_to_another_device_and_to_all():
    devices("""
def remote(x_ref, o_ref, tile, sem):
    tile[...] = x_ref[...]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(o_ref, other()))
    plgpu.wait_smem_to_gmem(0)
    meet(sem, other())

X = numbers(2, 16, 32)
scratch = [plgpu.SMEM((16, 32), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))), SEM]
same(np.roll(X, 16, axis=0), ROW, remote, X, shape=(16, 32), scratch=scratch)

def to_all(x_ref, o_ref, tile, sem):
    @pl.when(jax.lax.axis_index("x") == 0)
    def store():
        tile[...] = x_ref[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, plgpu.multicast_ref(o_ref, "x"))
        plgpu.wait_smem_to_gmem(0)
    meet(sem, other())

same(np.concatenate([X[:16]] * 2), ROW, to_all, X, shape=(16, 32), scratch=scratch)

def from_another(x_ref, o_ref, tile, ready):
    plgpu.copy_gmem_to_smem(plgpu.remote_ref(x_ref, other()), tile, ready)
    plgpu.barrier_wait(ready)
    o_ref[...] = tile[...]

same(np.roll(X, 16, axis=0), ROW, from_another, X, shape=(16, 32), scratch=[scratch[0], plgpu.Barrier()])

def of_shared_memory(x_ref, o_ref, tile, sem):
    plgpu.remote_ref(tile, other())[...] = x_ref[...]

assert "only whole arrays of the kernel and semaphores can be reached on another device" in refusal(
    ROW, of_shared_memory, X, shape=(16, 32), scratch=scratch)
""")


def test_stores_to_all_devices_and_sums_over_them():
    devices("""
def store(x_ref, o_ref, sem):
    here = jax.lax.axis_index("x")
    plgpu.multimem_store(x_ref[0], o_ref.at[here], "x")
    plgpu.semaphore_signal_multicast(sem, collective_axes="x")
    pl.semaphore_wait(sem, 4)

X = numbers(4, 2, 128)
same(np.tile(X[::2], (4, 1)), LINE, store, X, shape=(4, 128), scratch=[SEM])

def reduce(kind):
    def run(x_ref, o_ref):
        o_ref[...] = plgpu.layout_cast(plgpu.multimem_load_reduce(x_ref, collective_axes="x", reduction_op=kind),
                                       plgpu.Layout.WG_STRIDED((2, 128), vec_size=2))
    return run

for dtype, kind, sums in ((np.float32, "add", None), (jnp.bfloat16, "max", np.maximum.reduce), (np.int32, "xor", np.bitwise_xor.reduce)):
    x = numbers(4, 2, 128, dtype=dtype)
    parts = x.reshape(4, 2, 128)
    wanted = ((parts[0] + parts[1]) + parts[2]) + parts[3] if sums is None else sums(parts)
    same(np.tile(wanted, (4, 1)), LINE, reduce(kind), x, dtype=dtype)
along_y = np.tile(numbers(4, 2, 128).reshape(2, 2, 2, 128).sum(axis=1, keepdims=True), (1, 2, 1, 1)).reshape(8, 128)
def reduce_y(x_ref, o_ref):
    o_ref[...] = plgpu.layout_cast(plgpu.multimem_load_reduce(x_ref, collective_axes=("y",), reduction_op="add"),
                                   plgpu.Layout.WG_STRIDED((2, 128), vec_size=2))
same(along_y, SQUARE, reduce_y, numbers(4, 2, 128))
""")


def test_each_block_has_semaphores_of_its_own_and_all_share_global_ones():
    devices("""
def body(x_ref, o_ref, sem):
    block = jax.lax.axis_index("blocks")
    all_blocks = pl.get_global(SEM)
    plgpu.remote_ref(o_ref, other()).at[block][...] = x_ref.at[block][...]
    pl.semaphore_signal(sem, 1 + block, device_id=other())
    pl.semaphore_wait(sem, 1 + block)
    pl.semaphore_signal(all_blocks, device_id=other())
    pl.semaphore_wait(all_blocks, 3, decrement=False)
    o_ref.at[block][...] += x_ref.at[block][...]

X = numbers(2, 3, 128)
same(X + np.roll(X, 3, axis=0), ROW, body, X, shape=(3, 128), scratch=[SEM], grid=(3,), grid_names=("blocks",))
""")


def test_warps_signal_devices():
    devices("""
def body(x_ref, o_ref, sem):
    here = jax.lax.axis_index("x")
    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def per_warp():
        warp = jax.lax.axis_index("warp")
        @pl.when(warp == here)
        def signal():
            plgpu.semaphore_signal_multicast(sem.at[warp], collective_axes="x")
    pl.semaphore_wait(sem.at[0])
    pl.semaphore_wait(sem.at[1])
    o_ref[...] = x_ref[...]

same(numbers(2, 2, 128), ROW, body, numbers(2, 2, 128), scratch=[SEM((2,))])
""")


def test_what_is_refused():
    devices("""
def body(x_ref, o_ref):
    plgpu.remote_ref(o_ref, 0)[...] = x_ref[...]

try:
    tp.export(plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32)), np.ones((2, 128), np.float32))
except tp.ExportError as error:
    assert "other devices can be reached only in a shard_map" in str(error), error
else:
    assert False

launch = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32))
some = jax.jit(jax.shard_map(launch, mesh=SQUARE, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=False))
try:
    with tp.interpreter():
        some(numbers(2, 2, 128))
except tp.ExportError as error:
    assert "only in a shard_map over all axes of its mesh" in str(error), error
else:
    assert False
""")
