# shellcheck shell=bash
# System packages: what is missing is installed by apt where that is allowed, else named.

# Tests of presence, one a line: the Debian package and what shows that it, or an equivalent, is there.
BASE_PACKAGES='
gcc               command gcc
libc6-dev         header stdio.h
cmake             command cmake
ninja-build       command ninja
pkg-config        command pkg-config
libcjson-dev      module libcjson
libzip-dev        module libzip
libsleef-dev      module sleef
ca-certificates   file /etc/ssl/certs/ca-certificates.crt
python3           command python3
python3-venv      python ensurepip
libcriterion-dev  module criterion
libmpfr-dev       header mpfr.h
'
QUICK_PACKAGES='
clang-format      command clang-format
ccache            command ccache
'
TEST_PACKAGES='
clang             command clang
libomp-dev        clang-openmp
libclang-rt-dev   clang-fuzzer
clang-tidy        command clang-tidy
gcovr             command gcovr
'
# For sdist, wheel and .deb.
PACKAGE_PACKAGES='
dpkg-dev          command dpkg-source
file              command file
binutils          command readelf
zlib1g-dev        header zlib.h
'

# What tests of their own want, which are skipped where it is missing: not every system's apt has it.
OPTIONAL_PACKAGES='
chromium          command chromium
chromium-driver   command chromedriver
python3-torch     file /usr/lib/python3/dist-packages/torch
jq                command jq
gcc-aarch64-linux-gnu command aarch64-linux-gnu-gcc
libc6-dev-arm64-cross file /usr/aarch64-linux-gnu/lib/libc.a
qemu-user         command qemu-aarch64
'

compiles() { printf '%s\n' "$2" | "$1" "${@:3}" -x c -o /dev/null - >/dev/null 2>&1; }

present() {
    case "$1" in
    command) have "$2" ;;
    file) [ -e "$2" ] ;;
    header) compiles gcc "#include <$2>
int main(void) { return 0; }" || compiles gcc "#include <stdio.h>
#include <$2>
int main(void) { return 0; }" ;;
    module) have pkg-config && pkg-config --exists "$2" ;;
    python) python3 -c "import $2" 2>/dev/null ;;
    clang-fuzzer) compiles clang '#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return d && n == 7 ? 0 : 0; }' \
        -fsanitize=fuzzer,address,undefined ;;
    clang-openmp) compiles clang '#include <omp.h>
int main(void) { return omp_get_num_procs() < 1; }' -fopenmp ;;
    esac
}

# missing TABLE: the packages of it that are not there.
missing() {
    local package kind what
    while read -r package kind what; do
        [ -z "$package" ] || present "$kind" "$what" || printf '%s ' "$package"
    done <<<"$1"
}

# Runs a command as root, or fails where that is not possible without a password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
may_be_root() { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }

APT_IS_FRESH= # whether its lists have been updated

apt_update() {
    [ -z "$APT_IS_FRESH" ] || return 0
    ticking "apt-get update" as_root apt-get update -qq && APT_IS_FRESH=1
}

apt_install() {
    say "installing $*"
    ticking "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install() {
    have apt-get || die "these are missing (by their Debian names): $*
Install what your system calls them, then run this again."
    may_be_root || die "these packages are missing: $*
Install them with: sudo apt-get install $*"
    apt_update
    apt_install "$@"
}

# Those of OPTIONAL_PACKAGES that can be had, each by itself: one that cannot be had does not keep the others away.
want_optional_packages() {
    local list package
    list=$(missing "$OPTIONAL_PACKAGES")
    [ -n "$list" ] || return 0
    heading "optional packages"
    if ! have apt-get || ! may_be_root || ! apt_update; then
        say "the tests that want these are skipped: $list"
        return 0
    fi
    for package in $list; do
        apt_install "$package" || say "the tests that want it are skipped: $package"
    done
}

# need_packages base|quick|package|test: all packages for running, for the quick tests, for making packages, or for
# all tests.
need_packages() {
    local table=$BASE_PACKAGES list
    case "$1" in
    quick) table+=$QUICK_PACKAGES ;;
    package) table+=$PACKAGE_PACKAGES ;;
    test)
        table+=$QUICK_PACKAGES$PACKAGE_PACKAGES$TEST_PACKAGES
        want_optional_packages
        ;;
    esac
    list=$(missing "$table")
    [ -n "$list" ] || return 0
    heading "packages"
    # shellcheck disable=SC2086
    install $list
    list=$(missing "$table")
    [ -z "$list" ] || die "still missing after the installation: $list"
}
