/* Kernels in a short notation, run through the public interface in every order and on every instruction
 * set, their outputs compared bit for bit.
 *
 *   grid 4 3a d                         sizes; "a" an arbitrary axis, "d" a dynamic one
 *   input x f32[30] block b8 at i       roles of docs/ir.md; block entries bN, eN, eN:LOW:HIGH, s;
 *   output o f32[30] alias=x            index map by "at" (i j k are program ids, else a number, l: i64) or by a region
 *   body
 *   %10:f32[8] = load %1 [0:8]          params are %1, %2, ... in the body; an index is START:SIZE[:STRIDE]
 *   %11:f32[8] = add %10 %10            with * for a start that is an operand, or @ for a position
 *   %12:f32[8] = for %3 %4 %5 %10 { (%20:i32[] %21:f32[8]) %22:f32[8] = neg %21; yield %22 }
 *   store %2 %12 [0:8] mask=true        attributes are JSON with ' for "; loc=N is a line number of "k.py"
 *
 * Statements end at a line end or ";", also within braces. */
#ifndef TESTS_RUN_TEXT_H
#define TESTS_RUN_TEXT_H

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/text.h"
#include "ir/type.h"
#include "tilegrind/tilegrind.h"

/* ---- notation to JSON ---- */

typedef struct notation {
    const char *at;
    tg_text out;
    int next_id; /* for values the notation does not name */
} notation;

static inline void put_json(notation *n, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cr_assert(length >= 0 && (size_t)length < sizeof text);
    tg_text_put(&n->out, text);
}

static inline void skip_blanks(notation *n, bool lines)
{
    while (*n->at == ' ' || (lines && (*n->at == '\n' || *n->at == ';'))) n->at++;
}

static inline bool at_end(const notation *n)
{
    return *n->at == '\0' || strchr("\n;{}", *n->at) != NULL;
}

static inline bool take_word(notation *n, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(n, false);
    if (strncmp(n->at, word, length) != 0 || isalnum((unsigned char)n->at[length]) ||
        n->at[length] == '_')
        return false;
    n->at += length;
    skip_blanks(n, false);
    return true;
}

/* A run of characters up to a blank outside brackets and quotes. */
static inline char *take_token(notation *n, char *out, size_t size)
{
    int depth = 0;
    bool quoted = false;
    size_t used = 0;
    skip_blanks(n, false);
    for (; *n->at && (depth > 0 || quoted || !strchr(" \n;{}()", *n->at)); n->at++) {
        if (*n->at == '\'') quoted = !quoted;
        if (!quoted) depth += (*n->at == '[') - (*n->at == ']');
        cr_assert(used + 1 < size, "a token is too long: %.40s", n->at);
        out[used++] = *n->at == '\'' ? '"' : *n->at;
    }
    out[used] = '\0';
    cr_assert(used > 0, "no token at \"%.40s\"", n->at);
    return out;
}

/* "%5:i32[4]" */
static inline void put_value(notation *n, const char *token)
{
    const char *colon = strchr(token, ':');
    cr_assert(colon && token[0] == '%', "no value: %s", token);
    put_json(n, "{\"id\": %d, \"type\": \"%s\"}", atoi(token + 1), colon + 1);
}

/* "[0:8, *:4:2, @]" */
static inline void put_index(notation *n, const char *token)
{
    put_json(n, ", \"index\": [");
    for (const char *p = token + 1; *p && *p != ']';) {
        char start[32] = "null", size[32], stride[32] = "1";
        if (p != token + 1) put_json(n, ", ");
        while (*p == ' ' || *p == ',') p++;
        if (*p == '@') {
            put_json(n, "[\"at\"]");
            p++;
        } else {
            if (*p == '*')
                p++;
            else if (sscanf(p, "%31[0-9]", start) == 1)
                p += strlen(start);
            cr_assert(*p == ':' && sscanf(++p, "%31[0-9]", size) == 1, "no slice: %s", token);
            p += strlen(size);
            if (*p == ':' && sscanf(++p, "%31[0-9]", stride) == 1) p += strlen(stride);
            put_json(n, "[\"slice\", %s, %s, %s]", start, size, stride);
        }
        while (*p == ' ' || *p == ',') p++;
    }
    put_json(n, "]");
}

