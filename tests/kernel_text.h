/* Kernels in a short notation, and the JSON that they stand for.
 *
 *   dialect triton                      if it is not xla
 *   grid 4 3a d                         sizes; "a" an arbitrary axis, "p" one declared parallel, "t" one of threads, "d" a dynamic one
 *   input x f32[30] block b8 at i       roles of docs/ir.md; block entries bN, eN, eN:LOW:HIGH, s;
 *   output o f32[30] alias=x space=any  index map by "at" (i j k are program ids, else a number, l: i64) or by a region
 *   scratch b barrier[2] arrivals=2
 *   scratch g sem[] shared
 *   scratch c f32[2,4] cluster=1
 *   scratch s f32[4,4] layout='(4,4):(5,1)'
 *   body
 *   %10:f32[8] = load %1 [0:8]          params are %1, %2, ... in the body; an index is START:SIZE[:STRIDE]
 *   %11:f32[8] = add %10 %10            with * for a start that is an operand, or @ for a position
 *   %12:f32[8] = for %3 %4 %5 %10 { (%20:i32[] %21:f32[8]) %22:f32[8] = neg %21; yield %22 }
 *   %13:ref<f32[8]>'(2,4):(1,2)' = view_layout %2   the layout of a value
 *   store %2 %12 [0:8] mask=true        attributes are JSON with ' for "; loc=N is a line number of "k.py"
 *
 * Statements end at a line end or ";", also within braces. */
#ifndef TESTS_KERNEL_TEXT_H
#define TESTS_KERNEL_TEXT_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ir/type.h"

/* Notations are written by us: a wrong one ends the program. */
#define TEXT_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, __VA_ARGS__);                                                              \
        abort();                                                                                   \
    } while (0)

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
    TEXT_CHECK(length >= 0 && (size_t)length < sizeof text, "a text is too long");
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
        TEXT_CHECK(used + 1 < size, "a token is too long: %.40s", n->at);
        out[used++] = *n->at == '\'' ? '"' : *n->at;
    }
    out[used] = '\0';
    TEXT_CHECK(used > 0, "no token at \"%.40s\"", n->at);
    return out;
}

/* "%5:i32[4]", or with a layout behind it */
static inline void put_value(notation *n, const char *token)
{
    const char *colon = strchr(token, ':'), *layout = strchr(token, '"');
    TEXT_CHECK(colon && token[0] == '%', "no value: %s", token);
    const int length = (int)(layout ? layout - colon : (ptrdiff_t)strlen(colon)) - 1;
    put_json(n, "{\"id\": %d, \"type\": \"%.*s\"", atoi(token + 1), length, colon + 1);
    put_json(n, layout ? ", \"layout\": %s}" : "}", layout);
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
            TEXT_CHECK(*p == ':' && sscanf(++p, "%31[0-9]", size) == 1, "no slice: %s", token);
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
        TEXT_CHECK(++count < 48, "too many tokens");
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
    TEXT_CHECK(*n->at == '}', "no } at \"%.40s\"", n->at);
    n->at++;
    put_json(n, "}");
}

/* ---- the launch ---- */

typedef struct launch_notes {
    int axes, params, prefetches;
    char ref[64][128]; /* type of each param's ref */
    char prefetch[8][64];
} launch_notes;

static inline void put_dialect(notation *n)
{
    char token[64];
    skip_blanks(n, false);
    take_token(n, token, sizeof token);
    put_json(n, "\"dialect\": \"%s\", ", token);
    skip_blanks(n, true);
}

static inline void put_grid(notation *n, launch_notes *notes)
{
    char token[64];
    put_json(n, "\"grid\": [");
    while (skip_blanks(n, false), !at_end(n)) {
        take_token(n, token, sizeof token);
        if (notes->axes++) put_json(n, ", ");
        const char kind = token[strlen(token) - 1];
        if (token[0] == 'd')
            put_json(n, "{\"size\": \"dynamic\"");
        else
            put_json(n, "{\"size\": %d", atoi(token));
        put_json(n, kind == 'a'   ? ", \"semantics\": \"arbitrary\"}"
                    : kind == 'p' ? ", \"semantics\": \"parallel\"}"
                    : kind == 't' ? ", \"semantics\": \"thread\"}"
                                  : "}");
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
    char name[64], type[128], layout[128], alias[64];
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
    if (strncmp(n->at, "space=", 6) == 0)
        put_json(n, ", \"space\": \"%s\"", take_token(n, alias, sizeof alias) + 6);
    skip_blanks(n, false);
    if (strncmp(n->at, "layout=", 7) == 0)
        put_json(n, ", \"layout\": %s", take_token(n, layout, sizeof layout) + 7);
    skip_blanks(n, false);
    if (strncmp(n->at, "arrivals=", 9) == 0)
        put_json(n, ", \"arrivals\": %s", take_token(n, alias, sizeof alias) + 9);
    skip_blanks(n, false);
    if (take_word(n, "shared")) put_json(n, ", \"shared\": true");
    skip_blanks(n, false);
    if (strncmp(n->at, "cluster=", 8) == 0)
        put_json(n, ", \"cluster\": %s", take_token(n, alias, sizeof alias) + 8);
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
    if (take_word(&n, "dialect")) put_dialect(&n);
    if (take_word(&n, "grid"))
        put_grid(&n, &notes);
    else
        put_json(&n, "\"grid\": []");
    put_json(&n, ",\n\"params\": [");
    while (skip_blanks(&n, true), !take_word(&n, "body")) {
        int role = 0;
        while (role < 4 && !take_word(&n, roles[role])) role++;
        TEXT_CHECK(role < 4, "no param at \"%.40s\"", n.at);
        put_param(&n, roles[role], &notes);
    }
    put_json(&n, "],\n\"body\": {\"args\": [");
    for (int p = 0; p < notes.params; p++)
        put_json(&n, "%s{\"id\": %d, \"type\": \"%s\"}", p ? ", " : "", p + 1, notes.ref[p]);
    put_json(&n, "], ");
    put_ops(&n);
    put_json(&n, "}}]}");
    TEXT_CHECK(*n.at == '\0', "left over: \"%.40s\"", n.at);
    char *json = tg_text_finish(&n.out);
    TEXT_CHECK(json, "memory is exhausted");
    return json;
}

#endif
