# shellcheck shell=bash
# ./bootstrap jax-suites: JAX's own Pallas tests, run by Tilegrind; docs/jax-suites.md.

JAX_SUITES_FOLDER=${TILEGRIND_JAX:-}

# jax_suites [ARGUMENT...]: of run.py.  Needs the Python of JAX 0.10.2, whose tests they are.
jax_suites() {
    local python=.venv/bin/python
    [ -x "$python" ] || die "JAX's own tests need JAX 0.10.2 on Python 3.11, which is not on this machine"
    with_python "$ROOT/$python" conformance/jax/run.py "$@"
}

# As a step of the tests: 77 where there is no checkout.
jax_suites_step() {
    if [ -z "$JAX_SUITES_FOLDER" ]; then
        say "no checkout of JAX (set TILEGRIND_JAX=DIR)"
        return 77
    elif [ ! -x .venv/bin/python ]; then
        say "no Python 3.11 for JAX 0.10.2"
        return 77
    fi
    jax_suites --jax "$JAX_SUITES_FOLDER" --jobs "$JOBS" --no-gpu &&
        jax_suites --jax "$JAX_SUITES_FOLDER" --files mosaic_gpu_test --tests '*::PipelineTest::*'
}

# As a step of the tests: which kernels of Mosaic GPU JAX refuses.  Needs no checkout.
jax_legality_step() {
    if [ ! -x .venv/bin/python ]; then
        say "no Python 3.11 for JAX 0.10.2"
        return 77
    fi
    jax_suites --legality
}

jax_suites_job() {
    need_packages base
    build release
    need_python_main
    heading "JAX's own tests"
    if [ -n "$JAX_SUITES_FOLDER" ]; then
        jax_suites --jax "$JAX_SUITES_FOLDER" "$@"
    else
        jax_suites "$@"
    fi
}
