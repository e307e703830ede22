#include "layout/picture/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/picture/colours.h"

/* In pixels. */
enum {
    MARGIN = 14,
    LETTER = 7,       /* the width of one in a cell and in titles of rows and columns */
    SMALL_LETTER = 6, /* below it, and in captions */
    CELL = 22,        /* the height of a cell of one line */
    TALL_CELL = 32,   /* and of one with a line below */
    GAP = 4,          /* after each BLOCK rows or columns */
    BLOCK = 8,
    BETWEEN = 22, /* panels */
    HEAD = 22,    /* titles of columns, above each panel */
    LEGEND = 420, /* the width that a legend may have where panels are narrower */
    LEGEND_LINE = 20,
    MOST_WIDTH = 1150, /* that panels side by side shall have, all together */
    MOST_ROWS = 20     /* of a panel, where more panels have room */
};

/* Rows in panels side by side, of as many rows each. */
typedef struct frame {
    const tg_picture *p;
    tg_colours colours;
    bool is_tall;
    int cell_width, cell_height, titles_width;
    int64_t panels, panel_rows;
    int64_t top;   /* of what is drawn next; at last, of the panels */
    int64_t width; /* of all that is drawn, without margins */
} frame;

/* ---- measures ---- */

static int wider(int a, int b) { return a > b ? a : b; }

static int title_width(const tg_picture_side *side, int64_t count)
{
    char title[TG_PICTURE_LABEL];
    int widest = 0;
    for (int64_t i = 0; i < count; i++) {
        tg_picture_side_title(side, i, title);
        widest = wider(widest, (int)strlen(title) * LETTER);
    }
    return widest;
}

static int label_width(const tg_picture_cell *cell)
{
    const int length = (int)strlen(cell->label);
    if (!cell->below) return length * LETTER;
    return wider((cell->below - 1) * LETTER, (length - cell->below) * SMALL_LETTER);
}

static int64_t gaps(int64_t count, int64_t before)
{
    return count > BLOCK ? before / BLOCK * GAP : 0;
}

static int64_t panel_width(const frame *f)
{
    return f->titles_width + f->p->columns * f->cell_width + gaps(f->p->columns, f->p->columns - 1);
}

static void measure(const tg_picture *p, frame *f)
{
    *f = (frame){.p = p, .panels = 1, .panel_rows = p->rows};
    tg_colours_of(p, &f->colours);
    f->cell_width = wider(title_width(&p->column, p->columns), 2 * LETTER);
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        f->cell_width = wider(f->cell_width, label_width(&p->cells[i]));
        f->is_tall |= p->cells[i].below > 0;
    }
    f->cell_width += 8;
    f->cell_height = f->is_tall ? TALL_CELL : CELL;
    f->titles_width = *p->row.axes ? title_width(&p->row, p->rows) + 8 : 0;
    const int64_t wide = panel_width(f) + BETWEEN;
    while (f->panel_rows > MOST_ROWS && f->panel_rows % 2 == 0 &&
           2 * f->panels * wide <= MOST_WIDTH) {
        f->panels *= 2;
        f->panel_rows /= 2;
    }
    f->top = MARGIN;
    f->width = f->panels * wide - BETWEEN;
}

static int64_t x_of(const frame *f, int64_t panel, int64_t column)
{
    return MARGIN + panel * (panel_width(f) + BETWEEN) + f->titles_width + column * f->cell_width +
           gaps(f->p->columns, column);
}

static int64_t y_of(const frame *f, int64_t row)
{
    return f->top + HEAD + row * f->cell_height + gaps(f->panel_rows, row);
}

/* ---- pieces ---- */

static void put_escaped(tg_text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            tg_text_put(out, "&lt;");
        else if (*text == '>')
            tg_text_put(out, "&gt;");
        else if (*text == '&')
            tg_text_put(out, "&amp;");
        else
            tg_text_put_bytes(out, text, 1);
}

/* `what` is a class in quotes, or other attributes. */
static void put_text(tg_text *out, int64_t x, int64_t y, const char *what, const char *text)
{
    tg_text_add(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\"%s>", x, y, what);
    put_escaped(out, text);
    tg_text_put(out, "</text>");
}

