/* What the emulator traps of tcgen05: each case is a text that is right but for one part. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/emulator_tcgen05.h"
#include "tests/find_ptxas.h"

#define ALLOC "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [taddr], "
#define DEALLOC "tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
#define GIVE_UP "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
#define MMA "tcgen05.mma.cta_group::1.kind::f16 "
#define COMMIT "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
#define WAIT "AGAIN: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra AGAIN;\n"
#define LOAD "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, "
#define STORE "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6], {%r10};\n"
#define WAIT_LOAD "tcgen05.wait::ld.sync.aligned;\n"
#define BEFORE "tcgen05.fence::before_thread_sync;\n"
#define AFTER "tcgen05.fence::after_thread_sync;\n"

typedef struct fault {
    tg_emu_trap_kind kind;
    const char *text; /* of the trap: a part */
    parts parts;      /* NULL: as in the text that is right */
} fault;

static const fault faults[] = {
    /* waits and fences */
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.wait = "", .free = ""}},
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.after_wait = ""}},
    {TG_EMU_TRAP_TENSOR_RACE,
     "column 0",
     {.before_products = "fence.proxy.async; barrier.sync 0;\n"}},
    {TG_EMU_TRAP_TENSOR_RACE,
     "column 0",
     {.before_products = "fence.proxy.async; " BEFORE "barrier.sync 0;\n"}},
    {TG_EMU_TRAP_TENSOR_RACE,
     "column 0",
     {.before_products = "fence.proxy.async; barrier.sync 0;\n" AFTER}},
    {TG_EMU_TRAP_TENSOR_RACE,
     "column 0",
     {.commit = "", .wait = "setp.ne.u32 %p6, %r0, 1; @%p6 bra G1;\n" COMMIT "G1:\n" WAIT}},
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.after_wait = AFTER STORE}},
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.load = LOAD "[%r6];\n" STORE WAIT_LOAD}},
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.load = LOAD "[%r6];\n"}},
    {TG_EMU_TRAP_SHARED_RACE,
     "offset 0 of sa",
     {.before_products = BEFORE "barrier.sync 0;\n" AFTER}},
    {TG_EMU_TRAP_SHARED_RACE, "of sa", {.commit = COMMIT "st.shared.b32 [sa], %r10;\n"}},
    {TG_EMU_TRAP_DEADLOCK, "lacks 1 arrivals", {.commit = ""}},
    {TG_EMU_TRAP_MBARRIER,
     "no initialised mbarrier",
     {.commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [sa];\n"}},
    {TG_EMU_TRAP_UNINITIALISED_REGISTER, "%r20", {.wait_load = ""}},
    {TG_EMU_TRAP_UNINITIALISED_REGISTER,
     "%r30",
     {.load = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6], {%r30};\n"}},
    /* allocation */
    {TG_EMU_TRAP_TENSOR,
     "columns are allocated by 32, 64, 128, 256 or 512: 48",
     {.alloc = ALLOC "48;\n"}},
    {TG_EMU_TRAP_TENSOR,
     "columns are allocated by 32, 64, 128, 256 or 512: 16",
     {.alloc = ALLOC "16;\n"}},
    {TG_EMU_TRAP_TENSOR,
     "no such number of columns is free",
     {.alloc = ALLOC "512;\n" ALLOC "32;\n"}},
    {TG_EMU_TRAP_TENSOR, "given up its permit", {.alloc = GIVE_UP ALLOC "64;\n"}},
    {TG_EMU_TRAP_TENSOR, "nobody has freed, from this column on: 0", {.free = ""}},
    {TG_EMU_TRAP_TENSOR,
     "32 columns from 0x0 on are no allocation",
     {.free = DEALLOC "%r1, 32;\n"}},
    {TG_EMU_TRAP_TENSOR,
     "64 columns from 0x20 on are no allocation",
     {.free = "add.u32 %r1, %r1, 32;\n" DEALLOC "%r1, 64;\n"}},
    {TG_EMU_TRAP_TENSOR,
     "64 columns from 0x0 on are no allocation",
     {.free = DEALLOC "%r1, 64;\n" DEALLOC "%r1, 64;\n"}},
    {TG_EMU_TRAP_DIVERGENT_SYNC, "wants all", {.alloc = "@!%p1 " ALLOC "64;\n"}},
    {TG_EMU_TRAP_TENSOR_RACE, "column 0", {.commit = "", .wait = "", .load = "barrier.sync 0;\n"}},
    /* accesses */
    {TG_EMU_TRAP_TENSOR, "column 64, which is not allocated", {.load = LOAD "[%r6+64];\n"}},
    {TG_EMU_TRAP_TENSOR,
     "column 64 of another allocation",
     {.alloc = ALLOC "64;\n",
      .before_products = "barrier.sync 0;\n@%p0 bra G1;\n" ALLOC "32;\nG1: barrier.sync 0;\n"
                         "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r6+63];\n"}},
    {TG_EMU_TRAP_TENSOR,
     "columns 511 to 512",
     {.load = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r6+511];\n"}},
    {TG_EMU_TRAP_TENSOR,
     "of tensor memory, and not lane 0",
     {.load = "@%p0 bra L1;\nbra L2;\nL1: " LOAD "[%r1];\nL2:\n"}},
    {TG_EMU_TRAP_TENSOR, "lane 1 has another address than lane 0", {.load = LOAD "[%r0];\n"}},
    {TG_EMU_TRAP_DIVERGENT_SYNC, "keeps lane", {.load = "@!%p1 " LOAD "[%r6];\n"}},
    {TG_EMU_TRAP_UNINITIALISED_TENSOR,
     "of column 64",
     {.alloc = ALLOC "128;\n", .load = LOAD "[%r6+64];\n" WAIT_LOAD}},
    {TG_EMU_TRAP_UNINITIALISED_TENSOR,
     "nothing has written lane 0 of column 96",
     {.alloc = ALLOC "128;\n", .products = MMA "[%r1+96], %rd4, %rd5, %r7, %p5;\n"}},
    /* products */
    {TG_EMU_TRAP_TENSOR_PRODUCT,
     "it is lane 0",
     {.products = MMA "[%r1+2097152], %rd4, %rd5, %r7, %p4;\n"}},
    {TG_EMU_TRAP_TENSOR,
     "column 64, which is not allocated",
     {.products = MMA "[%r1+56], %rd4, %rd5, %r7, %p4;\n"}},
    {TG_EMU_TRAP_OUT_OF_BOUNDS,
     "of shared sb",
     {.products = "add.u64 %rd5, %rd5, 1024;\n" MMA "[%r1], %rd4, %rd5, %r7, %p4;\n"}},
    {TG_EMU_TRAP_TENSOR_PRODUCT,
     "the descriptor of a, 0x",
     {.products = MMA "[%r1], %rd6, %rd5, %r7, %p4;\n"}},
    {TG_EMU_TRAP_TENSOR_PRODUCT,
     "the descriptor of b, 0x",
     {.products = MMA "[%r1], %rd4, %rd6, %r7, %p4;\n"}},
};

static product right_product(void)
{
    product p = product_of(128, 16);
    p.kind = "f16";
    p.bytes = 2;
    p.descriptor |= 1u << 4;
    return p;
}

/* The parts of a text that is right, but those that `of` has. */
static parts with(const parts *of)
{
    parts q = right_parts;
#define TAKE(part) q.part = of->part ? of->part : q.part
    TAKE(alloc);
    TAKE(before_products);
    TAKE(products);
    TAKE(commit);
    TAKE(wait);
    TAKE(after_wait);
    TAKE(load);
    TAKE(wait_load);
    TAKE(free);
#undef TAKE
    return q;
}

static const unsigned char zeros[SIDE_BYTES];

Test(emulator_tcgen05_traps, each_fault_has_its_trap)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const fault *f = &faults[i];
        const parts q = with(&f->parts);
        product p = right_product();
        for (p.seed = 0; p.seed < 4; p.seed++) {
            const product_run r = run_parts(&p, &q, zeros, zeros);
            const tg_emu_trap *t = &r.result.trap;
            cr_expect_eq(r.status, TG_OK, "%zu: %s", i, r.message);
            cr_expect(r.result.trapped, "%zu: no trap, seed %u", i, (unsigned)p.seed);
            if (!r.result.trapped) continue;
            cr_expect_eq(t->kind, f->kind, "%zu: %s: %s, seed %u", i, tg_emu_trap_name(t->kind),
                         t->text, (unsigned)p.seed);
            cr_expect(strstr(t->text, f->text), "%zu: %s", i, t->text);
        }
    }
}

/* ---- instruction descriptors ---- */

typedef struct bad_descriptor {
    const char *kind;
    uint32_t bits;
    const char *text;
} bad_descriptor;

#define F32 (1u << 4)
#define S32 (2u << 4)
#define SIZE(m, n) ((uint32_t)(n) / 8 << 17 | (uint32_t)(m) / 16 << 24)

static const bad_descriptor bad_descriptors[] = {
    {"f16", F32 | SIZE(128, 16) | 4, "sparse"},
    {"f16", F32 | SIZE(128, 16) | 1u << 6, "no meaning"},
    {"f16", F32 | SIZE(128, 16) | 1u << 23, "no meaning"},
    {"f16", F32 | SIZE(128, 16) | 1u << 29, "no meaning"},
    {"i8", S32 | SIZE(128, 16) | 8, "saturation"},
    {"f16", F32 | SIZE(128, 16) | 1u << 13, "negated"},
    {"f16", F32 | SIZE(128, 16) | 1u << 14, "negated"},
    {"f16", F32 | SIZE(128, 16) | 1u << 30, "tcgen05.mma.ws"},
    {"f16", SIZE(128, 16), "sums of f16"},
    {"f16", S32 | SIZE(128, 16), "the sum has a dtype"},
    {"i8", F32 | SIZE(128, 16), "the sum has a dtype"},
    {"f16", F32 | SIZE(128, 16) | 2u << 7 | 2u << 10, "a factor has a dtype"},
    {"tf32", F32 | SIZE(128, 16), "a factor has a dtype"},
    {"f8f6f4", F32 | SIZE(128, 16) | 3u << 10, "a factor has a dtype"},
    {"i8", S32 | SIZE(128, 16) | 2u << 7, "a factor has a dtype"},
    {"f16", F32 | SIZE(128, 16) | 1u << 10, "one factor is of f16"},
    {"tf32", F32 | SIZE(128, 16) | 2u << 7 | 2u << 10 | 1u << 16, "MN-major factor of tf32"},
    {"f16", F32 | SIZE(32, 16), "m is neither"},
    {"f16", F32 | SIZE(256, 16), "m is neither"},
    {"f16", F32 | SIZE(128, 8), "n is not a multiple"},
    {"f16", F32 | SIZE(128, 0), "n is not a multiple"},
    {"f16", F32 | SIZE(64, 264), "n is not a multiple"},
    {"i8", S32 | SIZE(64, 40), "n is not a multiple"},
};

Test(emulator_tcgen05_traps, instruction_descriptors)
{
    for (size_t i = 0; i < sizeof bad_descriptors / sizeof *bad_descriptors; i++) {
        const bad_descriptor *b = &bad_descriptors[i];
        product p = right_product();
        p.kind = b->kind;
        p.descriptor = b->bits;
        const product_run r = run_parts(&p, &right_parts, zeros, zeros);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_expect_eq(r.result.trap.kind, TG_EMU_TRAP_TENSOR_PRODUCT, "%zu", i);
        cr_expect(strstr(r.result.trap.text, b->text), "%zu: %s", i, r.result.trap.text);
    }
}

/* ---- texts that are not understood ---- */

Test(emulator_tcgen05_traps, forms_that_are_refused)
{
    static const struct {
        const char *products, *text;
    } all[] = {
        {"tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd4, %rd5, %r7, %p4;\n",
         "is not among the forms"},
        {"tcgen05.mma.cta_group::1.kind::mxf4 [%r1], %rd4, %rd5, %r7, %p4;\n",
         "is not among the forms"},
        {"tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd4, %rd5, %r7, %p4;\n",
         "is not among the forms"},
        {"tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r1], %rd4, %rd5, %r7, %p4;\n",
         "is not among the forms"},
        {"tcgen05.cp.cta_group::1.128x256b [%r1], %rd4;\n", "is not among the forms"},
        {"tcgen05.shift.cta_group::1.down [%r1];\n", "is not among the forms"},
        {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd4];\n",
         "is not among the forms"},
        {"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [taddr], 64;\n",
         "is not among the forms"},
        {"tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 64;\n", "is not among the forms"},
        {"tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n", "is not among the forms"},
        {"tcgen05.ld.sync.aligned.32x32b.x3.b32 {%r20, %r21, %r22}, [%r6];\n",
         "is not among the forms"},
        {"tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r20, %r21}, [%r6];\n",
         "is not among the forms"},
        {"tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r20}, [%r6];\n", "is not among the forms"},
        {"tcgen05.wait::ld;\n", "is not among the forms"},
        {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20}, [%r6];\n",
         "expected a vector of 2 registers"},
        {"tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6], %r20;\n",
         "expected a vector of 1 registers"},
        {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, %r6;\n", "expected an address in brackets"},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r1+8], %rd5, %r7, %p4;\n",
         "an offset of the left factor"},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd4, %rd5, %r7;\n", "takes 5 operands, not 4"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        parts q = right_parts;
        const product p = right_product();
        q.products = all[i].products;
        const product_run r = run_parts(&p, &q, zeros, zeros);
        cr_expect_neq(r.status, TG_OK, "%s", all[i].products);
        cr_expect(strstr(r.message, all[i].text), "%s: %s", all[i].products, r.message);
    }
}