static inline void put_region(notation *n);

/* One statement; false where there is a "yield" or an end instead. */
static inline bool put_statement(notation *n)
{
    char tokens[48][1024];
    int count = 0, equals = -1;
    skip_blanks(n, true);
    if (*n->at == '\0' || *n->at == '}' || strncmp(n->at, "yield", 5) == 0) return false;
    while (skip_blanks(n, false), !at_end(n)) {
        take_token(n, tokens[count], sizeof tokens[count]);
        if (strcmp(tokens[count], "=") == 0) equals = count;
        cr_assert(++count < 48);
    }
    put_json(n, "{\"op\": \"%s\"", tokens[equals + 1]);
    const char *comma = ", \"in\": [";
    for (int i = equals + 2; i < count; i++) {
        if (tokens[i][0] != '%') continue;
        put_json(n, "%s%s", comma, tokens[i] + 1);
        comma = ", ";
    }
    if (comma[2] == '\0') put_json(n, "]");
    for (int i = 0; i < equals; i++) {
        put_json(n, i ? ", " : ", \"out\": [");
        put_value(n, tokens[i]);
        if (i == equals - 1) put_json(n, "]");
    }
    for (int i = equals + 2; i < count; i++) {
        char *value = strchr(tokens[i], '=');
        if (tokens[i][0] == '[')
            put_index(n, tokens[i]);
        else if (tokens[i][0] != '%' && value)
            put_json(n, ", \"%.*s\": %s", (int)(value - tokens[i]), tokens[i], value + 1);
    }
    bool has_regions = *n->at == '{';
    for (int r = 0; *n->at == '{'; r++) {
        put_json(n, r ? ", " : ", \"regions\": [");
        put_region(n);
        skip_blanks(n, false);
    }
    if (has_regions) put_json(n, "]");
    put_json(n, "}");
    return true;
}

static inline void put_ops(notation *n)
{
    char token[64];
    put_json(n, "\"ops\": [");
    for (bool first = true;; first = false) {
        size_t length = n->out.length;
        if (!first) put_json(n, ",\n ");
        if (put_statement(n)) continue;
        n->out.length = length;
        break;
    }
    put_json(n, "]");
    if (!take_word(n, "yield")) return;
    put_json(n, ", \"yield\": [");
    for (bool first = true; skip_blanks(n, true), *n->at == '%'; first = false)
        put_json(n, "%s%s", first ? "" : ", ", take_token(n, token, sizeof token) + 1);
    put_json(n, "]");
}

/* "{ (%1:i32[] ...) statements yield %2 ... }" */
static inline void put_region(notation *n)
{
    char token[256];
    put_json(n, "{");
    n->at++;
    skip_blanks(n, true);
    if (*n->at == '(') {
        put_json(n, "\"args\": [");
        n->at++;
        for (bool first = true; skip_blanks(n, true), *n->at != ')'; first = false) {
            if (!first) put_json(n, ", ");
            put_value(n, take_token(n, token, sizeof token));
        }
        n->at++;
        put_json(n, "], ");
    }
    put_ops(n);
    skip_blanks(n, true);
    cr_assert(*n->at == '}', "no } at \"%.40s\"", n->at);
    n->at++;
    put_json(n, "}");
}

/* ---- the launch ---- */

typedef struct launch_notes {
    int axes, params, prefetches;
    char ref[32][128]; /* type of each param's ref */
    char prefetch[8][64];
} launch_notes;

static inline void put_grid(notation *n, launch_notes *notes)
{
    char token[64];
    put_json(n, "\"grid\": [");
    while (skip_blanks(n, false), !at_end(n)) {
        take_token(n, token, sizeof token);
        if (notes->axes++) put_json(n, ", ");
        bool arbitrary = token[strlen(token) - 1] == 'a';
        if (token[0] == 'd')
            put_json(n, "{\"size\": \"dynamic\"");
        else
            put_json(n, "{\"size\": %d", atoi(token));
        put_json(n, arbitrary ? ", \"semantics\": \"arbitrary\"}" : "}");
    }
    put_json(n, "]");
}

