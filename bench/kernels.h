/* kernels.h: runs programs through the JIT, for benches of schedules. */
#ifndef TP_BENCH_KERNELS_H
#define TP_BENCH_KERNELS_H

#include "kernel/jit.h"
#include "schedule/program.h"

typedef struct
{
  TpProgram *program;
  TpJit *jit;
  float **operands;           /* random; owned */
  int n_operands;
  float **packs, **workspaces;
  void ***buffers;            /* per step */
  void *local;                /* of each thread */
  gint64 local_bytes;
  int n_threads;
  double compile_ms;
} BenchProgram;

/* @schedule: (nullable) as of tp_program_new(). Takes nothing; exits with a
 * message when kernels cannot be made. */
BenchProgram *bench_program_new (const TpLowered *lowered,
                                 const TpTarget *target, const char *schedule);
void bench_program_free (BenchProgram *bench);
void bench_program_run (const BenchProgram *bench);

int bench_compare_doubles (const void *a, const void *b);
double bench_median (double *values, int n);
/* The CPU for kernels: THREADS of it, one if that is not set. */
TpTarget bench_get_target (void);
/* GFLOP/s of a chain of multiply-adds in registers. */
double bench_measure_peak (const TpTarget *target);
/* Machine and load, one line. */
void bench_print_machine (const TpTarget *target);

#endif