/* The label of a cell in the middle of x, and of a height. */
static void put_label(const frame *f, const tg_picture_cell *cell, int64_t x, int64_t y,
                      tg_text *out)
{
    char above[TG_PICTURE_LABEL];
    snprintf(above, sizeof above, "%s", cell->label);
    if (cell->below) above[cell->below - 1] = 0;
    const int64_t line = f->is_tall && cell->below ? y + 14 : y + f->cell_height / 2 + 4;
    put_text(out, x, line, cell->is_quiet ? " class=\"q\"" : "", above);
    if (cell->below) put_text(out, x, y + 26, " class=\"b\"", cell->label + cell->below);
}

static void put_cell(const frame *f, const tg_picture_cell *cell, int64_t x, int64_t y,
                     tg_text *out)
{
    const tg_colours *c = &f->colours;
    char kind[16] = "n";
    if (*cell->label && !cell->is_quiet)
        snprintf(kind, sizeof kind, "h%ds%d", tg_colours_hue(c, cell->colour),
                 tg_colours_shade(c, cell->colour));
    tg_text_add(out, "<use href=\"#c\" x=\"%" PRId64 "\" y=\"%" PRId64 "\" class=\"%s\"/>", x, y,
                kind);
    if (*cell->label) put_label(f, cell, x + f->cell_width / 2, y, out);
}

/* ---- panels ---- */

static void put_titles(const frame *f, int64_t panel, tg_text *out)
{
    const tg_picture *p = f->p;
    char title[TG_PICTURE_LABEL];
    for (int64_t k = 0; k < p->columns; k++) {
        tg_picture_side_title(&p->column, k, title);
        put_text(out, x_of(f, panel, k) + f->cell_width / 2, f->top + HEAD - 6, " class=\"t\"",
                 title);
    }
    for (int64_t i = 0; *p->row.axes && i < f->panel_rows; i++) {
        tg_picture_side_title(&p->row, panel * f->panel_rows + i, title);
        put_text(out, x_of(f, panel, 0) - 6, y_of(f, i) + f->cell_height / 2 + 4, " class=\"t r\"",
                 title);
    }
    tg_text_put(out, "\n");
}

static void put_panel(const frame *f, int64_t panel, tg_text *out)
{
    const int64_t columns = f->p->columns;
    put_titles(f, panel, out);
    for (int64_t i = 0; i < f->panel_rows; i++) {
        for (int64_t k = 0; k < columns; k++)
            put_cell(f, &f->p->cells[(panel * f->panel_rows + i) * columns + k], x_of(f, panel, k),
                     y_of(f, i), out);
        tg_text_put(out, "\n");
    }
}
/* ---- above the panels ---- */

/* Notes that something reaches as far as x. */
static void reach(frame *f, int64_t x)
{
    if (x - MARGIN > f->width) f->width = x - MARGIN;
}

/* What a cell says, as a cell.  Returns where it ends. */
static int64_t put_key(const frame *f, tg_text *out)
{
    const tg_picture_cell *key = &f->p->key;
    const int width = label_width(key) + 12;
    tg_text_add(out, "<rect x=\"%d\" y=\"%" PRId64 "\" width=\"%d\" height=\"%d\" class=\"k\"/>",
                MARGIN, f->top, width, f->cell_height);
    put_label(f, key, MARGIN + width / 2, f->top, out);
    return MARGIN + width;
}

/* One hue with its shades, and the numbers that have it.  Returns where it ends. */
static int64_t put_hue(const frame *f, int hue, int64_t x, int64_t y, tg_text *out)
{
    const tg_colours *c = &f->colours;
    const int64_t first = c->least + hue * c->each;
    const int64_t last = c->most - first < c->each ? c->most : first + c->each - 1;
    char text[TG_PICTURE_LABEL] = "";
    for (int s = 0; s < TG_SHADES; s++) {
        if (!(c->used >> (TG_SHADES * hue + s) & 1)) continue;
        tg_text_add(out,
                    "<rect x=\"%" PRId64 "\" y=\"%" PRId64
                    "\" width=\"10\" height=\"14\" class=\"h%ds%d\"/>",
                    x, y - 7, hue, s);
        x += 11;
    }
    tg_label_put_range(text, first, last);
    put_text(out, x + 4, y + 4, " class=\"l\"", text);
    return x + (int64_t)strlen(text) * LETTER + 4;
}

