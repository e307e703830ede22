/* Undefined values: the rule of each kind of op, and what is found, the same in every order. */
#include "checks/undefined/trails.h"
#include "run_text.h"

static tg_report *run_checked(const tg_module *module, arrays *all, const char *order)
{
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "undefined", .max_findings = 1000};
    return run_once(module, all, &options);
}

static const int32_t counting[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* ---- rules ---- */

/* Marks the elements that findings speak of; each speaks of a run. */
static void mark_elements(const tg_report *report, char *marks, const char *text)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        if (strcmp(f.kind, "output-unwritten") == 0) continue;
        cr_assert_str_eq(f.kind, "undefined-output", "%s: %s", text, f.message);
        cr_assert_eq(f.count, f.last - f.first + 1, "%s: %s", text, f.message);
        memset(marks + f.first, 'u', (size_t)f.count);
    }
}

/* Runs a kernel, whose output holds `undefined`, a letter an element: '.' or 'u'. */
static void check_elements(const char *text, const char *undefined)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        char marks[65] = "................................................................";
        arrays all = make_arrays(module, NAMED({"x", counting}));
        tg_report *report = run_checked(module, &all, every_order[o]);
        marks[strlen(undefined)] = '\0';
        mark_elements(report, marks, text);
        cr_assert_str_eq(marks, undefined, "%s: %s instead of %s\n%s", every_order[o], marks,
                         undefined, text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* x is 0 1 2 3 in %9, of which the last two are undefined in %10. */
#define HALF                                                                                       \
    "%8:bool[4] = constant value=[true,true,false,false]; %9:i32[4] = load %1 [0:4]; "             \
    "%10:i32[4] = load %1 %8 [0:4] mask=true\n"

static void check_rule(const char *type, const char *ops, const char *undefined)
{
    static const char *const whole[][2] = {
        {"[1]", "0:1"}, {"[4]", "0:4"}, {"[16]", "0:16"}, {"[2,2]", "0:2,0:2"}};
    char text[2000];
    size_t i = 0;
    while (!strstr(type, whole[i][0])) i++;
    snprintf(text, sizeof text, "input x i32[4]\noutput o %s\nbody\n%s%s; store %%2 %%99 [%s]\n",
             type, HALF, ops, whole[i][1]);
    check_elements(text, undefined);
}

Test(undefined, lanes)
{
    check_rule("i32[4]", "%99:i32[4] = add %9 %10", "..uu");
    check_rule("i32[4]", "%11:i32[4] = constant value=0; %99:i32[4] = mul %10 %11", "..uu");
    check_rule("i32[4]", "%99:i32[4] = sub %10 %10", "..uu");
    check_rule("f32[4]",
               "%11:f32[4] = convert %10; %12:f32[4] = convert %9; %99:f32[4] = max %11 %12",
               "..uu");
    check_rule("bool[4]", "%99:bool[4] = lt %10 %9", "..uu");
    check_rule("i32[4]", "%99:i32[4] = not %10", "..uu");
    check_rule("i32[4]", "%99:i32[4] = clamp %9 %10 %9", "..uu");
}

/* A defined byte of zeros decides an and, one of ones an or; byte by byte. */
Test(undefined, bits)
{
    check_rule("i32[4]", "%11:i32[4] = constant value=[0,0,0,1]; %99:i32[4] = and %10 %11", "...u");
    check_rule("i32[4]", "%11:i32[4] = constant value=[0,0,-1,255]; %99:i32[4] = or %11 %10",
               "...u");
    check_rule("i32[4]", "%11:i32[4] = constant value=0; %99:i32[4] = xor %10 %11", "..uu");
    check_rule(
        "i8[4]",
        "%11:i32[4] = constant value=65280; %12:i32[4] = and %10 %11; %99:i8[4] = convert %12",
        "....");
    check_rule("i8[4]",
               "%11:i32[4] = constant value=255; %12:i32[4] = and %10 %11; %99:i8[4] = convert %12",
               "..uu");
    check_rule("bool[4]",
               "%11:bool[4] = eq %10 %9; %12:bool[4] = constant value=[true,true,false,true]; "
               "%99:bool[4] = and %11 %12",
               "...u");
    check_rule("bool[4]",
               "%11:bool[4] = eq %10 %9; %12:bool[4] = constant value=[true,true,false,true]; "
               "%99:bool[4] = max %11 %12",
               "..u.");
    check_rule(
        "u4[4]",
        "%11:u4[4] = convert %10; %12:u4[4] = constant value=[0,0,15,14]; %99:u4[4] = or %11 %12",
        "...u");
    check_rule(
        "i4[4]",
        "%11:i4[4] = convert %10; %12:i4[4] = constant value=[0,0,-1,0]; %99:i4[4] = or %11 %12",
        "...u");
}

/* Bits move; an amount that is undefined makes all of it so. */
Test(undefined, shifts)
{
    check_rule(
        "i8[4]",
        "%11:i32[4] = constant value=8; %12:i32[4] = shift_left %10 %11; %99:i8[4] = convert %12",
        "....");
    check_rule(
        "i8[4]",
        "%11:i32[4] = constant value=7; %12:i32[4] = shift_left %10 %11; %99:i8[4] = convert %12",
        "..uu");
    check_rule("i32[4]", "%11:i32[4] = constant value=[0,0,32,31]; %99:i32[4] = shift_left %10 %11",
               "...u");
    check_rule("i32[4]",
               "%11:i32[4] = constant value=40; %99:i32[4] = shift_right_arithmetic %10 %11",
               "..uu");
    check_rule("i32[4]", "%11:i32[4] = constant value=40; %99:i32[4] = shift_right_logical %10 %11",
               "....");
    check_rule("i32[4]", "%99:i32[4] = shift_left %9 %10", "..uu");
    /* the undefined low half goes to the top, and what comes in below it from the sign is undefined */
    check_rule("u16[4]",
               "%11:i32[4] = constant value=65535; %12:i32[4] = and %10 %11; %13:i32[4] = constant "
               "value=16; %14:i32[4] = shift_left %12 %13; %99:u16[4] = convert %14",
               "....");
    check_rule("u16[4]",
               "%11:i32[4] = constant value=65535; %12:i32[4] = and %10 %11; %13:i32[4] = constant "
               "value=16; %14:i32[4] = shift_left %12 %13; %15:i32[4] = shift_right_arithmetic %14 "
               "%13; %99:u16[4] = convert %15",
               "..uu");
}

Test(undefined, converts)
{
    check_rule("i64[4]", "%11:u8[4] = convert %10; %99:i64[4] = convert %11", "..uu");
    check_rule("u8[4]",
               "%11:u8[4] = convert %10; %12:i64[4] = convert %11; %13:i64[4] = constant value=8; "
               "%14:i64[4] = shift_right_logical %12 %13; %99:u8[4] = convert %14",
               "....");
    check_rule("u8[4]",
               "%11:i8[4] = convert %10; %12:i64[4] = convert %11; %13:i64[4] = constant value=56; "
               "%14:i64[4] = shift_right_logical %12 %13; %99:u8[4] = convert %14",
               "..uu");
    check_rule("f32[4]", "%99:f32[4] = convert %10", "..uu");
}

Test(undefined, select)
{
    check_rule(
        "i32[4]",
        "%11:bool[4] = constant value=[true,true,false,true]; %99:i32[4] = select %11 %9 %10",
        "...u");
    check_rule("i32[4]", "%11:bool[4] = eq %10 %9; %99:i32[4] = select %11 %9 %9", "..uu");
    check_rule("i32[4]",
               "%11:i32[4] = constant value=[0,1,7,-3]; %99:i32[4] = select %11 %9 %9 %10", "..u.");
}

Test(undefined, reductions)
{
    check_rule("i32[1]",
               "%11:i32[] = reduce_sum %10 axes=[0]; %99:i32[1] = broadcast_in_dim %11 dims=[]",
               "u");
    check_rule("i32[1]",
               "%11:i32[2] = slice %10 start=[0] stride=[1]; %12:i32[] = reduce_sum %11 axes=[0]; "
               "%99:i32[1] = broadcast_in_dim %12 dims=[]",
               ".");
    check_rule("i32[1]",
               "%11:i32[] = reduce_and %10 axes=[0]; %99:i32[1] = broadcast_in_dim %11 dims=[]",
               "."); /* x[0] is 0 */
    check_rule("i32[1]",
               "%11:i32[] = reduce_or %10 axes=[0]; %99:i32[1] = broadcast_in_dim %11 dims=[]",
               "u");
    check_rule("i32[1]",
               "%11:i32[] = reduce_xor %10 axes=[0]; %99:i32[1] = broadcast_in_dim %11 dims=[]",
               "u");
    check_rule("i32[2,2]",
               "%11:i32[2,2] = reshape %10; %12:i32[2] = reduce_max %11 axes=[1]; %99:i32[2,2] = "
               "broadcast_in_dim %12 dims=[0]",
               "..uu");
    check_rule("i32[4]", "%11:i32[] = argmax %10 axis=0; %99:i32[4] = broadcast_in_dim %11 dims=[]",
               "uuuu");
    check_rule("i32[4]", "%99:i32[4] = cumsum %10 axis=0", "..uu");
    check_rule("i32[4]", "%99:i32[4] = cumsum %10 axis=0 reverse=true", "uuuu");
}

Test(undefined, dot)
{
    check_rule("f32[2,2]",
               "%11:f32[4] = convert %10; %12:f32[2,2] = reshape %11; %13:f32[4] = convert %9; "
               "%14:f32[2,2] = reshape %13; %99:f32[2,2] = dot_general %12 %14 lhs_contract=[1] "
               "rhs_contract=[0] lhs_batch=[] rhs_batch=[]",
               "..uu");
    check_rule("f32[2,2]",
               "%11:f32[4] = convert %10; %12:f32[2,2] = reshape %11; %13:f32[4] = convert %9; "
               "%14:f32[2,2] = reshape %13; %99:f32[2,2] = dot_general %14 %12 lhs_contract=[1] "
               "rhs_contract=[0] lhs_batch=[] rhs_batch=[]",
               "uuuu");
    check_rule("f32[2,2]",
               "%11:f32[4] = convert %10; %12:f32[2,2] = reshape %11; %13:f32[4] = convert %9; "
               "%14:f32[2,2] = reshape %13; %15:f32[2,2] = dot_general %14 %14 lhs_contract=[1] "
               "rhs_contract=[0] lhs_batch=[] rhs_batch=[]; %99:f32[2,2] = add %12 %15",
               "..uu");
}

/* A key that is undefined spoils the order of its row; what is carried along goes where it goes. */
Test(undefined, sort)
{
    check_rule("i32[4]", "%99:i32[4] = sort %10 axis=0 keys=1", "uuuu");
    check_rule("i32[4]",
               "%11:i32[4] = constant value=[3,2,1,0]; %12:i32[4] %99:i32[4] = sort %11 %10 axis=0 "
               "keys=1",
               "uu..");
    check_rule("i32[4]",
               "%11:i32[2,2] = reshape %10; %12:i32[2,2] = sort %11 axis=1 keys=1; %99:i32[4] = "
               "reshape %12",
               "..uu");
}

/* What an undefined index chooses is undefined; an update somewhere makes all of it so. */
Test(undefined, moves)
{
    check_rule("i32[4]",
               "%11:i32[4] = transpose %10 permutation=[0]; %99:i32[4] = rev %11 axes=[0]", "uu..");
    check_rule("i32[4]",
               "%11:i32[] = constant value=2; %12:i32[2] = dynamic_slice %10 %11; "
               "%99:i32[4] = tile %12 reps=[2]",
               "uuuu");
    check_rule("i32[4]",
               "%11:i32[] = constant value=2; %12:i32[2] = slice %9 start=[0] stride=[1]; "
               "%99:i32[4] = dynamic_update_slice %10 %12 %11",
               "....");
    check_rule("i32[4]",
               "%11:i32[] = constant value=1; %12:i32[1] = slice %10 start=[3] stride=[1]; "
               "%99:i32[4] = dynamic_update_slice %9 %12 %11",
               ".u..");
    check_rule("i32[4]",
               "%11:i32[1] = slice %10 start=[3] stride=[1]; %12:i32[] = reshape %11; "
               "%13:i32[2] = slice %9 start=[0] stride=[1]; %99:i32[4] = "
               "dynamic_update_slice %9 %13 %12",
               "uuuu");
    check_rule(
        "i32[4]",
        "%11:i32[4,1] = constant value=[3,2,1,0]; %99:i32[4] = gather %10 %11 offset_dims=[] "
        "collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
        "slice_sizes=[1] mode='clip'",
        "uu..");
    check_rule("i32[4]",
               "%11:i32[4,1] = reshape %10; %99:i32[4] = gather %9 %11 offset_dims=[] "
               "collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
               "slice_sizes=[1] mode='clip'",
               "..uu");
    check_rule(
        "i32[4]",
        "%11:i32[4,1] = constant value=[9,2,1,0]; %99:i32[4] = gather %10 %11 offset_dims=[] "
        "collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
        "slice_sizes=[1] mode='fill'",
        "uu..");
    check_rule("i32[4]",
               "%11:i32[2,1] = constant value=[3,0]; %12:i32[2] = slice %9 start=[0] stride=[1]; "
               "%99:i32[4] = scatter %10 %11 %12 offset_dims=[] collapsed_dims=[0] "
               "start_index_map=[0] operand_batch=[] indices_batch=[] mode='clip' combine='set'",
               "..u.");
    check_rule("i32[4]",
               "%11:i32[2,1] = constant value=[3,2]; %12:i32[2] = slice %10 start=[2] stride=[1]; "
               "%99:i32[4] = scatter %9 %11 %12 offset_dims=[] collapsed_dims=[0] "
               "start_index_map=[0] operand_batch=[] indices_batch=[] mode='clip' combine='add'",
               "..uu");
}

Test(undefined, bitcasts)
{
    check_rule("u8[16]", "%11:u8[4,4] = bitcast %10; %99:u8[16] = reshape %11", "........uuuuuuuu");
    check_rule("i32[4]",
               "%11:i32[4] = constant value=255; %12:i32[4] = and %10 %11; %13:u8[4,4] = bitcast "
               "%12; %14:u8[4,4] = rev %13 axes=[1]; %99:i32[4] = bitcast %14",
               "..uu");
    check_rule("u8[16]",
               "%11:i32[4] = constant value=65280; %12:i32[4] = and %10 %11; %13:u8[4,4] = bitcast "
               "%12; %14:u8[4,4] = transpose %13 permutation=[1,0]; %99:u8[16] = reshape %14",
               "......uu........");
}

/* ---- memory ---- */

/* Half an element that is written defines just that half. */
Test(undefined, narrow_places)
{
    check_elements("input x i32[4]\noutput o u16[2,4]\nscratch s u16[2,4]\nbody\n"
                   "%10:u16[4] = constant value=1; %11:i32[] = constant value=0\n"
                   "%12:ref<u32[1,4]> = view_bitcast %3\n"
                   "%13:ref<u16[4]> = view %3 %11 [@,0:4]\n"
                   "store %3 %10 %11 [@,0:4]\n"
                   "%14:u32[1,4] = load %12 [0:1,0:4]\n"
                   "%15:u16[1,4] = convert %14; %16:u16[1,4] = load %3 [1:1,0:4]\n"
                   "store %2 %15 [0:1,0:4]; store %2 %16 [1:1,0:4]\n",
                   "....uuuu");
}

Test(undefined, memory)
{
    /* scratch is kept from program to program of a chain, and fresh in the next one */
    check_elements(
        "grid 2 2a\ninput x i32[4]\noutput o i32[2,2] block s s at j i\nscratch s i32[]\n"
        "body\n%10:i32[] = load %3 []; store %2 %10 []\n%11:i32[] = constant value=1; "
        "store %3 %11 []\n",
        "uu..");
    check_elements("input x i32[4]\noutput o i32[4]\nbody\nscoped { (%20:ref<i32[4]>) "
                   "%21:i32[2] = load %1 [1:2]; store %20 %21 [2:2]; %22:i32[4] = load %20 [0:4]; "
                   "store %2 %22 [0:4]; yield }\n",
                   "uu..");
    check_elements(
        "input x i32[4]\noutput o i32[4]\nbody\n%10:i32[2] = load %2 [0:2]; store %2 %10 "
        "[2:2]; %11:i32[2] = load %1 [0:2]; store %2 %11 [0:2]\n",
        "..uu");
    /* lanes that a mask turns off keep what they have; swap gives what was there */
    check_elements("input x i32[4]\noutput o i32[4] alias=x\nbody\n%10:bool[4] = constant "
                   "value=[true,true,false,false]; %11:i32[4] = undefined; store %2 %11 %10 [0:4] "
                   "mask=true\n",
                   "uu..");
    check_elements("input x i32[4]\noutput o i32[4]\nscratch s i32[4]\nbody\n%10:i32[4] = load %1 "
                   "[0:4]; %11:i32[2] = slice %10 start=[0] stride=[1]; store %3 %11 [0:2]; "
                   "%12:i32[4] = swap %3 %10 [0:4]; %13:i32[4] = swap %3 %12 [0:4]; store %2 %13 "
                   "[0:4]\n",
                   "....");
    check_elements("input x i32[4]\noutput o i32[4]\nscratch s i32[4]\nbody\n%10:i32[4] = load %1 "
                   "[0:4]; %11:i32[2] = slice %10 start=[0] stride=[1]; store %3 %11 [0:2]; "
                   "%12:i32[4] = swap %3 %10 [0:4]; store %2 %12 [0:4]\n",
                   "..uu");
}

/* A store of what is defined takes the place of what is not; a lane that is not stored does not matter. */
Test(undefined, only_what_is_kept)
{
    check_elements("input x i32[4]\noutput o i32[4]\nbody\n" HALF
                   "store %2 %10 [0:4]; store %2 %9 [0:4]\n",
                   "....");
    check_elements("grid 2\ninput x i32[7] block b4 at i\noutput o i32[7] block b4 at i\nbody\n"
                   "%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10; store %2 %11 [0:4]\n",
                   ".......");
    check_elements("grid 2\ninput x i32[7] block b4 at i\noutput o i32[8] block b4 at i\nbody\n"
                   "%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10; store %2 %11 [0:4]\n",
                   ".......u");
    check_elements("grid 2a\ninput x i32[4]\noutput o i32[4]\nbody\n%10:i32[] = program_id axis=0; "
                   "%11:i32[] = constant value=0; %12:bool[] = eq %10 %11\n%13:i32[4] = undefined; "
                   "%14:i32[4] = load %1 [0:4]; %15:bool[4] = broadcast_in_dim %12 dims=[]; "
                   "%16:i32[4] = select %15 %14 %13; store %2 %16 [0:4]\n",
                   "....");
}

Test(undefined, indices)
{
    check_elements(
        "input x i32[4]\noutput o i32[4]\nbody\n" HALF
        "%11:i32[4] = constant value=[3,2,1,0]; scoped { (%20:ref<i32[4]>) store %20 %10 "
        "[0:4]; %21:i32[4] = load %20 %11 [@]; store %2 %21 [0:4]; yield }\n",
        "uu..");
    check_elements("input x i32[4]\noutput o i32[4] alias=x\nbody\n" HALF
                   "%11:i32[4] = constant value=[3,2,1,0]; store %2 %10 %11 [@]\n",
                   "uu..");
}

Test(undefined, atomics)
{
    check_elements(
        "input x i32[4]\noutput o i32[4] alias=x\nbody\n" HALF "add_update %2 %10 [0:4]\n", "..uu");
    check_elements("input x i32[4]\noutput o i32[4]\nbody\n%10:i32[4] = constant value=[0,-1,7,0]; "
                   "%11:i32[4] = atomic_rmw %2 %10 [0:4] kind='and'\n",
                   ".uu.");
    check_elements(
        "input x i32[4]\noutput o i32[4]\nbody\n%9:i32[] = constant value=0; %10:i32[] = "
        "constant value=1; %11:i32[] = constant value=2; %12:i32[] = undefined; %13:i32[4] "
        "= load %1 [0:4]; store %2 %13 [0:4]\n%14:i32[] = atomic_cas %2 %10 %12 %10 [@]; "
        "%15:i32[] = atomic_cas %2 %9 %12 %11 [@]; %16:i32[] = atomic_cas %2 %12 %9 %9 [@]\n",
        "uu..");
    check_elements("input x i32[4]\noutput o i32[4]\nbody\n%10:i32[4] = constant value=1; "
                   "%11:i32[4] = atomic_rmw %2 %10 [0:4] kind='xchg'; %12:i32[2] = slice %11 "
                   "start=[0] stride=[1]; store %2 %12 [2:2]\n",
                   "..uu");
}

/* ---- findings ---- */

typedef struct wanted {
    const char *kind, *op, *param;
    int line;
    int64_t program, first, last, count;
    const char *message;
    const char *roles[6]; /* role and op, "computed by add" */
} wanted;

static void check_finding(const tg_report *report, size_t index, const wanted *w, const char *order)
{
    const tg_finding f = tg_report_finding(report, index);
    cr_assert_str_eq(f.kind, w->kind, "%s: %s", order, f.message);
    cr_assert_str_eq(f.level, "error");
    cr_assert_str_eq(f.param, w->param, "%s: %s: %s", order, f.param, f.message);
    cr_assert_str_eq(f.op, w->op, "%s: %s: %s", order, f.op, f.message);
    cr_assert_eq(f.line, w->line, "%s: line %d of %s", order, (int)f.line, f.message);
    cr_assert_eq(f.program[0], w->program, "%s: %s", order, f.message);
    cr_assert_eq(f.count, w->count, "%s: %d times %s", order, (int)f.count, f.message);
    cr_assert_str_eq(f.message, w->message, "%s: %s", order, f.message);
    if (strcmp(w->kind, "undefined-output") == 0)
        cr_assert(f.first == w->first && f.last == w->last, "%s: %d to %d: %s", order, (int)f.first,
                  (int)f.last, f.message);
    size_t count = 0;
    for (; w->roles[count]; count++) {
        char got[200];
        cr_assert_lt(count, f.related_count);
        const tg_related r = tg_report_related(report, index, count);
        snprintf(got, sizeof got, "%s %s", r.role, r.op);
        cr_assert_str_eq(got, w->roles[count], "%s: %s: %s", order, got, f.message);
    }
    cr_assert_eq(f.related_count, count);
}

static void check_findings(const char *text, const wanted *list, size_t count)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"x", counting}));
        tg_report *report = run_checked(module, &all, every_order[o]);
        if (tg_report_finding_count(report) != count) show_findings(report);
        cr_assert_eq(tg_report_finding_count(report), count, "%s: %s", every_order[o], text);
        for (size_t i = 0; i < count; i++) check_finding(report, i, &list[i], every_order[o]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define CHECK(text, ...)                                                                           \
    check_findings(text, (const wanted[]){__VA_ARGS__},                                            \
                   sizeof((const wanted[]){__VA_ARGS__}) / sizeof(wanted))
#define CLEAN(text) check_findings(text, NULL, 0)

Test(undefined, output)
{
    CHECK("grid 4\ninput x i32[14] block b4 at i\noutput o i32[16] block b4 at i\nbody\n"
          "%10:i32[4] = load %1 [0:4] loc=1; %11:i32[4] = neg %10 loc=2; %12:i32[4] = add %11 %11 "
          "loc=3; store %2 %12 [0:4] loc=4\n",
          {"undefined-output",
           "store",
           "o",
           4,
           3,
           14,
           15,
           2,
           "program (3) leaves an undefined value in o[14]: it comes from what lies outside of x; "
           "2 elements in all",
           {"computed by add", "computed by neg", "comes from load"}});
    CHECK(
        "grid 3\ninput x i32[4]\noutput o i32[3] block s at i\nscratch s i32[]\nbody\n"
        "%10:i32[] = load %3 [] loc=1; %11:i32[] = add %10 %10 loc=2; store %3 %11 [] loc=3; "
        "%12:i32[] = load %3 [] loc=4; store %2 %12 [] loc=5\n",
        {"undefined-output",
         "store",
         "o",
         5,
         0,
         0,
         2,
         3,
         "program (0) leaves an undefined value in o[0]: it comes from scratch s, which no program "
         "had written; 3 elements in all",
         {"read by load", "stored by store", "computed by add", "read by load",
          "comes from memory "}});
}

Test(undefined, conditions)
{
    CHECK("grid 2\ninput x i32[4]\noutput o i32[2] block s at i\nbody\n"
          "%10:i32[] = undefined; %11:i32[] = constant value=3; %12:bool[] = lt %10 %11 loc=2\n"
          "%13:i32[] = switch %12 loc=3 { () yield %11 } { () yield %11 }\nstore %2 %13 []\n",
          {"undefined-condition",
           "switch",
           "",
           3,
           0,
           0,
           0,
           2,
           "the condition of switch is undefined: it comes from a value that is undefined",
           {"computed by lt", "comes from an undefined value "}});
    CHECK("input x i32[4]\noutput o i32[1]\nbody\n%10:bool[] = constant value=false; %9:i32[] = "
          "constant value=0; %11:i32[] = load %1 %9 %10 [@] mask=true loc=1\n"
          "%12:i32[] = constant value=1; %13:i32[] = for %9 %11 %12 %9 loc=2 { (%20:i32[] "
          "%21:i32[]) yield %21 }\nstore %2 %13 %9 [@]\n",
          {"undefined-condition",
           "for",
           "",
           2,
           0,
           0,
           0,
           1,
           "the upper bound of for is undefined: it comes from a lane that the mask turns off, "
           "without `other`",
           {"comes from load"}});
    CHECK("input x i32[4]\noutput o i32[1]\nbody\n%9:i32[] = constant value=0; %10:bool[] = "
          "undefined; %11:bool[] = not %10; check %11 format='no' loc=2\nstore %2 %9 %9 [@]\n",
          {"undefined-condition",
           "check",
           "",
           2,
           0,
           0,
           0,
           1,
           "the condition of check is undefined: it comes from a value that is undefined",
           {"computed by not", "comes from an undefined value "}});
}

Test(undefined, addresses)
{
    CHECK(
        "input x i32[4]\noutput o i32[4]\nbody\n" HALF
        "%11:i32[4] = constant value=3; %12:i32[4] = and %10 %11 loc=1; %13:i32[4] = load %1 %12 "
        "[@] loc=2; %14:i32[2] = slice %13 start=[0] stride=[1]; store %2 %14 [0:2]; store %2 %14 "
        "[2:2]\n",
        {"undefined-address",
         "load",
         "x",
         2,
         0,
         0,
         0,
         1,
         "the index of load in dimension 0 of x is undefined: it comes from a lane that the mask "
         "turns off, without `other`",
         {"computed by and", "comes from load"}});
    CHECK("input x i32[4]\noutput o i32[4] alias=x\nbody\n%10:u32[] = undefined; %11:i32[1] = "
          "constant value=5; store %2 %11 %10 [*:1] loc=1\n",
          {"undefined-address",
           "store",
           "o",
           1,
           0,
           0,
           0,
           1,
           "the index of store in dimension 0 of o is undefined: it comes from a value that is "
           "undefined",
           {"comes from an undefined value "}});
    CLEAN("grid 2\ninput x i32[7] block b4 at i\noutput o i32[7] block b4 at i\nbody\n%10:i32[4] = "
          "load %1 [0:4]; store %2 %10 [0:4]; %11:i32[4] = constant value=3; %12:bool[4] = lt %10 "
          "%11; store %2 %11 %12 [0:4] mask=true\n"); /* the lane is outside of o */
    CHECK("grid 2\ninput x i32[7] block b4 at i\noutput o i32[8] block b4 at i\nbody\n%9:i32[4] = "
          "iota axis=0; store %2 %9 [0:4]; %10:i32[4] = "
          "load %1 [0:4]; %11:i32[4] = constant value=3; %12:bool[4] = lt %10 "
          "%11; store %2 %11 %12 [0:4] mask=true loc=2\n",
          {"undefined-output",
           "store",
           "o",
           2,
           1,
           7,
           7,
           1,
           "program (1) leaves an undefined value in o[7]: it comes from what lies outside of x",
           {"computed by lt", "comes from load"}},
          {"undefined-address",
           "store",
           "o",
           2,
           1,
           0,
           0,
           1,
           "the mask by which store chooses elements of o is undefined: it comes from what lies "
           "outside of x",
           {"computed by lt", "comes from load"}});
    CHECK("grid 2\ninput x i32[4] block b2 { (%900:i32[]) %901:i32[] = undefined; %902:i32[] = max "
          "%901 %900; yield %902 }\n"
          "output o i32[2] block s at i\nbody\n%10:i32[] = program_id axis=0; store %2 %10 []\n",
          {"undefined-address",
           "",
           "x",
           9,
           0,
           0,
           0,
           2,
           "the index for dimension 0 that the index map of x gives is undefined: it comes from a "
           "value that is undefined",
           {"computed by max", "comes from an undefined value "}});
}

/* What loops do again and again is told once. */
Test(undefined, loops)
{
    CHECK(
        "input x i32[4]\noutput o i32[1]\nbody\n%9:i32[] = constant value=0; %10:i32[] = constant "
        "value=100; %11:i32[] = constant value=1; %12:i32[] = undefined; %13:i32[] = for %9 %10 "
        "%11 %12 { (%20:i32[] %21:i32[]) %22:i32[] = neg %21 loc=1; %23:i32[] = add %22 %11 loc=2; "
        "yield %23 }\nstore %2 %13 %9 [@] loc=3\n",
        {"undefined-output",
         "store",
         "o",
         3,
         0,
         0,
         0,
         1,
         "program () leaves an undefined value in o[0]: it comes from a value that is undefined",
         {"computed by add", "computed by neg", "comes from an undefined value "}});
}

/* ---- trails ---- */

Test(undefined, trails)
{
    tg_trails t;
    tg_inst insts[40] = {{.kind = TG_I_COPY}};
    cr_assert(tg_trails_init(&t));
    const uint32_t a = tg_trails_origin(&t, TG_TRAIL_SCRATCH, 1, NULL);
    cr_assert_eq(tg_trails_origin(&t, TG_TRAIL_SCRATCH, 1, NULL), a);
    cr_assert_neq(tg_trails_origin(&t, TG_TRAIL_SCRATCH, 2, NULL), a);
    const uint32_t b = tg_trails_op(&t, a, &insts[0], 0), c = tg_trails_op(&t, b, &insts[1], 0);
    cr_assert_eq(tg_trails_op(&t, a, &insts[0], 0), b);
    cr_assert_eq(tg_trails_op(&t, c, &insts[0], 0), c, "it has been there");
    cr_assert_neq(tg_trails_op(&t, c, &insts[0], 1), c, "another op of a group");
    cr_assert_eq(tg_trails_get(&t, c).before, b);
    const uint32_t kept = tg_trails_kept(&t, c, &insts[2], 7);
    cr_assert_eq(tg_trails_get(&t, kept).program_index, 7);
    cr_assert_neq(tg_trails_kept(&t, c, &insts[2], 8), kept);
    tg_trails_clear(&t);
    cr_assert_eq(t.count, TG_VALUE_TRAIL + 1);
    tg_trails_free(&t);
}

/* Where there are more trails than are kept, what is told is less, and true. */
Test(undefined, too_many_trails)
{
    enum { DETAILED = 1 << 20 };
    tg_trails t;
    tg_inst inst = {.kind = TG_I_STORE};
    cr_assert(tg_trails_init(&t));
    const uint32_t a = tg_trails_origin(&t, TG_TRAIL_SCRATCH, 1, NULL);
    for (int64_t i = 0; t.count < DETAILED; i++) tg_trails_kept(&t, a, &inst, i);
    cr_assert_eq(tg_trails_get(&t, tg_trails_kept(&t, a, &inst, INT64_MAX)).program_index, -1);
    cr_assert_eq(tg_trails_op(&t, a, &inst, 5), a);
    cr_assert_gt(tg_trails_origin(&t, TG_TRAIL_SCRATCH, 3, NULL), DETAILED - 1);
    tg_trails_free(&t);
}
