#include "gpu_backend/text/target.h"

#include <stdio.h>
#include <string.h>

/* The first version of PTX with the chip (PTX ISA, "Release Notes"), and what it has.  An "a" behind the
 * number: instructions that no other chip has, so that the text runs on this one alone. */
typedef struct target {
    const char *name, *version;
    bool waits, has_wgmma, has_tcgen05;
} target;

static const target targets[] = {
    {"sm_80", "7.8", false, false, false}, {"sm_86", "7.8", false, false, false},
    {"sm_87", "7.8", false, false, false}, {"sm_89", "7.8", false, false, false},
    {"sm_90", "7.8", true, false, false},  {"sm_90a", "8.0", true, true, false},
    {"sm_100", "8.6", true, false, false}, {"sm_100a", "8.6", true, false, true},
    {"sm_103", "8.8", true, false, false}, {"sm_103a", "8.8", true, false, true},
    {"sm_110", "9.0", true, false, false}, {"sm_120", "8.7", true, false, false},
    {"sm_121", "8.8", true, false, false},
};
enum { TARGETS = sizeof targets / sizeof *targets };

tg_status tg_ptx_target(const char **name, const char **version, tg_diags *diags)
{
    char known[16 * TARGETS] = "";
    if (!*name) *name = targets[0].name;
    for (size_t i = 0; i < TARGETS; i++) {
        const size_t used = strlen(known);
        *version = targets[i].version;
        if (strcmp(*name, targets[i].name) == 0) return TG_OK;
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", targets[i].name);
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "target \"%s\" is none of %s", *name, known);
}

/* NULL: none has that name. */
static const target *find(const char *name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (name && strcmp(name, targets[i].name) == 0) return &targets[i];
    return NULL;
}

bool tg_ptx_target_waits(const char *name)
{
    const target *t = find(name);
    return t && t->waits;
}

bool tg_ptx_target_has_wgmma(const char *name)
{
    const target *t = find(name);
    return t && t->has_wgmma;
}

bool tg_ptx_target_has_tcgen05(const char *name)
{
    const target *t = find(name);
    return t && t->has_tcgen05;
}
