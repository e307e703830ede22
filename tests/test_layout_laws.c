/* Laws of layouts, each on some thousand random ones; layout_laws tries as many as it is told to. */
#include <criterion/criterion.h>

#include "layouts/law.h"

Test(layout_laws, hold)
{
    for (const law *l = laws; l->name; l++)
        for (uint64_t seed = 0; seed < 2000; seed++) {
            chance c = {seed};
            tg_axe shown;
            cr_expect_neq(l->try(&c, &shown), BROKEN, "%s, seed %llu", l->name,
                          (unsigned long long)seed);
        }
}
