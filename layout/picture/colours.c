#include "layout/picture/colours.h"

static bool is_coloured(const tg_picture_cell *cell) { return *cell->label && !cell->is_quiet; }

void tg_colours_of(const tg_picture *p, tg_colours *out)
{
    bool any = false;
    *out = (tg_colours){.each = p->by_step > 1 ? p->by_step : 1};
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        const tg_picture_cell *cell = &p->cells[i];
        if (!is_coloured(cell)) continue;
        if (!any || cell->colour < out->least) out->least = cell->colour;
        if (!any || cell->colour > out->most) out->most = cell->colour;
        any = true;
    }
    if (p->by_step > 1) out->most += p->by_step - 1;
    const uint64_t distance = (uint64_t)out->most - (uint64_t)out->least;
    while (distance / (uint64_t)out->each >= TG_HUES) out->each *= 2;
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        const int64_t number = p->cells[i].colour;
        if (is_coloured(&p->cells[i]))
            out->used |= UINT32_C(1) << (TG_SHADES * tg_colours_hue(out, number) +
                                         tg_colours_shade(out, number));
    }
}

int tg_colours_hue(const tg_colours *colours, int64_t number)
{
    return (int)((number - colours->least) / colours->each);
}

int tg_colours_shade(const tg_colours *colours, int64_t number)
{
    const int64_t within = (number - colours->least) % colours->each;
    const int64_t shade = within / (colours->each < TG_SHADES ? 1 : colours->each / TG_SHADES);
    return shade < TG_SHADES ? (int)shade : TG_SHADES - 1;
}

void tg_colours_put_styles(tg_text *out)
{
    static const int hues[TG_HUES] = {210, 28, 140, 330, 52, 275, 180, 4};
    for (int h = 0; h < TG_HUES; h++)
        for (int s = 0; s < TG_SHADES; s++)
            tg_text_add(out, ".h%ds%d{fill:hsl(%d,%d%%,%d%%)}", h, s, hues[h], 78 - 6 * s,
                        86 - 6 * s);
    tg_text_put(out, "\n");
}
