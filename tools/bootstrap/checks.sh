# shellcheck shell=bash
# Checks of the C sources and of what is built from them, each a function that fails where something is wrong.

COVERAGE_LEAST=92 # per cent of the lines of all product folders; .coveragerc has that of the Python package

our_sources() { git ls-files -co --exclude-standard -- '*.c' '*.h'; }

# The C files that users get, and the folders at the top of the tree that hold them.
product_sources() { our_sources | grep '\.c$' | grep -vE '^(bench|examples|sdk|tests|tools)/'; }
product_folders() { product_sources | cut -d / -f 1 | sort -u; }

check_format() { our_sources | xargs clang-format --dry-run -Werror; }

# clang-tidy wants one compilation of each file, not one for each instruction set; and one file at a time, as
# version 14 takes va_lists of a second one for uninitialised.
check_tidy() {
    local folder=build-clang/tidy
    mkdir -p "$folder"
    python3 tools/first_commands.py build-clang/compile_commands.json >"$folder/compile_commands.json"
    product_sources |
        xargs -P "$JOBS" -n 1 clang-tidy -p "$folder" --quiet --warnings-as-errors="*" 2>"$folder/log" || {
        cat "$folder/log"
        return 1
    }
}

# With paths relative for the compiler cache, so that sources of an sdist, which lie elsewhere, are found in it.  On a
# fresh checkout it is gcc's, and warnings are errors in it.
build_release() { CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1 build release -DCMAKE_C_COMPILER=gcc -DTG_WERROR=ON; }

unit_tests() {
    say "testing $1"
    ctest --preset "$1"
}

# Without what is the same in every build and takes long; clang's build does that, see docs/testing.md.
test_release() {
    build_release
    TG_BRISK=1 unit_tests release
}

test_clang() {
    build clang
    unit_tests clang
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

# cli_tests PRESET FILE...: with the command of that build; what is captured for them is captured by the release build.
cli_tests() {
    local preset=$1
    shift
    TILEGRIND="$ROOT/$(build_folder "$preset")/tilegrind" TILEGRIND_LIBRARY="$ROOT/build/libtilegrind.so" \
        "$MAIN_PYTHON" -m pytest -q -n "$JOBS" "$@"
}

# Every example of docs/semantics.md as PTX, with the command of a build.
semantics_as_ptx() {
    python3 conformance/crosscheck.py --cli "$(build_folder "$1")/tilegrind" --only semantics --no-ptxas --seeds 1
}

# With sanitizers and counting lines in one build, so that all is built and run once for both.
instrumented() {
    local filters
    mapfile -t filters < <(product_folders | sed 's,.*,--filter=&/,')
    build asan-ubsan
    find build-asan-ubsan -name '*.gcda' -delete
    unit_tests asan-ubsan
    cli_tests asan-ubsan tests/test_{cli,crosscheck,page,reports,sarif}.py
    semantics_as_ptx asan-ubsan
    # Where threads lose counts of each other gcov computes a branch taken -1 times, which gcovr does not read.
    gcovr --root . --object-directory build-asan-ubsan "${filters[@]}" \
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
