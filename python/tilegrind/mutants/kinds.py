"""The kinds of mutants, in one table: what each does, and where such defects were seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of defect.

    name    words that an author of kernels understands
    about   completes "as if ..."
    source  where such a defect was seen in public, if known, else ""
    """

    name: str
    about: str
    source: str = ""


OUTPUT_KINDS = (
    Kind("zeros", "the output were all zeros", "ScalingIntelligence/KernelBench#165"),
    Kind("mean-of-tensor", "each element were the mean of the output", "ScalingIntelligence/KernelBench#108"),
    Kind("mean-of-rows", "each element were the mean of its row"),
    Kind("input-returned", "an input were returned"),
    Kind("block-unwritten", "a program had stored nothing, so that its block kept what was there before"),
    Kind("ragged-tile-unwritten", "the last tile of an axis, which is not full, were left out"),
    Kind("rolled", "each element were stored one place further along an axis"),
    Kind("tile-transposed", "a tile were stored with rows and columns exchanged"),
    Kind("blocks-swapped", "two programs had stored their blocks each to the place of the other"),
    Kind("rounded-bf16", "the output had passed through bf16", "kernelbench.com/blog/hard"),
    Kind("rounded-f16", "the output had passed through f16"),
    Kind("rounded-tf32", "the output had passed through tf32"),
    Kind("rounded-e4m3", "the output had passed through f8e4m3fn"),
    Kind("rounded-toward-zero", "the last rounding went toward zero", "tenstorrent/tt-metal#57408"),
    Kind("scaled", "each element were multiplied by 1 + 2^-7"),
    Kind("affine-rows", "each row were scaled and shifted, which correlation does not see", "tenstorrent/tt-metal#50682"),
    Kind("sign-flipped", "one element had the other sign"),
    Kind("two-bounds-off", "one element were two bounds off: a control that a check must reject"),
    Kind("half-bound-off", "one element were half a bound off: a control that a check must accept"),
    Kind("specials-to-zero", "NaN and infinities were replaced by zeros"),
    Kind("finite-to-nan", "one finite element were NaN", "gpu-mode/pygpubench#7"),
    Kind("subnormals-flushed", "subnormal numbers were flushed to zero"),
    Kind("zero-sign-lost", "-0 were stored as 0"),
    Kind("other-inputs", "the outputs of an earlier call on other inputs were returned", "CUDA-L1"),
    Kind("half-copied", "the second half of the rows were a copy of the first"),
    Kind("integer-off-by-one", "one integer were greater by one, or one bool the other"),
    Kind("saturated-wrapped", "integers wrapped where they should saturate"),
)

KERNEL_KINDS = (
    Kind("last-step-dropped", "the last step of a loop were left out"),
    Kind("first-step-twice", "the first step of a loop were taken twice"),
    Kind("term-dropped", "the first term of a sum or dot product were left out"),
    Kind("accumulator-uninitialised", "an accumulator began with what was in memory before", "NVIDIA/cuda-quantum#2475"),
    Kind("initial-value-twice", "the initial value of an accumulator were added twice"),
    Kind("accumulator-bf16", "sums were rounded to bf16 as they grow", "iree-org/iree#15930"),
    Kind("accumulator-f16", "sums were rounded to f16 as they grow"),
    Kind("accumulator-i16", "sums of integers wrapped to 16 bits as they grow"),
    Kind("accumulator-i8", "sums of integers wrapped to 8 bits as they grow"),
    Kind("operand-bf16", "the operands of a dot product were rounded to bf16"),
    Kind("operand-tf32", "the operands of a dot product were rounded to tf32", "triton-lang/triton#1800"),
    Kind("operand-e4m3", "the operands of a dot product were rounded to f8e4m3fn"),
    Kind("mask-strictness", "a mask had < for <=, or <= for <", "flashinfer-ai/flashinfer#348"),
    Kind("mask-shifted", "a causal mask were one element off, to the other side than with mask-strictness"),
    Kind("mask-all-true", "a mask were true everywhere", "Dao-AILab/flash-attention#2790"),
    Kind("other-zero", "lanes that a mask leaves out counted as 0"),
    Kind("other-one", "lanes that a mask leaves out counted as 1"),
    Kind("other-minus-inf", "lanes that a mask leaves out counted as -inf"),
    Kind("index-map-swapped", "an index map had two dimensions exchanged, each clamped to the array"),
    Kind("index-map-off-by-one", "an index map chose the next block, the last one for the last"),
    Kind("element-for-block-index", "an index map gave elements for blocks, modulo their number, or blocks for elements"),
    Kind("neighbours-rows", "a program stored to the place of the next one, the last to that of the first"),
    Kind("quotient-for-remainder", "an index had / for %, or % for /"),
    Kind("grid-one-short", "an axis of the grid were one program short"),
    Kind("axis-reversed", "the programs of an `arbitrary` axis ran from the last to the first"),
    Kind("subtraction-reversed", "a - b were b - a"),
    Kind("division-reversed", "a / b were b / a"),
    Kind("shift-reversed", "a shifted by b were b shifted by a"),
    Kind("select-reversed", "the cases of a select were exchanged"),
    Kind("maximum-not-subtracted", "an exponential were taken without subtracting the maximum first",
         "NVIDIA/FasterTransformer#43"),
    Kind("accumulator-not-rescaled", "a running sum were not rescaled when the running maximum grows"),
    Kind("scale-dropped", "a constant factor were left out", "ROCm/composable_kernel#526"),
    Kind("scale-squared", "a constant factor were applied twice"),
    Kind("exp-of-other-base", "exp were exp2, or exp2 exp"),
    Kind("log-of-other-base", "log were log2, or log2 log"),
    Kind("gelu-other-form", "gelu had its tanh form for the one with erf, or the other way round"),
    Kind("bias-left-out", "a bias or residual were not added"),
    Kind("mean-by-n-minus-1", "a mean were divided by n - 1"),
    Kind("mean-by-padded-n", "a mean were divided by the next power of two", "tenstorrent/tt-metal#50682"),
    Kind("epsilon-dropped", "the epsilon of a root, logarithm or divisor were left out"),
    Kind("epsilon-times-10", "an epsilon were ten times as large"),
    Kind("epsilon-outside-root", "an epsilon were added outside the root", "callummcdougall/ARENA_3.0#228"),
    Kind("constant-3-digits", "a constant had three decimal digits"),
    Kind("reduction-other-axis", "a reduction went over another axis of the same extent",
         "labmlai/annotated_deep_learning_paper_implementations#146"),
    Kind("reciprocal-12-bits", "a reciprocal had 12 bits"),
    Kind("convert-toward-zero", "a conversion rounded toward zero", "ROCm/aiter#5151"),
    Kind("last-of-ties", "argmax or argmin took the last of equals", "pytorch/pytorch#93630"),
    Kind("nan-skipped", "a maximum or minimum skipped NaN", "apache/tvm#19518"),
    Kind("remainder-sign", "a remainder followed the sign of the divisor for that of the dividend, or the other way round",
         "NVIDIA/cuda-quantum#5166"),
    Kind("atomic-as-store", "an atomic addition were a store"),
    Kind("copy-awaited-late", "an asynchronous copy were awaited after its use", "NVIDIA/Fuser#3428"),
    Kind("op-as-identity", "an elementwise op returned its operand", "ScalingIntelligence/KernelBench#108"),
)

KINDS = (*OUTPUT_KINDS, *KERNEL_KINDS)
