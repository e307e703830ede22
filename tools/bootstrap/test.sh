# shellcheck shell=bash
# ./bootstrap test: which checks are made, in which order.  A check is a function of checks.sh or python_checks.sh, and a
# line here.

# What finds most in the shortest time: one build, one Python environment.
quick_steps() {
    step 3 "format" check_format
    step 3 "structure" python3 tools/structure.py --check
    step 1 "generated forms in PTX" "$MAIN_PYTHON" tools/gen_ptx_forms.py --check
    step 115 "gcc: build without warnings, unit tests" test_release
    step 1 "generated documents" python3 tools/gen_docs.py --check
    step 5 "meaning of operations" meaning
    step 45 "cross-check: interpreter and PTX" crosscheck_briefly
    step 28 "corpus of defects" defects
    step 1 "installed tree" sh tools/check_installed.sh build
    step 240 "Python tests: $("$MAIN_PYTHON" -V)" python_tests
}

# All the rest: other compilers, machines and Pythons, and what only they make longer or look at.
matrix_steps() {
    local python
    step 1 "release build, which others use" build_release
    step 110 "clang: unit tests" test_clang
    step 60 "layouts: laws, tables of expected results, physical runs" layouts_briefly
    step 60 "the same bits on aarch64, emulated" aarch64
    step 50 "cross-check in two orders of warps, texts assembled" crosscheck
    for python in "${PYTHONS[@]}"; do
        step 20 "kernels of JAX's wheel: $python" jax_kernels "$python"
    done
    step 75 "toys: an op, a memory op, a dtype, a detector, a backend, a front end" adding
    step 150 "packages: sdist, wheel, .deb, checkout" package_step
    step 90 "slow Python tests: $("$MAIN_PYTHON" -V)" slow_python_tests
    step 15 "kernels that PyTorch calls" torch_calls
    step 150 "Triton kernels" triton_step
    step 500 "Python tests with a second JAX, counting lines" second_python_tests
    step 30 "kernels of Mosaic GPU that JAX refuses" jax_legality_step
    step $((${TILEGRIND_JAX:+900} + 0)) "JAX's own tests" jax_suites_step # no time where there is no checkout
    step 220 "address and undefined-behaviour sanitizers, counting lines" instrumented
    step 70 "fuzzing, ${TG_FUZZ_SECONDS:-20} s each" fuzz
    step 60 "clang-tidy" check_tidy
}

quick_job() {
    need_packages quick
    need_python_main
    run_steps quick_steps
}

matrix_job() {
    need_packages test
    need_pythons
    run_steps matrix_steps
}

test_job() {
    export CMAKE_C_COMPILER_LAUNCHER=ccache # what the packages compile is what the release build has compiled
    # Threads of OpenMP that wait shall not spin where others work: tests run side by side.
    export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
    case "$*" in
    '') quick_job ;;
    --all) matrix_job ;;
    *) usage_error "test takes no arguments, or --all: $*" ;;
    esac
}
