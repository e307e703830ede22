#include "cli/coverage.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/errors.h"
#include "cli/findings.h"
#include "cli/style.h"

/* "o[0, 3]" */
static void print_element(const tg_output_coverage *output, int64_t element)
{
    int64_t index[32], left = element;
    for (int d = output->dims - 1; d >= 0; d--) {
        index[d] = left % output->shape[d];
        left /= output->shape[d];
    }
    tg_put_clean(stdout, output->name);
    putchar('[');
    for (int d = 0; d < output->dims; d++) printf("%s%" PRId64, d ? ", " : "", index[d]);
    putchar(']');
}

static void print_program(const tg_report *report, const int64_t *program)
{
    char *name = tg_report_program(report, program);
    tg_put_clean(stdout, name ? name : "");
    tg_text_free(name);
}

/* "; 4 by several, the first o[8] by (0) and (1)" */
static void print_part(const tg_report *report, const tg_output_coverage *output,
                       const tg_coverage_part *part, const char *who, int programs, bool *is_first)
{
    char count[TG_NUMBER_TEXT];
    if (!part->count) return;
    printf("%s%s%s, the first ", *is_first ? " " : "; ", tg_number_text(part->count, count), who);
    *is_first = false;
    print_element(output, part->first);
    for (int i = 0; i < programs && output->rank > 0; i++) {
        fputs(i ? " and " : " by ", stdout);
        print_program(report, part->programs[i]);
    }
}

void tg_cli_print_coverage(const tg_report *report)
{
    for (size_t i = 0; i < tg_report_output_count(report); i++) {
        const tg_output_coverage output = tg_report_output(report, i);
        bool is_first = true;
        fputs("  elements of ", stdout);
        tg_put_clean(stdout, output.name);
        fputs(" written:", stdout);
        print_part(report, &output, &output.one, " by one program", 1, &is_first);
        print_part(report, &output, &output.several, " by several", 2, &is_first);
        print_part(report, &output, &output.none, " by none", 0, &is_first);
        puts(is_first ? " it has none" : "");
    }
}

static void json_part(tg_json_out *json, const char *key, const tg_output_coverage *output,
                      const tg_coverage_part *part, int programs)
{
    tg_emit_open(json, key, '{');
    tg_emit_int(json, "count", part->count);
    if (part->count) tg_emit_int(json, "first", part->first);
    if (part->count && programs) {
        tg_emit_open(json, "programs", '[');
        for (int i = 0; i < programs; i++) {
            tg_emit_open(json, NULL, '[');
            for (int a = 0; a < output->rank; a++) tg_emit_int(json, NULL, part->programs[i][a]);
            tg_emit_close(json, ']');
        }
        tg_emit_close(json, ']');
    }
    tg_emit_close(json, '}');
}

void tg_cli_json_coverage(tg_json_out *json, const tg_report *report)
{
    if (!tg_report_output_count(report)) return;
    tg_emit_open(json, "coverage", '[');
    for (size_t i = 0; i < tg_report_output_count(report); i++) {
        const tg_output_coverage output = tg_report_output(report, i);
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "output", output.name);
        json_part(json, "none", &output, &output.none, 0);
        json_part(json, "one", &output, &output.one, 1);
        json_part(json, "several", &output, &output.several, 2);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}
