# shellcheck shell=bash
# ./bootstrap layouts: laws of operations on layouts, tables of expected results, physical runs against logical ones,
# shardings of JAX live.

# layout_tables COUNT: with the release build.
layout_tables() {
    build/layout_laws --count "$1"
    echo
    build/layout_judges --reasons tests/layouts/judges/*.json
}

# physical_runs [OPTION]...: kernels of the acceptance table, their blocks held in each way.
physical_runs() { with_python "$MAIN_PYTHON" conformance/physical.py "$@"; }

# What the tests look at: each layout of each block at least once, few of them as PTX.
layouts_briefly() {
    layout_tables 100000
    physical_runs --sample 31 --emulated 3
}

layouts_job() {
    case "$#:${1-}" in
    0:) set -- 1000000 ;;
    1:*[!0-9]* | 1:) usage_error "layouts takes a number of random layouts: ${1-}" ;;
    1:*) ;;
    *) usage_error "layouts takes one number: $*" ;;
    esac
    need_packages quick
    build release
    need_python_main
    heading "layouts"
    layout_tables "$1"
    physical_runs
    echo
    with_python "$MAIN_PYTHON" conformance/jax/shardings.py
}
