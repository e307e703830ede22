/* Memory: blocks and what lies around them, aliases, scratch, prefetch, masks, index arrays, atomics, and
 * loads and stores in their order. */
#include "run_text.h"

#define UNDEFINED INT32_MIN

static void iota(int32_t *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = i;
}

/* ---- edges ---- */

/* What lies outside the array reads as undefined, and what is written there is dropped. */
Test(machine_memory, partial_blocks)
{
    static int32_t x[7 * 10], o[7 * 10], outside[4];
    iota(x, 70);
    for (int i = 0; i < 70; i++) o[i] = 2 * i;
    for (int p = 0; p < 4; p++) outside[p] = 32 - (p / 2 ? 3 : 4) * (p % 2 ? 2 : 8);
    expect("grid 2 2\ninput x i32[7,10] block b4 b8 at i j\n"
           "output o i32[7,10] block b4 b8 at i j\noutput outside i32[2,2] block s s at i j\nbody\n"
           "%10:i32[4,8] = load %1 [0:4,0:8]; %11:i32[4,8] = add %10 %10; store %2 %11 [0:4,0:8]\n"
           "%12:i32[4,8] = constant value=-2147483648; %13:bool[4,8] = eq %10 %12; %14:i32[4,8] = "
           "convert %13\n"
           "%15:i32[] = reduce_sum %14 axes=[0,1]; store %3 %15 []\n",
           NAMED({"x", x}, {"o", o}, {"outside", outside}));
}

Test(machine_memory, partial_blocks_of_other_dtypes)
{
    static const uint16_t h[3] = {0x3c00, 0x4000, 0x4200};
    static const uint8_t u[3] = {1, 2, 3}, b[3] = {1, 1, 1}, ob[3] = {0, 0, 0};
    static const double d[3] = {1, 2, 3};
    static const int32_t bad[2] = {0, 3}, sum[2] = {3, 3};
    expect("grid 2\ninput h f16[3] block b2 at i\ninput u u8[3] block b2 at i\ninput b bool[3] "
           "block b2 at i\n"
           "input d f64[3] block b2 at i\noutput oh f16[3] block b2 at i\noutput ou u8[3] block b2 "
           "at i\n"
           "output ob bool[3] block b2 at i\noutput od f64[3] block b2 at i\noutput bad i32[2] "
           "block s at i\n"
           "output sum i32[2] block s at i\nbody\n"
           "%11:f16[2] = load %1 [0:2]; store %5 %11 [0:2]; %12:bool[2] = ne %11 %11\n"
           "%13:u8[2] = load %2 [0:2]; store %6 %13 [0:2]; %14:u8[] = reduce_sum %13 axes=[0]; "
           "%15:i32[] = convert %14\n"
           "store %10 %15 []\n"
           "%16:bool[2] = load %3 [0:2]; %17:bool[2] = not %16; store %7 %17 [0:2]\n"
           "%18:f64[2] = load %4 [0:2]; store %8 %18 [0:2]; %19:bool[2] = ne %18 %18\n"
           "%20:i32[2] = convert %12; %21:i32[2] = convert %19; %22:i32[2] = convert %17\n"
           "%23:i32[2] = add %20 %21; %24:i32[2] = add %23 %22; %25:i32[] = reduce_sum %24 "
           "axes=[0]; store %9 %25 []\n",
           NAMED({"h", h}, {"u", u}, {"b", b}, {"d", d}, {"oh", h}, {"ou", u}, {"ob", ob},
                 {"od", d}, {"bad", bad}, {"sum", sum}));
}

/* One operand of a group is in place, another a copy, a third a transposed view in place. */
Test(machine_memory, mixed_layouts)
{
    static int32_t x[40 * 40], y[35 * 40], z[40 * 40], o[40 * 40];
    iota(x, 1600);
    iota(y, 1400);
    iota(z, 1600);
    for (int i = 0; i < 1600; i++)
        o[i] = x[i] + (i / 40 < 35 ? y[i] : 7) + 2 * z[i % 40 * 40 + i / 40];
    expect(
        "grid 2 2\ninput x i32[40,40] block b20 b20 at i j\ninput y i32[35,40] block b20 b20 at i "
        "j\n"
        "input z i32[40,40] block b20 b20 at j i\noutput o i32[40,40] block b20 b20 at i j\nbody\n"
        "%10:i32[20,20] = load %1 [0:20,0:20]; %11:i32[20,20] = load %2 [0:20,0:20]; "
        "%12:i32[20,20] = load %3 [0:20,0:20]\n"
        "%13:i32[20,20] = transpose %12 permutation=[1,0]; %14:i32[20,20] = constant "
        "value=-2147483648\n"
        "%15:bool[20,20] = eq %11 %14; %16:i32[20,20] = constant value=7; %17:i32[20,20] = select "
        "%15 %11 %16\n"
        "%18:i32[20,20] = add %10 %17; %19:i32[20,20] = add %13 %13; %20:i32[20,20] = add %18 %19\n"
        "store %4 %20 [0:20,0:20]\n",
        NAMED({"x", x}, {"y", y}, {"z", z}, {"o", o}));
}

