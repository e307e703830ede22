/* Tilegrind: a reference interpreter for tile kernels.  The whole public interface.
 *
 *   tg_errors *errors = tg_errors_new();
 *   tg_module *module;
 *   tg_report *report;
 *   if (tg_module_load_file("add.json", &module, errors) == TG_OK &&
 *       tg_run(module, NULL, arrays, array_count, NULL, &report, errors) == TG_OK)
 *       ... tg_report_finding_count(report) ...
 *
 * Handles are opaque and belong to the caller, who frees them; freeing NULL is fine.  No call
 * prints, exits or keeps global state.  A module is never changed after loading: any number of
 * threads may run it at once, as long as no two runs share an output array. */
#ifndef TILEGRIND_TILEGRIND_H
#define TILEGRIND_TILEGRIND_H

#include <stddef.h>
#include <stdint.h>

#include "tilegrind/executor.h"
#include "tilegrind/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TG_VERSION_MAJOR 0
#define TG_VERSION_MINOR 1
#define TG_VERSION_PATCH 0

/* "0.1.0" of the library that is linked. */
TG_API const char *tg_version(void);

/* The processors that this process may use: what the order "parallel" takes at most unless told. */
TG_API int tg_processor_count(void);

/* Texts that the library returns as char * are freed with this. */
TG_API void tg_text_free(char *text);

/* ---- errors
 * ---------------------------------------------------------------------------------------- */

/* What is wrong with a file, a kernel or a call; filled by the calls below, which may be handed
 * NULL by those who only want the status. */
typedef struct tg_errors tg_errors;

typedef struct tg_error {
    tg_status status;
    const char *file;  /* NULL where there is none */
    const char *where; /* JSON pointer within the file, "" for the whole */
    int64_t offset;    /* byte offset in the file, or -1 */
    const char *message;
} tg_error;

TG_API tg_errors *tg_errors_new(void); /* NULL without memory */
TG_API void tg_errors_free(tg_errors *errors);
TG_API size_t tg_errors_count(const tg_errors *errors);
/* The texts live as long as `errors`; index < count. */
TG_API tg_error tg_errors_get(const tg_errors *errors, size_t index);
/* How many more were found: only the first 100 are kept. */
TG_API size_t tg_errors_dropped(const tg_errors *errors);

/* ---- modules
 * --------------------------------------------------------------------------------------- */

typedef struct tg_module tg_module;

/* Load JSON and verify it.  TG_OK, or TG_ERR_IO, _SYNTAX, _TYPE, _INVALID, _UNSUPPORTED, _NO_MEMORY
 * with everything that was found in `errors`; then *out is NULL. */
TG_API tg_status tg_module_load_file(const char *path, tg_module **out, tg_errors *errors);
TG_API tg_status tg_module_load_text(const char *text, size_t length, tg_module **out,
                                     tg_errors *errors);
TG_API void tg_module_free(tg_module *module);

TG_API size_t tg_module_kernel_count(const tg_module *module);
TG_API const char *tg_module_kernel_name(const tg_module *module, size_t kernel);

typedef enum tg_text_format {
    TG_TEXT_JSON,  /* canonical: what the loader reads back identically */
    TG_TEXT_PLAIN, /* reads like a jaxpr */
    TG_TEXT_PLAN   /* what the interpreter executes */
} tg_text_format;

/* The kernels as a run with layouts "physical" executes them: a module that lives as long as this one.
 * TG_ERR_UNSUPPORTED for what cannot be held so, TG_ERR_NO_MEMORY; then *out is NULL. */
TG_API tg_status tg_module_physical(const tg_module *module, const tg_module **out,
                                    tg_errors *errors);

/* The module as text, or NULL without memory or where a kernel cannot be lowered (see `errors`). */
TG_API char *tg_module_print(const tg_module *module, tg_text_format format, tg_errors *errors);

/* What a text of PTX is for. */
typedef struct tg_module_ptx_options {
    size_t size; /* sizeof(tg_module_ptx_options): lets the struct grow */
    /* The chip; NULL: "sm_80", or "sm_90" where the kernel has barriers, "sm_90a" or "sm_100a" where a
     * tensor core is named.  The text runs on all later ones, but one for an "a" on that chip alone. */
    const char *target;
    const char *profile;     /* as tg_run_options.profile: "reference" (default) or "fast" */
    const char *tensor_core; /* as tg_run_options.tensor_core: "exact" (default), "sm90", "sm100" */
} tg_module_ptx_options;

