#include "layouts/law.h"

const law laws[] = {
#define TG_LAW(id, says) {#id, says, law_##id},
#include "layouts/laws.def"
    {NULL, NULL, NULL},
};
