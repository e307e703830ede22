#include "ir/op.h"

#include <stdio.h>
#include <string.h>

const tg_attr_info tg_attrs[TG_ATTR_COUNT] = {
#define TG_ATTR(id, kind_, names_, means_)                                                         \
    [TG_ATTR_##id] = {.name = #id, .kind = TG_ATTR_KIND_##kind_, .names = names_, .means = means_},
#include "ir/attrs.def"
};

/* The words of the columns `traits` and `refs`. */
enum {
    NONE = 0,
    MEMORY = 0, /* `refs` gives all effects */
    PURE = TG_TRAIT_PURE,
    READS = TG_TRAIT_READS,
    WRITES = TG_TRAIT_WRITES,
    ATOMIC = TG_TRAIT_ATOMIC,
    CONTROL = TG_TRAIT_CONTROL,
    GRID = TG_TRAIT_GRID,
    REPORTS = TG_TRAIT_REPORTS,
    REFERS = TG_TRAIT_REFERS,
    MOVES = TG_TRAIT_MOVES,
    CLOSED = TG_TRAIT_CLOSED,
    REF = TG_IS_REF,
    VALUE = TG_OR_VALUE
};

/* The column `refs`, TG_R(...), as a list and as the combined effects of the op. */
#define REF_LIST(a, b, c, d, e, f, ...)                                                            \
    {                                                                                              \
        REF_WORD(a), REF_WORD(b), REF_WORD(c), REF_WORD(d), REF_WORD(e), REF_WORD(f)               \
    }
#define REF_WORD(word) (word) == NONE ? 0 : (word) | TG_IS_REF
#define REFS_TG_R(...) REF_LIST(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE)
#define ALL_EFFECTS(a, b, c, d, e, f, ...)                                                         \
    (((a) | (b) | (c) | (d) | (e) | (f)) & ~(unsigned)(TG_IS_REF | TG_OR_VALUE))
#define EFFECTS_TG_R(...) ALL_EFFECTS(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE)

/* The column `step`. */
#define TG_OP_none TG_OP_COUNT

const tg_op_info tg_ops[TG_OP_COUNT] = {
#define TG_A(...) #__VA_ARGS__
#define TG_OP(id, in_min_, in_max_, out_, regions_, rule_, domain_, traits_, refs_, step_, lower_, \
              triton_, needs_, may_, means_)                                                       \
    [TG_OP_##id] = {.name = #id,                                                                   \
                    .means = means_,                                                               \
                    .in_min = in_min_,                                                             \
                    .in_max = in_max_,                                                             \
                    .out_count = out_,                                                             \
                    .region_count = regions_,                                                      \
                    .rule = TG_RULE_##rule_,                                                       \
                    .domain = TG_DOMAIN_##domain_,                                                 \
                    .traits = (traits_) | EFFECTS_##refs_,                                         \
                    .refs = REFS_##refs_,                                                          \
                    .step = TG_OP_##step_,                                                         \
                    .needs = needs_,                                                               \
                    .may = may_},
#include "ir/ops.def"
};

bool tg_domain_has(tg_domain domain, tg_dtype dtype)
{
    switch (domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(dtype);
    case TG_DOMAIN_INT: return tg_is_int(dtype);
    case TG_DOMAIN_NUM: return tg_is_float(dtype) || tg_is_int(dtype);
    case TG_DOMAIN_BITS: return tg_is_int(dtype) || dtype == TG_DT_bool;
    case TG_DOMAIN_ANY: return true;
    }
    return false;
}

tg_opcode tg_op_by_name(const char *name)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        if (tg_ops[op].name[0] == name[0] && strcmp(tg_ops[op].name, name) == 0)
            return (tg_opcode)op;
    return TG_OP_COUNT;
}

tg_attr_id tg_attr_by_name(const char *name)
{
    for (int a = 0; a < TG_ATTR_COUNT; a++)
        if (tg_attrs[a].name[0] == name[0] && strcmp(tg_attrs[a].name, name) == 0)
            return (tg_attr_id)a;
    return TG_ATTR_COUNT;
}

/* Copies the word that starts at `text` and ends at one of `stops`.  Returns its end. */
static const char *take_word(const char *text, const char *stops, char *out, size_t size)
{
    size_t length = strcspn(text, stops);
    snprintf(out, size, "%.*s", (int)length, text);
    return text + length;
}

static int append_attrs(const char *names, tg_attr_id *out)
{
    int count = 0;
    char word[32];
    while (*names) {
        const size_t length = strcspn(names, ", ");
        memcpy(word, names, length);
        word[length] = '\0';
        out[count++] = tg_attr_by_name(word);
        names += length;
        names += strspn(names, ", ");
    }
    return count;
}

int tg_op_attrs(tg_opcode op, tg_attr_id out[TG_MAX_OP_ATTRS], int *needed)
{
    *needed = append_attrs(tg_ops[op].needs, out);
    return *needed + append_attrs(tg_ops[op].may, out + *needed);
}

int tg_attr_name_index(tg_attr_id attr, const char *name)
{
    char word[32];
    int index = 0;
    for (const char *p = tg_attrs[attr].names; *p; index++) {
        p = take_word(p, " ", word, sizeof word);
        p += strspn(p, " ");
        if (strcmp(word, name) == 0) return index;
    }
    return -1;
}

char *tg_attr_name_text(tg_attr_id attr, int index, char *out, size_t size)
{
    const char *p = tg_attrs[attr].names;
    for (; index > 0; index--) {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    take_word(p, " ", out, size);
    return out;
}
