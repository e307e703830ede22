/* The PTX text of a kernel, with one .entry, and what a launch of it needs.
 *
 * One CTA runs one chain of programs (interp/state/order.h) after another: chain ctaid.x first,
 * then every nctaid.x-th one.  So any number of CTAs works, and `arbitrary` axes are walked in
 * order.  Values live in the CTA's workspace, in shared memory if it fits there, otherwise in
 * global memory.  All parameters of the entry are .u64:
 *   report      address of site_count u64, each -1 before the run.  Afterwards each holds the
 *               program index of the first program that reported at that site
 *   workspace   address of the CTAs' workspaces in global memory, one after the other; 0 if there
 *               is none
 *   prints      only for kernels that print: address of two u64, the bytes of records wanted so far
 *               (0 before the run) and the capacity for records in bytes.  The records (record.h)
 *               follow; a record that does not fit is left out, but counted
 *   arrays      addresses of the arrays of all params but scratch, in order, multiples of
 *               TG_PTX_ARRAY_ALIGN; aliases share one
 *   axes        sizes of the axes that are known only at launch, in order
 *   trace       only with a log: address of its window, and the positions in the log where the
 *               window begins and ends
 * Before the run, the caller fills outputs that are not aliases with undefined values
 * (tg_fill_undefined_memory).
 * In a cluster, one cluster runs what is said here of a CTA: the launch has `blocks` CTAs for each. */
#ifndef TG_GPU_BACKEND_TEXT_PTX_H
#define TG_GPU_BACKEND_TEXT_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/setting.h"
#include "plan/plan.h"
#include "plan/trace.h"

enum { TG_PTX_ARRAY_ALIGN = 16 };

typedef enum tg_ptx_site_kind {
    TG_PTX_SITE_BLOCK,    /* a block wholly outside its array */
    TG_PTX_SITE_ACCESS,   /* an element outside its ref */
    TG_PTX_SITE_GUARD,    /* an operand with a forbidden value, or one that breaks a promise */
    TG_PTX_SITE_LOOP,     /* a counted loop whose step is not positive */
    TG_PTX_SITE_DEADLOCK, /* a wait for a semaphore that no program raises */
    TG_PTX_SITE_CHECK     /* a condition that the kernel checks */
} tg_ptx_site_kind;

/* A location in the code that may report. */
typedef struct tg_ptx_site {
    tg_ptx_site_kind kind;
    const tg_inst *inst; /* NULL for BLOCK */
    uint32_t param;      /* for BLOCK: the param of the block */
} tg_ptx_site;

typedef struct tg_ptx_options {
    const char *target; /* see target.h; NULL: "sm_80" */
    /* Threads of a CTA: a multiple of 32 up to 1024; 0: chosen by the sizes of the blocks. */
    uint32_t threads;
    size_t most_shared; /* most bytes of shared memory for a workspace; 0: 48 KiB */
    bool is_all_global; /* the workspace is always in global memory */
    bool is_fast;       /* profile fast (docs/gpu.md); otherwise profile reference */
    /* How products of narrow floats are summed.  One of a chip: on that chip's own units, by a text for sm_90a
     * or sm_100a unless `target` is another one. */
    tg_tensor_core tensor_core;
    /* Sites of the plan: the text writes the log of a run by one CTA.  NULL: no log. */
    const tg_trace_sites *trace;
} tg_ptx_options;

typedef struct tg_ptx {
    char *text;
    char entry[72];
    uint32_t threads;
    uint32_t blocks; /* CTAs of a cluster, which runs a chain; 1: no clusters */
    /* per CTA: its workspace in either; tiles in shared memory */
    size_t shared_bytes, global_bytes;
    bool has_prints;
    uint32_t site_count;
    tg_ptx_site *sites;
    bool has_trace;
    char target[16];
    bool is_published; /* the emulator is to add as published for the chip */
    bool
        is_fast; /* .approx instructions are those of profile fast, which may err within their bounds */
} tg_ptx;

#endif
