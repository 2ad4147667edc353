/* planning.c: a model or a plan file, the options, and the library's road. */
#include "config.h"

#include "cli/planning.h"

#include "api/graph.h"
#include "api/mix.h"
#include "api/plan.h"
#include "api/road.h"
#include "cli/accuracy.h"
#include "cli/calibrated.h"
#include "cli/micro-batches.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "format/graph-load.h"
#include "format/gzip.h"
#include "format/mix-json.h"
#include "format/plan-load.h"
#include "format/tiers.h"

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

TpMemoryTexts
tp_cli_get_memory (void)
{
  return (TpMemoryTexts){
    .limits = (const char *const *) tp_cli_planning.memory_limits,
    .reserves = (const char *const *) tp_cli_planning.memory_reserves,
  };
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
    .memory = tp_cli_get_memory (),
    .streams_weights = tp_cli_planning.streams_weights,
    .rates = { .watts = (const char *const *) tp_cli_planning.watts,
               .prices = (const char *const *) tp_cli_planning.prices },
    .knows_rates = tp_cli_planning.knows_rates,
    .objective = tp_cli_planning.objective,
    .is_apart = tp_cli_planning.is_apart,
    .asks_drivers = TRUE,
    .trusts_estimates = tp_cli_planning.trusts_estimates,
    .is_exact = tp_cli_planning.is_exact,
    .watch = { .cancelled = tp_cli_get_cancelled (),
               .progress = tp_cli_progress,
               .user_data = cli },
  };
  return tp_cli_parse_micro_batches (tp_cli_planning.micro_batches, options,
                                     error)
         && parse_choice (&level, tp_cli_planning.level,
                          &options->is_measured, error)
         && tp_cli_parse_accuracy (tp_cli_planning.accuracy,
                                   &options->watch.is_relaxed, error)
         && parse_choice (&stale, tp_cli_planning.stale,
                          &options->is_stale_error, error);
}

/* Both say which figures to take. */
static TplanCosts *
get_costs (TpCli *cli, GError **error)
{
  cli->machine_path = tp_cli_planning.machine;
  if (cli->machine_path == NULL || (cli->given & TP_USES_COSTS) == 0)
    return tp_cli_get_costs (cli, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--cost is a table of this machine, --machine the file of "
               "another: leave one out");
  return NULL;
}

static void
note_elsewhere (const TpCli *cli, const TpPlan *plan)
{
  if (plan->origin.machine != NULL)
    tp_cli_note (cli, "note: by the figures of another machine, '%s': the plan "
                      "runs there alone", plan->origin.machine);
}

/* Where anything was measured: how good that is, and what else ran meanwhile. */
static void
note_measured (const TpCli *cli, const TpCalibReport *report)
{
  g_autofree char *load = tp_calibrated_format_load (report);
  g_autofree char *grade = tp_calibrated_format_grade (report);

  if (report->n_samples == 0)
    return;
  tp_cli_note (cli, "load while measuring: %s", load);
  tp_cli_note (cli, "grade %s", grade);
}

/* Asked for in vain. */
static void
note_accuracy (const TpCli *cli, const TpPlan *plan)
{
  if (plan->origin.is_relaxed && tp_cli_count_relaxed (plan) == 0)
    tp_cli_note (cli, "note: no kernel with larger errors is known to be faster: "
                      "`tplan calibrate` measures such, where the model has any");
}

static void
print_notes (const TpCli *cli, const TpRoadNotes *notes)
{
  for (guint i = 0; notes->warnings != NULL && i < notes->warnings->len; i++)
    tp_cli_note (cli, "note: %s", (const char *) notes->warnings->pdata[i]);
}

static void
note_assumed (const TpCli *cli, const TpDims *assumed)
{
  int n = tp_dims_size (assumed);
  g_autoptr (GString) names = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    g_string_append_printf (names, "%s'%s'", i == 0 ? "" : ", ",
                            tp_dims_get_name (assumed, i));
  if (n > 0)
    tp_cli_note (cli, "note: dimension%s %s %s no value and %s taken as 1: "
                      "--dim %s=8 would be another",
                 n == 1 ? "" : "s", names->str, n == 1 ? "has" : "have",
                 n == 1 ? "is" : "are", tp_dims_get_name (assumed, 0));
}

