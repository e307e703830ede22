"""Pallas kernels under shard_map, on 8 devices of the CPU: findings name the device."""

from test_interpreting_processes import python

EIGHT_DEVICES = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from tilegrind.mesh import differing_copies

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
X = np.arange(64, dtype=np.float32).reshape(8, 8)

def at_kernel(n_ref, x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(n_ref[0], 2), :] * 2

def at(n, x):
    return pl.pallas_call(at_kernel, out_shape=jax.ShapeDtypeStruct((2, 4), jnp.float32), interpret=True)(n, x)

def on(mesh, body=at, out=P("x", "y")):
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(P(("x", "y")), P("x", "y")), out_specs=out, check_vma=False))

def outside(*positions):
    n = np.zeros(8, np.int32)
    n[list(positions)] = 1
    return n

def message(call, *args):
    try:
        with tp.interpreter():
            call(*args).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        return str(error)
"""


def eight_devices(source):
    return python(EIGHT_DEVICES + source, XLA_FLAGS="--xla_force_host_platform_device_count=8")


def test_each_device_runs_its_part():
    eight_devices("""
with tp.interpreter():
    before = tp.statistics().runs
    np.testing.assert_array_equal(on(mesh)(outside(), X), 2 * X)
    assert tp.statistics().runs == before + 8
""")


def test_findings_name_the_device():
    eight_devices("""
text = message(on(mesh), outside(3), X)
assert "kernel at_kernel, device 3 (x=1, y=1), load at " in text and "access-outside-ref: load reaches index 2" in text, text
with tp.check(on_finding="collect") as checked:
    on(mesh)(outside(6, 3, 5), X).block_until_ready()
for finding in checked.findings:
    assert finding.device == "device 3 (x=1, y=1)" and finding.devices == (3, 5, 6), finding
assert {finding.kind for finding in checked.findings} == {"access-outside-ref", "undefined-output"}
assert "kernel at_kernel, device 3 (x=1, y=1) and 2 others, op load" in str(checked.findings[0]), checked.findings[0]
try:
    with tp.check():
        on(mesh)(outside(3), X).block_until_ready()
except tp.FindingError as error:
    assert "device 3 (x=1, y=1)" in str(error)
else:
    assert False
""")


def test_devices_in_another_order():
    """Position 3 of the mesh is device 6."""
    eight_devices("""
order = [7, 0, 1, 6, 2, 5, 4, 3]
other = Mesh(np.array(jax.devices())[order].reshape(4, 2), ("x", "y"))
assert "device 6 (x=1, y=1)" in message(on(other), outside(3), X)
some = Mesh(np.array(jax.devices())[[5, 2]].reshape(2, 1), ("x", "y"))
text = message(jax.jit(jax.shard_map(at, mesh=some, in_specs=(P("x"), P("x", "y")), out_specs=P("x", "y"), check_vma=False)),
               np.array([0, 1], np.int32), X[:4, :4])
assert "device 2 (x=1, y=0)" in text, text
""")


def test_partitioned_by_xla():
    """A grid axis that XLA divides; and a kernel on one device, which has no mesh."""
    eight_devices("""
def rows_kernel(n_ref, x_ref, o_ref):
    o_ref[...] = x_ref[:, pl.ds(n_ref[0, 0], 8)]

def rows(n, x):
    row = pl.BlockSpec((1, 8), lambda i: (i, 0))
    return pl.pallas_call(rows_kernel, grid=(8,), in_specs=[pl.BlockSpec((1, 1), lambda i: (i, 0)), row], out_specs=row,
                          out_shape=jax.ShapeDtypeStruct(X.shape, X.dtype), interpret=True)(n, x)

n = outside(5).reshape(8, 1)
spread = [jax.device_put(a, NamedSharding(mesh, P(("x", "y")))) for a in (n, X)]
text = message(jax.jit(rows), *spread)
assert "device 5 (x=2, y=1), program (0)" in text, text
text = message(jax.jit(rows), n, X)
assert "kernel rows_kernel, program (5)" in text and "device" not in text, text
""")


def test_copies_that_differ():
    """JAX trusts that they are equal."""
    eight_devices("""
def sums_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].sum(axis=1)

def sums(n, x):
    del n
    return pl.pallas_call(sums_kernel, out_shape=jax.ShapeDtypeStruct((2,), jnp.float32), interpret=True)(x)

with tp.interpreter():
    wrong = on(mesh, sums, P("x"))(outside(), X)
    found = differing_copies(wrong)
    assert len(found) == 4 and found[0].devices == (0, 1) and found[0].element == (0,) and found[0].count == 2, found
    assert found[0].values == (6, 22) and found[1].element == (2,), found
    assert str(found[0]).startswith("2 elements differ between devices that hold copies of them: [0] is "), found[0]
    right = on(mesh, lambda n, x: jax.lax.psum(sums(n, x), "y"), P("x"))(outside(), X)
    assert differing_copies(right) == []
    np.testing.assert_array_equal(right, X.sum(axis=1))
nans = jax.device_put(np.full(4, np.nan, np.float32), NamedSharding(mesh, P()))
assert differing_copies(nans) == []
""")


def test_a_kernel_knows_its_place_in_the_mesh():
    eight_devices("""
def placed(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 10 * jax.lax.axis_index("x") + 100 * jax.lax.axis_index(("y", "x"))
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((2, 2), jnp.float32), interpret=True)(x)

rows, columns = np.arange(8)[:, None] // 2, np.arange(4)[None] // 2
run = jax.jit(jax.shard_map(placed, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False))
for order in ("sequential", "parallel"):
    with tp.interpreter(order=order):
        np.testing.assert_array_equal(run(X[:, :4]), X[:, :4] + 10 * rows + 100 * (4 * columns + rows))
with tp.check():
    jax.block_until_ready(run(X[:, :4]))

def chosen(x):
    return pl.pallas_call(lambda x_ref, o_ref: None, out_shape=jax.ShapeDtypeStruct((2, 2), jnp.float32), interpret=True,
                          grid=(1,), in_specs=[pl.BlockSpec((1, 2), lambda i: (jax.lax.axis_index("y"), i))])(x)

try:
    with tp.interpreter():
        jax.jit(jax.shard_map(chosen, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False))(X[:, :4])
except tp.ExportError as error:
    assert "'y' is not an axis of the grid" in str(error), error
else:
    assert False
""")
