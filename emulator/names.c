#include "emulator/names.h"

#include <string.h>

enum { BUCKETS = 4096 };

bool tg_emu_names_begin(tg_emu_names *names, tg_arena *arena)
{
    *names = (tg_emu_names){.arena = arena, .bucket_count = BUCKETS};
    names->buckets = tg_arena_take(arena, BUCKETS, sizeof *names->buckets);
    return names->buckets != NULL;
}

/* FNV-1a */
static tg_emu_symbol **bucket_of(const tg_emu_names *names, const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return &names->buckets[hash % names->bucket_count];
}

void tg_emu_names_open(tg_emu_names *names) { names->depth++; }

void tg_emu_names_close(tg_emu_names *names)
{
    for (; names->top && names->top->depth == names->depth; names->top = names->top->below)
        *bucket_of(names, names->top->name, names->top->length) = names->top->next;
    names->depth--;
}

static const tg_emu_symbol *find(const tg_emu_names *names, const char *name, size_t length,
                                 bool is_range)
{
    for (const tg_emu_symbol *s = *bucket_of(names, name, length); s; s = s->next)
        if (s->length == length && (s->kind == TG_EMU_SYMBOL_RANGE) == is_range &&
            (s->depth == 0 || s->depth >= names->floor) && memcmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

/* %r12 of a range %r<N>: the number is the shortest trailing run of digits that fits a declared
 * range. */
static tg_emu_found find_in_range(const tg_emu_names *names, const char *name, size_t length)
{
    uint64_t number = 0, unit = 1;
    for (size_t prefix = length; prefix > 1 && length - prefix < 8; unit *= 10) {
        char digit = name[--prefix];
        if (digit < '0' || digit > '9') break;
        number += unit * (uint64_t)(digit - '0');
        if (digit == '0' && prefix + 1 < length) continue; /* numbers have no leading 0 */
        const tg_emu_symbol *s = find(names, name, prefix, true);
        if (!s || number >= s->count) continue;
        tg_emu_found found = {s, s->slot};
        found.slot.reg += (uint32_t)number;
        found.slot.offset += (uint32_t)(number * tg_emu_type_frame_bytes(s->type));
        return found;
    }
    return (tg_emu_found){NULL, {0, 0, 0}};
}

tg_emu_found tg_emu_names_find(const tg_emu_names *names, const char *name, size_t length)
{
    const tg_emu_symbol *s = find(names, name, length, false);
    return s ? (tg_emu_found){s, s->slot} : find_in_range(names, name, length);
}

tg_emu_symbol *tg_emu_names_add(tg_emu_names *names, const tg_emu_symbol *symbol)
{
    tg_emu_symbol *s = tg_arena_copy(names->arena, symbol, sizeof *symbol);
    if (!s) return NULL;
    tg_emu_symbol **bucket = bucket_of(names, s->name, s->length);
    s->depth = names->depth;
    s->next = *bucket;
    s->below = names->top;
    *bucket = names->top = s;
    return s;
}
