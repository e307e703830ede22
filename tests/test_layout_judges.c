/* Tables of expected results, which layout_judges tells the counts of. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>

#include "layouts/judge.h"

static void tell(const char *suite, const char *name, const char *what)
{
    printf("%s: %s: %s\n", suite, name, what); /* an error in the log fails the program */
}

Test(layout_judges, agree)
{
    glob_t files;
    cr_assert_eq(glob("tests/layouts/judges/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        judgement j;
        cr_expect(judge_file(files.gl_pathv[i], false, tell, &j), "%s", files.gl_pathv[i]);
        cr_expect_gt(j.passed, 0, "%s", files.gl_pathv[i]);
        cr_expect_eq(j.failed, 0, "%s", files.gl_pathv[i]);
    }
    globfree(&files);
}

static int told;

static void count(const char *suite, const char *name, const char *what)
{
    told += suite && name && what;
}

Test(layout_judges, tell_what_differs)
{
    judgement j;
    cr_assert(judge_file("tests/data/layouts/wrong_judge.json", true, count, &j));
    cr_expect_eq(j.passed, 1);
    cr_expect_eq(j.failed, 4);
    cr_expect_eq(j.without, 1);
    cr_expect_eq(told, 5);
    cr_expect_not(judge_file("tests/data/layouts/no_judge.json", true, count, &j));
}