/* The PTX that backends other than the interpreter run a kernel as (NULL: the first).
 *   options  NULL: the default of each
 * NULL without memory, where they cannot run it, and for an unknown kernel, target, profile or tensor
 * core (see `errors`). */
TG_API char *tg_module_ptx(const tg_module *module, const char *kernel,
                           const tg_module_ptx_options *options, tg_errors *errors);

/* The JSON Schema of modules. */
TG_API char *tg_schema(void);

typedef enum tg_map_format { TG_MAP_TEXT, TG_MAP_SVG } tg_map_format;

/* Draws which program reads or writes which element of a parameter, as a table or a picture.
 * `kernel` and `param` are names (kernel NULL: the first).  Arrays of more than two dimensions are
 * drawn slice by slice. */
TG_API char *tg_module_map(const tg_module *module, const char *kernel, const char *param,
                           tg_map_format format, tg_errors *errors);

typedef struct tg_param_info {
    const char *name;
    const char *role;  /* "prefetch", "input", "output" or "scratch" */
    const char *dtype; /* "f32", ... see docs/ir.md */
    int rank;
    const int64_t *shape; /* of the whole array; lives as long as the module */
    const char *alias;    /* the parameter whose memory an output shares, or NULL */
} tg_param_info;

/* `kernel` is a name, NULL the first.  An unknown kernel has no parameters; index < count. */
TG_API size_t tg_module_param_count(const tg_module *module, const char *kernel);
TG_API tg_param_info tg_module_param(const tg_module *module, const char *kernel, size_t index);

/* Number of grid axes whose size is given at launch. */
TG_API size_t tg_module_dynamic_axes(const tg_module *module, const char *kernel);

/* ---- runs
 * ------------------------------------------------------------------------------------------ */

/* The layout of DLPack's DLTensor: a DLTensor * may be cast to tg_dltensor *. */
typedef struct tg_dldevice {
    int32_t device_type; /* kDLCPU = 1 is the only one taken */
    int32_t device_id;
} tg_dldevice;

typedef struct tg_dldtype {
    uint8_t code; /* 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, 7.. the float8 forms */
    uint8_t bits;
    uint16_t lanes; /* 1 */
} tg_dldtype;

typedef struct tg_dltensor {
    void *data;
    tg_dldevice device;
    int32_t ndim;
    tg_dldtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: row-major.  Only row-major is taken */
    uint64_t byte_offset;
} tg_dltensor;

/* One array of a run, named after its parameter. */
typedef struct tg_array {
    const char *name;
    tg_dltensor tensor;
} tg_array;

/* The DLPack dtype of "f32", "bf16", ...; lanes is 0 where DLPack has none or the name is unknown.
 */
TG_API tg_dldtype tg_dtype_to_dlpack(const char *dtype);

typedef struct tg_report tg_report;

/* Which bytes of an input are undefined when a run begins, and after it: check "undefined". */
typedef struct tg_undefined_bytes {
    const char *param;     /* name of an input */
    const uint8_t *before; /* a number for each byte of its array: 1 if it is undefined, else 0 */
    /* The same for its memory at the end of the run, with what the output wrote that shares it; NULL: nobody
     * wants to know.  It may be `before`, but not in tg_check, of which it gets what order sequential
     * leaves.  Without the check it stays as it is. */
    uint8_t *after;
} tg_undefined_bytes;

