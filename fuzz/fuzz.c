/* fuzz.c: see fuzz.h. */
#include "config.h"

#include "fuzz/fuzz.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "format/plan-json.h"
#include "graph/graph-batch.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/op.h"
#include "ir/plan-memory.h"
#include "machine/machine-costs.h"
#include "machine/machine.h"
#include "ops/lower.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/place.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES_USED 64

GBytes *
fuzz_get_file (const char *variable)
{
  const char *path = getenv (variable);
  char *text;
  gsize size;

  if (path == NULL || !g_file_get_contents (path, &text, &size, NULL))
    g_error ("%s must name a file: `make fuzz` sets it", variable);
  return g_bytes_new_take (text, size);
}

const TpLimits *
fuzz_get_limits (void)
{
  static TpLimits limits;

  if (limits.values[TP_LIMIT_NODES] == 0)
    {
      tp_limits_init (&limits);
      tp_limits_set (&limits, "nodes", 10000, NULL);
      tp_limits_set (&limits, "memory", 256 << 20, NULL);
      tp_limits_set (&limits, "fold", 1 << 20, NULL);
    }
  return &limits;
}

static void
lower_nodes (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_nodes; i++)
    {
      TpLowered *lowered = tp_lower_nodes (graph, &i, 1, NULL);

      if (lowered != NULL)
        tp_lowered_free (lowered);
    }
}

static TpCosts *
estimate (const TpGraph *graph, const TpGroups *groups)
{
  const char *const names[] = { "sim:desktop-cpu", "sim:laptop-gpu" };
  g_autoptr (TpCosts) costs = tp_costs_new (2, names, graph, groups);
  g_autoptr (TpWorks) works = tp_works_new (graph, groups);

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TpMachine) machine = tp_machine_parse (names[i] + 4, NULL);

      tp_machine_fill_costs (machine, i, works, costs);
    }
  return g_steal_pointer (&costs);
}

static void
plan_graph (const TpGraph *graph)
{
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  g_autoptr (TpCosts) costs = estimate (graph, groups);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpPlan) plan = NULL;
  g_autofree char *text = NULL;

  if (costs == NULL)
    return;
  plan = tp_place (graph, groups, costs, "time", NULL);
  if (plan == NULL)
    return;
  tp_plan_count_memory (plan, graph);
  if (!tp_check (plan, graph, reasons))
    g_error ("our own plan is not valid: %s",
             (const char *) g_ptr_array_index (reasons, 0));
  text = tp_plan_to_json (plan, graph);
}

/* In two parts, of which one is a sample. */
static void
split_graph (TpGraph *graph)
{
  gint64 batch = tp_graph_find_batch (graph);
  const gint64 sizes[] = { batch - 1, 1 };
  g_autoptr (TpGraph) parts = tp_graph_split_batch (graph, sizes, 2, NULL);

  if (parts == NULL)
    return;
  lower_nodes (parts);
  plan_graph (parts);
}

void
fuzz_use_graph (const TpGraph *graph)
{
  g_autoptr (TpGraph) ready = tp_graph_prepare (graph, NULL);
  g_autofree char *digest = NULL;

  if (ready == NULL)
    return;
  digest = tp_graph_digest (ready);
  if (ready->n_nodes > MAX_NODES_USED)
    return;
  lower_nodes (ready);
  plan_graph (ready);
  split_graph (ready);
}

/* Whatever file the model names is the model. */
static GBytes *
give_model (const char *name, gpointer bytes, GError **error)
{
  return g_bytes_ref (bytes);
}

static TpGraph *
read_model (GBytes *bytes, const char *const *outputs, GError **error)
{
  const TpLoadOptions options = { .limits = fuzz_get_limits (),
                                  .outputs = outputs,
                                  .load_file = give_model,
                                  .load_file_data = bytes,
                                  .is_in_memory = TRUE };

  return tp_graph_read_bytes (TP_MODEL_IN_MEMORY, bytes, &options, error);
}

/* What an error tells to name is there to be named; other ops may be in the way. */
static void
try_remedy (GBytes *bytes, const char *message)
{
  static const char option[] = " --outputs=";
  const char *from = strstr (message, option);
  g_auto (GStrv) outputs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;

  /* What is no text for a terminal is told as '?'. */
  if (from == NULL || strstr (message, ", or plan up to ") == NULL
      || strchr (from, '?') != NULL
      || !g_shell_parse_argv (from, NULL, &outputs, NULL))
    return;
  for (int i = 0; outputs[i] != NULL; i++)
    {
      char *name = g_strdup (outputs[i] + strlen ("--outputs="));

      g_free (outputs[i]);
      outputs[i] = name;
    }
  graph = read_model (bytes, (const char *const *) outputs, &error);
  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    g_error ("%s", error->message);
}

void
fuzz_try_model (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_model (bytes, NULL, &error);

  if (graph != NULL)
    fuzz_use_graph (graph);
  else
    try_remedy (bytes, error->message);
}
