#!/bin/sh
# Usage: check_aarch64.sh LANES_DIGEST
# Builds the arithmetic for aarch64, runs it under emulation, and compares its digests with those of this
# machine's LANES_DIGEST.  Exit status 77 where a tool is missing.
# Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
set -e
here=$(pwd -P)
cd "$(dirname "$0")/.."
case $1 in /*) digest=$1 ;; *) digest=$here/$1 ;; esac
compiler=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if ! command -v $compiler >/dev/null; then
    echo "skipped: no cross compiler ($compiler)"
    exit 77
fi
if [ -z "$emulator" ]; then
    echo "skipped: no emulator (qemu-aarch64)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The options that bear on values stand in one place.
options=$(sed 's/#.*//' cmake/Settings.cmake | grep -oE -e '-ffp-contract=[a-z]+|-fno-(math-errno|trapping-math)')
# What the arithmetic does not call is left out, with what it would need.
$compiler -std=c11 -O3 $options -ffunction-sections -Wl,--gc-sections -DTG_ISA=baseline -I. -Iinclude -static \
    -o "$work/lanes_digest" tests/lanes_digest.c interp/elementwise/*.c interp/blocks/*.c base/aligned_sum.c \
    ir/bits.c ir/gather.c ir/op.c ir/reduction.c ir/type.c -lm
"$digest" >"$work/here"
"$emulator" "$work/lanes_digest" >"$work/aarch64"
diff "$work/here" "$work/aarch64"
echo "aarch64: $(wc -l <"$work/aarch64") digests, the same"
