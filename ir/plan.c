/* plan.c: plans as data: making, freeing, turning to nodes; and pins. */
#include "config.h"

#include "ir/plan.h"

#include "ir/guard.h"
#include "ir/region.h"
#include "ir/units.h"

#include <glib/gstdio.h>
#include <string.h>

#define OPS_TOLD 8

TpPlan *
tp_plan_new (void)
{
  TpPlan *plan = g_new0 (TpPlan, 1);

  plan->ref_count = 1;
  plan->best_single = -1;
  plan->cost_low_ns = plan->cost_high_ns = -1;
  return plan;
}

TpPlan *
tp_plan_new_alone (const TpGraph *graph, const char *device)
{
  g_autoptr (TpPlan) plan = tp_plan_new ();

  plan->n_devices = 1;
  plan->devices = g_new0 (char *, 2);
  plan->devices[0] = g_strdup (device);
  plan->placements = tp_new0 (TpPlacement, graph->n_nodes + 1);
  plan->n_placements = graph->n_nodes;
  for (int i = 0; i < graph->n_nodes; i++)
    plan->placements[i].node = i;
  plan->groups = tp_groups_new ();
  return g_steal_pointer (&plan);
}

TpPlan *
tp_plan_ref (TpPlan *plan)
{
  g_atomic_int_inc (&plan->ref_count);
  return plan;
}

void
tp_plan_unref (TpPlan *plan)
{
  if (plan == NULL || !g_atomic_int_dec_and_test (&plan->ref_count))
    return;
  g_free (plan->graph_path);
  g_free (plan->graph_name);
  g_free (plan->graph_digest);
  g_free (plan->costs_digest);
  g_free (plan->certificate);
  tp_dims_unref (plan->dims);
  g_strfreev (plan->pins);
  g_strfreev (plan->no_pass);
  g_strfreev (plan->ties);
  g_strfreev (plan->numbers);
  g_strfreev (plan->cut);
  tp_micro_batches_clear (&plan->micro_batches);
  g_strfreev (plan->streamed);
  g_free (plan->streamed_from);
  g_strfreev (plan->no_fuse);
  g_strfreev (plan->origin.facts);
  g_free (plan->origin.machine);
  g_free (plan->objective);
  g_strfreev (plan->devices);
  for (int i = 0; i < plan->n_placements; i++)
    g_free (plan->placements[i].schedule);
  g_free (plan->placements);
  tp_groups_free (plan->groups);
  g_free (plan->transfers);
  g_free (plan->peak_bytes);
  g_free (plan->weight_bytes);
  g_free (plan->memory_limits);
  g_free (plan->memory_reserves);
  tp_memory_proof_free (plan->memory_proof);
  tp_share_proof_free (plan->share_proof);
  tp_load_proof_free (plan->load_proof);
  tp_rate_proof_free (plan->rate_proof);
  tp_span_proof_free (plan->span_proof);
  tp_costs_unref (plan->costs);
  tp_groups_free (plan->all_groups);
  g_free (plan->flows);
  g_free (plan->tie_flows);
  g_free (plan);
}

const char **
tp_plan_list_schedules (const TpPlan *plan, const TpGraph *graph)
{
  const char **schedules = tp_new0 (const char *, graph->n_nodes + 1);

  for (int i = 0; i < plan->n_placements; i++)
    schedules[plan->placements[i].node] = plan->placements[i].schedule;
  return schedules;
}

int *
tp_plan_map_groups (const TpPlan *plan, const TpGraph *graph)
{
  int *group_of_node = tp_new (int, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    group_of_node[i] = -1;
  for (int g = 0; plan->groups != NULL && g < plan->groups->n_groups; g++)
    for (int i = 0; i < plan->groups->groups[g].n_nodes; i++)
      group_of_node[plan->groups->groups[g].nodes[i]] = g;
  return group_of_node;
}

/* The op that a copy is made for; -1: none, the tensor is an input that is an
 * output too. */
static int
find_payer (const TpTransfer *transfer, const TpTensor *tensor,
            const int *devices)
{
  for (int i = 0; i < tensor->n_consumers; i++)
    if (devices[tensor->consumers[i]] == transfer->to)
      return tensor->consumers[i];
  return tensor->producer;
}

gint64 *
tp_plan_sum_transfers (const TpPlan *plan, const TpGraph *graph)
{
  gint64 *sums = tp_new0 (gint64, graph->n_nodes + 1);
  g_autofree int *devices = tp_new0 (int, graph->n_nodes + 1);

  for (int i = 0; i < plan->n_placements; i++)
    devices[plan->placements[i].node] = plan->placements[i].device;
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      int payer = find_payer (it, &graph->tensors[it->tensor], devices);

      if (payer >= 0)
        sums[payer] += it->time_ns;
    }
  return sums;
}

int
tp_plan_get_host (const TpPlan *plan)
{
  return plan->costs == NULL ? 0 : plan->costs->host;
}

gboolean
tp_plan_has_fit_bound (const TpPlan *plan)
{
  return plan->memory_proof != NULL
         || (plan->share_proof != NULL && plan->share_proof->room != NULL);
}

