# shellcheck shell=bash
# What the other parts share: messages, signs of life of what takes long, stamps.

TICK_SECONDS=30

heading() { printf '\n==> %s\n' "$*"; }
say() { printf '    %s\n' "$*"; }

die() {
    printf 'bootstrap: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# in_minutes SECONDS: as people read it.
in_minutes() { if [ "$1" -lt 120 ]; then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi; }

# ticking NAME COMMAND...: runs it, and says every TICK_SECONDS how long it has been running.
ticking() {
    local name=$1 caller=$BASHPID ticker code
    shift
    tick "$caller" "$name" &
    ticker=$!
    "$@"
    code=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    return "$code"
}

# tick PROCESS NAME: ends with PROCESS too, as a command that fails ends the shell that runs it.
tick() {
    local start=$SECONDS
    while sleep "$TICK_SECONDS" >/dev/null 2>&1 && kill -0 "$1" 2>/dev/null; do
        say "$2: $(in_minutes $((SECONDS - start))) so far"
    done
}

# fresh STAMP CONTENT: whether STAMP was last written for the very same CONTENT.
fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

stamp() {
    mkdir -p "$(dirname "$1")"
    printf '%s' "$2" >"$1"
}
