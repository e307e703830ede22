/* Reading parsed JSON strictly: each value is asked for by kind, and what it is instead becomes a
 * diagnosis with its path and byte offset.  Readers go on after a problem to find the others. */
#ifndef TG_LOADERS_JSON_VALUE_H
#define TG_LOADERS_JSON_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

/* One text being read.  All pointers are borrowed. */
typedef struct tg_json_reader {
    const char *text; /* passed tg_json_scan; for byte offsets */
    size_t length;
    tg_arena *arena; /* where what is read goes */
    tg_diags *diags;
    tg_status status; /* TG_OK, or of the first problem; TG_ERR_NO_MEMORY wins */
} tg_json_reader;

/* Reports a problem with the value at `at`; false, for readers to return. */
TG_PRINTF(4, 5)
bool tg_json_problem(tg_json_reader *r, tg_status status, const tg_path *at, const char *format,
                     ...);

/* Reports exhausted memory, once; false. */
bool tg_json_no_memory(tg_json_reader *r);

/* tg_arena_take from the reader's arena; NULL is already reported. */
void *tg_json_take(tg_json_reader *r, size_t count, size_t size);

/* The kind of a value for messages: "a string". */
const char *tg_json_kind(const cJSON *item);

/* Each tells whether `item` is of the kind; if not, that is reported. */
bool tg_json_object(tg_json_reader *r, const cJSON *item, const tg_path *at);
bool tg_json_list(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* A string, owned by the parsed JSON, or NULL. */
const char *tg_json_text(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* A copy of a string in the arena, or NULL. */
char *tg_json_text_copy(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* An integer in [least, most]: a number below 2^53 in magnitude or a decimal string. */
bool tg_json_bool(tg_json_reader *r, const cJSON *item, const tg_path *at, bool *out);
bool tg_json_int(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t least,
                 int64_t most, int64_t *out);

/* A list of integers of any size, in the arena. */
bool tg_json_ints(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t *count,
                  int64_t **out);

/* Number of entries of a list or object. */
size_t tg_json_count(const cJSON *item);

/* The member `key`, or NULL. */
const cJSON *tg_json_member(const cJSON *object, const char *key);

/* The member `key`; NULL, reported, where it is missing. */
const cJSON *tg_json_need(tg_json_reader *r, const cJSON *object, const tg_path *at,
                          const char *key);

/* Reports each key of `object` that is not among `known`, a list that ends with NULL. */
bool tg_json_known_keys(tg_json_reader *r, const cJSON *object, const tg_path *at,
                        const char *const *known);

#endif
