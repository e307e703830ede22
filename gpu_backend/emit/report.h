/* Findings of a kernel: each site keeps the first program of the grid that reports there. */
#ifndef TG_GPU_BACKEND_EMIT_REPORT_H
#define TG_GPU_BACKEND_EMIT_REPORT_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"

/* Emits a report for the current instruction (or for the block of the param `em->param`), made
 * where the predicate is set. */
void tg_ptx_report(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_reg predicate);

/* The same, made where `ok` is 0. */
void tg_ptx_report_unless(tg_ptx_emitter *em, tg_ptx_site_kind kind, tg_ptx_uniform ok);

#endif
