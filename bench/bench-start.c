/* bench-start.c: where the time goes from a process to its first result: a plan is
 * read, its kernels are chosen, made and linked, weights are packed. Each round is a
 * process of its own; the first one finds no code kept, the others all of it. The
 * least of those is printed: whatever else the machine does makes it longer.
 *
 * usage: bench-start THREADS ROUNDS PLAN...         of plans for the cpu alone */
#include "config.h"

#include "format/graph-load.h"
#include "format/plan-load.h"
#include "graph/pass.h"
#include "ir/clock.h"
#include "ir/plan-memory.h"
#include "ops/lower.h"
#include "runtime/compiler.h"
#include "runtime/devices.h"
#include "runtime/host.h"
#include "runtime/kernel-code.h"
#include "runtime/private-folder.h"
#include "runtime/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process measures: all of a start; or what it is made of, one by one. */
typedef enum
{
  PLAN, SESSION, RUN, READY, MEMORY, N_WHOLE,
  READ = N_WHOLE, PREPARE, OPEN, LOWER, CHOOSE, OBJECTS, PACK, N_FIGURES
} Figure;

static const char *const names[N_FIGURES]
    = { "plan", "session", "first run", "ready", "peak MiB",
        "read", "prepare", "open", "lower", "kernels", "objects", "pack" };

typedef struct
{
  const char *path, *cache;
  int n_threads;
  gint64 before_ns;
  double figures[N_FIGURES];  /* ms */
} Start;

/* What has passed since the last is @figure. */
static void
take_time (Start *start, Figure figure)
{
  gint64 now_ns = tp_clock_get_ns ();

  start->figures[figure] = (now_ns - start->before_ns) / 1e6;
  start->before_ns = now_ns;
}

static TpDeviceOptions
get_options (const Start *start)
{
  return (TpDeviceOptions){ .n_threads = start->n_threads,
                            .code_cache = start->cache };
}

/* ---- all of it ----------------------------------------------------------- */

static void **
arrays_new (const TpGraph *graph, const int *tensors, int n)
{
  void **arrays = g_new0 (void *, n + 1);

  for (int i = 0; i < n; i++)
    arrays[i] = g_malloc0 (graph->tensors[tensors[i]].size_bytes + 1);
  return arrays; /* they live as long as the process */
}

static gboolean
measure_whole (Start *start, GError **error)
{
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = tp_plan_load (start->path, &graph, error);
  const TpDeviceOptions options = get_options (start);
  g_autoptr (TpSession) session = NULL;
  struct rusage usage;
  void **inputs, **outputs;

  if (plan == NULL)
    return FALSE;
  take_time (start, PLAN);
  session = tp_session_new (graph, plan, &options, error);
  if (session == NULL)
    return FALSE;
  take_time (start, SESSION);
  inputs = arrays_new (graph, graph->inputs, graph->n_inputs);
  outputs = arrays_new (graph, graph->outputs, graph->n_outputs);
  start->before_ns = tp_clock_get_ns ();
  if (!tp_session_run (session, (const void *const *) inputs, outputs, error))
    return FALSE;
  take_time (start, RUN);
  start->figures[READY] = start->figures[PLAN] + start->figures[SESSION];
  getrusage (RUSAGE_SELF, &usage);
  start->figures[MEMORY] = usage.ru_maxrss / 1024.0;
  return TRUE;
}

/* ---- one by one ---------------------------------------------------------- */

typedef struct
{
  Start *start;
  TpGraph *graph;
  TpPlan *plan;
  TpExecution *execution;
  TpDevice *device;
  TpDeviceInfo info;
  TpUnit *units;
} Parts;

static gboolean
open_all (Parts *parts, GError **error)
{
  Start *start = parts->start;
  const TpDeviceOptions options = get_options (start);
  g_autoptr (TpGraph) raw = NULL;
  g_autoptr (TpGraph) prepared = NULL;

  parts->plan = tp_plan_load (start->path, &parts->graph, error);
  if (parts->plan == NULL)
    return FALSE;
  start->before_ns = tp_clock_get_ns ();
  raw = tp_graph_load (parts->plan->graph_path, NULL, error);
  take_time (start, READ);
  prepared = raw != NULL ? tp_graph_prepare (raw, error) : NULL;
  take_time (start, PREPARE);
  parts->execution
      = prepared != NULL
            ? tp_plan_spell_out (parts->plan, parts->graph, error) : NULL;
  parts->device = parts->execution != NULL
                      ? tp_device_open ("cpu", &options, error) : NULL;
  if (parts->device == NULL)
    return FALSE;
  parts->device->ops->describe (parts->device, &parts->info);
  take_time (start, OPEN);
  return TRUE;
}

static gboolean
lower_all (Parts *parts, GError **error)
{
  const TpUnits *all = parts->execution->units;
  const char **schedules = tp_plan_list_schedules (parts->plan, parts->graph);

  parts->units = g_new0 (TpUnit, all->n + 1);
  for (int i = 0; i < all->n; i++)
    {
      const TpPlacedUnit *it = &all->units[i];
      TpLowered *lowered = tp_lower_nodes (parts->graph, it->nodes,
                                           it->n_nodes, error);

      if (lowered == NULL)
        return FALSE;
      parts->units[i] = (TpUnit){ .graph = parts->graph,
                                  .n_nodes = it->n_nodes, .nodes = it->nodes,
                                  .lowered = lowered,
                                  .schedule = schedules[it->nodes[0]] };
    }
  take_time (parts->start, LOWER);
  return TRUE;
}

