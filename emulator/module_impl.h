/* The result of loading a text: entries with decoded instructions.  A launch changes nothing in it
 * but the bytes of the module's variables. */
#ifndef TG_EMULATOR_MODULE_IMPL_H
#define TG_EMULATOR_MODULE_IMPL_H

#include "base/arena.h"
#include "emulator/memory_impl.h"
#include "emulator/module.h"
#include "emulator/type.h"

typedef struct tg_emu_exec tg_emu_exec;
typedef struct tg_emu_inst tg_emu_inst;

/* How execution continues after an instruction. */
typedef enum tg_emu_step {
    TG_EMU_ON,      /* with the next instruction */
    TG_EMU_CONTROL, /* the handler has set program counters, or the warp waits */
    TG_EMU_TRAPPED  /* exec->result holds the trap */
} tg_emu_step;

/* Executes one instruction for the lanes in `mask`, of which there is at least one. */
typedef tg_emu_step tg_emu_exec_fn(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask);

/* Where the 32 lanes of an operand (or its mask) are: in the warp's frame, among the constants
 * of the entry, or in memory of a handler. */
enum { TG_EMU_FRAME, TG_EMU_CONSTANTS, TG_EMU_SCRATCH, TG_EMU_BANKS };
typedef struct tg_emu_slot {
    uint32_t bank, offset;
    uint32_t reg; /* index of its mask of initialised lanes; 0: always initialised */
} tg_emu_slot;

enum { TG_EMU_MAX_OUT = 5, TG_EMU_MAX_IN = 10 };
struct tg_emu_inst {
    tg_emu_exec_fn *exec;
    tg_emu_exec_fn
        *inner; /* that of a handler which prepares operands for another one (emulator/variant.h) */
    tg_emu_slot out[TG_EMU_MAX_OUT], in[TG_EMU_MAX_IN];
    tg_emu_slot guard; /* @p */
    uint8_t out_count, in_count;
    bool is_guarded, is_guard_flipped;
    bool is_control; /* also runs if the guard leaves no lane */
    bool is_inexact;
    uint8_t flushed_in;  /* bits: sources of f32 whose subnormal values count as zero */
    bool is_flushed_out; /* likewise of the result */
    uint32_t flags;      /* defined by the handler */
    uint32_t target;     /* of a branch: the index of an instruction */
    int64_t immediate;   /* offset of an address; otherwise defined by the handler */
    const void *data;    /* defined by the handler; as long-lived as the module */
    uint32_t line, column;
    uint32_t source_file,
        source_line; /* from .loc: number of the .file, and line; line 0: unknown */
};

/* Special registers lie at the start of a frame, 32 lanes of u32 each, in this order. */
typedef enum tg_emu_special {
    TG_EMU_TID,
    TG_EMU_NTID = TG_EMU_TID + 3,
    TG_EMU_CTAID = TG_EMU_NTID + 3,
    TG_EMU_NCTAID = TG_EMU_CTAID + 3,
    TG_EMU_LANEID = TG_EMU_NCTAID + 3,
    TG_EMU_WARPID,
    TG_EMU_CLUSTERID,
    TG_EMU_NCLUSTERID = TG_EMU_CLUSTERID + 3,
    TG_EMU_CLUSTER_CTAID = TG_EMU_NCLUSTERID + 3,
    TG_EMU_CLUSTER_NCTAID = TG_EMU_CLUSTER_CTAID + 3,
    TG_EMU_CLUSTER_CTARANK = TG_EMU_CLUSTER_NCTAID + 3,
    TG_EMU_CLUSTER_NCTARANK,
    TG_EMU_SPECIAL_COUNT
} tg_emu_special;
enum { TG_EMU_SPECIAL_BYTES = 128 };

typedef struct tg_emu_shared_variable {
    const char *name;
    uint32_t offset, bytes; /* offset from TG_EMU_SHARED_START; 0 bytes: dynamic memory */
} tg_emu_shared_variable;

/* A constant that depends on the start of dynamic shared memory, which is known only at the end of
 * an entry. */
typedef struct tg_emu_dynamic_use {
    uint32_t inst;
    /* offset among the constants; UINT32_MAX: the instruction's immediate instead */
    uint32_t constant;
    unsigned bytes;
} tg_emu_dynamic_use;

/* The name of registers first to first + count - 1. */
typedef struct tg_emu_register_name {
    const char *name; /* for a range, the part before the number */
    uint32_t first, count;
    bool is_range;
} tg_emu_register_name;

typedef struct tg_emu_entry {
    const char *name;
    tg_emu_param *params;
    size_t param_count, param_capacity, param_bytes;
    tg_emu_inst *code; /* the last instruction ends the thread */
    size_t code_count, code_capacity;
    tg_emu_register_name *names; /* by ascending `first` */
    size_t name_count, name_capacity;
    uint32_t register_count; /* includes register 0, which is always initialised */
    size_t frame_bytes;
    unsigned char *constants;
    size_t constant_bytes, constant_capacity;
    tg_emu_shared_variable *shared;
    size_t shared_count, shared_capacity;
    uint32_t shared_bytes;                 /* static variables, with the guards between them */
    uint32_t declared_bytes;               /* the same without guards */
    uint32_t local_bytes;                  /* of each thread */
    uint32_t dynamic_align;                /* alignment of .extern .shared; 0: none declared */
    uint32_t required[3], most[3];         /* .reqntid and .maxntid; 0: none */
    bool is_explicit_cluster, has_cluster; /* which directives there are */
    uint32_t cluster[3]; /* CTAs of a cluster, .reqnctapercluster; 1, 1, 1: no clusters */
    /* Its threads are ordered by more than barriers of the whole CTA: by those of a part of it, by
     * mbarriers, or by waiting for copies. */
    bool is_partial;
    /* Its loops may wait for memory to change (emulator/spin.h): it is partial, or has atomics or
     * relaxed loads. */
    bool waits;
    bool has_wgmma;
} tg_emu_entry;

/* A .file directive. */
typedef struct tg_emu_source {
    uint32_t number;
    const char *name;
} tg_emu_source;

struct tg_emu_module {
    tg_arena arena;
    tg_emu_entry *entries;
    size_t entry_count, entry_capacity;
    /* .global and .const variables; number n is block TG_EMU_MODULE_BLOCKS + n */
    tg_emu_block *blocks;
    size_t block_count, block_capacity;
    tg_emu_source *sources;
    size_t source_count, source_capacity;
};

#endif
