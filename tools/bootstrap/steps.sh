# shellcheck shell=bash
# Steps of a long job: how they are counted, run, timed and judged.
#
# A list of steps is a function with one line for each of them:
#
#   step SECONDS NAME COMMAND...
#
# SECONDS is what the step usually takes on two cores of its own, with an empty compiler cache.  COMMAND runs in a
# subshell.  Exit code 77 says that the check cannot be made here, any other but 0 that it failed; the steps after it
# run all the same.

STEPS=0         # of the list
USUAL_SECONDS=0 # of all of them
STEP=0          # the one that runs; 0 while they are counted
PASSED=0
SKIPPED=()
FAILED=()
PROCESSOR_SECONDS=0

# run_steps LIST: counts the steps of the list, then runs them; whether none failed.
run_steps() {
    STEPS=0 USUAL_SECONDS=0 STEP=0
    "$1"
    say "$STEPS steps, usually $(in_minutes "$USUAL_SECONDS") on two cores with an empty compiler cache"
    STEP=1
    "$1"
    sum_up
}

step() {
    local usual=$1 name=$2 result
    shift 2
    if [ "$STEP" = 0 ]; then
        STEPS=$((STEPS + 1)) USUAL_SECONDS=$((USUAL_SECONDS + usual))
        return
    fi
    heading "[$STEP/$STEPS] $name (usually $(in_minutes "$usual"))"
    result=$(mktemp)
    ticking "[$STEP/$STEPS] $name" measure "$result" "$@"
    judge "$name" "$result"
    rm "$result"
    STEP=$((STEP + 1))
}

# measure RESULT COMMAND...: runs the command and never fails.  RESULT gets a line of seconds, by the clock, of the
# user and of the system, and a line with the exit code.
measure() {
    local result=$1 TIMEFORMAT='%0R %0U %0S'
    shift
    # In a subshell with errexit of its own: `if` would switch that off inside a function.
    set +e
    { time { (set -e; "$@") 2>&3; }; } 3>&2 2>"$result"
    echo "$?" >>"$result"
    set -e
}

# judge NAME RESULT: counts a step that has ended, and says how it went and what it cost.
judge() {
    local name=$1 clock user system code cost
    # What the shell itself says of a step, as that it was killed, comes before.
    { read -r clock user system && read -r code; } < <(tail -n 2 "$2")
    PROCESSOR_SECONDS=$((PROCESSOR_SECONDS + user + system))
    cost="$(in_minutes "$clock"), $((user + system)) s of processor time"
    case "$code" in
    0)
        PASSED=$((PASSED + 1))
        say "passed: $name ($cost)"
        ;;
    77)
        SKIPPED+=("$name")
        say "skipped: $name"
        ;;
    *)
        FAILED+=("$name")
        say "FAILED: $name (exit $code, $cost)"
        ;;
    esac
}

# sum_up: says how many steps passed, which did not, and what all have cost; whether none failed.
sum_up() {
    printf '\n%s passed, %s skipped, %s failed in %s, %s s of processor time\n' \
        "$PASSED" "${#SKIPPED[@]}" "${#FAILED[@]}" "$(in_minutes "$SECONDS")" "$PROCESSOR_SECONDS"
    [ "${#SKIPPED[@]}" = 0 ] || printf '    skipped: %s\n' "${SKIPPED[@]}"
    [ "${#FAILED[@]}" = 0 ] || {
        printf '    FAILED: %s\n' "${FAILED[@]}"
        return 1
    }
}
