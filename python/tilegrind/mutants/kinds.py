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
    Kind("zeros", "the output were all zeros", "KernelBench#165"),
    Kind("mean-of-tensor", "each element were the mean of the output", "KernelBench#108"),
    Kind("mean-of-rows", "each element were the mean of its row"),
    Kind("input-returned", "an input were returned"),
    Kind("block-unwritten", "a program had stored nothing, so that its block kept what was there before"),
    Kind("ragged-tile-unwritten", "the last tile of an axis, which is not full, were left out"),
    Kind("rolled", "each element were stored one place further along an axis"),
    Kind("tile-transposed", "a tile were stored with rows and columns exchanged"),
    Kind("blocks-swapped", "two programs had stored their blocks each to the place of the other"),
    Kind("rounded-bf16", "the output had passed through bf16", "HipKittens#64"),
    Kind("rounded-f16", "the output had passed through f16"),
    Kind("rounded-tf32", "the output had passed through tf32"),
    Kind("rounded-e4m3", "the output had passed through f8e4m3fn", "kernelbench.com/blog/hard"),
    Kind("rounded-toward-zero", "the last rounding went toward zero"),
    Kind("scaled", "each element were multiplied by 1 + 2^-7"),
    Kind("affine-rows", "each row were scaled and shifted, which correlation does not see", "tt-metal#50682"),
    Kind("sign-flipped", "one element had the other sign"),
    Kind("two-bounds-off", "one element were two bounds off: a control that a check must reject"),
    Kind("half-bound-off", "one element were half a bound off: a control that a check must accept"),
    Kind("specials-to-zero", "NaN and infinities were replaced by zeros", "pygpubench#7"),
    Kind("finite-to-nan", "one finite element were NaN", "pygpubench#7"),
    Kind("subnormals-flushed", "subnormal numbers were flushed to zero"),
    Kind("zero-sign-lost", "-0 were stored as 0"),
    Kind("other-inputs", "the outputs of an earlier call on other inputs were returned", "llm.c#852"),
    Kind("half-copied", "the second half of the rows were a copy of the first"),
    Kind("integer-off-by-one", "one integer were greater by one, or one bool the other"),
    Kind("saturated-wrapped", "integers wrapped where they should saturate"),
)

KERNEL_KINDS = (
    Kind("last-step-dropped", "the last step of a loop were left out"),
    Kind("first-step-twice", "the first step of a loop were taken twice"),
    Kind("term-dropped", "the first term of a sum or dot product were left out"),
    Kind("accumulator-uninitialised", "an accumulator began with what was in memory before"),
    Kind("accumulator-bf16", "sums were rounded to bf16 as they grow", "iree#15930"),
    Kind("accumulator-f16", "sums were rounded to f16 as they grow"),
    Kind("operand-bf16", "the operands of a dot product were rounded to bf16"),
    Kind("operand-tf32", "the operands of a dot product were rounded to tf32"),
    Kind("operand-e4m3", "the operands of a dot product were rounded to f8e4m3fn", "kernelbench.com/blog/hard"),
    Kind("mask-strictness", "a mask had < for <=, or <= for <"),
    Kind("mask-shifted", "a causal mask were one element off, to the other side than mask-strictness"),
    Kind("mask-all-true", "a mask were true everywhere"),
)

KINDS = (*OUTPUT_KINDS, *KERNEL_KINDS)
