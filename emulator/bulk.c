#include "emulator/bulk.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "emulator/atom.h"
#include "emulator/cluster.h"
#include "emulator/find.h"
#include "emulator/mbarrier.h"
#include "emulator/order.h"
#include "emulator/spin.h"
#include "emulator/sync.h"
#include "emulator/tensor_map.h"
#include "emulator/trapping.h"

enum { UNIT = 16 };

/* ---- taking place ---- */

/* TG_EMU_ATOM_NONE of a copy that does not reduce */
static tg_emu_atom_op reduction_of(const tg_emu_inst *inst)
{
    return (tg_emu_atom_op)(inst->flags >> TG_EMU_BULK_OP & 0xf);
}

static tg_emu_type element_of(const tg_emu_bulk *b)
{
    return b->box ? tg_emu_tensor_map_element_type(&b->box->map)
                  : (tg_emu_type)(b->inst->flags >> TG_EMU_BULK_TYPE & 0xff);
}

static tg_emu_visit visit_of(const tg_emu_exec *exec, const tg_emu_bulk *b, tg_emu_touch touch)
{
    const uint32_t actor = touch == TG_EMU_READ ? b->reader : b->writer;
    const bool is_atomic = touch == TG_EMU_WRITE && reduction_of(b->inst) != TG_EMU_ATOM_NONE;
    return (tg_emu_visit){
        .actor = actor,
        .step = exec->sync.clocks.rows ? tg_emu_clock_step(&exec->sync.clocks, actor) : 0,
        .thread = b->thread,
        .inst = (uint32_t)(b->inst - exec->entry->code),
        .touch = is_atomic ? TG_EMU_ATOMIC : touch,
        .is_strong = is_atomic,
        .is_copy = true};
}

/* Writes what the copy has read, or makes it an operand of each element that is there. */
static void put(const tg_emu_bulk *b, unsigned char *to, const unsigned char *from, uint32_t bytes)
{
    const tg_emu_atom_op op = reduction_of(b->inst);
    if (op == TG_EMU_ATOM_NONE) {
        memcpy(to, from, bytes);
        return;
    }
    const tg_emu_type type = element_of(b);
    const uint32_t size = tg_emu_types[type].bytes;
    for (uint32_t i = 0; i < bytes; i += size) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, to + i, size);
        memcpy(&operand, from + i, size);
        old = tg_emu_atom_result(op, type, !b->to_shared, old, operand, 0);
        memcpy(to + i, &old, size);
    }
}

static unsigned char *find(tg_emu_exec *exec, const tg_emu_bulk *b, tg_emu_touch touch)
{
    const bool is_read = touch == TG_EMU_READ, is_shared = is_read ? b->from_shared : b->to_shared;
    const tg_emu_visit visit = visit_of(exec, b, touch);
    tg_emu_cta *cta = is_shared ? &exec->ctas[is_read ? b->from_cta : b->to_cta] : NULL;
    if (cta && !tg_emu_cluster_is_there(exec, b->inst, b->lane, cta)) return NULL;
    return tg_emu_find_range(exec, b->inst, b->lane, cta, is_read ? b->from : b->to, b->bytes,
                             &visit);
}

/* Moves what is inside the tensor between it and b->read, which is as in shared memory, at `shared`: element
 * by element, since swizzles leave 16 bytes together. */
static tg_emu_step move_box(tg_emu_exec *exec, const tg_emu_bulk *b, uint64_t shared,
                            tg_emu_touch touch)
{
    const tg_emu_visit visit = visit_of(exec, b, touch);
    const uint32_t size = tg_emu_tensor_map_element_bytes(&b->box->map);
    for (uint32_t i = 0; i < tg_emu_box_rows(b->box); i++) {
        const tg_emu_box_row row = tg_emu_box_row_at(b->box, i);
        if (!row.bytes) continue;
        unsigned char *there =
            tg_emu_find_range(exec, b->inst, b->lane, NULL, row.address, row.bytes, &visit);
        if (!there) return TG_EMU_TRAPPED;
        for (uint32_t k = 0; k < row.bytes; k += size) {
            const uint64_t address = tg_emu_box_swizzled(b->box, shared + row.offset + k);
            unsigned char *here = b->read + (address - shared);
            if (touch == TG_EMU_READ)
                memcpy(here, there + k, size);
            else
                put(b, there + k, here, size);
        }
    }
    return TG_EMU_ON;
}

