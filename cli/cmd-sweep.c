/* cmd-sweep.c: the plan as a function of one dimension, such as the batch; or of
 * something of the machine (sweep-scale.c). */
#include "config.h"

#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/run-times.h"
#include "cli/series.h"
#include "cli/single.h"
#include "cli/sweep-files.h"
#include "cli/sweep-ranges.h"
#include "cli/sweep-scale.h"
#include "cli/text.h"
#include "ir/plan.h"

#include <stdio.h>
#include <string.h>

static char *scale, *bandwidth;

static const GOptionEntry sweep_options[] = {
  { "scale", 0, 0, G_OPTION_ARG_STRING, &scale,
    "copies or DEVICE x times; --bandwidth=LOW..HIGH",
    "WHAT=LOW..HIGH" },
  { "bandwidth", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &bandwidth, NULL,
    "LOW..HIGH" },
  TP_PLANNING_OPTIONS, TP_MACHINE_OPTION, { 0 }
};

typedef struct
{
  gint64 value;
  TplanPlan *plan;
} SweepPoint;

typedef struct
{
  TpSeries series;
  GArray *points;             /* SweepPoint */
  TpRanges *ranges;           /* (nullable): between them */
} Sweep;

static void
sweep_clear (Sweep *sweep)
{
  for (guint i = 0; sweep->points != NULL && i < sweep->points->len; i++)
    tplan_plan_free (g_array_index (sweep->points, SweepPoint, i).plan);
  g_clear_pointer (&sweep->points, g_array_unref);
  g_clear_pointer (&sweep->ranges, tp_ranges_free);
  tp_series_clear (&sweep->series);
}

static gboolean
sweep_parse (Sweep *sweep, TpCli *cli, GError **error)
{
  if (!tp_series_init (&sweep->series, cli, error))
    return FALSE;
  if (sweep->series.parameter != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "sweep takes one --dim with several values, such as "
               "--dim N=1,2,4..128, or what changes, such as "
               "--scale copies=0.01..100, --bandwidth 0.1..10 or "
               "--price opencl:0=0.1..5/h");
  return FALSE;
}

static gboolean
sweep_plan (Sweep *sweep, TpCli *cli, GError **error)
{
  for (guint i = 0; i < tp_series_count (&sweep->series); i++)
    {
      SweepPoint point = { tp_series_set (&sweep->series, i), NULL };

      point.plan = tp_cli_make_plan (cli, cli->args[0], sweep->series.dims,
                                     error);
      if (point.plan == NULL)
        return FALSE;
      g_array_append_val (sweep->points, point);
    }
  return TRUE;
}

/* Where there are ranges: not within limits of memory, nor for other objectives. */
static gboolean
sweep_find_ranges (Sweep *sweep, GError **error)
{
  guint n = sweep->points->len;
  g_autofree const TplanPlan **plans = g_new0 (const TplanPlan *, n + 1);
  g_autofree gint64 *values = g_new0 (gint64, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const SweepPoint *point = &g_array_index (sweep->points, SweepPoint, i);

      if (!tp_api_has_ranges (point->plan))
        return TRUE;
      plans[i] = point->plan;
      values[i] = point->value;
    }
  sweep->ranges = tp_api_find_ranges (plans, values, (int) n, error);
  return sweep->ranges != NULL;
}

/* Whether two plans put their ops on the same devices. */
static gboolean
is_same_placement (const TpPlan *a, const TpPlan *b)
{
  if (a->n_placements != b->n_placements)
    return FALSE;
  for (int i = 0; i < a->n_placements; i++)
    if (a->placements[i].node != b->placements[i].node
        || a->placements[i].device != b->placements[i].device)
      return FALSE;
  return TRUE;
}

/* So is what never had a host to leave. */
static gboolean
is_all_host (const TpPlan *plan)
{
  int host = tp_plan_get_host (plan);

  for (int i = 0; i < plan->n_placements && host != TP_COSTS_HOST; i++)
    if (plan->placements[i].device != host)
      return FALSE;
  return TRUE;
}

