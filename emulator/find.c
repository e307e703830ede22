/* Resolves and checks accesses: bounds, alignment, uninitialised bytes, races. */
#include "emulator/find.h"

#include <stdio.h>
#include <string.h>

#include "emulator/cluster.h"
#include "emulator/memory_flags.h"
#include "emulator/trapping.h"

/* The memory of one access. */
typedef struct access {
    unsigned char *data;
    tg_emu_block *block; /* NULL: shared memory */
    tg_emu_cta *cta;     /* whose it is; else NULL */
    size_t offset;
} access;

/* -- resolving addresses -- */

static tg_emu_block *block_of(tg_emu_exec *exec, uint64_t address)
{
    uint64_t number = address >> TG_EMU_BLOCK_BITS;
    if (number - 1 < exec->memory->count - 1) return &exec->memory->blocks[number];
    number -= TG_EMU_MODULE_BLOCKS;
    return number < exec->module->block_count ? &exec->module->blocks[number] : NULL;
}

static bool trap_address(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                         uint64_t address, tg_emu_trap_kind kind, const char *text)
{
    tg_emu_trap_at(exec, inst, 1u << lane, kind, "%s", text);
    exec->result->trap.has_address = true;
    exec->result->trap.address = address;
    return false;
}

static bool trap_outside(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                         uint64_t address, unsigned bytes, const tg_emu_block *block)
{
    char text[256];
    const char *name = block && block->name ? block->name : "an allocation without name";
    if (!block) {
        snprintf(text, sizeof text, "%u bytes at address 0x%llx, where there is no allocation",
                 bytes, (unsigned long long)address);
        return trap_address(exec, inst, lane, address, TG_EMU_TRAP_OUT_OF_BOUNDS, text);
    }
    int64_t offset = (int64_t)(address - block->base);
    if (offset < 0)
        snprintf(text, sizeof text, "%u bytes at offset %lld of %s: %lld before its start", bytes,
                 (long long)offset, name, -(long long)offset);
    else
        snprintf(text, sizeof text,
                 "%u bytes at offset %lld of %s, which has %zu: %lld beyond its end", bytes,
                 (long long)offset, name, block->bytes,
                 (long long)(offset + bytes - (int64_t)block->bytes));
    return trap_address(exec, inst, lane, address, TG_EMU_TRAP_OUT_OF_BOUNDS, text);
}

static bool trap_misaligned(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                            uint64_t address, unsigned bytes)
{
    char text[128];
    snprintf(text, sizeof text, "address 0x%llx is not a multiple of %u",
             (unsigned long long)address, bytes);
    return trap_address(exec, inst, lane, address, TG_EMU_TRAP_MISALIGNED, text);
}

static bool find_block(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                       tg_emu_space space, uint64_t address, unsigned bytes, access *out)
{
    tg_emu_block *block = block_of(exec, address);
    char text[256];
    if (block && block->is_freed) {
        snprintf(text, sizeof text, "%s has been freed",
                 block->name ? block->name : "the allocation");
        return trap_address(exec, inst, lane, address, TG_EMU_TRAP_FREED, text);
    }
    if (!block || block->space != space || block->bytes < bytes ||
        address - block->base > block->bytes - bytes)
        return trap_outside(exec, inst, lane, address, bytes,
                            block && block->space == space ? block : NULL);
    if (address & (bytes - 1)) return trap_misaligned(exec, inst, lane, address, bytes);
    const size_t offset = (size_t)(address - block->base);
    *out = (access){block->data + offset, block, NULL, offset};
    return true;
}

/* The variable of shared memory that begins last at or before `offset`; NULL if there is none. */
static const tg_emu_shared_variable *nearest_variable(const tg_emu_exec *exec, uint64_t offset)
{
    const tg_emu_shared_variable *best = NULL;
    for (size_t i = 0; i < exec->entry->shared_count; i++) {
        const tg_emu_shared_variable *v = &exec->entry->shared[i];
        if (v->offset <= offset && (!best || v->offset >= best->offset)) best = v;
    }
    return best;
}

