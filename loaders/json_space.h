/* Reads what memory or a value says of where its elements are: the members "space" and "layout". */
#ifndef TG_LOADERS_JSON_SPACE_H
#define TG_LOADERS_JSON_SPACE_H

#include "layout/axe.h"
#include "loaders/json_value.h"

/* Reads the members of `owner` into the arena; what is absent becomes NULL.  Returns whether nothing
 * is wrong. */
bool tg_json_read_space(tg_json_reader *r, const cJSON *owner, const tg_path *at, char **space,
                        const tg_axe **layout);

#endif
