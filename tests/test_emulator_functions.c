/* Functions in PTX: calls, vprintf and __assertfail, and what of them is refused. */
#include <criterion/criterion.h>
#include <locale.h>

#include "emulator/print_format.h"
#include "tests/emulator_text.h"

/* Line 5 is the functions, line 8 the body of the entry; %rd1 points to 4,096 bytes, %r1 is the number of the thread. */
static const char *text_of(const char *functions, const char *body, const char *behind)
{
    static char text[EMULATOR_TEXT];
    snprintf(text, sizeof text,
             ".version 8.4\n.target sm_80\n.address_size 64\n"
             ".global .align 1 .b8 format[8] = {37, 117, 44, 37, 100, 10};\n%s\n"
             ".visible .entry k(.param .u64 out)\n{ .reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 "
             "%%rd<8>; ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x;\n%s\n}\n%s\n",
             functions, body, behind);
    return text;
}

/* Stores %r2 as the thread's word. */
#define KEEP "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r2; ret;"
/* %r2 = f(%r1) */
#define CALL                                                                                       \
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), f, (a); ld.param.b32 "   \
    "%r2, [r]; }"

static emulator_run run(const char *text, uint32_t threads)
{
    const emulator_run r = emulator_run_text(
        text, threads, 1, (tg_emu_launch){.races = true, .instruction_limit = 100000});
    cr_expect_eq(r.status, TG_OK, "%s", r.message);
    return r;
}

static void expect_words(const char *text, uint32_t threads, const uint32_t *want, size_t count)
{
    const emulator_run r = run(text, threads);
    cr_expect_not(r.result.trapped, "%s", r.result.trap.text);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(r.words[i], want[i], "%zu: %u, not %u", i, r.words[i], want[i]);
}

/* ---- calls ---- */

#define DOUBLED                                                                                    \
    ".func (.param .b32 y) f(.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.b32 %r1, [x]; "           \
    "add.u32 %r1, %r1, %r1; st.param.b32 [y], %r1; ret; }"

Test(emulator_functions, stand_before_or_behind_their_calls)
{
    const uint32_t want[] = {0, 2, 4};
    expect_words(text_of(DOUBLED, CALL KEEP, ""), 3, want, 3);
    expect_words(text_of(".func (.param .b32 y) f(.param .b32 x);", CALL KEEP, DOUBLED), 3, want,
                 3);
    expect_words(text_of("", CALL KEEP, ".visible " DOUBLED), 3, want, 3);
    expect_words(text_of("", CALL KEEP, ".weak " DOUBLED), 3, want, 3);
}

Test(emulator_functions, that_nobody_calls_are_passed_over)
{
    const uint32_t want[] = {0, 1};
    expect_words(text_of(".extern .func g(.param .b32 x) .noreturn;", "mov.u32 %r2, %r1;" KEEP,
                         ".func h { frob; { } }"),
                 2, want, 2);
}

/* Threads come back from different places, and go on together. */
Test(emulator_functions, return_from_within)
{
    const uint32_t want[] = {10, 21, 10, 23};
    expect_words(
        text_of(
            "", CALL "vote.sync.ballot.b32 %r3, 1, -1;" KEEP,
            ".func (.param .b32 y) f(.param .b32 x)\n{ .reg .b32 %r<4>; .reg .pred %p; "
            "ld.param.b32 %r1, [x]; and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0; mov.u32 %r3, "
            "10; st.param.b32 [y], %r3; @%p ret; add.u32 %r3, %r1, 20; @!%p bra END; trap; END: "
            "st.param.b32 [y], %r3; }"),
        32, want, 4);
}

Test(emulator_functions, are_called_by_some_threads)
{
    const uint32_t want[] = {7, 2, 7, 6};
    expect_words(
        text_of(DOUBLED,
                "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; { .param .b32 a; .param .b32 "
                "r; st.param.b32 [a], %r1; mov.u32 %r2, 7; st.param.b32 [r], %r2; @%p1 call "
                "(r), f, (a); ld.param.b32 %r2, [r]; }" KEEP,
                ""),
        4, want, 4);
}

