/* planning.c: load, prepare, pin, fuse, look up, place: the road that optimize,
 * run, explain and sweep share. */
#include "config.h"

#include "cli/planning.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "format/plan-load.h"
#include "graph/pass.h"
#include "ir/plan-memory.h"
#include "planner/planner.h"

#include <string.h>

TpPlanning tp_cli_planning;

static gboolean
parse_word (const char *what, const char *text, const char *plain,
            const char *other, gboolean *out_is_other, GError **error)
{
  *out_is_other = text != NULL && strcmp (text, other) == 0;
  if (text == NULL || *out_is_other || strcmp (text, plain) == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s '%s' is neither %s nor %s", what, text, plain, other);
  return FALSE;
}

static gboolean
measure (TpCli *cli, TpCostDb *db, const TpGraph *graph,
         const TpGroups *groups, const TpCalibOptions *options, GError **error)
{
  gboolean good;

  tp_cli_catch_interrupts ();
  good = tp_calibrate (db, graph, groups, options, error);
  tp_cli_progress_end (cli);
  return good;
}

static int
count_estimates (const TpCosts *costs)
{
  int n = 0;

  for (int i = 0; i < costs->n_nodes; i++)
    for (int k = 0; k < costs->n_devices; k++)
      if (tp_costs_node (costs, i, k)->is_estimated
          && !g_str_has_prefix (costs->devices[k], "sim:"))
        {
          n++;
          break;
        }
  return n;
}

static gboolean
check_stale (TpCli *cli, const TpCosts *costs, const TpCalibOptions *options,
             const char *model, GError **error)
{
  int n = count_estimates (costs);

  for (guint i = 0; i < options->warnings->len; i++)
    tp_cli_note (cli, "note: %s",
                 (const char *) options->warnings->pdata[i]);
  if (n == 0)
    return TRUE;
  if (!options->is_stale_error)
    {
      tp_cli_note (cli,
                   "note: %d of %d ops have estimated times: run `tplan "
                   "calibrate %s` for measured ones",
                   n, costs->n_nodes, model);
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE,
               "%s: %d of %d ops are not measured: run `tplan calibrate %s`",
               model, n, costs->n_nodes, model);
  return FALSE;
}

static TpCosts *
find_costs (TpCli *cli, const char *model, const TpGraph *graph,
            const TpGroups *groups, GError **error)
{
  const char *const *devices = tp_cli_get_devices (cli, error);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (TpCosts) costs = NULL;
  TpCalibOptions options = { .devices = devices,
                             .n_threads = cli->device_options.n_threads,
                             .progress = tp_cli_progress,
                             .user_data = cli,
                             .cancelled = tp_cli_get_cancelled (),
                             .warnings = warnings };
  gboolean is_measured;

  if (devices == NULL
      || !parse_word ("level", tp_cli_planning.level, "estimate", "measure",
                      &is_measured, error)
      || !parse_word ("stale", tp_cli_planning.stale, "warn", "fail",
                      &options.is_stale_error, error))
    return NULL;
  options.n_devices = (int) g_strv_length ((char **) devices);
  db = tp_cost_db_open (cli->cost_path, !is_measured, error);
  if (db == NULL
      || (is_measured && !measure (cli, db, graph, groups, &options, error)))
    return NULL;
  costs = tp_cost_db_lookup (db, graph, groups, &options, error);
  if (costs == NULL || !check_stale (cli, costs, &options, model, error))
    return NULL;
  return g_steal_pointer (&costs);
}

gboolean
tp_cli_prepare (TpCli *cli, const char *model, TpDims *dims,
                TpGraph **out_graph, TpGroups **out_groups,
                TpCosts **out_costs, GError **error)
{
  TpLoadOptions options = tp_cli_load_options (cli, dims);
  g_autoptr (TpGraph) raw = tp_graph_read (model, &options, error);
  g_autoptr (TpGraph) prepared
      = raw == NULL ? NULL : tp_graph_prepare (raw, error);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpGroups) groups = NULL;

  if (prepared == NULL)
    return FALSE;
  graph = tp_graph_pin (prepared, (const char *const *) tp_cli_planning.pins,
                        error);
  if (graph == NULL)
    return FALSE;
  groups = tp_fuse_find (graph,
                         (const char *const *) tp_cli_planning.no_fuse);
  *out_costs = find_costs (cli, model, graph, groups, error);
  if (*out_costs == NULL)
    return FALSE;
  *out_graph = g_steal_pointer (&graph);
  *out_groups = g_steal_pointer (&groups);
  return TRUE;
}

