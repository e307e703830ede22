/* One trial of a law. */
#ifndef TG_TESTS_LAYOUTS_LAW_H
#define TG_TESTS_LAYOUTS_LAW_H

#include <stddef.h>

#include "layouts/model.h"

/* What came of it.  REFUSED: the operation gave a reason, which was right or could not be judged. */
typedef enum outcome { KEPT, REFUSED, BROKEN } outcome;

typedef struct law {
    const char *name, *says;
    outcome (*try)(chance *c, tg_axe *shown); /* shown: the layout that broke it */
} law;

extern const law laws[]; /* the last has no name */

#define TG_LAW(id, says) outcome law_##id(chance *c, tg_axe *shown);
#include "layouts/laws.def"

#endif
