# shellcheck shell=bash
# Builds: one folder for each preset of CMakePresets.json.

build_folder() { if [ "$1" = release ]; then echo build; else echo "build-$1"; fi; }

# quietly LOG COMMAND...: its output goes to LOG and is shown only where it fails.  On a terminal it is shown
# as it comes.
quietly() {
    local log=$1
    shift
    if [ -t 1 ]; then
        "$@"
        return
    fi
    # In a subshell with errexit of its own: `||` would switch that off inside a function.
    set +e
    (set -e; "$@") >"$log" 2>&1
    local code=$?
    set -e
    [ "$code" = 0 ] || cat "$log"
    return "$code"
}

# build PRESET [OPTION...]: configures where that was not done yet, with options for CMake, and builds what has
# changed.
build() {
    local folder
    folder=$(build_folder "$1")
    mkdir -p "$folder"
    if [ ! -f "$folder/build.ninja" ]; then
        say "configuring $1"
        quietly "$folder/configure.log" cmake --preset "$1" "${@:2}"
    fi
    say "building $1"
    quietly "$folder/build.log" cmake --build --preset "$1" --parallel "$JOBS"
}
