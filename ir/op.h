/* The table of operations and attributes, expanded from ops.def and attrs.def. */
#ifndef TG_IR_OP_H
#define TG_IR_OP_H

#include "ir/type.h"

enum { TG_ANY_COUNT = -1, TG_MAX_OP_ATTRS = 10 };

typedef enum tg_attr_id {
#define TG_ATTR(id, ...) TG_ATTR_##id,
#include "ir/attrs.def"
    TG_ATTR_COUNT
} tg_attr_id;

typedef enum tg_attr_kind {
    TG_ATTR_KIND_INT,
    TG_ATTR_KIND_BOOL,
    TG_ATTR_KIND_INTS,
    TG_ATTR_KIND_TEXT,
    TG_ATTR_KIND_NAME,
    TG_ATTR_KIND_INDEX,
    TG_ATTR_KIND_DATA
} tg_attr_kind;

typedef struct tg_attr_info {
    const char *name;
    tg_attr_kind kind;
    const char *names; /* legal spellings of a NAME, separated by spaces */
    const char *means;
} tg_attr_info;

extern const tg_attr_info tg_attrs[TG_ATTR_COUNT];

typedef enum tg_opcode {
#define TG_OP(id, ...) TG_OP_##id,
#include "ir/ops.def"
    TG_OP_COUNT
} tg_opcode;

/* The relation between the types of operands and results. */
typedef enum tg_rule {
    TG_RULE_SAME,      /* all operands and the result have one type */
    TG_RULE_PREDICATE, /* all operands have one type; the result is bool of that shape */
    TG_RULE_RETYPE,    /* the result has the operand's shape and any dtype */
    TG_RULE_REDUCE,    /* the result lacks the dimensions in `axes` */
    TG_RULE_SCAN,      /* as SAME; `axis` is a dimension */
    TG_RULE_OWN        /* the op has its own rule, a function */
} tg_rule;

typedef enum tg_domain {
    TG_DOMAIN_FLOAT,
    TG_DOMAIN_INT,
    TG_DOMAIN_NUM,
    TG_DOMAIN_BITS,
    TG_DOMAIN_ANY
} tg_domain;

/* Properties of an op; see the column `traits` of ops.def. */
enum {
    TG_TRAIT_PURE = 1,
    TG_TRAIT_READS = 2,
    TG_TRAIT_WRITES = 4,
    TG_TRAIT_ATOMIC = 8,
    TG_TRAIT_CONTROL = 16,
    TG_TRAIT_GRID = 32,
    TG_TRAIT_REPORTS = 64,
    TG_TRAIT_REFERS = 128,
    TG_TRAIT_MOVES = 256,
    TG_TRAIT_CLOSED = 512,
    TG_TRAITS_OF_MEMORY = TG_TRAIT_READS | TG_TRAIT_WRITES | TG_TRAIT_ATOMIC
};

enum { TG_MAX_REFS = 6, TG_IS_REF = 1024, TG_OR_VALUE = 2048 };

typedef struct tg_op_info {
    const char *name;
    const char *means;
    int in_min, in_max, out_count, region_count; /* TG_ANY_COUNT: see ops.def */
    tg_rule rule;
    tg_domain domain;
    unsigned traits; /* with the effects on all refs */
    /* For the first operands: TG_IS_REF, with READS, WRITES or ATOMIC, and TG_OR_VALUE if it may be
     * a value; 0: a value. */
    unsigned refs[TG_MAX_REFS];
    tg_opcode step;          /* the op that a reduction or scan repeats, or TG_OP_COUNT */
    const char *needs, *may; /* attribute names, separated by ", "; see tg_op_attrs */
} tg_op_info;

/* Expanded from the table; indexed by tg_opcode. */
extern const tg_op_info tg_ops[TG_OP_COUNT];

/* The most leading operands that are references; all others are values.  An op may lack the last of
 * them: see tg_op_refs_of. */
static inline uint32_t tg_op_ref_count(tg_opcode op)
{
    uint32_t count = 0;
    while (count < TG_MAX_REFS && tg_ops[op].refs[count]) count++;
    return count;
}

/* Whether results are references. */
static inline bool tg_op_gives_ref(tg_opcode op)
{
    return (tg_ops[op].traits & TG_TRAIT_REFERS) != 0;
}

/* Whether the op makes a reference out of another one. */
static inline bool tg_is_view_op(tg_opcode op)
{
    return tg_op_gives_ref(op) && tg_op_ref_count(op) > 0;
}

/* Whether the op can be dropped if nothing uses its results. */
static inline bool tg_op_may_be_dropped(tg_opcode op)
{
    return (tg_ops[op].traits & (TG_TRAIT_PURE | TG_TRAIT_GRID)) != 0;
}

/* Whether the op prints something or may make a finding. */
static inline bool tg_op_reports(tg_opcode op)
{
    return (tg_ops[op].traits & TG_TRAIT_REPORTS) != 0;
}

/* Whether the elements of results and stores are unchanged elements of operands or of memory. */
static inline bool tg_op_moves(tg_opcode op) { return (tg_ops[op].traits & TG_TRAIT_MOVES) != 0; }

/* Whether its results need neither rounding nor wrapping. */
static inline bool tg_op_is_closed(tg_opcode op)
{
    return (tg_ops[op].traits & TG_TRAIT_CLOSED) != 0;
}

/* Whether the domain contains the dtype. */
bool tg_domain_has(tg_domain domain, tg_dtype dtype);

/* Returns the operation of that name, or TG_OP_COUNT if there is none. */
tg_opcode tg_op_by_name(const char *name);

/* Returns the attribute of that name, or TG_ATTR_COUNT if there is none. */
tg_attr_id tg_attr_by_name(const char *name);

/* Lists the attributes of `op` in the order of ops.def: first the `*needed` required ones, then the
 * optional ones.  Returns how many there are. */
int tg_op_attrs(tg_opcode op, tg_attr_id out[TG_MAX_OP_ATTRS], int *needed);

/* Returns the position of `name` among the spellings of a NAME attribute, or -1. */
int tg_attr_name_index(tg_attr_id attr, const char *name);

/* Writes spelling number `index` of a NAME attribute to `out`, of `size` bytes.  Returns `out`. */
char *tg_attr_name_text(tg_attr_id attr, int index, char *out, size_t size);

#endif
