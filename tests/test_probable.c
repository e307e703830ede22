/* Probable bounds: long sums of random terms. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "run_text.h"
#include "tilegrind/arrays.h"
#include "tilegrind/bounds.h"

/* Any numbers, of which no two are equal. */
static float number(int i) { return (float)(fmod((i + 1) * 0.6180339887498949, 1.0) - 0.25); }

/* The bound of the only element of output o; the kernel has one input, of `type`, with `count` floats
 * that are the same or not. */
static double bound_of(const char *text, const char *type, int count, bool are_equal,
                       const char *contract, tg_bounds bounds)
{
    tg_module *module = load_kernel(text), *companion;
    cr_assert_eq(tg_module_companion(module, NULL, contract, bounds, &companion, NULL), TG_OK);
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    tg_report *report;
    cr_assert_eq(tg_arrays_add_zeros(inputs, "x", type, NULL), TG_OK);
    float *x = tg_arrays_get(inputs, 0).tensor.data;
    for (int i = 0; i < count; i++) x[i] = are_equal ? 0.1F : number(i);
    cr_assert_eq(tg_arrays_run(companion, NULL, inputs, NULL, NULL, outputs, &report, NULL), TG_OK);
    const double bound = *(double *)tg_arrays_get(outputs, 1).tensor.data;
    tg_report_free(report);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(companion);
    tg_module_free(module);
    return bound;
}

/* The share of the certain bound of a sum that the probable one is. */
static double share_of_sum(int count, bool are_equal, const char *contract)
{
    char text[512], type[32];
    snprintf(text, sizeof text,
             "input x f32[%d]\noutput o f32[1]\nbody\n%%10:f32[%d] = load %%1 [0:%d]; "
             "%%11:f32[] = reduce_sum %%10 axes=[0]; %%12:f32[1] = broadcast_in_dim %%11 dims=[]; "
             "store %%2 %%12 [0:1]\n",
             count, count, count);
    snprintf(type, sizeof type, "f32[%d]", count);
    return bound_of(text, type, count, are_equal, contract, TG_BOUNDS_PROBABLE) /
           bound_of(text, type, count, are_equal, contract, TG_BOUNDS_CERTAIN);
}

Test(probable, sums_of_random_terms)
{
    const double n = 16384;
    cr_assert_float_eq(share_of_sum((int)n, false, "ieee"),
                       8 * sqrt(n / 3 * (1 + n / 0x1p23)) / (n - 1), 1e-4);
}

/* All roundings are the same then. */
Test(probable, sums_of_equal_terms) { cr_assert_eq(share_of_sum(16384, true, "ieee"), 1); }

Test(probable, short_sums)
{
    cr_assert_eq(share_of_sum(64, false, "ieee"), 1);
    cr_assert_lt(share_of_sum(100, false, "ieee"), 0.5);
}

/* A tree has fewer roundings one after another. */
Test(probable, sums_in_a_tree) { cr_assert_eq(share_of_sum(16384, false, "reference"), 1); }

Test(probable, products_of_matrices)
{
    const char *text =
        "input x f32[1,4096]\noutput o f32[1,1]\nbody\n%10:f32[1,4096] = load %1 [0:1,0:4096]; "
        "%11:f32[1,1] = dot_general %10 %10 lhs_contract=[1] rhs_contract=[1] lhs_batch=[] "
        "rhs_batch=[]; store %2 %11 [0:1,0:1]\n";
    const double certain = bound_of(text, "f32[1,4096]", 4096, false, "ieee", TG_BOUNDS_CERTAIN),
                 probable = bound_of(text, "f32[1,4096]", 4096, false, "ieee", TG_BOUNDS_PROBABLE);
    cr_assert_float_eq(probable / certain, 8 * sqrt(4097 / 3.0) / 4096, 0.01);
}

/* Below half a unit of a partial sum, terms are lost one after another. */
Test(probable, terms_that_may_be_lost)
{
    cr_assert_eq(share_of_sum((1 << 20) + 2, false, "ieee"), 1);
}