/* Everything that reads blocks reads them in place and from copies: rows 0 to 15 are inside, the rest not. */
Test(machine_memory, operations_on_blocks_in_place)
{
    static int32_t x[20 * 24], sums[4], most[20], scan[20 * 8], dots[20 * 8], flat[4 * 64],
        taken[20 * 8], part[4 * 6];
    iota(x, 480);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 8; i++) {
            int r = 8 * p + i, running = 0;
            if (r >= 20) break;
            most[r] = 7;
            for (int c = 0; c < 8; c++) {
                running += x[r * 24 + c];
                scan[r * 8 + c] = running;
                taken[r * 8 + c] = x[r * 24 + (c * 3) % 8];
                dots[r * 8 + c] = 0;
                for (int k = 0; k < 8; k++) dots[r * 8 + c] += x[r * 24 + k] * (k + c);
            }
        }
    for (int p = 0; p < 2; p++) {
        sums[p] = 0;
        for (int i = 0; i < 8; i++)
            for (int c = 0; c < 8; c++) {
                flat[p * 64 + c * 8 + i] = x[(8 * p + i) * 24 + c];
                sums[p] += x[(8 * p + i) * 24 + c];
            }
        for (int i = 0; i < 2; i++)
            for (int c = 0; c < 3; c++) part[p * 6 + i * 3 + c] = x[(8 * p + 3 + i) * 24 + 5 + c];
    }
    for (int p = 0; p < 2; p++) {
        sums[2 + p] = sums[p];
        memcpy(flat + 128 + 64 * p, flat + 64 * p, 256);
        memcpy(part + 12 + 6 * p, part + 6 * p, 24);
    }
    static const char text[] =
        "grid %d\ninput x i32[%d,24] block b8 b8 at i 0\noutput sums i32[4] block s at i\noutput "
        "most i32[20] block b8 at i\n"
        "output scan i32[20,8] block b8 b8 at i 0\noutput dots i32[20,8] block b8 b8 at i 0\n"
        "output flat i32[4,64] block s b64 at i 0\noutput taken i32[20,8] block b8 b8 at i 0\n"
        "output part i32[4,6] block s b6 at i 0\nbody\n"
        "%%10:i32[8,8] = load %%1 [0:8,0:8]\n"
        "%%11:i32[] = reduce_sum %%10 axes=[0,1]; store %%2 %%11 []\n"
        "%%12:i32[8] = argmax %%10 axis=1; store %%3 %%12 [0:8]\n"
        "%%13:i32[8,8] = cumsum %%10 axis=1; store %%4 %%13 [0:8,0:8]\n"
        "%%14:i32[8,8] = iota axis=0; %%15:i32[8,8] = iota axis=1; %%16:i32[8,8] = add %%14 %%15\n"
        "%%17:i32[8,8] = dot_general %%10 %%16 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[]\n"
        "store %%5 %%17 [0:8,0:8]\n"
        "%%18:i32[8,8] = transpose %%10 permutation=[1,0]; %%19:i32[64] = reshape %%18; store %%6 "
        "%%19 [0:64]\n"
        "%%20:i32[8] = iota axis=0; %%21:i32[8] = constant value=3; %%22:i32[8] = mul %%20 %%21; "
        "%%23:i32[8] = constant value=8\n"
        "%%24:i32[8] = rem %%22 %%23; %%25:i32[8,1] = reshape %%24\n"
        "%%26:i32[8,8] = gather %%10 %%25 offset_dims=[0] collapsed_dims=[1] start_index_map=[1] "
        "operand_batch=[] indices_batch=[] slice_sizes=[8,1] mode='clip'\n"
        "store %%7 %%26 [0:8,0:8]\n"
        "%%27:i32[] = constant value=3; %%28:i32[] = constant value=5; %%29:i32[2,3] = "
        "dynamic_slice %%10 %%27 %%28\n"
        "%%30:i32[6] = reshape %%29; store %%8 %%30 [0:6]\n";
    char whole[4096];
    snprintf(whole, sizeof whole, text, 2, 20);
    const named *list = NAMED({"x", x});
    tg_module *module = load_kernel(whole);
    for (int inside = 0; inside < 2; inside++) {
        /* The arrays have room for programs 0 and 1; what those do not write is not compared. */
        arrays all = make_arrays(module, list);
        tg_run_options options = {.size = sizeof options,
                                  .order = inside ? "shuffled" : "parallel:2"};
        tg_report_free(run_once(module, &all, &options));
        cr_assert_eq(memcmp(array_data(&all, "sums"), sums, 8), 0);
        cr_assert_eq(memcmp(array_data(&all, "most"), most, 64), 0);
        cr_assert_eq(memcmp(array_data(&all, "scan"), scan, 512), 0);
        cr_assert_eq(memcmp(array_data(&all, "dots"), dots, 512), 0);
        cr_assert_eq(memcmp(array_data(&all, "flat"), flat, 512), 0);
        cr_assert_eq(memcmp(array_data(&all, "taken"), taken, 512), 0);
        cr_assert_eq(memcmp(array_data(&all, "part"), part, 48), 0);
        free_arrays(&all);
    }
    tg_module_free(module);
    snprintf(whole, sizeof whole, text, 3, 20); /* the third block is partial: rows 16 to 19 */
    module = load_kernel(whole);
    arrays all = make_arrays(module, list);
    tg_run_options options = {.size = sizeof options};
    tg_report_free(run_once(module, &all, &options));
    cr_assert_eq(memcmp(array_data(&all, "most"), most, 80), 0);
    cr_assert_eq(memcmp(array_data(&all, "scan"), scan, 640), 0);
    cr_assert_eq(memcmp(array_data(&all, "dots"), dots, 640), 0);
    cr_assert_eq(memcmp(array_data(&all, "taken"), taken, 640), 0);
    cr_assert_eq(memcmp(array_data(&all, "flat"), flat, 512), 0);
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- block mappings ---- */

/* Windows of four around each element, with one undefined element before the array and two behind. */
Test(machine_memory, element_blocks)
{
    static int32_t x[6], o[6], first[6];
    iota(x, 6);
    for (int i = 0; i < 6; i++) {
        o[i] = 0;
        for (int k = i - 1; k < i + 3; k++) o[i] += k < 0 || k > 5 ? 100 : k;
        first[i] = i ? i - 1 : UNDEFINED;
    }
    expect("grid 6\ninput x i32[6] block e4:1:2 at i\noutput o i32[6] block s at i\noutput first "
           "i32[6] block b1 at i\nbody\n"
           "%10:i32[4] = load %1 [0:4]; %11:i32[4] = constant value=-2147483648; %12:bool[4] = eq "
           "%10 %11\n"
           "%13:i32[4] = constant value=100; %14:i32[4] = select %12 %10 %13; %15:i32[] = "
           "reduce_sum %14 axes=[0]\n"
           "store %2 %15 []; %16:i32[1] = slice %10 start=[0] stride=[1]; store %3 %16 [0:1]\n",
           NAMED({"x", x}, {"o", o}, {"first", first}));
}

/* Blocks of an output that overlap, one after the other along an arbitrary axis. */
Test(machine_memory, overlapping_output_blocks)
{
    static const int32_t o[6] = {0, 1, 2, 3, 3, 3};
    expect("grid 4a\noutput o i32[6] block e3 at i\nbody\n"
           "%10:i32[] = program_id axis=0; %11:i32[3] = broadcast_in_dim %10 dims=[]; store %1 %11 "
           "[0:3]\n",
           NAMED({"o", o}));
}

