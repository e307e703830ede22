#!/bin/sh
# check_installed.sh BUILD: installs BUILD into a scratch folder and builds and runs the example from there,
# by CMake package (shared and static) and by pkg-config.
set -eu
build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
cmake -S "$root/examples" -B "$scratch/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
ninja -C "$scratch/cmake" >/dev/null

pc=$(find "$prefix" -name tilegrind.pc)
# The file names the prefix of the configuration; the scratch folder takes its place here.
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" --cflags --libs tilegrind)
# shellcheck disable=SC2086
cc -std=c11 -o "$scratch/by_pkg_config" "$root/examples/run_add.c" $flags

libraries=$(dirname "$(find "$prefix"/lib* -name 'libtilegrind.so' | head -n 1)")
export LD_LIBRARY_PATH="$libraries"
for program in "$scratch/cmake/run_add" "$scratch/cmake/run_add_static" "$scratch/by_pkg_config"; do
    "$program" "$root/examples/add.json" >"$scratch/out"
    sum=$(awk 'NR > 1 { s += $1 } END { print s }' "$scratch/out")
    [ "$sum" = 1045 ] || {
        echo "$program: the sum of the output is $sum, not 1045" >&2
        exit 1
    }
done
sum=$("$scratch/cmake/run_often" "$root/examples/add.json" | awk '{ s += $1 } END { print s }')
[ "$sum" = 45000 ] || {
    echo "run_often: the sum of the output is $sum, not 45000" >&2
    exit 1
}
sum=$("$scratch/cmake/build_add" | awk '{ s += $1 } END { print s }')
[ "$sum" = 512 ] || {
    echo "build_add: the sum of the output is $sum, not 512" >&2
    exit 1
}
"$scratch/cmake/run_files" "$root/examples/shifted.json" "$root/examples/shifted_inputs.npz" "$scratch/shifted.npz" >"$scratch/out"
[ -s "$scratch/shifted.npz" ] && grep -q "findings$" "$scratch/out" || {
    echo "run_files: no outputs, or no number of findings" >&2
    exit 1
}
"$scratch/cmake/run_mesh" "$root/examples/row_sums.json" "$root/examples/row_sums_inputs.npz" >"$scratch/out"
grep -q "^replicas-differ, first on device 0 (x=0, y=0): 8 elements" "$scratch/out" || {
    echo "run_mesh: not the finding that copies differ" >&2
    exit 1
}
mkdir "$scratch/case"
cp "$root/examples/add.json" "$scratch/case"
cat >"$scratch/case/case.json" <<'END'
{"tilegrind": "0.1", "kernel": "add.json",
 "inputs": {"x": {"type": "f32[10]", "fill": "iota"}, "y": {"type": "f32[10]", "fill": "ones"}},
 "expect": {"outputs": {"o": {"type": "f32[10]", "values": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}}}
END
[ "$("$scratch/cmake/judge_case" "$scratch/case" | tail -n 2 | tr '\n' ' ')" = "passed emulator: the same " ] || {
    echo "judge_case: the case does not pass, or not on the emulator" >&2
    exit 1
}
[ "$("$scratch/cmake/run_ptx" | tr '\n' ' ')" = "14 out-of-bounds " ] || {
    echo "run_ptx: not 14, or no trap" >&2
    exit 1
}
"$prefix/bin/tilegrind" --version
