/* The values of the kernel being read: which ids exist, and which are visible at this point. */
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

/* Defines a visible value.  TG_ERR_INVALID if its id exists already, or TG_ERR_NO_MEMORY. */
tg_status tg_json_scope_define(tg_json_scope *scope, tg_value value, tg_value_id *out);

/* Finds the value of an id, visible or not; false if no value defined so far has it. */
bool tg_json_scope_find(const tg_json_scope *scope, int64_t id, tg_value_id *out);

/* Hides the values from number `first` on, at the end of the region that defined them. */
void tg_json_scope_leave(tg_json_scope *scope, size_t first);

void tg_json_scope_free(tg_json_scope *scope);

#endif