static bool trap_outside_shared(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                uint64_t address, unsigned bytes)
{
    char text[256];
    uint64_t offset = address - TG_EMU_SHARED_START;
    if (address >> TG_EMU_RANK_BITS)
        return trap_address(exec, inst, lane, address, TG_EMU_TRAP_OUT_OF_BOUNDS,
                            "an address of .shared::cluster in an access to .shared::cta");
    const tg_emu_shared_variable *v =
        address < TG_EMU_SHARED_START ? NULL : nearest_variable(exec, offset);
    if (v) {
        uint64_t size = v->bytes ? v->bytes : exec->dynamic_bytes;
        snprintf(text, sizeof text, "%u bytes at offset %llu of shared %s, which has %llu", bytes,
                 (unsigned long long)(offset - v->offset), v->name, (unsigned long long)size);
    } else {
        snprintf(text, sizeof text, "%u bytes at shared address 0x%llx, where there is no variable",
                 bytes, (unsigned long long)address);
    }
    return trap_address(exec, inst, lane, address, TG_EMU_TRAP_OUT_OF_BOUNDS, text);
}

/* The address is one of the CTA. */
static bool find_shared(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, tg_emu_cta *cta,
                        uint64_t address, unsigned bytes, tg_emu_touch touch, access *out)
{
    uint64_t offset = address - TG_EMU_SHARED_START;
    if (exec->shared_bytes < bytes || offset > exec->shared_bytes - bytes)
        return trap_outside_shared(exec, inst, lane, address, bytes);
    if (address & (bytes - 1)) return trap_misaligned(exec, inst, lane, address, bytes);
    unsigned char *state = cta->shared_state + offset;
    for (unsigned i = 0; i < bytes; i++) {
        if (state[i] == TG_EMU_SHARED_GUARD)
            return trap_outside_shared(exec, inst, lane, address, bytes);
        if (state[i] == TG_EMU_SHARED_MBARRIER)
            return trap_address(exec, inst, lane, address, TG_EMU_TRAP_MBARRIER,
                                "an ordinary access to an mbarrier");
        if (state[i] == TG_EMU_SHARED_IN_FLIGHT)
            return trap_address(
                exec, inst, lane, address, TG_EMU_TRAP_SHARED_RACE,
                "a cp.async to there is in flight: its thread has not waited for it");
        if (state[i] == TG_EMU_SHARED_UNDEFINED && touch != TG_EMU_WRITE) {
            char text[128];
            snprintf(text, sizeof text, "shared address 0x%llx has not been written",
                     (unsigned long long)address + i);
            return trap_address(exec, inst, lane, address, TG_EMU_TRAP_UNINITIALISED_SHARED, text);
        }
    }
    if (touch == TG_EMU_WRITE) memset(state, TG_EMU_SHARED_DEFINED, bytes);
    *out = (access){cta->shared + offset, NULL, cta, (size_t)offset};
    return true;
}

/* -- races -- */

/* The earlier one of two accesses that race: by which thread of the cluster, and where. */
typedef struct earlier_access {
    uint32_t thread, inst, epoch;
} earlier_access;

static void describe_other(tg_emu_exec *exec, const earlier_access *earlier)
{
    tg_emu_trap *trap = &exec->result->trap;
    trap->has_other = true;
    tg_emu_place_inst(exec, &exec->entry->code[earlier->inst], &trap->other);
    tg_emu_place_thread(exec, earlier->thread, &trap->other);
    if (earlier->epoch < exec->epochs.own) tg_emu_place_cta_of(exec, earlier->epoch, &trap->other);
}

static bool trap_race(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint64_t address,
                      const access *at, const earlier_access *earlier)
{
    char text[256];
    bool is_own = earlier->epoch >= exec->epochs.own;
    tg_emu_trap_kind kind = !at->block ? TG_EMU_TRAP_SHARED_RACE
                            : is_own   ? TG_EMU_TRAP_GLOBAL_RACE
                                       : TG_EMU_TRAP_CTA_RACE;
    const tg_emu_shared_variable *v = at->block ? NULL : nearest_variable(exec, at->offset);
    const char *name = at->block
                           ? (at->block->name ? at->block->name : "an allocation without name")
                       : v ? v->name
                           : "shared memory";
    snprintf(text, sizeof text, "two threads access offset %zu of %s %s, and at least one writes",
             at->offset - (v ? v->offset : 0), name,
             exec->sync.clocks.rows ? "in no order"
             : is_own               ? "between two barriers"
                                    : "in one launch");
    trap_address(exec, inst, lane, address, kind, text);
    describe_other(exec, earlier);
    return false;
}

/* Shared memory is new in every CTA, so only the CTA's own accesses count. */
static tg_emu_epochs epochs_for(const tg_emu_exec *exec, const tg_emu_block *block)
{
    tg_emu_epochs epochs = exec->epochs;
    if (!block) epochs.since = 0;
    return epochs;
}

