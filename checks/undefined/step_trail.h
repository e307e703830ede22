/* How an instruction extends the trails of its operands. */
#ifndef TG_CHECKS_UNDEFINED_STEP_TRAIL_H
#define TG_CHECKS_UNDEFINED_STEP_TRAIL_H

#include "checks/undefined/shadow.h"

/* How an op extends the trails of its operands.  Caches the last trail. */
typedef struct tg_step_trail {
    tg_undefined *all;
    const tg_inst *inst;
    uint32_t op_number, from, to;
} tg_step_trail;

static inline tg_step_trail tg_step_of(const tg_machine *m, const tg_inst *inst, uint32_t op_number)
{
    return (tg_step_trail){.all = tg_shadow_of(m)->all, .inst = inst, .op_number = op_number};
}

/* Returns a word with the trail of `word` extended by the op, and with these bytes undefined. */
uint32_t tg_step_word(tg_step_trail *step, uint32_t word, unsigned bytes);

/* Returns the word of an element whose origin is here; 0 if the shadow is not about undefined
 * values. */
uint32_t tg_origin_word(const tg_machine *m, tg_trail_kind kind, const tg_access_plan *a,
                        const tg_inst *inst, tg_dtype dtype);

/* Returns the word of an element that a program stores to `memory`.  `program_index` becomes part
 * of the trail if the memory belongs to an output. */
uint32_t tg_stored_word(int64_t program_index, const tg_memory_shadow *memory, tg_step_trail *step,
                        uint32_t word);

#endif
