/* Notations of layouts: each is read as an Axe layout of an array of some shape, and printed from one. */
#ifndef TG_LAYOUT_NOTATION_NOTATION_H
#define TG_LAYOUT_NOTATION_NOTATION_H

#include "base/text.h"
#include "layout/axe.h"
#include "layout/shape.h"

/* What a notation does not say itself. */
typedef struct tg_notation_context {
    tg_shape shape;   /* of the logical array; rank 0: not known.  Readers that know it set it. */
    const char *mesh; /* of devices, as text; NULL: not known */
} tg_notation_context;

/* Both fail with TG_ERR_UNSUPPORTED and the reason if the other form cannot say the same, with
 * TG_ERR_USAGE if the context lacks what they need. */
typedef tg_status tg_notation_read(const char *text, size_t length, tg_notation_context *context,
                                   tg_axe *out, tg_diags *diags);
typedef tg_status tg_notation_print(const tg_axe *axe, const tg_notation_context *context,
                                    tg_text *out, tg_diags *diags);

typedef struct tg_notation {
    const char *name, *means, *example;
    tg_notation_read *read;
    tg_notation_print *print;
} tg_notation;

extern const tg_notation tg_notations[]; /* the last has no name */

/* The notation of that name.  TG_ERR_USAGE, with all names, if there is none. */
tg_status tg_notation_find(const char *name, const tg_notation **out, tg_diags *diags);

#endif
