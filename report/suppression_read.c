/* Reads suppression files line by line: blocks in braces, each with a name and then lines of "key:
 * pattern". */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/utf8.h"
#include "report/suppression.h"

typedef struct reader {
    tg_suppression_list *list;
    const char *file;
    int64_t line;
    bool is_open;
    tg_suppression_rule rule; /* the current block */
    tg_diags *diags;
    tg_status worst;
} reader;

/* Reports what is wrong in line `line`. */
TG_PRINTF(4, 5)
static void fail(reader *r, tg_status status, int64_t line, const char *format, ...)
{
    char before[sizeof r->diags->file], message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    memcpy(before, r->diags->file, sizeof before);
    snprintf(r->diags->file, sizeof r->diags->file, "%.480s:%" PRId64, r->file, line);
    tg_fail(r->diags, status, NULL, "%s", message);
    memcpy(r->diags->file, before, sizeof before);
    if (r->worst == TG_OK || status == TG_ERR_NO_MEMORY) r->worst = status;
}

static void no_memory(reader *r)
{
    fail(r, TG_ERR_NO_MEMORY, r->line, "no memory for suppressions");
}

/* ---- values ---- */

static const struct key {
    const char *name;
    size_t offset;
    bool is_place;
} keys[] = {
    {"kind", offsetof(tg_suppression_rule, kind), false},
    {"kernel", offsetof(tg_suppression_rule, kernel), false},
    {"op", offsetof(tg_suppression_rule, op), false},
    {"param", offsetof(tg_suppression_rule, param), false},
    {"function", offsetof(tg_suppression_rule, function), false},
    {"written", offsetof(tg_suppression_rule, written), false},
    {"at", offsetof(tg_suppression_rule, at), true},
    {"other", offsetof(tg_suppression_rule, other), true},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Returns the digits from `text` to `end` as a line number; 0 if they are not one. */
static int64_t line_number(const char *text, const char *end)
{
    int64_t number = 0;
    for (const char *c = text; c < end; c++) {
        if (*c < '0' || *c > '9' || number > INT64_MAX / 10 - 1) return 0;
        number = 10 * number + (*c - '0');
    }
    return number;
}

/* Reads "FILE", "FILE:LINE" or "FILE:FIRST-LAST".  The part after the last colon is a line only if
 * it looks like one. */
static void read_place(reader *r, char *text, tg_suppressed_place *out)
{
    char *colon = strrchr(text, ':');
    *out = (tg_suppressed_place){text, 0, INT64_MAX};
    if (!colon || colon[1 + strspn(colon + 1, "0123456789-")] != '\0') return;
    const char *end = colon + strlen(colon), *dash = strchr(colon, '-');
    out->first = line_number(colon + 1, dash ? dash : end);
    out->last = dash ? line_number(dash + 1, end) : out->first;
    if (colon == text || out->first < 1 || out->last < out->first)
        fail(r, TG_ERR_INVALID, r->line, "'%.200s' is no FILE, FILE:LINE or FILE:FIRST-LAST", text);
    *colon = '\0';
}

/* A pattern for a key with a fixed set of values must match one of them, so that a typo cannot make
 * the rule useless. */
static void check_known(reader *r, const char *key, const char *pattern)
{
    if (strcmp(key, "written") == 0 && !tg_pattern_fits(pattern, "part") &&
        !tg_pattern_fits(pattern, "nothing"))
        fail(r, TG_ERR_INVALID, r->line, "'%.200s' is neither part nor nothing", pattern);
    bool is_known = strcmp(key, "kind") != 0 && strcmp(key, "op") != 0;
    for (size_t i = 0; key[0] == 'k' && i < TG_FINDING_KIND_COUNT; i++)
        is_known = is_known || tg_pattern_fits(pattern, tg_finding_infos[i].name);
    for (size_t i = 0; key[0] == 'o' && i < TG_OP_COUNT; i++)
        is_known = is_known || tg_pattern_fits(pattern, tg_ops[i].name);
    if (!is_known)
        fail(r, TG_ERR_INVALID, r->line, "no %s is called '%.200s'",
             key[0] == 'k' ? "kind of finding" : "operation", pattern);
}

static const struct key *find_key(const char *name, size_t length)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0)
            return &keys[i];
    return NULL;
}