static tg_emu_step read_all(tg_emu_exec *exec, tg_emu_bulk *b)
{
    const bool is_tensor = b->box && b->to_shared;
    const unsigned char *from = is_tensor ? NULL : find(exec, b, TG_EMU_READ);
    if (!is_tensor && !from) return TG_EMU_TRAPPED;
    b->read = malloc(b->bytes);
    if (!b->read) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    if (!is_tensor) {
        memcpy(b->read, from, b->bytes);
        return TG_EMU_ON;
    }
    tg_emu_box_fill(b->box, b->read);
    return move_box(exec, b, b->to, TG_EMU_READ);
}

static tg_emu_step write_all(tg_emu_exec *exec, tg_emu_bulk *b)
{
    if (b->box && !b->to_shared) {
        if (move_box(exec, b, b->from, TG_EMU_WRITE) != TG_EMU_ON) return TG_EMU_TRAPPED;
    } else {
        unsigned char *to = find(exec, b, TG_EMU_WRITE);
        if (!to) return TG_EMU_TRAPPED;
        put(b, to, b->read, b->bytes);
    }
    b->is_done = true;
    if (!b->to_shared) return TG_EMU_ON;
    const tg_emu_visit visit = visit_of(exec, b, TG_EMU_WRITE);
    tg_emu_mbarrier *told =
        tg_emu_mbarrier_find(exec, b->inst, b->lane, &exec->ctas[b->to_cta], b->mbarrier, &visit);
    if (!told) return TG_EMU_TRAPPED;
    return tg_emu_mbarrier_bring(exec, b->inst, b->lane, told, b->bytes, b->writer);
}

/* What the copy still has to do, up to its reading or to its end.  A copy to shared memory does
 * both at once. */
static tg_emu_step take_place(tg_emu_exec *exec, tg_emu_bulk *b, bool only_reads)
{
    tg_emu_warp *const warp = exec->warp;
    tg_emu_step step = TG_EMU_ON;
    exec->warp = &exec->warps[b->warp];
    tg_emu_spin_changed(exec);
    if (!b->read) step = read_all(exec, b);
    if (step == TG_EMU_ON && !b->is_done && (!only_reads || b->to_shared))
        step = write_all(exec, b);
    if (step == TG_EMU_ON) exec->warp = warp;
    return step;
}

static void forget(tg_emu_sync *s, tg_emu_bulk *b)
{
    free(b->read);
    free(b->box);
    tg_emu_drop_actor(s, b->reader);
    tg_emu_drop_actor(s, b->writer);
}

/* Those that nobody has to wait for any more. */
static void forget_awaited(tg_emu_sync *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->bulk_count; i++) {
        tg_emu_bulk *b = &s->bulks[i];
        if (b->is_done && (b->to_shared || b->is_read_awaited))
            forget(s, b);
        else
            s->bulks[kept++] = *b;
    }
    s->bulk_count = kept;
}

static tg_emu_bulk *not_done(tg_emu_sync *s, size_t start)
{
    for (size_t i = 0; i < s->bulk_count; i++) {
        tg_emu_bulk *b = &s->bulks[(start + i) % s->bulk_count];
        if (!b->is_done) return b;
    }
    return NULL;
}

bool tg_emu_bulk_do_one(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    if (s->bulk_count == 0) return false;
    const size_t start = tg_emu_choose(exec->launch->seed, &exec->random, s->bulk_count);
    tg_emu_bulk *b = not_done(s, start);
    if (!b) return false;
    (void)take_place(exec, b, !b->read);
    forget_awaited(s);
    return true;
}

tg_emu_step tg_emu_bulk_go_on(tg_emu_exec *exec)
{
    if (exec->launch->seed && exec->sync.bulk_count && tg_emu_random(&exec->random) % 2)
        (void)tg_emu_bulk_do_one(exec);
    return exec->result->trapped ? TG_EMU_TRAPPED : TG_EMU_ON;
}

