/* planning.c: a model or a plan file, the options, and the library's road. */
#include "config.h"

#include "cli/planning.h"

#include "api/plan.h"
#include "api/road.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "format/plan-load.h"

#include <string.h>

TpPlanning tp_cli_planning;

/* An option of two words. */
typedef struct
{
  const char *what;
  const char *plain;          /* also where none was given */
  const char *other;
} Choice;

static gboolean
parse_choice (const Choice *choice, const char *text, gboolean *out_is_other,
              GError **error)
{
  *out_is_other = text != NULL && strcmp (text, choice->other) == 0;
  if (text == NULL || *out_is_other || strcmp (text, choice->plain) == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s '%s' is neither %s nor %s", choice->what, text,
               choice->plain, choice->other);
  return FALSE;
}

/* What is asked of the road; its strings are those of the options. */
static gboolean
read_options (TpCli *cli, TpRoadOptions *options, GError **error)
{
  static const Choice level = { "level", "estimate", "measure" };
  static const Choice stale = { "stale", "warn", "fail" };

  *options = (TpRoadOptions){
    .pins = (const char *const *) tp_cli_planning.pins,
    .no_fuse = (const char *const *) tp_cli_planning.no_fuse,
    .objective = tp_cli_planning.objective,
    .is_exact = tp_cli_planning.is_exact,
    .trusts_estimates = tp_cli_planning.trusts_estimates,
    .watch = { .cancelled = tp_cli_get_cancelled (),
               .progress = tp_cli_progress,
               .user_data = cli },
  };
  return parse_choice (&level, tp_cli_planning.level, &options->is_measured,
                       error)
         && parse_choice (&stale, tp_cli_planning.stale,
                          &options->is_stale_error, error);
}

static void
print_notes (const TpCli *cli, const TpRoadNotes *notes, const char *model)
{
  for (guint i = 0; notes->warnings != NULL && i < notes->warnings->len; i++)
    tp_cli_note (cli, "note: %s", (const char *) notes->warnings->pdata[i]);
  if (notes->n_unmeasured > 0)
    tp_cli_note (cli,
                 "note: %d of %d ops have estimated times: run `tplan "
                 "calibrate %s` for measured ones",
                 notes->n_unmeasured, notes->n_ops, model);
}

TplanPlan *
tp_cli_make_plan (TpCli *cli, const char *model, const GArray *dims,
                  GError **error)
{
  const TplanLoadOptions load = tp_cli_load_options (cli, dims);
  g_autoptr (TplanGraph) graph = tplan_graph_load_full (model, &load, error);
  TplanCosts *costs = graph == NULL ? NULL : tp_cli_get_costs (cli, error);
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  TpRoadOptions options;
  TplanPlan *plan;

  if (costs == NULL || !read_options (cli, &options, error))
    return NULL;
  if (options.is_measured)
    tp_cli_catch_interrupts ();
  plan = tp_road_plan (graph, costs, &options, &notes, error);
  tp_cli_progress_end (cli);
  print_notes (cli, &notes, model);
  return plan;
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

TplanPlan *
tp_cli_load_or_plan (TpCli *cli, const char *path, GError **error)
{
  TplanLoadOptions load = tp_cli_load_options (cli, NULL);
  g_autoptr (GArray) dims = NULL;

  load.no_pass = NULL;        /* a plan says it itself */
  if (is_plan_file (path))
    return tplan_plan_load_full (path, tp_cli_planning.graph_path, &load,
                                 error);
  dims = tp_cli_parse_dims (cli, error);
  return dims == NULL ? NULL : tp_cli_make_plan (cli, path, dims, error);
}

char *
tp_cli_format_devices (const TplanPlan *plan)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);

  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d ops on %s", i == 0 ? "" : ", ",
                            devices[i].n_ops, devices[i].name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

json_t *
tp_cli_count_devices (const TplanPlan *plan)
{
  json_t *counts = json_object ();
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);

  for (int i = 0; i < n; i++)
    json_object_set_new (counts, devices[i].name,
                         json_integer (devices[i].n_ops));
  return counts;
}

const char *
tp_cli_simulated (const TplanPlan *plan)
{
  return tp_api_get_plan (plan)->is_simulated ? " (simulated)" : "";
}
