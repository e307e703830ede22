/* Arrays on the devices of a mesh, and kernels that run there: one run a device, each on its own
 * parts of the arrays.
 *
 *   const tg_mesh_sharding list[] = {{"x", "P('x', 'y')"}, {"y", "P('x', 'y')"}, {"o", "P('x')"}};
 *   const tg_mesh_options mesh = {sizeof mesh, "x=4,y=2", list, 3};
 *   if (tg_mesh_run(module, NULL, inputs, &mesh, NULL, outputs, &report, errors) == TG_OK)
 *       ... tg_report_finding(report, 0).device ...
 *
 * docs/mesh.md says which notations there are, and what is compared and reduced. */
#ifndef TILEGRIND_MESH_H
#define TILEGRIND_MESH_H

#include "tilegrind/case.h"
#include "tilegrind/layout.h"
#include "tilegrind/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where an array is ---- */

/* Where an array of some shape is on the devices of a mesh: an Axe layout on gpuid and m, the names
 * of the mesh, and what a layout cannot say: which copies are terms of a reduction, and the ids of
 * devices.  It never changes; any number of threads may use it. */
typedef struct tg_mesh_layout tg_mesh_layout;

/* Reads one, in any of these notations:
 *   P('x', None)                      JAX's PartitionSpec
 *   [{"x"}, {}], unreduced={"y"}      Shardy's lists of axes
 *   (S(0), P)                         OneFlow's SBP signature
 *   (4,8):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid] | devices [0,2,1,3,4,6,5,7]
 *                                     an Axe layout, as text, or without terms and ids as JSON
 *
 *   notation  "jax", "shardy", "sbp" or "axe": it must be that; NULL: whichever it is
 *   mesh      names and numbers of devices, "x=4,y=2", or Shardy's form, <["x"=4], device_ids=[..]>.
 *             NULL: the text begins with it (x=4,y=2 P('x')), has it in it
 *             (#sdy.sharding<mesh<..>, ..>), or is an Axe layout, whose devices have numbers only
 *   shape     `rank` extents of the whole array
 *
 * TG_ERR_SYNTAX, TG_ERR_INVALID with the offset in `text` where one is known; TG_ERR_USAGE for a
 * mesh that is missing, or a notation that there is not; TG_ERR_UNSUPPORTED.  The caller frees *out. */
TG_API tg_status tg_mesh_layout_read(const char *notation, const char *text, const char *mesh,
                                     const int64_t *shape, size_t rank, tg_mesh_layout **out,
                                     tg_errors *errors);
TG_API void tg_mesh_layout_free(tg_mesh_layout *layout);

/* The same in a notation, "axe", "jax", "shardy" or "sbp", the last three with the mesh; NULL if
 * the notation cannot say it, with the reason. */
TG_API char *tg_mesh_layout_print(const tg_mesh_layout *layout, const char *notation,
                                  tg_errors *errors);

TG_API size_t tg_mesh_layout_device_count(const tg_mesh_layout *layout);

/* The block of the array that a device holds. */
typedef struct tg_mesh_shard {
    int64_t device;  /* its id */
    int64_t replica; /* how many devices before it, by position, hold the same block */
    size_t rank;
    int64_t first[16], extent[16];
} tg_mesh_shard;

/* That of the device at a position of the mesh.  TG_ERR_USAGE for a position that there is not,
 * TG_ERR_UNSUPPORTED, with the reason, if devices do not hold blocks. */
TG_API tg_status tg_mesh_layout_shard(const tg_mesh_layout *layout, size_t position,
                                      tg_mesh_shard *out, tg_errors *errors);

/* ---- from one to another ---- */

/* The collectives that move an array from one layout to another. */
typedef struct tg_mesh_plan tg_mesh_plan;

/* Both of one shape and mesh; devices may be in another order.  TG_ERR_INVALID, TG_ERR_UNSUPPORTED
 * with the reason, also where a layout is no sharding.  The caller frees *out. */
TG_API tg_status tg_mesh_plan_new(const tg_mesh_layout *from, const tg_mesh_layout *to,
                                  int64_t element_bytes, tg_mesh_plan **out, tg_errors *errors);
TG_API void tg_mesh_plan_free(tg_mesh_plan *plan);

/* One collective, and its bytes where each device sends its data once. */
typedef struct tg_mesh_step {
    const char *kind;  /* "all_gather", "all_slice", "all_to_all", ... see docs/mesh.md */
    const char *text;  /* with axes and shardings; lives as long as the plan */
    int64_t devices;   /* that send something */
    int64_t sent;      /* by each of these, to others */
    int64_t ring_link; /* over each link, where the devices of a group are a ring */
    int64_t pair_link; /* over each link, where each has a link to each other */
} tg_mesh_step;

TG_API size_t tg_mesh_plan_step_count(const tg_mesh_plan *plan);
TG_API tg_mesh_step tg_mesh_plan_step(const tg_mesh_plan *plan, size_t step); /* step < count */

/* ---- runs ---- */

/* How the array of a parameter is spread over the devices. */
typedef struct tg_mesh_sharding {
    const char *param;
    const char *text;     /* as tg_mesh_layout_read takes it */
    const int64_t *shape; /* `rank` extents of the whole array; NULL: that of the input; of an
                             output, that of the parameter times the numbers of blocks */
    size_t rank;
} tg_mesh_sharding;

