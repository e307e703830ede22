/* What this machine has of NVIDIA: driver, devices, ptxas. */
#ifndef TG_CLI_DOCTOR_GPU_H
#define TG_CLI_DOCTOR_GPU_H

#include "base/json_out.h"

/* Looks and prints lines of `tilegrind doctor`. */
void tg_doctor_gpu_text(void);

/* As members "gpu" and "ptxas" of the object that is open. */
void tg_doctor_gpu_json(tg_json_out *json);

#endif
