/* Fundamental types of PTX, and which registers an operand of a type may name. */
#ifndef TG_EMULATOR_TYPE_H
#define TG_EMULATOR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tg_ptx_type {
    TG_PTX_NONE,
#define TG_PTX_TYPE(id, name, bytes, kind, c) TG_PTX_##id,
#include "emulator/types.def"
    TG_PTX_COUNT
} tg_ptx_type;

/* tg_ptx_c_U32 and so on: the C type of a lane. */
#define TG_PTX_TYPE(id, name, bytes, kind, c) typedef c tg_ptx_c_##id;
#include "emulator/types.def"

typedef struct tg_ptx_type_info {
    const char *name;
    unsigned bytes;
    char kind;
} tg_ptx_type_info;

extern const tg_ptx_type_info tg_ptx_types[TG_PTX_COUNT];

/* The type spelled so, or TG_PTX_NONE. */
tg_ptx_type tg_ptx_type_find(const char *name, size_t length);

/* Whether an operand of type `wanted` may be a register declared `declared`: the same width, and not an integer where
 * a float is wanted or the other way round; untyped bits go with both. */
bool tg_ptx_type_fits(tg_ptx_type declared, tg_ptx_type wanted);

/* Bytes of a register of the type in a warp's frame: 32 lanes, or a mask. */
size_t tg_ptx_type_frame_bytes(tg_ptx_type type);

#endif
