# What the other parts share: messages, stamps.

heading() { printf '\n==> %s\n' "$*"; }
say() { printf '    %s\n' "$*"; }

die() {
    printf 'bootstrap: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# fresh STAMP CONTENT: whether STAMP was last written for the very same CONTENT.
fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

stamp() {
    mkdir -p "$(dirname "$1")"
    printf '%s' "$2" >"$1"
}
