#include "interp/state/operand.h"

tg_view tg_operand_view(const tg_machine *m, const tg_operand *o)
{
    const int64_t *stride = o->stride[m->storage[o->slot]];
    tg_view view; /* elements beyond its rank are never read; to initialise all would cost time */
    view.data = tg_operand_at(m, o);
    view.rank = o->rank;
    for (int d = 0; d < o->rank; d++) {
        view.shape[d] = o->shape[d];
        view.stride[d] = stride[d];
    }
    return view;
}

int64_t tg_operand_int(const tg_machine *m, const tg_operand *o)
{
    const void *at = tg_operand_at(m, o);
    switch (tg_carrier_of(o->dtype)) {
    case TG_C_b8:
    case TG_C_u8: return *(const uint8_t *)at;
    case TG_C_i8: return *(const int8_t *)at;
    case TG_C_i16: return *(const int16_t *)at;
    case TG_C_u16: return *(const uint16_t *)at;
    case TG_C_i32: return *(const int32_t *)at;
    case TG_C_u32: return *(const uint32_t *)at;
    case TG_C_u64:
        return *(const uint64_t *)at > INT64_MAX ? INT64_MAX : (int64_t) * (const uint64_t *)at;
    default: return *(const int64_t *)at;
    }
}

void tg_operand_set_int(const tg_machine *m, const tg_operand *o, int64_t value)
{
    void *at = tg_operand_at(m, o);
    switch (tg_carrier_bytes[tg_carrier_of(o->dtype)]) {
    case 1: *(int8_t *)at = (int8_t)value; return;
    case 2: *(int16_t *)at = (int16_t)value; return;
    case 4: *(int32_t *)at = (int32_t)value; return;
    default: *(int64_t *)at = value; return;
    }
}
