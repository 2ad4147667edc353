/* cost-diff-plans.c: which plans change from one cost table to another.
 *
 * Each is made anew with both, so that only the figures differ: what a plan file
 * has in it plays no part but for its graph and how it was made. */
#include "config.h"

#include "cli/cost-diff-plans.h"

#include "api/graph.h"
#include "api/plan.h"
#include "api/road.h"
#include "cli/accuracy.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"

typedef struct
{
  TpCli *cli;
  const char *const *tables;
  const char *model;
  const TplanGraph *graph;
  const char *const *devices; /* (nullable): those of this machine */
  int n_threads;
  TpRoadOptions options;      /* these four only while it is planned */
  TplanPlan *plans[2];
} Pair;

/* What is not as in the first plan. */
typedef struct
{
  int n_moved, n_regrouped;   /* ops */
} Change;

static TplanPlan *
plan_by (const Pair *pair, const char *table, GError **error)
{
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (table, pair->devices, pair->n_threads, error);
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  TplanPlan *plan;

  if (costs == NULL)
    return NULL;
  plan = tp_road_plan (pair->graph, costs, &pair->options, &notes, error);
  for (guint i = 0; notes.warnings != NULL && i < notes.warnings->len; i++)
    tp_cli_note (pair->cli, "note: %s: %s", table,
                 (const char *) notes.warnings->pdata[i]);
  return plan;
}

/* The first op of the group in effect that each op is in, or itself. */
static int *
list_anchors (const TplanPlan *plan, const TpGraph *graph)
{
  const TpGroups *groups = tp_api_get_plan (plan)->groups;
  int *anchors = g_new (int, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    anchors[i] = i;
  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 0; k < groups->groups[g].n_nodes; k++)
      anchors[groups->groups[g].nodes[k]] = groups->groups[g].nodes[0];
  return anchors;
}

static const TpGraph *
get_graph (const Pair *pair)
{
  return tp_api_get_graph (tplan_plan_get_graph (pair->plans[0]));
}

static Change
compare (const Pair *pair)
{
  const TpGraph *graph = get_graph (pair);
  const TpPlan *a = tp_api_get_plan (pair->plans[0]);
  const TpPlan *b = tp_api_get_plan (pair->plans[1]);
  g_autofree int *first = list_anchors (pair->plans[0], graph);
  g_autofree int *second = list_anchors (pair->plans[1], graph);
  Change change = { 0, 0 };

  for (int i = 0; i < graph->n_nodes; i++)
    {
      change.n_moved += a->placements[i].device != b->placements[i].device;
      change.n_regrouped += first[i] != second[i];
    }
  return change;
}

static void
add_pair (const Pair *pair, TpTable *table, json_t *list)
{
  Change change = compare (pair);
  gint64 a_ns = tp_api_get_plan (pair->plans[0])->cost_ns;
  gint64 b_ns = tp_api_get_plan (pair->plans[1])->cost_ns;
  gboolean changes = change.n_moved > 0 || change.n_regrouped > 0;

  if (pair->cli->format != TP_FORMAT_TABLE)
    json_array_append_new (
        list, json_pack ("{s:o, s:b, s:I, s:I, s:i, s:i, s:i}", "model",
                         tp_cli_string (pair->model), "changes", changes,
                         "a_ns", (json_int_t) a_ns, "b_ns", (json_int_t) b_ns,
                         "ops", get_graph (pair)->n_nodes,
                         "moved_ops", change.n_moved, "regrouped_ops",
                         change.n_regrouped));
  else
    tp_table_add (table, g_strdup (pair->model), tp_cli_format_time (a_ns),
                  tp_cli_format_time (b_ns),
                  g_strdup_printf ("%d", change.n_moved),
                  g_strdup_printf ("%d", change.n_regrouped),
                  g_strdup (changes ? "changes" : "stays"));
}

/* ---- how they are made ---------------------------------------------------- */

static gboolean
plan_both (Pair *pair, GError **error)
{
  for (int k = 0; k < 2; k++)
    {
      pair->plans[k] = plan_by (pair, pair->tables[k], error);
      if (pair->plans[k] == NULL)
        {
          g_prefix_error (error, "%s: ", pair->tables[k]);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
compare_plan_file (Pair *pair, GError **error)
{
  TpCli *cli = pair->cli;
  g_autoptr (TplanPlan) kept = NULL;
  const TpPlan *plan;

  if ((cli->given & (TP_USES_DEVICES | TP_USES_DIMS | TP_USES_PASSES)) != 0
      || tp_cli_planning.accuracy != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s is a plan, which says itself what it is for: leave out "
                   "--devices, --dim, --no-pass and --accuracy, or name its "
                   "model",
                   pair->model);
      return FALSE;
    }
  kept = tp_cli_load_plan (cli, pair->model, error);
  if (kept == NULL)
    return FALSE;
  plan = tp_api_get_plan (kept);
  pair->graph = tplan_plan_get_graph (kept);
  pair->devices = (const char *const *) plan->devices;
  pair->n_threads = plan->origin.n_threads;
  pair->options = (TpRoadOptions){
    .pins = (const char *const *) plan->pins,
    .no_fuse = (const char *const *) plan->no_fuse,
    .rates = { .as = plan->costs },
    .objective = plan->objective,
    .aims = plan->rate_proof == NULL ? NULL : plan->rate_proof->aims,
    .is_exact = plan->origin.is_exact,
    .trusts_estimates = plan->origin.trusts_estimates,
    .watch = { .is_relaxed = plan->origin.is_relaxed },
  };
  return plan_both (pair, error);
}

static gboolean
compare_model (Pair *pair, GError **error)
{
  TpCli *cli = pair->cli;
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_autoptr (TplanGraph) graph = NULL;

  if (dims != NULL
      && tp_cli_parse_accuracy (tp_cli_planning.accuracy,
                                &pair->options.watch.is_relaxed, error))
    graph = tp_cli_load_model (cli, pair->model, dims, error);
  if (graph == NULL)
    return FALSE;
  pair->graph = graph;
  pair->devices = (const char *const *) cli->devices;
  pair->n_threads = cli->device_options.n_threads;
  return plan_both (pair, error);
}

gboolean
tp_cost_diff_plans (TpCli *cli, const char *const *tables,
                    const char *const *models, json_t *list, GError **error)
{
  static const char *const headers[]
      = { "MODEL", ">BY A", ">BY B", ">MOVED", ">REGROUPED", "PLAN", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  gboolean is_good = TRUE;

  for (int i = 0; is_good && models[i] != NULL; i++)
    {
      Pair pair = { .cli = cli, .tables = tables, .model = models[i] };

      is_good = tp_cli_is_plan (models[i]) ? compare_plan_file (&pair, error)
                                           : compare_model (&pair, error);
      if (is_good)
        add_pair (&pair, table, list);
      for (int k = 0; k < 2; k++)
        g_clear_pointer (&pair.plans[k], tplan_plan_free);
    }
  if (is_good && models[0] != NULL && cli->format == TP_FORMAT_TABLE)
    tp_table_print (table, cli);
  return is_good;
}