Test(machine_memory, squeezed_and_whole)
{
    static int32_t x[2 * 3 * 4], w[4], o[3 * 2 * 4];
    iota(x, 24);
    iota(w, 4);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) o[(j * 2 + i) * 4 + k] = x[(i * 3 + j) * 4 + k] * w[k];
    expect("grid 2 3\ninput x i32[2,3,4] block s s b4 at i j 0\ninput w i32[4]\noutput o "
           "i32[3,2,4] block b1 s b4 at j i 0\nbody\n"
           "%10:i32[4] = load %1 [0:4]; %11:i32[4] = load %2 [0:4]; %12:i32[4] = mul %10 %11\n"
           "%13:i32[1,4] = reshape %12; store %3 %13 [0:1,0:4]\n",
           NAMED({"x", x}, {"w", w}, {"o", o}));
}

/* A block without an index map is that at zero. */
Test(machine_memory, absent_index_map)
{
    static int32_t x[8], o[6];
    iota(x, 8);
    for (int i = 0; i < 6; i++) o[i] = i % 2;
    expect("grid 3\ninput x i32[8] block b2\noutput o i32[6] block b2 at i\nbody\n"
           "%10:i32[2] = load %1 [0:2]; store %2 %10 [0:2]\n",
           NAMED({"x", x}, {"o", o}));
}

/* Index maps with arithmetic: affine ones, one with branches, one in 64 bits, one that wraps as i32 does. */
Test(machine_memory, index_maps)
{
    static int32_t x[12], o[12];
    iota(x, 12);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            o[3 * (3 - i) + k] =
                x[3 * i + k] + x[3 * (i % 2 ? 0 : i) + k] + x[3 * (i / 2) + k] + x[k];
    expect("grid 4\n"
           "input x i32[12] block b3 { (%900:i32[]) %901:i32[] = constant value=2; %902:i32[] = "
           "mul %900 %901; %903:i32[] = sub %902 %900; yield %903 }\n"
           "input y i32[12] block b3 { (%910:i32[]) %911:i32[] = constant value=1; %912:i32[] = "
           "and %910 %911; %913:i32[] = constant value=0\n"
           "  %914:i32[] = switch %912 { yield %910 } { yield %913 }; yield %914 }\n"
           "input z i32[12] block b3 { (%920:i32[]) %921:i64[] = convert %920; %922:i64[] = "
           "constant value=2; %923:i64[] = div %921 %922; yield %923 }\n"
           "input w i32[12] block b3 { (%940:i32[]) %941:i32[] = constant value=65536; %942:i32[] "
           "= mul %940 %941; %943:i32[] = mul %942 %941; yield %943 }\n"
           "output o i32[12] block b3 { (%930:i32[]) %931:i32[] = neg %930; %932:i32[] = constant "
           "value=3; %933:i32[] = add %932 %931; yield %933 }\n"
           "body\n"
           "%10:i32[3] = load %1 [0:3]; %11:i32[3] = load %2 [0:3]; %12:i32[3] = load %3 [0:3]; "
           "%13:i32[3] = load %4 [0:3]\n"
           "%14:i32[3] = add %10 %11; %15:i32[3] = add %14 %12; %16:i32[3] = add %15 %13; store %5 "
           "%16 [0:3]\n",
           NAMED({"x", x}, {"y", x}, {"z", x}, {"w", x}, {"o", o}));
}

/* The first axis is dynamic: the block is size - 1 - i of it, and for x that of the second axis too. */
Test(machine_memory, index_maps_read_sizes_of_the_grid)
{
    static int32_t x[6], o[6];
    static const int64_t sizes[1] = {3};
    iota(x, 6);
    for (int i = 0; i < 6; i++) o[i] = x[5 - i];
    expect_with("grid d 2\n"
                "input x i32[3,2] block s s { (%900:i32[] %901:i32[]) %902:i32[] = constant "
                "value=-1; %903:i32[] = num_programs axis=0; %904:i32[] = num_programs axis=1\n"
                "  %905:i32[] = add %903 %902; %906:i32[] = sub %905 %900; %907:i32[] = add %904 "
                "%902; %908:i32[] = sub %907 %901; yield %906 %908 }\n"
                "output o i32[3,2] block s s at i j\nbody\n"
                "%10:i32[] = load %1 []; store %2 %10 []\n",
                NAMED({"x", x}, {"o", o}),
                (tg_run_options){.dynamic_grid = sizes, .dynamic_grid_count = 1}, 0);
}

Test(machine_memory, dynamic_grid)
{
    static int32_t o[12];
    static const int64_t sizes[2] = {3, 4};
    for (int i = 0; i < 12; i++) o[i] = i + 100 * 3 + 1000 * 4;
    expect_with("grid d 1 d\noutput o i32[3,4] block s s at i k\nbody\n"
                "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=2; %12:i64[] = "
                "num_programs axis=0; %13:i32[] = num_programs axis=2\n"
                "%14:i32[] = constant value=4; %15:i32[] = constant value=100; %16:i32[] = "
                "constant value=1000; %17:i32[] = convert %12\n"
                "%18:i32[] = mul %10 %14; %19:i32[] = mul %15 %17; %20:i32[] = mul %16 %13; "
                "%21:i32[] = add %18 %11\n"
                "%22:i32[] = add %19 %20; %23:i32[] = add %21 %22; store %1 %23 []\n",
                NAMED({"o", o}), (tg_run_options){.dynamic_grid = sizes, .dynamic_grid_count = 2},
                0);
}

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

/* ---- aliases, written inputs ---- */

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

