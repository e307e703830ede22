#include "gpu_backend/instructions/parity.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/uniform.h"
#include "ir/ir.h"
#include "ir/type.h"

enum { BITS = 64, WORD = 8 };

/* ---- where they are ---- */

static bool is_barrier(const tg_param *param)
{
    return param->role == TG_ROLE_SCRATCH && param->array.dtype == TG_DT_barrier;
}

static int64_t words_of(const tg_ptx_emitter *em, const tg_param *param)
{
    return is_barrier(param) ? (tg_ptx_part(em, param) + BITS - 1) / BITS : 0;
}

static bool waits_for_others(const tg_plan *plan)
{
    for (uint32_t i = 0; i < plan->body.count; i++)
        if (plan->body.list[i].kind == TG_I_BARRIER && plan->body.list[i].as.barrier->followers)
            return true;
    return false;
}

void tg_ptx_parity_place(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    bool in_memory = waits_for_others(em->plan);
    int64_t words = 0;
    for (uint32_t p = 0; p < k->param_count; p++) {
        in_memory |= words_of(em, &k->params[p]) > 1;
        words += words_of(em, &k->params[p]);
    }
    em->parity_bytes = in_memory ? (size_t)words * WORD : 0;
}

void tg_ptx_parity_find(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    if (em->parity_bytes == 0) {
        for (uint32_t p = 0; p < k->param_count; p++)
            if (is_barrier(&k->params[p])) em->parity[p] = tg_ptx_new(&em->w, TG_PTX_B64);
        return;
    }
    const tg_ptx_reg start = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", start.name);
    const tg_ptx_uniform all = tg_ptx_add(em, tg_ptx_held(start),
                                          tg_ptx_known((int64_t)em->parity_offset)),
                         team = em->teams > 1 ? tg_ptx_held(em->team) : tg_ptx_known(0);
    em->parity_base =
        tg_ptx_uniform_reg(em, tg_ptx_mul_add(em, team, (int64_t)em->parity_bytes, all));
}

/* Where the words of a param begin, in those of a team. */
static int64_t offset_of(const tg_ptx_emitter *em, uint32_t param)
{
    int64_t words = 0;
    for (uint32_t p = 0; p < param; p++) words += words_of(em, &em->plan->kernel->params[p]);
    return words * WORD;
}

void tg_ptx_parity_begin(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    if (em->parity_bytes == 0) {
        for (uint32_t p = 0; p < k->param_count; p++)
            if (is_barrier(&k->params[p])) tg_ptx_row(&em->w, "mov.b64 %s, 0;", em->parity[p].name);
        return;
    }
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    for (size_t at = 0; at < em->parity_bytes; at += WORD)
        tg_ptx_row(&em->w, "st.shared.u64 [%s+%zu], 0;", em->parity_base.name, at);
    tg_ptx_loop_end(em, &one);
}

/* ---- bits ---- */

/* The address of the word with a barrier's bit. */
static tg_ptx_reg word_of(tg_ptx_emitter *em, uint32_t param, tg_ptx_reg number)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg word = tg_ptx_new(w, TG_PTX_B32), at = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "shr.u32 %s, %s, 6;", word.name, number.name);
    tg_ptx_row(w, "mad.wide.u32 %s, %s, %d, %s;", at.name, word.name, WORD, em->parity_base.name);
    tg_ptx_row(w, "add.u64 %s, %s, %" PRId64 ";", at.name, at.name, offset_of(em, param));
    return at;
}

/* The number of the bit in its word. */
static tg_ptx_reg bit_of(tg_ptx_emitter *em, tg_ptx_reg number)
{
    const tg_ptx_reg bit = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "and.b32 %s, %s, %d;", bit.name, number.name, BITS - 1);
    return bit;
}

tg_ptx_reg tg_ptx_parity_of(tg_ptx_emitter *em, uint32_t param, tg_ptx_reg number)
{
    tg_ptx_writer *w = &em->w;
    tg_ptx_reg bits = em->parity[param];
    const tg_ptx_reg shifted = tg_ptx_new(w, TG_PTX_B64), parity = tg_ptx_new(w, TG_PTX_B32),
                     bit = bit_of(em, number);
    if (em->parity_bytes) {
        tg_ptx_barrier(em); /* behind the last turn */
        bits = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "ld.shared.u64 %s, [%s];", bits.name, word_of(em, param, number).name);
    }
    tg_ptx_row(w, "shr.u64 %s, %s, %s;", shifted.name, bits.name, bit.name);
    tg_ptx_row(w, "cvt.u32.u64 %s, %s;", parity.name, shifted.name);
    tg_ptx_row(w, "and.b32 %s, %s, 1;", parity.name, parity.name);
    return parity;
}

static tg_ptx_reg mask_of(tg_ptx_emitter *em, tg_ptx_reg number)
{
    const tg_ptx_reg one = tg_ptx_new(&em->w, TG_PTX_B64), bit = bit_of(em, number);
    tg_ptx_row(&em->w, "mov.b64 %s, 1;", one.name);
    tg_ptx_row(&em->w, "shl.b64 %s, %s, %s;", one.name, one.name, bit.name);
    return one;
}

/* Those of a follower, which there may be fewer of. */
static void turn_word(tg_ptx_emitter *em, tg_ptx_reg at, tg_ptx_reg mask, int64_t follower)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg bits = tg_ptx_new(w, TG_PTX_B64), exists = tg_ptx_new(w, TG_PTX_PRED);
    const int64_t far = follower * (int64_t)em->parity_bytes;
    if (em->teams > 1)
        tg_ptx_row(w, "setp.lt.s64 %s, %s, %" PRId64 ";", exists.name, em->team.name,
                   (int64_t)em->teams - follower);
    else
        tg_ptx_row(w, "setp.eq.u32 %s, 0, %" PRId64 ";", exists.name, follower);
    tg_ptx_row(w, "@%s ld.shared.u64 %s, [%s+%" PRId64 "];", exists.name, bits.name, at.name, far);
    tg_ptx_row(w, "@%s xor.b64 %s, %s, %s;", exists.name, bits.name, bits.name, mask.name);
    tg_ptx_row(w, "@%s st.shared.u64 [%s+%" PRId64 "], %s;", exists.name, at.name, far, bits.name);
}

void tg_ptx_parity_turn(tg_ptx_emitter *em, uint32_t param, tg_ptx_reg number, int64_t followers)
{
    const tg_ptx_reg mask = mask_of(em, number), bits = em->parity[param];
    if (em->parity_bytes == 0) {
        tg_ptx_row(&em->w, "xor.b64 %s, %s, %s;", bits.name, bits.name, mask.name);
        return;
    }
    const tg_ptx_reg at = word_of(em, param, number);
    tg_ptx_barrier(em); /* all have read it */
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    for (int64_t i = 0; i <= followers && i < em->teams; i++) turn_word(em, at, mask, i);
    tg_ptx_loop_end(em, &one);
}
