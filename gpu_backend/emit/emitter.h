/* The state of one kernel on its way to PTX, which all files of emit/, instructions/ and kernel/
 * share.
 *
 * One CTA runs one chain of programs after another (docs/gpu.md).  Two kinds of values exist
 * meanwhile:
 *   blocks    in slots of the workspace, worked on by all threads, element e by thread e mod T
 *   uniform   numbers that every thread computes for itself and that are the same in all:
 *             tg_ptx_uniform
 * What an instruction reads and writes is said before it is emitted (barrier.h), so that a barrier
 * stands between instructions whose threads would otherwise see each other's memory too early or
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
#include "ir/type.h"
#include "plan/plan.h"
#include "plan/trace.h"

/* ---- uniform values ---- */

/* An s64 that is the same in all threads: known now, or in a .b64 register. */
typedef struct tg_ptx_uniform {
    bool is_known;
    int64_t known;
    tg_ptx_reg reg;
    /* Of the register: a power of two that is known to divide it; 0: none but 1. */
    int64_t multiple;
} tg_ptx_uniform;

/* ---- refs ---- */

/* Where memory is. */
typedef enum tg_ptx_space { TG_PTX_SHARED, TG_PTX_GLOBAL } tg_ptx_space;

/* What may overlap what: bytes of the workspace, or an array. */
typedef struct tg_ptx_extent {
    bool is_array;
    uint32_t array;    /* the param whose memory it is */
    size_t start, end; /* of the workspace */
} tg_ptx_extent;

/* A reference: a strided view of memory of which only part may be inside the array (as tg_ref of
 * the interpreter, with all that is known before the run known now).  Offsets and strides in
 * elements. */
typedef struct tg_ptx_ref {
    tg_ptx_space space;
    tg_ptx_uniform base; /* address of the memory's first byte */
    tg_ptx_extent extent;
    tg_ptx_uniform origin; /* element offset of index [0,...] */
    int64_t stride[TG_MAX_RANK];
    tg_ptx_uniform shape[TG_MAX_RANK];
    /* low <= index < high is inside the array. */
    tg_ptx_uniform low[TG_MAX_RANK], high[TG_MAX_RANK];
    tg_ptx_uniform is_inside; /* a scalar's only bounds: 1, or 0: nothing is */
    /* Offsets number the elements of another ref (instructions/recast.h); NULL: they do not. */
    const struct tg_inst_recast *through;
} tg_ptx_ref;

/* Where the block of a slot is that lies in its array (instructions/in_place.h), in storage
 * TG_STORAGE_MEMORY. */
typedef struct tg_ptx_in_place {
    bool must_be_dense; /* it never does: some instruction wants it in the workspace */
    bool is_set;
    tg_ptx_reg base;  /* .b64 address of its first element in global memory */
    int64_t multiple; /* what divides that address, as of tg_ptx_multiple_of */
    tg_ptx_extent extent;
} tg_ptx_in_place;

typedef struct tg_ptx_touch {
    tg_ptx_extent extent;
    bool is_write;
} tg_ptx_touch;

/* What instructions touch, as far as it has room. */
enum { TG_PTX_MOST_TOUCHES = 64 };
typedef struct tg_ptx_touches {
    tg_ptx_touch list[TG_PTX_MOST_TOUCHES];
    uint32_t count; /* beyond the room: more than the list tells */
} tg_ptx_touches;

/* ---- the log of what ops leave ---- */

typedef struct tg_ptx_trace {
    const tg_trace_sites *sites; /* NULL: none is written */
    /* .b64: address of place 0 of the log; places where the window begins and ends. */
    tg_ptx_reg base, first, end;
    tg_ptx_reg at;           /* .b64: place of the next record */
    uint32_t site, site_end; /* of the instruction in the making */
    tg_ptx_reg outside;      /* its records are not in the window */
    tg_ptx_reg room;         /* .b64: address of its records */
} tg_ptx_trace;

/* ---- the kernel in the making ---- */

typedef struct tg_ptx_emitter {
    tg_ptx_writer w;
    tg_text tables; /* module scope: constants */
    const tg_plan *plan;
    tg_arena arena;
    tg_diags *diags;
    tg_status status;       /* the first failure; from then on what is written does not matter */
    const tg_inst *inst;    /* being emitted; NULL outside of instructions */
    const uint32_t *labels; /* per instruction of the code: its label, plus 1; 0: none */
    uint32_t param;         /* whose block is looked for, where `inst` is NULL */
    tg_ptx_site *sites;     /* places that may report; in the plan's order of emission */
    uint32_t site_count;
    size_t site_capacity;
    bool is_fast;         /* profile fast */
    uint32_t threads;     /* of a CTA */
    tg_ptx_space space;   /* of the workspace */
    tg_ptx_reg tid;       /* .b32 */
    tg_ptx_reg workspace; /* .b64 address */
    tg_ptx_reg report;    /* .b64 address */
    bool has_prints;
    tg_ptx_reg prints;         /* .b64 address, if there are any */
    tg_ptx_reg order;          /* .b64: place of the program in the grid */
    uint32_t end_chain;        /* label: where the CTA goes on to its next chain */
    bool ends_early;           /* something jumps there from within a program */
    tg_ptx_uniform *program;   /* per axis */
    tg_ptx_uniform *grid;      /* per axis */
    tg_ptx_reg *slot_base;     /* per slot that exchanges memory: its address */
    bool *has_base;            /* per slot */
    tg_ptx_in_place *in_place; /* per slot */
    bool *is_table;            /* per slot: a constant that has been written to `tables` */
    tg_ptx_ref *refs;
    size_t *scratch_offset; /* per param, in the workspace */
    size_t extra_offset;    /* memory of an instruction's own, in the workspace */
    size_t workspace_bytes; /* all of it */
    size_t tiles_offset; /* memory of tiles (instructions/dot_bring.h), in shared memory always */
    size_t tiles_bytes;
    tg_ptx_touches earlier; /* of the instructions since the last barrier */
    tg_ptx_touches now;     /* of what comes next */
    tg_ptx_touches own;     /* of the instruction in the making, all of it */
    tg_ptx_trace trace;
    const char **files; /* of lines in the text; see place.h */
    uint32_t file_count;
    uint32_t file, loc; /* what the text last named */
} tg_ptx_emitter;

#endif
