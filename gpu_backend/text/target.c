#include "gpu_backend/text/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first version of PTX with the chip: PTX ISA, "Release Notes". */
static const struct {
    const char *name, *version;
} targets[] = {
    {"sm_80", "7.8"},  {"sm_86", "7.8"},  {"sm_87", "7.8"},  {"sm_89", "7.8"},  {"sm_90", "7.8"},
    {"sm_100", "8.6"}, {"sm_103", "8.8"}, {"sm_110", "9.0"}, {"sm_120", "8.7"}, {"sm_121", "8.8"},
};
enum { TARGETS = sizeof targets / sizeof *targets };

tg_status tg_ptx_target(const char **target, const char **version, tg_diags *diags)
{
    char known[16 * TARGETS] = "";
    if (!*target) *target = targets[0].name;
    for (size_t i = 0; i < TARGETS; i++) {
        const size_t used = strlen(known);
        *version = targets[i].version;
        if (strcmp(*target, targets[i].name) == 0) return TG_OK;
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", targets[i].name);
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "target \"%s\" is none of %s", *target, known);
}

bool tg_ptx_target_waits(const char *target)
{
    enum { FIRST = 90 };
    const char *digits = strpbrk(target, "0123456789");
    return digits && atoi(digits) >= FIRST;
}
