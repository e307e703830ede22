/* Handlers of forms that work lane by lane, generated from rows of *.def files: D d = expression in
 * a, b, c. */
#ifndef TG_EMULATOR_LANES_H
#define TG_EMULATOR_LANES_H

#include <string.h>

#include "emulator/exec.h"
#include "emulator/forms.h"

/* The loops also compute inactive lanes, on arbitrary register contents, and discard the results,
 * so that no branch is needed.  Results go through a buffer, since a register may be both operand
 * and result. */
#define TG_EMU_PUT(WIDTH)                                                                          \
    static inline void put_##WIDTH(void *to, const void *from, uint32_t mask)                      \
    {                                                                                              \
        uint##WIDTH##_t *d = to;                                                                   \
        const uint##WIDTH##_t *t = from;                                                           \
        if (mask == TG_EMU_ALL) {                                                                  \
            memcpy(d, t, sizeof *d *TG_EMU_LANES);                                                 \
            return;                                                                                \
        }                                                                                          \
        for (unsigned i = 0; i < TG_EMU_LANES; i++) d[i] = mask >> i & 1 ? t[i] : d[i];            \
    }
TG_EMU_PUT(8)
TG_EMU_PUT(16)
TG_EMU_PUT(32)
TG_EMU_PUT(64)

static inline void put_lanes(void *to, const void *from, size_t bytes, uint32_t mask)
{
    if (bytes == 8)
        put_64(to, from, mask);
    else if (bytes == 4)
        put_32(to, from, mask);
    else if (bytes == 2)
        put_16(to, from, mask);
    else
        put_8(to, from, mask);
}

#define TG_EMU_LANE(D, ...)                                                                        \
    tg_emu_c_##D t[TG_EMU_LANES];                                                                  \
    for (unsigned i = 0; i < TG_EMU_LANES; i++) {                                                  \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    put_lanes(tg_emu_at(exec, &inst->out[0]), t, sizeof t[0], mask);                               \
    return TG_EMU_ON;

#define TG_EMU_OPERAND(number, T, name)                                                            \
    const tg_emu_c_##T *name = tg_emu_at(exec, &inst->in[number]);

#define TG_EMU_HANDLER(id)                                                                         \
    static tg_emu_step id(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)

#define TG_EMU_HANDLER1(id, D, A, expr)                                                            \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        TG_EMU_LANE(D, const tg_emu_c_##A a = as[i]; t[i] = (tg_emu_c_##D)(expr);)                 \
    }
#define TG_EMU_HANDLER2(id, D, A, B, expr)                                                         \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        TG_EMU_OPERAND(1, B, bs)                                                                   \
        TG_EMU_LANE(D, const tg_emu_c_##A a = as[i]; const tg_emu_c_##B b = bs[i];                 \
                    t[i] = (tg_emu_c_##D)(expr);)                                                  \
    }
#define TG_EMU_HANDLER3(id, D, A, B, C, expr)                                                      \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        TG_EMU_OPERAND(1, B, bs)                                                                   \
        TG_EMU_OPERAND(2, C, cs)                                                                   \
        TG_EMU_LANE(D, const tg_emu_c_##A a = as[i]; const tg_emu_c_##B b = bs[i];                 \
                    const tg_emu_c_##C c = cs[i]; t[i] = (tg_emu_c_##D)(expr);)                    \
    }
#define TG_EMU_HANDLER4(id, D, A, B, C, E, expr)                                                   \
    TG_EMU_HANDLER(id)                                                                             \
    {                                                                                              \
        TG_EMU_OPERAND(0, A, as)                                                                   \
        TG_EMU_OPERAND(1, B, bs)                                                                   \
        TG_EMU_OPERAND(2, C, cs)                                                                   \
        TG_EMU_OPERAND(3, E, es)                                                                   \
        TG_EMU_LANE(D, const tg_emu_c_##A a = as[i]; const tg_emu_c_##B b = bs[i];                 \
                    const tg_emu_c_##C c = cs[i]; const tg_emu_c_##E e = es[i];                    \
                    t[i] = (tg_emu_c_##D)(expr);)                                                  \
    }

#endif
