"""One core and one thread for everything: imported before numpy and JAX, which read this as they load."""

import os

# What a process that is measured on all cores starts with.
CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
ENVIRONMENT = dict(os.environ)

# The last core that we may use: the first one usually serves interrupts.
CORE = None
if CORES:
    CORE = max(CORES)
    os.sched_setaffinity(0, {CORE})
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                           " --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1").strip()
