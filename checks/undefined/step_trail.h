/* What an instruction does to the trails of its operands. */
#ifndef TG_CHECKS_UNDEFINED_STEP_TRAIL_H
#define TG_CHECKS_UNDEFINED_STEP_TRAIL_H

#include "checks/undefined/shadow.h"

/* What an op does to the trails of its operands.  Remembers the last one. */
typedef struct tg_step_trail {
    tg_undefined *all;
    const tg_inst *inst;
    uint32_t op_number, from, to;
} tg_step_trail;

static inline tg_step_trail tg_step_of(const tg_machine *m, const tg_inst *inst, uint32_t op_number)
{
    return (tg_step_trail){.all = tg_shadow_of(m)->all, .inst = inst, .op_number = op_number};
}

/* The trail of `word` and then the op, with these bytes undefined. */
uint32_t tg_step_word(tg_step_trail *step, uint32_t word, unsigned bytes);

/* The word of an element that has its origin here; 0 where the shadow is not about undefined
 * values. */
uint32_t tg_origin_word(const tg_machine *m, tg_trail_kind kind, const tg_access_plan *a,
                        const tg_inst *inst, tg_dtype dtype);

/* The word of what program number `program_index` stores, in memory of an output or elsewhere. */
uint32_t tg_stored_word(int64_t program_index, const tg_memory_shadow *memory, tg_step_trail *step,
                        uint32_t word);

#endif
