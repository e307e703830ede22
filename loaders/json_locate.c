/* Finds a value again in a text that passed tg_json_scan, so this code checks nothing. */
#include "loaders/json_locate.h"

#include <stdbool.h>
#include <string.h>

#include "loaders/json_string.h"

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    return p;
}

static const char *skip_string(const char *quote)
{
    const char *p = quote + 1;
    for (; *p != '"'; p++) p += *p == '\\';
    return p + 1;
}

/* Returns the end of the value that starts at `p`. */
static const char *skip_value(const char *p, const char *end)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        if (*p == '{' || *p == '[')
            depth++;
        else if (*p == '}' || *p == ']')
            depth--;
        else if (depth == 0) { /* a number or a word ends where punctuation begins */
            while (p < end && !strchr(",]} \n\t\r", *p)) p++;
            return p;
        }
        p++;
    } while (depth > 0);
    return p;
}

static bool spells(const char *key, const char *name)
{
    tg_json_bytes bytes = {.at = key};
    for (; *name; name++)
        if (tg_json_next_byte(&bytes) != (unsigned char)*name) return false;
    return tg_json_next_byte(&bytes) < 0;
}

static bool leads_to(const tg_path *step, const char *key, size_t index)
{
    if (!key || !step->key) return !key && !step->key && step->index == index;
    return spells(key, step->key);
}

/* Returns the first child that matches the step; NULL if there is none or `p` is a scalar. */
static const char *find_child(const char *p, const char *end, const tg_path *step)
{
    if (*p != '{' && *p != '[') return NULL;
    bool is_object = *p == '{';
    p = skip_space(p + 1, end);
    for (size_t index = 0; *p != '}' && *p != ']'; index++) {
        const char *key = is_object ? p + 1 : NULL;
        if (is_object) p = skip_space(skip_space(skip_string(p), end) + 1, end); /* 1: the colon */
        if (leads_to(step, key, index)) return p;
        p = skip_space(skip_value(p, end), end);
        if (*p == ',') p = skip_space(p + 1, end);
    }
    return NULL;
}

static const char *find_path(const char *root, const char *end, const tg_path *path)
{
    if (!path) return root;
    const char *parent = find_path(root, end, path->up);
    return parent ? find_child(parent, end, path) : NULL;
}

int64_t tg_json_locate(const char *text, size_t length, const tg_path *path)
{
    const char *end = text + length, *found = find_path(skip_space(text, end), end, path);
    return found ? found - text : -1;
}