/* Shared and global memory have the same addresses. */
static uint64_t key_of(uint64_t address, const access *at)
{
    return at->cta ? tg_emu_shared_key(at->cta, address) : address;
}

/* The same by the clocks of the launch. */
static bool record_by_clocks(tg_emu_exec *exec, uint64_t address, uint32_t bytes,
                             const tg_emu_visit *visit, const access *at, earlier_access *earlier)
{
    tg_emu_sync *s = &exec->sync;
    const tg_emu_visit *other = tg_emu_history_note(&s->history, &s->clocks, key_of(address, at),
                                                    bytes, visit, &exec->no_memory);
    if (other) *earlier = (earlier_access){other->thread, other->inst, exec->epochs.now};
    return !other;
}

static bool note_by_clocks(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                           uint64_t address, uint32_t bytes, const tg_emu_visit *visit,
                           const access *at)
{
    earlier_access earlier;
    return record_by_clocks(exec, address, bytes, visit, at, &earlier) ||
           trap_race(exec, inst, lane, address, at, &earlier);
}

static tg_emu_visit visit_of(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                             tg_emu_touch touch, bool is_strong)
{
    const uint32_t thread = exec->warp->first_tid + lane;
    return (tg_emu_visit){.actor = thread,
                          .step = tg_emu_clock_step(&exec->sync.clocks, thread),
                          .thread = thread,
                          .inst = (uint32_t)(inst - exec->entry->code),
                          .touch = touch,
                          .is_strong = is_strong};
}

/* Records an access by its bytes, or by clocks.  Returns false at a race, with the earlier access. */
static bool record(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint64_t address,
                   unsigned bytes, tg_emu_touch touch, bool is_strong, const access *at,
                   earlier_access *earlier)
{
    if (exec->sync.clocks.rows) {
        const tg_emu_visit visit = visit_of(exec, inst, lane, touch, is_strong);
        return record_by_clocks(exec, address, bytes, &visit, at, earlier);
    }
    tg_emu_shadow *shadow = at->block ? &at->block->shadow : &exec->shared_shadow;
    const tg_emu_mark mark = tg_emu_mark_of((uint32_t)(inst - exec->entry->code),
                                            exec->warp->first_tid + lane, is_strong);
    const tg_emu_epochs epochs = epochs_for(exec, at->block);
    tg_emu_conflict conflict;
    if (tg_emu_shadow_note(shadow, at->offset, bytes, touch, mark, &epochs, &conflict,
                           &exec->no_memory))
        return true;
    *earlier = (earlier_access){tg_emu_mark_tid(conflict.mark), tg_emu_mark_inst(conflict.mark),
                                conflict.epoch};
    return false;
}

/* Whether the lane stores just what an earlier store of the same width has left there. */
static bool repeats(const tg_emu_exec *exec, const tg_emu_inst *inst, unsigned bytes,
                    const access *at, const earlier_access *earlier)
{
    const tg_emu_inst *other = &exec->entry->code[earlier->inst];
    return exec->stored && at->cta && other->exec == inst->exec &&
           tg_emu_memory_bytes(other->flags) == tg_emu_memory_bytes(inst->flags) &&
           memcmp(at->cta->shared + at->offset, exec->stored, bytes) == 0;
}

static bool note(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, uint64_t address,
                 unsigned bytes, tg_emu_touch touch, bool is_strong, const access *at)
{
    earlier_access earlier;
    if (record(exec, inst, lane, address, bytes, touch, is_strong, at, &earlier)) return true;
    if (touch == TG_EMU_WRITE && repeats(exec, inst, bytes, at, &earlier) &&
        record(exec, inst, lane, address, bytes, TG_EMU_REWRITE, is_strong, at, &earlier))
        return true;
    return trap_race(exec, inst, lane, address, at, &earlier);
}

/* Whether the thread may access shared memory of the CTA at all. */
static bool visit_cta(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, tg_emu_cta *cta,
                      tg_emu_touch touch)
{
    if (cta == exec->warp->cta || !exec->sync.clocks.rows) return true;
    const tg_emu_visit visit = visit_of(exec, inst, lane, touch, false);
    return tg_emu_cluster_visit(exec, inst, lane, cta, &visit);
}

