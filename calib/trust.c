/* trust.c: see trust.h. */
#include "config.h"

#include "calib/trust.h"

#include "runtime/devices.h"

#define REASON "never measured here: run `tplan calibrate`, or trust estimates"

typedef struct
{
  TpCosts *costs;
  const TpGraph *graph;
  gboolean *is_doubted;       /* [device]: its estimates are guesses of a real
                               * device beside the host */
} Trust;

static gboolean
may_run (const Trust *trust, int node, int device)
{
  const TpNode *it = &trust->graph->nodes[node];

  return tp_costs_node (trust->costs, node, device)->time_ns != TP_COST_NONE
         && (it->pins == NULL
             || g_strv_contains (it->pins, trust->costs->devices[device]));
}

static gboolean
is_guess (const Trust *trust, const TpCost *cost, int device)
{
  return trust->is_doubted[device] && cost->is_estimated
         && cost->time_ns != TP_COST_NONE;
}

static void
doubt (TpCost *cost)
{
  *cost = (TpCost){ .time_ns = TP_COST_NONE,
                    .reason = g_intern_static_string (REASON) };
}

static void
doubt_node (const Trust *trust, int node)
{
  int n = trust->costs->n_devices;
  gboolean has_other = FALSE;

  for (int i = 0; i < n; i++)
    has_other |= may_run (trust, node, i)
                 && !is_guess (trust, tp_costs_node (trust->costs, node, i), i);
  for (int i = 0; i < n && has_other; i++)
    {
      TpCost *cost = tp_costs_node (trust->costs, node, i);

      if (is_guess (trust, cost, i))
        doubt (cost);
    }
}

/* A group is there where all its nodes are; one whose nodes were measured and
 * itself was not would save by guess. */
static void
doubt_group (const Trust *trust, const TpGroup *group, int index, int device)
{
  TpCost *cost = tp_costs_group (trust->costs, index, device);
  gboolean is_measured = FALSE;

  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *node
          = tp_costs_node (trust->costs, group->nodes[i], device);

      if (node->time_ns == TP_COST_NONE)
        {
          *cost = (TpCost){ .time_ns = TP_COST_NONE, .reason = node->reason };
          return;
        }
      is_measured |= !node->is_estimated && node->time_ns > 0;
    }
  if (is_measured && is_guess (trust, cost, device))
    doubt (cost);
}

static gboolean
is_doubted (const TpCosts *costs, int device)
{
  return device != costs->host
         && !tp_device_is_simulated (costs->devices[device]);
}

gboolean
tp_trust_has_doubts (const TpCosts *costs)
{
  for (int i = 0; i < costs->n_devices; i++)
    if (is_doubted (costs, i))
      return TRUE;
  return FALSE;
}

void
tp_trust_measured (TpCosts *costs, const TpGraph *graph, const TpGroups *groups)
{
  g_autofree gboolean *doubted = g_new0 (gboolean, costs->n_devices + 1);
  Trust trust = { costs, graph, doubted };

  for (int i = 0; i < costs->n_devices; i++)
    doubted[i] = is_doubted (costs, i);
  for (int i = 0; i < costs->n_nodes; i++)
    doubt_node (&trust, i);
  for (int i = 0; i < costs->n_groups; i++)
    for (int k = 0; k < costs->n_devices; k++)
      if (doubted[k])
        doubt_group (&trust, &groups->groups[i], i, k);
}
