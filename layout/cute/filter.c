#include "layout/cute/filter.h"

#include "layout/cute/modes.h"

void tg_cute_filter(const tg_cute *cute, tg_cute *out)
{
    tg_modes modes;
    const int64_t offset = cute->offset;
    const tg_swizzle swizzle = cute->swizzle;
    int count = 0;
    tg_modes_of(cute, 0, &modes);
    for (int i = 0; i < modes.count; i++)
        if (modes.list[i].stride) modes.list[count++] = modes.list[i];
    modes.count = count;
    tg_modes_coalesce(&modes);
    tg_cute_begin(out);
    tg_modes_put(&modes, out);
    out->offset = offset;
    out->swizzle = swizzle;
}

void tg_cute_nullspace(const tg_cute *cute, tg_cute *out)
{
    tg_modes modes, still = {0};
    int64_t before = 1;
    tg_modes_of(cute, 0, &modes);
    for (int i = 0; i < modes.count; i++) {
        const int64_t extent = modes.list[i].extent;
        if (modes.list[i].stride == 0) still.list[still.count++] = (tg_mode){extent, before};
        before *= extent;
    }
    tg_cute_begin(out);
    tg_modes_put(&still, out);
}
