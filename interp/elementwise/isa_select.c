/* The op select: copies elements by their size, whatever their dtype. */
#include "interp/elementwise/elementwise_impl.h"

/* Element i of a source: the element itself or, of a splat, the only one. */
#define LANE(k, at) ((splat >> (k)&1) != 0 ? 0 : (at))

#define SELECT(name, U)                                                                            \
    /* Operands (which, case 0, case 1); `which` is b8. */                                         \
    static void name##_bool(LANES_ARGS)                                                            \
    {                                                                                              \
        U *const r = dst;                                                                          \
        const uint8_t *const which = src[0];                                                       \
        const U *const no = src[1], *const yes = src[2];                                           \
        (void)imm;                                                                                 \
        if (count == 0) return;                                                                    \
        const U no0 = no[0], yes0 = yes[0];                                                        \
        if (count == 1) {                                                                          \
            r[0] = which[0] ? yes0 : no0;                                                          \
        } else if (splat & 1) {                                                                    \
            const U *const one = which[0] ? yes : no;                                              \
            const unsigned is_splat = splat >> (which[0] ? 2 : 1) & 1;                             \
            const U all = one[0];                                                                  \
            if (is_splat)                                                                          \
                LANES_EACH(i, count) r[i] = all;                                                   \
            else                                                                                   \
                memmove(r, one, count * sizeof(U));                                                \
        } else if ((splat & 6) == 0) {                                                             \
            LANES_EACH(i, count)                                                                   \
            {                                                                                      \
                const U n = no[i], y = yes[i];                                                     \
                r[i] = which[i] ? y : n;                                                           \
            }                                                                                      \
        } else if ((splat & 6) == 2) {                                                             \
            LANES_EACH(i, count)                                                                   \
            {                                                                                      \
                const U y = yes[i];                                                                \
                r[i] = which[i] ? y : no0;                                                         \
            }                                                                                      \
        } else if ((splat & 6) == 4) {                                                             \
            LANES_EACH(i, count)                                                                   \
            {                                                                                      \
                const U n = no[i];                                                                 \
                r[i] = which[i] ? yes0 : n;                                                        \
            }                                                                                      \
        } else {                                                                                   \
            LANES_EACH(i, count) r[i] = which[i] ? yes0 : no0;                                     \
        }                                                                                          \
    }                                                                                              \
    /* Operands (which, case 0, ..., case imm - 1); `which` is i32; outside, the nearest case. */  \
    static void name##_index(LANES_ARGS)                                                           \
    {                                                                                              \
        U *const r = dst;                                                                          \
        const int32_t *const which = src[0];                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            const int64_t asked = which[LANE(0, i)], last = imm - 1;                               \
            const int64_t chosen = asked < 0 ? 0 : asked > last ? last : asked;                    \
            const U *const one = src[1 + chosen];                                                  \
            r[i] = one[chosen + 1 < 32 ? LANE(chosen + 1, i) : i];                                 \
        }                                                                                          \
    }

SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_select_bool)[4] = {
    select_1_bool, select_2_bool, select_4_bool, select_8_bool};
tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_select_index)[4] = {
    select_1_index, select_2_index, select_4_index, select_8_index};
