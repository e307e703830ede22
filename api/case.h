/* Runs of cases, from within. */
#ifndef TG_API_CASE_H
#define TG_API_CASE_H

#include "ir/tensor.h"
#include "loaders/case.h"
#include "tilegrind/mesh.h"

/* What the case expects of an output, and how that differs. */
typedef struct tg_output_check {
    tg_tensor *want;          /* NULL where it expects nothing */
    tg_comparison comparison; /* zeroed where `want` is NULL */
} tg_output_check;

struct tg_case_run {
    tg_report *report;
    tg_tensors outputs;
    tg_output_check *checks; /* one for each output; NULL where the run was stopped */
    tg_case_verdict verdict;
};

/* How a case is run: on one device, or on those of a mesh.  `run` fills outputs and report. */
typedef struct tg_case_runner tg_case_runner;
struct tg_case_runner {
    tg_status (*run)(const tg_case_runner *how, const tg_case *c, const tg_tensors *inputs,
                     const tg_run_options *options, tg_case_run *out, tg_errors *errors);
    const tg_run_hook *hook;     /* on one device; NULL: tg_run */
    const tg_mesh_options *mesh; /* on a mesh */
    const tg_mesh_hook *on_mesh; /* likewise; NULL: tg_mesh_run */
};

/* As tg_case_run_new. */
tg_status tg_case_run_how(const tg_case *c, const tg_run_options *options,
                          const tg_case_runner *how, tg_case_run **out, tg_errors *errors);

/* What a case expects of an output; NULL: nothing. */
tg_tensor *tg_case_expected(const tg_case *c, const char *name);

#endif
