#!/bin/sh
# check_exports.sh LIBRARY HEADERS: fails unless LIBRARY exports exactly the TG_API functions of HEADERS.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A declaration starts with TG_API; its name is the first tg_ word before a parenthesis.
cat "$2"/*.h | grep '^TG_API' | sed -n 's/.*[ *]\(tg_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$scratch/declared"
nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep '^tg_' | sort -u >"$scratch/exported" || true
diff "$scratch/declared" "$scratch/exported" || {
    echo "< declared in a header but not exported; > exported but not declared" >&2
    exit 1
}
