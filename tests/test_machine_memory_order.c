/* Accesses that follow one another: loads and stores in their order, swaps, atomics. */
#include "memory_text.h"

/* ---- loads and stores ---- */

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
