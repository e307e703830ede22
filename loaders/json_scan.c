/* One loop over the text with a stack of the open arrays and objects; no recursion. */
#include "loaders/json_scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "loaders/json_string.h"

/* An open array or object.  The keys of an object stay on the stack of keys, from `first_key` on,
 * until the object closes and they are compared. */
typedef struct frame {
    bool is_object;
    size_t index;     /* arrays: the element being read */
    size_t first_key; /* objects */
    bool in_member;   /* objects: its last key names the value being read */
} frame;

typedef struct scanner {
    const char *text, *at, *end;
    tg_diags *diags;
    tg_status status;
    const char **keys; /* opening quotes */
    size_t key_count, key_capacity;
    int depth;
    frame frames[TG_JSON_MAX_DEPTH];
} scanner;

/* -- reporting -- */

/* Returns the key whose value frame `f` is reading, or NULL. */
static const char *current_key(const scanner *s, int f)
{
    if (!s->frames[f].in_member) return NULL;
    size_t end = f + 1 < s->depth ? s->frames[f + 1].first_key : s->key_count;
    return s->keys[end - 1];
}

/* Reports a problem at `at`, on the path to the value being read, or, with a `key`, to that member
 * of the innermost object. */
static bool fail_in(scanner *s, tg_status status, const char *at, const char *key,
                    const char *message)
{
    tg_path path[TG_JSON_MAX_DEPTH];
    char names[2048]; /* more than a printed path holds */
    size_t used = 0;
    const tg_path *top = NULL;
    for (int f = 0; f < s->depth; f++) {
        const char *name = key && f == s->depth - 1 ? key : current_key(s, f);
        path[f] = (tg_path){.up = top, .index = s->frames[f].index};
        if (s->frames[f].is_object) {
            if (!name || used + 1 >= sizeof names) break;
            path[f].key = tg_json_decode(name + 1, names + used, sizeof names - used);
            used += strlen(path[f].key) + 1;
        }
        top = &path[f];
    }
    s->status = tg_fail_at(s->diags, status, top, at - s->text, "%s", message);
    return false;
}

static bool fail(scanner *s, const char *message)
{
    return fail_in(s, TG_ERR_SYNTAX, s->at, NULL, message);
}

/* -- tokens -- */

static void skip_space(scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

/* The next character, or 0 at the end (a NUL in the text is an error wherever this is called). */
static char peek(const scanner *s) { return s->at < s->end ? *s->at : '\0'; }

static bool scan_string(scanner *s)
{
    const char *wrong = tg_json_check_string(&s->at, s->end);
    return wrong ? fail(s, wrong) : true;
}

static bool skip_digits(scanner *s)
{
    const char *start = s->at;
    while (peek(s) >= '0' && peek(s) <= '9') s->at++;
    return s->at > start;
}

static bool scan_number(scanner *s)
{
    const char *start = s->at;
    if (peek(s) == '-') s->at++;
    if (peek(s) == '0') {
        s->at++;
        if (peek(s) >= '0' && peek(s) <= '9') return fail(s, "a number starts with 0");
    } else if (!skip_digits(s))
        return fail(s, "a number lacks its digits");
    if (peek(s) == '.') {
        s->at++;
        if (!skip_digits(s)) return fail(s, "a number lacks digits behind its point");
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-') s->at++;
        if (!skip_digits(s)) return fail(s, "a number lacks the digits of its exponent");
    }
    if (s->at - start > TG_JSON_MAX_NUMBER)
        return fail_in(s, TG_ERR_UNSUPPORTED, start, NULL, "a number is longer than 63 characters");
    return true;
}

static bool scan_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return fail(s, "a value is missing or unknown");
    s->at += length;
    return true;
}

static bool scan_scalar(scanner *s)
{
    switch (peek(s)) {
    case '"': return scan_string(s);
    case 't': return scan_word(s, "true");
    case 'f': return scan_word(s, "false");
    case 'n': return scan_word(s, "null");
    case '-': return scan_number(s);
    default: break;
    }
    if (peek(s) >= '0' && peek(s) <= '9') return scan_number(s);
    return fail(s, s->at == s->end ? "the text ends too early" : "a value is missing or unknown");
}

/* -- keys -- */