/* Resolves one access of `bytes` bytes, a power of two; returns false after a trap. */
static bool find(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, tg_emu_space space,
                 uint64_t address, unsigned bytes, tg_emu_touch touch, bool is_strong, access *out)
{
    bool found;
    if (space != TG_EMU_SHARED) {
        found = find_block(exec, inst, lane, space, address, bytes, out);
    } else {
        tg_emu_cta *cta = exec->warp->cta;
        if (inst->flags & TG_EMU_MEMORY_CLUSTER)
            cta = tg_emu_cluster_find(exec, inst, lane, &address);
        found = cta && visit_cta(exec, inst, lane, cta, touch) &&
                find_shared(exec, inst, lane, cta, address, bytes, touch, out);
    }
    if (!found || !exec->launch->races || space == TG_EMU_CONST) return found;
    return note(exec, inst, lane, address, bytes, touch, is_strong, out);
}

unsigned char *tg_emu_find_address(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                   tg_emu_space space, uint64_t address, unsigned bytes,
                                   tg_emu_touch touch)
{
    access at;
    return find(exec, inst, lane, space, address, bytes, touch, false, &at) ? at.data : NULL;
}

/* -- all lanes of an instruction -- */

void tg_emu_addresses_of(const tg_emu_exec *exec, const tg_emu_inst *inst,
                         uint64_t out[TG_EMU_LANES])
{
    const void *base = tg_emu_at(exec, &inst->in[0]);
    const uint64_t *wide = base;
    const uint32_t *narrow = base;
    if (inst->flags & TG_EMU_MEMORY_NARROW)
        for (unsigned i = 0; i < TG_EMU_LANES; i++)
            out[i] = (uint32_t)(narrow[i] + (uint32_t)inst->immediate);
    else
        for (unsigned i = 0; i < TG_EMU_LANES; i++) out[i] = wide[i] + (uint64_t)inst->immediate;
}

/* Records accesses.  Those that conflict with nothing, which are the usual ones, need no call
 * each. */
static bool note_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                       tg_emu_block *block, const uint64_t addresses[TG_EMU_LANES], unsigned bytes,
                       tg_emu_touch touch, bool is_strong)
{
    tg_emu_shadow *shadow = block ? &block->shadow : &exec->shared_shadow;
    const uint64_t base = block ? block->base : TG_EMU_SHARED_START;
    const tg_emu_epochs epochs = epochs_for(exec, block);
    const tg_emu_mark first =
        tg_emu_mark_of((uint32_t)(inst - exec->entry->code), exec->warp->first_tid, is_strong);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        size_t offset = (size_t)(addresses[lane] - base);
        if (!exec->sync.clocks.rows &&
            tg_emu_shadow_note_word(shadow, offset, bytes, touch, first + lane, &epochs))
            continue;
        access there = {NULL, block, block ? NULL : exec->warp->cta, offset};
        if (!note(exec, inst, lane, addresses[lane], bytes, touch, is_strong, &there)) return false;
    }
    return true;
}

/* The usual case: all lanes access one allocation, without an error.  Otherwise does nothing and
 * returns false. */
static bool find_in_block(tg_emu_exec *exec, uint32_t mask, tg_emu_space space,
                          const uint64_t addresses[TG_EMU_LANES], unsigned bytes,
                          unsigned char *data[TG_EMU_LANES], tg_emu_block **out)
{
    tg_emu_block *block = *out = block_of(exec, addresses[tg_emu_first_lane(mask)]);
    if (!block || block->is_freed || block->space != space || block->bytes < bytes) return false;
    const uint64_t base = block->base, last = block->bytes - bytes;
    uint32_t wrong = 0;
    for (unsigned i = 0; i < TG_EMU_LANES; i++) {
        const uint64_t offset = addresses[i] - base;
        wrong |= (uint32_t)((offset > last) | ((addresses[i] & (bytes - 1)) != 0)) << i;
        data[i] =
            /* the pointers of inactive lanes are not used */
            block->data + (offset > last ? 0 : offset);
    }
    return (wrong & mask) == 0;
}