void
tp_cli_note_model (const TpCli *cli, const TpGraph *graph,
                   const TpDims *assumed)
{
  if (assumed != NULL)
    note_assumed (cli, assumed);
  if (graph->opset < TP_OPSET_OLDEST || graph->opset > TP_OPSET_NEWEST)
    tp_cli_note (cli, "note: opset %d: ops are known as in opsets %d to %d, and "
                      "are read as in the nearest",
                 graph->opset, TP_OPSET_OLDEST, TP_OPSET_NEWEST);
}

TplanGraph *
tp_cli_load_model (const TpCli *cli, const char *model, const GArray *dims,
                   GError **error)
{
  const TplanLoadOptions load = tp_cli_load_options (cli, dims);
  TplanGraph *graph = tplan_graph_load_full (model, &load, error);

  if (graph != NULL)
    tp_cli_note_model (cli, tp_api_get_graph (graph),
                       tp_api_get_assumed (graph));
  return graph;
}

TplanPlan *
tp_cli_make_plan (TpCli *cli, const char *model, const GArray *dims,
                  GError **error)
{
  g_autoptr (TplanGraph) graph = tp_cli_load_model (cli, model, dims, error);

  return graph == NULL ? NULL : tp_cli_plan_graph (cli, graph, error);
}

static TplanPlan *
plan_graph (TpCli *cli, const TplanGraph *graph, const TpRoadOptions *options,
            GError **error)
{
  TplanCosts *costs = get_costs (cli, error);
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  TpRoadOptions reporting = *options;
  TpCalibReport report = { 0 };
  TplanPlan *plan;

  if (costs == NULL)
    return NULL;
  if (options->is_measured)
    tp_cli_catch_interrupts ();
  reporting.report = &report;
  plan = tp_road_plan (graph, costs, &reporting, &notes, error);
  if (options->is_measured)
    tp_cli_release_interrupts ();
  tp_cli_progress_end (cli);
  note_measured (cli, &report);
  print_notes (cli, &notes);
  if (plan == NULL)
    return NULL;
  note_elsewhere (cli, tp_api_get_plan (plan));
  note_accuracy (cli, tp_api_get_plan (plan));
  return plan;
}

TplanPlan *
tp_cli_plan_graph (TpCli *cli, const TplanGraph *graph, GError **error)
{
  TpRoadOptions options;

  return read_options (cli, &options, error)
             ? plan_graph (cli, graph, &options, error) : NULL;
}

TplanPlan *
tp_cli_plan_part (TpCli *cli, const char *model, const GArray *dims,
                  GError **error)
{
  g_autoptr (TplanGraph) graph = tp_cli_load_model (cli, model, dims, error);
  TpRoadOptions options;

  if (graph == NULL || !read_options (cli, &options, error))
    return NULL;
  options.objective = "throughput";
  options.ignores_memory = TRUE; /* that is of all graphs together */
  options.is_apart = TRUE;
  return plan_graph (cli, graph, &options, error);
}

TplanPlan *
tp_cli_make_rival (TpCli *cli, const TplanGraph *graph, const TpRival *rival,
                   GError **error)
{
  g_autofree char *pin = g_strconcat ("*=", rival->device, NULL);
  const char *const pins[] = { pin, NULL };
  TplanCosts *costs = get_costs (cli, error);
  TpRoadOptions options;

  if (costs == NULL || !read_options (cli, &options, error))
    return NULL;
  if (rival->device != NULL)
    options.pins = pins;
  if (rival->is_unfused)
    options.no_fuse = tp_road_list_rules ();
  options.is_measured = FALSE; /* that was done for all devices */
  return tp_road_plan (graph, costs, &options, NULL, error);
}

TplanPlan *
tp_cli_plan_again (TpCli *cli, const TplanGraph *graph, TpAgain how,
                   GError **error)
{
  TplanCosts *costs = get_costs (cli, error);
  TpRoadOptions options;

  if (costs == NULL || !read_options (cli, &options, error))
    return NULL;
  options.is_measured = FALSE;
  options.ignores_memory = how == TP_AGAIN_FREE;
  options.tries_micro_batches |= how == TP_AGAIN_SPLIT;
  options.streams_weights |= how == TP_AGAIN_STREAMED;
  return tp_road_plan (graph, costs, &options, NULL, error);
}

