/* Integer forms, lane by lane. */
#include "emulator/isa_impl.h"
#include "emulator/trapping.h"

static inline uint16_t mul_hi_u16_of(uint16_t a, uint16_t b)
{
    return (uint16_t)(1u * a * b >> 16);
}
static inline int16_t mul_hi_s16_of(int16_t a, int16_t b) { return (int16_t)((a * b) >> 16); }
static inline uint32_t mul_hi_u32_of(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
static inline int32_t mul_hi_s32_of(int32_t a, int32_t b)
{
    return (int32_t)((int64_t)a * b >> 32);
}
static inline uint64_t mul_hi_u64_of(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline int64_t mul_hi_s64_of(int64_t a, int64_t b)
{
    return (int64_t)((__int128)a * b >> 64);
}

static inline int32_t saturate_s32(int64_t a)
{
    return (int32_t)(a < INT32_MIN ? INT32_MIN : a > INT32_MAX ? INT32_MAX : a);
}
static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t greatest(int32_t a, int32_t b) { return a > b ? a : b; }
static inline int32_t relu(int32_t a) { return a < 0 ? 0 : a; }
static inline uint32_t pair(int32_t low, int32_t high)
{
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

static inline uint32_t count_bits(uint32_t a)
{
    a = a - (a >> 1 & 0x55555555);
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101 >> 24;
}

static inline uint32_t spread_down(uint32_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    return a | a >> 16;
}

static inline uint32_t any_of_three(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

/* The index of the highest set bit; -1 as unsigned if there is none. */
static inline uint32_t highest_bit(uint32_t a) { return count_bits(spread_down(a)) - 1; }
static inline uint32_t highest_bit64(uint64_t a)
{
    uint32_t high = (uint32_t)(a >> 32);
    return high ? 32 + highest_bit(high) : highest_bit((uint32_t)a);
}
static inline uint32_t shift_amount(uint32_t bit, uint32_t top)
{
    return bit == UINT32_MAX ? bit : top - bit;
}

static inline uint32_t reverse_bits(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
    return a >> 16 | a << 16;
}

static inline uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* `length` bits of a, from bit `place` on.  Bits beyond the width are copies of the sign, and so
 * are bits above the field; the sign is 0 if unsigned, else the field's highest bit within the
 * width, or bit width-1. */
static inline uint64_t extract(uint64_t a, uint32_t place, uint32_t length, uint32_t width,
                               bool is_signed)
{
    if (length == 0) return 0;
    uint32_t top = place + length - 1 < width - 1 ? place + length - 1 : width - 1;
    bool sign = is_signed && (a >> top & 1);
    uint64_t field = place < width ? (a & low_bits(width)) >> place : 0;
    uint32_t have = place < width ? (length < width - place ? length : width - place) : 0;
    return (field & low_bits(have)) | (sign ? ~low_bits(have) : 0);
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t place, uint32_t length,
                              uint32_t width)
{
    if (place >= width) return b;
    uint64_t mask = low_bits(length) << place;
    return (b & ~mask) | (a << place & mask);
}

static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t select = selector >> 4 * k;
        uint32_t byte = (uint32_t)(bytes >> 8 * (select & 7)) & 255;
        if (select & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * k;
    }
    return result;
}

static inline uint64_t funnel(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

static tg_emu_step division_by_zero(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t lanes)
{
    return tg_emu_trap_at(exec, inst, lanes, TG_EMU_TRAP_DIVISION_BY_ZERO, "the divisor is 0");
}

#define FORM1(id, name, D, A, expr) TG_EMU_HANDLER1(id, D, A, expr)
#define FORM2(id, name, D, A, B, expr) TG_EMU_HANDLER2(id, D, A, B, expr)
#define FORM3(id, name, D, A, B, C, expr) TG_EMU_HANDLER3(id, D, A, B, C, expr)
#define FORM4(id, name, D, A, B, C, E, expr) TG_EMU_HANDLER4(id, D, A, B, C, E, expr)
#define FORM_DIV2(id, name, D, A, B, expr)                                                         \
    TG_EMU_HANDLER2(id##_defined, D, A, B, expr)                                                   \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(1, B, bs)                                                                   \
        uint32_t zero = 0;                                                                         \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) zero |= (uint32_t)(bs[i] == 0) << i;           \
        return zero & mask ? division_by_zero(exec, inst, zero & mask)                             \
                           : id##_defined(exec, inst, mask);                                       \
    }

/* Sets the carries of the lanes of the mask. */
static void put_carries(const tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                        uint32_t carries)
{
    uint32_t *flag = tg_emu_at(exec, &inst->out[1]);
    *flag = (*flag & ~mask) | (carries & mask);
}

/* The flag is the last operand and the second result: a mask of lanes. */
#define FORM_CARRY(id, name, W, has, result, leaves)                                               \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, U##W, as)                                                                \
        TG_EMU_OPERAND(1, U##W, bs)                                                                \
        const uint32_t in =                                                                        \
            (has)&TG_EMU_CARRY_IN ? *(const uint32_t *)tg_emu_at(exec, &inst->in[2]) : 0;          \
        uint32_t carries = 0;                                                                      \
        uint##W##_t t[TG_EMU_LANES];                                                               \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                              \
            const uint##W##_t a = as[i], b = bs[i], carry = in >> i & 1, sum = result;             \
            t[i] = sum;                                                                            \
            carries |= (uint32_t)(leaves) << i;                                                    \
            (void)carry;                                                                           \
        }                                                                                          \
        put_lanes(tg_emu_at(exec, &inst->out[0]), t, sizeof t[0], mask);                           \
        if ((has)&TG_EMU_CARRY_OUT) put_carries(exec, inst, mask, carries);                        \
        return TG_EMU_ON;                                                                          \
    }
/* The same with a product: a part of it is `product`, to which the third operand is added. */
#define FORM_CARRY3(id, name, W, has, product)                                                     \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, U##W, as)                                                                \
        TG_EMU_OPERAND(1, U##W, bs)                                                                \
        TG_EMU_OPERAND(2, U##W, cs)                                                                \
        const uint32_t in =                                                                        \
            (has)&TG_EMU_CARRY_IN ? *(const uint32_t *)tg_emu_at(exec, &inst->in[3]) : 0;          \
        uint32_t carries = 0;                                                                      \
        uint##W##_t t[TG_EMU_LANES];                                                               \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                              \
            const uint##W##_t a = as[i], b = bs[i], carry = in >> i & 1;                           \
            t[i] = (product) + cs[i] + carry;                                                      \
            carries |= (uint32_t)(t[i] < cs[i] || (carry && t[i] == cs[i])) << i;                  \
        }                                                                                          \
        put_lanes(tg_emu_at(exec, &inst->out[0]), t, sizeof t[0], mask);                           \
        if ((has)&TG_EMU_CARRY_OUT) put_carries(exec, inst, mask, carries);                        \
        return TG_EMU_ON;                                                                          \
    }
#include "emulator/forms_int.def"

#define FORM1(id, name, D, A, expr) {name, id, 0, {TG_EMU_##D, TG_EMU_##A}},
#define FORM2(id, name, D, A, B, expr) {name, id, 0, {TG_EMU_##D, TG_EMU_##A, TG_EMU_##B}},
#define FORM3(id, name, D, A, B, C, expr)                                                          \
    {name, id, 0, {TG_EMU_##D, TG_EMU_##A, TG_EMU_##B, TG_EMU_##C}},
#define FORM4(id, name, D, A, B, C, E, expr)                                                       \
    {name, id, 0, {TG_EMU_##D, TG_EMU_##A, TG_EMU_##B, TG_EMU_##C, TG_EMU_##E}},
#define FORM_DIV2(id, name, D, A, B, expr) FORM2(id, name, D, A, B, expr)
#define FORM_CARRY(id, name, W, has, result, leaves)                                               \
    {name, id, has, {TG_EMU_B##W, TG_EMU_B##W, TG_EMU_B##W}},
#define FORM_CARRY3(id, name, W, has, product)                                                     \
    {name, id, has, {TG_EMU_B##W, TG_EMU_B##W, TG_EMU_B##W, TG_EMU_B##W}},
static const tg_emu_form forms[] = {
#include "emulator/forms_int.def"
};

tg_emu_form_list TG_EMU_ISA_NAME(tg_emu_forms_int)(void)
{
    return (tg_emu_form_list){forms, sizeof forms / sizeof *forms};
}
