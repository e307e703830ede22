/* Finding a value again in a text that passed tg_json_scan: nothing is checked here. */
#include <stdbool.h>
#include <string.h>

#include "loaders/json_scan.h"
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

/* Behind the value that starts at `p`. */
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

/* What is wanted of the members of an object or the elements of an array. */
typedef struct wanted {
    bool (*match)(struct wanted *, const char *key, size_t index);
    const tg_path *step;
    const char *pointer; /* what is left of a pointer, from its '/' on */
} wanted;

/* The first child that matches; NULL where there is none or `p` is a scalar. */
static const char *find_child(const char *p, const char *end, wanted *want)
{
    if (*p != '{' && *p != '[') return NULL;
    bool is_object = *p == '{';
    p = skip_space(p + 1, end);
    for (size_t index = 0; *p != '}' && *p != ']'; index++) {
        const char *key = is_object ? p + 1 : NULL;
        if (is_object) p = skip_space(skip_space(skip_string(p), end) + 1, end); /* 1: the colon */
        if (want->match(want, key, index)) return p;
        p = skip_space(skip_value(p, end), end);
        if (*p == ',') p = skip_space(p + 1, end);
    }
    return NULL;
}

static bool spells(const char *key, const char *name, size_t length)
{
    tg_json_bytes bytes = {.at = key};
    for (size_t i = 0; i < length; i++)
        if (tg_json_next_byte(&bytes) != (unsigned char)name[i]) return false;
    return tg_json_next_byte(&bytes) < 0;
}

/* -- by path -- */

static bool match_step(wanted *want, const char *key, size_t index)
{
    const tg_path *step = want->step;
    if (!key || !step->key) return !key && !step->key && step->index == index;
    return spells(key, step->key, strlen(step->key));
}

static const char *find_path(const char *root, const char *end, const tg_path *path)
{
    if (!path) return root;
    const char *parent = find_path(root, end, path->up);
    return parent ? find_child(parent, end, &(wanted){.match = match_step, .step = path}) : NULL;
}

/* -- by pointer -- */

/* Printed paths do not escape '/', so a key may itself hold some: the longest reading of the
 * pointer that is a key wins, since an object whose keys are "a" and "a/b" is none of ours. */
static bool match_pointer(wanted *want, const char *key, size_t index)
{
    const char *name = want->pointer + 1;
    size_t length = strcspn(name, "/");
    if (!key) {
        size_t number = 0;
        if (length == 0 || length > 18 || strspn(name, "0123456789") < length) return false;
        for (size_t i = 0; i < length; i++) number = 10 * number + (size_t)(name[i] - '0');
        if (number != index) return false;
    } else {
        while (!spells(key, name, length)) {
            if (!name[length]) return false;
            length += 1 + strcspn(name + length + 1, "/");
        }
    }
    want->pointer = name + length;
    return true;
}

static int64_t offset_of(const char *text, const char *found) { return found ? found - text : -1; }

int64_t tg_json_locate_path(const char *text, size_t length, const tg_path *path)
{
    const char *end = text + length, *root = skip_space(text, end);
    return offset_of(text, find_path(root, end, path));
}

int64_t tg_json_locate(const char *text, size_t length, const char *pointer)
{
    const char *end = text + length, *p = skip_space(text, end);
    wanted want = {.match = match_pointer, .pointer = pointer};
    while (p && *want.pointer) p = *want.pointer == '/' ? find_child(p, end, &want) : NULL;
    return offset_of(text, p);
}
