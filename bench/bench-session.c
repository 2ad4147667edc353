/* bench-session.c: whole networks on one device: time to make a session, time
 * of a run, memory. All groups that could be fused are.
 *
 * usage: bench-session DEVICE THREADS ROUNDS GRAPH... */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "planner/fuse.h"
#include "runtime/session.h"

#include <stdio.h>
#include <stdlib.h>

static TpPlan *
plan_new (const TpGraph *graph, const char *device)
{
  TpPlan *plan = tp_plan_new ();

  plan->devices = g_strsplit (device, " ", -1);
  plan->n_devices = 1;
  plan->groups = tp_fuse_find (graph, NULL);
  plan->n_placements = graph->n_nodes;
  plan->placements = g_new0 (TpPlacement, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    plan->placements[i].node = i;
  return plan;
}

static void **
arrays_new (const TpGraph *graph, const int *tensors, int n)
{
  void **arrays = g_new0 (void *, n + 1);

  for (int i = 0; i < n; i++)
    {
      const TpTensor *tensor = &graph->tensors[tensors[i]];

      arrays[i] = g_malloc0 (tensor->size_bytes + 1);
      if (tensor->dtype == TPLAN_DTYPE_FLOAT32)
        for (gint64 j = 0; j < tensor->count; j++)
          ((float *) arrays[i])[j] = tp_random_uniform (1, j);
    }
  return arrays;
}

static gboolean
measure (TpSession *session, const TpGraph *graph, int n_rounds, double *out_ms,
         GError **error)
{
  void **inputs = arrays_new (graph, graph->inputs, graph->n_inputs);
  void **outputs = arrays_new (graph, graph->outputs, graph->n_outputs);

  *out_ms = G_MAXDOUBLE;
  for (int i = 0; i < n_rounds; i++)
    {
      if (!tp_session_run (session, (const void *const *) inputs, outputs,
                           error))
        return FALSE;
      *out_ms = MIN (*out_ms, tp_session_get_time_ns (session) / 1e6);
    }
  return TRUE; /* the arrays live as long as the program */
}

static gboolean
bench (const char *path, char **argv, GError **error)
{
  g_autoptr (TpGraph) raw = tp_graph_load (path, NULL, error);
  g_autoptr (TpGraph) graph = raw ? tp_graph_prepare (raw, error) : NULL;
  g_autoptr (TpPlan) plan = graph ? plan_new (graph, argv[1]) : NULL;
  TpDeviceOptions options = { .n_threads = atoi (argv[2]) };
  gint64 start = g_get_monotonic_time (), made;
  g_autoptr (TpSession) session
      = graph ? tp_session_new (graph, plan, &options, error) : NULL;
  TpSessionMemory memory;
  double least_ms;

  made = g_get_monotonic_time ();
  if (session == NULL
      || !measure (session, graph, atoi (argv[3]), &least_ms, error))
    return FALSE;
  tp_session_get_memory (session, 0, &memory);
  printf ("session %s %s threads %s: made in %.0f ms, %.1f MB, run %.2f ms\n",
          graph->name, argv[1], argv[2], (made - start) / 1e3,
          (memory.arena_bytes + memory.weight_bytes + memory.workspace_bytes)
              / 1e6,
          least_ms);
  return TRUE;
}

int
main (int argc, char **argv)
{
  if (argc < 5)
    {
      fprintf (stderr, "usage: %s DEVICE THREADS ROUNDS GRAPH...\n", argv[0]);
      return 2;
    }
  for (int i = 4; i < argc; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!bench (argv[i], argv, &error))
        {
          fprintf (stderr, "%s: %s\n", argv[i], error->message);
          return 1;
        }
    }
  return 0;
}
