/* The state of one kernel while its PTX is written.  All files of emit/, instructions/ and kernel/
 * share it.
 *
 * One CTA runs one chain of programs after another (docs/gpu.md).  Values are of two kinds:
 *   blocks    in slots of the workspace; all threads work on them, element e by thread e mod T
 *   uniform   numbers that each thread computes for itself, the same in all threads:
 *             tg_ptx_uniform
 * If the grid has thread axes, each program of a chain is a team of the CTA's threads, with blocks of
 * its own, and all that is said here of the CTA's threads is true of the team's.  If they are those of
 * a cluster, a cluster of CTAs runs the chain, and each of them the threads of a block.
 *
 * The reads and writes of an instruction are declared before it is emitted (barrier.h), so that a
 * barrier separates instructions whose threads would otherwise see each other's memory too early or
 * too late. */
#ifndef TG_GPU_BACKEND_EMIT_EMITTER_H
#define TG_GPU_BACKEND_EMIT_EMITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/setting.h"
#include "ir/type.h"
#include "plan/plan.h"
#include "plan/trace.h"

/* ---- uniform values ---- */

/* An s64 that is the same in all threads: known at compile time, or in a .b64 register. */
typedef struct tg_ptx_uniform {
    bool is_known;
    int64_t known;
    tg_ptx_reg reg;
    /* A power of two that is known to divide the register's value; 0 if only 1 is known. */
    int64_t multiple;
} tg_ptx_uniform;

/* ---- refs ---- */

/* The state space of memory. */
typedef enum tg_ptx_space {
    TG_PTX_SHARED,
    TG_PTX_CLUSTER, /* shared memory of a block of the cluster */
    TG_PTX_GLOBAL
} tg_ptx_space;

/* A range of memory, to decide which accesses overlap: bytes of the workspace, or a whole array. */
typedef struct tg_ptx_extent {
    bool is_array;
    uint32_t array;    /* the param that owns the memory */
    size_t start, end; /* byte offsets in the workspace */
} tg_ptx_extent;

/* A reference: a strided view of memory, of which only a part may lie inside the array.  It
 * corresponds to tg_ref of the interpreter, with everything that is known before the run evaluated
 * at compile time.  Offsets and strides are in elements. */
typedef struct tg_ptx_ref {
    tg_ptx_space space;
    tg_ptx_uniform
        base; /* address of the memory's first byte; in a cluster: of the own block's part */
    /* Scratch in a cluster (cluster.h): which block's part it is; strides from `part` elements on go
     * from block to block.  part 0: none does. */
    bool is_of_cluster;
    tg_ptx_uniform rank;
    int64_t part;
    tg_ptx_extent extent;
    tg_ptx_uniform origin; /* element offset of index [0,...] */
    int64_t stride[TG_MAX_RANK];
    tg_ptx_uniform shape[TG_MAX_RANK];
    /* The elements with low <= index < high lie inside the array. */
    tg_ptx_uniform low[TG_MAX_RANK], high[TG_MAX_RANK];
    tg_ptx_uniform is_inside; /* for a scalar, its only bound: 1 inside, 0 outside */
    /* Not NULL: offsets are linear indices of another ref's elements (instructions/recast.h). */
    const struct tg_inst_recast *through;
} tg_ptx_ref;

/* The block of a slot that stays in its array (instructions/in_place.h), in storage
 * TG_STORAGE_MEMORY. */
typedef struct tg_ptx_in_place {
    bool must_be_dense; /* never in place: some instruction needs it dense in the workspace */
    bool is_set;
    tg_ptx_reg base;  /* .b64 address of its first element in global memory */
    int64_t multiple; /* a power of two that divides that address, as from tg_ptx_multiple_of */
    tg_ptx_extent extent;
} tg_ptx_in_place;

typedef struct tg_ptx_access {
    tg_ptx_extent extent;
    bool is_write;
} tg_ptx_access;

/* A list of accesses, with room for a fixed number of them. */
enum { TG_PTX_MOST_ACCESSES = 64 };
typedef struct tg_ptx_accesses {
    tg_ptx_access list[TG_PTX_MOST_ACCESSES];
    uint32_t count; /* more than TG_PTX_MOST_TOUCHES: the list is incomplete */
} tg_ptx_accesses;

/* ---- the log of op results ---- */

