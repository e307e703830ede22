/* Tries tables of expected results (judge.h), and prints what came of each.
 *
 *   layout_judges [--reasons] FILE ..
 *
 * With --reasons it says of each case that is not tried why.  Exit status 1 if a case fails. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "layouts/judge.h"

static void tell(const char *suite, const char *name, const char *what)
{
    printf("  %s: %s: %s\n", suite, name, what);
}

int main(int argc, char **argv)
{
    const bool reasons = argc > 1 && strcmp(argv[1], "--reasons") == 0;
    judgement all = {0};
    printf("%-44s %7s %7s %7s %7s\n", "suite", "cases", "passed", "failed", "without");
    for (int i = 1 + reasons; i < argc; i++) {
        judgement j;
        if (!judge_file(argv[i], reasons, tell, &j)) {
            fprintf(stderr, "layout_judges: %s is no table of expected results\n", argv[i]);
            return 2;
        }
        printf("%-44s %7d %7d %7d %7d\n", j.suite, j.passed + j.failed + j.without, j.passed,
               j.failed, j.without);
        all.passed += j.passed;
        all.failed += j.failed;
        all.without += j.without;
    }
    printf("%-44s %7d %7d %7d %7d\n", "all", all.passed + all.failed + all.without, all.passed,
           all.failed, all.without);
    return all.failed != 0;
}
