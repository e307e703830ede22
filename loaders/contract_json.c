#include "loaders/contract_json.h"

#include <stdio.h>
#include <string.h>

#include "loaders/contract_member.h"
#include "loaders/contract_rows.h"
#include "loaders/json_scan.h"
#include "loaders/json_value.h"

enum { FORMAT = 1, MOST_BLOCK = 1 << 30 };

/* Of functions without a row: none has a figure of a table. */
static const double no_table[TG_OP_COUNT];

#define AT(above, name) (&(tg_path){.up = (above), .key = (name)})

/* ---- parts ---- */

/* Returns the object `key`, whose members are those known; NULL after a problem. */
static const cJSON *part(tg_json_reader *r, const cJSON *root, const char *key,
                         const char *const *known)
{
    const cJSON *item = tg_json_need(r, root, NULL, key);
    if (!item || !tg_json_object(r, item, AT(NULL, key))) return NULL;
    return tg_json_known_keys(r, item, AT(NULL, key), known) ? item : NULL;
}

static bool read_basic(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"ulp", "source", NULL};
    const tg_path *at = AT(NULL, "basic");
    const cJSON *item = part(r, root, "basic", known),
                *ulp = item ? tg_json_need(r, item, at, "ulp") : NULL;
    const char *source;
    return ulp && tg_contract_number(r, ulp, AT(at, "ulp"), 0.5, 0x1p30, &out->ulp) &&
           tg_contract_source(r, item, at, &source);
}

static bool read_functions(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"ulp", "narrow", "source", NULL}, *const narrow[] = {
                                                                              "own", "f32", NULL};
    const tg_path *at = AT(NULL, "functions");
    const cJSON *item = part(r, root, "functions", known),
                *ulp = item ? tg_json_need(r, item, at, "ulp") : NULL;
    if (!ulp || !tg_contract_number(r, ulp, AT(at, "ulp"), 0.5, 0x1p30, &out->elementary))
        return false;
    const int which = tg_contract_choice(r, item, at, "narrow", narrow);
    out->narrow_in_f32 = which == 1;
    return which >= 0 && tg_contract_source(r, item, at, &out->source);
}

static bool read_sums(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"order", "source", NULL};
    const tg_path *at = AT(NULL, "sums");
    const cJSON *item = part(r, root, "sums", known),
                *order = item ? tg_json_need(r, item, at, "order") : NULL;
    const char *text = order ? tg_json_text(r, order, AT(at, "order")) : NULL, *source;
    long block = 0;
    char end;
    if (!text || !tg_contract_source(r, item, at, &source)) return false;
    out->sums = strcmp(text, "tree") == 0  ? TG_SUM_TREE
                : strcmp(text, "any") == 0 ? TG_SUM_ANY
                                           : TG_SUM_BLOCKED;
    if (out->sums != TG_SUM_BLOCKED) return true;
    if (strlen(text) < 20 && strspn(text, "blocked:0123456789") == strlen(text) &&
        sscanf(text, "blocked:%10ld%c", &block, &end) == 1 && block > 0 && block <= MOST_BLOCK) {
        out->block = block;
        return true;
    }
    return tg_json_problem(r, TG_ERR_INVALID, AT(at, "order"),
                           "\"%s\" is none of: any, tree, blocked:N with N elements in a block",
                           text);
}

static bool read_subnormals(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"flush", "source", NULL}, *const may[] = {"no", "may",
                                                                                  NULL};
    const char *source;
    const tg_path *at = AT(NULL, "subnormals");
    const cJSON *item = part(r, root, "subnormals", known);
    const int which = item ? tg_contract_choice(r, item, at, "flush", may) : -1;
    out->flushes = which == 1;
    return which >= 0 && tg_contract_source(r, item, at, &source);
}

static bool read_nan(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"rule", "source", NULL}, *const rules[] = {"strict",
                                                                                   "reduce", "skip",
                                                                                   "any", NULL};
    const char *source;
    const tg_path *at = AT(NULL, "nan");
    const cJSON *item = part(r, root, "nan", known);
    const int which = item ? tg_contract_choice(r, item, at, "rule", rules) : -1;
    if (which < 0) return false;
    out->nan = (tg_nan_rule)which;
    return tg_contract_source(r, item, at, &source);
}

/* ---- all of it ---- */

/* Names are letters, digits and -._ so that they fit in texts and names of files. */
static const char *read_name(tg_json_reader *r, const cJSON *root)
{
    const cJSON *item = tg_json_need(r, root, NULL, "name");
    const char *name = item ? tg_json_text_copy(r, item, AT(NULL, "name")) : NULL;
    if (!name) return NULL;
    const size_t length = strlen(name);
    if (length > 0 && length <= 64 &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
            length &&
        !tg_contract_find(name))
        return name;
    tg_json_problem(r, TG_ERR_INVALID, AT(NULL, "name"),
                    tg_contract_find(name) ? "\"%s\" is the name of a contract of Tilegrind's"
                                           : "\"%s\" is no name: 1 to 64 letters, digits, -._",
                    name);
    return NULL;
}

static void read_root(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    static const char *const known[] = {"tilegrind-contract", "name",         "about",    "basic",
                                        "functions",          "accuracies",   "sums",     "nan",
                                        "subnormals",         "accumulators", "operands", NULL};
    int64_t version = 0;
    if (!tg_json_object(r, root, NULL)) return;
    tg_json_known_keys(r, root, NULL, known);
    const cJSON *format = tg_json_need(r, root, NULL, "tilegrind-contract"),
                *about = tg_json_need(r, root, NULL, "about");
    if (format) tg_json_int(r, format, AT(NULL, "tilegrind-contract"), FORMAT, FORMAT, &version);
    out->functions = no_table;
    out->name = read_name(r, root);
    if (about) out->about = tg_json_text_copy(r, about, AT(NULL, "about"));
    read_basic(r, root, out);
    read_functions(r, root, out);
    read_sums(r, root, out);
    read_subnormals(r, root, out);
    read_nan(r, root, out);
    tg_contract_read_rows(r, root, out);
}

tg_status tg_contract_text_read(const char *text, size_t length, tg_contract_text *out,
                                tg_diags *diags)
{
    *out = (tg_contract_text){0};
    TG_TRY(tg_json_scan(text, length, diags));
    tg_json_reader r = {.text = text, .length = length, .arena = &out->arena, .diags = diags};
    cJSON *root = cJSON_ParseWithLength(text, length);
    if (root)
        read_root(&r, root, &out->contract);
    else
        tg_json_no_memory(&r);
    cJSON_Delete(root);
    return r.status;
}

void tg_contract_text_free(tg_contract_text *read) { tg_arena_free(&read->arena); }
