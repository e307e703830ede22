/* Tables of expected results, which layout_judges tells the counts of. */
#include <criterion/criterion.h>
#include <glob.h>

#include "layouts/judge.h"

static void tell(const char *suite, const char *name, const char *what)
{
    cr_log_error("%s: %s: %s", suite, name, what);
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

Test(layout_judges, tell_what_differs)
{
    judgement j;
    cr_assert(judge_file("tests/data/layouts/wrong_judge.json", true, tell, &j));
    cr_expect_eq(j.passed, 1);
    cr_expect_eq(j.failed, 4);
    cr_expect_eq(j.without, 1);
    cr_expect_not(judge_file("tests/data/layouts/no_judge.json", true, tell, &j));
}
