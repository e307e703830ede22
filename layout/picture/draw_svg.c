#include "layout/picture/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CELL_HEIGHT = 22, LETTER = 7, MARGIN = 12, TOP = 64 };

static int wider(int widest, const char *text)
{
    const int length = (int)strlen(text);
    return length > widest ? length : widest;
}

static int row_letters(const tg_picture *p)
{
    char title[TG_PICTURE_LABEL];
    int widest = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        tg_picture_side_title(&p->row, i, title);
        widest = wider(widest, title);
    }
    return widest;
}

static int cell_letters(const tg_picture *p)
{
    char title[TG_PICTURE_LABEL];
    int widest = 2;
    for (int64_t k = 0; k < p->columns; k++) {
        tg_picture_side_title(&p->column, k, title);
        widest = wider(widest, title);
    }
    for (int64_t i = 0; i < p->rows * p->columns; i++) widest = wider(widest, p->cells[i].label);
    return widest;
}

static void put_text(tg_text *out, int64_t x, int64_t y, const char *style, const char *text)
{
    tg_text_add(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\"%s>%s</text>\n", x, y, style, text);
}

/* Neighbouring numbers get very different colours: the hue advances by the golden angle. */
static void put_cell(tg_text *out, const tg_picture_cell *cell, int64_t x, int64_t y, int width)
{
    char fill[32] = "#f2f2f2";
    const int64_t colour = cell->colour < 0 ? -cell->colour : cell->colour;
    if (*cell->label)
        snprintf(fill, sizeof fill, "hsl(%" PRId64 ",60%%,%" PRId64 "%%)", colour % 360 * 137 % 360,
                 74 + colour / 8 % 3 * 6);
    tg_text_add(out,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                "stroke=\"#fff\"/>\n",
                x, y, width, CELL_HEIGHT, fill);
    if (*cell->label) put_text(out, x + width / 2, y + 15, "", cell->label);
}

static void put_titles(const tg_picture *p, int64_t left, int width, tg_text *out)
{
    static const char *const start = " text-anchor=\"start\"", *const end = " text-anchor=\"end\"";
    char title[TG_PICTURE_TITLE * 3];
    put_text(out, MARGIN, 18, start, p->title);
    snprintf(title, sizeof title, "%s%s%scolumns: %s", *p->row.axes ? "rows: " : "", p->row.axes,
             *p->row.axes ? "; " : "", p->column.axes);
    put_text(out, MARGIN, 36, start, title);
    for (int64_t k = 0; k < p->columns; k++) {
        tg_picture_side_title(&p->column, k, title);
        put_text(out, left + k * width + width / 2, TOP - 6, "", title);
    }
    for (int64_t i = 0; *p->row.axes && i < p->rows; i++) {
        tg_picture_side_title(&p->row, i, title);
        put_text(out, left - 6, TOP + i * CELL_HEIGHT + 15, end, title);
    }
}

void tg_picture_draw_svg(const tg_picture *p, tg_text *out)
{
    const int width = cell_letters(p) * LETTER + 10, titles = (int)strlen(p->title) * LETTER;
    const int64_t left = MARGIN + row_letters(p) * LETTER + 6;
    int64_t wide = left + p->columns * width + MARGIN;
    if (wide < titles + 2 * MARGIN) wide = titles + 2 * MARGIN;
    tg_text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
                "\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                wide, TOP + p->rows * CELL_HEIGHT + MARGIN);
    put_titles(p, left, width, out);
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        put_cell(out, &p->cells[i], left + i % p->columns * width,
                 TOP + i / p->columns * CELL_HEIGHT, width);
    tg_text_put(out, "</svg>\n");
}