/* An index array that counts down is no slice. */
Test(machine_memory, positions_that_count_down)
{
    static int32_t x[4] = {5, 6, 7, 8}, o[4] = {8, 7, 6, 5};
    expect("input x i32[4]\noutput o i32[4]\nbody\n"
           "%10:i32[4] = iota axis=0; %11:i32[4] = constant value=3; %12:i32[4] = sub %11 %10\n"
           "%13:i32[4] = load %1 %12 [@]; store %2 %13 [0:4]\n",
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

/* Rows of six are computed many at a time; of the operands one is the same along each row, one for all rows, and
 * one lies with gaps, as does the result. */
Test(machine_memory, short_rows)
{
    enum { ROWS = 300, WIDTH = 6, GAP = 4 };
    static int32_t x[ROWS * WIDTH], row[ROWS], all[WIDTH], wide[ROWS * (WIDTH + GAP)],
        o[ROWS * (WIDTH + GAP)];
    iota(x, ROWS * WIDTH);
    iota(wide, ROWS * (WIDTH + GAP));
    for (int i = 0; i < ROWS; i++) row[i] = 7 * i;
    for (int j = 0; j < WIDTH; j++) all[j] = 1000 * j;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDTH + GAP; j++) {
            int at = i * (WIDTH + GAP) + j;
            o[at] = j < WIDTH ? x[i * WIDTH + j] - row[i] + all[j] + wide[at] : wide[at];
        }
    expect(
        "input x i32[300,6]\ninput row i32[300]\ninput all i32[6]\ninput wide i32[300,10]\n"
        "output o i32[300,10] alias=wide\nbody\n"
        "%10:i32[300,6] = load %1 [0:300,0:6]; %11:i32[300] = load %2 [0:300]; %12:i32[6] = load "
        "%3 [0:6]\n"
        "%13:i32[300,6] = broadcast_in_dim %11 dims=[0]; %14:i32[300,6] = broadcast_in_dim %12 "
        "dims=[1]\n"
        "%15:i32[300,6] = load %4 [0:300,0:6]; %16:i32[300,6] = sub %10 %13; %17:i32[300,6] = "
        "add %16 %14\n"
        "%18:i32[300,6] = add %17 %15; store %5 %18 [0:300,0:6]\n",
        NAMED({"x", x}, {"row", row}, {"all", all}, {"wide", wide}, {"o", o}));
}

/* ---- masks ---- */

Test(machine_memory, masks)
{
    static int32_t x[10], with[8], without[8], scalar[8], beyond[4], stored[8];
    iota(x, 10);
    for (int i = 0; i < 8; i++) {
        with[i] = i % 2 ? i : -7;
        without[i] = i % 2 ? i : UNDEFINED;
        scalar[i] = 10 * i;
        stored[i] = i % 2 ? i : 100 + i;
    }
    for (int i = 0; i < 4; i++) beyond[i] = i < 2 ? 8 + i : -1;
    expect("input x i32[10]\noutput with i32[8]\noutput without i32[8]\noutput scalar "
           "i32[8]\noutput beyond i32[4]\noutput stored i32[8]\nbody\n"
           "%10:i32[8] = iota axis=0; %11:i32[8] = constant value=1; %12:i32[8] = and %10 %11; "
           "%13:bool[8] = convert %12\n"
           "%14:i32[] = constant value=-7; %15:i32[8] = load %1 %13 %14 [0:8] mask=true "
           "other=true; store %2 %15 [0:8]\n"
           "%16:i32[8] = load %1 %13 [0:8] mask=true; store %3 %16 [0:8]\n"
           "%17:bool[] = constant value=false; %18:i32[8] = constant value=10; %19:i32[8] = mul "
           "%10 %18\n"
           "%20:i32[8] = load %1 %17 %19 [0:8] mask=true other=true; store %4 %20 [0:8]\n"
           "%21:i32[] = constant value=8; %22:i32[4] = iota axis=0; %23:i32[4] = constant value=2; "
           "%24:bool[4] = lt %22 %23\n"
           "%25:i32[4] = constant value=-1; %26:i32[4] = load %1 %21 %24 %25 [*:4] mask=true "
           "other=true; store %5 %26 [0:4]\n"
           "%27:i32[8] = constant value=100; %28:i32[8] = add %27 %10; store %6 %28 [0:8]; store "
           "%6 %10 %13 [0:8] mask=true\n"
           "store %6 %27 %17 [0:8] mask=true\n",
           NAMED({"x", x}, {"with", with}, {"without", without}, {"scalar", scalar},
                 {"beyond", beyond}, {"stored", stored}));
}

/* The first program's mask is all set, so that it computes right in memory; the second one's is not. */
Test(machine_memory, masked_stores_in_place)
{
    static int32_t x[2 * 4], z[2 * 4], o[2 * 4];
    static const uint8_t m[2 * 4] = {1, 1, 1, 1, 1, 0, 0, 1};
    iota(x, 8);
    for (int i = 0; i < 8; i++) {
        z[i] = 100 + i;
        o[i] = m[i] ? 2 * i : 100 + i;
    }
    expect("grid 2\ninput x i32[2,4] block s b4 at i 0\ninput m bool[2,4] block s b4 at i 0\n"
           "input z i32[2,4] block s b4 at i 0\noutput o i32[2,4] alias=z block s b4 at i 0\nbody\n"
           "%10:i32[4] = load %1 [0:4]; %11:bool[4] = load %2 [0:4]; %12:i32[4] = add %10 %10\n"
           "store %4 %12 %11 [0:4] mask=true\n",
           NAMED({"x", x}, {"m", m}, {"z", z}, {"o", o}));
}

/* Masks turn off what lies beyond the ref in any dimension, also for stores and narrow dtypes. */
Test(machine_memory, masks_over_edges)
{
    static int32_t x[5 * 7], o[5 * 7];
    static uint16_t h[35], oh[35];
    iota(x, 35);
    for (int i = 0; i < 35; i++) {
        o[i] = x[i] + 1;
        h[i] = (uint16_t)(0x3c00 + 8 * i);
        oh[i] = h[i] ^ 0x8000;
    }
    expect("grid 2 2\ninput x i32[5,7]\ninput h f16[5,7]\noutput o i32[5,7]\noutput oh "
           "f16[5,7]\nbody\n"
           "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %12:i32[] = constant "
           "value=4\n"
           "%13:i32[] = mul %10 %12; %14:i32[] = mul %11 %12\n"
           "%15:i32[4,4] = iota axis=0; %16:i32[4,4] = iota axis=1; %17:i32[4,4] = "
           "broadcast_in_dim %13 dims=[]\n"
           "%18:i32[4,4] = broadcast_in_dim %14 dims=[]; %19:i32[4,4] = add %15 %17; %20:i32[4,4] "
           "= add %16 %18\n"
           "%21:i32[4,4] = constant value=5; %22:i32[4,4] = constant value=7; %23:bool[4,4] = lt "
           "%19 %21; %24:bool[4,4] = lt %20 %22\n"
           "%25:bool[4,4] = and %23 %24\n"
           "%26:i32[4,4] = load %1 %13 %14 %25 [*:4,*:4] mask=true; %27:i32[4,4] = constant "
           "value=1; %28:i32[4,4] = add %26 %27\n"
           "store %3 %28 %13 %14 %25 [*:4,*:4] mask=true\n"
           "%29:f16[4,4] = load %2 %13 %14 %25 [*:4,*:4] mask=true; %30:f16[4,4] = neg %29\n"
           "store %4 %30 %13 %14 %25 [*:4,*:4] mask=true\n",
           NAMED({"x", x}, {"h", h}, {"o", o}, {"oh", oh}));
}

/* ---- index arrays ---- */

/* numpy's rule for where the positions' dimensions go. */
Test(machine_memory, gather_placement)
{
    static int32_t x[2 * 3 * 4 * 5], mid[2 * 2 * 5], first[2 * 3 * 5], both[2 * 3 * 3], lone[2 * 3];
    static const int32_t at[2] = {2, 0};
    iota(x, 120);
#define X(a, b, c, d) (60 * (a) + 20 * (b) + 5 * (c) + (d))
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < 2; k++)
            for (int d = 0; d < 5; d++) mid[(a * 2 + k) * 5 + d] = X(a, at[k], at[k], d);
    for (int k = 0; k < 2;
         k++) /* positions in dimensions 0 and 2, with a slice between: they come first */
        for (int b = 0; b < 3; b++)
            for (int d = 0; d < 5; d++) first[(k * 3 + b) * 5 + d] = X(1, b, at[k], d);
    for (int k = 0; k < 2; k++) /* [2,1] with [3] */
        for (int l = 0; l < 3; l++)
            for (int d = 0; d < 3; d++) both[(k * 3 + l) * 3 + d] = X(0, at[k], l, 2 * d);
    for (int k = 0; k < 2; k++)
        for (int b = 0; b < 3; b++) lone[k * 3 + b] = X(0, b, 3, at[k]);
#undef X
    expect("input x i32[2,3,4,5]\ninput at i32[2]\noutput mid i32[2,2,5]\noutput first "
           "i32[2,3,5]\noutput both i32[2,3,3]\noutput lone i32[2,3]\nbody\n"
           "%10:i32[2] = load %2 [0:2]\n"
           "%11:i32[2,2,5] = load %1 %10 %10 [0:2,@,@,0:5]; store %3 %11 [0:2,0:2,0:5]\n"
           "%12:i32[] = constant value=1; %13:i32[2,3,5] = load %1 %12 %10 [@,0:3,@,0:5]; store %4 "
           "%13 [0:2,0:3,0:5]\n"
           "%14:i32[2,1] = reshape %10; %15:i64[3] = iota axis=0; %16:i32[] = constant value=0\n"
           "%17:i32[2,3,3] = load %1 %16 %14 %15 [@,@,@,0:3:2]; store %5 %17 [0:2,0:3,0:3]\n"
           "%18:i32[] = constant value=3; %19:i32[2,3] = load %1 %16 %18 %10 [@,0:3,@,@]; store %6 "
           "%19 [0:2,0:3]\n",
           NAMED({"x", x}, {"at", at}, {"mid", mid}, {"first", first}, {"both", both},
                 {"lone", lone}));
}

