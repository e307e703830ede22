/* The fundamental types of PTX, and which registers fit an operand of a type. */
#ifndef TG_EMULATOR_TYPE_H
#define TG_EMULATOR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tg_emu_type {
    TG_EMU_NONE,
#define TG_EMU_TYPE(id, name, bytes, kind, c) TG_EMU_##id,
#include "emulator/types.def"
    TG_EMU_COUNT
} tg_emu_type;

/* tg_emu_c_U32 and so on: the C type of a lane. */
#define TG_EMU_TYPE(id, name, bytes, kind, c) typedef c tg_emu_c_##id;
#include "emulator/types.def"

typedef struct tg_emu_type_info {
    const char *name;
    unsigned bytes;
    char kind;
} tg_emu_type_info;

extern const tg_emu_type_info tg_emu_types[TG_EMU_COUNT];

/* The type with that name, or TG_EMU_NONE. */
tg_emu_type tg_emu_type_find(const char *name, size_t length);

/* Whether an operand of type `wanted` may be a register declared as `declared`.  The widths must be
 * equal, and one must not be an integer and the other a float; untyped bits fit both. */
bool tg_emu_type_fits(tg_emu_type declared, tg_emu_type wanted);

/* Bytes that a register of the type takes in a warp's frame: 32 lanes, or a mask. */
size_t tg_emu_type_frame_bytes(tg_emu_type type);

#endif
