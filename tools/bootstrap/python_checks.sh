# shellcheck shell=bash
# Checks that need a Python environment with JAX, each a function that fails where something is wrong.

# The newest chips' assembler, and two orders of warps; ./bootstrap crosscheck asks that of all, and tries three.  Without
# ptxas, which the script says, the texts stay unassembled.
crosscheck() { with_python "$MAIN_PYTHON" conformance/crosscheck.py --cli build/tilegrind --target sm_100 --target sm_90a --seeds 2; }

# The same in one order of warps, and nothing is assembled.
crosscheck_briefly() { with_python "$MAIN_PYTHON" conformance/crosscheck.py --cli build/tilegrind --no-ptxas --seeds 1; }

# Every broken kernel is found, in every order; nothing is found in the repaired ones, nor in those of the acceptance
# table, which the cross-check has captured.
defects() { with_python "$MAIN_PYTHON" conformance/defects/run.py --cli build/tilegrind; }

# The lists of docs/adding.md: a toy for each, in a copy of the tree.
adding() { TG_JOBS=$JOBS with_python "$MAIN_PYTHON" tests/adding/try_toys.py; }

jax_kernels() { with_python "$1" conformance/jax/smoke.py; }

# pytest_side_by_side MARKS FOLDERS PYTHON...: the tests with these marks, on every processor, and one more, since some
# tests wait; what fails in that company is told, and must pass alone.
pytest_side_by_side() {
    local marks=$1 folders=()
    read -ra folders <<<"$2"
    shift 2
    with_python "$@" -m pytest -q -m "$marks" -n "$((JOBS + 1))" "${folders[@]}" && return
    say "once more, alone: the tests that failed side by side"
    with_python "$@" -m pytest -q -m "$marks" --last-failed --last-failed-no-failures none "${folders[@]}"
}

# Tests of the package for which JAX plays no part, or just the one that the main environment has.
MAIN_ALONE='python/tests/test_jax_suites.py python/tests/test_accept.py python/tests/test_pytest_plugin.py python/tests/test_checking_defects.py'

# The tests of the package, and those of tests/.  Where there is a second Python, it runs the package's slow tests.
python_tests() { pytest_side_by_side "not slow" "python/tests tests" "$MAIN_PYTHON"; }
slow_python_tests() {
    local of_package=$MAIN_ALONE
    [ "${#PYTHONS[@]}" -gt 1 ] || of_package=python/tests
    pytest_side_by_side slow "$of_package tests" "$MAIN_PYTHON"
}

# Kernels that PyTorch calls: with the distribution's PyTorch, which is for the distribution's Python alone.
torch_calls() {
    local folder=/usr/lib/python3/dist-packages
    if ! TG_FOLDER=$folder with_python "$MAIN_PYTHON" -c 'import os, sys; sys.path.append(os.environ["TG_FOLDER"]); import torch' 2>/dev/null; then
        say "no PyTorch for this Python in $folder"
        return 77
    fi
    TILEGRIND_TORCH=$folder with_python "$MAIN_PYTHON" -m pytest -q python/tests/test_mosaic_gpu_torch.py
}

# Those of the package with the second Python and its JAX, slow ones too.  Lines of the package are counted, in processes that the tests
# start too; Python 3.12 is the first that counts them at little cost.  What tests/ holds plays no part with JAX, and one
# Python is enough for it, as for our own tools.
second_python_tests() {
    local python=${PYTHONS[1]:-}
    if [ -z "$python" ]; then
        say "no second Python: one of 3.11 and one of 3.12 or newer make two"
        return 77
    fi
    mkdir -p build/coverage
    rm -f build/coverage/python*
    export COVERAGE_FILE=$ROOT/build/coverage/python COVERAGE_RCFILE=$ROOT/.coveragerc COVERAGE_CORE=sysmon
    # shellcheck disable=SC2086
    pytest_side_by_side "" "python/tests $(printf -- '--ignore=%s ' $MAIN_ALONE)" "$python" -m coverage run
    "$python" -m coverage combine -q
    "$python" -m coverage report
}
