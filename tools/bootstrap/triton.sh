# shellcheck shell=bash
# Python environments for Triton kernels, and what is done in them.
#   .venv_triton        Triton, without torch: our own tests
#   .venv_triton_torch  Triton and torch: Triton's own tests and tutorials, TritonRaceBench, and our tests of torch
#   .venv_liger, .venv_fla
#                       no environments, but packages that public suites need beside the latter

TRITON_VERSION=3.9.0
TORCH_VERSION=2.15.0
TRITON_REQUIREMENTS='numpy ml_dtypes fastjsonschema pytest pytest-xdist'
# What torch's Python code needs, and a tutorial of Triton.  Its wheel for this platform also asks for 3.6 GB of CUDA's libraries, which nothing here calls.
TORCH_REQUIREMENTS='filelock sympy networkx jinja2 fsspec typing-extensions scipy expecttest tabulate'
# What the public suites ask for.  Liger-Kernel's tests fit no newer transformers, and flash-linear-attention's kernels no newer Triton.
LIGER_REQUIREMENTS='transformers==4.57.6'
FLA_REQUIREMENTS='triton==3.7.1 transformers==5.24.0 einops'

# Sets TRITON_PYTHON, that of the environment without torch; 77 if no Python fits.
need_python_triton() {
    local python
    if ! python=$(find_python '(3, 11) <= v <= (3, 14)'); then
        say "no Python from 3.11 to 3.14 for Triton $TRITON_VERSION"
        return 77
    fi
    # shellcheck disable=SC2086
    make_venv .venv_triton "$python" "triton==$TRITON_VERSION" $TRITON_REQUIREMENTS
    TRITON_PYTHON=.venv_triton/bin/python
}

# Sets TRITON_PYTHON, that of an environment with torch: the one that TILEGRIND_TRITON_PYTHON names, or one of ours.
need_python_triton_torch() {
    local folder=.venv_triton_torch
    if [ -n "${TILEGRIND_TRITON_PYTHON:-}" ]; then
        TRITON_PYTHON=$TILEGRIND_TRITON_PYTHON
        return
    fi
    need_python_triton
    # shellcheck disable=SC2086
    make_venv "$folder" "$(find_python '(3, 11) <= v <= (3, 14)')" "triton==$TRITON_VERSION" $TRITON_REQUIREMENTS $TORCH_REQUIREMENTS
    TRITON_PYTHON=$folder/bin/python
    fresh "$folder/.torch" "$TORCH_VERSION" && return
    heading "torch $TORCH_VERSION, without CUDA's libraries, in $folder"
    ticking "pip" "$TRITON_PYTHON" -m pip install -q --disable-pip-version-check --no-deps "torch==$TORCH_VERSION"
    "$TRITON_PYTHON" conformance/triton/torch_stubs.py
    stamp "$folder/.torch" "$TORCH_VERSION"
}

# As a step of the tests: ours, in the environment without torch.
triton_step() {
    need_python_triton || return
    pytest_side_by_side "" python/tests_triton "$TRITON_PYTHON"
}

# run_triton TITLE SCRIPT [ARGUMENT...]: a script of conformance/triton/ in the environment with torch, after all set-up.
run_triton() {
    need_packages base
    build release
    need_python_triton_torch
    heading "$1"
    with_python "$TRITON_PYTHON" "conformance/triton/$2" "${@:3}"
}

# need_packages_beside FOLDER REQUIREMENT...: a folder for PYTHONPATH with these and what they need, for TRITON_PYTHON.
need_packages_beside() {
    local folder=$1 content
    shift
    content="$("$TRITON_PYTHON" -V 2>&1) $*"
    fresh "$folder/.stamp" "$content" && return
    heading "packages in $folder: $*"
    rm -rf "$folder"
    ticking "pip" "$TRITON_PYTHON" -m pip install -q --disable-pip-version-check --no-warn-conflicts --target "$folder" "$@"
    stamp "$folder/.stamp" "$content"
}

# triton_public_job --liger|--fla DIR [ARGUMENT...]: a public suite, with what it asks for before the environment's own packages.
triton_public_job() {
    local suite=${1:-} requirements
    case "$suite" in
    --liger) requirements=$LIGER_REQUIREMENTS ;;
    --fla) requirements=$FLA_REQUIREMENTS ;;
    *) usage_error "triton-public needs --liger DIR or --fla DIR" ;;
    esac
    need_packages base
    need_python_triton_torch
    # shellcheck disable=SC2086
    need_packages_beside ".venv_${suite#--}" $requirements
    PYTHONPATH="$ROOT/.venv_${suite#--}" run_triton "Public suite ${suite#--}" public.py "$@"
}