typedef struct tg_run_options {
    size_t size; /* sizeof(tg_run_options): lets the struct grow */
    /* "sequential" (default), "reversed", "shuffled[:SEED]", "parallel[:THREADS]",
     * "interleaved[:SEED]", and "replay:TOKEN" as a finding gives it (docs/checks.md) */
    const char *order;
    /* "strict" (default) or "jax": out-of-range blocks and slices are moved inside, and undefined
     * values are filled, as JAX's interpreter does; "tpu", "tpu:zero": as "strict", but what is
     * undefined is NaN and the greatest integer, or 0, as JAX's interpreter of TPU kernels has it
     */
    const char *compat;
    const int64_t *dynamic_grid; /* one size per dynamic axis */
    size_t dynamic_grid_count;
    const char *isa;     /* "baseline", "avx2", "avx512"; NULL: the widest of this machine */
    size_t max_findings; /* 0: 100 */
    /* Called now and then, also from within loops of a program, from the calling thread with
     * programs done and in all; NULL for none.  Returning non-zero stops the run (TG_ERR_STOPPED),
     * wherever it is; the report then has what was found so far. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    /* Receives the text of debug_print ops, line ends included, program by program; NULL: it is
     * dropped. */
    void (*print)(void *context, const char *text);
    /* "reference" (default) or "fast": f32 elementary functions within 1 ULP, most by SLEEF,
     * instead of correctly rounded (docs/numerics-fast.md); on other backends by approximate
     * instructions and, for large products, matrix units (docs/gpu.md).  TG_ERR_UNSUPPORTED on the
     * interpreter where the build has no SLEEF. */
    const char *profile;
    /* "cpu" (default): the interpreter.  "emulator[:SEED]": the kernel is compiled to PTX, which is
     * then executed on the CPU; a seed other than 0 perturbs the order of its warps.
     * "gpu[:NUMBER]": the PTX runs on that NVIDIA GPU; TG_ERR_UNSUPPORTED where there is no driver
     * or none that will do, TG_ERR_USAGE where there is no GPU of that number.  Both take the
     * orders sequential (one CTA goes through the grid) and parallel[:CTAS], and compat strict;
     * they do not tell which output elements were left unwritten, and print when the run is over
     * (docs/gpu.md). */
    const char *backend;
    /* What to look for besides what is wrong with the kernel anyway (docs/checks.md): "none"
     * (default), "all", or names separated by commas: "races", "undefined", "arithmetic",
     * "duplicates", "aliases", "revisits", "prefetch", "independence", "coverage", "layouts",
     * "proxies"; and "memory-cost" and "gpu-strict", which are not in "all".  Backend cpu only. */
    const char *checks;
    /* Machine for which the kernel is meant: "any" (default) or "tpu", where axes that nobody
     * declares are arbitrary, add_update is no atomic, and blocks are copied to windows and back
     * (docs/checks.md).  Backend cpu only. */
    const char *target;
    /* Ops that make the first NaN or infinity are findings: "nan", "inf" or "nan,inf"; "none"
     * (default).  Backend cpu only. */
    const char *trap;
    /* Outputs, separated by commas, of which elements stay unwritten on purpose: they are
     * `output-unwritten` only where no program writes any.  As if the module said "partly_written"
     * of them (docs/ir.md).  TG_ERR_USAGE where the kernel has no such output. */
    const char *partly_written;
    /* Turns of loops that a program may make, all its loops together; one that makes more ends
     * there, with the finding step-limit. 0 (default): no limit.  A loop that can never end is
     * found without.  Backend cpu only. */
    int64_t max_steps;
    /* Whose threads order "parallel" takes; it is there as long as the executable, and its context.
     *  NULL (default): threads of OpenMP (docs/c-api.md).  Backend cpu only. */
    const tg_executor *executor;
    /* "logical" (default): where elements are held, as layouts say, matters to no value; "physical":
     * memory and values are held there, and what reads them by another layout gets other elements
     * (docs/layouts.md).  TG_ERR_UNSUPPORTED for what cannot be held so. */
    const char *layouts;
    /* Check "memory-cost": of how many warps a program is, 1 to 32.  0 (default): 4. */
    int warps;
    /* How products of f16, bf16 and fp8, and of f32 that may be cut to tf32, are summed: "exact" (default),
     * each link rounded to nearest, or as published of the tensor cores of "sm90" and "sm100"
     * (docs/numerics-tensor-core.md).  Other backends than cpu refuse products
     * that no instruction of the chip sums so. */
    const char *tensor_core;
    /* Inputs of which bytes are undefined, `undefined_count` of them; they and their bytes are there as long as
     * the executable.  Neither on a mesh nor with layouts "physical". */
    const tg_undefined_bytes *undefined;
    size_t undefined_count;
} tg_run_options;

/* Runs every program of the kernel's grid on the CPU.
 *   kernel   its name; NULL: the first of the module
 *   arrays   one for each prefetch, input and output parameter, in any order; row-major, on the
 *            CPU, of the parameter's dtype and shape.  Inputs are read only: a kernel that writes
 *            to an input or to an aliased one works on a private copy.  Output arrays are
 *            overwritten entirely, and overlap no other array but the input they are an alias of,
 *            which may be the very same memory.
 *   options  NULL: sequential and strict
 *   report   what happened, also when there were findings; free with tg_report_free before the
 *            module, into which it points
 * Findings are no error: the status is TG_OK and they are in the report.  TG_ERR_STOPPED where
 * `progress` asked for that: there is a report then, too.  Without one TG_ERR_USAGE for a missing,
 * unknown or mismatched array or option, TG_ERR_UNSUPPORTED for an op the interpreter lacks,
 * TG_ERR_NO_MEMORY. */
