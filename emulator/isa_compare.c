/* Comparisons and selections, lane by lane. */
#include <float.h>

#include "emulator/half_bits.h"
#include "emulator/isa_impl.h"

static inline float number_of_f16(uint32_t a) { return f32_of_bits(f32_of_f16(a)); }
static inline float number_of_bf16(uint32_t a) { return f32_of_bits(a << 16); }

#define LEAST_F32 FLT_MIN
#define LEAST_F64 DBL_MIN

/* Converts 32 bytes of 0 and 1 to a mask. */
static inline uint32_t mask_of(const unsigned char *truths)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < TG_EMU_LANES; i += 8) {
        uint64_t eight;
        memcpy(&eight, truths + i, sizeof eight);
        mask |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return mask;
}

static inline void put_mask(tg_emu_exec *exec, const tg_emu_slot *slot, uint32_t value,
                            uint32_t mask)
{
    uint32_t *to = tg_emu_at(exec, slot);
    *to = (*to & ~mask) | (value & mask);
}

static inline uint32_t combine(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t value)
{
    if (inst->in_count < 3) return value;
    uint32_t with = *(const uint32_t *)tg_emu_at(exec, &inst->in[2]);
    if (inst->flags & TG_EMU_COMPARE_NOT) with = ~with;
    switch (inst->flags & TG_EMU_COMPARE_WITH) {
    case TG_EMU_COMPARE_AND: return value & with;
    case TG_EMU_COMPARE_OR: return value | with;
    default: return value ^ with;
    }
}

/* Stores the comparison, and its opposite in the second result if there is one, each combined with
 * the third operand. */
static tg_emu_step put_compared(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t value,
                                uint32_t mask)
{
    uint32_t first = combine(exec, inst, value), second = combine(exec, inst, ~value);
    put_mask(exec, &inst->out[0], first, mask);
    if (inst->out_count == 2) put_mask(exec, &inst->out[1], second, mask);
    return TG_EMU_ON;
}

#define COMPARE(id, name, A, expr)                                                                 \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        TG_EMU_OPERAND(1, A, bs)                                                                   \
        unsigned char t[TG_EMU_LANES];                                                             \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                              \
            const tg_emu_c_##A a = as[i], b = bs[i];                                               \
            t[i] = (unsigned char)(expr);                                                          \
        }                                                                                          \
        return put_compared(exec, inst, mask_of(t), mask);                                         \
    }
#define TEST(id, name, A, expr)                                                                    \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        unsigned char t[TG_EMU_LANES];                                                             \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                              \
            const tg_emu_c_##A a = as[i];                                                          \
            t[i] = (unsigned char)(expr);                                                          \
        }                                                                                          \
        put_mask(exec, &inst->out[0], mask_of(t), mask);                                           \
        return TG_EMU_ON;                                                                          \
    }
#define SELECT(id, name, T)                                                                        \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, T, as)                                                                   \
        TG_EMU_OPERAND(1, T, bs)                                                                   \
        const uint32_t truth = *(const uint32_t *)tg_emu_at(exec, &inst->in[2]);                   \
        TG_EMU_LANE(T, t[i] = truth >> i & 1 ? as[i] : bs[i];)                                     \
    }
#define CHOOSE(id, name, T, C, expr)                                                               \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, T, as)                                                                   \
        TG_EMU_OPERAND(1, T, bs)                                                                   \
        TG_EMU_OPERAND(2, C, cs)                                                                   \
        TG_EMU_LANE(T, const tg_emu_c_##C c = cs[i]; t[i] = (expr) ? as[i] : bs[i];)               \
    }
#include "emulator/forms_compare.def"

#define COMPARE(id, name, A, expr) {name, id, 0, {TG_EMU_PRED, TG_EMU_##A, TG_EMU_##A}},
#define TEST(id, name, A, expr) {name, id, 0, {TG_EMU_PRED, TG_EMU_##A}},
#define SELECT(id, name, T) {name, id, 0, {TG_EMU_##T, TG_EMU_##T, TG_EMU_##T, TG_EMU_PRED}},
#define CHOOSE(id, name, T, C, expr)                                                               \
    {name, id, 0, {TG_EMU_##T, TG_EMU_##T, TG_EMU_##T, TG_EMU_##C}},
static const tg_emu_form forms[] = {
#include "emulator/forms_compare.def"
};

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_compare)(void)
{
    return (tg_emu_form_list){forms, sizeof forms / sizeof *forms};
}