/* A copy that threads of the CTA have left; NULL if there is none. */
static tg_emu_bulk *left_by(const tg_emu_exec *exec, const tg_emu_cta *cta)
{
    for (size_t i = 0; i < exec->sync.bulk_count; i++) {
        tg_emu_bulk *b = &exec->sync.bulks[i];
        if (!b->is_done && tg_emu_cta_of(exec, b->thread) == cta) return b;
    }
    return NULL;
}

tg_emu_step tg_emu_bulk_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta)
{
    tg_emu_sync *s = &exec->sync;
    for (size_t i = 0; i < s->bulk_count; i++) {
        const tg_emu_bulk *b = &s->bulks[i];
        if (!b->from_shared || tg_emu_cta_of(exec, b->thread) != cta) continue;
        if (b->to_shared ? b->read != NULL : b->is_read_awaited) continue;
        exec->warp = &exec->warps[b->warp];
        if (b->to_shared)
            return tg_emu_trap_at(exec, b->inst, 1u << b->lane, TG_EMU_TRAP_CLUSTER,
                                  "the CTA has ended, and the copy still has to read its shared "
                                  "memory");
        return tg_emu_trap_at(exec, b->inst, 1u << b->lane, TG_EMU_TRAP_BULK,
                              "the CTA ends, and nobody has waited until the copy has read shared "
                              "memory");
    }
    for (tg_emu_bulk *b; (b = left_by(exec, cta));)
        if (take_place(exec, b, false) != TG_EMU_ON) return TG_EMU_TRAPPED;
    forget_awaited(s);
    return TG_EMU_ON;
}

/* ---- starting ---- */

static tg_emu_step check(tg_emu_exec *exec, const tg_emu_bulk *b)
{
    const struct {
        uint64_t value;
        const char *what;
    } all[] = {{b->to, "the destination"}, {b->from, "the source"}, {b->bytes, "the size"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value % UNIT)
            return tg_emu_trap_at(exec, b->inst, 1u << b->lane, TG_EMU_TRAP_BULK,
                                  "%s of a bulk copy is a multiple of %d, and not 0x%" PRIx64,
                                  all[i].what, UNIT, all[i].value);
    return TG_EMU_ON;
}

static tg_emu_step start(tg_emu_exec *exec, tg_emu_bulk *b)
{
    tg_emu_sync *s = &exec->sync;
    if (check(exec, b) != TG_EMU_ON) return TG_EMU_TRAPPED;
    if (b->to_shared &&
        !tg_emu_mbarrier_find(exec, b->inst, b->lane, &exec->ctas[b->to_cta], b->mbarrier, NULL))
        return TG_EMU_TRAPPED;
    tg_emu_bulk *list = tg_list_grow(s->bulks, s->bulk_count, &s->bulk_capacity, sizeof *list);
    if (!list) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    s->bulks = list;
    tg_emu_hold_actor(s, b->reader);
    tg_emu_hold_actor(s, b->writer);
    list[s->bulk_count++] = *b;
    return TG_EMU_ON;
}

/* An address of shared memory may have 32 bits. */
static uint64_t address_in(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned operand,
                           unsigned lane)
{
    const bool is_narrow = inst->flags >> (TG_EMU_BULK_NARROW + operand) & 1;
    const uint64_t address =
        tg_emu_lane_bits(tg_emu_at(exec, &inst->in[operand]), is_narrow ? 4 : 8, lane);
    const int64_t *offsets = inst->data;
    return address + (uint64_t)offsets[operand];
}

/* Sets where a copy to shared memory goes, and which mbarrier of the same CTA it tells. */
static bool find_target(tg_emu_exec *exec, tg_emu_bulk *b, uint64_t told)
{
    const tg_emu_cta *to = tg_emu_cluster_find(exec, b->inst, b->lane, &b->to),
                     *at = to ? tg_emu_cluster_find(exec, b->inst, b->lane, &told) : NULL;
    if (!at) return false;
    b->to_cta = to->rank;
    b->mbarrier = (uint32_t)told;
    if (at == to) return true;
    tg_emu_trap_at(exec, b->inst, 1u << b->lane, TG_EMU_TRAP_BULK,
                   "the copy goes to the CTA of rank %u, and tells an mbarrier of that of rank %u",
                   to->rank, at->rank);
    return false;
}

/* Starts the same copy to each CTA of a mask. */
static tg_emu_step start_multicast(tg_emu_exec *exec, const tg_emu_bulk *b)
{
    const uint16_t *masks = tg_emu_at(exec, &b->inst->in[4]);
    const uint32_t mask = masks[b->lane];
    if (mask >> exec->cta_count)
        return tg_emu_trap_at(exec, b->inst, 1u << b->lane, TG_EMU_TRAP_CLUSTER,
                              "the mask 0x%x has more ranks than the cluster, which has %u CTAs",
                              mask, exec->cta_count);
    for (uint32_t rank = 0; rank < exec->cta_count; rank++) {
        tg_emu_bulk one = *b;
        one.to_cta = rank;
        if (mask >> rank & 1 && start(exec, &one) != TG_EMU_ON) return TG_EMU_TRAPPED;
    }
    return TG_EMU_ON;
}

/* The actors of the copies that lanes start together.  They differ in what the lanes have done since they last
 * handed anything on. */
typedef struct actors {
    uint32_t reader, writer;
} actors;

static actors actors_of(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_sync *s = &exec->sync;
    actors of = {0, 0};
    if (!s->clocks.rows) return of;
    const tg_emu_bulk *oldest = s->bulk_count ? &s->bulks[0] : NULL;
    of.reader = of.writer =
        tg_emu_new_copy_actor(s, exec->warp->first_tid, mask, oldest ? oldest->reader : 0);
    tg_emu_hold_actor(s, of.reader);
    if (!(inst->flags & TG_EMU_BULK_TO_SHARED))
        of.writer = tg_emu_new_copy_actor(s, of.reader, 1, oldest ? oldest->writer : 0);
    tg_emu_drop_actor(s, of.reader);
    return of;
}

static tg_emu_step start_of_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                 uint32_t bytes, actors of)
{
    const uint32_t thread = exec->warp->first_tid + lane;
    tg_emu_bulk b = {.inst = inst,
                     .to = address_in(exec, inst, 0, lane),
                     .from = address_in(exec, inst, 1, lane),
                     .from_cta = exec->warp->cta->rank,
                     .bytes = bytes,
                     .thread = thread,
                     .warp = thread / TG_EMU_LANES,
                     .lane = lane,
                     .reader = of.reader,
                     .writer = of.writer,
                     .group = exec->sync.groups[thread],
                     .to_shared = inst->flags & TG_EMU_BULK_TO_SHARED,
                     .from_shared = inst->flags & TG_EMU_BULK_FROM_SHARED};
    if (b.to_shared && !find_target(exec, &b, address_in(exec, inst, 3, lane)))
        return TG_EMU_TRAPPED;
    return inst->flags & TG_EMU_BULK_MULTICAST ? start_multicast(exec, &b) : start(exec, &b);
}

