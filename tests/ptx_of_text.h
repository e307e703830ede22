/* The PTX of kernels written as text, and whether NVIDIA's assembler takes it.  Define _POSIX_C_SOURCE 200809L first. */
#ifndef TG_TESTS_PTX_OF_TEXT_H
#define TG_TESTS_PTX_OF_TEXT_H

#include <unistd.h>

#include "find_ptxas.h"
#include "gpu_backend/kernel/kernel.h"
#include "lower/lower.h"
#include "run_text.h"

/* free() the result. */
static inline char *ptx_of_text(const char *kernel, const tg_ptx_options *options)
{
    tg_module *module = load_kernel(kernel);
    tg_diags diags = {0};
    tg_plan *plan;
    tg_ptx *ptx;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    cr_assert_eq(tg_ptx_emit(plan, options, &ptx, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    char *text = ptx->text;
    ptx->text = NULL;
    tg_ptx_free(ptx);
    tg_plan_free(plan);
    tg_module_free(module);
    tg_diags_free(&diags);
    return text;
}

/* Assembles a text for a chip, as sm_90a. */
static inline void assemble(const char *ptxas, const char *chip, const char *text)
{
    char path[] = "/tmp/tg_ptx_XXXXXX", command[300];
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    FILE *const to = fdopen(file, "w");
    cr_assert_not_null(to);
    fputs(text, to);
    cr_assert_eq(fclose(to), 0);
    snprintf(command, sizeof command, "timeout 300 %s -O1 -arch=%s -o /dev/null %s", ptxas, chip,
             path);
    cr_expect_eq(system(command), 0, "%s", command);
    cr_assert_eq(unlink(path), 0);
}

#endif