#define START_BYTES 256 /* the format stands first */

static gboolean
starts_as (const char *path, gboolean (*is) (const char *text, gsize size))
{
  g_autoptr (GMappedFile) file = NULL;
  const char *text;
  char start[START_BYTES];
  gsize size;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  file = g_mapped_file_new (path, FALSE, NULL);
  text = file == NULL ? NULL : g_mapped_file_get_contents (file);
  if (text == NULL)
    return FALSE;
  size = g_mapped_file_get_length (file);
  if (!tp_gzip_is (text, size))
    return is (text, size);
  size = tp_gzip_peek (text, size, start, sizeof start);
  return is (start, size);
}

gboolean
tp_cli_is_tiers (const char *path)
{
  return starts_as (path, tp_tiers_is);
}

gboolean
tp_cli_is_mix (const char *path)
{
  return starts_as (path, tp_mix_is);
}

gboolean
tp_cli_is_whole_mix (const char *path)
{
  return tp_cli_planning.part == NULL && tp_cli_is_mix (path);
}

gboolean
tp_cli_is_plan (const char *path)
{
  return starts_as (path, tp_plan_is_plan) || tp_cli_is_tiers (path)
         || tp_cli_is_mix (path);
}

static gboolean
is_given (const GOptionEntry *entry)
{
  if (entry->arg == G_OPTION_ARG_NONE)
    return *(const gboolean *) entry->arg_data;
  return *(const gconstpointer *) entry->arg_data != NULL;
}

/* The first flag of those that shape plans, or NULL. */
static const char *
find_flag (const TpCli *cli)
{
  static const GOptionEntry planning[]
      = { TP_PLANNING_OPTIONS, TP_MACHINE_OPTION, { 0 } };
  static const struct
  {
    const char *name;
    unsigned uses;
  } common[] = {
    { "devices", TP_USES_DEVICES },
    { "threads", TP_USES_THREADS },
    { "no-pass", TP_USES_PASSES },
    { "state", TP_USES_STATES },
    { "cost", TP_USES_COSTS },
  };

  if (cli->numbers[0] != NULL)
    return "value";
  if (cli->cut[0] != NULL)
    return "outputs";
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    if (cli->given & common[i].uses)
      return common[i].name;
  for (const GOptionEntry *it = planning; it->long_name != NULL; it++)
    if (is_given (it))
      return it->long_name;
  return NULL;
}

static gboolean
refuse_flag (const char *path, const char *flag, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s is a plan, which --%s cannot change: leave it out, or make "
               "the plan anew with `tplan optimize`",
               path, flag);
  return FALSE;
}

/* Dimensions may be said again, as they are. */
static gboolean
check_plan_dims (const TpCli *cli, const TplanPlan *handle, const char *path,
                 GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  TpDims *own = tp_api_get_plan (handle)->dims;

  for (guint i = 0; dims != NULL && i < dims->len; i++)
    {
      const TplanDim *dim = &g_array_index (dims, TplanDim, i);
      const gint64 *value = tp_dims_find (own, dim->name);

      if (value == NULL || *value != dim->value)
        return refuse_flag (path, "dim", error);
    }
  return dims != NULL;
}

/* Which of several it is, where that is not what was asked for. */
static void
note_tier (const TpCli *cli, const char *path, const TplanPlan *handle,
           const GArray *dims)
{
  TpDims *own = tp_api_get_plan (handle)->dims;

  for (guint i = 0; i < dims->len; i++)
    {
      const TplanDim *dim = &g_array_index (dims, TplanDim, i);
      const gint64 *value = tp_dims_find (own, dim->name);

      if (*value != dim->value)
        tp_cli_note (cli, "note: %s: none of its plans is for %s=%"
                     G_GINT64_FORMAT ": taken is that for %s=%" G_GINT64_FORMAT,
                     path, dim->name, dim->value, dim->name, *value);
      else
        tp_cli_note (cli, "note: %s: of its plans, that for %s=%"
                     G_GINT64_FORMAT, path, dim->name, *value);
    }
}

