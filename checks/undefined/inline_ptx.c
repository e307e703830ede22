#include "checks/undefined/inline_ptx.h"

#include <string.h>

#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/state/index_walk.h"

/* Notes the first undefined operand of each instance. */
static void look_at_operand(const tg_machine *m, const tg_operand *o, uint32_t packed,
                            uint32_t *instances)
{
    if (!tg_shadow_of(m)->is_flagged[o->slot]) return;
    const tg_view view = tg_shadow_view(tg_shadow_of(m), o);
    tg_index_walk walk;
    int64_t element = 0;
    if (!tg_index_begin(&walk, view.rank, view.shape)) return;
    do {
        const uint32_t word = ((const uint32_t *)view.data)[tg_index_offset(&walk, view.stride)];
        uint32_t *first = &instances[element++ / packed];
        if (!*first) *first = word;
    } while (tg_index_next(&walk));
}

void tg_shadow_inline_ptx(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_inline_ptx *i = inst->as.inline_ptx;
    int64_t elements = 1;
    for (int d = 0; d < i->out[0].rank; d++) elements *= i->out[0].shape[d];
    const size_t count = (size_t)elements / i->ptx->packed;
    uint32_t *instances = tg_shadow_room(tg_shadow_of(m), (count + 1) * sizeof *instances);
    if (!instances) return;
    memset(instances, 0, count * sizeof *instances);
    for (uint32_t v = 0; v < i->in_count; v++)
        look_at_operand(m, &i->in[v], i->ptx->packed, instances);
    tg_step_trail step = tg_step_of(m, inst, 0);
    for (uint32_t v = 0; v < i->out_count; v++) {
        uint32_t *out = tg_shadow_open(tg_shadow_of(m), &i->out[v]);
        if (!out) return;
        for (int64_t e = 0; e < elements; e++) {
            const uint32_t word = instances[e / i->ptx->packed];
            out[e] = word ? tg_step_word(&step, word, tg_all_bytes(i->out[v].dtype)) : 0;
        }
        tg_shadow_close(tg_shadow_of(m), &i->out[v]);
    }
}
