#include "loaders/json_scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

/* Returns the slot of `id`, or the empty slot to put it in.  Adjacent ids are spread over the
 * table, which is never full. */
static uint32_t *slot_of(const tg_json_scope *scope, int64_t id)
{
    size_t i = (size_t)tg_splitmix((uint64_t)id) & (scope->slot_count - 1);
    while (scope->slots[i] && scope->values[scope->slots[i] - 1].id != id)
        i = (i + 1) & (scope->slot_count - 1);
    return &scope->slots[i];
}

/* Doubles the lists, and keeps the table at most half full. */
static bool grow(tg_json_scope *scope)
{
    size_t capacity = scope->capacity ? 2 * scope->capacity : 64;
    tg_value *values = realloc(scope->values, capacity * sizeof *values);
    if (values) scope->values = values;
    bool *visible = realloc(scope->visible, capacity * sizeof *visible);
    if (visible) scope->visible = visible;
    uint32_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!values || !visible || !slots) {
        free(slots);
        return false;
    }
    free(scope->slots);
    scope->slots = slots;
    scope->slot_count = 2 * capacity;
    scope->capacity = capacity;
    for (size_t v = 0; v < scope->count; v++)
        *slot_of(scope, scope->values[v].id) = (uint32_t)v + 1;
    return true;
}

tg_status tg_json_scope_define(tg_json_scope *scope, tg_value value, tg_value_id *out)
{
    if (scope->count == scope->capacity && !grow(scope)) return TG_ERR_NO_MEMORY;
    uint32_t *slot = slot_of(scope, value.id);
    if (*slot) return TG_ERR_INVALID;
    *out = (tg_value_id)scope->count;
    scope->values[scope->count] = value;
    scope->visible[scope->count] = true;
    *slot = (uint32_t)++scope->count;
    return TG_OK;
}

bool tg_json_scope_find(const tg_json_scope *scope, int64_t id, tg_value_id *out)
{
    uint32_t slot = scope->count ? *slot_of(scope, id) : 0;
    *out = slot - 1;
    return slot != 0;
}

void tg_json_scope_leave(tg_json_scope *scope, size_t first)
{
    if (first < scope->count) memset(scope->visible + first, 0, scope->count - first);
}

void tg_json_scope_free(tg_json_scope *scope)
{
    free(scope->values);
    free(scope->visible);
    free(scope->slots);
    *scope = (tg_json_scope){0};
}