/* A vector has up to 128 elements. */
Test(emulator_tcgen05_traps, long_vectors)
{
    char products[2048] = "tcgen05.ld.sync.aligned.32x32b.x128.b32 {%r20";
    parts q = right_parts;
    const product p = right_product();
    for (int i = 0; i < 128; i++) strcat(products, ", %r20");
    q.products = strcat(products, "}, [%r6];\n");
    const product_run r = run_parts(&p, &q, zeros, zeros);
    cr_assert_eq(r.status, TG_ERR_SYNTAX);
    cr_assert(strstr(r.message, "a vector of more than 128 elements"), "%s", r.message);
}

/* ---- the judge of syntax ---- */

Test(emulator_tcgen05_traps, ptxas_takes_the_text)
{
    static const char *const kinds[] = {"f16", "tf32", "f8f6f4", "i8"};
    const char *const ptxas = find_ptxas();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[64], command[256];
        product p = right_product();
        p.kind = kinds[i];
        snprintf(path, sizeof path, "/tmp/tilegrind_tcgen05_%d.ptx", (int)getpid());
        FILE *to = fopen(path, "w");
        cr_assert(to);
        fputs(product_text(&p, &right_parts), to);
        cr_assert_eq(fclose(to), 0);
        snprintf(command, sizeof command, "timeout 60 %s -arch=sm_100a -o /dev/null %s", ptxas,
                 path);
        cr_expect_eq(system(command), 0, "%s", kinds[i]);
        cr_assert_eq(unlink(path), 0);
    }
}
