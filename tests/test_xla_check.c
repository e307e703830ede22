/* Calls of the custom-call target that are checks: what listeners are told, and which findings end a program. */
#include "xla_frame.h"

static const int64_t one[1] = {1};

/* Each program adds 1 to one element, in place, without anything that orders them. */
static const char adds_in_place[] =
    "grid 3\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n%10:i32[1] = constant value=1\n"
    "%11:i32[1] = load %2 [0:1] loc=1; %12:i32[1] = add %11 %10; store %2 %12 [0:1] loc=2\n";

/* All programs store one value: a warning. */
static const char stores_one[] =
    "grid 3\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n%10:i32[1] = constant value=1\n"
    "store %2 %10 [0:1] loc=2\n";

static int told, told_findings, told_known;
static int32_t told_input, told_output;
static int64_t told_programs;
static char told_kind[40];

static void hear_check(const tg_xla_checked *checked)
{
    told++;
    told_findings = (int)tg_report_finding_count(checked->report);
    told_known = checked->known ? (int)tg_suppressions_count(checked->known) : -1;
    told_programs = tg_report_stats(checked->report).programs;
    told_input = *(const int32_t *)checked->data[0];
    told_output = *(const int32_t *)checked->data[1];
    cr_assert_eq(checked->grid_count, 0);
    cr_assert_eq(tg_module_kernel_count(checked->module), 1);
    if (told_findings)
        snprintf(told_kind, sizeof told_kind, "%s", tg_report_finding(checked->report, 0).kind);
}

typedef struct options {
    const char *text, *findings, *checks, *search, *fail_on, *suppressions;
} options;

/* Runs the kernel once on the number at `x`, which its output replaces. */
static tg_ffi_error *run_in_place(const options *o, int32_t *x)
{
    xla_call c;
    char *json = json_of(o->text);
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", o->findings);
    if (o->checks) xla_attr(&c, "checks", o->checks);
    if (o->search) xla_attr(&c, "search", o->search);
    if (o->fail_on) xla_attr(&c, "fail_on", o->fail_on);
    if (o->suppressions) xla_attr(&c, "suppressions", o->suppressions);
    xla_buffer(&c, false, TG_FFI_i32, x, 1, one);
    xla_buffer(&c, true, TG_FFI_i32, x, 1, one);
    tg_ffi_error *failure = xla_run(&c);
    free(json);
    return failure;
}

/* Inputs are told as they were, outputs are those of order sequential, however many orders ran on the same memory. */
Test(xla_check, listeners_are_told)
{
    int32_t x = 5;
    tg_xla_listen_to_checks(hear_check);
    cr_assert_null(
        run_in_place(&(options){adds_in_place, "tell", "races", "2,2,1", "note", NULL}, &x));
    cr_assert_eq(x, 8);
    cr_assert_eq(told, 1);
    cr_assert_eq(told_programs, 3);
    cr_assert_eq(told_input, 5);
    cr_assert_eq(told_output, 8);
    cr_assert_gt(told_findings, 0);
    cr_assert_eq(told_known, -1);
    cr_assert_str_eq(told_kind, "race");
    tg_xla_listen_to_checks(NULL);
    cr_assert_null(run_in_place(&(options){adds_in_place, "tell", "races", NULL, NULL, NULL}, &x));
    cr_assert_eq(x, 11);
    cr_assert_eq(told, 1);
}

/* What is no check is told to nobody. */
Test(xla_check, other_runs_are_not_told)
{
    int32_t x = 5;
    tg_xla_listen_to_checks(hear_check);
    cr_assert_null(run_in_place(&(options){adds_in_place, "raise", NULL, NULL, NULL, NULL}, &x));
    tg_xla_listen_to_checks(NULL);
    cr_assert_eq(x, 8);
    cr_assert_eq(told, 0);
}

