/* plan-memory.c: what a plan takes on each device: one arena of tensors with
 * lifetimes, and the constants its ops read there. */
#include "config.h"

#include "ir/plan-memory.h"

#include "ir/intervals.h"
#include "ir/op.h"

#include <string.h>

#define MEMORY_ALIGN 4096

typedef struct
{
  const TpGraph *graph;
  const int *devices;         /* node -> device */
  guint8 *is_hidden;          /* tensor: inside a fused group */
  int *roots;                 /* tensor -> the tensor whose bytes it shares */
} MemoryView;

static void
find_roots (const MemoryView *view)
{
  const TpGraph *graph = view->graph;

  for (int i = 0; i < graph->n_tensors; i++)
    view->roots[i] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];

      if (node->op != NULL && node->op->kind == TP_OP_VIEW
          && node->n_inputs > 0 && node->inputs[0] >= 0
          && node->n_outputs > 0 && node->outputs[0] >= 0)
        view->roots[node->outputs[0]] = view->roots[node->inputs[0]];
    }
}

static void
find_hidden (const MemoryView *view, const TpGroups *groups)
{
  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    for (int k = 0; k + 1 < groups->groups[i].n_nodes; k++)
      {
        const TpNode *node = &view->graph->nodes[groups->groups[i].nodes[k]];

        for (int o = 0; o < node->n_outputs; o++)
          if (node->outputs[o] >= 0)
            view->is_hidden[node->outputs[o]] = TRUE;
      }
}

/* Stretches the lifetime of tensor @tensor on a device to @step. */
static void
touch (TpInterval *alive, const MemoryView *view, int tensor, int step)
{
  TpInterval *it = &alive[view->roots[tensor]];
  gint64 size = view->graph->tensors[tensor].size_bytes;

  if (it->first < 0)
    it->first = step;
  it->last = step;
  it->size_bytes = MAX (it->size_bytes, size);
}

static void
touch_node (TpInterval *alive, const MemoryView *view, int index, int device)
{
  const TpNode *node = &view->graph->nodes[index];

  for (int i = 0; i < node->n_inputs + node->n_outputs; i++)
    {
      int tensor = i < node->n_inputs ? node->inputs[i]
                                      : node->outputs[i - node->n_inputs];
      int producer;

      if (tensor < 0 || view->is_hidden[tensor])
        continue;
      producer = view->graph->tensors[tensor].producer;
      /* A copy leaves from where the tensor was made. */
      if (view->devices[index] == device
          || (producer >= 0 && view->devices[producer] == device))
        touch (alive, view, tensor, index);
    }
}

static gint64
count_device (const MemoryView *view, int device)
{
  const TpGraph *graph = view->graph;
  g_autofree TpInterval *alive = g_new0 (TpInterval, graph->n_tensors + 1);
  gint64 constants = 0, bytes;
  int n = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    alive[i].first = -1;
  for (int i = 0; i < graph->n_nodes; i++)
    touch_node (alive, view, i, device);
  for (int i = 0; i < graph->n_tensors; i++)
    {
      if (alive[i].first < 0)
        continue;
      if (!tp_tensor_is_constant (&graph->tensors[i]))
        alive[n++] = alive[i];
      else if (!tp_size_add (constants, alive[i].size_bytes, &constants))
        return G_MAXINT64;
    }
  bytes = tp_intervals_pack (alive, n, MEMORY_ALIGN, NULL);
  return tp_size_add (bytes, constants, &bytes) ? bytes : G_MAXINT64;
}

void
tp_plan_count_memory (TpPlan *plan, const TpGraph *graph)
{
  g_autofree int *devices = g_new0 (int, graph->n_nodes + 1);
  g_autofree int *roots = g_new0 (int, graph->n_tensors + 1);
  g_autofree guint8 *is_hidden = g_new0 (guint8, graph->n_tensors + 1);
  MemoryView view = { graph, devices, is_hidden, roots };

  for (int i = 0; i < plan->n_placements; i++)
    devices[plan->placements[i].node] = plan->placements[i].device;
  find_roots (&view);
  find_hidden (&view, plan->groups);
  g_free (plan->peak_bytes);
  plan->peak_bytes = g_new0 (gint64, plan->n_devices + 1);
  for (int i = 0; i < plan->n_devices; i++)
    plan->peak_bytes[i] = count_device (&view, i);
}

int *
tp_plan_list_places (const TpPlan *plan, const TpGraph *graph, GError **error)
{
  int n_nodes = graph->n_nodes;
  g_autofree int *places = g_new (int, n_nodes + 1);

  if (plan->n_placements != n_nodes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: places %d ops, graph '%s' has %d; make the plan anew",
                   plan->n_placements, graph->name, n_nodes);
      return NULL;
    }
  for (int i = 0; i < n_nodes; i++)
    places[i] = -1;
  for (int i = 0; i < n_nodes; i++)
    {
      const TpPlacement *place = &plan->placements[i];

      if (place->node < 0 || place->node >= n_nodes || place->device < 0
          || place->device >= plan->n_devices || places[place->node] >= 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "plan: placement %d puts op %d on device %d, which "
                       "cannot be; make the plan anew", i, place->node,
                       place->device);
          return NULL;
        }
      places[place->node] = place->device;
    }
  return g_steal_pointer (&places);
}

TpExecution *
tp_plan_spell_out (const TpPlan *plan, const TpGraph *graph, GError **error)
{
  g_autofree int *places = tp_plan_list_places (plan, graph, error);

  return places == NULL ? NULL
                        : tp_execution_new (graph, plan->n_devices, places,
                                            plan->groups, error);
}
