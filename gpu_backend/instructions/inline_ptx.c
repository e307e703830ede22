/* PTX text that stands in an op: once in the loop over its instances. */
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/text/writer.h"
#include "inline_ptx/body.h"
#include "ir/type.h"

typedef struct emission {
    tg_ptx_emitter *em;
    const tg_inline_ptx *ptx;
    const tg_operand *first; /* the first result, for the shape of all */
    tg_ptx_reg instance;
} emission;

/* The index of element `i` of the instance; `index` is zeroed. */
static void index_of(const emission *e, uint32_t i, tg_ptx_reg *index)
{
    tg_ptx_writer *w = &e->em->w;
    const tg_ptx_reg at = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mad.lo.u32 %s, %s, %" PRIu32 ", %" PRIu32 ";", at.name, e->instance.name,
               e->ptx->packed, i);
    tg_ptx_unravel(e->em, at, e->first->rank, e->first->shape, index);
}

/* The bits of an element, with zeros above them. */
static tg_ptx_reg plain_bits(const emission *e, const tg_operand *o, uint32_t i)
{
    tg_ptx_writer *w = &e->em->w;
    tg_ptx_reg index[TG_MAX_RANK] = {{{0}, 0}};
    index_of(e, i, index);
    const tg_ptx_reg bits = tg_ptx_to_memory(w, o->dtype, tg_ptx_load(e->em, o, index));
    if (tg_dtypes[o->dtype].bits >= 32) return bits;
    const tg_ptx_reg plain = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "and.b32 %s, %s, %u;", plain.name, bits.name,
               (1U << tg_dtypes[o->dtype].bits) - 1);
    return plain;
}

/* Sets register `number` of the text from bits of the class B32 or B64. */
static void set_register(const emission *e, uint32_t number, tg_ptx_reg bits)
{
    tg_ptx_writer *w = &e->em->w;
    const unsigned width = e->ptx->registers[number].bits, has = bits.class == TG_PTX_B64 ? 64 : 32;
    if (width == has)
        tg_ptx_row(w, "mov.b%u $%" PRIu32 ", %s;", width, number, bits.name);
    else
        tg_ptx_row(w, "cvt.u%u.u%u $%" PRIu32 ", %s;", width, has, number, bits.name);
}

/* The same, from the register to new bits for an element of the dtype. */
static tg_ptx_reg get_register(const emission *e, uint32_t number, tg_dtype dtype)
{
    tg_ptx_writer *w = &e->em->w;
    const unsigned width = e->ptx->registers[number].bits,
                   wants = tg_dtypes[dtype].bytes == 8 ? 64 : 32;
    const tg_ptx_reg bits = tg_ptx_new(w, wants == 64 ? TG_PTX_B64 : TG_PTX_B32);
    if (width == wants)
        tg_ptx_row(w, "mov.b%u %s, $%" PRIu32 ";", width, bits.name, number);
    else
        tg_ptx_row(w, "cvt.u%u.u%u %s, $%" PRIu32 ";", wants, width, bits.name, number);
    return bits;
}

static void put_operand(const emission *e, const tg_operand *o, const tg_inline_ptx_value *value)
{
    tg_ptx_writer *w = &e->em->w;
    for (uint32_t r = 0; r < value->count; r++) {
        tg_ptx_reg all = plain_bits(e, o, r * value->each);
        for (uint32_t i = 1; i < value->each; i++) {
            const tg_ptx_reg next = plain_bits(e, o, r * value->each + i);
            const tg_ptx_reg moved = tg_ptx_new(w, TG_PTX_B32), both = tg_ptx_new(w, TG_PTX_B32);
            tg_ptx_row(w, "shl.b32 %s, %s, %u;", moved.name, next.name,
                       i * (uint32_t)tg_dtypes[o->dtype].bits);
            tg_ptx_row(w, "or.b32 %s, %s, %s;", both.name, all.name, moved.name);
            all = both;
        }
        set_register(e, value->first + r, all);
    }
}

static void take_result(const emission *e, const tg_operand *o, const tg_inline_ptx_value *value)
{
    tg_ptx_writer *w = &e->em->w;
    const unsigned bits = (unsigned)tg_dtypes[o->dtype].bits;
    for (uint32_t i = 0; i < e->ptx->packed; i++) {
        tg_ptx_reg held = get_register(e, value->first + i / value->each, o->dtype);
        if (bits < 32) {
            tg_ptx_row(w, "shr.u32 %s, %s, %u;", held.name, held.name, i % value->each * bits);
            tg_ptx_row(w, "and.b32 %s, %s, %u;", held.name, held.name, (1U << bits) - 1);
        }
        tg_ptx_reg index[TG_MAX_RANK] = {{{0}, 0}};
        index_of(e, i, index);
        tg_ptx_store(e->em, o, index, tg_ptx_from_memory(w, o->dtype, held));
    }
}

void tg_ptx_inst_inline_ptx(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_inline_ptx *i = inst->as.inline_ptx;
    emission e = {.em = em, .ptx = i->ptx, .first = &i->out[0]};
    const int64_t count = tg_ptx_count(&i->out[0]);
    if (count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count / e.ptx->packed);
    e.instance = loop.element;
    tg_ptx_row(&em->w, "{");
    tg_inline_ptx_declare(e.ptx, &em->w.text);
    for (uint32_t v = 0; v < i->in_count; v++)
        put_operand(&e, &i->in[v], &e.ptx->values[e.ptx->out_count + v]);
    tg_inline_ptx_put(e.ptx, &em->w.text);
    for (uint32_t v = 0; v < i->out_count; v++) take_result(&e, &i->out[v], &e.ptx->values[v]);
    tg_ptx_row(&em->w, "}");
    tg_ptx_loop_end(em, &loop);
}
