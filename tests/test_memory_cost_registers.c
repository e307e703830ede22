/* Check "memory-cost", where layouts say which lane holds which element and where it is in memory: the checked values of
 * fragments of ldmatrix and wgmma. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "checks/memory_cost/registers.h"
#include "checks/memory_cost/sites.h"
#include "layout/address.h"
#include "layout/read.h"

static tg_axe layout_of(const char *text)
{
    tg_axe axe;
    cr_assert_eq(tg_axe_read(text, strlen(text), &axe, NULL), TG_OK, "%s", text);
    return axe;
}

/* Each element of a value is the one with the same number in memory. */
static tg_access_cost cost_of(const char *registers, const char *memory, int element_bytes,
                              tg_cost_space space)
{
    const tg_axe held_by = layout_of(registers), kept_at = layout_of(memory);
    tg_axe address;
    cr_assert_eq(tg_axe_address(&kept_at, element_bytes * 8, &address, NULL), TG_OK);
    const tg_cost_memory in = {.space = space, .layout = &address, .element_bytes = element_bytes};
    const int64_t count = tg_iters_size(&held_by.d);
    int64_t *bytes = malloc((size_t)count * sizeof *bytes);
    tg_value_registers held;
    tg_placement places;
    tg_access_cost cost;
    cr_assert_eq(tg_value_registers_of(&held_by, count, &held), TG_OK, "%s", registers);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = tg_cost_memory_byte(&in, NULL, i * element_bytes);
    cr_assert_eq(tg_value_registers_place(&held, bytes, 1, element_bytes, &places), TG_OK);
    tg_cost_of_placement(&places, space, &cost);
    tg_placement_free(&places);
    tg_placement_free(&held);
    free(bytes);
    return cost;
}

typedef struct row {
    const char *registers, *memory;
    int bytes; /* of an element */
    tg_cost_space space;
    int width, instructions, cost, least; /* cost and least of each instruction */
    int used;                             /* global memory: bytes of each */
} row;

#define LDMATRIX "(8,8):(1@lane,1@reg)"
#define WGMMA_16 "(4,2,8,8,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)" /* 64 x 64 */
#define WGMMA_32 "(4,2,8,4,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)" /* 64 x 32 */

static const row rows[] = {
    {LDMATRIX, "(8,8):(16,1)", 2, TG_COST_SHARED, 16, 1, 2, 1, 0},
    {LDMATRIX, "(8,8):(32,1)", 2, TG_COST_SHARED, 16, 1, 4, 1, 0},
    {LDMATRIX, "(8,8):(64,1)", 2, TG_COST_SHARED, 16, 1, 8, 1, 0},
    {LDMATRIX, "Sw<1,3,3> o (8,8):(16,1)", 2, TG_COST_SHARED, 16, 1, 1, 1, 0},
    {LDMATRIX, "Sw<2,3,3> o (8,8):(32,1)", 2, TG_COST_SHARED, 16, 1, 1, 1, 0},
    {LDMATRIX, "Sw<3,3,3> o (8,8):(64,1)", 2, TG_COST_SHARED, 16, 1, 1, 1, 0},
    {WGMMA_16, "(64,64):(64,1)", 2, TG_COST_SHARED, 4, 64, 8, 1, 0},
    {WGMMA_16, "Sw<3,3,3> o (64,64):(64,1)", 2, TG_COST_SHARED, 4, 64, 1, 1, 0},
    {WGMMA_32, "(64,32):(32,1)", 4, TG_COST_SHARED, 8, 32, 8, 2, 0},
    {WGMMA_32, "Sw<3,2,3> o (64,32):(32,1)", 4, TG_COST_SHARED, 8, 32, 4, 2, 0},
    {WGMMA_16, "(64,64):(64,1)", 4, TG_COST_GLOBAL, 8, 64, 8, 8, 256},
    {WGMMA_16, "(64,64):(64,1)", 2, TG_COST_GLOBAL, 4, 64, 8, 4, 128},
    /* Copies: both warps load all. */
    {"32:1@lane+[2:1@warp]", "32:33", 4, TG_COST_SHARED, 4, 2, 1, 1, 0},
    {"32:1@lane+[2:1@warp]", "32:64", 4, TG_COST_SHARED, 4, 2, 32, 1, 0},
    /* A register that another one repeats is loaded once. */
    {"32:1@lane+[2:1@reg]", "32:1", 4, TG_COST_SHARED, 4, 1, 1, 1, 0},
    /* Addresses in bytes. */
    {"32:1@lane", "32:8@byte", 4, TG_COST_SHARED, 4, 1, 2, 1, 0},
};

Test(memory_cost_registers, fragments)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        const tg_access_cost c = cost_of(r->registers, r->memory, r->bytes, r->space);
        cr_expect_eq(c.width, r->width, "row %zu: width %d", i, c.width);
        cr_expect_eq(c.instructions, r->instructions, "row %zu: %d", i, (int)c.instructions);
        cr_expect_eq(c.cost, r->instructions * r->cost, "row %zu: cost %d", i, (int)c.cost);
        cr_expect_eq(c.least, r->instructions * r->least, "row %zu: least %d", i, (int)c.least);
        cr_expect_eq(c.bytes, r->instructions * r->used, "row %zu: used %d", i, (int)c.bytes);
        cr_expect_eq(c.worst.cost, r->cost);
    }
}

