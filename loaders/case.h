/* Reads cases.  A case is a folder whose case.json names a kernel, its inputs, and the expected
 * outputs and findings.  docs/case.md describes the file. */
#ifndef TG_LOADERS_CASE_H
#define TG_LOADERS_CASE_H

#include "ir/setting.h"
#include "ir/tensor.h"
#include "ir/tolerance.h"

typedef enum tg_case_content {
    TG_CASE_ABSENT,   /* the case does not mention the parameter */
    TG_CASE_TENSOR,   /* `tensor` holds the elements */
    TG_CASE_UNDEFINED /* inputs only: the runner fills it with undefined elements */
} tg_case_content;

typedef struct tg_case_tensor {
    tg_case_content content;
    tg_tensor
        tensor; /* of the parameter's array type, unless arrays are whole ones; TG_CASE_UNDEFINED: without data */
} tg_case_tensor;

/* An expected finding; NULL matches anything. */
typedef struct tg_case_finding {
    char *kind;  /* never NULL */
    char *param; /* a parameter of the kernel */
    char *op;    /* name of an operation */
} tg_case_finding;

/* What the arrays of a case are. */
typedef enum tg_case_arrays {
    TG_CASE_OF_PARAMS, /* of the types of the parameters */
    TG_CASE_WHOLE /* of which the devices of a mesh have parts: of their dtypes, in any shape */
} tg_case_arrays;

typedef enum tg_case_profile { TG_CASE_REFERENCE, TG_CASE_FAST } tg_case_profile;

/* What a parameter of a case's PTX gets. */
typedef struct tg_case_ptx_arg {
    enum { TG_CASE_PTX_MEMORY, TG_CASE_PTX_NUMBER, TG_CASE_PTX_ZEROS } kind;
    uint32_t param; /* memory, number: an input of the kernel */
    size_t bytes; /* memory: before the address; zeros: at the address, which is null without any */
} tg_case_ptx_arg;

/* The kernel as PTX that another compiler has made, and how it is launched: along x, y, z as many
 * CTAs as there are programs along the grid's axes from the last one on, along x `ctas` for each. */
typedef struct tg_case_ptx {
    char *name; /* of the file */
    char *text;
    size_t length;
    uint32_t threads; /* of each CTA */
    uint32_t ctas;    /* of each program */
    size_t shared_bytes;
    size_t arg_count;
    tg_case_ptx_arg *args;
} tg_case_ptx;

/* Owns everything that it points to. */
typedef struct tg_case {
    tg_arena arena;
    char *folder;
    tg_case_arrays arrays;
    char *name, *why; /* NULL if absent */
    tg_module *module;
    const tg_kernel *kernel;  /* the one to launch, in `module` */
    size_t dynamic_count;     /* = number of the kernel's axes of size -1 */
    int64_t *dynamic_grid;    /* their sizes, first axis first */
    tg_case_tensor *inputs;   /* kernel->param_count entries; all of roles prefetch and input set */
    tg_case_tensor *expected; /* kernel->param_count entries; outputs only */
    size_t order_count;
    char **orders;      /* as written: "sequential", "shuffled:1"; if none, the runner chooses */
    tg_setting setting; /* compat strict or jax, without a fill */
    tg_case_profile profile;
    tg_tolerance compare;
    size_t finding_count;
    tg_case_finding *findings; /* if none, a run without findings is expected */
    tg_case_ptx *ptx;          /* NULL if absent */
} tg_case;

/* Reads folder/case.json, its kernel file and all tensors, which are as `arrays` says.  Does not verify the module.  Returns
 * TG_ERR_IO for files that cannot be read, TG_ERR_SYNTAX for malformed ones, TG_ERR_INVALID for
 * content against docs/case.md, such as an unknown key or a file outside the folder, TG_ERR_TYPE
 * for a tensor of another type than its parameter, or TG_ERR_NO_MEMORY.  *out is NULL after a
 * failure; else the caller frees it with tg_case_free. */
tg_status tg_case_load(const char *folder, tg_case_arrays arrays, tg_case **out, tg_diags *diags);

/* Like tg_case_load, with the text of case.json in memory. */
tg_status tg_case_read(const char *text, size_t length, const char *folder, tg_case_arrays arrays,
                       tg_case **out, tg_diags *diags);

/* NULL is fine. */
void tg_case_free(tg_case *c);

#endif
