/* Pictures of small layouts: a table whose cells have a label and a colour, as text or as SVG. */
#ifndef TG_LAYOUT_PICTURE_PICTURE_H
#define TG_LAYOUT_PICTURE_PICTURE_H

#include "layout/picture/label.h"
#include "layout/shape.h"

enum { TG_PICTURE_TITLE = 160, TG_PICTURE_MOST_CELLS = 1 << 14 };

typedef struct tg_picture_cell {
    char label[TG_PICTURE_LABEL]; /* "" for a hole; parts with a character between them */
    int below; /* where in the label the part begins that may stand below the others; 0: none */
    int64_t colour; /* cells of one colour have the same number */
    bool is_quiet;  /* nothing to look at: without its colour */
} tg_picture_cell;

/* What a row or a column is called: its coordinates on the axes, outermost first. */
typedef struct tg_picture_side {
    char axes[TG_PICTURE_TITLE]; /* such as "warp:lane" */
    int count;                   /* of the axes; 1 to 16 */
    int64_t first[TG_SHAPE_MAX_RANK], extent[TG_SHAPE_MAX_RANK];
    int64_t step; /* coordinates of the innermost axis that a row or a column stands for */
} tg_picture_side;

typedef struct tg_picture {
    char title[TG_PICTURE_TITLE]; /* what the cells say */
    tg_picture_cell key;          /* the same as a cell, such as "lane:reg" */
    char by[TG_PICTURE_LABEL];    /* what the colours are */
    int64_t by_step;              /* and how many of it a cell stands for, from its colour on */
    tg_picture_side row, column;
    int64_t rows, columns;
    tg_picture_cell *cells; /* rows * columns, row-major; owned */
} tg_picture;

void tg_picture_free(tg_picture *picture);

/* The title of row or column `index`: "1:31", or "1:16..31".  `out` has TG_PICTURE_LABEL bytes. */
void tg_picture_side_title(const tg_picture_side *side, int64_t index, char *out);

#endif
