/* Checks for strict JSON.  cJSON accepts many errors, so the scan rejects everything that RFC 8259
 * does not allow, and a little more, before cJSON parses a text. */
#ifndef TG_LOADERS_JSON_SCAN_H
#define TG_LOADERS_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "ir/ir.h"

enum {
    /* Nested arrays and objects: a region takes four levels (region, "ops", operation, "regions");
     * the levels around all regions and inside the deepest one take a few more. */
    TG_JSON_MAX_DEPTH = 4 * TG_MAX_NESTING + 16,
    TG_JSON_MAX_NUMBER = 63 /* characters of a number; cJSON does not read more */
};
#define TG_JSON_MAX_BYTES ((size_t)1 << 30)

/* Checks that `text` is one JSON value and nothing else: UTF-8 without byte order mark, the exact
 * grammar, no \u0000, paired surrogates, no key twice in an object.  Stops at the first problem and
 * reports it with path and byte offset.  Returns TG_OK, TG_ERR_SYNTAX, TG_ERR_UNSUPPORTED (too
 * long, too deep) or TG_ERR_NO_MEMORY.  Takes O(n log n) time for any text. */
tg_status tg_json_scan(const char *text, size_t length, tg_diags *diags);

#endif