Test(xla_check, levels_that_raise)
{
    static const struct {
        options options;
        bool raises;
    } rows[] = {{{adds_in_place, "raise", "races", NULL, "error", NULL}, true},
                {{stores_one, "raise", "races", NULL, "error", NULL}, false},
                {{stores_one, "raise", "races", NULL, "warning", NULL}, true},
                {{stores_one, "raise", "races", NULL, "note", NULL}, true},
                {{stores_one, "raise", "races", NULL, NULL, NULL}, true},
                {{stores_one, "raise", "none", NULL, NULL, NULL}, false},
                {{adds_in_place, "raise", "none", "0,0,1", "error", NULL}, false},
                {{adds_in_place, "raise", "none", "0,4,1", "error", NULL}, true},
                {{adds_in_place, "warn", "races", NULL, "error", NULL}, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t x = 0;
        tg_ffi_error *failure = run_in_place(&rows[i].options, &x);
        cr_assert_eq(failure != NULL, rows[i].raises, "row %zu: %s", i, xla_error);
        cr_assert_eq(!failure || xla_code == TG_FFI_FAILED_PRECONDITION, true, "row %zu", i);
    }
}

#define BLOCK(kind) "{\n  known\n  kind: " kind "\n}\n"

static int warnings;

static void hear_text(int event, const char *text)
{
    if (event == TG_XLA_WARNING) warnings++;
    cr_assert_not_null(text);
}

/* What suppressions cover ends no call, and nobody is warned of it; who listens hears of it all the same. */
Test(xla_check, known_findings)
{
    static const struct {
        options options;
        bool raises;
        int warnings, known;
    } rows[] = {
        {{stores_one, "raise", "races", NULL, "note", BLOCK("race-same-value")}, false, 0, 1},
        {{stores_one, "raise", "races", NULL, "note", BLOCK("race")}, true, 0, 1},
        {{stores_one, "raise", "races", NULL, "note", BLOCK("race") BLOCK("race*")}, false, 0, 2},
        {{stores_one, "warn", "races", NULL, "note", BLOCK("race")}, false, 1, 1},
        {{stores_one, "warn", "races", NULL, "note", BLOCK("race-same-value")}, false, 0, 1},
        {{stores_one, "raise", "races", NULL, "note", "# nothing\n"}, true, 0, 0}};
    tg_xla_listen_to_checks(hear_check);
    tg_xla_listen(hear_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t x = 0;
        warnings = told_findings = 0;
        tg_ffi_error *failure = run_in_place(&rows[i].options, &x);
        cr_assert_eq(failure != NULL, rows[i].raises, "row %zu: %s", i, xla_error);
        cr_assert_eq(warnings, rows[i].warnings, "row %zu", i);
        cr_assert_eq(told_findings, 1, "row %zu", i);
        cr_assert_eq(told_known, rows[i].known, "row %zu", i);
    }
    tg_xla_listen(NULL);
    tg_xla_listen_to_checks(NULL);
}

Test(xla_check, refuses)
{
    static const struct {
        options options;
        const char *message;
    } rows[] = {
        {{stores_one, "shout", "races", NULL, NULL, NULL}, "findings is none of raise, warn, tell"},
        {{stores_one, "raise", "races", NULL, "fatal", NULL},
         "fail_on is none of error, warning, note"},
        {{stores_one, "raise", "races", "", NULL, NULL},
         "search is not SHUFFLES,INTERLEAVINGS,SEED"},
        {{stores_one, "raise", "races", "1,2", NULL, NULL}, "search is not"},
        {{stores_one, "raise", "races", "1,2,3,4", NULL, NULL}, "search is not"},
        {{stores_one, "raise", "races", "9999999,2,3", NULL, NULL}, "search is not"},
        {{stores_one, "raise", "races",
          "1,2,3                                                  "
          "                ",
          NULL, NULL},
         "search is not"},
        {{stores_one, "raise", "spelling", NULL, NULL, NULL}, "\"spelling\" is none of"},
        {{stores_one, "raise", "", NULL, NULL, NULL}, "\"\" is none of"},
        {{stores_one, "raise", "races", NULL, "note", BLOCK("rice")},
         "no kind of finding is called 'rice'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t x = 0;
        cr_assert_not_null(run_in_place(&rows[i].options, &x), "row %zu", i);
        cr_assert_eq(xla_code, TG_FFI_INVALID_ARGUMENT, "row %zu", i);
        cr_assert_not_null(strstr(xla_error, rows[i].message), "row %zu: %s", i, xla_error);
    }
}

/* Memory of elements of less than a byte is a check's own anyway. */
Test(xla_check, packed_in_place)
{
    static const int64_t two[1] = {2};
    unsigned char x = 0x21;
    xla_call c;
    char *json = json_of("grid 2\ninput x i4[2]\noutput o i4[2] alias=x\nbody\n"
                         "%10:i4[2] = constant value=1; add_update %2 %10 [0:2]\n");
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", "raise");
    xla_attr(&c, "checks", "all");
    xla_attr(&c, "search", "1,1,1");
    xla_buffer(&c, false, TG_FFI_i4, &x, 1, two);
    xla_buffer(&c, true, TG_FFI_i4, &x, 1, two);
    cr_assert_null(xla_run(&c), "%s", xla_error);
    cr_assert_eq(x, 0x43);
    free(json);
}
