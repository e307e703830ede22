/* Check "memory-cost" in kernels that say where memory and values are: by the addresses that layouts of memory give, and with
 * the lanes that layouts of values name. */
#include "run_text.h"

static const float zeros[8192];

/* "OP PARAM SPACE COST/LEAST, WIDTH B[, assumed]" */
static void site_line(const tg_memory_access_cost *c, char *out, size_t size)
{
    snprintf(out, size, "%s %s %s %d/%d, %d B%s", c->op, c->param, c->space, (int)c->cost,
             (int)c->least, c->widest_bytes, c->is_assumed ? ", assumed" : "");
}

/* Of the site that comes first, in every order; `advice`: whether there is a swizzle. */
static void costs(const char *text, const char *line, bool advice)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "memory-cost", .warps = 1};
        arrays all = make_arrays(module, NAMED({"x", zeros}));
        tg_report *report = run_once(module, &all, &options);
        char found[200] = "nothing";
        cr_assert_gt(tg_report_memory_cost_count(report), 0, "%s", text);
        const tg_memory_access_cost c = tg_report_memory_cost(report, 0);
        site_line(&c, found, sizeof found);
        cr_assert_str_eq(found, line, "%s\ninstead of %s\n%s", found, line, text);
        cr_assert_eq(c.swizzle_bytes.bits > 0, advice, "%s", text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define OUTPUT "output o f32[1]\n"
#define DONE "\n%99:f32[1] = constant value=0; store %1 %99 [0:1]\n"

/* ---- memory ---- */

#define SQUARE(layout, load) OUTPUT "scratch s f32[32,32] " layout "\nbody\n" load DONE

Test(memory_cost_layouts, of_scratch)
{
#define COLUMN "%10:f32[32,1] = load %2 [0:32,7:1]"
    costs(SQUARE("", COLUMN), "load s shared 32/1, 4 B, assumed", true);
    costs(SQUARE("layout='(32,32):(32,1)'", COLUMN), "load s shared 32/1, 4 B, assumed", true);
    costs(SQUARE("layout='(32,32):(33,1)'", COLUMN), "load s shared 1/1, 4 B, assumed", false);
    costs(SQUARE("layout='(32,32):(1,32)'", COLUMN), "load s shared 1/1, 4 B, assumed", false);
    costs(SQUARE("layout='(32,32):(132@byte,4@byte)'", COLUMN), "load s shared 1/1, 4 B, assumed",
          false);
    costs(SQUARE("layout='Sw<5,0,5> o (32,32):(32,1)'", COLUMN), "load s shared 1/1, 4 B, assumed",
          false);
    /* One swizzle behind another is none, so there is no advice. */
    costs(SQUARE("layout='Sw<3,2,3> o (32,32):(32,1)'", COLUMN), "load s shared 4/1, 4 B, assumed",
          false);
    /* Vectors go as far as the layout keeps elements side by side. */
    costs(SQUARE("layout='(32,32):(34,1)'", "%10:f32[32,4] = load %2 [0:32,0:4]"),
          "load s shared 8/4, 8 B, assumed", true);
}

/* Rows of scratch, seen as a matrix, transposed: the layout is that of the memory, whatever refers to it. */
Test(memory_cost_layouts, of_memory_that_is_viewed)
{
#define VIEWED(layout)                                                                             \
    SQUARE(layout, "%10:ref<f32[32,32]> = view_transpose %2 permutation=[1,0]; %11:f32[1,32] = "   \
                   "load %10 [3:1,0:32]")
    costs(VIEWED(""), "load s shared 32/1, 4 B, assumed", true);
    costs(VIEWED("layout='(32,32):(33,1)'"), "load s shared 1/1, 4 B, assumed", false);
    /* A view with a layout says itself which elements it refers to. */
    costs(SQUARE("", "%10:ref<f32[32]>'32:33' = view_layout %2; %11:f32[32] = load %10 [0:32]"),
          "load s shared 1/1, 4 B, assumed", false);
    costs(SQUARE("", "%10:ref<f32[32]>'32:32' = view_layout %2; %11:f32[32] = load %10 [0:32]"),
          "load s shared 32/1, 4 B, assumed", true);
}

Test(memory_cost_layouts, of_alloc)
{
#define ALLOC(value, space)                                                                        \
    OUTPUT "body\n%10:ref<f32[32,32]>" value " = alloc" space                                      \
           "; %11:f32[32,1] = load %10 [0:32,7:1]" DONE
    costs(ALLOC("", ""), "load  shared 32/1, 4 B, assumed", true);
    costs(ALLOC("'(32,32):(33,1)'", ""), "load  shared 1/1, 4 B, assumed", false);
    costs(OUTPUT "body\nscoped { (%10:ref<f32[32,32]>'(32,32):(33,1)') %11:f32[32,1] = load %10 "
                 "[0:32,7:1] }" DONE,
          "load  shared 1/1, 4 B, assumed", false);
}

/* Of blocks, whose elements are numbered in the block, wherever that is in the array. */
Test(memory_cost_layouts, of_blocks)
{
#define BLOCKS(layout, shape)                                                                      \
    "grid 2 2\ninput x f32[" shape "] space=smem layout='" layout "' block b32 b32 at i j\n"       \
    "output o f32[2,2] block s s at i j\nbody\n%10:f32[32,1] = load %1 [0:32,7:1]; %11:f32[] = "   \
    "reduce_sum %10 axes=[0,1]; store %2 %11 []\n"
    costs(BLOCKS("(32,32):(32,1)", "64,64"), "load x shared 128/4, 4 B, assumed", true);
    costs(BLOCKS("(32,32):(33,1)", "64,64"), "load x shared 4/4, 4 B, assumed", false);
    costs(BLOCKS("Sw<5,0,5> o (32,32):(32,1)", "64,64"), "load x shared 4/4, 4 B, assumed", false);
    /* Edges: of 32 rows the last blocks have 18. */
    costs(BLOCKS("(32,32):(32,1)", "50,64"), "load x shared 100/4, 4 B, assumed", true);
    /* Elements of padding: the block of program 0 begins 4 elements before the array. */
    costs("grid 2\ninput x f32[40] space=smem layout='32:32' block e32:4:20 at i\noutput o f32[2] "
          "block s at i\nbody\n%10:f32[32] = load %1 [0:32]; %11:f32[] = reduce_sum %10 axes=[0]; "
          "store %2 %11 []\n",
          "load x shared 57/2, 4 B, assumed", false);
}

/* ---- values ---- */

Test(memory_cost_layouts, of_values)
{
#define ROWS(pitch, layout)                                                                        \
    OUTPUT "scratch s f16[8," pitch "] " layout "\nbody\n%10:f16[8,8]'(8,8):(1@lane,1@reg)' = "    \
           "load %2 [0:8,0:8]" DONE
    costs(ROWS("16", ""), "load s shared 2/1, 16 B", true);
    costs(ROWS("32", ""), "load s shared 4/1, 16 B", true);
    costs(ROWS("64", ""), "load s shared 8/1, 16 B", true);
    costs(ROWS("64", "layout='Sw<3,3,3> o (8,64):(64,1)'"), "load s shared 1/1, 16 B", false);
    /* wgmma: 64 rows of f16, 128 bytes apart, stored in pairs. */
#define FRAGMENT "'(4,2,8,8,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)'"
#define WGMMA(dtype, space, layout)                                                                \
    OUTPUT "scratch s " dtype "[64,64] " space " " layout "\nbody\n%10:" dtype                     \
           "[64,64] = constant value=0; %11:" dtype "[64,64]" FRAGMENT                             \
           " = layout_cast %10; store %2 %11 [0:64,0:64]" DONE
    costs(WGMMA("f16", "", ""), "store s shared 512/64, 4 B", true);
    costs(WGMMA("f16", "", "layout='Sw<3,3,3> o (64,64):(64,1)'"), "store s shared 64/64, 4 B",
          false);
    costs(WGMMA("f32", "space=gmem", ""), "store s global 512/512, 8 B", false);
    costs(WGMMA("f16", "space=gmem", ""), "store s global 512/256, 4 B", false);
    /* Copies: all four warps add what they hold. */
    costs(
        "output o f32[32]\nbody\n%10:f32[32] = constant value=0; %11:f32[32]'32:1@lane+[4:1@warp]' "
        "= layout_cast %10; add_update %1 %11 [0:32]\n",
        "add_update o global 16/16, 4 B", false);
}

/* A layout_cast says where what it takes was loaded to, unless something else uses that as well. */
Test(memory_cost_layouts, of_values_by_a_cast)
{
#define CAST(uses)                                                                                 \
    OUTPUT "scratch s f16[8,16]\nbody\n%10:f16[8,8] = load %2 [0:8,0:8]; "                         \
           "%11:f16[8,8]'(8,8):(1@lane,1@reg)' = layout_cast %10" uses DONE
    costs(CAST(""), "load s shared 2/1, 16 B", true);
    costs(CAST("; store %2 %10 [0:8,0:8]"), "load s shared 2/1, 4 B, assumed", true);
}

/* What follows from layouts counts as what is said. */
Test(memory_cost_layouts, of_values_made_of_others)
{
    costs(OUTPUT "scratch s f16[8,16]\nbody\n%10:f16[8,8] = constant value=0; "
                 "%11:f16[8,8]'(8,8):(1@lane,1@reg)' = layout_cast %10; %12:f16[8,8] = neg %11; "
                 "store %2 %12 [0:8,0:8]" DONE,
          "store s shared 2/1, 16 B", true);
}

/* ---- physical runs ---- */

Test(memory_cost_layouts, physical_runs_are_refused)
{
    tg_module *module = load_kernel(SQUARE("layout='(32,32):(33,1)'", COLUMN));
    for (int i = 0; i < 2; i++) {
        const tg_run_options options = {
            .size = sizeof options, .checks = i ? "all,memory-cost" : "all", .layouts = "physical"};
        arrays all = make_arrays(module, NAMED({"x", zeros}));
        tg_errors *errors = tg_errors_new();
        tg_report *report;
        const tg_status status =
            tg_run(module, NULL, all.list, all.count, &options, &report, errors);
        cr_assert_eq(status, i ? TG_ERR_UNSUPPORTED : TG_OK, "%s", tg_status_name(status));
        if (i)
            cr_assert_str_eq(tg_errors_get(errors, 0).message,
                             "check memory-cost looks at logical runs, where layouts count too; "
                             "layouts \"physical\" does not go with it");
        if (!i) tg_report_free(report);
        tg_errors_free(errors);
        free_arrays(&all);
    }
    tg_module_free(module);
}