/* Buffers of tensors that a run makes are none here: nothing runs. */
static gboolean
bind_unit (const Parts *parts, TpKernelCode *code, int unit, GError **error)
{
  TpArray *operands = tp_unit_list_operands (&parts->units[unit]);
  TpBuf **bufs = g_new0 (TpBuf *, operands->len + 1);

  for (guint i = 0; i < operands->len; i++)
    {
      int tensor = tp_array_index (operands, TpUnitOperand, i).tensor;

      if (tensor >= 0 && !tp_tensor_is_constant (&parts->graph->tensors[tensor]))
        bufs[i] = tp_host_buf_wrap (bufs, 0);
    }
  for (int i = 0; i < code->units[unit].program->n_steps; i++)
    if (tp_kernel_code_bind (code, unit, i, bufs, error) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
make_all (Parts *parts, GError **error)
{
  Start *start = parts->start;
  g_autoptr (TpCodeCache) cache = tp_code_cache_open (start->cache, NULL);
  const TpCompiler compiler = { parts->info.target.n_units, cache };
  TpKernelCode code = { .base.n_units = parts->execution->units->n,
                        .device = parts->device, .is_host = TRUE,
                        .n_threads = parts->info.target.n_units };
  TpJit *jit;

  if (!tp_kernel_code_init (&code, &parts->info.target, parts->units, error))
    return FALSE;
  take_time (start, CHOOSE);
  jit = tp_compiler_make (
      &compiler, (const TpKernel *const *) (void *) code.kernels->data,
      code.kernels->len, error);
  if (jit == NULL)
    return FALSE;
  take_time (start, OBJECTS);
  for (int i = 0; i < code.base.n_units; i++)
    if (!bind_unit (parts, &code, i, error))
      return FALSE;
  take_time (start, PACK);
  return TRUE;
}

static gboolean
measure_parts (Start *start, GError **error)
{
  Parts parts = { .start = start };

  return open_all (&parts, error) && lower_all (&parts, error)
         && make_all (&parts, error);
}

/* ---- processes ----------------------------------------------------------- */

typedef gboolean (*Measure) (Start *start, GError **error);

static G_NORETURN void
work (Start *start, Measure measure, int pipe)
{
  g_autoptr (GError) error = NULL;

  start->before_ns = tp_clock_get_ns ();
  if (!measure (start, &error))
    {
      fprintf (stderr, "%s: %s\n", start->path, error->message);
      _exit (EXIT_FAILURE);
    }
  _exit (write (pipe, start->figures, sizeof start->figures)
                 == sizeof start->figures
             ? EXIT_SUCCESS : EXIT_FAILURE);
}

static gboolean
measure_in_child (Start *start, Measure measure)
{
  int pipes[2], status = EXIT_FAILURE;
  gboolean is_good;
  pid_t child;

  if (pipe (pipes) != 0)
    return FALSE;
  child = fork ();
  if (child == 0)
    work (start, measure, pipes[1]);
  close (pipes[1]);
  is_good = read (pipes[0], start->figures, sizeof start->figures)
            == sizeof start->figures;
  close (pipes[0]);
  return waitpid (child, &status, 0) == child && status == 0 && is_good;
}

/* The least of @n_rounds. */
static gboolean
measure_rounds (const Start *start, int n_rounds, double *least)
{
  for (int i = 0; i < N_FIGURES; i++)
    least[i] = G_MAXDOUBLE;
  for (int round = 0; round < n_rounds; round++)
    {
      Start it = *start;

      if (!measure_in_child (&it, measure_whole)
          || !measure_in_child (&it, measure_parts))
        return FALSE;
      for (int i = 0; i < N_FIGURES; i++)
        least[i] = MIN (least[i], it.figures[i]);
    }
  return TRUE;
}

static void
print_row (const char *what, const double *figures)
{
  printf ("%-32s", what);
  for (int i = 0; i < N_FIGURES; i++)
    printf (" %9.1f", figures[i]);
  printf ("\n");
}

static gboolean
bench (Start *start, int n_rounds)
{
  g_autofree char *name = g_path_get_basename (start->path);
  g_autofree char *cold_name = g_strconcat (name, " cold", NULL);
  Start cold = *start;
  double least[N_FIGURES];

  if (!measure_in_child (&cold, measure_whole))
    return FALSE;
  print_row (cold_name, cold.figures);
  if (!measure_rounds (start, n_rounds, least))
    return FALSE;
  print_row (name, least);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = tp_private_folder_make_temporary (NULL);
  int status = cache == NULL ? EXIT_FAILURE : EXIT_SUCCESS;

  if (argc < 4)
    {
      fprintf (stderr, "usage: %s THREADS ROUNDS PLAN...\n", argv[0]);
      return 2;
    }
  printf ("%-32s", "ms, the least");
  for (int i = 0; i < N_FIGURES; i++)
    printf (" %9s", names[i]);
  printf ("\n");
  for (int i = 3; i < argc && status == EXIT_SUCCESS; i++)
    {
      Start start = { .path = argv[i], .cache = cache,
                      .n_threads = atoi (argv[1]) };

      status = bench (&start, atoi (argv[2])) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
  return status;
}
