#!/bin/sh
# Usage: check_same_bits.sh LANES_DIGEST ISA...
# Whether every instruction set of this machine gives the digests of the first one.
set -e
digest=$1
first=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$digest" "$first" >"$work/$first"
echo "$first: $(wc -l <"$work/$first") digests"
for isa in "$@"; do
    code=0
    "$digest" "$isa" >"$work/$isa" || code=$?
    case $code in
    0) diff "$work/$first" "$work/$isa" && echo "$isa: the same" ;;
    77) echo "$isa: skipped, this machine does not have it" ;;
    *) exit 1 ;;
    esac
done
