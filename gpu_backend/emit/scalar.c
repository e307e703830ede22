#include "gpu_backend/emit/scalar.h"

#include <stdbool.h>
#include <string.h>

#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

static int64_t constant_scalar(const tg_slot *slot, int64_t offset)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(slot->dtype)];
    const bool is_signed = tg_is_signed(slot->dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)slot->data + offset * (int64_t)bytes, bytes);
    const unsigned spare = 64 - 8 * (unsigned)bytes;
    return is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

tg_ptx_uniform tg_ptx_scalar_bits(tg_ptx_emitter *em, const tg_operand *o)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    if (slot->kind == TG_SLOT_CONSTANT)
        return tg_ptx_known(constant_scalar(slot, slot->count == 1 ? 0 : o->offset[0]));
    tg_ptx_reg carrier = tg_ptx_load(em, o, NULL);
    if (carrier.class == TG_PTX_B64) return tg_ptx_held(carrier);
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvt.%s %s, %s;", tg_is_signed(o->dtype) ? "s64.s32" : "u64.u32", r.name,
               carrier.name);
    return tg_ptx_held(r);
}

tg_ptx_uniform tg_ptx_scalar(tg_ptx_emitter *em, const tg_operand *o)
{
    const tg_ptx_uniform v = tg_ptx_scalar_bits(em, o);
    if (tg_carrier_of(o->dtype) != TG_C_u64) return v;
    if (v.is_known) return v.known < 0 ? tg_ptx_known(INT64_MAX) : v;
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "min.u64 %s, %s, 0x7fffffffffffffff;", r.name, v.reg.name);
    return tg_ptx_held(r);
}

void tg_ptx_set_scalar(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_uniform v)
{
    tg_ptx_reg wide = tg_ptx_uniform_reg(em, v), carrier = wide;
    if (tg_ptx_class_of(o->dtype) == TG_PTX_B32) {
        carrier = tg_ptx_new(&em->w, TG_PTX_B32);
        tg_ptx_row(&em->w, "cvt.u32.u64 %s, %s;", carrier.name, wide.name);
    }
    tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_store(em, o, NULL, carrier);
    tg_ptx_loop_end(em, &one);
}

tg_ptx_uniform tg_ptx_bounded(tg_ptx_emitter *em, tg_ptx_uniform v, int64_t most)
{
    return tg_ptx_within(em, v, tg_ptx_known(-most), tg_ptx_known(most));
}

tg_ptx_uniform tg_ptx_bounded_scalar(tg_ptx_emitter *em, const tg_operand *o)
{
    enum { FAR_AWAY = 60 };
    const tg_ptx_uniform at = tg_ptx_scalar(em, o);
    return tg_dtypes[o->dtype].bits < 64 ? at : tg_ptx_bounded(em, at, (int64_t)1 << FAR_AWAY);
}

tg_ptx_uniform tg_ptx_position(tg_ptx_emitter *em, const tg_access_dim *dim)
{
    return dim->has_operand ? tg_ptx_bounded_scalar(em, &dim->operand) : tg_ptx_known(dim->start);
}