typedef struct tg_ptx_trace {
    const tg_trace_sites *sites; /* NULL: no log is written */
    /* All .b64.  base: address of position 0 of the log.  first, end: the positions where the
     * window begins and ends. */
    tg_ptx_reg base, first, end;
    tg_ptx_reg at;           /* .b64: position of the next record */
    uint32_t site, site_end; /* sites of the current instruction */
    tg_ptx_reg outside;      /* predicate: the instruction's records lie outside the window */
    tg_ptx_reg room;         /* .b64: address of the instruction's records */
} tg_ptx_trace;

/* ---- the kernel being emitted ---- */

typedef struct tg_ptx_emitter {
    tg_ptx_writer w;
    tg_text tables; /* module scope: constants */
    const tg_plan *plan;
    tg_arena arena;
    tg_diags *diags;
    const tg_inst *inst;    /* the current instruction; NULL between instructions */
    const uint32_t *labels; /* per instruction of the code: its label plus 1; 0: no label */
    tg_ptx_site *sites;     /* code locations that may report, in the order of emission */
    size_t site_capacity;
    tg_status status; /* the first failure; text written after it does not matter */
    uint32_t param;   /* the param whose block is being located, where `inst` is NULL */
    uint32_t site_count;
    const char *target; /* NULL: sm_80, or sm_90 with barriers */
    struct tg_ptx_tensor
        *tensor; /* tensor memory (instructions/tcgen05.h); NULL: nothing is there */
    tg_tensor_core tensor_core;
    bool is_fast;                    /* profile fast */
    bool has_bulk;                   /* there may be bulk copies */
    bool tells_later;                /* some of them tell barriers */
    bool waits_for_copies_of_others; /* some team waits for groups of copies of others */
    bool has_prints;
    bool has_barriers;
    bool ends_early;           /* some instruction jumps to end_chain from within a program */
    uint32_t end_chain;        /* label where the CTA goes on to its next chain */
    uint32_t threads;          /* per team */
    uint32_t teams;            /* per CTA: threads of a program, or of a block; 1: the whole CTA */
    uint32_t blocks;           /* of the cluster of a program: CTAs; 1: no cluster */
    tg_ptx_space space;        /* of the workspace */
    tg_ptx_reg tid;            /* .b32: in the team */
    tg_ptx_reg team;           /* .b64: its number in the CTA, with several teams */
    tg_ptx_reg rank;           /* .b64: that of the CTA in its cluster, with several blocks */
    tg_ptx_reg barrier;        /* .b32: the number of its barrier; likewise */
    tg_ptx_reg workspace;      /* .b64 address of the team's */
    tg_ptx_reg scratch;        /* .b64 address from which offsets of scratch count */
    tg_ptx_reg report;         /* .b64 address */
    tg_ptx_reg prints;         /* .b64 address, if has_prints */
    tg_ptx_reg program_index;  /* .b64: index of the program in the grid, row-major */
    tg_ptx_uniform *program;   /* per axis */
    tg_ptx_uniform *grid;      /* per axis */
    tg_ptx_reg *slot_base;     /* per slot that exchanges memory: a register with its address */
    bool *has_base;            /* per slot: whether slot_base is set */
    tg_ptx_in_place *in_place; /* per slot */
    bool *is_table;            /* per slot: a constant that `tables` already holds */
    tg_ptx_ref *refs;
    /* The workspace: the slots of each team, then the scratch of all. */
    size_t *scratch_offset; /* per param: byte offset, as behind the slots of one team */
    size_t extra_offset;    /* byte offset in the workspace of an instruction's temporary memory */
    size_t team_bytes;      /* of the slots and the temporary memory of a team */
    size_t workspace_bytes; /* total size */
    size_t barriers_offset,
        barriers_bytes; /* scratch of barriers: in shared memory, behind the tiles */
    /* The phases to wait for (instructions/parity.h): per param a register, .b64; or in shared memory, so
     * many bytes for each team, from an offset on, .b64 the address of the team's. */
    tg_ptx_reg *parity, parity_base;
    size_t parity_bytes, parity_offset;
    size_t tiles_offset; /* tiles of products (instructions/dot_bring.h), always in shared memory */
    size_t tiles_bytes;
    tg_ptx_accesses earlier; /* accesses of the instructions since the last barrier */
    tg_ptx_accesses now;     /* accesses of the next rows */
    tg_ptx_accesses own;     /* accesses of the whole current instruction */
    tg_ptx_trace trace;
    const char **files; /* files that .loc names; see place.h */
    uint32_t file_count;
    uint32_t file, loc; /* the source location that the text named last */
} tg_ptx_emitter;

#endif
