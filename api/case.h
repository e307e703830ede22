/* Runs of cases, from within. */
#ifndef TG_API_CASE_H
#define TG_API_CASE_H

#include "ir/tensor.h"
#include "loaders/case.h"
#include "tilegrind/case.h"

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

#endif
