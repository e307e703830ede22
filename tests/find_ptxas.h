/* NVIDIA's assembler, where it is to be had. */
#ifndef TG_TESTS_FIND_PTXAS_H
#define TG_TESTS_FIND_PTXAS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Where it is; skips the test, visibly, where it is not installed, or not wanted: the texts are the same in every
 * build, so that one of them is enough. */
static const char *find_ptxas(void)
{
    static const char *const places[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
    char command[128];
    if (getenv("TG_BRISK")) cr_skip_test("TG_BRISK is set");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", places[i]);
        if (system(command) == 0) return places[i];
    }
    cr_skip_test("ptxas is not installed");
    return NULL;
}

#endif
