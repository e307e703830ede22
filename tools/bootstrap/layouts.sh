# shellcheck shell=bash
# ./bootstrap layouts: laws of operations on layouts, tables of expected results, shardings of JAX live.

# layout_tables COUNT: with the release build.
layout_tables() {
    build/layout_laws --count "$1"
    echo
    build/layout_judges --reasons tests/layouts/judges/*.json
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
    echo
    with_python "$MAIN_PYTHON" conformance/jax/shardings.py
}
