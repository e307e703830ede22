/* The PTX text of a kernel, one .entry, and what is needed to launch it.
 *
 * One CTA runs one chain of programs (interp/state/order.h) after another: chain ctaid.x, then on
 * by nctaid.x, so any number of CTAs from 1 on will do, and axes that are `arbitrary` are walked in
 * order.  Values live in the CTA's workspace, in shared memory where that has room and in global
 * memory otherwise.  The parameters of the entry are all .u64:
 *   report      address of site_count u64, each -1 before the run; afterwards the place in the
 *               grid, row-major, of the first program that had something to report there
 *   workspace   address of the CTAs' workspaces in global memory, one after the other; 0 where
 *               there is none
 *   prints      only of kernels that print: address of two u64, the bytes of the records wanted so
 *               far (0 before the run) and the bytes that there are for records (record.h), which
 *               come next; records that find no room are left out but counted
 *   arrays      addresses of the arrays of all params but scratch, in order, multiples of
 *               TG_PTX_ARRAY_ALIGN; aliases share one
 *   axes        sizes of the axes that are known at launch only, in order
 *   trace       with a log only: address of its window, and the places in the log where that begins
 *               and ends
 * Outputs that are not aliases are undefined (tg_fill_undefined_memory) before the run. */
#ifndef TG_GPU_BACKEND_TEXT_PTX_H
#define TG_GPU_BACKEND_TEXT_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "plan/trace.h"

enum { TG_PTX_ARRAY_ALIGN = 16 };

typedef enum tg_ptx_site_kind {
    TG_PTX_SITE_BLOCK,    /* a block wholly outside its array */
    TG_PTX_SITE_ACCESS,   /* an element outside its ref */
    TG_PTX_SITE_GUARD,    /* an operand that is forbidden, or breaks a promise */
    TG_PTX_SITE_LOOP,     /* a counted loop whose step is not positive */
    TG_PTX_SITE_DEADLOCK, /* a wait for a semaphore that nobody raises */
    TG_PTX_SITE_CHECK     /* a condition that the kernel checks */
} tg_ptx_site_kind;

/* A place in the code that may report. */
typedef struct tg_ptx_site {
    tg_ptx_site_kind kind;
    const tg_inst *inst; /* NULL for BLOCK */
    uint32_t param;      /* BLOCK: whose */
} tg_ptx_site;

typedef struct tg_ptx_options {
    const char *target; /* see target.h; NULL: "sm_80" */
    /* Of a CTA: a multiple of 32 up to 1024; 0: as many as the blocks are worth. */
    uint32_t threads;
    size_t most_shared; /* bytes of shared memory that a workspace may take; 0: 48 KiB */
    bool is_all_global; /* no workspace in shared memory */
    bool is_fast;       /* profile fast (docs/gpu.md); otherwise reference */
    /* Of the plan: the text writes the log of a run by one CTA; NULL: it does not. */
    const tg_trace_sites *trace;
} tg_ptx_options;

typedef struct tg_ptx {
    char *text;
    char entry[72];
    uint32_t threads;
    size_t shared_bytes, global_bytes; /* of a CTA: its workspace in either; tiles in shared */
    bool has_prints;
    uint32_t site_count;
    tg_ptx_site *sites;
    bool has_trace;
} tg_ptx;

#endif
