/* whole.c: see whole.h. */
#include "config.h"

#include "api/whole.h"

#include "api/bind.h"
#include "api/objects.h"
#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "calib/keys.h"
#include "calib/lookup.h"
#include "ir/guard.h"
#include "ir/plan-interval.h"

#include <math.h>

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpWholeTime *time;
  gboolean *has_ops;          /* [device] */
  int n_used;                 /* devices that have */
} Keeper;

/* Figures as they are without any whole, those that wholes then correct. */
static TpCosts *
look_up (const Keeper *keeper, TpCostDb *db, GError **error)
{
  const TpPlan *plan = keeper->plan;
  const TpCalibOptions options
      = { .n_devices = plan->n_devices,
          .devices = (const char *const *) plan->devices,
          .n_threads = keeper->time->n_threads,
          .trusts_estimates = TRUE,
          .is_relaxed = plan->origin.is_relaxed,
          .is_of_then = TRUE };

  return tp_cost_db_lookup (db, keeper->graph, plan->all_groups, &options,
                            error);
}

/* Whether it stands for a kernel of which the graph says what it costs. */
static gboolean
is_of_claimed (const Keeper *keeper, const TpPlacement *place)
{
  const TpGraph *graph = keeper->graph;
  int index = graph->n_groups == 0 ? -1 : graph->group_of[place->node];

  return index >= 0
         && tp_given_group_find_cost (&graph->groups[index],
                                      keeper->plan->devices[place->device])
                != NULL;
}

static void
digest_plan (const Keeper *keeper, GChecksum *sum)
{
  const TpPlan *plan = keeper->plan;

  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];
      g_autofree char *line = g_strdup_printf (
          "%d %s %s\n", it->node, plan->devices[it->device],
          it->schedule == NULL ? "-" : it->schedule);

      g_checksum_update (sum, (const guchar *) line, -1);
    }
  for (int g = 0; g < plan->groups->n_groups; g++)
    {
      const TpGroup *group = &plan->groups->groups[g];

      for (int k = 0; k < group->n_nodes; k++)
        {
          g_autofree char *member
              = g_strdup_printf ("%d%c", group->nodes[k],
                                 k + 1 < group->n_nodes ? ' ' : '\n');

          g_checksum_update (sum, (const guchar *) member, -1);
        }
    }
}

static void
set_text (char **field, const char *text)
{
  g_free (*field);
  *field = g_strdup (text == NULL ? "" : text);
}

static TpWholeRow *
make_row (const Keeper *keeper, const TpPlanSum *sum)
{
  g_autoptr (TpKeys) keys = tp_keys_new (keeper->graph, NULL, FALSE);
  g_autofree char *network = tp_keys_find_network (keys);
  g_autoptr (GChecksum) digest = g_checksum_new (G_CHECKSUM_SHA256);
  TpWholeRow *row = tp_whole_row_new ();

  g_checksum_update (digest, (const guchar *) network, -1);
  digest_plan (keeper, digest);
  set_text (&row->network, network);
  set_text (&row->digest, g_checksum_get_string (digest));
  set_text (&row->label, keeper->plan->graph_name);
  row->measured_us = g_get_real_time ();
  row->n_devices = keeper->n_used;
  row->predicted_ns = sum->total_ns;
  row->spread_ns = llround (MIN (sum->spread_ns, (double) (G_MAXINT64 / 8)));
  row->median_ns = keeper->time->median_ns;
  row->half_ns = keeper->time->half_ns;
  row->n = keeper->time->n;
  return row;
}

/* Rows for all devices that have ops; NULL without @error: one of them is not
 * in this very table. */
static GPtrArray *
make_rows (const Keeper *keeper, TpCostDb *db, const TpPlanSum *sum,
           GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_whole_row_free);
  g_autoptr (TpWholeRow) model = make_row (keeper, sum);

  for (int d = 0; d < keeper->plan->n_devices; d++)
    {
      g_auto (TpDeviceMatch) match = { 0 };
      TpWholeRow *row;

      if (!keeper->has_ops[d])
        continue;
      if (!tp_device_match_init (&match, db, keeper->plan->devices[d],
                                 keeper->time->n_threads, error)
          || match.rows[0] == NULL)
        return NULL;
      row = tp_memdup (model, sizeof *model);
      row->digest = g_strdup (model->digest);
      row->network = g_strdup (model->network);
      row->label = g_strdup (model->label);
      row->device = match.rows[0]->id;
      row->kernels_ns = sum->kernels_ns[d];
      g_ptr_array_add (rows, row);
    }
  return g_steal_pointer (&rows);
}

/* NULL without @error: there is nothing to keep. */
static GPtrArray *
find_rows (const Keeper *keeper, const char *path, GError **error)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (path, TRUE, error);
  g_autoptr (TpCosts) costs
      = db == NULL ? NULL : look_up (keeper, db, error);
  g_auto (TpPlanSum) sum = { 0 };

  if (costs == NULL
      || !tp_bind_has_schedules (keeper->plan, keeper->graph, costs)
      || !tp_plan_sum_up (keeper->plan, keeper->graph, costs, &sum)
      || sum.total_ns <= 0)
    return NULL;
  return make_rows (keeper, db, &sum, error);
}

static gboolean
keep (const Keeper *keeper, const char *path, gboolean *out_kept,
      GError **error)
{
  GError *failure = NULL;
  g_autoptr (GPtrArray) rows = find_rows (keeper, path, &failure);
  g_autoptr (TpCostDb) db = NULL;

  if (failure != NULL)
    g_propagate_error (error, failure);
  if (rows == NULL)
    return failure == NULL;
  db = tp_cost_db_open (path, FALSE, error);
  *out_kept = db != NULL && tp_cost_db_put_wholes (db, rows->pdata, rows->len,
                                                    error);
  return *out_kept;
}

gboolean
tp_api_keep_whole (const TplanPlan *plan, const char *path,
                   const TpWholeTime *time, gboolean *out_kept,
                   GError **error)
{
  g_autofree gboolean *has_ops = tp_new0 (gboolean, plan->plan->n_devices + 1);
  Keeper keeper = { plan->plan, plan->graph->graph, time, has_ops, 0 };

  *out_kept = FALSE;
  if (plan->plan->is_simulated || plan->plan->span_proof != NULL
      || time->median_ns <= 0)
    return TRUE;
  for (int i = 0; i < keeper.plan->n_placements; i++)
    {
      const TpPlacement *it = &keeper.plan->placements[i];
      const TpNode *node = &keeper.graph->nodes[it->node];

      if (tp_node_find_cost (node, keeper.plan->devices[it->device]) != NULL
          || is_of_claimed (&keeper, it))
        return TRUE;          /* what the graph gives is no figure of ours */
      has_ops[it->device] = TRUE;
    }
  for (int d = 0; d < keeper.plan->n_devices; d++)
    keeper.n_used += has_ops[d];
  return keep (&keeper, path, out_kept, error);
}
