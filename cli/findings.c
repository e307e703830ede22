#include "cli/findings.h"

#include <inttypes.h>

#include "cli/excerpt.h"
#include "cli/style.h"

static void print_place(const tg_finding *f, const tg_style *style)
{
    if (!f->file[0]) return;
    printf("%s  -->%s ", style->place, style->off);
    tg_put_clean(stdout, f->file);
    printf(":%" PRId64, f->line);
    if (f->function[0]) {
        fputs(" in ", stdout);
        tg_put_clean(stdout, f->function);
    }
    putchar('\n');
    tg_put_excerpt(stdout, f->file, f->line);
}

static void print_program(const tg_finding *f)
{
    if (!f->program || f->rank == 0) return;
    fputs(", program (", stdout);
    for (int i = 0; i < f->rank; i++) printf("%s%" PRId64, i ? ", " : "", f->program[i]);
    fputs(f->rank == 1 ? ",)" : ")", stdout);
}

static void print_note(const tg_style *style, const char *label, const char *text)
{
    printf("%s   =%s %s ", style->place, style->off, label);
    tg_put_clean(stdout, text);
}

void tg_cli_print_finding(const tg_finding *f, const char *repeat)
{
    char count[TG_NUMBER_TEXT];
    tg_style style = tg_style_for(stdout);
    printf("%s%s%s: %s", style.bad, f->kind, style.off, style.strong);
    tg_put_clean(stdout, f->message);
    printf("%s\n", style.off);
    print_place(f, &style);
    print_note(&style, "kernel", f->kernel);
    print_program(f);
    if (f->op[0]) printf(", op %s", f->op);
    if (f->count > 1) printf("; %s times in all", tg_number_text(f->count, count));
    putchar('\n');
    print_note(&style, "repeat with:", repeat);
    fputs("\n\n", stdout);
}

static void json_finding(tg_json_out *json, const tg_finding *f)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "kind", f->kind);
    tg_emit_text(json, "message", f->message);
    tg_emit_text(json, "kernel", f->kernel);
    tg_emit_text(json, "op", f->op);
    tg_emit_text(json, "param", f->param);
    tg_emit_text(json, "file", f->file);
    tg_emit_int(json, "line", f->line);
    tg_emit_text(json, "function", f->function);
    if (f->program) {
        tg_emit_open(json, "program", '[');
        for (int i = 0; i < f->rank; i++) tg_emit_int(json, NULL, f->program[i]);
        tg_emit_close(json, ']');
    }
    tg_emit_int(json, "count", f->count);
    tg_emit_close(json, '}');
}

void tg_cli_json_findings(tg_json_out *json, const tg_report *report)
{
    tg_emit_open(json, "findings", '[');
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_finding finding = tg_report_finding(report, i);
        json_finding(json, &finding);
    }
    tg_emit_close(json, ']');
}