/* Whether an index map by "at" follows. */
static inline bool put_block(notation *n, const char *type, char *ref)
{
    bool has_map = false;
    char token[64], dims[96] = "";
    put_json(n, ", \"block\": [");
    for (bool first = true; !at_end(n) && !(has_map = take_word(n, "at")); first = false) {
        take_token(n, token, sizeof token);
        skip_blanks(n, false);
        long long size = 0, low = 0, high = 0;
        sscanf(token + 1, "%lld:%lld:%lld", &size, &low, &high);
        if (!first) put_json(n, ", ");
        if (token[0] == 's')
            put_json(n, "\"squeezed\"");
        else if (token[0] == 'b')
            put_json(n, "{\"blocked\": %lld}", size);
        else
            put_json(n, "{\"element\": %lld, \"pad\": [%lld, %lld]}", size, low, high);
        if (token[0] != 's')
            snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%s%lld", *dims ? "," : "",
                     size);
    }
    put_json(n, "]");
    snprintf(ref, 128, "ref<%.*s[%s]>", (int)strcspn(type, "["), type, dims);
    return has_map;
}

/* The rest of "at i 0": an index map with a constant for each number. */
static inline void put_map(notation *n, const launch_notes *notes)
{
    char token[64];
    int first = n->next_id, ids[TG_MAX_RANK], rank = 0;
    bool comma = false;
    put_json(n, ", \"index_map\": {\"args\": [");
    for (int a = 0; a < notes->axes; a++)
        put_json(n, "%s{\"id\": %d, \"type\": \"i32[]\"}", a ? ", " : "", n->next_id++);
    for (int p = 0; p < notes->prefetches; p++)
        put_json(n, "%s{\"id\": %d, \"type\": \"ref<%s>\"}", p || notes->axes ? ", " : "",
                 n->next_id++, notes->prefetch[p]);
    put_json(n, "], \"ops\": [");
    while (skip_blanks(n, false), !at_end(n)) {
        take_token(n, token, sizeof token);
        if (token[0] >= 'i' && token[0] <= 'k') {
            ids[rank++] = first + token[0] - 'i';
            continue;
        }
        bool is_long = token[0] == 'l';
        put_json(n,
                 "%s{\"op\": \"constant\", \"out\": [{\"id\": %d, \"type\": \"%s[]\"}], \"value\": "
                 "\"%s\"}",
                 comma ? ", " : "", ids[rank++] = n->next_id++, is_long ? "i64" : "i32",
                 token + is_long);
        comma = true;
    }
    put_json(n, "], \"yield\": [");
    for (int d = 0; d < rank; d++) put_json(n, "%s%d", d ? ", " : "", ids[d]);
    put_json(n, "]}");
}

static inline void put_param(notation *n, const char *role, launch_notes *notes)
{
    char name[64], type[128], alias[64];
    take_token(n, name, sizeof name);
    take_token(n, type, sizeof type);
    if (notes->params) put_json(n, ", ");
    put_json(n, "{\"name\": \"%s\", \"role\": \"%s\", \"type\": \"%s\"", name, role, type);
    snprintf(notes->ref[notes->params], sizeof notes->ref[0], "ref<%.100s>", type);
    if (strcmp(role, "prefetch") == 0)
        snprintf(notes->prefetch[notes->prefetches++], 64, "%.60s", type);
    skip_blanks(n, false);
    if (strncmp(n->at, "alias=", 6) == 0)
        put_json(n, ", \"alias\": \"%s\"", take_token(n, alias, sizeof alias) + 6);
    skip_blanks(n, false);
    if (take_word(n, "block") && put_block(n, type, notes->ref[notes->params])) put_map(n, notes);
    if (*n->at == '{') {
        put_json(n, ", \"index_map\": ");
        put_region(n);
    }
    put_json(n, "}");
    notes->params++;
}

