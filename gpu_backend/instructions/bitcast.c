/* Reinterpreting bits as another dtype: a wider element takes several source elements, lowest bits
 * first; a narrower one takes part of one. */
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* The element of a dense operand with linear index `at`. */
static tg_ptx_reg load_flat(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_reg at)
{
    const int64_t count = tg_ptx_count(o), one = 1;
    return tg_ptx_load_strided(em, o, &(tg_ptx_strided){1, &count, &one}, &at);
}

/* The element's bits, zero-extended, in .b64. */
static tg_ptx_reg plain_bits(tg_ptx_emitter *em, tg_dtype dtype, tg_ptx_reg carrier)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg bits = tg_ptx_to_memory(w, dtype, carrier);
    if (bits.class == TG_PTX_B64) return bits;
    const tg_ptx_reg r = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "cvt.u64.u32 %s, %s;", r.name, bits.name);
    tg_ptx_row(w, "and.b64 %s, %s, %" PRIu64 ";", r.name, r.name,
               UINT64_MAX >> (64 - tg_dtypes[dtype].bits));
    return r;
}

/* The carrier for the low bits of a .b64. */
static tg_ptx_reg of_plain_bits(tg_ptx_emitter *em, tg_dtype dtype, tg_ptx_reg bits)
{
    tg_ptx_writer *w = &em->w;
    if (tg_dtypes[dtype].bytes == 8) return tg_ptx_from_memory(w, dtype, bits);
    const tg_ptx_reg r = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "cvt.u32.u64 %s, %s;", r.name, bits.name);
    tg_ptx_row(w, "and.b32 %s, %s, %" PRIu64 ";", r.name, r.name,
               UINT64_MAX >> (64 - tg_dtypes[dtype].bits));
    return tg_ptx_from_memory(w, dtype, r);
}

/* Part e mod `parts` of element e / parts. */
static tg_ptx_reg part_of(tg_ptx_emitter *em, const struct tg_inst_bitcast *cast, tg_ptx_reg e,
                          int parts)
{
    tg_ptx_writer *w = &em->w;
    const int shift = __builtin_ctz((unsigned)parts), bits = tg_dtypes[cast->out.dtype].bits;
    const tg_ptx_reg whole = tg_ptx_new(w, TG_PTX_B32), by = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "shr.u32 %s, %s, %d;", whole.name, e.name, shift);
    tg_ptx_row(w, "and.b32 %s, %s, %d;", by.name, e.name, parts - 1);
    tg_ptx_row(w, "mul.lo.u32 %s, %s, %d;", by.name, by.name, bits);
    const tg_ptx_reg all = plain_bits(em, cast->in.dtype, load_flat(em, &cast->in, whole)),
                     r = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "shr.u64 %s, %s, %s;", r.name, all.name, by.name);
    return r;
}

/* The bits of `parts` elements from e * parts on, the first lowest. */
static tg_ptx_reg joined(tg_ptx_emitter *em, const struct tg_inst_bitcast *cast, tg_ptx_reg e,
                         int parts)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg r = tg_ptx_new(w, TG_PTX_B64), at = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mov.b64 %s, 0;", r.name);
    tg_ptx_row(w, "mul.lo.u32 %s, %s, %d;", at.name, e.name, parts);
    for (int i = 0; i < parts; i++) {
        const tg_ptx_reg bits = plain_bits(em, cast->in.dtype, load_flat(em, &cast->in, at)),
                         moved = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "shl.b64 %s, %s, %d;", moved.name, bits.name,
                   i * tg_dtypes[cast->in.dtype].bits);
        tg_ptx_row(w, "or.b64 %s, %s, %s;", r.name, r.name, moved.name);
        if (i + 1 < parts) tg_ptx_row(w, "add.u32 %s, %s, 1;", at.name, at.name);
    }
    return r;
}

void tg_ptx_inst_bitcast(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_bitcast *cast = inst->as.bitcast;
    const int in = tg_dtypes[cast->in.dtype].bits, out = tg_dtypes[cast->out.dtype].bits;
    const int64_t count = tg_ptx_count(&cast->out), one = 1;
    if (count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    const tg_ptx_reg bits = in > out ? part_of(em, cast, loop.element, in / out)
                                     : joined(em, cast, loop.element, out / in);
    tg_ptx_store_strided(em, &cast->out, &(tg_ptx_strided){1, &count, &one}, &loop.element,
                         of_plain_bits(em, cast->out.dtype, bits));
    tg_ptx_loop_end(em, &loop);
}