TG_API tg_status tg_run(const tg_module *module, const char *kernel, const tg_array *arrays,
                        size_t array_count, const tg_run_options *options, tg_report **report,
                        tg_errors *errors);
TG_API void tg_report_free(tg_report *report);

/* Orders that tg_check tries besides sequential and reversed; 0 for a number: the one in brackets.
 */
typedef struct tg_check_options {
    size_t size;       /* sizeof(tg_check_options): lets the struct grow */
    int shuffles;      /* [8], of the seeds from `seed` on; less than 0: none */
    int interleavings; /* [4], likewise */
    uint64_t seed;     /* [1] */
} tg_check_options;

/* Runs the kernel in order sequential with checks, as tg_run would, and then in other orders, and
 * compares what they leave bit for bit.  The report has the findings of all of them; the arrays are
 * left as order sequential does.
 *   options  as for tg_run; no order but sequential, no backend but the interpreter; checks are
 *            "all" where NULL
 *   orders   NULL: the usual ones */
TG_API tg_status tg_check(const tg_module *module, const char *kernel, const tg_array *arrays,
                          size_t array_count, const tg_run_options *options,
                          const tg_check_options *orders, tg_report **report, tg_errors *errors);

/* A kernel made ready to run: planned once, run as often as wanted, by any number of threads at
 * once.  For those who call it again and again with little work each time; tg_run makes one for a
 * single run. */
typedef struct tg_executable tg_executable;

/* The module must outlive the executable and its reports.  Of the options all but dynamic_grid hold
 * for every run; progress and print are then called by whatever thread runs.  Executables on one
 * GPU share it and what has been compiled for it, take turns, and close it behind the last of them.
 *  TG_ERR_USAGE for an unknown kernel or option, TG_ERR_UNSUPPORTED for an op the interpreter
 *  lacks, TG_ERR_NO_MEMORY. */
TG_API tg_status tg_executable_new(const tg_module *module, const char *kernel,
                                   const tg_run_options *options, tg_executable **out,
                                   tg_errors *errors);

/* Frees it and the memory that its runs have used and kept.  No run is under way. */
TG_API void tg_executable_free(tg_executable *executable);

/* Runs every program of the grid once.
 *   data          one pointer a parameter, in the order of tg_module_param, to row-major memory of
 *                 any alignment; unused for scratch.  What tg_run says of inputs and outputs holds
 *                 here too, but nothing is checked: an output overlaps no other array than the
 *                 input that it is an alias of
 *   dynamic_grid  one size per dynamic axis
 *   report        as for tg_run; it may outlive the executable, but not the module
 * TG_ERR_USAGE for a size of the grid that is missing or out of range, TG_ERR_NO_MEMORY. */
TG_API tg_status tg_executable_run(tg_executable *executable, void *const *data,
                                   const int64_t *dynamic_grid, size_t dynamic_grid_count,
                                   tg_report **report, tg_errors *errors);

/* The same on an executor that is there for this run; NULL: the one of the executable's options. */
TG_API tg_status tg_executable_run_on(tg_executable *executable, const tg_executor *executor,
                                      void *const *data, const int64_t *dynamic_grid,
                                      size_t dynamic_grid_count, tg_report **report,
                                      tg_errors *errors);

/* As tg_check, of a kernel made ready: a run as that of tg_executable_run, then the other orders;
 * `orders` NULL: the usual ones. Inputs whose memory an output takes are copied, so that all runs
 * see them as they are.  What the executable's options say of checks holds; TG_ERR_USAGE if they
 * name another order than sequential, or another backend than the interpreter. */
TG_API tg_status tg_executable_check(tg_executable *executable, void *const *data,
                                     const int64_t *dynamic_grid, size_t dynamic_grid_count,
                                     const tg_check_options *orders, tg_report **report,
                                     tg_errors *errors);

