/* Variants of forms: .ftz, packed pairs, and floats without a rounding. */
#ifndef TG_EMULATOR_VARIANT_H
#define TG_EMULATOR_VARIANT_H

#include "emulator/isa.h"

typedef struct tg_emu_variant {
    bool is_flushed; /* .ftz: subnormal operands and results of f32 are zeros of their sign */
    bool is_pair;    /* .f16x2, .bf16x2: both halves of a register */
    bool is_open;    /* no rounding: to nearest, but ptxas may fuse it with others */
} tg_emu_variant;

/* The form that an instruction is, or is a variant of; NULL if there is none. */
const tg_emu_form *tg_emu_variant_find(const tg_emu_isa *isa, const char *name,
                                       tg_emu_variant *out);

/* The type of an operand of the variant. */
tg_emu_type tg_emu_variant_type(const tg_emu_variant *variant, const tg_emu_form *form,
                                size_t operand);

/* Makes the decoded form the variant. */
void tg_emu_variant_apply(const tg_emu_variant *variant, const tg_emu_form *form,
                          tg_emu_inst *inst);

/* Makes an instruction flush: `sources` are bits of those that are f32. */
void tg_emu_variant_flush(tg_emu_inst *inst, uint8_t sources, bool result);

/* Makes .f16x2 or .bf16x2 in a name one of a half; returns whether there was one. */
bool tg_emu_variant_halve(char *name);
/* Makes a comparison of halves one of pairs, whose results are two predicates. */
void tg_emu_variant_compare_pair(tg_emu_inst *inst);

#endif