/* Scatter: the last of several writers of one element wins, all old values are those from before; masks
 * protect bad positions. */
Test(machine_memory, scatter)
{
    static const int32_t at[4] = {3, 1, 3, 0}, far_at[4] = {0, 99, -1, 2};
    static const int32_t o[5] = {13, 11, 50, 12, 50}, m[3] = {10, 60, 13},
                         old[4] = {50, 50, 50, 50};
    static const int32_t rows[6] = {0, 21, 0, 20, 0, 23};
    expect("input at i32[4]\ninput far i32[4]\noutput o i32[5]\noutput m i32[3]\noutput old "
           "i32[4]\noutput rows i32[3,2]\nbody\n"
           "%10:i32[4] = load %1 [0:4]; %11:i32[4] = iota axis=0; %12:i32[4] = constant value=10; "
           "%13:i32[4] = add %11 %12\n"
           "%14:i32[5] = constant value=50; store %3 %14 [0:5]\n"
           "%15:i32[4] = swap %3 %13 %10 [@]; store %5 %15 [0:4]\n"
           "%16:i32[4] = load %2 [0:4]; %17:i32[4] = constant value=3; %18:bool[4] = lt %16 %17; "
           "%19:i32[4] = constant value=0\n"
           "%20:bool[4] = ge %16 %19; %21:bool[4] = and %18 %20; %22:i32[3] = constant value=60; "
           "store %4 %22 [0:3]\n"
           "store %4 %13 %16 %21 [@] mask=true\n"
           "%23:i32[3,2] = constant value=0; store %6 %23 [0:3,0:2]\n"
           "%24:i32[3] = constant value=[1,0,2]; %25:i32[3,1] = constant value=[20,21,23]; "
           "%26:i32[] = constant value=1\n"
           "store %6 %25 %24 %26 [@,*:1]\n",
           NAMED({"at", at}, {"far", far_at}, {"o", o}, {"m", m}, {"old", old}, {"rows", rows}));
}

/* More elements than are converted at a time, of a narrow dtype, from a partial block. */
Test(machine_memory, long_gathers)
{
    static uint16_t x[900], o[1000];
    static int32_t at[1000];
    for (int i = 0; i < 900; i++) x[i] = (uint16_t)(0x3f80 + i % 64);
    for (int i = 0; i < 1000; i++) {
        at[i] = (i * 7) % 1000;
        o[i] = at[i] < 900 ? x[at[i]] : 0x7fc0;
    }
    expect("input x bf16[900] block b1000\ninput at i32[1000]\noutput o bf16[1000]\nbody\n"
           "%10:i32[1000] = load %2 [0:1000]; %11:bf16[1000] = load %1 %10 [@]; %12:i32[1000] = "
           "iota axis=0\n"
           "store %3 %11 %12 [@]\n",
           NAMED({"x", x}, {"at", at}, {"o", o}));
}

/* ---- swap and atomics ---- */

