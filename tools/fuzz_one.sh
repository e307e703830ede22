#!/bin/sh
# fuzz_one.sh HARNESS SECONDS: runs one libFuzzer program from the corpus of its name, tests/corpus/NAME.
# New inputs stay in build-fuzz/found; what breaks it is printed and kept there.
set -eu
name=$(basename "$1" | sed 's/^fuzz_//')
found=build-fuzz/found/$name
mkdir -p "$found"
set -- "$1" "$2" "$found"
[ ! -d "tests/corpus/$name" ] || set -- "$@" "tests/corpus/$name"
harness=$1 seconds=$2
shift 2
if "$harness" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/broken-" "$@" >"$found.log" 2>&1; then
    echo "    $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log") inputs, none breaks it"
else
    tail -n 60 "$found.log"
    echo "    $name: BROKEN, the input is in $found"
    exit 1
fi