/* The first point whose plan uses another device than the host; NULL: none. */
static const SweepPoint *
sweep_find_leaving (const Sweep *sweep)
{
  for (guint i = 0; i < sweep->points->len; i++)
    {
      const SweepPoint *point = &g_array_index (sweep->points, SweepPoint, i);

      if (!is_all_host (tp_api_get_plan (point->plan)))
        return point;
    }
  return NULL;
}

/* {device: all on it} */
static json_t *
singles_to_json (const SweepPoint *point)
{
  const TpPlan *plan = tp_api_get_plan (point->plan);
  json_t *object = json_object ();

  for (int i = 0; i < plan->n_devices; i++)
    json_object_set_new (object, plan->devices[i],
                         tp_cli_single_to_json (point->plan, i));
  return object;
}

/* Of a batch of the plan's in @time_ns; 0: not known. */
static double
get_rate (const TplanPlan *plan, gint64 time_ns)
{
  gint64 n = tp_graph_count_items (tplan_plan_get_graph (plan));

  return time_ns > 0 ? 1e9 * (double) n / (double) time_ns : 0;
}

static void
set_rate (json_t *object, const char *key, const TplanPlan *plan,
          gint64 time_ns)
{
  double rate = get_rate (plan, time_ns);

  json_object_set_new (object, key, rate > 0 ? json_real (rate)
                                             : json_null ());
}

static json_t *
point_to_json (const SweepPoint *point)
{
  const TpPlan *plan = tp_api_get_plan (point->plan);
  json_t *object = json_pack (
      "{s:I, s:I, s:o, s:o, s:o}", "value", (json_int_t) point->value,
      "cost_ns", (json_int_t) tplan_plan_get_cost_ns (point->plan), "devices",
      tp_cli_count_devices (point->plan), "best_single_ns",
      plan->best_single < 0 ? json_null ()
                            : json_integer (plan->best_single_ns),
      "single_ns", singles_to_json (point));

  tp_cli_add_between (object, "", plan->cost_low_ns, plan->cost_high_ns);
  set_rate (object, "items_per_second", point->plan, plan->cost_ns);
  set_rate (object, "items_per_second_low", point->plan, plan->cost_high_ns);
  set_rate (object, "items_per_second_high", point->plan, plan->cost_low_ns);
  return object;
}

static json_t *
sweep_to_json (const Sweep *sweep)
{
  json_t *points = json_array (), *breaks = json_array ();
  const SweepPoint *leaving = sweep_find_leaving (sweep);
  const TpPlan *last = NULL;

  for (guint i = 0; i < sweep->points->len; i++)
    {
      const SweepPoint *point = &g_array_index (sweep->points, SweepPoint, i);

      json_array_append_new (points, point_to_json (point));
      if (last != NULL
          && !is_same_placement (last, tp_api_get_plan (point->plan)))
        json_array_append_new (breaks, json_integer (point->value));
      last = tp_api_get_plan (point->plan);
    }
  return json_pack (
      "{s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "format", "tplan-sweep/1",
      "parameter", sweep->series.parameter, "points", points, "breakpoints",
      breaks, "ranges",
      tp_sweep_ranges_to_json (
          sweep->ranges, g_array_index (sweep->points, SweepPoint, 0).plan),
      "leaves_host_at",
      leaving == NULL ? json_null () : json_integer (leaving->value),
      "simulated", last != NULL && last->is_simulated);
}

static char *
format_single (const TpPlan *plan)
{
  g_autofree char *time = tp_cli_format_time (plan->best_single_ns);

  if (plan->best_single < 0)
    return g_strdup ("-");
  return g_strdup_printf ("%s on %s", time, plan->devices[plan->best_single]);
}

/* "+-3 %", of a time that is between as sure as that. */
static char *
format_band (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);

  if (plan->cost_low_ns < 0 || plan->cost_low_ns == plan->cost_high_ns
      || plan->cost_ns <= 0)
    return NULL;
  return g_strdup_printf ("%.1f %%", 50.0
                                         * (double) (plan->cost_high_ns
                                                     - plan->cost_low_ns)
                                         / (double) plan->cost_ns);
}

