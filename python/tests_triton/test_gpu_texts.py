"""Texts that Triton makes of a kernel for a GPU, which programs ask of launches in Tilegrind."""

import json
import pickle

import pytest
import triton
import triton.compiler.compiler as triton_compiler
import triton.language as tl
from arrays import iota, zeros
from kernels import add
from triton.compiler import CompiledKernel

import tilegrind.triton as tt
from tilegrind.triton.backend.compiler import TilegrindBackend
from tilegrind.triton.backend.target import CPU

@triton.jit
def which(o):
    if tl.target_info.is_cuda():
        tl.store(o, 9)
    else:
        tl.store(o, 1)


def launched(**options):
    return add[(1,)](iota(512), iota(512), zeros(512), 512, B=512, **options)


def test_texts_are_those_of_tritons_own_compiler():
    with tt.interpreter():
        asm = launched(num_stages=5).asm  # of which no other test has asked for texts
        assert not {"ttgir", "llir", "ptx", "cubin"} & set(asm)  # nothing is compiled that nobody asks for
        assert "addf" in asm["ttgir"] and 'ttg.target = "cuda:90"' in asm["ttgir"]
        assert "define ptx_kernel void @add(" in asm["llir"]
        assert ".visible .entry add(" in asm["ptx"] and ".target sm_90a" in asm["ptx"]
        assert asm["cubin"].startswith(b"\x7fELF")


def test_the_text_that_runs_here_stays():
    with tt.interpreter():
        asm = launched().asm
        before = asm["ttir"]
        assert asm["ptx"] and asm["ttir"] == before and asm["tilegrind"] == before.encode()


def test_the_gpu_is_the_presented_one():
    with tt.interpreter(capability=80):
        assert ".target sm_80" in launched().asm["ptx"]
        assert triton.runtime.driver.active.get_current_target().arch == 80


def test_options_of_the_launch_count():
    with tt.interpreter():
        for options, text in (({}, ".reqntid 128"), ({"num_warps": 8}, ".reqntid 256"), ({"maxnreg": 42}, ".maxnreg 42")):
            assert text in launched(**options).asm["ptx"]


def test_options_survive_being_written_down():
    """Triton writes the options of a kernel to JSON, to compile it again in another process."""
    backend = TilegrindBackend(CPU)
    options = backend.parse_options({"num_warps": 2, "debug": False, "extern_libs": {"a": "b"}})
    read = json.loads(json.dumps(options.__dict__))
    again = backend.parse_options({name: tuple(value) if isinstance(value, list) else value for name, value in read.items()})
    assert again == options and again.hash() == options.hash() and dict(again.launch_settings)["num_warps"] == 2


def test_options_are_not_mistaken_for_parameters():
    """Parameters that a launch gives by name reach the backend beside options."""
    with tt.interpreter():
        x, o = iota(32), zeros(32)
        assert ".entry add(" in add[(1,)](x=x, y=x, o=o, n=32, B=32).asm["ptx"]


def test_a_kernel_is_told_of_the_gpu_in_its_text_alone():
    o = zeros(1)
    with tt.interpreter():
        asm = which[(1,)](o).asm
        assert "arith.constant 9" in asm["ttgir"] and "arith.constant 9" not in asm["ttir"]
        assert triton.runtime.driver.active.get_current_target().backend == "cpu"
        which[(1,)](o)
    assert o.array[0] == 1


def test_other_names_are_unknown():
    with tt.interpreter(), pytest.raises(KeyError, match="amdgcn"):
        launched().asm["amdgcn"]


def test_an_error_of_tritons_compiler_comes_through():
    """What a GPU cannot have runs here, and has no text."""
    with tt.interpreter(capability=80):
        kernel = launched(num_ctas=2)
        with pytest.raises(ValueError, match="num_ctas > 1 requires"):
            kernel.asm["ptx"]
        assert [*triton.backends.backends].count("nvidia") == 0  # as before
        assert launched().asm["ptx"]


def test_another_process_gets_what_there_is():
    with tt.interpreter():
        asm = pickle.loads(pickle.dumps(launched(num_stages=6).asm))
    assert "addf" in asm["ttir"] and "ptx" not in asm


def test_afterwards_triton_makes_its_own_kernels():
    with tt.interpreter():
        kernel = launched()
        assert isinstance(kernel, CompiledKernel) and triton_compiler.CompiledKernel is not CompiledKernel
    assert triton_compiler.CompiledKernel is CompiledKernel
    assert ".target sm_90a" in kernel.asm["ptx"]  # also later, as nothing of it runs
