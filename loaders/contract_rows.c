#include "loaders/contract_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loaders/contract_member.h"

#define AT(above, name) (&(tg_path){.up = (above), .key = (name)})

/* Of a member that may be missing; then *out stays as it is. */
static bool read_member(tg_json_reader *r, const cJSON *object, const tg_path *at, const char *key,
                        double *out)
{
    const cJSON *item = tg_json_member(object, key);
    return !item || tg_contract_number(r, item, AT(at, key), 0, 0x1p100, out);
}

static bool read_dtype(tg_json_reader *r, const cJSON *object, const tg_path *at, const char *key,
                       tg_dtype *out)
{
    const cJSON *item = tg_json_member(object, key);
    *out = (tg_dtype)TG_ANY_DTYPE;
    if (!item) return true;
    const char *text = tg_json_text(r, item, AT(at, key));
    if (!text) return false;
    *out = tg_dtype_by_name(text);
    if (*out < TG_DT_COUNT && tg_is_float(*out)) return true;
    return tg_json_problem(r, TG_ERR_INVALID, AT(at, key), "\"%s\" is no dtype of floats", text);
}

/* A dtype, "tf32", or e and m with numbers of bits: e8m13. */
static bool parse_format(const char *text, tg_format *out)
{
    const tg_dtype dtype = tg_dtype_by_name(text);
    char end;
    if (dtype < TG_DT_COUNT && tg_is_float(dtype)) {
        out->exp_bits = tg_dtypes[dtype].exp_bits;
        out->man_bits = tg_dtypes[dtype].man_bits;
    } else if (strcmp(text, "tf32") == 0) {
        *out = (tg_format){.exp_bits = 8, .man_bits = 10};
    } else if (strlen(text) > 6 || strspn(text, "em0123456789") < strlen(text) ||
               sscanf(text, "e%2dm%2d%c", &out->exp_bits, &out->man_bits, &end) != 2) {
        return false;
    }
    return out->exp_bits >= 4 && out->exp_bits <= 11 && out->man_bits >= 1 && out->man_bits <= 52;
}

static bool read_format(tg_json_reader *r, const cJSON *object, const tg_path *at, bool may_be_own,
                        tg_format *out)
{
    static const char *const roundings[] = {"rn", "rz", NULL};
    const cJSON *item = tg_json_need(r, object, at, "format");
    const char *text = item ? tg_json_text(r, item, AT(at, "format")) : NULL;
    const int rounding = tg_contract_choice(r, object, at, "rounding", roundings);
    *out = (tg_format){0};
    if (text && !(may_be_own && strcmp(text, "own") == 0) && !parse_format(text, out))
        return tg_json_problem(r, TG_ERR_INVALID, AT(at, "format"),
                               "\"%s\" is no format: f32, tf32, e8m13, of 4 to 11 bits of exponent "
                               "and 1 to 52 of mantissa%s",
                               text, may_be_own ? ", or own" : "");
    out->truncates = rounding == 1;
    return text && rounding >= 0;
}

/* ---- rows ---- */

static bool read_range(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_accuracy *out)
{
    const cJSON *none = tg_json_member(item, "bounded");
    bool is_bounded = true;
    out->to = (double)INFINITY;
    if (none && !tg_json_bool(r, none, AT(at, "bounded"), &is_bounded)) return false;
    if (!read_member(r, item, at, "from", &out->from) || !read_member(r, item, at, "to", &out->to))
        return false;
    if (!is_bounded) out->from = out->to = -1;
    if (out->from < out->to || !is_bounded) return true;
    return tg_json_problem(r, TG_ERR_INVALID, at, "\"from\" is not less than \"to\"");
}

static bool read_op(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_accuracy *out)
{
    const cJSON *op = tg_json_need(r, item, at, "op");
    const char *name = op ? tg_json_text(r, op, AT(at, "op")) : NULL;
    if (!name) return false;
    out->op = tg_op_by_name(name);
    if (out->op < TG_OP_COUNT && tg_contract_may_list(out->op)) return true;
    return tg_json_problem(r, TG_ERR_INVALID, AT(at, "op"),
                           "\"%s\" is no operation on floats, element by element, that rounds",
                           name);
}

static bool read_accuracy(tg_json_reader *r, const cJSON *item, const tg_path *at, void *entry)
{
    static const char *const known[] = {
        "op",  "dtype",    "bounded",         "from",   "to",
        "ulp", "absolute", "ulp_per_operand", "source", "absolute_per_operand",
        NULL};
    tg_accuracy *out = entry;
    if (!tg_json_known_keys(r, item, at, known) || !read_op(r, item, at, out) ||
        !read_dtype(r, item, at, "dtype", &out->dtype) || !read_range(r, item, at, out) ||
        !read_member(r, item, at, "ulp", &out->ulp) ||
        !read_member(r, item, at, "ulp_per_operand", &out->ulp_per_operand) ||
        !read_member(r, item, at, "absolute", &out->absolute) ||
        !read_member(r, item, at, "absolute_per_operand", &out->absolute_per_operand) ||
        !tg_contract_source(r, item, at, &out->source))
        return false;
    if (out->to < 0 || out->ulp >= 0.5 || out->absolute > 0 || out->absolute_per_operand > 0)
        return true;
    return tg_json_problem(r, TG_ERR_INVALID, at,
                           "no result is nearer than 0.5 ULP: it needs \"ulp\" or \"absolute\"");
}