gint64
tp_plan_get_fit_bound_ns (const TpPlan *plan)
{
  gint64 bound_ns = plan->bound_ns;

  if (plan->memory_proof != NULL)
    bound_ns = MAX (bound_ns, plan->memory_proof->bound_ns);
  if (plan->share_proof != NULL && plan->share_proof->room != NULL)
    bound_ns = MAX (bound_ns, plan->share_proof->room_ns);
  return bound_ns;
}

gint64
tp_plan_get_run_ns (const TpPlan *plan)
{
  return plan->span_proof != NULL ? plan->span_proof->span_ns : plan->cost_ns;
}

gint64
tp_plan_get_op_ns (const TpPlan *plan, int index)
{
  const TpSpanProof *proof = plan->span_proof;
  gint64 time_ns = plan->placements[index].time_ns;

  return proof == NULL || proof->ends == NULL || time_ns == 0
             ? time_ns
             : MAX (proof->ends[index] - proof->starts[index], 0);
}

gint64
tp_plan_get_transfer_ns (const TpPlan *plan, int index)
{
  const TpSpanProof *proof = plan->span_proof;

  return proof == NULL || proof->ends == NULL
             ? plan->transfers[index].time_ns
             : MAX (proof->fetch_ends[index] - proof->fetch_starts[index], 0)
                   + MAX (proof->feed_ends[index] - proof->feed_starts[index],
                          0);
}

gboolean
tp_plan_get_interval (const TpPlan *plan, gint64 *out_low_ns,
                      gint64 *out_high_ns)
{
  const TpSpanProof *proof = plan->span_proof;

  *out_low_ns = proof != NULL ? proof->low_ns : plan->cost_low_ns;
  *out_high_ns = proof != NULL ? proof->high_ns : plan->cost_high_ns;
  if (*out_low_ns >= 0)
    return TRUE;
  *out_low_ns = *out_high_ns = tp_plan_get_run_ns (plan);
  return FALSE;
}

/* "GLOB=DEVICE": the first '=' parts them, for a device may have figures of its
 * own (sim:gflops=...); names with '=' need '?'. */
static gboolean
pin_split (const char *pin, char **out_glob, const char **out_device,
           GError **error)
{
  const char *equals = strchr (pin, '=');

  if (equals != NULL && equals != pin && equals[1] != 0)
    {
      *out_glob = g_strndup (pin, equals - pin);
      *out_device = equals + 1;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "pin '%s' is not OP=DEVICE, such as 'conv*=cpu'", pin);
  return FALSE;
}

static void
set_pin_error (const TpGraph *graph, const char *pin, const char *glob,
               GError **error)
{
  g_autofree char *near = tp_graph_ask_op (graph, glob);
  g_autoptr (GString) list = g_string_new (NULL);

  for (int i = 0; i < graph->n_nodes && i <= OPS_TOLD; i++)
    g_string_append_printf (list, "%s%s", i == 0 ? "" : ", ",
                            i < OPS_TOLD ? graph->nodes[i].name : "...");
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "pin '%s' matches no op of graph '%s'%s: there are %s", pin,
               graph->name, near, list->str);
}

static gboolean
pin_apply (TpGraph *graph, TpNode *nodes, const char *pin, GError **error)
{
  g_autofree char *glob = NULL;
  g_autoptr (GPatternSpec) pattern = NULL;
  const char *device;
  const char **list;
  int n_matched = 0;

  if (!pin_split (pin, &glob, &device, error))
    return FALSE;
  list = tp_region_alloc (graph->region, 2, sizeof (char *), error);
  if (list == NULL)
    return FALSE;
  list[0] = tp_region_strdup (graph->region, device, error);
  if (list[0] == NULL)
    return FALSE;
  pattern = g_pattern_spec_new (glob);
  for (int i = 0; i < graph->n_nodes; i++)
    if (!tp_node_is_stream (&nodes[i])
        && g_pattern_spec_match_string (pattern, nodes[i].name))
      {
        nodes[i].pins = list;
        n_matched++;
      }
  if (n_matched == 0)
    set_pin_error (graph, pin, glob, error);
  return n_matched > 0;
}

static void
pin_unref_graph (gpointer graph)
{
  tp_graph_unref (graph);
}

TpGraph *
tp_graph_pin (TpGraph *graph, const char *const *pins, GError **error)
{
  TpRegion *region;
  g_autoptr (TpGraph) pinned = NULL;
  TpNode *nodes;

  if (pins == NULL || pins[0] == NULL)
    return tp_graph_ref (graph);
  region = tp_region_new (TP_REGION_NO_BUDGET);
  tp_region_own (region, tp_graph_ref (graph), pin_unref_graph);
  pinned = tp_region_dup (region, graph, 1, sizeof *graph, error);
  if (pinned == NULL)
    {
      tp_region_free (region);
      return NULL;
    }
  pinned->ref_count = 1;
  pinned->region = region;
  pinned->tables[0] = pinned->tables[1] = NULL;
  pinned->digest = NULL;        /* pins are in both */
  pinned->outline = NULL;
  nodes = tp_region_dup (region, graph->nodes, graph->n_nodes, sizeof *nodes,
                         error);
  if (nodes == NULL)
    return NULL;
  pinned->nodes = nodes;
  for (int i = 0; pins[i] != NULL; i++)
    if (!pin_apply (pinned, nodes, pins[i], error))
      return NULL;
  return g_steal_pointer (&pinned);
}