/* reads "key: pattern" */
static void read_pattern(reader *r, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon) {
        fail(r, TG_ERR_SYNTAX, r->line, "'%.200s' is no \"KEY: PATTERN\"", line);
        return;
    }
    const struct key *key = find_key(line, (size_t)(colon - line));
    char *value = colon + 1 + strspn(colon + 1, " \t");
    if (!key) {
        fail(r, TG_ERR_INVALID, r->line,
             "'%.*s' is none of kind, kernel, op, param, function, written, at and other",
             (int)(colon - line < 100 ? colon - line : 100), line);
        return;
    }
    const char **text = (const char **)(void *)((char *)&r->rule + key->offset);
    if (*text)
        fail(r, TG_ERR_INVALID, r->line, "a second '%s' in one block", key->name);
    else if (!*value)
        fail(r, TG_ERR_INVALID, r->line, "'%s' has no pattern", key->name);
    else if (key->is_place)
        read_place(r, value, (tg_suppressed_place *)(void *)text);
    else
        check_known(r, key->name, *text = value);
}

/* ---- blocks ---- */

static void open_block(reader *r)
{
    r->is_open = true;
    r->rule = (tg_suppression_rule){.file = r->file, .line = r->line};
}

static void close_block(reader *r)
{
    tg_suppression_list *list = r->list;
    r->is_open = false;
    if (!r->rule.name)
        fail(r, TG_ERR_SYNTAX, r->rule.line, "a block without a name");
    else if (!r->rule.kind)
        fail(r, TG_ERR_INVALID, r->rule.line, "'%.200s' has no 'kind'", r->rule.name);
    tg_suppression_rule *rules =
        tg_list_grow(list->rules, list->count, &list->capacity, sizeof *rules);
    if (!rules) {
        no_memory(r);
        return;
    }
    list->rules = rules;
    list->rules[list->count++] = r->rule;
}

/* Reads a line whose surrounding blanks are removed. */
static void read_line(reader *r, char *line)
{
    if (!line[0] || line[0] == '#') return;
    if (strcmp(line, "{") == 0 && !r->is_open)
        open_block(r);
    else if (strcmp(line, "}") == 0 && r->is_open)
        close_block(r);
    else if (!r->is_open)
        fail(r, TG_ERR_SYNTAX, r->line, "'%.200s' stands outside a block; '{' opens one", line);
    else if (strcmp(line, "{") == 0)
        fail(r, TG_ERR_SYNTAX, r->line, "'{' in a block that line %" PRId64 " has opened",
             r->rule.line);
    else if (!r->rule.name)
        r->rule.name = line;
    else
        read_pattern(r, line);
}

/* ---- text ---- */

/* Returns what is wrong with the bytes of a line, or NULL. */
static const char *problem_of(const char *at, const char *end)
{
    for (int length; at < end; at += length) {
        length = tg_utf8_length(at, end);
        if (!length) return "not UTF-8";
        if (((unsigned char)*at < 0x20 && *at != '\t') || *at == 0x7f) return "a control character";
    }
    return NULL;
}

/* Copies a line, without its end, into the arena. */
static void take_line(reader *r, const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    const char *problem = problem_of(at, end);
    if (problem) {
        fail(r, TG_ERR_SYNTAX, r->line, "%s", problem);
        return;
    }
    char *line = tg_arena_take(&r->list->arena, (size_t)(end - at) + 1, 1);
    if (!line) {
        no_memory(r);
        return;
    }
    if (end > at) memcpy(line, at, (size_t)(end - at));
    read_line(r, line);
}

tg_status tg_suppression_list_read(tg_suppression_list *list, const char *text, size_t length,
                                   const char *file, tg_diags *diags)
{
    const size_t before = list->count;
    reader r = {.list = list, .line = 0, .diags = diags};
    r.file = tg_arena_text(&list->arena, file ? file : "");
    if (!r.file) return tg_no_memory(diags);
    const char *end = text + length;
    for (const char *at = text; at < end && r.worst != TG_ERR_NO_MEMORY;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        r.line++;
        take_line(&r, at, stop);
        at = stop < end ? stop + 1 : end;
    }
    if (r.is_open) fail(&r, TG_ERR_SYNTAX, r.rule.line, "this block is not closed");
    if (r.worst != TG_OK) list->count = before;
    return r.worst;
}