static bool read_accumulator(tg_json_reader *r, const cJSON *item, const tg_path *at, void *entry)
{
    static const char *const known[] = {"of",      "operands", "format", "rounding",
                                        "aligned", "source",   NULL},
                             *const of[] = {"sum", "dot", NULL};
    tg_accumulator *out = entry;
    const cJSON *aligned = tg_json_member(item, "aligned");
    int64_t terms = 0;
    if (!tg_json_known_keys(r, item, at, known)) return false;
    const int which = tg_contract_choice(r, item, at, "of", of);
    out->of_dot = which == 1;
    if (which < 0 || !read_dtype(r, item, at, "operands", &out->operands) ||
        !read_format(r, item, at, which == 0, &out->format) ||
        !tg_contract_source(r, item, at, &out->source))
        return false;
    if (aligned && !tg_json_int(r, aligned, AT(at, "aligned"), 1, 1 << 20, &terms)) return false;
    out->aligned = (int)terms;
    return true;
}

static bool read_operand(tg_json_reader *r, const cJSON *item, const tg_path *at, void *entry)
{
    static const char *const known[] = {"dtype", "format", "rounding", "source", NULL};
    tg_operand_format *out = entry;
    return tg_json_known_keys(r, item, at, known) && tg_json_need(r, item, at, "dtype") &&
           read_dtype(r, item, at, "dtype", &out->dtype) &&
           read_format(r, item, at, false, &out->format) &&
           tg_contract_source(r, item, at, &out->source);
}

/* Reads a list of objects of `size` bytes, which may be missing. */
static void *read_list(tg_json_reader *r, const cJSON *root, const char *key, size_t size,
                       bool (*read)(tg_json_reader *r, const cJSON *item, const tg_path *at,
                                    void *entry),
                       size_t *count)
{
    const tg_path *above = AT(NULL, key);
    tg_path at = {.up = above};
    const cJSON *list = tg_json_member(root, key);
    if (list && !tg_json_list(r, list, above)) return NULL;
    const size_t all = list ? tg_json_count(list) : 0;
    char *entries = tg_json_take(r, all, size);
    for (const cJSON *i = list ? list->child : NULL; i && entries; i = i->next, at.index++)
        if (tg_json_object(r, i, &at)) read(r, i, &at, entries + at.index * size);
    *count = all;
    return entries;
}

/* Ranges of an op follow one another, from 0 on; one op and dtype has few. */
static bool check_ranges(tg_json_reader *r, const tg_contract *c)
{
    for (size_t i = 0; i < c->accuracy_count; i++) {
        const tg_accuracy *row = &c->accuracies[i];
        double end = row->from < 0 ? row->from : 0;
        int before = 0;
        for (size_t k = 0; k < i; k++) {
            if (c->accuracies[k].op != row->op || c->accuracies[k].dtype != row->dtype) continue;
            end = c->accuracies[k].to;
            before++;
        }
        const tg_path at = {.up = AT(NULL, "accuracies"), .index = i};
        if (before >= TG_MOST_RANGES || (before > 0 && end < 0) || row->from != end)
            return tg_json_problem(r, TG_ERR_INVALID, &at,
                                   "ranges of an operation follow one another, the first from 0, "
                                   "and are at most %d; this begins at %.9g, not %.9g",
                                   (int)TG_MOST_RANGES, row->from, end);
    }
    return true;
}

static bool check_unique(tg_json_reader *r, const tg_contract *c)
{
    for (size_t i = 0; i < c->accumulator_count; i++)
        for (size_t k = 0; k < i; k++)
            if (c->accumulators[k].of_dot == c->accumulators[i].of_dot &&
                c->accumulators[k].operands == c->accumulators[i].operands)
                return tg_json_problem(r, TG_ERR_INVALID,
                                       &(tg_path){.up = AT(NULL, "accumulators"), .index = i},
                                       "a second entry for the same operands");
    for (size_t i = 0; i < c->operand_count; i++)
        for (size_t k = 0; k < i; k++)
            if (c->operands[k].dtype == c->operands[i].dtype)
                return tg_json_problem(r, TG_ERR_INVALID,
                                       &(tg_path){.up = AT(NULL, "operands"), .index = i},
                                       "a second entry for the same dtype");
    return true;
}

bool tg_contract_read_rows(tg_json_reader *r, const cJSON *root, tg_contract *out)
{
    out->accuracies = read_list(r, root, "accuracies", sizeof *out->accuracies, read_accuracy,
                                &out->accuracy_count);
    out->accumulators = read_list(r, root, "accumulators", sizeof *out->accumulators,
                                  read_accumulator, &out->accumulator_count);
    out->operands =
        read_list(r, root, "operands", sizeof *out->operands, read_operand, &out->operand_count);
    return r->status == TG_OK && check_ranges(r, out) && check_unique(r, out);
}