/* Both have %r1, a label L and memory; the inner one is called twice. */
Test(emulator_functions, call_functions_with_names_of_their_own)
{
    const uint32_t want[] = {102, 104, 106};
    expect_words(
        text_of(
            ".func (.param .b32 y) g(.param .b32 x)\n{ .reg .b32 %r<3>; .local .b32 v; "
            "ld.param.b32 "
            "%r1, [x]; st.local.b32 [v], %r1; bra L; L: ld.local.b32 %r2, [v]; add.u32 %r2, %r2, "
            "1; st.param.b32 [y], %r2; }",
            CALL "bra L; L: add.u32 %r2, %r2, 100;" KEEP,
            ".func (.param .b32 y) f(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; { "
            ".param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), g, (a); ld.param.b32 "
            "%r2, [r]; } { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), g, (a); "
            "ld.param.b32 %r1, [r]; } bra L; L: add.u32 %r1, %r1, %r2; st.param.b32 [y], %r1; }"),
        3, want, 3);
}

Test(emulator_functions, take_and_give_arrays_of_bytes)
{
    const uint32_t want[] = {5};
    expect_words(
        text_of("",
                "{ .param .align 8 .b8 r[8]; call (r), f; ld.param.v2.b32 {%r2, %r3}, [r]; "
                "sub.u32 %r2, %r3, %r2; }" KEEP,
                ".func (.param .align 8 .b8 y[8]) f()\n{ .reg .b32 %r<3>; mov.u32 %r1, 2; mov.u32 "
                "%r2, 7; st.param.v2.b32 [y], {%r1, %r2}; ret.uni; }"),
        1, want, 1);
}

Test(emulator_functions, end_threads)
{
    const uint32_t want[] = {0, 1};
    expect_words(text_of("", "setp.eq.u32 %p1, %r1, 0; @%p1 call f; mov.u32 %r2, 1;" KEEP,
                         ".func f { exit; }"),
                 2, want, 2);
}

Test(emulator_functions, have_places)
{
    const emulator_run r = run(text_of(".file 3 \"lib.py\"", ".loc 3 1 1\ncall f; trap;",
                                       ".func f\n{ .loc 3 8 1\n.reg .b32 %r; .local .b32 v;\n}"),
                               1);
    cr_assert(r.result.trapped);
    cr_expect_eq(r.result.trap.at.source_line, 1, "the place of the caller comes back");
    const emulator_run inner = run(
        text_of(".file 3 \"lib.py\"", ".loc 3 1 1\ncall f;", ".func f\n{ .loc 3 8 1\ntrap; }"), 1);
    cr_assert(inner.result.trapped);
    cr_expect_eq(inner.result.trap.at.source_line, 8);
}

static void expect_trap(const char *text, tg_emu_trap_kind kind, const char *message)
{
    const emulator_run r = run(text, 2);
    cr_assert(r.result.trapped);
    cr_expect_eq(r.result.trap.kind, kind, "%s", tg_emu_trap_name(r.result.trap.kind));
    cr_expect(strstr(r.result.trap.text, message), "%s", r.result.trap.text);
}

Test(emulator_functions, arguments_that_nobody_wrote)
{
    expect_trap(text_of(DOUBLED, "{ .param .b32 a; .param .b32 r; call (r), f, (a); }", ""),
                TG_EMU_TRAP_UNINITIALISED_LOCAL, "has not been written");
}

/* In a loop of two turns, of which the first alone writes. */
#define CALLED_TWICE                                                                               \
    "mov.u32 %r3, 0; AGAIN: { .param .b32 a; st.param.b32 [a], %r3; call f, (a); } add.u32 %r3, "  \
    "%r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra AGAIN;"
#define WRITES_FIRST                                                                               \
    ".func f(.param .b32 x)\n{ .reg .b32 %r<4>; .reg .pred %p; .local .b32 v; ld.param.b32 %r1, "  \
    "[x]; setp.ne.u32 %p, %r1, 0; mov.u32 %r3, 7; @%p bra OUT; mov.u32 %r2, 1; st.local.b32 "      \
    "[v], %r1; OUT: "

Test(emulator_functions, keep_nothing_from_call_to_call)
{
    expect_trap(text_of("", CALLED_TWICE, WRITES_FIRST "add.u32 %r1, %r2, 1; }"),
                TG_EMU_TRAP_UNINITIALISED_REGISTER, "%r2 has not been written");
    expect_trap(text_of("", CALLED_TWICE, WRITES_FIRST "ld.local.b32 %r3, [v]; }"),
                TG_EMU_TRAP_UNINITIALISED_LOCAL, "has not been written");
    const uint32_t want[] = {2};
    expect_words(text_of("", CALLED_TWICE "mov.u32 %r2, %r3;" KEEP,
                         WRITES_FIRST "@%p ret; add.u32 %r1, %r2, %r3; ld.local.b32 %r1, [v]; }"),
                 1, want, 1);
}

