/* Blocks: what lies around them, where they are, and layouts in memory. */
#include "memory_text.h"

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

/* ---- layouts ---- */

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
