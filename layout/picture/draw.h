/* Pictures as text and as SVG. */
#ifndef TG_LAYOUT_PICTURE_DRAW_H
#define TG_LAYOUT_PICTURE_DRAW_H

#include "base/text.h"
#include "layout/picture/picture.h"

/* What stands above a picture. */
typedef struct tg_picture_captions {
    const char *title; /* or NULL */
    const char *layout;
} tg_picture_captions;

/* Appends the picture. */
void tg_picture_draw_text(const tg_picture *picture, tg_text *out);
void tg_picture_draw_svg(const tg_picture *picture, const tg_picture_captions *captions,
                         tg_text *out);

#endif