typedef struct tg_mesh_options {
    size_t size;      /* sizeof(tg_mesh_options): lets the struct grow */
    const char *mesh; /* NULL: that of the first sharding that has one; else numbers only */
    const tg_mesh_sharding *shardings; /* one for each prefetch, input and output parameter */
    size_t sharding_count;
    const char *device_order;      /* "sequential" (default), "reversed", "shuffled[:SEED]" */
    const tg_check_options *check; /* not NULL: each device's run is a check, as of tg_check */
} tg_mesh_options;

/* Runs a kernel once on each device of a mesh, on the parts that the device has, and puts the parts
 * of outputs together.
 *   inputs   whole arrays, one for each prefetch and input parameter; only read
 *   options  of each run; progress counts programs of all devices, and text of debug_print ops
 *            begins with the device
 *   outputs  empty; gets a new whole array for each output parameter, in their order
 *   report   one of all runs.  A finding that several devices have is there once, with the first of
 *            them; devices whose copies of an output differ are the finding `replicas-differ`
 *
 * Of copies that differ, the whole array has that of the first device.  Terms of an output are
 * reduced in the order of their positions in the mesh, from left to right.  Of an input, the first
 * device has the array as its term of a sum, and the others have zeros; of a maximum or minimum,
 * each has the array.
 *
 * TG_ERR_USAGE, TG_ERR_INVALID, TG_ERR_UNSUPPORTED with all that is wrong with the arrays and
 * shardings, whose `file` in `errors` is "sharding of NAME"; else as tg_run. */
TG_API tg_status tg_mesh_run(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                             const tg_mesh_options *mesh, const tg_run_options *options,
                             tg_arrays *outputs, tg_report **report, tg_errors *errors);

/* What runs a kernel on a mesh in the place of tg_mesh_run: a function that calls it. */
typedef struct tg_mesh_hook {
    size_t size; /* sizeof(tg_mesh_hook): lets the struct grow */
    tg_status (*run)(void *context, const tg_module *module, const char *kernel,
                     const tg_arrays *inputs, const tg_mesh_options *mesh,
                     const tg_run_options *options, tg_arrays *outputs, tg_report **report,
                     tg_errors *errors);
    void *context;
} tg_mesh_hook;

/* ---- cases ---- */

/* As tg_case_open.  The arrays of the case are whole ones, of which devices have parts: they may have
 * other shapes than the kernel's. */
TG_API tg_status tg_case_open_on_mesh(const char *folder, tg_case **out, tg_errors *errors);

/* As tg_case_run_new, on the devices of a mesh: the whole outputs are held against what the case expects.
 *   mesh  as for tg_mesh_run; a whole output whose shape is not given has that which the case expects
 *   hook  what runs the kernel; NULL: tg_mesh_run
 * TG_ERR_USAGE for an output of another shape than the case expects. */
TG_API tg_status tg_case_run_on_mesh(const tg_case *c, const tg_mesh_options *mesh,
                                     const tg_run_options *options, const tg_mesh_hook *hook,
                                     tg_case_run **out, tg_errors *errors);

/* ---- recordings ---- */

/* Records the run of one device, by its id, as tg_record does.
 *   inputs, mesh, options  as for tg_mesh_run; whole arrays
 *   report                 of the run on the mesh; findings of other devices play no part
 * The parts of the arrays are the recording's own: it outlives `inputs`.  TG_ERR_USAGE for a device that there is
 * not, else what tg_mesh_run and tg_record return. */
TG_API tg_status tg_mesh_record(const tg_module *module, const char *kernel,
                                const tg_arrays *inputs, const tg_mesh_options *mesh,
                                int64_t device, const tg_run_options *options,
                                const tg_report *report, const tg_record_limits *limits,
                                tg_recording **out, tg_errors *errors);

/* The ids of the devices that are worth to be recorded, ascending: first those of findings, then the
 * others, by their ids.  Writes at most `most` of them, for which TG_MESH_RECORDED is a good number;
 * returns how many. 0 for a run that was not of tg_mesh_run. */
enum { TG_MESH_RECORDED = 16 };
TG_API size_t tg_mesh_devices_to_record(const tg_report *report, int64_t *out, size_t most);

/* ---- reports ---- */

/* Devices that the run of a report was on: 0 if it was not on a mesh. */
TG_API size_t tg_report_device_count(const tg_report *report);

/* "device 3 (x=1, y=1)": the device with that id; device < count. */
TG_API const char *tg_report_device_name(const tg_report *report, size_t device);

/* The order of the devices' runs, as an option that repeats it; "" if it was not on a mesh. */
TG_API const char *tg_report_device_order(const tg_report *report);

/* What became of an output's parts. */
typedef struct tg_mesh_output {
    const char *name;
    const char *layout;    /* Axe */
    int64_t blocks;        /* parts of the whole array that are not copies of each other */
    int64_t copies;        /* of each: they were compared */
    int64_t terms;         /* of each copy: they were reduced; 1: none */
    const char *reduction; /* "sum", "max", "min"; "" for none */
} tg_mesh_output;

TG_API size_t tg_report_mesh_output_count(const tg_report *report);
TG_API tg_mesh_output tg_report_mesh_output(const tg_report *report, size_t i); /* i < count */

/* Says that the run of a report was on a device of a mesh: its findings then have that.
 *   device    its id
 *   mesh      NULL: coordinates are not known
 *   position  of the device in the mesh: row-major, whatever the ids are
 * TG_ERR_USAGE for an id below 0, a position that the mesh has not, or a report of tg_mesh_run, which
 * has devices; TG_ERR_SYNTAX, TG_ERR_INVALID for what is no mesh. */
TG_API tg_status tg_report_set_device(tg_report *report, int64_t device, const char *mesh,
                                      int64_t position, tg_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
