/* Kernels as text, run with checks, and findings as lines, the same in every order. */
#ifndef TG_TESTS_CHECK_TEXT_H
#define TG_TESTS_CHECK_TEXT_H

#include "run_text.h"

/* "LEVEL KIND op LINE (PROGRAM) PARAM[FIRST..LAST]: message | role op LINE (PROGRAM) | ..."; programs are numbers of the first axis,
 * or () where there is no grid. */
static inline void finding_line(const tg_report *report, size_t index, char *out, size_t size)
{
    const tg_finding f = tg_report_finding(report, index);
    size_t used = (size_t)snprintf(out, size, "%s %s %s %d (", f.level, f.kind, f.op, (int)f.line);
    if (f.program && f.rank)
        used += (size_t)snprintf(out + used, size - used, "%d", (int)f.program[0]);
    used += (size_t)snprintf(out + used, size - used, ")%s%s", *f.param ? " " : "", f.param);
    if (f.first >= 0)
        used += (size_t)snprintf(out + used, size - used, "[%d..%d]", (int)f.first, (int)f.last);
    used += (size_t)snprintf(out + used, size - used, ": %s", f.message);
    for (size_t r = 0; r < f.related_count; r++) {
        const tg_related other = tg_report_related(report, index, r);
        used += (size_t)snprintf(out + used, size - used, " | %s %s %d", other.role, other.op,
                                 (int)other.line);
        if (other.program && f.rank)
            used += (size_t)snprintf(out + used, size - used, " (%d)", (int)other.program[0]);
    }
}

/* Runs the kernel in every order; `wanted` ends with NULL. */
static inline void check_lines(const char *text, const named *inputs, const tg_run_options *how,
                               const char *const *wanted)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, inputs);
        tg_run_options options = *how;
        options.size = sizeof options;
        options.order = every_order[o];
        tg_report *report = run_once(module, &all, &options);
        size_t count = 0;
        for (; wanted[count]; count++) {
            char found[2000] = "nothing";
            if (count < tg_report_finding_count(report))
                finding_line(report, count, found, sizeof found);
            cr_assert_str_eq(found, wanted[count], "%s: %s\ninstead of %s\n%s", every_order[o],
                             found, wanted[count], text);
        }
        if (tg_report_finding_count(report) != count) show_findings(report);
        cr_assert_eq(tg_report_finding_count(report), count, "%s", text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_LINES ((const char *const[]){NULL})

#endif
