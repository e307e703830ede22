/* Whose memory it is: scalar prefetch, aliases, inputs that are written, outputs, scratch. */
#include "memory_text.h"

/* ---- scalar prefetch ---- */

Test(machine_memory, prefetch_chooses_blocks)
{
    static const int32_t order[4] = {2, 0, 3, 1};
    static int32_t x[8], o[8];
    iota(x, 8);
    for (int i = 0; i < 8; i++) o[2 * order[i / 2] + i % 2] = x[i];
    expect("grid 4\nprefetch order i32[4]\ninput x i32[8] block b2 at i\n"
           "output o i32[8] block b2 { (%900:i32[] %901:ref<i32[4]>) %902:i32[] = load %901 %900 "
           "[@]; yield %902 }\nbody\n"
           "%10:i32[2] = load %2 [0:2]; store %3 %10 [0:2]\n",
           NAMED({"order", order}, {"x", x}, {"o", o}));
}

/* Each program chooses the block of the next one; the caller's array stays as it is. */
Test(machine_memory, prefetch_is_written)
{
    static const int32_t next[5] = {1, 0, 0, 0, 0};
    static int32_t x[4], o[4], alias[5] = {1, 2, 3, 0, 1};
    iota(x, 4);
    for (int i = 0; i < 4; i++) o[i] = (i + 1) % 4;
    static const char body[] = "%10:i32[1] = load %2 [0:1]; store %3 %10 [0:1]\n"
                               "%11:i32[] = program_id axis=0; %12:i32[] = constant value=1; "
                               "%13:i32[] = constant value=4\n"
                               "%14:i32[] = load %1 %11 [@]; %15:i32[] = add %14 %12; %16:i32[] = "
                               "rem %15 %13; %17:i32[] = add %11 %12\n"
                               "store %1 %16 %17 [@]\n";
    char text[2048];
    snprintf(text, sizeof text,
             "grid 4a\nprefetch next i32[5]\n"
             "input x i32[4] block b1 { (%%900:i32[] %%901:ref<i32[5]>) %%902:i32[] = load %%901 "
             "%%900 [@]; yield %%902 }\n"
             "output o i32[4] block b1 at i\nbody\n%s",
             body);
    expect(text, NAMED({"next", next}, {"x", x}, {"o", o}));
    snprintf(text, sizeof text,
             "grid 4a\nprefetch next i32[5]\n"
             "input x i32[4] block b1 { (%%900:i32[] %%901:ref<i32[5]>) %%902:i32[] = load %%901 "
             "%%900 [@]; yield %%902 }\n"
             "output o i32[4] block b1 at i\noutput alias i32[5] alias=next\nbody\n%s",
             body);
    expect(text, NAMED({"next", next}, {"x", x}, {"o", o}, {"alias", alias}));
}

/* ---- aliases, written inputs, outputs ---- */

Test(machine_memory, alias_is_one_memory)
{
    static int32_t x[8], o[8];
    iota(x, 8);
    for (int i = 0; i < 8; i++) o[i] = 7 * i + 3;
    /* Written through the output, read through the input, and the other way round. */
    expect("grid 4\ninput x i32[8] block b2 at i\noutput o i32[8] alias=x block b2 at i\nbody\n"
           "%10:i32[2] = load %1 [0:2]; %11:i32[2] = constant value=7; %12:i32[2] = mul %10 %11; "
           "store %2 %12 [0:2]\n"
           "%13:i32[2] = load %1 [0:2]; %14:i32[2] = constant value=3; %15:i32[2] = add %13 %14; "
           "store %1 %15 [0:2]\n",
           NAMED({"x", x}, {"o", o}));
}

/* As PTX the threads that read through one name wait for others that wrote through the other, which no other barrier
 * sees to: what is loaded first is wanted to the end, so that its memory is not taken for anything else. */
Test(machine_memory, alias_moved_by_one)
{
    static int32_t x[96], o[96];
    iota(x, 96);
    for (int i = 0; i < 96; i++) o[i] = i < 95 ? 2 * (i + 1) + i : 2 * i;
    expect("input x i32[96]\noutput o i32[96] alias=x\nbody\n"
           "%10:i32[96] = load %1 [0:96]; %11:i32[96] = add %10 %10; store %2 %11 [0:96]\n"
           "%12:i32[95] = load %1 [1:95]; %13:i32[95] = slice %10 start=[0] stride=[1]\n"
           "%14:i32[95] = add %12 %13; store %2 %14 [0:95]\n",
           NAMED({"x", x}, {"o", o}));
}

/* The caller may give one array for both. */
Test(machine_memory, alias_in_place)
{
    tg_module *module = load_kernel(
        "grid 4\ninput x i32[8] block b2 at i\noutput o i32[8] alias=x block b2 at i\nbody\n"
        "%10:i32[2] = load %1 [0:2]; %11:i32[2] = neg %10; store %2 %11 [0:2]\n");
    int32_t x[8];
    iota(x, 8);
    arrays all = make_arrays(module, NAMED({"x", x}));
    void *kept = all.list[0].tensor.data;
    all.list[0].tensor.data = all.list[1].tensor.data;
    memcpy(all.list[1].tensor.data, x, sizeof x);
    tg_run_options options = {.size = sizeof options};
    tg_report_free(run_once(module, &all, &options));
    for (int i = 0; i < 8; i++) cr_assert_eq(((int32_t *)all.list[1].tensor.data)[i], -i);
    all.list[0].tensor.data = kept;
    free_arrays(&all);
    tg_module_free(module);
}