static void
add_row (TpTable *table, const SweepPoint *point)
{
  const TpPlan *plan = tp_api_get_plan (point->plan);

  tp_table_add (table, g_strdup_printf ("%" G_GINT64_FORMAT, point->value),
                tp_cli_format_time (plan->cost_ns), format_band (point->plan),
                g_strdup_printf ("%.4g", get_rate (point->plan,
                                                   plan->cost_ns)),
                tp_cli_format_devices (point->plan), format_single (plan),
                g_strdup (plan->is_simulated ? "yes" : "no"));
}

static void
sweep_print_table (const Sweep *sweep, TpCli *cli)
{
  g_autofree char *parameter = g_strconcat (">", sweep->series.parameter, NULL);
  const char *const headers[]
      = { parameter, ">COST", ">+-", ">ITEMS/S", "PLACEMENT", "BEST SINGLE",
          "SIMULATED", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  const SweepPoint *leaving = sweep_find_leaving (sweep);

  for (guint i = 0; i < sweep->points->len; i++)
    add_row (table, &g_array_index (sweep->points, SweepPoint, i));
  tp_table_print (table, cli);
  if (leaving != NULL)
    tp_cli_note (cli, "the plan leaves the host at %s=%" G_GINT64_FORMAT,
                 sweep->series.parameter, leaving->value);
  else
    tp_cli_note (cli, "the plan never leaves the host");
  tp_sweep_ranges_print (sweep->ranges,
                         g_array_index (sweep->points, SweepPoint, 0).plan,
                         sweep->series.parameter, cli);
}

/* The first plan, and each that puts ops elsewhere than the one before it: those
 * that a page shows. (plans borrowed, names of @names owned by it) */
static GPtrArray *
list_plans (const Sweep *sweep, GPtrArray *names)
{
  GPtrArray *plans = g_ptr_array_new ();
  const TpPlan *last = NULL;

  for (guint i = 0; i < sweep->points->len; i++)
    {
      const SweepPoint *point = &g_array_index (sweep->points, SweepPoint, i);
      const TpPlan *plan = tp_api_get_plan (point->plan);

      if (last == NULL || !is_same_placement (last, plan))
        {
          g_ptr_array_add (plans, point->plan);
          g_ptr_array_add (names, g_strdup_printf ("%s=%" G_GINT64_FORMAT,
                                                   sweep->series.parameter,
                                                   point->value));
        }
      last = plan;
    }
  g_ptr_array_add (names, NULL);
  return plans;
}

static gboolean
sweep_finish (const Sweep *sweep, TpCli *cli, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) plans = list_plans (sweep, names);
  json_t *document = sweep_to_json (sweep);
  const TpSweepFiles files = { document, plans,
                               (const char *const *) names->pdata };

  if (!tp_sweep_files_write (cli, &files, error))
    {
      json_decref (document);
      return FALSE;
    }
  if (cli->format != TP_FORMAT_TABLE)
    {
      tp_cli_print_data (cli, document, "points");
      return TRUE;
    }
  json_decref (document);
  sweep_print_table (sweep, cli);
  return TRUE;
}

static gboolean
sweep_run (TpCli *cli, GError **error)
{
  Sweep sweep = { .points = NULL };
  g_auto (TpSweepRange) range = { .option = NULL };
  gboolean good;

  if (!tp_sweep_range_parse (&range, scale, bandwidth, error))
    return FALSE;
  if (range.option != NULL)
    return tp_sweep_scale (cli, &range, error);
  sweep.points = g_array_new (FALSE, FALSE, sizeof (SweepPoint));
  good = tp_sweep_files_check (cli, error) && sweep_parse (&sweep, cli, error)
         && sweep_plan (&sweep, cli, error)
         && sweep_find_ranges (&sweep, error)
         && sweep_finish (&sweep, cli, error);
  sweep_clear (&sweep);
  return good;
}

const TpCommand tp_command_sweep = {
  .name = "sweep",
  .arguments = "MODEL",
  .summary = "Plans a model over values of a dimension, speeds or prices",
  .details = "  tplan sweep model.onnx --dim N=1,2,4..128 --devices "
             "cpu,sim:laptop-gpu\n"
             "A..B doubles from A up to B. -o: .svg, .html, .csv or .json.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_RATES | TP_USES_FORMAT
          | TP_USES_FILES,
  .options = sweep_options,
  .run = sweep_run,
};
