/* kernels.c: see kernels.h. */
#include "config.h"

#include "ir/clock.h"
#include "runtime/pool.h"

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
bench_compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

double
bench_median (double *values, int n)
{
  qsort (values, n, sizeof *values, bench_compare_doubles);
  return values[n / 2];
}

TpTarget
bench_get_target (void)
{
  const char *threads = g_getenv ("THREADS");
  TpTarget target;

  memset (&target, 0, sizeof target);
  tp_jit_describe_cpu (&target);
  target.n_units = threads != NULL ? MAX (atoi (threads), 1) : 1;
  return target;
}

static void *
new_aligned (gint64 bytes)
{
  void *memory = NULL;

  if (posix_memalign (&memory, 64, MAX (bytes, 64)) != 0)
    exit (1);
  memset (memory, 0, MAX (bytes, 64));
  return memory;
}

static float *
new_random (gint64 n, int seed)
{
  float *values = new_aligned (n * sizeof (float));

  for (gint64 i = 0; i < n; i++)
    values[i] = tp_random_uniform (seed, i);
  return values;
}

static void *
find_buffer (const BenchProgram *bench, const TpArg *arg)
{
  switch (arg->kind)
    {
    case TP_ARG_OPERAND:
      return bench->operands[arg->index];
    case TP_ARG_PACKED:
      return bench->packs[arg->index];
    default:
      return bench->workspaces[arg->index];
    }
}

static void
compile (BenchProgram *bench)
{
  const TpProgram *program = bench->program;
  g_autofree const TpKernel **kernels
      = g_new (const TpKernel *, program->n_steps + 1);
  g_autoptr (GError) error = NULL;
  gint64 local_bytes = 0, start = tp_clock_get_ns ();

  for (int i = 0; i < program->n_steps; i++)
    {
      kernels[i] = program->steps[i].kernel;
      local_bytes = MAX (local_bytes, tp_jit_local_bytes (kernels[i]));
    }
  bench->jit = tp_jit_new (kernels, program->n_steps, &error);
  if (bench->jit == NULL)
    {
      fprintf (stderr, "bench: %s\n", error->message);
      exit (1);
    }
  bench->compile_ms = (tp_clock_get_ns () - start) * 1e-6;
  bench->local_bytes = (local_bytes + 63) / 64 * 64 + 64;
  bench->local = new_aligned (bench->local_bytes * bench->n_threads);
}

BenchProgram *
bench_program_new (const TpLowered *lowered, const TpTarget *target,
                   const char *schedule)
{
  BenchProgram *bench = g_new0 (BenchProgram, 1);
  g_autoptr (GError) error = NULL;
  const TpProgram *program = tp_program_new (lowered, target, schedule, &error);

  if (program == NULL)
    {
      fprintf (stderr, "bench: %s\n", error->message);
      exit (1);
    }
  bench->program = (TpProgram *) program;
  bench->n_threads = MAX (target->n_units, 1);
  if (!tp_pool_prepare (bench->n_threads, &error))
    {
      fprintf (stderr, "bench: %s\n", error->message);
      exit (1);
    }
  bench->n_operands = lowered->n_operands;
  bench->operands = g_new (float *, lowered->n_operands);
  for (int i = 0; i < lowered->n_operands; i++)
    bench->operands[i] = new_random (lowered->operands[i].n_elements, i);
  bench->packs = g_new (float *, program->n_packs + 1);
  for (int i = 0; i < program->n_packs; i++)
    {
      const TpPack *pack = &program->packs[i];

      bench->packs[i] = new_aligned (tp_pack_get_bytes (pack));
      tp_pack_run (pack, bench->operands[pack->operand], bench->packs[i]);
    }
  bench->workspaces = g_new (float *, program->n_workspaces + 1);
  for (int i = 0; i < program->n_workspaces; i++)
    bench->workspaces[i] = new_aligned (program->workspace_bytes[i]);
  compile (bench);
  bench->buffers = g_new (void **, program->n_steps + 1);
  for (int i = 0; i < program->n_steps; i++)
    {
      const TpStep *step = &program->steps[i];

      bench->buffers[i] = g_new (void *, step->n_args + 1);
      for (int j = 0; j < step->n_args; j++)
        bench->buffers[i][j] = find_buffer (bench, &step->args[j]);
    }
  return bench;
}