/* An alias that no program touches is a copy; an aliased output needs no store. */
Test(machine_memory, alias_untouched)
{
    static int32_t x[8], o[8];
    iota(x, 8);
    iota(o, 8);
    expect("grid 4\ninput x i32[8]\noutput o i32[8] alias=x\nbody\n", NAMED({"x", x}, {"o", o}));
}

/* Programs see what they wrote to an input; the caller does not. */
Test(machine_memory, written_input)
{
    static int32_t x[8], o[8];
    iota(x, 8);
    for (int i = 0; i < 8; i++) o[i] = 3 * i;
    expect("grid 4\ninput x i32[8] block b2 at i\noutput o i32[8] block b2 at i\nbody\n"
           "%10:i32[2] = load %1 [0:2]; %11:i32[2] = add %10 %10; store %1 %11 [0:2]\n"
           "%12:i32[2] = load %1 [0:2]; %13:i32[2] = add %12 %10; store %2 %13 [0:2]\n",
           NAMED({"x", x}, {"o", o}));
}

/* What an output holds before it is written is undefined, in every program. */
Test(machine_memory, outputs_start_undefined)
{
    static int32_t o[8], p[8];
    static const float f[2] = {1, 1};
    for (int i = 0; i < 8; i++) {
        o[i] = UNDEFINED;
        p[i] = UNDEFINED + 5;
    }
    expect("grid 4\noutput o i32[8] block b2 at i\noutput p i32[8] block b2 at i\noutput f "
           "f32[2]\nbody\n"
           "%10:i32[2] = load %1 [0:2]; %11:i32[2] = constant value=5; %12:i32[2] = add %10 %11; "
           "store %2 %12 [0:2]\n"
           "store %1 %10 [0:2]\n"
           "%13:f32[2] = load %3 [0:2]; %14:f32[2] = constant value=1; store %3 %14 [0:2]\n",
           NAMED({"o", o}, {"p", p}, {"f", f}));
}

/* ---- scratch ---- */

/* The scratch of a chain starts undefined and collects the steps in their order: o = 1 2 3 ... as digits. */
static void check_scratch(const char *grid, const char *map, int chains, int steps)
{
    char text[1024];
    int32_t o[12];
    for (int c = 0; c < chains; c++) {
        o[c] = 0;
        for (int s = 0; s < steps; s++) o[c] = 10 * o[c] + s + 1;
    }
    snprintf(text, sizeof text,
             "grid %s\noutput o i32[%d] block s %s\nscratch s i32[2]\nscratch t bf16[3,5]\nbody\n"
             "%%10:i32[2] = load %%2 [0:2]; %%11:i32[2] = constant value=-2147483648; %%12:bool[2] "
             "= eq %%10 %%11\n"
             "%%13:i32[2] = constant value=0; %%14:i32[2] = select %%12 %%10 %%13\n"
             "%%15:i32[2] = constant value=1; %%16:i32[2] = and %%14 %%15\n"
             "%%17:bf16[3,5] = load %%3 [0:3,0:5]; %%18:bool[3,5] = ne %%17 %%17; %%19:bf16[3,5] = "
             "constant value=0\n"
             "%%20:bf16[3,5] = constant value=1; %%21:bf16[3,5] = select %%18 %%17 %%19; "
             "%%22:bf16[3,5] = add %%21 %%20\n"
             "store %%3 %%22 [0:3,0:5]\n"
             "%%23:bf16[] = reduce_max %%22 axes=[0,1]; %%24:i32[] = convert %%23; %%25:i32[2] = "
             "broadcast_in_dim %%24 dims=[]\n"
             "%%26:i32[2] = constant value=10; %%27:i32[2] = mul %%14 %%26; %%28:i32[2] = add %%27 "
             "%%25\n"
             "store %%2 %%28 [0:2]; %%29:i32[] = constant value=1; %%30:i32[] = load %%2 %%29 [@]; "
             "store %%1 %%30 []\n",
             grid, chains, map);
    expect(text, NAMED({"o", o}));
}

Test(machine_memory, scratch_lives_along_arbitrary_axes)
{
    static const char row_major[] =
        "{ (%900:i32[] %901:i32[] %902:i32[]) %903:i32[] = constant value=3; %904:i32[] = mul %900 "
        "%903; %905:i32[] = add %904 %902; yield %905 }";
    check_scratch("3 4a", "at i", 3, 4);
    check_scratch("4a 3", "at j", 3, 4);
    check_scratch("2a 3 2a", "at j", 3, 4);
    check_scratch("2 4a 3", row_major, 6, 4);
    check_scratch("5a", "at 0", 1, 5);
    check_scratch("3", "at i", 3, 1);
    check_scratch("3a 1 1a", "at 0", 1, 3);
}
