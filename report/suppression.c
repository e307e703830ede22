#include "report/suppression.h"

#include <stdlib.h>
#include <string.h>

void tg_suppression_list_free(tg_suppression_list *list)
{
    tg_arena_free(&list->arena);
    free(list->rules);
    *list = (tg_suppression_list){0};
}

/* ---- patterns ---- */

/* Returns the position after the character at `c`, including all its bytes of UTF-8. */
static const char *behind(const char *c)
{
    do c++;
    while (((unsigned char)*c & 0xc0) == 0x80);
    return c;
}

/* Returns whether the character at `text` matches the one at `pattern`, which is not '*'; if so,
 * advances both. */
static bool step(const char **pattern, const char **text)
{
    if (!**text) return false;
    if (**pattern == '?') {
        *text = behind(*text);
        ++*pattern;
        return true;
    }
    const char *plain = *pattern + (**pattern == '\\' && (*pattern)[1]);
    if (*plain != **text) return false;
    *pattern = plain + 1;
    ++*text;
    return true;
}

bool tg_pattern_fits(const char *pattern, const char *text)
{
    /* Only the last '*' ever needs to match more: the part before it matched, and a later match of
     * that part cannot help. */
    const char *star = NULL, *taken = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            taken = text;
        } else if (!*pattern && !*text) {
            return true;
        } else if (!step(&pattern, &text)) {
            if (!star || !*taken) return false;
            pattern = star;
            text = taken = behind(taken);
        }
    }
}

static bool fits(const char *pattern, const char *text)
{
    return !pattern || tg_pattern_fits(pattern, text);
}

/* ---- source locations ---- */

/* Matches the whole path, or the part after one of its slashes. */
static bool path_fits(const char *pattern, const char *path)
{
    if (tg_pattern_fits(pattern, path)) return true;
    for (const char *slash = path; (slash = strchr(slash, '/')) != NULL;)
        if (tg_pattern_fits(pattern, ++slash)) return true;
    return false;
}

static bool place_fits(const tg_suppressed_place *place, const tg_loc *loc)
{
    if (!place->file) return true;
    return loc->line >= place->first && loc->line <= place->last &&
           path_fits(place->file, loc->file);
}

static bool other_place_fits(const tg_suppressed_place *place, const tg_module *module,
                             const tg_found *found)
{
    if (!place->file) return true;
    for (uint32_t i = 0; i < found->related_count; i++)
        if (place_fits(place, &module->locs[found->related[i].at.loc])) return true;
    return false;
}

/* ---- findings ---- */

bool tg_suppression_concerns(const tg_suppression_rule *rule, const char *kernel)
{
    return fits(rule->kernel, kernel);
}

static const char *written_of(const tg_found *found)
{
    if (found->kind != TG_FINDING_OUTPUT_UNWRITTEN) return "";
    return found->is_partial ? "part" : "nothing";
}

bool tg_suppression_covers(const tg_suppression_rule *rule, const tg_module *module,
                           const tg_kernel *kernel, const tg_found *found)
{
    const tg_loc *loc = &module->locs[found->at.loc];
    const char *op = found->at.op == TG_OP_COUNT ? "" : tg_ops[found->at.op].name;
    return fits(rule->kind, tg_finding_infos[found->kind].name) &&
           fits(rule->kernel, kernel->name) && fits(rule->op, op) &&
           fits(rule->param, found->param ? found->param->name : "") &&
           fits(rule->written, written_of(found)) && fits(rule->function, loc->function) &&
           place_fits(&rule->at, loc) && other_place_fits(&rule->other, module, found);
}
