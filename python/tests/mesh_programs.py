"""Programs of kernels on all devices of a mesh, in a process that has four devices.  A test file says what `on` is, which launches one."""

from test_interpreting_processes import python

SHARED = """
from jax.sharding import Mesh, PartitionSpec as P

ORDERS = ("sequential", "reversed", "shuffled:1", "parallel", "interleaved:5")

def same(wanted, *args, **options):
    for order in ORDERS:
        with tp.interpreter(order=order):
            np.testing.assert_array_equal(on(*args, **options), wanted)
    assert found(*args, **options) == set()

def found(*args, **options):
    with tp.check(on_finding="collect") as checked:
        jax.block_until_ready(on(*args, **options))
    return {finding.kind for finding in checked.findings}

def refusal(*args, **options):
    try:
        with tp.interpreter():
            on(*args, **options)
    except tp.ExportError as error:
        return str(error)
"""


def run_on_devices(source):
    """Runs a program; returns its words."""
    return python(SHARED + source, XLA_FLAGS="--xla_force_host_platform_device_count=4")