typedef struct tg_finding {
    /* "block-outside-array", "access-outside-ref", "output-unwritten", ... see docs/findings.md */
    const char *kind;
    const char *level; /* "error", "warning", "note", "advice" */
    const char *kernel;
    const char *op;    /* operation, "" for what belongs to none */
    const char *param; /* parameter whose memory it is about, "" if none */
    const char *file;  /* source of the op; "" where unknown */
    const char *function;
    int64_t line;           /* 0 where unknown */
    int rank;               /* of the grid */
    const int64_t *program; /* program id, `rank` numbers; NULL where no one program is at fault */
    int64_t count;          /* occurrences of the same fault, this one included */
    const char *message;    /* one line: buffer, index, shape, and what would be legal */
    int64_t
        first;    /* least place in the array of `param` that it is about, row-major; -1: of none */
    int64_t last; /* the greatest */
    const char *order;    /* as an order option, shows it again */
    size_t related_count; /* other places that it speaks of */
    /* what may be declared so that it is none; the same for all of a report, "" where * nothing */
    const char *hint;
    size_t caller_count; /* places from which the op's line was called, as far as they are known */
    /* "device 3 (x=1, y=1)": where it was, or first was, if the run was on a mesh (tilegrind/mesh.h); ""
     * if it was not */
    const char *device;
    size_t device_count; /* devices that have it, or that it is about */
    const char *advice;  /* what would help, "" where nothing is known */
    /* what the line of the op assigns the op's value, or what is made of it, to; "" where unknown */
    const char *variable;
} tg_finding;

/* A place on the way from the call of the kernel, or further out, to the line of a finding. */
typedef struct tg_caller {
    const char *file;
    const char *function;
    int64_t line;
    const char
        *skipped; /* calls left out between it and what it called, "3 frames in jax"; "" for none */
} tg_caller;

/* Another place that a finding speaks of: the other side of a race, ... */
typedef struct tg_related {
    const char *role; /* what it has to do with the finding: "conflicts with", ... */
    const char *op;   /* this and what follows: as in tg_finding */
    const char *param;
    const char *file;
    const char *function;
    int64_t line;
    const int64_t *program;
    const char *variable;
    size_t caller_count;
} tg_related;

TG_API size_t tg_report_finding_count(const tg_report *report);
/* The texts live as long as the report; index < count, related < related_count of that finding. */
TG_API tg_finding tg_report_finding(const tg_report *report, size_t index);
TG_API tg_related tg_report_related(const tg_report *report, size_t index, size_t related);

/* index < caller_count of the finding: 0 is what called the line of the finding itself. */
TG_API tg_caller tg_report_caller(const tg_report *report, size_t finding, size_t index);

/* The same of a related place. */
TG_API tg_caller tg_report_related_caller(const tg_report *report, size_t finding, size_t related,
                                          size_t index);

/* A program of the report's grid as messages name it: "(1, 2)", or "(x=3)" where the grid's axes have
 * names; those of one program are left out then.  Returns NULL without memory; tg_text_free. */
TG_API char *tg_report_program(const tg_report *report, const int64_t *program);

/* The id of a device that a finding is on or about; index < device_count of the finding, 0 is the first. */
TG_API int64_t tg_report_device(const tg_report *report, size_t finding, size_t index);

/* The kinds of findings that there are: all that tg_finding.kind may be, each with the level of its
 * findings. */
typedef struct tg_finding_kind_info {
    const char *name;
    const char *level;
    const char *means; /* one sentence */
} tg_finding_kind_info;

TG_API size_t tg_finding_kind_count(void);
TG_API tg_finding_kind_info tg_finding_kind_get(size_t index); /* index < count; fixed texts */

typedef struct tg_run_stats {
    int64_t programs; /* that ran to their end, or whose work such a one took over */
    int threads;
    double seconds;    /* of the run itself */
    const char *order; /* with its seed: as an order option, repeats the run */
    const char *isa;
    const char *profile;
    const char *backend; /* "cpu", "emulator", "gpu" */
    /* of PTX, counted for each thread that executed one; 0 but for the emulator */
    int64_t instructions;
} tg_run_stats;

TG_API tg_run_stats tg_report_stats(const tg_report *report);

/* Elements of an output that so many programs wrote; programs: the first ones in the grid of those
 * that wrote the least of these elements, `rank` places each, as many as the part says. */
typedef struct tg_coverage_part {
    int64_t count;
    int64_t first; /* the least of them, row-major; -1: there is none */
    const int64_t *programs[2];
} tg_coverage_part;

typedef struct tg_output_coverage {
    const char *name;
    int dims;
    const int64_t *shape;                /* `dims` extents */
    int rank;                            /* axes of the grid */
    tg_coverage_part none, one, several; /* with 0, 1 and 2 programs */
} tg_output_coverage;