/* The module as JSON; the caller frees it.  Location N is line N of k.py. */
static inline char *json_of(const char *text)
{
    static const char *const roles[] = {"prefetch", "input", "output", "scratch"};
    notation n = {.at = text, .next_id = 100000};
    launch_notes notes = {0};
    put_json(&n, "{\"tilegrind\": \"0.1\", \"locations\": [");
    for (int line = 1; line <= 9; line++)
        put_json(&n, "%s{\"file\": \"k.py\", \"line\": %d, \"function\": \"f\"}",
                 line > 1 ? ", " : "", line);
    put_json(&n, "],\n\"kernels\": [{\"name\": \"k\", \"loc\": 9, ");
    skip_blanks(&n, true);
    if (take_word(&n, "grid"))
        put_grid(&n, &notes);
    else
        put_json(&n, "\"grid\": []");
    put_json(&n, ",\n\"params\": [");
    while (skip_blanks(&n, true), !take_word(&n, "body")) {
        int role = 0;
        while (role < 4 && !take_word(&n, roles[role])) role++;
        cr_assert(role < 4, "no param at \"%.40s\"", n.at);
        put_param(&n, roles[role], &notes);
    }
    put_json(&n, "],\n\"body\": {\"args\": [");
    for (int p = 0; p < notes.params; p++)
        put_json(&n, "%s{\"id\": %d, \"type\": \"%s\"}", p ? ", " : "", p + 1, notes.ref[p]);
    put_json(&n, "], ");
    put_ops(&n);
    put_json(&n, "}}]}");
    cr_assert_eq(*n.at, '\0', "left over: \"%.40s\"", n.at);
    char *json = tg_text_finish(&n.out);
    cr_assert_not_null(json);
    return json;
}

/* ---- running ---- */

static inline void show_errors(const tg_errors *errors)
{
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error e = tg_errors_get(errors, i);
        fprintf(stderr, "  %s at %s: %s\n", tg_status_name(e.status), e.where ? e.where : "",
                e.message);
    }
}

static inline tg_module *load_kernel(const char *text)
{
    char *json = json_of(text);
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = tg_module_load_text(json, strlen(json), &module, errors);
    if (status != TG_OK) {
        show_errors(errors);
        fprintf(stderr, "%s\n", json);
    }
    cr_assert_eq(status, TG_OK, "%s", text);
    tg_errors_free(errors);
    free(json);
    return module;
}

enum { MOST_ARRAYS = 16 };

/* The array of a run, by name.  Ends a list with a NULL name. */
typedef struct named {
    const char *name;
    const void *data; /* of an input the data, of an output what it must be */
} named;

static inline size_t param_bytes(const tg_param_info *param)
{
    size_t bytes = tg_dtypes[tg_dtype_by_name(param->dtype)].bytes;
    for (int d = 0; d < param->rank; d++) bytes *= (size_t)param->shape[d];
    return bytes;
}

static inline tg_array array_of(const tg_param_info *param, void *data)
{
    tg_array array = {.name = param->name};
    array.tensor.data = data;
    array.tensor.device.device_type = 1;
    array.tensor.ndim = param->rank;
    array.tensor.dtype = tg_dtype_to_dlpack(param->dtype);
    array.tensor.shape = (int64_t *)param->shape;
    return array;
}

/* Owned copies of the arrays that `module` wants: inputs from `list`, outputs filled with rubbish. */
typedef struct arrays {
    tg_array list[MOST_ARRAYS];
    size_t bytes[MOST_ARRAYS];
    const void *given[MOST_ARRAYS];
    bool is_output[MOST_ARRAYS];
    size_t count;
} arrays;

