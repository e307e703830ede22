/* The names of checks and traps. */
#include <string.h>

#include "interp/machine.h"
#include "interp/run.h"

static const struct {
    const char *name;
    unsigned checks;
} names[] = {{"none", 0},
             {"all", TG_CHECK_ALL},
#define X(id, name) {name, TG_CHECK_##id},
             TG_CHECKS(X)
#undef X
};

#define X(id, name) ", " name
#define EVERY_NAME "none, all" TG_CHECKS(X)

tg_status tg_checks_parse(const char *text, unsigned *checks, tg_diags *diags)
{
    *checks = 0;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < sizeof names / sizeof *names &&
               (strlen(names[i].name) != length || strncmp(names[i].name, at, length) != 0))
            i++;
        if (i == sizeof names / sizeof *names)
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "checks \"%s\": \"%.*s\" is none of " EVERY_NAME, text, (int)length, at);
        *checks |= names[i].checks;
        if (!at[length]) return TG_OK;
        at += length + 1;
    }
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
        [TG_FINDING_BLOCK_REVISITED] = TG_CHECK_REVISITS,
        [TG_FINDING_PROGRAM_INDEPENDENT] = TG_CHECK_INDEPENDENCE,
    };
    for (int k = 0; k < TG_FINDING_KIND_COUNT; k++)
        if (strcmp(tg_finding_infos[k].name, kind) == 0) return checks[k];
    return 0;
}

tg_status tg_traps_parse(const char *text, unsigned *traps, tg_diags *diags)
{
    *traps = 0;
    if (strcmp(text, "none") == 0) return TG_OK;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        if (length == 3 && strncmp(at, "nan", 3) == 0)
            *traps |= TG_TRAP_NAN;
        else if (length == 3 && strncmp(at, "inf", 3) == 0)
            *traps |= TG_TRAP_INF;
        else
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "trap \"%s\": \"%.*s\" is none of none, nan, inf", text, (int)length,
                           at);
        if (!at[length]) return TG_OK;
        at += length + 1;
    }
}
