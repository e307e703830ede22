#include "layout/picture/draw.h"

#include <stdio.h>
#include <string.h>

static int widest_title(const tg_picture_side *side, int64_t count)
{
    char title[TG_PICTURE_LABEL];
    int widest = 0;
    for (int64_t i = 0; i < count; i++) {
        tg_picture_side_title(side, i, title);
        if ((int)strlen(title) > widest) widest = (int)strlen(title);
    }
    return widest;
}

static int widest_label(const tg_picture *p)
{
    int widest = widest_title(&p->column, p->columns);
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        if ((int)strlen(p->cells[i].label) > widest) widest = (int)strlen(p->cells[i].label);
    return widest;
}

static void end_line(tg_text *out)
{
    while (out->length && out->data[out->length - 1] == ' ') out->data[--out->length] = 0;
    tg_text_put(out, "\n");
}

void tg_picture_draw_text(const tg_picture *p, tg_text *out)
{
    char title[TG_PICTURE_LABEL];
    const int left = widest_title(&p->row, p->rows), width = widest_label(p);
    tg_text_add(out, "%s\n", p->title);
    if (*p->row.axes) tg_text_add(out, "rows: %s; ", p->row.axes);
    tg_text_add(out, "columns: %s\n\n%*s", p->column.axes, left, "");
    for (int64_t k = 0; k < p->columns; k++) {
        tg_picture_side_title(&p->column, k, title);
        tg_text_add(out, "  %*s", width, title);
    }
    end_line(out);
    for (int64_t i = 0; i < p->rows; i++) {
        tg_picture_side_title(&p->row, i, title);
        tg_text_add(out, "%*s", left, *p->row.axes ? title : "");
        for (int64_t k = 0; k < p->columns; k++) {
            const char *label = p->cells[i * p->columns + k].label;
            tg_text_add(out, "  %*s", width, *label ? label : ".");
        }
        end_line(out);
    }
}