static inline arrays make_arrays(const tg_module *module, const named *list)
{
    arrays all = {.count = 0};
    for (size_t p = 0; p < tg_module_param_count(module, NULL); p++) {
        tg_param_info param = tg_module_param(module, NULL, p);
        if (strcmp(param.role, "scratch") == 0) continue;
        size_t bytes = param_bytes(&param), i = all.count++;
        void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
        cr_assert_not_null(data);
        memset(data, 0xA5, bytes);
        const named *it = list;
        while (it->name && strcmp(it->name, param.name) != 0) it++;
        all.is_output[i] = strcmp(param.role, "output") == 0;
        all.given[i] = it->data;
        cr_assert(it->name || all.is_output[i], "no data for %s", param.name);
        if (!all.is_output[i]) memcpy(data, it->data, bytes);
        all.list[i] = array_of(&param, data);
        all.bytes[i] = bytes;
    }
    return all;
}

static inline void free_arrays(arrays *all)
{
    for (size_t i = 0; i < all->count; i++) free(all->list[i].tensor.data);
}

static inline void *array_data(const arrays *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0) return all->list[i].tensor.data;
    cr_assert_fail("no array %s", name);
    return NULL;
}

static inline void compare_arrays(const arrays *all, const char *what)
{
    for (size_t i = 0; i < all->count; i++) {
        const unsigned char *found = all->list[i].tensor.data, *wanted = all->given[i];
        for (size_t b = 0; wanted && b < all->bytes[i]; b++) {
            size_t wide = (size_t)(all->list[i].tensor.dtype.bits + 7) / 8, e = b / wide;
            if (found[b] == wanted[b]) continue;
            uint64_t f = 0, w = 0;
            memcpy(&f, found + e * wide, wide);
            memcpy(&w, wanted + e * wide, wide);
            cr_assert_fail("%s: %s element %zu is %llx, wanted %llx", what, all->list[i].name, e,
                           (unsigned long long)f, (unsigned long long)w);
        }
    }
}

/* Runs the module once; the caller frees the report. */
static inline tg_report *run_once(const tg_module *module, arrays *all,
                                  const tg_run_options *options)
{
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    tg_status status = tg_run(module, NULL, all->list, all->count, options, &report, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK, "order %s", options->order ? options->order : "");
    tg_errors_free(errors);
    return report;
}

static inline void show_findings(const tg_report *report)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        fprintf(stderr, "  %s: %s\n", tg_report_finding(report, i).kind,
                tg_report_finding(report, i).message);
}

static const char *const every_order[] = {"sequential",  "reversed",    "shuffled:1",
                                          "shuffled:77", "parallel:1",  "parallel:2",
                                          "parallel:4",  "interleaved", "interleaved:9"};
enum { ORDERS = sizeof every_order / sizeof *every_order };

static inline void run_in(const tg_module *module, const named *list, tg_run_options options,
                          size_t findings, const char *text)
{
    char what[512];
    arrays all = make_arrays(module, list);
    options.size = sizeof options;
    snprintf(what, sizeof what, "%s on %s: %.400s", options.order,
             options.isa ? options.isa : "best", text);
    tg_report *report = run_once(module, &all, &options);
    if (tg_report_finding_count(report) != findings) show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), findings, "%zu findings, %s",
                 tg_report_finding_count(report), what);
    compare_arrays(&all, what);
    tg_report_free(report);
    free_arrays(&all);
}

/* Runs the kernel in every order, and in one on every instruction set; outputs must be as listed, inputs must
 * stay as they are, and there must be `findings` findings. */
static inline void expect_with(const char *text, const named *list, tg_run_options options,
                               size_t findings)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        options.order = every_order[o];
        run_in(module, list, options, findings, text);
    }
    for (int i = 0; i < 3; i++) {
        options.order = "sequential";
        options.isa = isas[i];
        arrays all = make_arrays(module, list);
        options.size = sizeof options;
        tg_report *report = NULL;
        bool there = tg_run(module, NULL, all.list, all.count, &options, &report, NULL) == TG_OK;
        tg_report_free(report);
        free_arrays(&all);
        if (there) run_in(module, list, options, findings, text);
    }
    tg_module_free(module);
}

static inline void expect(const char *text, const named *list)
{
    expect_with(text, list, (tg_run_options){0}, 0);
}

#define NAMED(...) ((const named[]){__VA_ARGS__, {NULL, NULL}})

#endif