/* ---- vprintf and __assertfail ---- */

static void keep_print(void *context, const char *text, size_t length)
{
    strncat(context, text, length);
}

#define PRINT(format)                                                                              \
    ".local .align 8 .b8 v[8]; st.local.v2.b32 [v], {%r1, %r2}; mov.b64 %rd3, v; cvta.local.u64 "  \
    "%rd3, %rd3; mov.b64 %rd4, " format "; cvta.global.u64 %rd4, %rd4; { .param .b64 f; .param "   \
    ".b64 a; .param .b32 r; st.param.b64 [f], %rd4; st.param.b64 [a], %rd3; call.uni (r), "        \
    "vprintf, (f, a); ld.param.b32 %r2, [r]; }"

Test(emulator_functions, vprintf)
{
    char printed[256] = "";
    const emulator_run r =
        emulator_run_text(text_of("", "sub.u32 %r2, %r1, 1;" PRINT("format") KEEP, ""), 3, 1,
                          (tg_emu_launch){.races = true, .print = keep_print, .context = printed});
    cr_assert_eq(r.status, TG_OK, "%s", r.message);
    cr_expect_not(r.result.trapped, "%s", r.result.trap.text);
    cr_expect_str_eq(printed, "0,-1\n1,0\n2,1\n");
    cr_expect_eq(r.words[2], 2, "the number of values");
    expect_words(text_of("", "mov.u32 %r2, 5;" PRINT("format") KEEP, ""), 1, (uint32_t[]){2}, 1);
    expect_words(
        text_of(".global .b8 nothing[1] = {0};", "mov.u32 %r2, 5;" PRINT("nothing") KEEP, ""), 1,
        (uint32_t[]){0}, 1);
}

Test(emulator_functions, vprintf_that_fails)
{
    expect_trap(text_of(".global .b8 odd[3] = {37, 121};", "mov.u32 %r2, 0;" PRINT("odd"), ""),
                TG_EMU_TRAP_PRINT, "no conversion %y");
    expect_trap(text_of(".global .b8 open[2] = {97, 98};", "mov.u32 %r2, 0;" PRINT("open"), ""),
                TG_EMU_TRAP_OUT_OF_BOUNDS, "of open");
    expect_trap(text_of(".global .b8 seven[15] = {37, 117, 37, 117, 37, 117, 37, 117, 37, 117, 37, "
                        "117, 37, 117};",
                        "mov.u32 %r2, 0;" PRINT("seven"), ""),
                TG_EMU_TRAP_UNINITIALISED_LOCAL, "has not been written");
}

Test(emulator_functions, assertions)
{
    const char *name = "mov.b64 %rd4, name; st.param.b64 [";
    char body[512];
    snprintf(
        body, sizeof body,
        "setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra OUT; .param .b64 m; .param .b64 f; .param .b32 l; "
        ".param .b64 n; .param .b64 s; %sm], %%rd4; %sf], %%rd4; st.param.b32 [l], 17; call "
        "__assertfail, (m, f, l, n, s); OUT: ret;",
        name, name);
    expect_trap(text_of(".global .b8 name[3] = {111, 104};", body, ""), TG_EMU_TRAP_ASSERTION,
                "oh (oh:17)");
}

typedef struct given {
    const uint64_t *next;
    const char *string;
} given;

static bool next_given(void *context, unsigned bytes, uint64_t *out)
{
    given *g = context;
    *out = bytes == 4 ? (uint32_t)*g->next++ : *g->next++;
    return true;
}

static bool next_given_string(void *context, tg_text *out)
{
    tg_text_put(out, ((given *)context)->string);
    return true;
}

static void expect_printed(const char *format, uint64_t first, uint64_t second, const char *want)
{
    given g = {(uint64_t[]){first, second}, "word"};
    const tg_emu_print_values values = {next_given, next_given_string, &g};
    tg_text out = {0};
    size_t problem;
    cr_expect_geq(tg_emu_print_format(format, &values, &out, &problem), 0, "%s", format);
    cr_expect_str_eq(out.data ? out.data : "", want, "%s", format);
    tg_text_drop(&out);
}

