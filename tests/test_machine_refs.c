/* References to parts of a block, and to the same elements in another order, shape or dtype. */
#include "run_text.h"

#define UNDEFINED INT32_MIN

static void iota(int32_t *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = i;
}

/* ---- indexed ---- */

Test(machine_refs, views_of_views)
{
    static int32_t x[4 * 6 * 8], o[2 * 3], p[1], q[4 * 6 * 8];
    iota(x, 192);
    iota(q, 192);
    /* [1:4] of dimension 0, 5 of dimension 2; then 1::2 of dimension 0 (rows 2 ...), 0:6:2 of dimension 1 */
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            int at = (1 + i * 2) * 48 + k * 2 * 8 + 5;
            o[i * 3 + k] = x[at];
            q[at] = -x[at];
        }
    p[0] = x[3 * 48 + 4 * 8 + 5];
    expect(
        "input x i32[4,6,8]\noutput q i32[4,6,8] alias=x\noutput o i32[2,3]\noutput p "
        "i32[1]\nbody\n"
        "%10:i32[] = constant value=1; %11:i32[] = constant value=5; %12:i32[] = constant value=0\n"
        "%13:ref<i32[3,6]> = view %2 %10 %11 [*:3,0:6,@]\n"
        "%14:ref<i32[2,3]> = view %13 %12 [*:2:2,0:3:2]\n"
        "%15:i32[2,3] = load %14 [0:2,0:3]; store %3 %15 [0:2,0:3]\n"
        "%16:i32[] = constant value=2; %17:ref<i32[]> = view %14 %10 %16 [@,@]; %18:i32[] = load "
        "%17 []\n"
        "store %4 %18 %12 [@]\n"
        "%19:i32[2,3] = neg %15; store %14 %19 [0:2,0:3]\n",
        NAMED({"x", x}, {"q", q}, {"o", o}, {"p", p}));
}

/* A view keeps what of a block is outside the array. */
Test(machine_refs, views_over_edges)
{
    static int32_t x[6], o[6], low[2];
    iota(x, 6);
    low[0] = 3;
    low[1] = UNDEFINED;
    for (int i = 0; i < 6; i++) o[i] = i % 4 >= 2 ? 100 + i : 200 + i;
    expect("grid 2\ninput x i32[6] block b4 at i\noutput o i32[6] block b4 at i\noutput low i32[2] "
           "block s at i\nbody\n"
           "%10:ref<i32[2]> = view %1 [2:2]; %11:ref<i32[2]> = view %2 [2:2]; %12:ref<i32[2]> = "
           "view %2 [0:2]\n"
           "%13:i32[2] = load %10 [0:2]; %14:i32[2] = constant value=100; %15:i32[2] = add %13 "
           "%14; store %11 %15 [0:2]\n"
           "%16:i32[2] = load %1 [0:2]; %17:i32[2] = add %14 %14; %18:i32[2] = add %16 %17; store "
           "%12 %18 [0:2]\n"
           "%20:i32[] = constant value=1; %19:ref<i32[]> = view %10 %20 [@]\n"
           "%21:i32[] = load %19 []; store %3 %21 []\n",
           NAMED({"x", x}, {"o", o}, {"low", low}));
}

/* ---- transposed ---- */

Test(machine_refs, transposed)
{
    static int32_t x[2 * 3 * 4], o[4 * 2 * 3], y[2 * 3 * 4];
    iota(x, 24);
    for (int i = 0; i < 24; i++) y[i] = 7;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 4; c++) {
                o[(c * 2 + a) * 3 + b] = x[(a * 3 + b) * 4 + c];
                if (c == 1) y[(a * 3 + b) * 4 + c] = -x[(a * 3 + b) * 4 + c];
            }
    expect("input x i32[2,3,4]\ninput z i32[2,3,4]\noutput o i32[4,2,3]\noutput y i32[2,3,4] "
           "alias=z\nbody\n"
           "%10:ref<i32[4,2,3]> = view_transpose %1 permutation=[2,0,1]\n"
           "%11:i32[4,2,3] = load %10 [0:4,0:2,0:3]; store %3 %11 [0:4,0:2,0:3]\n"
           "%30:i32[] = constant value=1; %12:i32[2,3] = load %10 %30 [@,0:2,0:3]; %13:i32[2,3] = "
           "neg %12\n"
           "%14:ref<i32[4,3,2]> = view_transpose %4 permutation=[2,1,0]\n"
           "%15:i32[3,2] = transpose %13 permutation=[1,0]; store %14 %15 %30 [@,0:3,0:2]\n",
           NAMED({"x", x}, {"z", (int32_t[24]){7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
                                               7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}},
                 {"o", o}, {"y", y}));
}

