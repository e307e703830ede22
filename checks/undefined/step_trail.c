#include "checks/undefined/step_trail.h"

uint32_t tg_step_word(tg_step_trail *step, uint32_t word, unsigned bytes)
{
    const uint32_t trail = tg_word_trail(word);
    if (step->from != trail) {
        step->from = trail;
        step->to = tg_trails_op(&step->all->trails, trail, step->inst, step->op_number);
    }
    return tg_word(step->to, bytes);
}

uint32_t tg_origin_word(const tg_machine *m, tg_trail_kind kind, const tg_access_plan *a,
                        const tg_inst *inst, tg_dtype dtype)
{
    const uint32_t param = kind == TG_TRAIL_OUTSIDE ? a->root : UINT32_MAX;
    if (tg_shadow_of(m)->all->kind != TG_SHADOW_UNDEFINED) return 0;
    return tg_word(tg_trails_origin(&tg_shadow_of(m)->all->trails, kind, param, inst),
                   tg_all_bytes(dtype));
}

uint32_t tg_stored_word(int64_t program_index, const tg_memory_shadow *memory, tg_step_trail *step,
                        uint32_t word)
{
    if (!word || !memory->is_kept) return word ? tg_step_word(step, word, tg_word_bytes(word)) : 0;
    const uint32_t trail = tg_word_trail(word);
    if (step->from != trail) {
        step->from = trail;
        step->to = tg_trails_kept(&step->all->trails, trail, step->inst, program_index);
    }
    return tg_word(step->to, tg_word_bytes(word));
}