TplanMix *
tp_cli_load_mix (const TpCli *cli, const char *path, GError **error)
{
  TplanLoadOptions load = tp_cli_load_options (cli, NULL);

  if (tp_cli_planning.graph_path != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s has several graphs, and --graph is of one: put each "
                   "where its plan has it, or beside the plans", path);
      return NULL;
    }
  load.no_pass = load.states = load.values = load.outputs
      = NULL; /* a plan says it itself */
  return tplan_mix_load (path, &load, error);
}

static void
refuse_part (const char *path, const TplanMix *mix, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  int n;
  const TplanMixPart *parts = tplan_mix_get_parts (mix, &n);

  for (int i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i == 0 ? "" : ", ", parts[i].name);
  if (tp_cli_planning.part == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "%s has plans of several graphs, %s: say which with --part "
                 "%s; run and bench run all of them side by side",
                 path, names->str, parts[0].name);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "%s: no plan is of '%s': there are %s", path,
                 tp_cli_planning.part, names->str);
}

/* The one that --part names. */
static TplanPlan *
load_part (const TpCli *cli, const char *path, GError **error)
{
  g_autoptr (TplanMix) mix = tp_cli_load_mix (cli, path, error);
  int n = 0;
  const TplanMixPart *parts
      = mix == NULL ? NULL : tplan_mix_get_parts (mix, &n);

  for (int i = 0; i < n; i++)
    if (g_strcmp0 (parts[i].name, tp_cli_planning.part) == 0)
      return tp_api_steal_part (mix, i);
  if (mix != NULL)
    refuse_part (path, mix, error);
  return NULL;
}

static gboolean
check_part (const char *path, GError **error)
{
  if (tp_cli_planning.part == NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s has one plan: --part is for plans of several graphs: leave "
               "it out", path);
  return FALSE;
}

TplanPlan *
tp_cli_load_plan (const TpCli *cli, const char *path, GError **error)
{
  gboolean is_tiers = tp_cli_is_tiers (path);
  g_autoptr (GArray) dims = is_tiers ? tp_cli_parse_dims (cli, error) : NULL;
  TplanLoadOptions load = tp_cli_load_options (cli, dims);
  TplanPlan *plan;

  if (cli->cut[0] != NULL)
    {
      refuse_flag (path, "outputs", error);
      return NULL;
    }
  if (tp_cli_is_mix (path))
    return load_part (cli, path, error);
  if ((is_tiers && dims == NULL) || !check_part (path, error))
    return NULL;
  load.no_pass = load.states = load.values = load.outputs
      = NULL; /* a plan says it itself */
  plan = tplan_plan_load_full (path, tp_cli_planning.graph_path, &load, error);
  if (plan != NULL && is_tiers)
    note_tier (cli, path, plan, dims);
  return plan;
}

gboolean
tp_cli_check_flags (const TpCli *cli, const char *path, GError **error)
{
  const char *flag = find_flag (cli);

  return flag == NULL || refuse_flag (path, flag, error);
}

static TplanPlan *
load_unchanged (const TpCli *cli, const char *path, GError **error)
{
  g_autoptr (TplanPlan) plan = NULL;

  if (!tp_cli_check_flags (cli, path, error))
    return NULL;
  plan = tp_cli_load_plan (cli, path, error);
  return plan != NULL
                 && (tp_cli_is_tiers (path)
                     || check_plan_dims (cli, plan, path, error))
             ? g_steal_pointer (&plan)
             : NULL;
}

TplanPlan *
tp_cli_load_or_plan (TpCli *cli, const char *path, GError **error)
{
  g_autoptr (GArray) dims = NULL;

  if (tp_cli_is_plan (path))
    return load_unchanged (cli, path, error);
  if (tp_cli_planning.graph_path != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s is no plan: --graph is for one whose model has moved",
                   path);
      return NULL;
    }
  dims = tp_cli_parse_dims (cli, error);
  return dims == NULL ? NULL : tp_cli_make_plan (cli, path, dims, error);
}

char *
tp_cli_format_devices (const TplanPlan *plan)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);
  double all_ns = 0;

  for (int i = 0; i < n; i++)
    all_ns += devices[i].time_ns;
  for (int i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s%d ops on %s", i == 0 ? "" : ", ",
                              devices[i].n_ops, devices[i].name);
      if (devices[i].time_ns > 0 && devices[i].time_ns < all_ns)
        g_string_append_printf (text, " (%.0f %% of the time)",
                                100 * devices[i].time_ns / all_ns);
    }
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