tg_emu_step tg_emu_exec_bulk(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const uint32_t *bytes = tg_emu_at(exec, &inst->in[2]);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (!bytes[lane]) mask &= ~(1u << lane);
    const actors of = mask ? actors_of(exec, inst, mask) : (actors){0, 0};
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1 && start_of_lane(exec, inst, lane, bytes[lane], of) != TG_EMU_ON)
            return TG_EMU_TRAPPED;
    return TG_EMU_ON;
}

/* ---- tensors ---- */

/* Whether elements of the map have the reduction of the instruction, if it is one; else traps. */
static bool check_elements(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                           const tg_emu_tensor_map *map)
{
    const tg_emu_atom_op op = reduction_of(inst);
    const tg_emu_type type = tg_emu_tensor_map_element_type(map);
    if (op == TG_EMU_ATOM_NONE || tg_emu_atom_has(op, TG_EMU_ATOM_TO_TENSOR, type)) return true;
    tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_BULK,
                   "there is no reduction .%s of tensors of %s", tg_emu_atom_name(op),
                   type == TG_EMU_NONE ? "tf32" : tg_emu_types[type].name);
    return false;
}

/* Reads the map as the thread would, and the coordinates.  NULL after a trap. */
static tg_emu_box *box_of(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane)
{
    const unsigned rank = inst->in_count - TG_EMU_BULK_COORDINATES;
    const uint64_t address = address_in(exec, inst, TG_EMU_BULK_MAP, lane);
    const unsigned char *map = tg_emu_find_address(exec, inst, lane, TG_EMU_GLOBAL, address,
                                                   TG_EMU_TENSOR_MAP_BYTES, TG_EMU_READ);
    if (!map) return NULL;
    tg_emu_box *box = calloc(1, sizeof *box);
    if (!box) {
        exec->no_memory = true;
        return NULL;
    }
    memcpy(&box->map, map, sizeof box->map);
    for (unsigned d = 0; d < rank; d++)
        box->at[d] =
            ((const int32_t *)tg_emu_at(exec, &inst->in[TG_EMU_BULK_COORDINATES + d]))[lane];
    const char *fault = tg_emu_tensor_map_fault(&box->map, rank);
    if (!fault && check_elements(exec, inst, lane, &box->map)) return box;
    free(box);
    if (fault) tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_BULK, "%s", fault);
    return NULL;
}