Test(machine_memory, swap)
{
    static int32_t x[8], old[8], masked[8], last[8];
    iota(x, 8);
    for (int i = 0; i < 8; i++) {
        old[i] = i;
        masked[i] = i % 2 ? -i : 5 * i;
        last[i] = i % 2 ? 5 * i : -i;
    }
    expect("grid 4\ninput x i32[8] block b2 at i\noutput last i32[8] alias=x block b2 at i\noutput "
           "old i32[8] block b2 at i\noutput masked i32[8] block b2 at i\nbody\n"
           "%10:i32[2] = load %1 [0:2]; %11:i32[2] = neg %10; %12:i32[2] = swap %2 %11 [0:2]; "
           "store %3 %12 [0:2]\n"
           "%13:i32[2] = constant value=5; %14:i32[2] = mul %12 %13; %15:bool[2] = constant "
           "value=[false,true]\n"
           "%16:i32[2] = swap %2 %14 %15 [0:2] mask=true; store %4 %16 [0:2]\n",
           NAMED({"x", x}, {"last", last}, {"old", old}, {"masked", masked}));
}

static void check_atomic(const char *kind, const char *dtype, int start, int value, int after)
{
    char text[1024];
    snprintf(text, sizeof text,
             "input x %2$s[2]\noutput o %2$s[2] alias=x\noutput old %2$s[2]\nbody\n"
             "%%10:%2$s[2] = load %%1 [0:2]; %%11:%2$s[2] = constant value=%3$d; %%12:bool[2] = "
             "constant value=[true,false]\n"
             "%%13:%2$s[2] = atomic_rmw %%2 %%11 %%12 [0:2] kind='%1$s' mask=true; store %%3 %%13 "
             "[0:2]\n",
             kind, dtype, value);
    tg_type type = {.dtype = tg_dtype_by_name(dtype), .rank = 1, .shape = {2}};
    bool is_float = tg_is_float(type.dtype), is_short = tg_dtypes[type.dtype].bytes == 1;
    int32_t xi[2] = {start, start}, oi[2] = {after, start},
            undefined = tg_is_signed(type.dtype) ? INT32_MIN : 0, oldi[2] = {start, undefined};
    float xf[2] = {(float)start, (float)start}, of[2] = {(float)after, (float)start};
    uint32_t oldf[2] = {0, 0x7fc0dead};
    int8_t xs[2] = {(int8_t)start, (int8_t)start}, os[2] = {(int8_t)after, (int8_t)start},
           olds[2] = {(int8_t)start, (int8_t)(type.dtype == TG_DT_i4     ? -8
                                              : tg_is_signed(type.dtype) ? -128
                                                                         : 0)};
    memcpy(oldf, xf, 4);
    if (is_float)
        expect(text, NAMED({"x", xf}, {"o", of}, {"old", oldf}));
    else if (is_short)
        expect(text, NAMED({"x", xs}, {"o", os}, {"old", olds}));
    else
        expect(text, NAMED({"x", xi}, {"o", oi}, {"old", oldi}));
}

Test(machine_memory, atomics_of_all_kinds)
{
    check_atomic("xchg", "i32", 5, 3, 3);
    check_atomic("add", "i32", 5, 3, 8);
    check_atomic("max", "i32", 5, -3, 5);
    check_atomic("min", "i32", 5, -3, -3);
    check_atomic("and", "i32", 5, 3, 1);
    check_atomic("or", "u32", 5, 3, 7);
    check_atomic("xor", "u32", 5, 3, 6);
    check_atomic("add", "f32", 5, 3, 8);
    check_atomic("max", "f32", 5, 30, 30);
    check_atomic("xchg", "f32", 5, 30, 30);
    check_atomic("add", "i4", 5, 3, -8);
    check_atomic("min", "i8", 5, -3, -3);
    check_atomic("add", "u8", 100, 100, -56);
    check_atomic("xor", "u4", 5, 15, 10);
}

/* Every program adds to the same elements: nothing is lost, in no order and on no number of threads. */
Test(machine_memory, atomics_of_all_programs)
{
    static const int32_t none[4] = {0}, count[1] = {1000}, hist[4] = {1000, 2000, 1000, 0},
                         most[1] = {999};
    static const uint16_t small[2] = {0, 0},
                          narrow[2] = {0x4380, 0x4380}; /* bf16: 256 + 1 is 256 */
    expect(
        "grid 1000\ninput c0 i32[1]\ninput h0 i32[4]\ninput m0 i32[1]\ninput n0 bf16[2]\n"
        "output count i32[1] alias=c0\noutput hist i32[4] alias=h0\noutput most i32[1] alias=m0\n"
        "output narrow bf16[2] alias=n0\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1; %12:i32[] = constant "
        "value=0\n"
        "add_update %5 %11 %12 [@]\n"
        "%13:i32[4] = constant value=[1,0,2,1]; %14:i32[4] = constant value=1; add_update %6 %14 "
        "%13 [@]\n"
        "%15:i32[] = atomic_rmw %7 %10 %12 [@] kind='max'\n"
        "%16:bf16[2] = constant value=1; add_update %8 %16 [0:2]\n",
        NAMED({"c0", none}, {"h0", none}, {"m0", none}, {"n0", small}, {"count", count},
              {"hist", hist}, {"most", most}, {"narrow", narrow}));
}

/* Exactly one program finds the lock open; all others see who took it. */
Test(machine_memory, compare_and_swap)
{
    static const int32_t free_lock[1] = {-1};
    tg_module *module = load_kernel("grid 50\ninput l0 i32[1]\noutput lock i32[1] alias=l0\noutput "
                                    "seen i32[50] block s at i\nbody\n"
                                    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=-1; "
                                    "%12:i32[] = constant value=0\n"
                                    "%13:i32[] = atomic_cas %2 %11 %10 %12 [@]; store %3 %13 []\n");
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"l0", free_lock}));
        tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        tg_report_free(run_once(module, &all, &options));
        int32_t owner = *(int32_t *)array_data(&all, "lock"), *seen = array_data(&all, "seen");
        for (int p = 0; p < 50; p++)
            cr_assert_eq(seen[p], p == owner ? -1 : owner, "%s", every_order[o]);
        free_arrays(&all);
    }
    tg_module_free(module);
    static const double x[1] = {0.0}, o[1] = {2.5}; /* -0 equals 0 */
    expect("input x f64[1]\noutput o f64[1] alias=x\nbody\n"
           "%10:f64[] = constant value='-0x0p+0'; %11:f64[] = constant value='0x1.4p+1'; %12:i32[] "
           "= constant value=0\n"
           "%13:f64[] = atomic_cas %2 %10 %11 %12 [@]\n",
           NAMED({"x", x}, {"o", o}));
}

