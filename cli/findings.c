#include "cli/findings.h"

#include <inttypes.h>
#include <string.h>

#include "cli/excerpt.h"
#include "cli/mesh.h"
#include "cli/style.h"

static void print_place(const char *file, int64_t line, const char *function, const tg_style *style)
{
    if (!file[0]) return;
    printf("%s  -->%s ", style->place, style->off);
    tg_put_clean(stdout, file);
    printf(":%" PRId64, line);
    if (function[0]) {
        fputs(" in ", stdout);
        tg_put_clean(stdout, function);
    }
    putchar('\n');
    tg_put_excerpt(stdout, file, line);
}

char *tg_cli_program_text(const tg_report *report, const int64_t *program, int rank,
                          char out[TG_CLI_PROGRAM_TEXT])
{
    out[0] = '\0';
    if (!program || rank == 0) return out;
    char *name = tg_report_program(report, program);
    snprintf(out, TG_CLI_PROGRAM_TEXT, "program %s", name ? name : "");
    tg_text_free(name);
    return out;
}

static void print_note(const tg_style *style, const char *label, const char *text)
{
    printf("%s   =%s %s ", style->place, style->off, label);
    tg_put_clean(stdout, text);
}

/* " for acc": an op of a line that assigns to acc. */
static void print_variable(const char *variable)
{
    if (variable[0]) fputs(" for ", stdout);
    tg_put_clean(stdout, variable);
}

static bool is_same_caller(const tg_caller *a, const tg_caller *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void print_caller(const char *label, const tg_caller *caller, const tg_style *style)
{
    if (caller->skipped[0]) {
        print_note(style, "...", caller->skipped);
        putchar('\n');
    }
    print_note(style, label, caller->file);
    printf(":%" PRId64, caller->line);
    if (caller->function[0]) fputs(" in ", stdout);
    tg_put_clean(stdout, caller->function);
    putchar('\n');
}

/* Who called the line of a related place, but for those further out who called that of the finding too. */
static void print_related_calls(const tg_report *report, size_t index, size_t related,
                                const tg_style *style)
{
    size_t count = tg_report_related(report, index, related).caller_count,
           own = tg_report_finding(report, index).caller_count;
    for (; count && own; count--, own--) {
        const tg_caller a = tg_report_related_caller(report, index, related, count - 1),
                        b = tg_report_caller(report, index, own - 1);
        if (!is_same_caller(&a, &b)) break;
    }
    for (size_t i = 0; i < count; i++) {
        const tg_caller caller = tg_report_related_caller(report, index, related, i);
        print_caller("called there from", &caller, style);
    }
}

static void print_related(const tg_report *report, size_t index, size_t i, const tg_style *style)
{
    char program[TG_CLI_PROGRAM_TEXT];
    const int rank = tg_report_finding(report, index).rank;
    const tg_related place = tg_report_related(report, index, i), *related = &place;
    printf("%s   =%s %s%s", style->place, style->off, related->role, related->op[0] ? " " : "");
    tg_put_clean(stdout, related->op);
    if (related->param[0]) fputs(" of ", stdout);
    tg_put_clean(stdout, related->param);
    if (related->op[0]) print_variable(related->variable);
    tg_cli_program_text(report, related->program, rank, program);
    printf("%s%s\n", !program[0] ? "" : related->op[0] ? ", " : " ", program);
    if (!related->op[0]) return;
    print_place(related->file, related->line, related->function, style);
    print_related_calls(report, index, i, style);
}

/* "race: ", "race-same-value (warning): " */
static void print_kind(const tg_finding *f, const tg_style *style)
{
    const bool is_error = strcmp(f->level, "error") == 0;
    printf("%s%s%s", style->bad, f->kind, style->off);
    if (!is_error) printf(" (%s)", f->level);
    fputs(": ", stdout);
}

static bool has_same_calls(const tg_report *report, size_t a, size_t b)
{
    const size_t count = tg_report_finding(report, a).caller_count;
    if (count != tg_report_finding(report, b).caller_count) return false;
    for (size_t i = 0; i < count; i++) {
        const tg_caller x = tg_report_caller(report, a, i), y = tg_report_caller(report, b, i);
        if (!is_same_caller(&x, &y)) return false;
    }
    return true;
}

/* Who called the line, from there outwards; but not what the finding before has told. */
static void print_calls(const tg_report *report, size_t index, tg_cli_told *told,
                        const tg_style *style)
{
    const size_t count = tg_report_finding(report, index).caller_count;
    if (!count || (told->calls_of && has_same_calls(report, told->calls_of - 1, index))) return;
    told->calls_of = index + 1;
    for (size_t i = 0; i < count; i++) {
        const tg_caller caller = tg_report_caller(report, index, i);
        print_caller("called from", &caller, style);
    }
}

void tg_cli_print_finding(const tg_report *report, size_t index, const char *repeat,
                          tg_cli_told *told)
{
    char count[TG_NUMBER_TEXT], program[TG_CLI_PROGRAM_TEXT], device[TG_CLI_DEVICE_TEXT];
    const tg_finding found = tg_report_finding(report, index), *f = &found;
    tg_style style = tg_style_for(stdout);
    print_kind(f, &style);
    fputs(style.strong, stdout);
    tg_put_clean(stdout, f->message);
    printf("%s\n", style.off);
    print_place(f->file, f->line, f->function, &style);
    print_note(&style, "kernel", f->kernel);
    tg_cli_device_text(f, device);
    if (device[0]) fputs(", ", stdout);
    tg_put_clean(stdout, device);
    tg_cli_program_text(report, f->program, f->rank, program);
    printf("%s%s", program[0] ? ", " : "", program);
    if (f->op[0]) {
        printf(", op %s", f->op);
        print_variable(f->variable);
    }
    if (f->count > 1 && f->first < 0) printf("; %s times in all", tg_number_text(f->count, count));
    putchar('\n');
    for (size_t i = 0; i < f->related_count; i++) print_related(report, index, i, &style);
    print_calls(report, index, told, &style);
    if (f->advice[0]) {
        print_note(&style, "advice:", f->advice);
        putchar('\n');
    }
    if (f->hint[0] && !told->has_hint) {
        print_note(&style, "hint:", f->hint);
        putchar('\n');
        told->has_hint = true;
    }
    print_note(&style, "repeat with:", repeat);
    fputs("\n\n", stdout);
}

void tg_cli_json_program(tg_json_out *json, const int64_t *program, int rank)
{
    if (!program) return;
    tg_emit_open(json, "program", '[');
    for (int i = 0; i < rank; i++) tg_emit_int(json, NULL, program[i]);
    tg_emit_close(json, ']');
}

void tg_cli_json_elements(tg_json_out *json, const tg_finding *f)
{
    if (f->first < 0) return;
    tg_emit_open(json, "elements", '[');
    tg_emit_int(json, NULL, f->first);
    tg_emit_int(json, NULL, f->last);
    tg_emit_close(json, ']');
}

void tg_cli_json_suppression(tg_json_out *json, const tg_suppression *known)
{
    tg_emit_text(json, "name", known->name);
    tg_emit_text(json, "file", known->file);
    tg_emit_int(json, "line", known->line);
}

static void json_caller(tg_json_out *json, const tg_caller *caller)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "file", caller->file);
    tg_emit_int(json, "line", caller->line);
    tg_emit_text(json, "function", caller->function);
    if (caller->skipped[0]) tg_emit_text(json, "skipped", caller->skipped);
    tg_emit_close(json, '}');
}

