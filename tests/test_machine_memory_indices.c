/* Which elements an access takes: masks and index arrays. */
#include "memory_text.h"

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

/* An index array that counts down is no slice. */
Test(machine_memory, positions_that_count_down)
{
    static int32_t x[4] = {5, 6, 7, 8}, o[4] = {8, 7, 6, 5};
    expect("input x i32[4]\noutput o i32[4]\nbody\n"
           "%10:i32[4] = iota axis=0; %11:i32[4] = constant value=3; %12:i32[4] = sub %11 %10\n"
           "%13:i32[4] = load %1 %12 [@]; store %2 %13 [0:4]\n",
           NAMED({"x", x}, {"o", o}));
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

/* A row of one element, repeated, does not count along the rows: these are the columns of one number each. */
Test(machine_memory, positions_of_one_column)
{
    static int32_t x[8], o[8], p[8];
    for (int i = 0; i < 8; i++) {
        x[i] = 3 * i;
        o[i] = x[i];
        p[i] = x[i] + 1;
    }
    expect("input x i32[8]\noutput o i32[8]\noutput p i32[8]\nbody\n"
           "%10:i32[8] = iota axis=0; %11:i32[8,1] = reshape %10; %12:i32[1] = iota axis=0\n"
           "%13:i32[1,1] = reshape %12; %14:i32[8,1] = broadcast_in_dim %13 dims=[0,1]\n"
           "%15:i32[8,1] = add %11 %14; %16:i32[8,1] = load %1 %15 [@]; store %2 %16 %15 [@]\n"
           "%17:i32[8,1] = broadcast_in_dim %12 dims=[0]; %18:i32[8,1] = add %11 %17\n"
           "%19:i32[8,1] = constant value=1; %20:i32[8,1] = add %16 %19; store %3 %20 %18 [@]\n",
           NAMED({"x", x}, {"o", o}, {"p", p}));
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
