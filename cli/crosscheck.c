/* tilegrind crosscheck: cases on the interpreter and on another backend, bit by bit. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "conformance/crosscheck.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/json_out.h"
#include "cli/style.h"
#include "conformance/run_case.h"

enum { OPT_SEEDS = 1, OPT_JSON, OPT_JUNIT };
static const tg_cli_option options[] = {
    {OPT_SEEDS, "seeds", "N",
     "run the emulator N times, with its warps in another order each time\n"
     "(default 1: their natural order)"},
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {OPT_JUNIT, "junit", "FILE", "also write the results to FILE as JUnit XML"},
    {0, NULL, NULL, NULL},
};

enum { MOST_SEEDS = 1000, PATH_DEPTH = 16 };

/* Folders with a case.json, in order. */
typedef struct folders {
    char **list;
    size_t count, capacity;
    bool failed;
} folders;

typedef struct session {
    int seeds;
    bool as_json;
    const char *junit;
    folders cases;
    size_t verdicts[TG_CROSS_FAILED + 1];
    double seconds;
    tg_json_out *json;
    FILE *xml;
} session;

/* ---- finding the cases ---- */

static folders found; /* nftw has no room for a context */

static void add_folder(folders *to, const char *path, size_t length)
{
    if (to->count == to->capacity) {
        const size_t capacity = to->capacity ? 2 * to->capacity : 64;
        char **list = realloc(to->list, capacity * sizeof *list);
        if (!list) {
            to->failed = true;
            return;
        }
        to->list = list;
        to->capacity = capacity;
    }
    char *copy = malloc(length + 1);
    if (!copy) {
        to->failed = true;
        return;
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    to->list[to->count++] = copy;
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
    (void)info;
    if (kind == FTW_F && strcmp(path + ftw->base, "case.json") == 0)
        add_folder(&found, path, ftw->base > 1 ? (size_t)ftw->base - 1 : 1);
    return found.failed ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All cases in a folder and below; 0 where all is well, else an exit code. */
static int find_cases(session *s, const char *path)
{
    const size_t before = found.count;
    if (nftw(path, visit, PATH_DEPTH, FTW_PHYS) != 0) {
        fprintf(stderr, "error: %s cannot be read\n", path);
        return TG_EXIT_USAGE;
    }
    if (found.count == before) {
        fprintf(stderr, "error: %s is no case and has none below it\n", path);
        return TG_EXIT_USAGE;
    }
    qsort(found.list + before, found.count - before, sizeof *found.list, by_name);
    s->cases = found;
    return TG_EXIT_CLEAN;
}

static void free_cases(session *s)
{
    for (size_t i = 0; i < s->cases.count; i++) free(s->cases.list[i]);
    free(s->cases.list);
}

/* ---- results ---- */

static const char *const verdict_names[] = {"equal", "different", "refused", "failed"};

static void put_xml(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*c < 32 ? ' ' : *c, out);
        }
}

static void xml_result(FILE *out, const char *path, const char *backend, const tg_crosscheck *r)
{
    fputs("  <testcase classname=\"", out);
    put_xml(out, backend);
    fputs("\" name=\"", out);
    put_xml(out, path);
    fprintf(out, "\" time=\"%.6f\">", r->seconds);
    if (r->verdict != TG_CROSS_EQUAL) {
        fputs(r->verdict == TG_CROSS_REFUSED ? "<skipped message=\"" : "<failure message=\"", out);
        put_xml(out, r->text);
        fputs("\"/>", out);
    }
    fputs("</testcase>\n", out);
}

static void print_result(const session *s, const char *path, const char *backend,
                         const tg_crosscheck *r)
{
    const tg_style style = tg_style_for(stdout);
    if (s->xml) xml_result(s->xml, path, backend, r);
    if (s->json) {
        tg_emit_open(s->json, NULL, '{');
        tg_emit_text(s->json, "case", path);
        tg_emit_text(s->json, "backend", backend);
        tg_emit_text(s->json, "verdict", verdict_names[r->verdict]);
        tg_emit_text(s->json, "message", r->text[0] ? r->text : NULL);
        tg_emit_real(s->json, "seconds", r->seconds);
        tg_emit_close(s->json, '}');
        return;
    }
    if (r->verdict == TG_CROSS_EQUAL) return;
    printf("%s%s%s ", r->verdict == TG_CROSS_REFUSED ? "" : style.bad, verdict_names[r->verdict],
           style.off);
    tg_put_clean(stdout, path);
    printf(", %s\n  ", backend);
    tg_put_clean(stdout, r->text);
    putchar('\n');
}

static void print_summary(const session *s)
{
    char time[TG_NUMBER_TEXT];
    const size_t *v = s->verdicts;
    if (s->json) {
        tg_emit_int(s->json, "cases", (int64_t)s->cases.count);
        for (int i = 0; i <= TG_CROSS_FAILED; i++)
            tg_emit_int(s->json, verdict_names[i], (int64_t)v[i]);
        return;
    }
    printf("%zu case%s, %d run%s each: %zu equal, %zu different, %zu refused, %zu failed; %s\n",
           s->cases.count, s->cases.count == 1 ? "" : "s", s->seeds, s->seeds == 1 ? "" : "s",
           v[TG_CROSS_EQUAL], v[TG_CROSS_DIFFERENT], v[TG_CROSS_REFUSED], v[TG_CROSS_FAILED],
           tg_seconds_text(s->seconds, time));
}

