#include "checks/checks.h"

#include <string.h>

#include "interp/state/machine.h"

const tg_detector *const tg_detectors[TG_DETECTOR_COUNT] = {
#define TG_DETECTOR(id) [TG_DETECTOR_NUMBER_##id] = &tg_detector_##id,
#include "report/checks.def"
};

typedef struct choice {
    const char *name;
    unsigned bits;
} choice;

/* Reads names separated by commas, and combines their bits.  `choices` ends with a row without a
 * name; `legal` lists the names for the diagnosis. */
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
    static const choice choices[] = {{"none", 0},
                                     {"all", TG_CHECK_ALL},
#define TG_CHECK(ID, name, what) {name, TG_CHECK_##ID},
#include "report/checks.def"
                                     {NULL, 0}};
    static const char legal[] = "none, all"
#define TG_CHECK(ID, name, what) ", " name
#include "report/checks.def"
        ;
    return parse("checks", text, choices, legal, checks, diags);
}

tg_status tg_traps_parse(const char *text, unsigned *traps, tg_diags *diags)
{
    static const choice choices[] = {
        {"none", 0}, {"nan", TG_TRAP_NAN}, {"inf", TG_TRAP_INF}, {NULL, 0}};
    return parse("trap", text, choices, "none, nan, inf", traps, diags);
}

unsigned tg_check_of(const char *kind)
{
    for (int k = 0; k < TG_FINDING_KIND_COUNT; k++)
        if (strcmp(tg_finding_infos[k].name, kind) == 0) return tg_finding_infos[k].check;
    return 0;
}