/* How many programs wrote the elements of each output, where the run made check "coverage"; what is
 * returned is the report's. */
TG_API size_t tg_report_output_count(const tg_report *report);
TG_API tg_output_coverage tg_report_output(const tg_report *report,
                                           size_t index); /* index < count */

/* y becomes y ^ ((y & mask) >> shift), where mask has `bits` ones from bit base + shift on; bits 0:
 * none. */
typedef struct tg_report_swizzle {
    int bits, base, shift;
} tg_report_swizzle;

/* What the accesses of an op to a memory, from one line, cost over all programs.  An access is made
 * by instructions of warps; an instruction takes wavefronts of shared memory, or sectors of 32 bytes
 * of global memory (docs/checks.md). */
typedef struct tg_memory_access_cost {
    const char *op, *param; /* as in tg_finding; "" for scoped memory */
    const char *file, *function;
    int64_t line;
    const char *space; /* "shared", "global" */
    int64_t warps;     /* of a program */
    int is_assumed; /* nothing says which lane holds what: elements go over the lanes of `warps` */
    int narrowest_bytes; /* that an instruction moves for a lane, in some program ... */
    int widest_bytes;    /* ... and in another one */
    int64_t accesses, instructions;
    int64_t cost, least;         /* wavefronts or sectors of all instructions; what would do */
    int64_t used_bytes;          /* of global memory: distinct ones in each instruction */
    int worst_cost, worst_least; /* of the instruction with the greatest cost / least */
    int rank;
    const int64_t *program; /* the first one with such an instruction: `rank` numbers */
    /* Of shared memory with conflicts: a swizzle of addresses, and as one of elements if it is one;
     * what an access of each line to that memory then takes, took and would have to. */
    tg_report_swizzle swizzle_bytes, swizzle_elements;
    int64_t swizzle_after, swizzle_before, swizzle_least;
} tg_memory_access_cost;

/* What accesses to memory cost, where the run made check "memory-cost", in the order of the kernel. */
TG_API size_t tg_report_memory_cost_count(const tg_report *report);
TG_API tg_memory_access_cost tg_report_memory_cost(const tg_report *report,
                                                   size_t index); /* index < count */

/* ---- suppressions
 * ---------------------------------------------------------------------------------- */

/* Which findings are known and not to count, as blocks of text in files (docs/reports.md).  They
 * change nothing of a run or its report: whoever reads a report asks which of its findings they
 * cover.  A report holds no more findings than tg_run_options.max_findings, so ask for as many as
 * there may be.  Once filled, threads may share them. */
typedef struct tg_suppressions tg_suppressions;

typedef struct tg_suppression {
    const char *name;
    const char *file; /* as it was given; "" for that of a text without a name */
    int64_t line;     /* where its block begins */
} tg_suppression;

TG_API tg_suppressions *tg_suppressions_new(void); /* empty; NULL without memory */
TG_API void tg_suppressions_free(tg_suppressions *suppressions);

/* Add the blocks of a file, or of a text that diagnoses call `file` (NULL: ""), behind those that
 * are there.  TG_OK, or TG_ERR_IO, _SYNTAX, _INVALID, _NO_MEMORY with everything that was found in
 * `errors`, whose `file` then ends with the line, as in "known.supp:3"; nothing is added then. */
TG_API tg_status tg_suppressions_add_file(tg_suppressions *suppressions, const char *path,
                                          tg_errors *errors);
TG_API tg_status tg_suppressions_add_text(tg_suppressions *suppressions, const char *text,
                                          size_t length, const char *file, tg_errors *errors);

TG_API size_t tg_suppressions_count(const tg_suppressions *suppressions);
/* The texts live as long as the suppressions; index < count. */
TG_API tg_suppression tg_suppressions_get(const tg_suppressions *suppressions, size_t index);

/* Whether a suppression is about findings of a kernel of that name at all. */
TG_API int tg_suppressions_concern(const tg_suppressions *suppressions, size_t index,
                                   const char *kernel);

/* The first suppression that covers a finding; tg_suppressions_count where none does. */
TG_API size_t tg_suppressions_find(const tg_suppressions *suppressions, const tg_report *report,
                                   size_t finding);

/* A block that covers a finding and its like; NULL without memory. */
TG_API char *tg_suppression_for(const tg_report *report, size_t finding);

#ifdef __cplusplus
}
#endif

#endif
