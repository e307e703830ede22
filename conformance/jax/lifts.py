"""Tests that stock JAX skips on a CPU because of its own interpreter or of some hardware, and that Tilegrind runs.

A lift names tests, the reasons for skipping that are ignored in them, and why these do not concern Tilegrind.  In
a session of lifted tests every `pallas_call` interprets, and INTERPRET of the test's class is True.  The tests of Mosaic GPU
are lifted by classes, in sessions of their own: gpu_answers.py answers what they ask of the machine, so that they do not skip.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Iterator, Sequence


@dataclass(frozen=True)
class Lift:
    name: str
    file: str
    tests: str  # a pattern of CLASS::TEST
    skips: frozenset[str]  # the complete texts given to skipTest
    why: str
    sake: str  # what the skips are about, of SAKES

    def covers(self, test: str) -> bool:
        file, _, name = test.partition(".py::")
        return file.rsplit("/", 1)[-1] == self.file and fnmatch.fnmatchcase(name, self.tests)


# What stock JAX skips tests for the sake of.
INTERPRETER, HARDWARE, GPU = SAKES = ("the interpreter", "hardware", "an NVIDIA GPU")


def lift(name: str, file: str, tests: str, *skips: str, why: str, hardware: bool = False) -> Lift:
    return Lift(name, file, tests, frozenset(skips), why, HARDWARE if hardware else INTERPRETER)


def gpu_class(file: str, name: str, why: str) -> Lift:
    """All tests of one class, which need an NVIDIA GPU."""
    return Lift(name, file, f"{name}::*", frozenset(), why, GPU)


def by_warpgroups(file: str, names: Sequence[str]) -> Iterator[Lift]:
    """Classes of a file once more, with `LoweringSemantics.Warpgroup`."""
    for name in names:
        twin = name.removesuffix("Test") + "WGTest"
        yield gpu_class(file, twin, f"{name} with `LoweringSemantics.Warpgroup`.")


# JAX treats a CPU as the oldest of all TPUs, which supports least.
GENERATIONS = "What old TPUs lack is a matter of their compiler; the interpreter has no such limits."


LIFTS = (
    lift(
        *("control flow", "pallas_test", "PallasControlFlowInterpretTest::*"),
        "Control flow not supported in interpret mode yet.",
        "memref<1x128> inexplicably doubles to 2x128.",
        why="Loops and branches are ops like others; one shape is skipped because of the TPU's compiler.",
    ),
    lift(
        *("axis_index of a named grid", "pallas_test", "PallasCallNamedGridInterpretTest::test_can_query_named_grid_program_id*"),
        "Not supported in interpret mode.",
        why="The index of a named grid axis is a program id.",
    ),
    lift(
        *("low padding", "pallas_test", "PallasCallElementIndexingInterpretTest::test_block_spec_element"),
        "TODO: low padding not supported yet",
        why="Element blocks may be padded on both sides.",
    ),
    lift(
        *("4-bit loads", "pallas_test", "PallasCallInterpretTest::test_subbyte_load*"),
        "`[u]int4` loads only supported on GPU.",
        why="4-bit integers are dtypes like others.",
        hardware=True,
    ),
    lift(
        *("dot algorithms", "pallas_test", "PallasCallInterpretTest::test_dot_precision*"),
        "`DotAlgorithmPreset` only supported on GPU.",
        why="Tilegrind's dot is at least as exact as each algorithm.",
        hardware=True,
    ),
    lift(
        *("unsigned dot", "pallas_test", "PallasCallInterpretTest::test_integer_dot*"),
        "Not currently supported.",
        why="Unsigned operands are what the hardware lacks.",
        hardware=True,
    ),
    lift(
        *("f8e4m3b11fnuz dot", "pallas_test", "PallasCallInterpretTest::test_float8_e4m3b11fnuz_dot*"),
        "`float8_e4m3b11fnuz` dot only supported on TPU.",
        "`float8_e4m3b11fnuz` dot requires newer libtpu on Cloud TPU",
        why="The format is a dtype like others.",
        hardware=True,
    ),
    lift(
        *("block shapes", "pallas_test", "PallasCallInterpretTest::test_block_spec_valid_block_shapes*"),
        "TPU v3 or older requires at least 128*packing*2 block size",
        why="A limit of old TPUs, which the test takes a CPU for.",
        hardware=True,
    ),
    lift(
        *("nested and strided references", "indexing_test", "IndexerOpsInterpretTest::*"),
        "TODO: fails in interpret mode.",
        why="References of references and strides are kept as they are written.",
    ),
    lift(
        *("reductions over several axes", "ops_test", "OpsInterpretTest::test_array_reduce_???_*"),
        "TODO: tuple axes are not yet supported",
        why="An axis more is nothing special.",
    ),
    lift(
        *("casts of 2-bit integers", "ops_test", "OpsInterpretTest::test_cast_from_sub_32bit*"),
        "Test fails on CPU.",
        why="It fails in JAX's interpreter; 2-bit integers are dtypes like others.",
    ),
    lift(
        *("casts of f16 and 8-bit floats", "ops_test", "OpsInterpretTest::test_cast_from_*"),
        "Not supported on this hardware",
        "float16 is only supported with Mosaic GPU",
        why="The interpreter has all formats.",
        hardware=True,
    ),
    lift(
        *("booleans in scoped memory", "tpu_pallas_test", "PallasCallTPUBooleanInterpretTest::test_scalar_bool_run_scoped*"),
        "run_scoped not supported in non-interpret mode.",
        why="Scoped memory may hold booleans.",
    ),
    lift(
        *("dynamic grid, output in SMEM", "tpu_pallas_test", "MiscellaneousInterpretTest::test_dynamic_grid_with_smem_output"),
        "Fail on interpreter.",
        why="What a program leaves in an output is there for the next one.",
    ),
    lift(
        *("grid of generations of TPUs", "tpu_pallas_test", "PallasCallDynamicGridInterpretTest::*"),
        "Needs a newer TPU",
        why=GENERATIONS,
        hardware=True,
    ),
    lift(
        *("reshapes of generations of TPUs", "tpu_pallas_test", "MiscellaneousInterpretTest::*"),
        "16-bit mask requires TPU v4+",
        "8-bit mask requires TPU v5+",
        "8-bit types require TPU v6+.",
        "Insert singleton minor-most dimension for packed types is only supported on TPU v6+.",
        "Operation not supported on this TPU version.",
        "Requires TPU v4+.",
        "Requires TPU v5+ and not too large stride.",
        "Sublane gather requires TPU v5+.",
        "TPU v5+ required.",
        "Needs a newer libtpu",
        why=GENERATIONS,
        hardware=True,
    ),
    lift(
        *("layer norm", "gpu_ops_test", "FusedLayerNormInterpretTest::*"),
        "Works only on GPU",
        why="A kernel for GPUs, computed as they do.",
    ),
    lift(
        *("rms norm", "gpu_ops_test", "RmsNormInterpretTest::*"),
        "Works only on GPU",
        why="A kernel for GPUs, computed as they do.",
    ),
    lift(
        *("softmax", "gpu_ops_test", "SoftmaxInterpretTest::*"),
        "Works only on GPU",
        why="A kernel for GPUs, computed as they do.",
    ),
    lift(
        *("Triton kernels", "triton_pallas_test", "TritonPallasTest::*"),
        "While loop not supported in interpret mode.",
        "No broadcasting checks in pl.load in interpret mode",
        "approx_tanh is not supported in interpret mode",
        "elementwise_inline_asm is not supported in interpret mode",
        "debug_barrier is not supported in interpret mode",
        why="Atomics, locks and masked access have the meaning of the hardware.",
    ),
)


GPU_LIFTS = (
    gpu_class("ops_test", "OpsTest", "The operations of Pallas, with `LoweringSemantics.Warpgroup`."),
    gpu_class("ops_test", "PallasPrimitivesTest", "Indices of references as text; nothing runs."),
    gpu_class("pallas_test", "PallasMGPUTest", "`pallas_call` with the parameters of Mosaic GPU."),
    gpu_class("mosaic_gpu_test", "PallasCallTest", "Copies, barriers, loads, stores and arithmetic of one or several threads."),
    gpu_class("mosaic_gpu_test", "PallasCallWarpPrimitiveSemanticsTest", "Warps of a thread that go their own ways."),
    gpu_class("mosaic_gpu_test", "PallasCallSm90ATest", "Products by wgmma."),
    gpu_class("mosaic_gpu_test", "PallasCallTCGen05Test", "Products by tcgen05, and tensor memory."),
    gpu_class("mosaic_gpu_test", "PipelineTest", "Pipelines of copies."),
    gpu_class("mosaic_gpu_test", "PipelineSm90ATest", "Pipelines around products by wgmma."),
    gpu_class("mosaic_gpu_test", "WarpSpecializedPipelineTest", "Pipelines in which one thread copies for the others."),
    gpu_class("mosaic_gpu_test", "CoreMapTest", "Grids, clusters and threads."),
    gpu_class("mosaic_gpu_test", "PrettyPrintingTest", "Kernels as text; nothing runs."),
    gpu_class("mosaic_gpu_test", "ExportTest", "A kernel that leaves the process."),
    gpu_class("mosaic_gpu_test", "ExamplesTest", "The examples of the documentation."),
    gpu_class("mosaic_gpu_test", "ExamplesSm90ATest", "The examples with wgmma."),
    gpu_class("mosaic_gpu_test", "SemaphoreTest", "Semaphores in global memory."),
    gpu_class("mosaic_gpu_test", "HelpersTest", "Loops over tiles, and scheduling at run time."),
    gpu_class("mosaic_gpu_test", "DistributedTest", "Several devices; nothing runs."),
    gpu_class("mosaic_gpu_test", "MosaicGPUPoisonTest", "Memory that nobody has written."),
    *by_warpgroups(
        "mosaic_gpu_test",
        ["PallasCallTest", "PallasCallWarpPrimitiveSemanticsTest", "PallasCallSm90ATest", "PallasCallTCGen05Test", "PipelineTest",
         "PipelineSm90ATest", "WarpSpecializedPipelineTest", "CoreMapTest", "ExamplesTest", "ExamplesSm90ATest", "SemaphoreTest",
         "HelpersTest", "DistributedTest"]
    ),
    gpu_class("mgpu_matmul_test", "MatrixMultiplicationSm90ATest", "Matrix products for Hopper."),
    gpu_class("mgpu_matmul_test", "MatrixMultiplicationTCGen05Test", "Matrix products for Blackwell."),
    gpu_class("mgpu_attention_test", "FlashAttentionTestCase", "Flash attention for Hopper."),
    gpu_class("mgpu_ragged_dot_test", "RaggedDotTestCase", "Grouped products for Hopper."),
    gpu_class("mgpu_ragged_dot_test", "RaggedDotTCGen05TestCase", "Grouped products for Blackwell."),
    gpu_class("mgpu_examples_test", "MatmulTutorialTCGen05Test", "The matrix products of a tutorial."),
    gpu_class("mgpu_collective_matmul_test", "CollectiveMatmulTestCase", "A product of several devices."),
    gpu_class("gpu_pallas_distributed_test", "PallasCallRemoteDMATest", "Memory and semaphores of other devices."),
    gpu_class("gpu_pallas_distributed_test", "PallasCallMultimemTest", "Stores to all devices and sums over them."),
    gpu_class("gpu_pallas_distributed_test", "PallasCallMultimemThreadUnsafeTest", "Gathering and scattering by all devices."),
    *by_warpgroups(
        "gpu_pallas_distributed_test", ["PallasCallRemoteDMATest", "PallasCallMultimemTest", "PallasCallMultimemThreadUnsafeTest"]
    ),
)
LIFTED_FILES = tuple(dict.fromkeys(lift.file for lift in LIFTS))
LIFTS = (*LIFTS, *GPU_LIFTS)
GPU_FILES = tuple(dict.fromkeys(lift.file for lift in GPU_LIFTS))


@dataclass(frozen=True)
class Unjudged:
    """Lifted tests that are not run, as their kernels would not show whether they pass, or not in a bearable time."""

    file: str
    tests: str  # a pattern of CLASS::TEST
    why: str

    def covers(self, test: str) -> bool:
        file, _, name = test.partition(".py::")
        return file.rsplit("/", 1)[-1] == self.file and fnmatch.fnmatchcase(name, self.tests)


PTX = "It looks for instructions in PTX, or for lines of the source."
HLO = "It looks at the call that JAX's compiler has made."
PROFILER = "It looks at what the profiler has written."
DRAWN = "It draws very many kernels, which takes minutes; `OpsInterpretTest` has the same."
UNJUDGED = (
    Unjudged("ops_test", "OpsTest::test_unary_primitives_*", DRAWN),
    Unjudged("mosaic_gpu_test", "*::test_copy_gmem_to_smem_contiguous*", PTX),
    Unjudged("mosaic_gpu_test", "*::test_line_info", PTX),
    Unjudged("mosaic_gpu_test", "*::test_*profiler*", PROFILER),
    Unjudged("mosaic_gpu_test", "*::test_lower_with_abstract_mesh", "It lowers a kernel for a GPU that must be there."),
    Unjudged("mgpu_ragged_dot_test", "*::test_ragged_dot_shard_map_check_vma", "It lowers a kernel for a GPU that must be there."),
    Unjudged("mosaic_gpu_test", "*::test_cond_get_arch", "It looks at what JAX's compiler asks for."),
    Unjudged("mosaic_gpu_test", "Semaphore*Test::test_lowering", HLO),
    Unjudged("mosaic_gpu_test", "Semaphore*Test::test_basic", HLO),
)


def why_unjudged(test: str) -> str:
    """Why a test cannot be judged; "" if it can."""
    return next((one.why for one in UNJUDGED if one.covers(test)), "")


def lifts_of(test: str, gpu: bool) -> list[Lift]:
    """The lifts that name this test, for the sake of an NVIDIA GPU or of anything else."""
    return [one for one in LIFTS if (one.sake == GPU) == gpu and one.covers(test)]