/* In as many lines as it takes to be no wider than the panels, or than LEGEND. */
static void put_legend(frame *f, tg_text *out)
{
    const tg_colours *c = &f->colours;
    const int64_t most = MARGIN + (f->width > LEGEND ? f->width : LEGEND);
    int64_t y = f->top + f->cell_height / 2, x = put_key(f, out) + 16, begin;
    reach(f, x);
    if (c->most > c->least) {
        put_text(out, x, y + 4, " class=\"l\"", f->p->by);
        x = begin = x + (int64_t)strlen(f->p->by) * LETTER + 8;
        for (int h = 0; h <= tg_colours_hue(c, c->most); h++) {
            if (!(c->used >> TG_SHADES * h & ((1 << TG_SHADES) - 1))) continue;
            const int64_t end = put_hue(f, h, x, y, out);
            reach(f, end);
            x = end + 12;
            if (x + (end - begin) / (h + 1) <= most || h == tg_colours_hue(c, c->most)) continue;
            x = begin;
            y += LEGEND_LINE;
        }
    }
    tg_text_put(out, "\n");
    f->top = y + f->cell_height / 2 + 8;
}

static void put_caption(frame *f, const char *kind, int letter, int height, const char *text,
                        tg_text *out)
{
    put_text(out, MARGIN, f->top + 12, kind, text);
    reach(f, MARGIN + (int64_t)strlen(text) * letter);
    f->top += height;
}

static void put_captions(frame *f, const tg_picture_captions *captions, tg_text *out)
{
    const tg_picture *p = f->p;
    const char *rows = *p->row.axes ? "rows: " : "", *then = *p->row.axes ? "; " : "";
    char sides[TG_PICTURE_TITLE * 4];
    if (captions->title) put_caption(f, " class=\"d\"", LETTER + 2, 22, captions->title, out);
    put_caption(f, " class=\"m\"", LETTER, 18, captions->layout, out);
    snprintf(sides, sizeof sides, "%s; %s%s%scolumns: %s", p->title, rows, p->row.axes, then,
             p->column.axes);
    put_caption(f, " class=\"l\"", SMALL_LETTER, 22, sides, out);
}

/* ---- the picture ---- */

static void put_styles(const frame *f, tg_text *out)
{
    tg_text_put(out, "<style>text{font:12px system-ui,sans-serif;text-anchor:middle;fill:#1c2128}"
                     ".b{font-size:10px;fill:#3d444d}.q{fill:#b6bcc4}"
                     ".t{font-size:11px;fill:#59636e}.r{text-anchor:end}"
                     ".l{text-anchor:start;font-size:11px;fill:#3d444d}"
                     ".m{text-anchor:start;font:11px ui-monospace,monospace}"
                     ".d{text-anchor:start;font-size:15px;font-weight:600}"
                     ".n{fill:#f3f4f6}.k{fill:#fff;stroke:#8c959f}\n");
    tg_colours_put_styles(out);
    tg_text_add(out,
                "</style><defs><rect id=\"c\" width=\"%d\" height=\"%d\" rx=\"2\"/></defs>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                f->cell_width - 2, f->cell_height - 2);
}

void tg_picture_draw_svg(const tg_picture *p, const tg_picture_captions *captions, tg_text *out)
{
    frame f;
    tg_text body = {0};
    measure(p, &f);
    put_captions(&f, captions, &body);
    put_legend(&f, &body);
    for (int64_t panel = 0; panel < f.panels; panel++) put_panel(&f, panel, &body);
    const int64_t width = f.width + 2 * MARGIN, height = y_of(&f, f.panel_rows) + MARGIN;
    tg_text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PRId64 " %" PRId64
                "\" width=\"%" PRId64 "\" height=\"%" PRId64 "\">\n",
                width, height, width, height);
    put_styles(&f, out);
    tg_text_put(out, body.failed ? "" : body.data);
    out->failed |= body.failed;
    tg_text_put(out, "</svg>\n");
    tg_text_drop(&body);
}
