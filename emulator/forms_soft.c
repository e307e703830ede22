/* Float forms that the CPU does not have, and imitations of approximations; compiled once. */
#include <math.h>

#include "emulator/canonical.h"
#include "emulator/lanes.h"
#include "emulator/order.h"
#include "emulator/soft.h"

#define SOFT(id, T, expr)                                                                          \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        const unsigned bytes = sizeof(tg_emu_c_##T);                                               \
        unsigned char t[TG_EMU_LANES * sizeof(uint64_t)] = {0};                                    \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                              \
            if (!(mask >> i & 1)) continue;                                                        \
            uint64_t result = expr;                                                                \
            memcpy(t + (size_t)i * bytes, &result, bytes);                                         \
        }                                                                                          \
        put_lanes(tg_emu_at(exec, &inst->out[0]), t, bytes, mask);                                 \
        return TG_EMU_ON;                                                                          \
    }
#define LANE(number) tg_emu_lane_bits(tg_emu_at(exec, &inst->in[number]), bytes, i)
#define SOFT1(id, name, T, op, format, rounding)                                                   \
    SOFT(id, T, tg_emu_soft_##op(&format, rounding, LANE(0)))
#define SOFT2(id, name, T, op, format, rounding)                                                   \
    SOFT(id, T, tg_emu_soft_##op(&format, rounding, LANE(0), LANE(1)))
#define SOFT3(id, name, T, op, format, rounding)                                                   \
    SOFT(id, T, tg_emu_soft_##op(&format, rounding, LANE(0), LANE(1), LANE(2)))

static float named_F32(double value) { return canonical_f32((float)value); }
static double named_F64(double value) { return canonical_f64(value); }

/* Without its low 32 bits; a subnormal number is zero. */
static double upper_half(double value)
{
    const uint64_t bits = bits_of_f64(value) & ~(uint64_t)UINT32_MAX;
    return bits & UINT64_C(0x7ff0000000000000) ? f64_of_bits(bits)
                                               : f64_of_bits(bits & UINT64_C(1) << 63);
}

/* The value plus a pseudo-random error, at most the greater of the two bounds.  It differs for each
 * lane, each warp and each instruction that a thread executes. */
static double moved(const tg_emu_exec *exec, double value, double relative, double absolute,
                    unsigned lane)
{
    const double most = fmax(relative * fabs(value), absolute);
    uint64_t state = exec->launch->seed + 64 * exec->result->warp_instructions + lane;
    const bool stays = exec->launch->seed == 0 || exec->launch->is_nearest;
    if (stays || most == 0 || !isfinite(value)) return value;
    return value + most * (ldexp((double)(tg_emu_random(&state) >> 11), -52) - 1);
}
#define APPROX1(id, name, T, relative, absolute, expr)                                             \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, T, as)                                                                   \
        TG_EMU_LANE(T, const double a = (double)as[i];                                             \
                    t[i] = named_##T(moved(exec, expr, relative, absolute, i));)                   \
    }
#define APPROX2(id, name, T, relative, absolute, expr)                                             \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, T, as)                                                                   \
        TG_EMU_OPERAND(1, T, bs)                                                                   \
        TG_EMU_LANE(T, const double a = (double)as[i]; const double b = (double)bs[i];             \
                    t[i] = named_##T(moved(exec, expr, relative, absolute, i));)                   \
    }
#include "emulator/forms_soft.def"

#define SOFT1(id, name, T, op, format, rounding) {name, id, 0, {TG_EMU_##T, TG_EMU_##T}},
#define SOFT2(id, name, T, op, format, rounding)                                                   \
    {name, id, 0, {TG_EMU_##T, TG_EMU_##T, TG_EMU_##T}},
#define SOFT3(id, name, T, op, format, rounding)                                                   \
    {name, id, 0, {TG_EMU_##T, TG_EMU_##T, TG_EMU_##T, TG_EMU_##T}},
#define APPROX1(id, name, T, relative, absolute, expr)                                             \
    {name, id, TG_EMU_INEXACT, {TG_EMU_##T, TG_EMU_##T}},
#define APPROX2(id, name, T, relative, absolute, expr)                                             \
    {name, id, TG_EMU_INEXACT, {TG_EMU_##T, TG_EMU_##T, TG_EMU_##T}},
static const tg_emu_form forms[] = {
#include "emulator/forms_soft.def"
};

tg_emu_form_list tg_emu_forms_soft(void)
{
    return (tg_emu_form_list){forms, sizeof forms / sizeof *forms};
}