Test(print_format, conversions)
{
    expect_printed("", 0, 0, "");
    expect_printed("100%% %s.", 0, 0, "100% word.");
    expect_printed("[%5u|%-5i]", 42, (uint64_t)-7, "[   42|-7   ]");
    expect_printed("%+d %05d", 3, 4, "+3 00004");
    expect_printed("%u %x", UINT64_MAX, 0xff, "4294967295 ff");
    expect_printed("%lld %llu", UINT64_MAX, UINT64_MAX, "-1 18446744073709551615");
    expect_printed("%ld %zu", UINT64_MAX, 1ull << 40, "-1 1099511627776");
    expect_printed("0x%016llx %X", 0xabcdef, 0xAB, "0x0000000000abcdef AB");
    expect_printed("%f %.2e", 0x3ff8000000000000, 0x4059000000000000, "1.500000 1.00e+02");
    expect_printed("%*d", 6, 12, "    12");
    expect_printed("%.*f", 1, 0x3ff4000000000000, "1.2");
    expect_printed("%p %c", 0x7f00, 'x', "0x7f00 x");
    expect_printed("%-6s|%.2s", 0, 0, "word  |wo");
    expect_printed("%hhd %o", 5, 8, "5 10");
}

/* Of the process's locale nothing is to be seen. */
Test(print_format, in_any_locale)
{
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    expect_printed("%.1f", 0x3ff8000000000000, 0, "1.5");
}

Test(print_format, what_is_no_conversion)
{
    static const char *const formats[] = {"ab%y", "ab%", "ab%5", "ab%99999d", "ab%.99999f", "ab%n"};
    given g = {(uint64_t[]){1, 2}, ""};
    const tg_emu_print_values values = {next_given, next_given_string, &g};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        tg_text out = {0};
        size_t problem = 0;
        cr_expect_eq(tg_emu_print_format(formats[i], &values, &out, &problem), TG_EMU_PRINT_UNKNOWN,
                     "%s", formats[i]);
        cr_expect_eq(problem, 2, "%s", formats[i]);
        tg_text_drop(&out);
    }
}

/* ---- what is refused ---- */

typedef struct refusal {
    const char *functions, *body, *behind;
    tg_status status;
    const char *message;
} refusal;

