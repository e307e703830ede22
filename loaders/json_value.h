/* Reads parsed JSON strictly: callers ask for a value of a kind; a value of another kind is
 * reported with its path and byte offset.  Readers go on after a problem to find the others. */
#ifndef TG_LOADERS_JSON_VALUE_H
#define TG_LOADERS_JSON_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

/* The text being read.  Owns nothing. */
typedef struct tg_json_reader {
    const char *text; /* passed tg_json_scan; for byte offsets */
    size_t length;
    tg_arena *arena; /* for the results */
    tg_diags *diags;
    tg_status status; /* TG_OK, or of the first problem; TG_ERR_NO_MEMORY has priority */
} tg_json_reader;

/* Reports a problem with the value at `at`.  Always returns false, so that readers can return
 * it. */
TG_PRINTF(4, 5)
bool tg_json_problem(tg_json_reader *r, tg_status status, const tg_path *at, const char *format,
                     ...);

/* Reports that memory ran out, once.  Always returns false. */
bool tg_json_no_memory(tg_json_reader *r);

/* tg_arena_take from the reader's arena; reports a failure and returns NULL. */
void *tg_json_take(tg_json_reader *r, size_t count, size_t size);

/* Returns the kind of a value for messages: "a string". */
const char *tg_json_kind(const cJSON *item);

/* Each returns whether `item` is of the kind, and reports it if not. */
bool tg_json_object(tg_json_reader *r, const cJSON *item, const tg_path *at);
bool tg_json_list(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* Returns a string, which the parsed JSON owns, or NULL. */
const char *tg_json_text(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* Returns a copy of a string in the arena, or NULL. */
char *tg_json_text_copy(tg_json_reader *r, const cJSON *item, const tg_path *at);

/* An integer in [least, most]: a number below 2^53 in magnitude or a decimal string. */
bool tg_json_bool(tg_json_reader *r, const cJSON *item, const tg_path *at, bool *out);
bool tg_json_int(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t least,
                 int64_t most, int64_t *out);

/* Reads a list of integers of any size into the arena. */
bool tg_json_ints(tg_json_reader *r, const cJSON *item, const tg_path *at, int64_t *count,
                  int64_t **out);

/* The number of entries of a list or object. */
size_t tg_json_count(const cJSON *item);

/* Returns the member `key`, or NULL. */
const cJSON *tg_json_member(const cJSON *object, const char *key);

/* Returns the member `key`; if it is missing, reports it and returns NULL. */
const cJSON *tg_json_need(tg_json_reader *r, const cJSON *object, const tg_path *at,
                          const char *key);

/* Reports each key of `object` that is not among `known`, a list that ends with NULL. */
bool tg_json_known_keys(tg_json_reader *r, const cJSON *object, const tg_path *at,
                        const char *const *known);

#endif