/* ---- order of loads and stores ---- */

/* Values are those of the moment of the load, also where everything could be one group in place. */
Test(machine_memory, loads_and_stores_keep_their_order)
{
    static int32_t x[600], a[600], b[600], c[600];
    for (int i = 0; i < 600; i++) {
        x[i] = i - 300;
        a[i] = -(x[i] + 1) * 2;
        b[i] = x[i] * 1000 + x[i] + 1;
        c[i] = x[i] + 1 - x[i];
    }
    expect("grid 3\ninput x i32[600] block b200 at i\noutput a i32[600] alias=x block b200 at i\n"
           "output b i32[600] block b200 at i\noutput c i32[600] block b200 at i\nbody\n"
           "%10:i32[200] = load %2 [0:200]; %11:i32[200] = constant value=1; %12:i32[200] = add "
           "%10 %11\n"
           "store %2 %12 [0:200]\n"
           "%13:i32[200] = load %1 [0:200]; %14:i32[200] = constant value=1000; %15:i32[200] = mul "
           "%10 %14\n"
           "%16:i32[200] = add %15 %13; store %3 %16 [0:200]\n"
           "%17:i32[200] = sub %13 %10\n"
           "%18:i32[200] = add %12 %13; %19:i32[200] = neg %18; store %2 %19 [0:200]\n"
           "store %4 %17 [0:200]\n",
           NAMED({"x", x}, {"a", a}, {"b", b}, {"c", c}));
}

/* A block is replaced by its own reverse and transpose, a part of it by another part. */
Test(machine_memory, blocks_move_within_their_memory)
{
    static int32_t x[20 * 20], o[20 * 20], y[400], p[400];
    iota(x, 400);
    iota(y, 400);
    for (int i = 0; i < 400; i++) {
        o[i] = x[(19 - i % 20) * 20 + i / 20];
        p[i] = i;
    }
    for (int i = 100; i < 400; i++) p[i] = i - 100;
    expect("input x i32[20,20]\ninput y i32[400]\noutput o i32[20,20] alias=x\noutput p i32[400] "
           "alias=y\nbody\n"
           "%10:i32[20,20] = load %3 [0:20,0:20]; %11:i32[20,20] = rev %10 axes=[0]; "
           "%12:i32[20,20] = transpose %11 permutation=[1,0]\n"
           "store %3 %12 [0:20,0:20]\n"
           "%13:i32[300] = load %4 [0:300]; store %4 %13 [100:300]\n",
           NAMED({"x", x}, {"y", y}, {"o", o}, {"p", p}));
}

/* The value stored in place has other uses: further stores, a sum, a loop. */
Test(machine_memory, stored_values_live_on)
{
    static int32_t x[600], a[600], b[600], sum[1], c[600];
    sum[0] = 0;
    for (int i = 0; i < 600; i++) {
        x[i] = i;
        a[i] = 3 * i;
        b[i] = 2 * i;
        c[i] = 8 * i;
        sum[0] += 2 * i;
    }
    expect(
        "input x i32[600]\noutput a i32[600]\noutput b i32[600]\noutput sum i32[1]\noutput c "
        "i32[600]\nbody\n"
        "%10:i32[600] = load %1 [0:600]; %11:i32[600] = add %10 %10; store %2 %11 [0:600]\n"
        "%12:i32[600] = add %11 %10; store %2 %12 [0:600]; store %3 %11 [0:600]\n"
        "%13:i32[] = reduce_sum %11 axes=[0]; %14:i32[] = constant value=0; store %4 %13 %14 [@]\n"
        "%15:i32[] = constant value=2; %16:i32[] = constant value=1\n"
        "%17:i32[600] = for %14 %15 %16 %11 { (%20:i32[] %21:i32[600]) %22:i32[600] = add %21 %21; "
        "store %5 %22 [0:600]; yield %22 }\n",
        NAMED({"x", x}, {"a", a}, {"b", b}, {"sum", sum}, {"c", c}));
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

/* Loads and stores in loops and branches, at places that change. */
Test(machine_memory, accesses_in_control)
{
    static int32_t x[40], o[40];
    for (int i = 0; i < 40; i++) {
        x[i] = i;
        o[i] = i / 10 % 2 ? -i : i + i % 10 / 2;
    }
    expect("grid 4\ninput x i32[40] block b10 at i\noutput o i32[40] block b10 at i\nbody\n"
           "%10:i32[] = constant value=0; %11:i32[] = constant value=5; %12:i32[] = constant "
           "value=1; %13:i32[] = constant value=2\n"
           "for %10 %11 %12 { (%20:i32[])\n"
           "  %21:i32[] = mul %20 %13; %22:i32[2] = load %1 %21 [*:2]; %23:i32[] = program_id "
           "axis=0; %24:i32[] = and %23 %12\n"
           "  %25:i32[2] = switch %24 { %26:i32[2] = broadcast_in_dim %20 dims=[]; %27:i32[2] = "
           "add %22 %26; yield %27 } {\n"
           "    %28:i32[2] = neg %22; yield %28 }\n"
           "  store %2 %25 %21 [*:2] }\n",
           NAMED({"x", x}, {"o", o}));
}

/* Rows further apart than their length, elements apart in a row, blocks in blocks. */
Test(machine_memory, strided_access)
{
    static int32_t x[12 * 10], o[12 * 10], h[4 * 4];
    static uint16_t y[120], r[20];
    iota(x, 120);
    for (int i = 0; i < 120; i++) o[i] = i / 10 % 3 == 1 && i % 10 % 2 ? 5 * x[i] : UNDEFINED;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) h[i * 4 + k] = x[(1 + 3 * i) * 10 + 2 * k] + 1;
    for (int i = 0; i < 120; i++) y[i] = (uint16_t)(0x4000 + i);
    for (int i = 0; i < 20; i++) r[i] = y[(i / 5 * 2 + 1) * 10 + i % 5 * 2] ^ 0x8000;
    expect_with(
        "input x i32[12,10]\ninput y bf16[12,10]\noutput o i32[12,10]\noutput h i32[4,4]\noutput r "
        "bf16[4,5]\nbody\n"
        "%10:i32[4,5] = load %1 [1:4:3,1:5:2]; %11:i32[4,5] = constant value=5; %12:i32[4,5] = mul "
        "%10 %11\n"
        "store %3 %12 [1:4:3,1:5:2]\n"
        "%13:i32[4,4] = load %1 [1:4:3,0:4:2]; %14:i32[4,4] = constant value=1; %15:i32[4,4] = add "
        "%13 %14\n"
        "store %4 %15 [0:4,0:4]\n"
        "%16:bf16[4,5] = load %2 [1:4:2,0:5:2]; %17:bf16[4,5] = neg %16; store %5 %17 [0:4,0:5]\n",
        NAMED({"x", x}, {"y", y}, {"o", o}, {"h", h}, {"r", r}), (tg_run_options){0}, 1);
}

