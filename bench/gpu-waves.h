/* gpu-waves.h: what the items of a wave ask of memory together, read off a kernel. */
#ifndef TP_BENCH_GPU_WAVES_H
#define TP_BENCH_GPU_WAVES_H

#include "kernel/kernel.h"

/* In the innermost loop that has most multiply-adds (all of the kernel, if it has no
 * loop), at its first turn, in a group of the middle. */
typedef struct
{
  gint64 fma;                 /* multiply-adds of an item */
  gint64 local_bytes;         /* of the wave: what several items read counts once */
  gint64 local_cycles;        /* of 32 banks of four bytes, which give a word each */
  gint64 global_bytes;        /* of the pieces of 32 bytes that the wave touches */
} GpuWave;

/* Of the first @n_items items. */
void gpu_wave_init (GpuWave *wave, const TpKernel *kernel, int n_items);
/* Of the whole kernel: bytes of its buffers, each once, per multiply-add; 0: it has
 * none. */
double gpu_wave_get_traffic (const TpKernel *kernel);

#endif