/* A layout of other elements, or of none that a warp can hold, says nothing of registers. */
Test(memory_cost_registers, not_of_the_value)
{
    const tg_axe few = layout_of("32:1@lane"), many = layout_of("64:1@lane"),
                 device = layout_of("32:1@gpuid");
    tg_value_registers held;
    cr_expect_eq(tg_value_registers_of(&few, 64, &held), TG_ERR_INVALID);
    cr_expect_eq(tg_value_registers_of(&many, 64, &held), TG_ERR_INVALID);
    cr_expect_neq(tg_value_registers_of(&device, 32, &held), TG_OK);
}

/* ---- the lanes that a finding names ---- */

static tg_instruction_cost worst_of(const int64_t *bytes, uint32_t active, int width,
                                    tg_cost_space space)
{
    tg_warp_access access = {.active = active, .bytes = width};
    tg_access_cost sum = {0};
    memcpy(access.address, bytes, sizeof access.address);
    tg_access_cost_add(&sum, space, &access);
    return sum.worst;
}

Test(memory_cost_registers, lanes_in_conflict)
{
    int64_t bytes[TG_LANES];
    /* Lane 0 takes no part; lanes 1 and 2 have one word, lanes 1 and 5 words of one bank. */
    for (int lane = 0; lane < TG_LANES; lane++) bytes[lane] = (lane < 3 ? 1 : lane) * 4;
    bytes[5] = 4 + 3 * 128;
    tg_instruction_cost worst = worst_of(bytes, 0xfffffffe, 4, TG_COST_SHARED);
    cr_expect_eq(worst.cost, 2);
    cr_expect(worst.lanes[0] == 1 && worst.lanes[1] == 5, "%d %d", worst.lanes[0], worst.lanes[1]);
    cr_expect_eq(worst.byte[1] - worst.byte[0], 384);
    /* Vectors of 16 bytes: lanes 0 and 8 are in different phases, lanes 8 and 9 in one. */
    for (int lane = 0; lane < TG_LANES; lane++) bytes[lane] = lane * 16;
    bytes[9] = bytes[8] + 128;
    worst = worst_of(bytes, UINT32_MAX, 16, TG_COST_SHARED);
    cr_expect(worst.lanes[0] == 8 && worst.lanes[1] == 9, "%d %d", worst.lanes[0], worst.lanes[1]);
}

Test(memory_cost_registers, lanes_apart)
{
    int64_t bytes[TG_LANES];
    /* Lanes 3 and 4 share a word, which tells nothing; lane 10 jumps back. */
    for (int lane = 0; lane < TG_LANES; lane++) bytes[lane] = 4096 + lane * 4;
    bytes[4] = bytes[3];
    for (int lane = 5; lane < TG_LANES; lane++) bytes[lane] -= 4;
    bytes[10] = 0;
    tg_instruction_cost worst = worst_of(bytes, UINT32_MAX, 4, TG_COST_GLOBAL);
    cr_expect(worst.lanes[0] == 9 && worst.lanes[1] == 10, "%d %d", worst.lanes[0], worst.lanes[1]);
    /* All that take part are where their neighbours would have them. */
    for (int lane = 0; lane < TG_LANES; lane++) bytes[lane] = 32 + lane * 4;
    worst = worst_of(bytes, 0x80000001, 4, TG_COST_GLOBAL);
    cr_expect(worst.cost == 2 && worst.least == 1 && worst.lanes[0] == -1);
    cr_expect_eq(worst.byte[0], 32);
    worst = worst_of(bytes, 0, 4, TG_COST_GLOBAL);
    cr_expect_eq(worst.cost, 0);
}

/* ---- witnesses ---- */

/* In proportion to what it would have to cost, and of two in the same proportion the one that costs more. */
Test(memory_cost_registers, which_instruction_is_worse)
{
    const tg_instruction_cost few = {.cost = 4, .least = 1}, many = {.cost = 8, .least = 4},
                              twice = {.cost = 16, .least = 8};
    cr_expect(tg_instruction_is_worse(&few, &many));
    cr_expect_not(tg_instruction_is_worse(&many, &few));
    cr_expect(tg_instruction_is_worse(&twice, &many));
    cr_expect_not(tg_instruction_is_worse(&many, &many));
}

Test(memory_cost_registers, the_witness_depends_on_no_order)
{
    static const struct {
        int cost, least;
        int64_t program;
    } all[] = {{4, 2, 3}, {5, 1, 4}, {10, 2, 2}, {10, 2, 1}, {9, 2, 0}};
    const size_t count = sizeof all / sizeof *all;
    for (size_t first = 0; first < count; first++) {
        tg_cost_site site = {0};
        for (size_t i = 0; i < count; i++) {
            const size_t k = (first + i) % count;
            const tg_access_cost cost = {.width = 4,
                                         .instructions = 1,
                                         .cost = all[k].cost,
                                         .least = all[k].least,
                                         .worst = {.cost = all[k].cost, .least = all[k].least}};
            tg_cost_site_add(&site, &cost, true, all[k].program);
        }
        cr_expect_eq(site.program_index, 1);
        cr_expect_eq(site.worst.cost, 10);
        cr_expect_eq(site.accesses, 5);
        cr_expect_eq(site.costly, 5);
        cr_expect_eq(site.cost, 38);
    }
}