/* ---- reshaped ---- */

/* Strides can say where the elements of the first two are; those of the third, rows of a block cut out of wider
 * rows, and of the transposed fourth they cannot. */
Test(machine_refs, reshaped)
{
    static int32_t x[4 * 6], o[24], p[12], q[6], y[4 * 6];
    iota(x, 24);
    for (int i = 0; i < 24; i++) o[i] = x[i] + 1;
    for (int i = 0; i < 12; i++) p[i] = x[i / 3 * 6 + 3 + i % 3];
    for (int i = 0; i < 24; i++) y[i] = x[i % 4 * 6 + i / 4]; /* row-major of the transposed */
    for (int i = 0; i < 6; i++) q[i] = y[4 * i + 2];
    expect("input x i32[4,6]\noutput o i32[4,6]\noutput p i32[12]\noutput q i32[6]\noutput y "
           "i32[2,12]\nbody\n"
           "%10:ref<i32[2,2,3,2]> = view_reshape %1; %11:i32[2,2,3,2] = load %10 "
           "[0:2,0:2,0:3,0:2]\n"
           "%12:i32[2,2,3,2] = constant value=1; %13:i32[2,2,3,2] = add %11 %12\n"
           "%14:ref<i32[2,2,3,2]> = view_reshape %2; store %14 %13 [0:2,0:2,0:3,0:2]\n"
           "%15:ref<i32[4,3]> = view %1 [0:4,3:3]; %16:ref<i32[12]> = view_reshape %15; "
           "%17:i32[12] = load %16 [0:12]; store %3 %17 [0:12]\n"
           "%18:ref<i32[6,4]> = view_transpose %1 permutation=[1,0]; %19:ref<i32[24]> = "
           "view_reshape %18\n"
           "%20:ref<i32[6]> = view %19 [2:6:4]; %21:i32[6] = load %20 [0:6]; store %4 %21 [0:6]\n"
           "%22:ref<i32[2,12]> = view_reshape %19; %23:i32[2,12] = load %22 [0:2,0:12]; store %5 "
           "%23 [0:2,0:12]\n",
           NAMED({"x", x}, {"o", o}, {"p", p}, {"q", q}, {"y", y}));
}

/* Writes find their places too, masked ones, swaps and atomics included, in each turn of a loop. */
Test(machine_refs, written_through_reshaped)
{
    static int32_t x[4 * 6], y[4 * 6], old[2 * 6];
    iota(x, 24);
    iota(y, 24);
    for (int i = 0; i < 12; i++) {
        int at = i / 3 * 6 + 3 + i % 3; /* element i of the twelve */
        old[i] = i % 2 ? x[at] + 100 : i;
        if (i % 2)
            y[at] = i;
        else
            y[at] += 100;
    }
    expect("input x i32[4,6]\noutput y i32[4,6] alias=x\noutput old i32[2,6]\nbody\n"
           "%10:ref<i32[4,3]> = view %2 [0:4,3:3]; %11:ref<i32[12]> = view_reshape %10\n"
           "%12:i32[] = constant value=0; %13:i32[] = constant value=2; %14:i32[] = constant "
           "value=1\n"
           "for %12 %13 %14 { (%20:i32[]) %21:ref<i32[2,6]> = view_reshape %11; %22:ref<i32[6]> = "
           "view %21 %20 [@,0:6]\n"
           "%23:i32[6] = constant value=100; add_update %22 %23 [0:6]; %24:i32[6] = iota axis=0\n"
           "%25:i32[] = constant value=6; %26:i32[] = mul %20 %25; %27:i32[6] = broadcast_in_dim "
           "%26 dims=[]\n"
           "%28:i32[6] = add %24 %27; %29:i32[6] = broadcast_in_dim %14 dims=[]; %30:i32[6] = and "
           "%28 %29\n"
           "%31:bool[6] = eq %30 %29; %32:i32[6] = swap %22 %28 %31 [0:6] mask=true; store %3 %32 "
           "%20 [@,0:6] }\n",
           NAMED({"x", x}, {"y", y}, {"old", old}));
}

