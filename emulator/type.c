#include "emulator/type.h"

#include <string.h>

const tg_emu_type_info tg_emu_types[TG_EMU_COUNT] = {
    {"", 0, 0},
#define TG_EMU_TYPE(id, name, bytes, kind, c) {name, bytes, kind},
#include "emulator/types.def"
};

tg_emu_type tg_emu_type_find(const char *name, size_t length)
{
    for (int t = TG_EMU_NONE + 1; t < TG_EMU_COUNT; t++)
        if (strlen(tg_emu_types[t].name) == length &&
            memcmp(tg_emu_types[t].name, name, length) == 0)
            return (tg_emu_type)t;
    return TG_EMU_NONE;
}

bool tg_emu_type_fits(tg_emu_type declared, tg_emu_type wanted)
{
    const tg_emu_type_info *d = &tg_emu_types[declared], *w = &tg_emu_types[wanted];
    if (d->bytes != w->bytes || (d->kind == 'p') != (w->kind == 'p')) return false;
    if (d->kind == 'b' || w->kind == 'b') return true;
    return (d->kind == 'f') == (w->kind == 'f');
}

size_t tg_emu_type_frame_bytes(tg_emu_type type)
{
    return type == TG_EMU_PRED ? sizeof(uint32_t) : (size_t)32 * tg_emu_types[type].bytes;
}
