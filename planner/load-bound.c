/* load-bound.c: see load-bound.h. */
#include "config.h"

#include "planner/load-bound.h"

#include "ir/guard.h"
#include "planner/load.h"
#include "planner/network.h"
#include "planner/share-tree.h"

#include <string.h>

#define MIN_WEIGHTS 64        /* coarser ones prove little */

/* What sums of weighted costs are below. */
static gint64
get_limit (const TpProblem *problem)
{
  return problem->n_devices > 2 ? TP_SHARE_LIMIT : TP_PROBLEM_LIMIT;
}

gboolean
tp_load_bound_check (const TpProblem *problem, GError **error)
{
  gboolean is_several = problem->n_devices > 2;

  if (problem->n_devices > TP_SHARE_MAX_DEVICES)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "%d devices: the load of the busiest is made least for at "
                 "most %d: name fewer",
                 problem->n_devices, TP_SHARE_MAX_DEVICES);
  else if (problem->sum >= get_limit (problem) / MIN_WEIGHTS)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                 "all costs together reach 2^%d, too much to be weighted: mend "
                 "the costs",
                 is_several ? 46 : 56);
  else
    return TRUE;
  return FALSE;
}

gint64
tp_load_bound_get_total (const TpProblem *problem)
{
  return MIN (TP_LOAD_WEIGHTS,
              (get_limit (problem) - 1) / (problem->sum + 1));
}

TpProblem *
tp_load_bound_weigh (const TpProblem *problem, const gint64 *weights,
                     const gint8 *fixed)
{
  gsize n = (gsize) problem->n_devices;
  int n_nodes = problem->graph->n_nodes;
  g_autoptr (TpProblem) weighed = tp_problem_weigh (problem, weights);

  if (weighed->is_barred == NULL)
    weighed->is_barred = tp_new0 (guint8, (gsize) n_nodes * n + 1);
  for (int i = 0; i < n_nodes; i++)
    for (gsize d = 0; d < n; d++)
      if (fixed[i] >= 0 && (gsize) fixed[i] != d
          && tp_problem_leads (problem, i))
        weighed->is_barred[(gsize) i * n + d] = TRUE;
  return g_steal_pointer (&weighed);
}

static gint64
find_cut (const TpProblem *weighed, guint8 *devices)
{
  g_autoptr (TpNetwork) network = tp_network_new (weighed);
  gint64 value = tp_network_solve (network);

  for (int i = 0; i < weighed->graph->n_nodes; i++)
    devices[i] = (guint8) tp_network_get_device (network, i);
  return value - tp_network_get_constant (network);
}

/* *@out_least: what it proves. */
static TpShareProof *
find_shares (const TpProblem *weighed, guint8 *devices, gint64 *out_least)
{
  g_autoptr (TpShareModel) model = tp_share_model_new (weighed, NULL);
  gint64 cost;

  g_assert (model != NULL);   /* sums are below the limit */
  return tp_share_tree_climb (model, devices, &cost, out_least);
}

gint64
tp_load_bound_find (const TpProblem *problem, const gint64 *weights,
                    const gint8 *fixed, guint8 *devices)
{
  g_autoptr (TpProblem) weighed = tp_load_bound_weigh (problem, weights, fixed);
  gint64 least;

  if (problem->n_devices <= 2)
    return find_cut (weighed, devices);
  tp_share_proof_free (find_shares (weighed, devices, &least));
  return least;
}

static void
add_flows (const TpProblem *weighed, TpArray *flows)
{
  g_autoptr (TpNetwork) network = tp_network_new (weighed);
  g_autofree gint64 *own = NULL;
  int n;

  tp_network_solve (network);
  own = tp_network_dup_flows (network, &n);
  tp_array_append_vals (flows, own, (guint) n);
}

static void
add_shares (const TpProblem *weighed, TpLoadProof *proof)
{
  g_autofree guint8 *devices
      = tp_new0 (guint8, (gsize) weighed->graph->n_nodes + 1);
  gint64 least;
  g_autoptr (TpShareProof) shares = find_shares (weighed, devices, &least);

  if (proof->shares == NULL)
    proof->shares = tp_pointers_new ((GDestroyNotify) tp_share_bound_free);
  tp_pointers_add (proof->shares,
                   tp_share_bound_copy (shares->bounds->pdata[0]));
  proof->share_units[proof->n_bounds] = shares->unit;
}

void
tp_load_bound_prove (const TpProblem *problem, const gint64 *weights,
                     const gint8 *fixed, TpLoadProof *proof, TpArray *flows)
{
  g_autoptr (TpProblem) weighed = NULL;

  if (problem->n_devices > 1)
    weighed = tp_load_bound_weigh (problem, weights, fixed);
  if (problem->n_devices > 2)
    add_shares (weighed, proof);
  if (problem->n_devices == 2)
    add_flows (weighed, flows);
  memcpy (&proof->weights[proof->n_bounds * proof->n_engines], weights,
          sizeof (gint64) * (gsize) proof->n_engines);
  proof->n_bounds++;
}