/* What of the block is outside the array stays outside, however it is seen. */
Test(machine_refs, reshaped_over_edges)
{
    static int32_t x[6], o[6], seen[2 * 4];
    iota(x, 6);
    for (int i = 0; i < 8; i++) seen[i] = i < 6 ? x[i] : UNDEFINED;
    for (int i = 0; i < 6; i++) o[i] = i % 4 % 2 ? 50 : 60;
    expect("grid 2\ninput x i32[6] block b4 at i\noutput o i32[6] block b4 at i\noutput seen "
           "i32[2,4] block s b4 at i 0\nbody\n"
           "%10:ref<i32[2,2]> = view_reshape %1; %11:ref<i32[2,2]> = view_transpose %10 "
           "permutation=[1,0]\n"
           "%12:i32[2,2] = load %11 [0:2,0:2]; %13:i32[2,2] = transpose %12 permutation=[1,0]; "
           "%14:i32[4] = reshape %13; store %3 %14 [0:4]\n"
           "%15:ref<i32[2,2]> = view_reshape %2; %16:i32[2] = constant value=50; %17:i32[2] = "
           "constant value=60\n"
           "%18:i32[] = constant value=1; %19:i32[] = constant value=0\n"
           "store %15 %16 %18 [0:2,@]; store %15 %17 %19 [0:2,@]\n",
           NAMED({"x", x}, {"o", o}, {"seen", seen}));
}

Test(machine_refs, scalars_and_nothing)
{
    static const int32_t x[1] = {5}, o[1] = {5};
    static const int32_t none[1] = {0};
    expect("input x i32[]\ninput none i32[0,3]\noutput o i32[1,1]\noutput empty i32[3,0]\nbody\n"
           "%10:ref<i32[1,1]> = view_reshape %1; %11:i32[1,1] = load %10 [0:1,0:1]; store %3 %11 "
           "[0:1,0:1]\n"
           "%12:ref<i32[3,0]> = view_reshape %2; %13:i32[3,0] = load %12 [0:3,0:0]; store %4 %13 "
           "[0:3,0:0]\n",
           NAMED({"x", x}, {"none", none}, {"o", o}, {"empty", none}));
}

/* ---- bitcast ---- */

Test(machine_refs, bitcast_of_the_same_width)
{
    static const float x[4] = {1, -2, 0, 3};
    static const int32_t o[4] = {0x3f800000, (int32_t)0xc0000000, 0, 0x40400000};
    static const float y[4] = {1, 2, 0, 3};
    expect("input x f32[4]\noutput o i32[4]\noutput y f32[4]\nbody\n"
           "%10:ref<i32[4]> = view_bitcast %1; %11:i32[4] = load %10 [0:4]; store %2 %11 [0:4]\n"
           "%12:i32[4] = constant value=2147483647; %13:i32[4] = and %11 %12; %14:ref<i32[4]> = "
           "view_bitcast %3; store %14 %13 [0:4]\n",
           NAMED({"x", x}, {"o", o}, {"y", y}));
}

/* Row r of the narrow ones is part r % 4 of row r / 4 of the wide ones. */
Test(machine_refs, bitcast_to_narrow_and_wide)
{
    static const uint32_t x[2 * 3] = {0x03020100, 0x13121110, 0x23222120,
                                      0x43424140, 0x53525150, 0x63626160};
    static uint8_t o[8 * 3], z[8 * 3];
    static uint16_t h[2 * 3];
    static uint32_t w[2 * 3];
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 3; c++) o[r * 3 + c] = (uint8_t)(x[r / 4 * 3 + c] >> r % 4 * 8);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++) h[r * 3 + c] = (uint16_t)(x[c] >> r * 16);
    /* o seen as u32 is x again; written through a u8 view with one row changed */
    for (int i = 0; i < 24; i++) z[i] = i / 3 == 5 ? 0xff : o[i];
    for (int i = 0; i < 6; i++) w[i] = i >= 3 ? x[i] | 0xff00 : x[i];
    expect("input x u32[2,3]\ninput y u8[8,3]\noutput o u8[8,3]\noutput h u16[2,3]\noutput w "
           "u32[2,3]\noutput z u8[8,3]\nbody\n"
           "%10:ref<u8[8,3]> = view_bitcast %1; %11:u8[8,3] = load %10 [0:8,0:3]; store %3 %11 "
           "[0:8,0:3]\n"
           "%12:ref<u16[4,3]> = view_bitcast %10; %13:u16[2,3] = load %12 [0:2,0:3]; store %4 %13 "
           "[0:2,0:3]\n"
           "%14:ref<u32[2,3]> = view_bitcast %2; %15:u32[2,3] = load %14 [0:2,0:3]; store %5 %15 "
           "[0:2,0:3]\n"
           "%16:ref<u8[8,3]> = view_bitcast %5; %17:u8[1,3] = constant value=255; store %16 %17 "
           "[5:1,0:3]\n"
           "%18:ref<u32[2,3]> = view_bitcast %6; store %18 %15 [0:2,0:3]; store %6 %17 "
           "[5:1,0:3]\n",
           NAMED({"x", x}, {"y", o}, {"o", o}, {"h", h}, {"w", w}, {"z", z}));
}

