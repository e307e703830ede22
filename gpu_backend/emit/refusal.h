/* What this backend does not support, with reasons: refusals.def. */
#ifndef TG_GPU_BACKEND_EMIT_REFUSAL_H
#define TG_GPU_BACKEND_EMIT_REFUSAL_H

typedef enum tg_ptx_refusal {
#define TG_PTX_REFUSAL(id, what, why) TG_PTX_REFUSES_##id,
#include "gpu_backend/emit/refusals.def"

#undef TG_PTX_REFUSAL
    TG_PTX_REFUSAL_COUNT
} tg_ptx_refusal;

/* The text of a refusal, such as "a sort by more than 64 keys". */
const char *tg_ptx_refusal_text(tg_ptx_refusal refusal);

#endif
