#include "gpu_backend/emit/memory.h"

#include <inttypes.h>

const char *tg_ptx_space_name(tg_ptx_space space)
{
    static const char *const names[] = {[TG_PTX_SHARED] = "shared",
                                        [TG_PTX_CLUSTER] = "shared::cluster",
                                        [TG_PTX_GLOBAL] = "global"};
    return names[space];
}

const char *tg_ptx_carrier_type(tg_dtype dtype)
{
    static const char *const types[TG_C_COUNT] = {
        [TG_C_b8] = "u8",   [TG_C_i8] = "s8",   [TG_C_i16] = "s16", [TG_C_i32] = "s32",
        [TG_C_i64] = "s64", [TG_C_u8] = "u8",   [TG_C_u16] = "u16", [TG_C_u32] = "u32",
        [TG_C_u64] = "u64", [TG_C_f32] = "f32", [TG_C_f64] = "f64",
    };
    return types[tg_carrier_of(dtype)];
}

tg_ptx_reg tg_ptx_load_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                               tg_ptx_reg address, int64_t displacement)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, tg_ptx_class_of(dtype));
    tg_ptx_row(&em->w, "ld.%s.%s %s, [%s+%" PRId64 "];", tg_ptx_space_name(space),
               tg_ptx_carrier_type(dtype), r.name, address.name, displacement);
    return r;
}

void tg_ptx_store_carrier(tg_ptx_emitter *em, tg_ptx_space space, tg_dtype dtype,
                          tg_ptx_reg address, int64_t displacement, tg_ptx_reg value)
{
    tg_ptx_row(&em->w, "st.%s.%s [%s+%" PRId64 "], %s;", tg_ptx_space_name(space),
               tg_ptx_carrier_type(dtype), address.name, displacement, value.name);
}

const char *tg_ptx_bits_type(int bytes)
{
    static const char *const types[9] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    return types[bytes];
}

void tg_ptx_store_bits(tg_ptx_emitter *em, tg_ptx_space space, int bytes, tg_ptx_reg address,
                       tg_ptx_reg bits)
{
    tg_ptx_row(&em->w, "st.%s.%s [%s], %s;", tg_ptx_space_name(space), tg_ptx_bits_type(bytes),
               address.name, bits.name);
}