/* Elements of which a part is outside the array are undefined. */
Test(machine_refs, bitcast_over_edges)
{
    static const uint16_t x[3 * 2] = {1, 2, 3, 4, 5, 6};
    static const int32_t o[2 * 2] = {0x00030001, 0x00040002, UNDEFINED, UNDEFINED};
    expect("input x u16[3,2] block b4 b2 at 0 0\noutput o i32[2,2]\nbody\n"
           "%10:ref<i32[2,2]> = view_bitcast %1; %11:i32[2,2] = load %10 [0:2,0:2]; store %2 %11 "
           "[0:2,0:2]\n",
           NAMED({"x", x}, {"o", o}));
}

/* ---- indices of all dtypes ---- */

/* The two rows of `o`: x[21] by way of a ref, of one without strides, of a view and of a slice; and x[-1], which is
 * the last element where JAX is imitated, else a finding each.  Unsigned, nobody writes the second row. */
static void expect_index(const char *dtype, bool is_signed, const char *compat)
{
    static int32_t x[24], o[2][4];
    const bool clamps = compat != NULL;
    char text[2000];
    iota(x, 24);
    o[0][0] = o[0][2] = o[0][3] = x[21];
    o[0][1] = x[21 % 4 * 6 + 21 / 4];
    for (int i = 0; i < 4; i++) o[1][i] = UNDEFINED;
    if (is_signed && clamps)
        for (int i = 0; i < 4; i++) o[1][i] = x[23];
    snprintf(
        text, sizeof text,
        "input x i32[24]\noutput o i32[2,4]\nbody\n"
        "%%10:i32[] = constant value=0; %%11:i32[] = constant value=1; %%12:i32[] = constant "
        "value=2; "
        "%%13:i32[] = constant value=3\n"
        "%%20:%s[] = constant value=7; %%21:%s[] = constant value=3; %%22:%s[] = mul %%20 %%21\n"
        "%%30:ref<i32[4,6]> = view_reshape %%1; %%31:ref<i32[6,4]> = view_transpose %%30 "
        "permutation=[1,0]; %%32:ref<i32[24]> = view_reshape %%31\n"
        "%%40:i32[] = load %%1 %%22 [@]; store %%2 %%40 %%10 %%10 [@,@]\n"
        "%%41:i32[] = load %%32 %%22 [@]; store %%2 %%41 %%10 %%11 [@,@]\n"
        "%%42:ref<i32[]> = view %%1 %%22 [@]; %%43:i32[] = load %%42 []; store %%2 %%43 %%10 %%12 "
        "[@,@]\n"
        "%%44:i32[1] = load %%1 %%22 [*:1]; store %%2 %%44 %%10 %%13 [@,*:1]\n",
        dtype, dtype, dtype);
    if (is_signed)
        snprintf(
            text + strlen(text), sizeof text - strlen(text),
            "%%23:%s[] = sub %%21 %%20; %%24:%s[] = add %%23 %%21\n"
            "%%50:i32[] = load %%1 %%24 [@] loc=1; store %%2 %%50 %%11 %%10 [@,@]\n"
            "%%51:i32[] = load %%32 %%24 [@] loc=2; store %%2 %%51 %%11 %%11 [@,@]\n"
            "%%52:ref<i32[]> = view %%1 %%24 [@] loc=3; %%53:i32[] = load %%52 []; store %%2 %%53 "
            "%%11 %%12 [@,@]\n"
            "%%54:i32[1] = load %%1 %%24 [*:1] loc=4; store %%2 %%54 %%11 %%13 [@,*:1]\n",
            dtype, dtype);
    expect_with(text, NAMED({"x", x}, {"o", o}), (tg_run_options){.compat = compat},
                !is_signed ? 1
                : clamps   ? 0
                           : 4);
}

