"""Kernels of a TPU that run on all devices of a mesh together: remote copies, and semaphores of other devices."""

from mesh_programs import run_on_devices

DEVICES = """
from jax.experimental.pallas import tpu as pltpu

DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
ANY = pl.BlockSpec(memory_space=pl.ANY)
COUNT = 4
LINE = Mesh(np.array(jax.devices()), ("x",))
X = np.arange(COUNT * 8 * 128, dtype=np.float32).reshape(COUNT * 8, 128)

def right():
    return jax.lax.rem(jax.lax.axis_index("x") + 1, COUNT)

def on(body, *args, scratch=(), specs=ANY, out=ANY, **options):
    call = pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), in_specs=[specs] * len(args), out_specs=out,
                          scratch_shapes=list(scratch), interpret=True, compiler_params=pltpu.CompilerParams(collective_id=0), **options)
    return jax.jit(jax.shard_map(call, mesh=LINE, in_specs=P("x"), out_specs=P("x"), check_vma=False))(*args)

def copy_to(source, target, sent, arrived, device):
    return pltpu.make_async_remote_copy(source, target, sent, arrived, device_id=(device,), device_id_type=pl.DeviceIdType.MESH)
"""


def devices(source):
    return run_on_devices(DEVICES + source)


SHIFT = """
def shift(waits):
    def body(x_ref, o_ref, sent, arrived):
        copy = copy_to(x_ref, o_ref, sent, arrived, right())
        copy.start()
        copy.wait_send()
        if waits:
            copy.wait_recv()
        pltpu.sync_copy(o_ref.at[0], o_ref.at[1])

    return body
"""


def test_a_copy_to_the_next_device():
    devices(SHIFT + """
wanted = np.roll(X, 8, axis=0)
wanted[1::8] = wanted[::8]
same(wanted, shift(True), X, scratch=[DMA, DMA])
assert "race" in found(shift(False), X, scratch=[DMA, DMA])
""")


def test_a_barrier_of_devices_and_semaphores_of_a_scope():
    devices("""
def body(x_ref, o_ref):
    def scope(ready):
        barrier = pltpu.get_barrier_semaphore()
        for device in (right(), jax.lax.rem(right() + 2, COUNT)):
            pl.semaphore_signal(barrier, device_id=(device,))
        pl.semaphore_wait(barrier, 2)
        pl.semaphore_signal(ready, 3, device_id={"x": right()})
        pl.semaphore_wait(ready, 3)
        pltpu.sync_copy(x_ref, o_ref)

    pl.run_scoped(scope, REGULAR)

same(X, body, X)

def alone(x_ref, o_ref):
    pltpu.sync_copy(x_ref, o_ref)
    pl.semaphore_wait(pltpu.get_barrier_semaphore(), 1 - jax.lax.axis_index("x") // 3)

assert found(alone, X) == {"deadlock"}
""")


def test_blocks_of_each_device():
    devices("""
def body(x_ref, y_ref, o_ref, total, ready):
    step = pl.program_id(0)

    @pl.when(step == 0)
    def begin():
        total[...] = jnp.zeros_like(total)

    total[...] += x_ref[...] + y_ref[0]
    o_ref[...] = total[...] + jax.lax.axis_index("x")
    pl.semaphore_signal(ready, device_id=right(), device_id_type=pl.DeviceIdType.LOGICAL)
    pl.semaphore_wait(ready)

block = pl.BlockSpec((2, 128), lambda i: (i, 0))
call = pl.pallas_call(body, grid=(4,), in_specs=[block, pl.BlockSpec()], out_specs=block, interpret=True,
                      out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      scratch_shapes=[pltpu.VMEM((2, 128), jnp.float32), REGULAR])
Y = X[:, :1] * np.ones(128, np.float32)
parts, first = X.reshape(COUNT, 4, 2, 128), Y.reshape(COUNT, 8, 128)[:, None, None, 0]
wanted = np.cumsum(parts + first, axis=1) + np.arange(COUNT, dtype=np.float32)[:, None, None, None]
run = jax.jit(jax.shard_map(call, mesh=LINE, in_specs=P("x"), out_specs=P("x"), check_vma=False))
for order in ORDERS:
    with tp.interpreter(order=order):
        np.testing.assert_array_equal(run(X, Y), wanted.reshape(X.shape))
with tp.check():
    jax.block_until_ready(run(X, Y))
""")


def test_what_is_refused():
    devices("""
def to_scratch(x_ref, o_ref, tile, sent, arrived):
    copy_to(x_ref, tile, sent, arrived, right()).start()

assert "only whole arrays of the kernel and semaphores can be reached on another device" in refusal(
    to_scratch, X, scratch=[pltpu.VMEM((8, 128), jnp.float32), DMA, DMA])

def of_dynamic_size(x_ref, o_ref, sent, arrived):
    rows = pl.ds(0, jax.lax.axis_index("x"))
    copy_to(x_ref.at[rows], o_ref.at[rows], sent, arrived, right()).start()

assert "a copy of dynamic size to another device is not supported" in refusal(of_dynamic_size, X, scratch=[DMA, DMA])

def prefetched(n_ref, o_ref, ready):
    pl.semaphore_signal(ready, device_id=right())

call = pl.pallas_call(prefetched, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), interpret=True,
                      grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(1,), out_specs=ANY, scratch_shapes=[REGULAR]))
try:
    with tp.interpreter():
        jax.jit(jax.shard_map(call, mesh=LINE, in_specs=P(), out_specs=P("x"), check_vma=False))(np.zeros(1, np.int32))
except tp.ExportError as error:
    assert "prefetched scalars on several devices are not supported" in str(error), error
else:
    assert False

several = pltpu.InterpretParams(num_cores_or_threads=2)
call = pl.pallas_call(lambda x_ref, o_ref, ready: prefetched(x_ref, o_ref, ready), interpret=several, grid=(2,),
                      scratch_shapes=[REGULAR], out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)))
try:
    with tp.interpreter():
        jax.jit(jax.shard_map(call, mesh=LINE, in_specs=P("x"), out_specs=P("x"), check_vma=False))(X)
except tp.ExportError as error:
    assert "several cores, or a grid of dynamic size, on several devices are not supported" in str(error), error
else:
    assert False

block = pl.BlockSpec((8, 128), lambda: (jax.lax.axis_index("x"), 0))
assert "'x' is not an axis of the grid" in refusal(
    lambda x_ref, o_ref, ready: prefetched(x_ref, o_ref, ready), X, specs=block, scratch=[REGULAR])
""")
