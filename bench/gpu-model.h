/* gpu-model.h: what a model is fused to, for gpu-source.c. */
#ifndef TP_BENCH_GPU_MODEL_H
#define TP_BENCH_GPU_MODEL_H

#include "nest/nest.h"

/* All that a device would run of the model at @path, all that may be fused fused:
 * (owned) TpLowered *, those that are like one before left out. */
GPtrArray *gpu_model_load (const char *path, GError **error);

#endif
