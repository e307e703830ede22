/* Logic on predicates; compiled once. */
#include "emulator/lanes.h"

/* Predicates are masks, so a form handles all lanes at once. */
#define PREDICATE(id, expr)                                                                        \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        const uint32_t a = *(const uint32_t *)tg_emu_at(exec, &inst->in[0]);                       \
        const uint32_t b =                                                                         \
            inst->in_count > 1 ? *(const uint32_t *)tg_emu_at(exec, &inst->in[1]) : 0;             \
        uint32_t *d = tg_emu_at(exec, &inst->out[0]);                                              \
        (void)b;                                                                                   \
        *d = (*d & ~mask) | ((expr)&mask);                                                         \
        return TG_EMU_ON;                                                                          \
    }
PREDICATE(and_pred, a &b)
PREDICATE(or_pred, a | b)
PREDICATE(xor_pred, a ^ b)
PREDICATE(not_pred, ~a)
PREDICATE(mov_pred, a)

static const tg_emu_form predicates[] = {
    {"and.pred", and_pred, 0, {TG_EMU_PRED, TG_EMU_PRED, TG_EMU_PRED}},
    {"or.pred", or_pred, 0, {TG_EMU_PRED, TG_EMU_PRED, TG_EMU_PRED}},
    {"xor.pred", xor_pred, 0, {TG_EMU_PRED, TG_EMU_PRED, TG_EMU_PRED}},
    {"not.pred", not_pred, 0, {TG_EMU_PRED, TG_EMU_PRED}},
    {"mov.pred", mov_pred, 0, {TG_EMU_PRED, TG_EMU_PRED}},
};

tg_emu_form_list tg_emu_forms_predicate(void)
{
    return (tg_emu_form_list){predicates, sizeof predicates / sizeof *predicates};
}
