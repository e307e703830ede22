/* The names of checks and traps. */
#include <string.h>

#include "interp/machine.h"
#include "interp/run.h"

typedef struct choice {
    const char *name;
    unsigned bits;
} choice;

/* The bits of all names between commas; `choices` ends with one without a name, `legal` says what they are. */
static tg_status parse(const char *what, const char *text, const choice *choices, const char *legal,
                       unsigned *bits, tg_diags *diags)
{
    *bits = 0;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        const choice *c = choices;
        while (c->name && (strlen(c->name) != length || strncmp(c->name, at, length) != 0)) c++;
        if (!c->name)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "%s \"%s\": \"%.*s\" is none of %s", what,
                           text, (int)length, at, legal);
        *bits |= c->bits;
        if (!at[length]) return TG_OK;
        at += length + 1;
    }
}

tg_status tg_checks_parse(const char *text, unsigned *checks, tg_diags *diags)
{
#define X(id, name) {name, TG_CHECK_##id},
    static const choice choices[] = {{"none", 0}, {"all", TG_CHECK_ALL}, TG_CHECKS(X){NULL, 0}};
#undef X
#define X(id, name) ", " name
    return parse("checks", text, choices, "none, all" TG_CHECKS(X), checks, diags);
#undef X
}

tg_status tg_traps_parse(const char *text, unsigned *traps, tg_diags *diags)
{
    static const choice choices[] = {
        {"none", 0}, {"nan", TG_TRAP_NAN}, {"inf", TG_TRAP_INF}, {NULL, 0}};
    return parse("trap", text, choices, "none, nan, inf", traps, diags);
}

unsigned tg_check_of(const char *kind)
{
    static const unsigned checks[TG_FINDING_KIND_COUNT] = {
        [TG_FINDING_RACE] = TG_CHECK_RACES,
        [TG_FINDING_RACE_SAME_VALUE] = TG_CHECK_RACES,
        [TG_FINDING_UNDEFINED_OUTPUT] = TG_CHECK_UNDEFINED,
        [TG_FINDING_UNDEFINED_CONDITION] = TG_CHECK_UNDEFINED,
        [TG_FINDING_UNDEFINED_ADDRESS] = TG_CHECK_UNDEFINED,
        [TG_FINDING_INTEGER_OVERFLOW] = TG_CHECK_ARITHMETIC,
        [TG_FINDING_FLOAT_TO_INT_RANGE] = TG_CHECK_ARITHMETIC,
        [TG_FINDING_SCATTER_DUPLICATES] = TG_CHECK_DUPLICATES,
        [TG_FINDING_ALIAS_ASSUMED] = TG_CHECK_ALIASES,
        [TG_FINDING_ALIAS_UNFETCHED] = TG_CHECK_ALIASES,
        [TG_FINDING_PREFETCH_WRITTEN] = TG_CHECK_PREFETCH,
        [TG_FINDING_BLOCK_REVISITED] = TG_CHECK_REVISITS,
        [TG_FINDING_PROGRAM_INDEPENDENT] = TG_CHECK_INDEPENDENCE,
    };
    for (int k = 0; k < TG_FINDING_KIND_COUNT; k++)
        if (strcmp(tg_finding_infos[k].name, kind) == 0) return checks[k];
    return 0;
}