Test(machine_refs, indices_of_all_dtypes)
{
    static const char *const dtypes[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        expect_index(dtypes[i], dtypes[i][0] == 'i', NULL);
        expect_index(dtypes[i], dtypes[i][0] == 'i', "jax");
    }
}

/* ---- out of bounds ---- */

Test(machine_refs, outside_a_reshaped_ref)
{
    static int32_t x[4 * 6], o[4];
    iota(x, 24);
    o[0] = 21;
    for (int i = 1; i < 4; i++) o[i] = UNDEFINED;
    o[1] = 22;
    o[2] = 23;
    static const char text[] =
        "input x i32[4,6]\noutput o i32[4]\nbody\n"
        "%10:ref<i32[6,4]> = view_transpose %1 permutation=[1,0]; %11:ref<i32[4,6]> = "
        "view_transpose %10 permutation=[1,0]; %13:ref<i32[2,12]> = view_reshape %11; "
        "%14:ref<i32[24]> = view_reshape %13\n"
        "%12:i32[] = constant value=21; %15:i32[4] = load %14 %12 [*:4]; store %2 %15 [0:4]\n";
    expect_with(text, NAMED({"x", x}, {"o", o}), (tg_run_options){0}, 1);
    for (int i = 0; i < 4; i++) o[i] = 20 + i;
    expect_with(text, NAMED({"x", x}, {"o", o}), (tg_run_options){.compat = "jax"}, 0);
}

/* Without strides, JAX's clamping of slices is the same. */
Test(machine_refs, outside_a_ref_without_strides)
{
    static int32_t x[4 * 6], o[4];
    iota(x, 24);
    for (int i = 0; i < 4; i++) o[i] = i < 3 ? x[(21 + i) % 4 * 6 + (21 + i) / 4] : UNDEFINED;
    static const char text[] =
        "input x i32[4,6]\noutput o i32[4]\nbody\n"
        "%10:ref<i32[6,4]> = view_transpose %1 permutation=[1,0]; %14:ref<i32[24]> = view_reshape "
        "%10\n"
        "%12:i32[] = constant value=21; %15:i32[4] = load %14 %12 [*:4]; store %2 %15 [0:4]\n";
    expect_with(text, NAMED({"x", x}, {"o", o}), (tg_run_options){0}, 1);
    for (int i = 0; i < 4; i++) o[i] = x[(20 + i) % 4 * 6 + (20 + i) / 4];
    expect_with(text, NAMED({"x", x}, {"o", o}), (tg_run_options){.compat = "jax"}, 0);
}

/* ---- memory of a region ---- */

/* Fresh in each turn, and as long-lived as the region it is made in. */
Test(machine_refs, alloc)
{
    static int32_t o[3], first[3];
    for (int i = 0; i < 3; i++) {
        o[i] = i + 12;
        first[i] = UNDEFINED;
    }
    expect("output o i32[3]\noutput first i32[3]\nbody\n"
           "%10:i32[] = constant value=0; %11:i32[] = constant value=3; %12:i32[] = constant "
           "value=1; %13:ref<i32[]> = alloc; %14:i32[] = constant value=12; store %13 %14 []\n"
           "for %10 %11 %12 { (%20:i32[]) %21:ref<i32[2,2]> = alloc; %22:i32[] = load %21 %12 %12 "
           "[@,@]; store %2 %22 %20 [@]\n"
           "store %21 %20 %12 %12 [@,@]; %23:ref<i32[4]> = view_reshape %21; %24:i32[] = constant "
           "value=3; %25:i32[] = load %23 %24 [@]\n"
           "%26:i32[] = load %13 []; %27:i32[] = add %25 %26; store %1 %27 %20 [@] }\n",
           NAMED({"o", o}, {"first", first}));
}