/* The same for 4 bytes in shared memory of the own CTA, where bytes that are read must have been written. */
static bool find_in_shared(tg_emu_exec *exec, uint32_t mask, const uint64_t addresses[TG_EMU_LANES],
                           unsigned bytes, tg_emu_touch touch, unsigned char *data[TG_EMU_LANES])
{
    tg_emu_cta *const cta = exec->warp->cta;
    if (bytes != sizeof(uint32_t) || exec->shared_bytes < bytes) return false;
    const uint64_t last = exec->shared_bytes - bytes;
    uint32_t wrong = 0;
    for (unsigned i = 0; i < TG_EMU_LANES; i++) {
        uint32_t state;
        const uint64_t offset = addresses[i] - TG_EMU_SHARED_START;
        const uint64_t there = offset > last ? 0 : offset;
        memcpy(&state, cta->shared_state + there, sizeof state);
        bool is_bad = touch == TG_EMU_WRITE ? (state & 0x0e0e0e0e) != 0 : state != 0x01010101;
        wrong |= (uint32_t)((offset != there) | (addresses[i] & 3) | is_bad) << i;
        data[i] = cta->shared + there;
    }
    if (wrong & mask) return false;
    for (unsigned i = 0; touch == TG_EMU_WRITE && i < TG_EMU_LANES; i++)
        if (mask >> i & 1)
            memset(cta->shared_state + (data[i] - cta->shared), TG_EMU_SHARED_DEFINED, 4);
    return true;
}

bool tg_emu_find_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, bool is_strong, unsigned char *data[TG_EMU_LANES])
{
    tg_emu_space space = tg_emu_memory_space(inst->flags);
    tg_emu_block *block = NULL;
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    bool is_usual = space == TG_EMU_SHARED
                        ? find_in_shared(exec, mask, addresses, bytes, touch, data)
                        : find_in_block(exec, mask, space, addresses, bytes, data, &block);
    if (is_usual)
        return !exec->launch->races || space == TG_EMU_CONST ||
               note_lanes(exec, inst, mask, block, addresses, bytes, touch, is_strong);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        access there = {0};
        if (!(mask >> lane & 1)) continue;
        if (!find(exec, inst, lane, space, addresses[lane], bytes, touch, is_strong, &there))
            return false;
        data[lane] = there.data;
    }
    return true;
}

uint64_t tg_emu_key_of(const tg_emu_exec *exec, const tg_emu_inst *inst, uint64_t address)
{
    if (tg_emu_memory_space(inst->flags) != TG_EMU_SHARED) return address;
    const uint64_t rank = address >> TG_EMU_RANK_BITS;
    return tg_emu_shared_key(rank ? &exec->ctas[rank - 1] : exec->warp->cta,
                             address & ((UINT64_C(1) << TG_EMU_RANK_BITS) - 1));
}

/* -- mbarriers and copies beside the threads -- */

bool tg_emu_note_mbarrier(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_cta *cta, uint64_t address, const tg_emu_visit *copy)
{
    const access at = {NULL, NULL, cta, (size_t)(address - TG_EMU_SHARED_START)};
    if (copy && exec->sync.clocks.rows) {
        tg_emu_visit visit = *copy;
        visit.touch = TG_EMU_ATOMIC;
        visit.is_strong = true;
        visit.is_copy = false; /* what threads do with mbarriers needs no fence before copies */
        return note_by_clocks(exec, inst, lane, address, sizeof(uint64_t), &visit, &at);
    }
    if (!visit_cta(exec, inst, lane, cta, TG_EMU_ATOMIC)) return false;
    return !exec->launch->races ||
           note(exec, inst, lane, address, sizeof(uint64_t), TG_EMU_ATOMIC, true, &at);
}

static bool find_shared_range(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                              tg_emu_cta *cta, uint64_t address, uint32_t bytes, tg_emu_touch touch,
                              access *at)
{
    access one = {0};
    for (uint32_t i = 0; i < bytes; i++) {
        if (!find_shared(exec, inst, lane, cta, address + i, 1, touch, &one)) return false;
        if (i == 0) *at = one;
    }
    return true;
}

static bool find_global_range(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                              uint64_t address, uint32_t bytes, access *at)
{
    access last;
    return find_block(exec, inst, lane, TG_EMU_GLOBAL, address, 1, at) &&
           find_block(exec, inst, lane, TG_EMU_GLOBAL, address + bytes - 1, 1, &last);
}

unsigned char *tg_emu_find_range(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                 tg_emu_cta *cta, uint64_t address, uint32_t bytes,
                                 const tg_emu_visit *visit)
{
    access at = {0};
    if (cta && exec->sync.clocks.rows && !tg_emu_cluster_visit(exec, inst, lane, cta, visit))
        return NULL;
    const bool is_there =
        cta ? find_shared_range(exec, inst, lane, cta, address, bytes, visit->touch, &at)
            : find_global_range(exec, inst, lane, address, bytes, &at);
    if (!is_there) return NULL;
    if (exec->sync.clocks.rows && !note_by_clocks(exec, inst, lane, address, bytes, visit, &at))
        return NULL;
    return at.data;
}