void
bench_program_free (BenchProgram *bench)
{
  for (int i = 0; i < bench->n_operands; i++)
    free (bench->operands[i]);
  for (int i = 0; i < bench->program->n_packs; i++)
    free (bench->packs[i]);
  for (int i = 0; i < bench->program->n_workspaces; i++)
    free (bench->workspaces[i]);
  for (int i = 0; i < bench->program->n_steps; i++)
    g_free (bench->buffers[i]);
  free (bench->local);
  g_free (bench->operands);
  g_free (bench->packs);
  g_free (bench->workspaces);
  g_free (bench->buffers);
  tp_jit_free (bench->jit);
  tp_program_free (bench->program);
  g_free (bench);
}

typedef struct
{
  const BenchProgram *bench;
  int step;
} BenchStep;

static void
run_groups (gpointer data, gint64 first, gint64 end, int thread)
{
  const BenchStep *at = data;
  const BenchProgram *bench = at->bench;
  TpJitFunc func = tp_jit_get (bench->jit, at->step);
  void *local = (char *) bench->local + thread * bench->local_bytes;

  for (gint64 group = first; group < end; group++)
    func (bench->buffers[at->step], group, local, 0);
}

void
bench_program_run (const BenchProgram *bench)
{
  for (int i = 0; i < bench->program->n_steps; i++)
    {
      BenchStep step = { bench, i };

      tp_pool_run (bench->n_threads, bench->program->steps[i].kernel->n_groups,
                   run_groups, &step);
    }
}

/* ---- the machine ------------------------------------------------------- */

#define N_CHAINS 12
#define N_STEPS 20000

double
bench_measure_peak (const TpTarget *target)
{
  g_autoptr (TpKernel) k = tp_kernel_new ("peak");
  int buffer = tp_kernel_add_buffer (k, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                     16, TRUE);
  g_autoptr (TpJit) jit = NULL;
  TpValue zero = tp_k_index (k, 0), acc[N_CHAINS], x;
  float data[16] __attribute__ ((aligned (64))) = { 0 };
  void *buffers[] = { data };
  double best = 0.0;

  x = tp_k_load (k, buffer, zero, target->lanes, -1);
  for (int i = 0; i < N_CHAINS; i++)
    acc[i] = tp_k_f32 (k, target->lanes, (float) i);
  tp_k_for (k, zero, tp_k_index (k, N_STEPS), 1);
  for (int i = 0; i < N_CHAINS; i++)
    acc[i] = tp_k_carry (k, acc[i]);
  for (int i = 0; i < N_CHAINS; i++)
    acc[i] = tp_k_fma (k, acc[i], x, x);
  tp_k_end_for (k, acc, N_CHAINS, acc);
  for (int i = 1; i < N_CHAINS; i++)
    acc[0] = tp_k_binary (k, TP_I_FADD, acc[0], acc[i]);
  tp_k_store (k, buffer, zero, acc[0], -1);
  jit = tp_jit_new ((const TpKernel *const *) &k, 1, NULL);
  for (int i = 0; i < 40 && jit != NULL; i++)
    {
      gint64 start = tp_clock_get_ns ();

      tp_jit_get (jit, 0) (buffers, 0, NULL, 0);
      best = MAX (best, 2.0 * N_CHAINS * N_STEPS * target->lanes
                            / (tp_clock_get_ns () - start));
    }
  return best;
}

void
bench_print_machine (const TpTarget *target)
{
  double loads[1] = { 0.0 };
  const char *identity = tp_jit_get_identity ();

  if (getloadavg (loads, 1) != 1)
    loads[0] = -1.0;
  printf ("# %.60s, %d lanes, %d registers, %d threads, L1 %d KiB, L2 %d KiB, "
          "load %.2f\n",
          identity != NULL ? identity : "no JIT", target->lanes,
          target->n_registers, target->n_units, (int) (target->l1_bytes >> 10),
          (int) (target->l2_bytes >> 10), loads[0]);
}