/* ---- runs ---- */

static tg_status check_case(session *s, const char *path, tg_diags *diags)
{
    tg_case *c;
    TG_TRY(tg_case_open(path, &c, diags));
    tg_status status = TG_OK;
    for (int seed = 0; seed < s->seeds && status == TG_OK; seed++) {
        char backend[32];
        tg_crosscheck result;
        snprintf(backend, sizeof backend, seed ? "emulator:%d" : "emulator", seed);
        status = tg_crosscheck_case(c, backend, &result);
        s->verdicts[result.verdict]++;
        s->seconds += result.seconds;
        print_result(s, path, backend, &result);
    }
    tg_case_free(c);
    return status;
}

static int check_all(session *s)
{
    tg_diags diags = {0};
    tg_status status = TG_OK;
    for (size_t i = 0; i < s->cases.count && status == TG_OK; i++)
        status = check_case(s, s->cases.list[i], &diags);
    const bool is_bad = s->verdicts[TG_CROSS_DIFFERENT] || s->verdicts[TG_CROSS_FAILED];
    const int code = status != TG_OK ? tg_status_exit(status)
                     : is_bad        ? TG_EXIT_FINDINGS
                                     : TG_EXIT_CLEAN;
    if (s->json) {
        tg_emit_close(s->json, ']');
        tg_cli_json_diags(s->json, &diags);
    } else {
        tg_cli_print_diags(&diags);
    }
    print_summary(s);
    tg_diags_free(&diags);
    return code;
}

/* The XML goes to a temporary that is renamed when it is whole. */
static int with_junit(session *s)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", s->junit) >= (int)sizeof temporary ||
        !(s->xml = fopen(temporary, "w"))) {
        fprintf(stderr, "error: %s cannot be written\n", s->junit);
        return TG_EXIT_USAGE;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"crosscheck\">\n", s->xml);
    const int code = check_all(s);
    fputs("</testsuite>\n", s->xml);
    const bool is_written = !ferror(s->xml);
    if (fclose(s->xml) == 0 && is_written && rename(temporary, s->junit) == 0) return code;
    remove(temporary);
    fprintf(stderr, "error: %s cannot be written\n", s->junit);
    return TG_EXIT_USAGE;
}

static int crosscheck(session *s)
{
    tg_json_out json = {.out = stdout};
    if (!s->as_json) return s->junit ? with_junit(s) : check_all(s);
    s->json = &json;
    tg_emit_open(&json, NULL, '{');
    tg_emit_text(&json, "tilegrind", tg_version());
    tg_emit_open(&json, "results", '[');
    const int code = s->junit ? with_junit(s) : check_all(s);
    tg_emit_int(&json, "exit", code);
    tg_emit_close(&json, '}');
    s->json = NULL;
    return code;
}

static const char *take(session *s, int id, const char *value)
{
    char *end;
    if (id == OPT_JSON) s->as_json = true;
    if (id == OPT_JUNIT) s->junit = value;
    if (id != OPT_SEEDS) return NULL;
    const long seeds = strtol(value, &end, 10);
    if (end == value || *end || seeds < 1 || seeds > MOST_SEEDS)
        return "--seeds takes a number from 1 to 1000";
    s->seeds = (int)seeds;
    return NULL;
}

static int run(int argc, char **argv)
{
    session s = {.seeds = 1};
    const char *value, *problem = NULL;
    int first, id, code = TG_EXIT_CLEAN;
    while (!problem && (id = tg_cli_next(&tg_cli_crosscheck, argc, argv, &value, &first)) > 0)
        problem = take(&s, id, value);
    if (!problem && id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (!problem && id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (!problem && argc == first) problem = "at least one case is needed";
    if (problem) return tg_cli_usage(&tg_cli_crosscheck, "%s", problem);
    for (int i = first; i < argc && code == TG_EXIT_CLEAN; i++) code = find_cases(&s, argv[i]);
    if (code == TG_EXIT_CLEAN) code = crosscheck(&s);
    free_cases(&s);
    return code;
}

const tg_cli_command tg_cli_crosscheck = {
    "crosscheck",
    "CASE...",
    "run cases on the interpreter and as PTX, and compare bit by bit",
    "Runs each case twice: on the interpreter, and compiled to PTX, which an emulator executes.  "
    "Outputs\n"
    "must have the same bits (NaN being NaN whatever its bits), and findings must be the same.\n"
    "A CASE is a folder with case.json, or one with such folders somewhere below it.\n"
    "A case that needs what the PTX backend lacks is told as refused, with the place; it is no "
    "failure.\n"
    "Exit code 1 where anything differs or a run fails.",
    options,
    run,
};