static const refusal refusals[] = {
    {"", "call g;", "", TG_ERR_UNSUPPORTED, "8:6: 'g' has no body in this text"},
    {".func g;", "call g;", "", TG_ERR_UNSUPPORTED, "8:6: 'g' has no body"},
    {"", "call.uni.frob g;", ".func g { }", TG_ERR_UNSUPPORTED, "8:1: 'call.uni.frob' is not"},
    {"", "call %rd3, (x);", "", TG_ERR_UNSUPPORTED, "8:6: a call of a function whose address is"},
    {"", "call 5;", "", TG_ERR_SYNTAX, "8:6: expected the name of a function before '5'"},
    {"", "call (%r2), f, ();", DOUBLED, TG_ERR_UNSUPPORTED, "8:7: '%r2' is no .param variable"},
    {"", "call f, (7);", DOUBLED, TG_ERR_UNSUPPORTED, "8:10: '7' is no .param variable"},
    {"", "call f, (out);", DOUBLED, TG_ERR_UNSUPPORTED, "8:10: 'out' is no .param variable"},
    {"", "call f, (z);", DOUBLED, TG_ERR_INVALID, "8:10: 'z' is not declared"},
    {"", "call f;", DOUBLED, TG_ERR_TYPE,
     "8:6: 'f' has 1 parameters and 1 results, the call 0 and 0"},
    {"", ".param .b64 a; .param .b32 r; call (r), f, (a);", DOUBLED, TG_ERR_TYPE,
     "8:45: 'a' has 8 bytes, the parameter 4"},
    {"", ".param .b8 a[8]; call f, (a);", ".func f(.param .align 4096 .b8 x[8]) { }", TG_OK, ""},
    {"", ".param .b8 b; .param .b8 a[8]; call f, (a);", ".func f(.param .b64 x) { }", TG_ERR_TYPE,
     "8:41: 'a' lacks the alignment 8"},
    {"", "call f;", ".func f\n{ call f; }", TG_ERR_UNSUPPORTED, "11:8: 'f' calls itself"},
    {"", "call f;", ".func f { call g; } .func g\n{ call f; }", TG_ERR_UNSUPPORTED,
     "11:8: 'f' calls itself"},
    {"", "call f;", ".func f\n{ mov.u32 %r1, 1; }", TG_ERR_INVALID, "11:11: '%r1' is not declared"},
    {"", "L: call f;", ".func f\n{ bra L; }", TG_ERR_INVALID, "11:7: there is no label 'L'"},
    {"", "call f; bra L;", ".func f { L: ret; }", TG_ERR_INVALID, "8:13: there is no label 'L'"},
    {"", ".param .b32 r; call (r), f;", ".func (.reg .b32 %r) f { }", TG_ERR_UNSUPPORTED,
     "10:8: parameters of functions are .param variables here"},
    {"", "st.param.b64 [out], %rd1;", "", TG_ERR_INVALID, "8:15: 'out' is no .param variable of a"},
    {"", ".param .b32 a; ld.global.u32 %r2, [a];", "", TG_ERR_TYPE,
     "8:36: 'a' is in .param memory, not .global"},
    {"", ".param .b32 a; ld.param.b64 %rd2, [a];", "", TG_ERR_INVALID,
     "8:36: 8 bytes at offset 0 of 'a', which has 4"},
    {".func f { } .func f { }", "ret;", "", TG_ERR_INVALID, "5:19: 'f' is defined twice"},
    {".func", "ret;", "", TG_ERR_SYNTAX, "6:1: expected the name of a function before '.visible"},
    {"", "ret;", ".func f(.param .b32 x", TG_ERR_SYNTAX, "10:8: a list that does not end"},
    {"", "ret;", ".func f { { }", TG_ERR_SYNTAX, "10:9: a function that does not end"},
    {"", "ret;", ".func f", TG_ERR_SYNTAX, "11:1: a function that does not end"},
    {"", "ret;", ".visible .weak .func f;", TG_ERR_SYNTAX, "10:10: a second directive of linkage"},
    {"", ".param .b64 a; call vprintf, (a);", "", TG_ERR_TYPE,
     "8:21: 'vprintf' has 2 parameters and 1 results, the call 1 and 0"},
    {"", ".param .b64 a; .param .b32 b; call vprintf, (a, b);", "", TG_ERR_TYPE,
     "8:49: 'b' has 4 bytes, the parameter 8"},
    {"", ".param .b64 a; .param .b64 r; call (r), vprintf, (a, a);", "", TG_ERR_TYPE,
     "8:37: 'r' has 8 bytes, the parameter 4"},
};

static void expect_refused(const char *text, tg_status want, const char *message)
{
    tg_diags diags = {0};
    tg_emu_module *module;
    const tg_status status = tg_emu_module_load(text, strlen(text), "k.ptx", &module, &diags);
    cr_expect_eq(status, want, "%s: %s", message, tg_status_name(status));
    if (diags.count)
        cr_expect(strncmp(diags.list[0].message, message, strlen(message)) == 0, "%s, not %s",
                  diags.list[0].message, message);
    tg_emu_module_free(module);
    tg_diags_free(&diags);
}

Test(emulator_functions, refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        expect_refused(text_of(r->functions, r->body, r->behind), r->status, r->message);
    }
}

Test(emulator_functions, more_arguments_than_any_compiler_writes)
{
    char body[1024] = ".param .b32 a; call f, (a";
    for (int i = 0; i < 64; i++) strcat(body, ", a");
    strcat(body, ");");
    expect_refused(text_of("", body, ""), TG_ERR_UNSUPPORTED, "8:217: more than 64 arguments");
}

/* Each calls the next twice: 2^40 bodies, none of which has an instruction. */
Test(emulator_functions, calls_without_end)
{
    char functions[4096] = "";
    for (int i = 0; i < 40; i++) {
        char one[64];
        snprintf(one, sizeof one, ".func f%d { call f%d; call f%d; } ", i, i + 1, i + 1);
        strcat(functions, one);
    }
    strcat(functions, ".func f40 { }");
    expect_refused(text_of(functions, "call f0;", ""), TG_ERR_UNSUPPORTED, "");
    expect_refused(text_of(functions, "call f10;", ""), TG_ERR_UNSUPPORTED, "");
}