static tg_emu_step start_tensor(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane)
{
    enum { ALIGNMENT = 128 };
    const uint32_t thread = exec->warp->first_tid + lane;
    const bool to_shared = inst->flags & TG_EMU_BULK_TO_SHARED;
    const uint64_t shared = address_in(exec, inst, TG_EMU_BULK_SHARED, lane);
    if (shared % ALIGNMENT)
        return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_BULK,
                              "shared memory of a copy of a tensor is a multiple of %d, and not "
                              "0x%" PRIx64,
                              ALIGNMENT, shared);
    tg_emu_box *box = box_of(exec, inst, lane);
    if (!box) return TG_EMU_TRAPPED;
    const actors of = actors_of(exec, inst, 1u << lane);
    tg_emu_bulk b = {.inst = inst,
                     .to = to_shared ? shared : 0,
                     .from = to_shared ? 0 : shared,
                     .from_cta = exec->warp->cta->rank,
                     .bytes = tg_emu_box_bytes(box),
                     .thread = thread,
                     .warp = thread / TG_EMU_LANES,
                     .lane = lane,
                     .reader = of.reader,
                     .writer = of.writer,
                     .group = exec->sync.groups[thread],
                     .to_shared = to_shared,
                     .from_shared = !to_shared,
                     .box = box};
    const bool is_found =
        !to_shared || find_target(exec, &b, address_in(exec, inst, TG_EMU_BULK_TOLD, lane));
    if (is_found && start(exec, &b) == TG_EMU_ON) return TG_EMU_ON;
    free(box);
    return TG_EMU_TRAPPED;
}

tg_emu_step tg_emu_exec_bulk_tensor(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1 && start_tensor(exec, inst, lane) != TG_EMU_ON) return TG_EMU_TRAPPED;
    return TG_EMU_ON;
}

/* ---- groups ---- */

tg_emu_step tg_emu_exec_bulk_commit(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    (void)inst;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) exec->sync.groups[exec->warp->first_tid + lane]++;
    return TG_EMU_ON;
}

/* Whether the wait covers the copy: it is in a closed group that is not among the newest. */
static bool is_covered(const tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                       const tg_emu_bulk *b)
{
    if (b->to_shared || &exec->warps[b->warp] != exec->warp || !(mask >> b->lane & 1)) return false;
    return b->group + (uint64_t)inst->immediate < exec->sync.groups[b->thread];
}

/* Its thread knows that the copy has read its source, and what it has written. */
static void acquire(tg_emu_clocks *c, const tg_emu_bulk *b, bool only_reads)
{
    if (!c->rows) return;
    tg_emu_clock_acquire(c, b->thread, tg_emu_clock(c, b->reader));
    if (!only_reads) tg_emu_clock_acquire(c, b->thread, tg_emu_clock(c, b->writer));
}

tg_emu_step tg_emu_exec_bulk_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_sync *s = &exec->sync;
    const bool only_reads = inst->flags & TG_EMU_BULK_READ;
    for (size_t i = 0; i < s->bulk_count; i++) {
        tg_emu_bulk *b = &s->bulks[i];
        if (!is_covered(exec, inst, mask, b)) continue;
        if (take_place(exec, b, only_reads) != TG_EMU_ON) return TG_EMU_TRAPPED;
        b->is_read_awaited = true;
        acquire(&s->clocks, b, only_reads);
    }
    if (!only_reads) forget_awaited(s);
    return TG_EMU_ON;
}