static TpDims *
copy_dims (TpDims *dims)
{
  GHashTable *copy
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter at;
  gpointer name, value;

  g_hash_table_iter_init (&at, dims);
  while (g_hash_table_iter_next (&at, &name, &value))
    g_hash_table_insert (copy, g_strdup (name),
                         g_memdup2 (value, sizeof (gint64)));
  return copy;
}

/* What a plan remembers of the command that made it. */
static void
sign_plan (TpPlan *plan, const char *model, TpDims *dims)
{
  g_free (plan->graph_path);
  plan->graph_path = g_strdup (model);
  g_clear_pointer (&plan->dims, g_hash_table_unref);
  if (dims != NULL && g_hash_table_size (dims) > 0)
    plan->dims = copy_dims (dims);
  g_strfreev (plan->pins);
  plan->pins = g_strdupv (tp_cli_planning.pins);
}

TpPlan *
tp_cli_make_plan (TpCli *cli, const char *model, TpDims *dims,
                  TpGraph **out_graph, GError **error)
{
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpGroups) groups = NULL;
  g_autoptr (TpCosts) costs = NULL;
  g_autoptr (TpPlan) plan = NULL;
  const char *objective = tp_cli_planning.objective;

  if (!tp_cli_prepare (cli, model, dims, &graph, &groups, &costs, error))
    return NULL;
  plan = tp_place (graph, groups, costs,
                   objective == NULL ? "time" : objective, error);
  if (plan == NULL)
    {
      g_prefix_error (error, "%s: ", model);
      return NULL;
    }
  sign_plan (plan, model, dims);
  tp_plan_count_memory (plan, graph);
  *out_graph = g_steal_pointer (&graph);
  return g_steal_pointer (&plan);
}

static gboolean
is_plan_file (const char *path)
{
  g_autoptr (GMappedFile) file = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  file = g_mapped_file_new (path, FALSE, NULL);
  return file != NULL && g_mapped_file_get_contents (file) != NULL
         && tp_plan_is_plan (g_mapped_file_get_contents (file),
                             g_mapped_file_get_length (file));
}

TpPlan *
tp_cli_load_or_plan (TpCli *cli, const char *path, TpGraph **out_graph,
                     GError **error)
{
  TpLoadOptions options = tp_cli_load_options (cli, NULL);
  g_autoptr (GHashTable) dims = NULL;

  if (is_plan_file (path))
    return tp_plan_read (path, tp_cli_planning.graph_path, &options, out_graph,
                         error);
  dims = tp_cli_parse_dims (cli, error);
  if (dims == NULL)
    return NULL;
  return tp_cli_make_plan (cli, path, dims, out_graph, error);
}

static int *
count_ops (const TpPlan *plan)
{
  int *counts = g_new0 (int, plan->n_devices + 1);

  for (int i = 0; i < plan->n_placements; i++)
    counts[plan->placements[i].device]++;
  return counts;
}

char *
tp_cli_format_devices (const TpPlan *plan)
{
  g_autofree int *counts = count_ops (plan);
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < plan->n_devices; i++)
    g_string_append_printf (text, "%s%d ops on %s", i == 0 ? "" : ", ",
                            counts[i], plan->devices[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

json_t *
tp_cli_count_devices (const TpPlan *plan)
{
  g_autofree int *counts = count_ops (plan);
  json_t *devices = json_object ();

  for (int i = 0; i < plan->n_devices; i++)
    json_object_set_new (devices, plan->devices[i], json_integer (counts[i]));
  return devices;
}

const char *
tp_cli_simulated (const TpPlan *plan)
{
  return plan->is_simulated ? " (simulated)" : "";
}
