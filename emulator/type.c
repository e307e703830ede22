#include "emulator/type.h"

#include <string.h>

const tg_ptx_type_info tg_ptx_types[TG_PTX_COUNT] = {
    {"", 0, 0},
#define TG_PTX_TYPE(id, name, bytes, kind, c) {name, bytes, kind},
#include "emulator/types.def"
};

tg_ptx_type tg_ptx_type_find(const char *name, size_t length)
{
    for (int t = TG_PTX_NONE + 1; t < TG_PTX_COUNT; t++)
        if (strlen(tg_ptx_types[t].name) == length &&
            memcmp(tg_ptx_types[t].name, name, length) == 0)
            return (tg_ptx_type)t;
    return TG_PTX_NONE;
}

bool tg_ptx_type_fits(tg_ptx_type declared, tg_ptx_type wanted)
{
    const tg_ptx_type_info *d = &tg_ptx_types[declared], *w = &tg_ptx_types[wanted];
    if (d->bytes != w->bytes || (d->kind == 'p') != (w->kind == 'p')) return false;
    if (d->kind == 'b' || w->kind == 'b') return true;
    return (d->kind == 'f') == (w->kind == 'f');
}

size_t tg_ptx_type_frame_bytes(tg_ptx_type type)
{
    return type == TG_PTX_PRED ? sizeof(uint32_t) : (size_t)32 * tg_ptx_types[type].bytes;
}