/* ---- index arrays that count up ---- */

/* start + arange and its relatives, alone and together, as loads and as stores. */
Test(machine_memory, even_positions)
{
    static int32_t x[12 * 10], row[4], column[3 * 1], block[3 * 4], slow[4], both[2 * 3 * 2],
        lone[4 * 3], put[12 * 10];
    iota(x, 120);
    for (int i = 0; i < 120; i++) put[i] = i;
    for (int k = 0; k < 4; k++) {
        row[k] = x[20 + 3 + k];
        slow[k] = x[(1 + 2 * k) * 10 + 5];
        for (int i = 0; i < 3; i++) {
            block[i * 4 + k] = x[(2 + i) * 10 + 3 + k];
            lone[k * 3 + i] = x[i];
            put[(2 + i) * 10 + 3 + k] = -x[(2 + i) * 10 + 3 + k];
        }
    }
    for (int i = 0; i < 3; i++) column[i] = x[(2 + i) * 10 + 7];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 2; c++) both[(i * 3 + k) * 2 + c] = x[(i * 5) * 10 + 2 * k + 1];
    expect(
        "input x i32[12,10]\noutput put i32[12,10] alias=x\noutput row i32[4]\n"
        "output column i32[3,1]\noutput block i32[3,4]\noutput slow i32[4]\n"
        "output both i32[2,3,2]\noutput lone i32[4,3]\nbody\n"
        "%10:i32[] = constant value=2; %11:i32[] = constant value=3; %12:i32[4] = iota axis=0\n"
        "%13:i32[4] = broadcast_in_dim %11 dims=[]; %14:i32[4] = add %12 %13\n"
        "%15:i32[4] = load %1 %10 %14 [@,@]; store %3 %15 [0:4]\n"
        "%16:i32[3] = iota axis=0; %17:i32[3,1] = reshape %16; %18:i32[3,1] = constant value=2\n"
        "%19:i32[3,1] = add %17 %18; %20:i32[] = constant value=7\n"
        "%21:i32[3,1] = load %1 %19 %20 [@,@]; store %4 %21 [0:3,0:1]\n"
        "%22:i32[3,4] = load %1 %19 %14 [@,@]; store %5 %22 [0:3,0:4]\n"
        "%23:i32[4] = constant value=2; %24:i32[4] = mul %12 %23; %25:i32[4] = constant value=1\n"
        "%26:i32[4] = add %25 %24; %27:i32[] = constant value=5\n"
        "%28:i32[4] = load %1 %26 %27 [@,@]; store %6 %28 [0:4]\n"
        "%29:i64[2,1,1] = iota axis=0; %30:i64[2,1,1] = constant value=5\n"
        "%31:i64[2,1,1] = mul %29 %30; %32:i32[3] = constant value=2; %33:i32[3] = mul %16 %32\n"
        "%34:i32[3] = constant value=1; %35:i32[3] = add %33 %34\n"
        "%36:i32[3,2] = broadcast_in_dim %35 dims=[0]\n"
        "%37:i32[2,3,2] = load %1 %31 %36 [@,@]; store %7 %37 [0:2,0:3,0:2]\n"
        "%38:i32[1,1] = iota axis=0; %39:i32[4,3] = broadcast_in_dim %16 dims=[1]\n"
        "%40:i32[4,3] = load %1 %38 %39 [@,@]; store %8 %40 [0:4,0:3]\n"
        "%41:i32[3,4] = neg %22; store %2 %41 %19 %14 [@,@]\n",
        NAMED({"x", x}, {"put", put}, {"row", row}, {"column", column}, {"block", block},
              {"slow", slow}, {"both", both}, {"lone", lone}));
}

/* The start is known at run time only: programs, loops, differences. */
Test(machine_memory, even_positions_from_anywhere)
{
    static int32_t x[60], o[60], p[60], q[60];
    iota(x, 60);
    for (int i = 0; i < 60; i++) {
        o[i] = 10 * x[i];
        p[i] = x[i < 10 ? i : i - 10] - (i < 10 ? 0 : 1);
        q[i] = i % 10 < 8 ? x[i / 10 * 10 + i % 10 / 2 * 2 + i % 2] : -1;
    }
    expect(
        "grid 6\ninput x i32[60]\noutput o i32[60]\noutput p i32[60]\noutput q i32[60]\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=10; %12:i32[] = mul %10 %11\n"
        "%13:i32[10] = iota axis=0; %14:i32[10] = broadcast_in_dim %12 dims=[]\n"
        "%15:i32[10] = add %14 %13; %16:i32[10] = load %1 %15 [@]; %17:i32[10] = constant "
        "value=10\n"
        "%18:i32[10] = mul %16 %17; store %2 %18 %15 [@]\n"
        "%19:i32[10] = sub %15 %17; %20:i32[10] = constant value=0; %21:bool[10] = ge %19 %20\n"
        "%22:i32[10] = load %1 %19 %21 %16 [@] mask=true other=true; %23:i32[10] = convert %21\n"
        "%24:i32[10] = sub %22 %23; store %3 %24 %15 [@]\n"
        "%25:i32[10] = constant value=-1; store %4 %25 %15 [@]\n"
        "%26:i32[] = constant value=0; %27:i32[] = constant value=4; %28:i32[] = constant value=1\n"
        "%29:i32[] = constant value=2\n"
        "for %26 %27 %28 { (%30:i32[]) %31:i32[] = mul %30 %29; %32:i32[] = add %31 %12\n"
        "  %33:i32[2] = iota axis=0; %34:i32[2] = broadcast_in_dim %32 dims=[]\n"
        "  %35:i32[2] = add %33 %34; %36:i32[2] = load %1 %35 [@]; store %4 %36 %35 [@] }\n",
        NAMED({"x", x}, {"o", o}, {"p", p}, {"q", q}));
}
