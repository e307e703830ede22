/* Colours of cells. */
#ifndef TG_LAYOUT_PICTURE_COLOURS_H
#define TG_LAYOUT_PICTURE_COLOURS_H

#include "base/text.h"
#include "layout/picture/picture.h"

enum { TG_HUES = 8, TG_SHADES = 4 };

/* The numbers from the least to the most are spread over hues, and within a hue over shades, so
 * that neighbours look alike: 8 numbers have a hue each, 32 numbers share one four by four. */
typedef struct tg_colours {
    int64_t least, most;
    int64_t each;  /* numbers of one hue */
    uint32_t used; /* bit TG_SHADES * hue + shade: that there are */
} tg_colours;

/* The colours of the cells that are neither holes nor quiet. */
void tg_colours_of(const tg_picture *picture, tg_colours *out);

int tg_colours_hue(const tg_colours *colours, int64_t number);
int tg_colours_shade(const tg_colours *colours, int64_t number);

/* Appends the rules of a style sheet: classes h0s0, .. of hues and shades. */
void tg_colours_put_styles(tg_text *out);

#endif
