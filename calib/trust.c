/* trust.c: see trust.h. */
#include "config.h"

#include "calib/trust.h"

#include "ir/guard.h"
#include "runtime/devices.h"

#define REASON "never measured here: run `tplan calibrate`, or trust estimates"

typedef struct
{
  TpCosts *costs;
  const TpGraph *graph;
  gboolean *is_real;          /* [device]: its estimates are guesses */
  gboolean *can;              /* [device]: of what is together: may run all of it; */
  gboolean *knows;            /* [device]: and has a guess of none of it */
  gboolean has_guesses;       /* some figure is estimated */
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
  return trust->is_real[device] && cost->is_estimated
         && cost->time_ns != TP_COST_NONE;
}

static void
doubt (TpCost *cost)
{
  *cost = (TpCost){ .time_ns = TP_COST_NONE,
                    .reason = g_intern_static_string (REASON) };
}

static void
look_at (Trust *trust, const int *nodes, int n)
{
  for (int d = 0; d < trust->costs->n_devices; d++)
    {
      trust->can[d] = trust->knows[d] = TRUE;
      for (int i = 0; i < n; i++)
        {
          trust->can[d] &= may_run (trust, nodes[i], d);
          trust->knows[d]
              &= !is_guess (trust, tp_costs_node (trust->costs, nodes[i], d), d);
        }
      trust->knows[d] &= trust->can[d];
    }
}

/* Whether what was looked at can do without guesses of @device: somebody knows, or it is
 * a guess of the host's against another. A made-up device is no rival of the host. */
static gboolean
has_rival (const Trust *trust, int device)
{
  int host = trust->costs->host;

  for (int d = 0; d < trust->costs->n_devices; d++)
    if (d != device && trust->knows[d] && (device != host || trust->is_real[d]))
      return TRUE;
  return device != host && host >= 0 && trust->can[host];
}

/* Nodes that are to be on one device. What has a rival keeps it: nobody who knows loses
 * anything, and the host does only to somebody who does. */
static void
doubt_nodes (Trust *trust, const int *nodes, int n)
{
  look_at (trust, nodes, n);
  for (int d = 0; d < trust->costs->n_devices; d++)
    for (int i = 0; i < n && has_rival (trust, d); i++)
      {
        TpCost *cost = tp_costs_node (trust->costs, nodes[i], d);

        if (is_guess (trust, cost, d))
          doubt (cost);
      }
}

/* The host's guess is one against a device that an op of @group was measured on. */
static gboolean
is_contested (const Trust *trust, const TpGroup *group, int device)
{
  if (device != trust->costs->host)
    return TRUE;
  for (int i = 0; i < group->n_nodes; i++)
    for (int d = 0; d < trust->costs->n_devices; d++)
      {
        const TpCost *cost = tp_costs_node (trust->costs, group->nodes[i], d);

        if (d != device && trust->is_real[d] && cost->time_ns > 0
            && !cost->is_estimated && may_run (trust, group->nodes[i], d))
          return TRUE;
      }
  return FALSE;
}

/* A group is there where all its nodes are; one whose nodes were measured and
 * itself was not would save by guess. */
static void
doubt_group (Trust *trust, const TpGroup *group, int index, int device)
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
  if (is_measured && is_guess (trust, cost, device)
      && is_contested (trust, group, device))
    doubt (cost);
}

/* Whether doubt_group () would find it other than it is, with no guess among its nodes. */
static gboolean
is_group_doubted (const Trust *trust, const TpGroup *group, int index,
                  int device)
{
  const TpCost *cost = tp_costs_group (trust->costs, index, device);

  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *node
          = tp_costs_node (trust->costs, group->nodes[i], device);

      if (node->time_ns == TP_COST_NONE)
        return cost->time_ns != TP_COST_NONE
               || g_strcmp0 (cost->reason, node->reason) != 0;
    }
  return is_guess (trust, cost, device);
}

static gboolean
has_doubts (const Trust *trust, const TpGroups *groups)
{
  const TpCosts *costs = trust->costs;

  for (int i = 0; i < costs->n_nodes && trust->has_guesses; i++)
    for (int d = 0; d < costs->n_devices; d++)
      if (is_guess (trust, tp_costs_node (costs, i, d), d))
        return TRUE;
  for (int i = 0; i < costs->n_groups; i++)
    for (int d = 0; d < costs->n_devices; d++)
      if (trust->is_real[d] && is_group_doubted (trust, &groups->groups[i], i, d))
        return TRUE;
  return FALSE;
}

gboolean
tp_trust_has_doubts (const TpCosts *costs, const TpGroups *groups,
                     const TpTrustSigns *signs)
{
  g_autofree gboolean *is_real
      = tp_new0 (gboolean, (gsize) costs->n_devices + 1);
  const Trust trust = { .costs = (TpCosts *) costs, .is_real = is_real,
                        .has_guesses = signs->has_guesses };
  gboolean is_any = FALSE;

  for (int i = 0; i < costs->n_devices; i++)
    {
      is_real[i] = !tp_device_is_simulated (costs->devices[i]);
      is_any |= is_real[i] && i != costs->host;
    }
  return is_any && (signs->has_guesses || signs->has_gaps)
         && has_doubts (&trust, groups);
}

void
tp_trust_measured (TpCosts *costs, const TpGraph *graph, const TpGroups *groups)
{
  gsize n = (gsize) costs->n_devices + 1;
  g_autofree gboolean *is_real = tp_new0 (gboolean, n);
  g_autofree gboolean *can = tp_new0 (gboolean, n);
  g_autofree gboolean *knows = tp_new0 (gboolean, n);
  Trust trust = { costs, graph, is_real, can, knows, TRUE };

  for (int i = 0; i < costs->n_devices; i++)
    is_real[i] = !tp_device_is_simulated (costs->devices[i]);
  for (int i = 0; i < costs->n_nodes; i++)
    if (graph->colocation_of == NULL || graph->colocation_of[i] < 0)
      doubt_nodes (&trust, &i, 1);
  for (int i = 0; i < graph->n_colocations; i++)
    doubt_nodes (&trust, graph->colocations[i].nodes,
                 graph->colocations[i].n_nodes);
  for (int i = 0; i < costs->n_groups; i++)
    for (int k = 0; k < costs->n_devices; k++)
      if (is_real[k])
        doubt_group (&trust, &groups->groups[i], i, k);
}

gboolean
tp_trust_is_doubted (const TpCost *cost)
{
  return cost->time_ns == TP_COST_NONE && g_strcmp0 (cost->reason, REASON) == 0;
}

int
tp_trust_count_doubted (const TpCosts *costs, int device)
{
  int n = 0;

  for (int i = 0; i < costs->n_nodes; i++)
    n += tp_trust_is_doubted (tp_costs_node (costs, i, device));
  return n;
}
