/* Suppressions: what blocks cover, what is no block, and that a printed block covers its finding. */
#define _XOPEN_SOURCE 700 /* alarm */
#include <unistd.h>

#include "run_text.h"
#include "report/suppression.h"

static tg_suppression_list read_list(const char *text)
{
    tg_suppression_list list = {0};
    tg_diags diags = {0};
    cr_assert_eq(tg_suppression_list_read(&list, text, strlen(text), "known.supp", &diags), TG_OK,
                 "%s: %s", text, diags.count ? diags.list[0].message : "");
    return list;
}

/* ---- patterns ---- */

Test(suppression, patterns)
{
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {
        {"race", "race", true},
        {"race", "races", false},
        {"race", "rac", false},
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"**", "anything", true},
        {"a*b*c", "a--b-bc-c", true},
        {"a*b*c", "a--b-bc-", false},
        {"*ab", "aab", true},
        {"?", "", false},
        {"?x", "\xc3\xa4x", true}, /* one character of two bytes */
        {"??x", "\xc3\xa4x", false},
        {"*?x", "\xc3\xa4x", true},
        {"\\*", "*", true},
        {"\\*", "x", false},
        {"a\\?b", "a?b", true},
        {"a\\?b", "axb", false},
        {"\\\\", "\\", true},
        {"end\\", "end\\", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(tg_pattern_fits(cases[i].pattern, cases[i].text), cases[i].fits,
                     "'%s' and '%s'", cases[i].pattern, cases[i].text);
}

Test(suppression, patterns_take_no_exponential_time)
{
    char pattern[201], text[20001];
    for (size_t i = 0; i < 200; i += 2) memcpy(pattern + i, "*a", 2);
    pattern[200] = '\0';
    memset(text, 'a', 20000);
    text[19999] = 'b';
    text[20000] = '\0';
    alarm(10); /* seconds, behind which the test ends as a crash */
    cr_assert_not(tg_pattern_fits(pattern, text));
}

/* ---- what blocks cover ---- */

/* A race of a store at src/k.py:16 in f with a load at lib/else.py:2. */
static bool covers(const char *body)
{
    static tg_loc locs[] = {{.file = "", .function = "", .line = 0},
                            {.file = "src/k.py", .function = "f", .line = 16},
                            {.file = "lib/else.py", .function = "g", .line = 2}};
    static tg_param param = {.name = "o_ref"};
    const tg_module module = {.loc_count = 3, .locs = locs};
    const tg_kernel kernel = {.name = "sum_rows"};
    tg_found found = {.kind = TG_FINDING_RACE, .param = &param, .related_count = 1};
    found.at = (tg_found_place){.op = TG_OP_store, .loc = 1};
    found.related[0].at = (tg_found_place){.op = TG_OP_load, .loc = 2};
    char text[400];
    snprintf(text, sizeof text, "{\n name\n%s\n}\n", body);
    tg_suppression_list list = read_list(text);
    const bool covered = tg_suppression_covers(list.rules, &module, &kernel, &found);
    tg_suppression_list_free(&list);
    return covered;
}

Test(suppression, every_pattern_of_a_block_must_fit)
{
    static const char *const fitting[] = {
        "kind: race",
        "kind:race\t",
        "kind: *\nkernel: sum_*\nop: store\nparam: o_*\nfunction: f\nat: k.py\nother: else.py",
        "kind: race\nat: src/k.py:16",
        "kind: race\nat: k.py:10-20",
        "kind: race\nat: *.py:16-16",
        "kind: race\nother: lib/*:2",
    };
    static const char *const others[] = {
        "kind: race-same-value",        "kind: race\nkernel: sum",   "kind: race\nop: load",
        "kind: race\nparam: x_ref",     "kind: race\nfunction: g",   "kind: race\nat: k.py:17",
        "kind: race\nat: .py",          "kind: race\nat: k.py:1-15", "kind: race\nother: k.py",
        "kind: race\nother: else.py:3", "kind: race\nat: /src/k.py", "kind: race\nat: else.py:2",
    };
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++)
        cr_assert(covers(fitting[i]), "%s", fitting[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_not(covers(others[i]), "%s", others[i]);
}

Test(suppression, blocks_are_known_by_name_and_line)
{
    tg_suppression_list list = read_list("# about\n{\r\n  first one \r\n  kind: race\r\n}\r\n\n"
                                         "{\nsecond\nkind: deadlock\nkernel: k\n# why\n}");
    cr_assert_eq(list.count, 2);
    cr_assert_str_eq(list.rules[0].name, "first one");
    cr_assert_str_eq(list.rules[0].file, "known.supp");
    cr_assert_eq(list.rules[0].line, 2);
    cr_assert_eq(list.rules[1].line, 7);
    cr_assert(tg_suppression_concerns(&list.rules[0], "any"));
    cr_assert(tg_suppression_concerns(&list.rules[1], "k"));
    cr_assert_not(tg_suppression_concerns(&list.rules[1], "other"));
    tg_suppression_list_free(&list);
}

/* ---- what is refused ---- */

Test(suppression, refused)
{
    static const struct {
        const char *text, *file, *message;
        tg_status status;
    } cases[] = {
        {"race\n", "f:1", "outside a block", TG_ERR_SYNTAX},
        {"\n}\n", "f:2", "outside a block", TG_ERR_SYNTAX},
        {"{\nn\nkind: race\n", "f:1", "not closed", TG_ERR_SYNTAX},
        {"{\nn\n{\n}\n", "f:3", "line 1 has opened", TG_ERR_SYNTAX},
        {"{\n}\n", "f:1", "without a name", TG_ERR_SYNTAX},
        {"{\nkind: race\n}\n", "f:1", "has no 'kind'", TG_ERR_INVALID},
        {"{\nn\nkind race\n}\n", "f:3", "no \"KEY: PATTERN\"", TG_ERR_SYNTAX},
        {"{\nn\nkind: race\nwhere: x\n}\n", "f:4", "'where' is none of kind", TG_ERR_INVALID},
        {"{\nn\nkind: race\nkind: race\n}\n", "f:4", "a second 'kind'", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x\nat: y\n}\n", "f:5", "a second 'at'", TG_ERR_INVALID},
        {"{\nn\nkind: race\nop:\n}\n", "f:4", "'op' has no pattern", TG_ERR_INVALID},
        {"{\nn\nkind: race\nwritten: p\n}\n", "f:4", "'p' is neither part nor nothing",
         TG_ERR_INVALID},
        {"{\nn\nkind: rice\n}\n", "f:3", "no kind of finding is called 'rice'", TG_ERR_INVALID},
        {"{\nn\nkind: race\nop: lod\n}\n", "f:4", "no operation is called 'lod'", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x:0\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x:\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: :3\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x:3-2\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x:3-\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nat: x:1-2-3\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\nkind: race\nother: x:99999999999999999999\n}\n", "f:4", "no FILE", TG_ERR_INVALID},
        {"{\nn\xff\nkind: race\n}\n", "f:2", "not UTF-8", TG_ERR_SYNTAX},
        {"{\nn\x1b[31m\nkind: race\n}\n", "f:2", "a control character", TG_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tg_suppressions *list = tg_suppressions_new();
        tg_errors *errors = tg_errors_new();
        const char *text = cases[i].text;
        cr_assert_eq(tg_suppressions_add_text(list, "{\nold\nkind: race\n}\n", 19, NULL, errors),
                     TG_OK);
        cr_assert_eq(tg_suppressions_add_text(list, text, strlen(text), "f", errors),
                     cases[i].status, "%s", text);
        const tg_error error = tg_errors_get(errors, 0);
        cr_assert_str_eq(error.file, cases[i].file, "%s: %s", text, error.message);
        cr_assert(strstr(error.message, cases[i].message), "%s: %s", text, error.message);
        cr_assert_eq(error.status, cases[i].status);
        cr_assert_eq(tg_suppressions_count(list), 1, "%s", text);
        tg_errors_free(errors);
        tg_suppressions_free(list);
    }
}

Test(suppression, a_nul_is_a_control_character)
{
    tg_suppressions *list = tg_suppressions_new();
    cr_assert_eq(tg_suppressions_add_text(list, "{\nn\0\n}", 7, NULL, NULL), TG_ERR_SYNTAX);
    cr_assert_eq(tg_suppressions_add_text(list, "", 0, NULL, NULL), TG_OK);
    cr_assert_eq(tg_suppressions_add_file(list, "tests/no such file", NULL), TG_ERR_IO);
    cr_assert_eq(tg_suppressions_add_file(list, "tests/corpus/suppression/all", NULL), TG_OK);
    cr_assert_eq(tg_suppressions_count(list), 2);
    cr_assert_str_eq(tg_suppressions_get(list, 1).name, "by name alone");
    cr_assert_eq(tg_suppressions_get(list, 1).line, 12);
    tg_suppressions_free(list);
}

Test(suppression, all_that_is_wrong_is_told)
{
    tg_suppressions *list = tg_suppressions_new();
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_suppressions_add_file(list, "tests/corpus/suppression/wrong", errors),
                 TG_ERR_SYNTAX);
    cr_assert_gt(tg_errors_count(errors), 8);
    tg_errors_free(errors);
    tg_suppressions_free(list);
}

/* ---- reports ---- */

#define SHIFTED "grid 6\ninput x f32[30] block b8 at i\nbody\n"

Test(suppression, a_printed_block_covers_its_finding)
{
    static float zeros[4096];
    tg_module *module = load_kernel(SHIFTED);
    arrays all = make_arrays(module, (named[]){{"x", zeros}, {NULL, NULL}});
    tg_report *report = run_once(module, &all, NULL);
    cr_assert_eq(tg_report_finding_count(report), 1);
    char *text = tg_suppression_for(report, 0);
    tg_suppressions *list = tg_suppressions_new();
    cr_assert_eq(tg_suppressions_find(list, report, 0), 0, "none of none");
    cr_assert_eq(tg_suppressions_add_text(list, "{\nno\nkind: race\n}", 17, NULL, NULL), TG_OK);
    cr_assert_eq(tg_suppressions_find(list, report, 0), 1);
    cr_assert_eq(tg_suppressions_add_text(list, text, strlen(text), "k.supp", NULL), TG_OK, "%s",
                 text);
    cr_assert_eq(tg_suppressions_find(list, report, 0), 1, "%s", text);
    cr_assert_eq(tg_suppressions_count(list), 2);
    cr_assert(tg_suppressions_concern(list, 1, "k") && !tg_suppressions_concern(list, 1, "l"));
    cr_assert_str_eq(tg_suppressions_get(list, 1).file, "k.supp");
    tg_text_free(text);
    tg_suppressions_free(list);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(suppression, names_with_signs_of_patterns_are_printed_so_that_they_fit)
{
    static tg_loc locs[] = {{.file = "", .function = "", .line = 0},
                            {.file = "/home/a*b?.py", .function = "f", .line = 3},
                            {.file = " c\n.py ", .function = "", .line = 5}};
    static tg_param param = {.name = "\\x"};
    const tg_module module = {.loc_count = 3, .locs = locs};
    const tg_kernel kernel = {.name = " k\t[1]\xc3\xa4 "};
    tg_found found = {.kind = TG_FINDING_RACE, .param = &param, .related_count = 1};
    found.at = (tg_found_place){.op = TG_OP_store, .loc = 1};
    found.related[0].at = (tg_found_place){.op = TG_OP_load, .loc = 2};
    char *text = tg_suppression_print(&module, &kernel, &found);
    cr_assert(strstr(text, "at: a\\*b\\?.py:3\n"), "%s", text);
    tg_suppression_list list = read_list(text);
    cr_assert_eq(list.count, 1);
    cr_assert(tg_suppression_covers(list.rules, &module, &kernel, &found), "%s", text);
    tg_suppression_list_free(&list);
    free(text);
}

Test(suppression, kinds_have_names_levels_and_sentences)
{
    cr_assert_eq(tg_finding_kind_count(), TG_FINDING_KIND_COUNT);
    cr_assert_str_eq(tg_finding_kind_get(TG_FINDING_RACE_SAME_VALUE).name, "race-same-value");
    cr_assert_str_eq(tg_finding_kind_get(TG_FINDING_RACE_SAME_VALUE).level, "warning");
    for (size_t i = 0; i < tg_finding_kind_count(); i++)
        cr_assert_gt(strlen(tg_finding_kind_get(i).means), 10);
}
