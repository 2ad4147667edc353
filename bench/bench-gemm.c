/* bench-gemm.c: single-thread SGEMM through the JIT against OpenBLAS, square and
 * skinny: rounds interleaved, median of the ratios of each round. w is constant, so
 * packed once, as in a network; "dynamic" packs it in every run. */
#include "config.h"

#include "ir/clock.h"

#include "kernels.h"
#include "nests.h"

#include <cblas.h>
#include <stdio.h>

#define N_ROUNDS 11

void openblas_set_num_threads (int n_threads);

static double
time_gemm (const BenchProgram *bench, int repeats)
{
  gint64 start = tp_clock_get_ns ();

  for (int i = 0; i < repeats; i++)
    bench_program_run (bench);
  return (double) (tp_clock_get_ns () - start) / repeats;
}

static double
time_blas (const BenchProgram *bench, const MatmulCase *c, int repeats)
{
  gint64 start = tp_clock_get_ns ();

  for (int i = 0; i < repeats; i++)
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, c->m, c->n, c->k,
                 1.0f, bench->operands[0], c->k, bench->operands[1], c->n, 0.0f,
                 bench->operands[3], c->n);
  return (double) (tp_clock_get_ns () - start) / repeats;
}

static void
race (const MatmulCase *c, const TpTarget *target)
{
  g_autoptr (TpLowered) lowered = new_matmul (c);
  BenchProgram *bench = bench_program_new (lowered, target, NULL);
  double flops = 2.0 * c->m * c->n * c->k;
  int repeats = MAX (1, 4e8 / flops);
  double ours[N_ROUNDS], theirs[N_ROUNDS], ratios[N_ROUNDS];

  time_gemm (bench, 1);
  time_blas (bench, c, 1);
  for (int i = 0; i < N_ROUNDS; i++)
    {
      ours[i] = time_gemm (bench, repeats);
      theirs[i] = time_blas (bench, c, repeats);
      ratios[i] = theirs[i] / ours[i];
    }
  printf ("%4dx%4dx%5d %-8s %7.1f GFLOP/s, OpenBLAS %7.1f, ratio %.3f  %s\n",
          (int) c->m, (int) c->n, (int) c->k,
          c->is_w_constant ? "constant" : "dynamic",
          flops / bench_median (ours, N_ROUNDS),
          flops / bench_median (theirs, N_ROUNDS),
          bench_median (ratios, N_ROUNDS), bench->program->schedule);
  bench_program_free (bench);
}

int
main (void)
{
  static const int sizes[][3] = {
    { 64, 64, 64 },      { 128, 128, 128 },  { 256, 256, 256 },
    { 384, 384, 384 },   { 512, 512, 512 },  { 1024, 1024, 1024 },
    { 64, 64, 16384 },   { 16, 16, 65536 },  { 196, 512, 16384 },
    { 1, 1024, 4096 },   { 8, 1024, 4096 },  { 512, 16, 1024 },
  };
  TpTarget target = bench_get_target ();

  openblas_set_num_threads (1);
  bench_print_machine (&target);
  printf ("# peak %.1f GFLOP/s\n", bench_measure_peak (&target));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int is_constant = 1; is_constant >= 0; is_constant--)
      {
        MatmulCase c = { 1, sizes[i][0], sizes[i][1], sizes[i][2],
                         .is_w_constant = is_constant };

        race (&c, &target);
      }
  return 0;
}
