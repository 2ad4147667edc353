/* memory-peak.c: see memory-peak.h. */
#include "config.h"

#include "ir/memory-peak.h"

#include "ir/guard.h"

#define MAX_NAMED 3

static gboolean
is_alive (const TpExecution *execution, int storage, int device, int action)
{
  const TpStorage *it = &execution->storages[storage];

  return it->device == device && !it->is_constant && it->first <= action
         && action <= it->last;
}

/* The first action during which most is alive. */
static int
find_peak (const TpExecution *execution, int device)
{
  int n = execution->n_actions, found = 0;
  g_autofree double *changes = tp_new0 (double, n + 2);
  double alive = 0, most = 0;

  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      if (it->device != device || it->is_constant || it->first < 0)
        continue;
      changes[it->first] += (double) it->size_bytes;
      changes[it->last + 1] -= (double) it->size_bytes;
    }
  for (int i = 0; i < n; i++)
    {
      alive += changes[i];
      if (alive > most)
        found = i;
      most = MAX (most, alive);
    }
  return found;
}

static void
describe_action (const TpExecution *execution, int action, GString *out)
{
  const TpGraph *graph = execution->graph;
  const TpAction *it = &execution->actions[action];

  if (it->kind == TP_DO_LAUNCH)
    {
      const TpPlacedUnit *unit = &execution->units->units[it->unit];

      g_string_append_printf (
          out, "when op '%s' runs",
          graph->nodes[unit->nodes[unit->n_nodes - 1]].name);
    }
  else
    g_string_append_printf (out, "when tensor '%s' is copied",
                            graph->tensors[it->tensor].name);
}

/* The largest that is alive then and was not @named; -1: none. */
static int
find_largest (const TpExecution *execution, int device, int action,
              const int *named, int n_named)
{
  int found = -1;

  for (int i = 0; i < execution->n_storages; i++)
    {
      gboolean is_new = is_alive (execution, i, device, action);

      for (int k = 0; k < n_named; k++)
        is_new = is_new && named[k] != i;
      if (is_new
          && (found < 0
              || execution->storages[i].size_bytes
                     > execution->storages[found].size_bytes))
        found = i;
    }
  return found;
}

char *
tp_memory_peak_describe (const TpExecution *execution, int device)
{
  GString *out = g_string_new (NULL);
  int named[MAX_NAMED], action = find_peak (execution, device);

  if (execution->n_actions > 0)
    describe_action (execution, action, out);
  g_string_append_printf (out, ": weights %" G_GINT64_FORMAT " bytes",
                          execution->memory[device].weight_bytes);
  for (int n = 0; n < MAX_NAMED; n++)
    {
      named[n] = find_largest (execution, device, action, named, n);
      if (named[n] < 0)
        break;
      g_string_append_printf (
          out, ", '%s' %" G_GINT64_FORMAT,
          execution->graph->tensors[execution->storages[named[n]].tensor].name,
          execution->storages[named[n]].size_bytes);
    }
  return g_string_free (out, FALSE);
}
