#!/bin/sh
# What ptxas is to its callers, without assembling anything.  FAKE_PTXAS says how it behaves:
#   well       (unless told) writes a "cubin" that ends with a NUL, which tests/gpu/fake_driver.c takes, and tells what it used
#   slow       hangs, in a child that holds on to the output, unless called with -O1
#   hanging    hangs in any case
#   refusing   prints an error and exits with 255
#   nonsense   prints bytes that mean nothing and writes a text as cubin, but exits with 0
#   empty      writes no cubin and exits with 0
#   silent     tells no version
mode=${FAKE_PTXAS:-well}
if [ "$1" = --version ]; then
    [ "$mode" = silent ] && exit 0
    echo "Cuda compilation tools, release 12.4, V12.4.131"
    exit 0
fi

optimise=-O3 to='' from='' chip=''
while [ $# -gt 0 ]; do
    case $1 in
    -O*) optimise=$1 ;;
    -o) to=$2; shift ;;
    --gpu-name=*a) chip=${1#*=} ;;
    -*) ;;
    *) from=$1 ;;
    esac
    shift
done
[ -n "${FAKE_PTXAS_CALLS:-}" ] && echo "$optimise $from" >>"$FAKE_PTXAS_CALLS"

[ "$mode" = slow ] && [ "$optimise" = -O1 ] && mode=well
case $mode in
well)
    grep -q "^.target sm_[0-9]*a\$" "$from" && ! grep -q "^.target $chip\$" "$from" && exit 255
    { printf '\177ELF'; cat "$from"; printf '\0'; } >"$to"
    echo "ptxas info    : 0 bytes gmem"
    echo "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads"
    echo "ptxas info    : Used 16 registers, used 1 barriers, 512 bytes smem"
    echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    echo "ptxas info    : Used 40 registers, used 0 barriers"
    ;;
slow | hanging) sleep 100 & wait ;;
refusing)
    echo "ptxas fatal   : Unsupported .version 99.9" >&2
    exit 255
    ;;
nonsense)
    printf '\001\377 registers, x bytes smem, 99999999999999999999999 bytes spill stores\n'
    echo "not ELF" >"$to"
    ;;
empty) ;;
esac
