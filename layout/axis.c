#include "layout/axis.h"

#include <stdbool.h>
#include <string.h>

const tg_axis_info tg_axes[TG_AXIS_COUNT] = {
#define TG_AXIS(id, name, alias, kind, unit, from, to, along, means)                               \
    [TG_AXIS_##id] = {name,          alias, TG_AXIS_##kind, TG_UNIT_##unit, TG_SCOPE_##from,       \
                      TG_SCOPE_##to, along, means},
#include "layout/axes.def"
};

const char *const tg_axis_unit_names[] = {
    [TG_UNIT_ELEMENT] = "element", [TG_UNIT_BYTE] = "byte", [TG_UNIT_CELL] = "cell"};

static bool is(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

tg_axis tg_axis_find(const char *name, size_t length)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (is(tg_axes[i].name, name, length) || is(tg_axes[i].alias, name, length))
            return (tg_axis)i;
    return TG_AXIS_NONE;
}
