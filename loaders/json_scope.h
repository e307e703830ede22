/* The values of the kernel being read: which ids exist, and which can be seen from here. */
#ifndef TG_LOADERS_JSON_SCOPE_H
#define TG_LOADERS_JSON_SCOPE_H

#include "ir/ir.h"

/* Zero-initialise; free with tg_json_scope_free.  Values are numbered as they are defined. */
typedef struct tg_json_scope {
    tg_value *values;
    bool *visible;
    uint32_t *slots; /* hash table of value numbers + 1; 0 is empty */
    size_t count, capacity, slot_count;
} tg_json_scope;

/* Makes a visible value.  TG_ERR_INVALID where its id is taken, or TG_ERR_NO_MEMORY. */
tg_status tg_json_scope_define(tg_json_scope *scope, tg_value value, tg_value_id *out);

/* The value of an id, visible or not; false where no value defined so far has it. */
bool tg_json_scope_find(const tg_json_scope *scope, int64_t id, tg_value_id *out);

/* Hides the values from number `first` on: the region that defined them ends. */
void tg_json_scope_leave(tg_json_scope *scope, size_t first);

void tg_json_scope_free(tg_json_scope *scope);

#endif