static bool push_key(scanner *s, const char *quote)
{
    const char **keys = tg_list_grow(s->keys, s->key_count, &s->key_capacity, sizeof *keys);
    if (!keys) return fail_in(s, TG_ERR_NO_MEMORY, quote, NULL, "no memory for the keys");
    s->keys = keys;
    s->keys[s->key_count++] = quote;
    return true;
}

/* Scans `"key":` of the innermost object. */
static bool scan_key(scanner *s)
{
    frame *top = &s->frames[s->depth - 1];
    const char *quote = s->at;
    top->in_member = false;
    if (peek(s) != '"') return fail(s, "a key in quotes is missing");
    if (!scan_string(s) || !push_key(s, quote)) return false;
    top->in_member = true;
    skip_space(s);
    if (peek(s) != ':') return fail(s, "':' is missing behind a key");
    s->at++;
    return true;
}

/* Compares keys by their decoded bytes, equal ones by their position. */
static int compare_keys(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    int order = tg_json_compare(a + 1, b + 1);
    return order ? order : (a > b) - (a < b);
}

/* Checks the keys of the closing object for duplicates, and drops them. */
static bool close_keys(scanner *s)
{
    size_t first = s->frames[s->depth - 1].first_key, count = s->key_count - first;
    if (count > 1) qsort(s->keys + first, count, sizeof *s->keys, compare_keys);
    for (size_t i = first; i + 1 < s->key_count; i++)
        if (tg_json_compare(s->keys[i] + 1, s->keys[i + 1] + 1) == 0)
            return fail_in(s, TG_ERR_SYNTAX, s->keys[i + 1], s->keys[i + 1],
                           "the key is there twice");
    s->key_count = first;
    return true;
}

/* -- arrays and objects -- */

static bool open_frame(scanner *s)
{
    if (s->depth == TG_JSON_MAX_DEPTH)
        return fail_in(s, TG_ERR_UNSUPPORTED, s->at, NULL,
                       "arrays and objects are nested too deeply");
    s->frames[s->depth++] = (frame){.is_object = *s->at == '{', .first_key = s->key_count};
    s->at++;
    return true;
}

static bool close_frame(scanner *s)
{
    if (s->frames[s->depth - 1].is_object && !close_keys(s)) return false;
    s->depth--;
    s->at++;
    return true;
}

/* Scans the first token of a value: a whole scalar, or the opening of an array or object, with the
 * first key of an object.  Sets *complete to whether the value has ended. */
static bool scan_start(scanner *s, bool *complete)
{
    *complete = true;
    if (peek(s) != '{' && peek(s) != '[') return scan_scalar(s);
    char closing = peek(s) == '{' ? '}' : ']';
    if (!open_frame(s)) return false;
    skip_space(s);
    if (peek(s) == closing) return close_frame(s);
    *complete = false;
    return closing == '}' ? scan_key(s) : true;
}

/* After a complete value: closes the arrays and objects that end here, and goes to the next value.
 * Sets *done at the end of the text. */
static bool scan_after(scanner *s, bool *done)
{
    for (;;) {
        skip_space(s);
        *done = s->depth == 0;
        if (*done) return s->at == s->end ? true : fail(s, "text follows the value");
        frame *top = &s->frames[s->depth - 1];
        if (peek(s) == (top->is_object ? '}' : ']')) {
            if (!close_frame(s)) return false;
            continue;
        }
        if (s->at == s->end) return fail(s, "the text ends too early");
        if (peek(s) != ',')
            return fail(s, top->is_object ? "',' or '}' is missing" : "',' or ']' is missing");
        s->at++;
        skip_space(s);
        if (top->is_object) return scan_key(s);
        top->index++;
        return true;
    }
}

static bool scan(scanner *s)
{
    for (bool done = false, complete; !done;) {
        skip_space(s);
        if (!scan_start(s, &complete)) return false;
        if (complete && !scan_after(s, &done)) return false;
    }
    return true;
}

tg_status tg_json_scan(const char *text, size_t length, tg_diags *diags)
{
    if (length > TG_JSON_MAX_BYTES)
        return tg_fail_at(diags, TG_ERR_UNSUPPORTED, NULL, 0, "the text is longer than 1 GiB");
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, 0, "the text starts with a byte order mark");
    scanner s = {.text = text, .at = text, .end = text + length, .diags = diags};
    scan(&s);
    free(s.keys);
    return s.status;
}