static void json_related(tg_json_out *json, const tg_report *report, size_t index, size_t i)
{
    const tg_related place = tg_report_related(report, index, i), *related = &place;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "role", related->role);
    tg_emit_text(json, "op", related->op);
    tg_emit_text(json, "param", related->param);
    tg_emit_text(json, "file", related->file);
    tg_emit_int(json, "line", related->line);
    tg_emit_text(json, "function", related->function);
    if (related->variable[0]) tg_emit_text(json, "variable", related->variable);
    tg_cli_json_program(json, related->program, tg_report_finding(report, index).rank);
    if (related->caller_count) tg_emit_open(json, "callers", '[');
    for (size_t k = 0; k < related->caller_count; k++) {
        const tg_caller caller = tg_report_related_caller(report, index, i, k);
        json_caller(json, &caller);
    }
    if (related->caller_count) tg_emit_close(json, ']');
    tg_emit_close(json, '}');
}

static void json_callers(tg_json_out *json, const tg_report *report, size_t index, size_t count)
{
    if (!count) return;
    tg_emit_open(json, "callers", '[');
    for (size_t i = 0; i < count; i++) {
        const tg_caller caller = tg_report_caller(report, index, i);
        json_caller(json, &caller);
    }
    tg_emit_close(json, ']');
}

void tg_cli_json_finding(tg_json_out *json, const tg_report *report, size_t index,
                         const tg_suppression *known)
{
    const tg_finding found = tg_report_finding(report, index), *f = &found;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "kind", f->kind);
    tg_emit_text(json, "level", f->level);
    tg_emit_text(json, "message", f->message);
    tg_emit_text(json, "kernel", f->kernel);
    tg_emit_text(json, "op", f->op);
    tg_emit_text(json, "param", f->param);
    tg_emit_text(json, "file", f->file);
    tg_emit_int(json, "line", f->line);
    tg_emit_text(json, "function", f->function);
    if (f->variable[0]) tg_emit_text(json, "variable", f->variable);
    tg_cli_json_program(json, f->program, f->rank);
    tg_cli_json_devices(json, report, index);
    tg_emit_int(json, "count", f->count);
    tg_cli_json_elements(json, f);
    tg_emit_text(json, "order", f->order);
    json_callers(json, report, index, f->caller_count);
    if (f->hint[0]) tg_emit_text(json, "hint", f->hint);
    if (f->advice[0]) tg_emit_text(json, "advice", f->advice);
    tg_emit_open(json, "related", '[');
    for (size_t i = 0; i < f->related_count; i++) json_related(json, report, index, i);
    tg_emit_close(json, ']');
    if (known) {
        tg_emit_open(json, "suppressed_by", '{');
        tg_cli_json_suppression(json, known);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, '}');
}
