# ./bootstrap test: every check, each with a line that says how it went.

COVERAGE_LEAST=92 # per cent of the lines of all folders that `instrumented` names; .coveragerc has that of the Python package
PASSED=0
SKIPPED=()
FAILED=()

TIMEFORMAT='%0R s, %0U s of processor time'

# step NAME COMMAND...: runs a check; what it prints is shown as it comes.  Exit code 77 says that the check could
# not be made here.
step() {
    local name=$1 start=$SECONDS
    shift
    heading "$name"
    # In a subshell with errexit of its own: `if` would switch that off inside a function.
    set +e
    time (set -e; "$@")
    local code=$?
    set -e
    judge "$name" "$code" "$((SECONDS - start)) s"
}

# judge NAME CODE TIME: counts a check that has ended, and says how.
judge() {
    if [ "$2" = 0 ]; then
        PASSED=$((PASSED + 1))
        say "passed: $1 ($3)"
    elif [ "$2" = 77 ]; then
        SKIPPED+=("$1")
        say "skipped: $1"
    else
        FAILED+=("$1")
        say "FAILED: $1 (exit $2, $3)"
    fi
}

BEGUN=() # names of the checks that run at the same time

# begin NAME COMMAND...: a check that keeps one processor busy, beside the others that are begun before the next `finish`.
begin() {
    local log=build/steps/${#BEGUN[@]}
    mkdir -p build/steps
    BEGUN+=("$1")
    shift
    (
        set +e
        time (set -e; "$@")
        echo $? >"$log.code"
    ) >"$log" 2>&1 &
}

# finish: waits for what is begun, and shows what each has printed.
finish() {
    local i
    wait
    for i in "${!BEGUN[@]}"; do
        heading "${BEGUN[i]}"
        cat "build/steps/$i"
        judge "${BEGUN[i]}" "$(cat "build/steps/$i.code")" "beside others"
    done
    BEGUN=()
    rm -r build/steps
}

our_sources() { git ls-files -co --exclude-standard -- '*.c' '*.h'; }

check_format() { our_sources | xargs clang-format --dry-run -Werror; }

# clang-tidy wants one compilation of each file, not one for each instruction set; and one file at a time, as
# version 14 takes va_lists of a second one for uninitialised.
check_tidy() {
    local folder=build-clang/tidy
    mkdir -p "$folder"
    python3 tools/first_commands.py build-clang/compile_commands.json >"$folder/compile_commands.json"
    our_sources | grep -E '^(base|ir|verify|plan|lower|loaders|report|interp|checks|gpu_backend|emulator|conformance|api|cli)/.*\.c$' |
        xargs -P "$JOBS" -n 1 clang-tidy -p "$folder" --quiet --warnings-as-errors="*" 2>"$folder/log" || {
        cat "$folder/log"
        return 1
    }
}

build_and_test() {
    build "$@"
    ctest --preset "$1"
}

# With paths relative for the compiler cache, so that sources of an sdist, which lie elsewhere, are found in it.
build_and_test_release() {
    export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
    build_and_test release -DCMAKE_C_COMPILER=gcc -DTG_WERROR=ON
}

# cli_tests PRESET FILE...: with the command of that build; what is captured for them is captured by the release build.
cli_tests() {
    local preset=$1
    shift
    TILEGRIND="$ROOT/$(build_folder "$preset")/tilegrind" TILEGRIND_LIBRARY="$ROOT/build/libtilegrind.so" \
        "${PYTHONS[0]}" -m pytest -q -n "$JOBS" "$@"
}

# Every example of docs/semantics.md as PTX, with the command of a build.
semantics_as_ptx() {
    python3 conformance/crosscheck.py --cli "$(build_folder "$1")/tilegrind" --only semantics --no-ptxas --seeds 1
}

# With sanitizers and counting lines in one build, so that all is built and run once for both.
instrumented() {
    build asan-ubsan
    find build-asan-ubsan -name '*.gcda' -delete
    ctest --preset asan-ubsan
    cli_tests asan-ubsan tests/test_{cli,crosscheck,page,reports,sarif}.py
    semantics_as_ptx asan-ubsan
    # Where threads lose counts of each other gcov computes a branch taken -1 times, which gcovr does not read.
    gcovr --root . --object-directory build-asan-ubsan --filter '(base|ir|verify|plan|lower|loaders|report|interp|checks|gpu_backend|emulator)/' \
        --gcov-ignore-parse-errors --exclude-unreachable-branches --fail-under-line "$COVERAGE_LEAST"
}

# All at the same time, each from the kept corpus; new inputs go to a scratch folder.
fuzz() {
    local seconds=${TG_FUZZ_SECONDS:-20}
    build fuzz
    mkdir -p build-fuzz/found
    find build-fuzz -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x | sort |
        xargs -P 0 -I{} tools/fuzz_one.sh {} "$seconds"
}

# isa_state ISA: what `doctor --json`, on the input, says of an instruction set.
isa_state() { python3 -c 'import json, sys; print(json.load(sys.stdin)["isa"][sys.argv[1]])' "$1"; }

# Every example of docs/semantics.md, on every instruction set that this machine has.
meaning() {
    local isa isas=()
    for isa in baseline avx2 avx512; do
        [ "$(build/tilegrind doctor --json | isa_state "$isa")" = works ] && isas+=(--isa "$isa")
    done
    python3 conformance/semantics/run.py check --cli build/tilegrind "${isas[@]}"
}

# Where the cross compiler or the emulator is missing, the script says so and ends with 77.
aarch64() { sh tools/check_aarch64.sh build/lanes_digest; }

# Without ptxas, which the script says, the texts stay unassembled.
# The newest chips' assembler, and two orders of warps; ./bootstrap crosscheck asks that of all, and tries three.
crosscheck() { with_python "$1" conformance/crosscheck.py --cli build/tilegrind --target sm_100 --seeds 2; }

# Every broken kernel is found, in every order; nothing is found in the repaired ones, nor in those of the acceptance table, which
# the cross-check has captured.
defects() { with_python "$1" conformance/defects/run.py --cli build/tilegrind; }

jax_kernels() { with_python "$1" conformance/jax/smoke.py; }

# pytest_side_by_side FOLDERS PYTHON...: on every processor, and one more, since some tests wait; what fails in that
# company is told, and must pass alone.
pytest_side_by_side() {
    local folders=()
    read -ra folders <<<"$1"
    shift
    with_python "$@" -m pytest -q -n "$((JOBS + 1))" "${folders[@]}" && return
    say "once more, alone: the tests that failed side by side"
    with_python "$@" -m pytest -q --last-failed --last-failed-no-failures none "${folders[@]}"
}

# Those of the package; what tests/ holds plays no part with JAX, and one Python is enough for it, as for our own tools.
python_tests() {
    pytest_side_by_side "python/tests --ignore=python/tests/test_jax_suites.py --ignore=python/tests/test_accept.py \
        --ignore=python/tests/test_pytest_plugin.py --ignore=python/tests/test_checking_defects.py" "$1"
}

# As python_tests, counting the lines of the package, in processes that the tests start too.
counted_python_tests() {
    local python=$1
    mkdir -p build/coverage
    rm -f build/coverage/python*
    export COVERAGE_FILE=$ROOT/build/coverage/python COVERAGE_RCFILE=$ROOT/.coveragerc
    pytest_side_by_side "python/tests tests" "$python" -m coverage run
    "$python" -m coverage combine -q
    "$python" -m coverage report
}

test_all() {
    local python
    need_packages test
    need_pythons
    # What the packages compile is what the release build has compiled.
    export CMAKE_C_COMPILER_LAUNCHER=ccache
    # Threads of OpenMP that wait shall not spin where others work: tests run side by side.
    export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
    # The release build serves all that follows; on a fresh checkout it is gcc's, and warnings are errors in it.
    step "gcc: unit tests" build_and_test_release
    step "clang: unit tests" build_and_test clang
    step "the same bits on aarch64, emulated" aarch64
    step "format" check_format
    step "generated documents" python3 tools/gen_docs.py --check
    step "generated forms in PTX" "${PYTHONS[0]}" tools/gen_ptx_forms.py --check
    step "meaning of operations" meaning
    step "cross-check: interpreter and PTX" crosscheck "$ROOT/${PYTHONS[0]}"
    begin "corpus of defects" defects "$ROOT/${PYTHONS[0]}"
    for python in "${PYTHONS[@]}"; do
        begin "kernels of JAX's wheel: $python" jax_kernels "$ROOT/$python"
    done
    begin "installed tree" sh tools/check_installed.sh build
    finish
    step "packages: sdist, wheel, .deb, checkout" package_step
    step "Python tests, counting lines: $("${PYTHONS[0]}" -V)" counted_python_tests "$ROOT/${PYTHONS[0]}"
    for python in "${PYTHONS[@]:1}"; do
        step "Python tests: $("$python" -V), $(dirname "$(dirname "$python")")" python_tests "$ROOT/$python"
    done
    step "JAX's own tests" jax_suites_step
    step "address and undefined-behaviour sanitizers, counting lines" instrumented
    step "fuzzing, ${TG_FUZZ_SECONDS:-20} s each" fuzz
    step "clang-tidy" check_tidy

    printf '\n%s passed, %s skipped, %s failed\n' "$PASSED" "${#SKIPPED[@]}" "${#FAILED[@]}"
    [ "${#SKIPPED[@]}" = 0 ] || printf '    skipped: %s\n' "${SKIPPED[@]}"
    [ "${#FAILED[@]}" = 0 ] || {
        printf '    FAILED: %s\n' "${FAILED[@]}"
        return 1
    }
}
