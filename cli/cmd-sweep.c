/* cmd-sweep.c: the plan as a function of one dimension, such as the batch. */
#include "config.h"

#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/single.h"
#include "cli/text.h"
#include "cli/values.h"
#include "ir/plan.h"

#include <stdio.h>
#include <string.h>

static const GOptionEntry sweep_options[]
    = { TP_PLANNING_OPTIONS, TP_MACHINE_OPTION, { 0 } };

typedef struct
{
  gint64 value;
  TplanPlan *plan;
} SweepPoint;

typedef struct
{
  char *parameter;
  GArray *dims;               /* the other ones, and the current value */
  GArray *values;             /* gint64 */
  GArray *points;             /* SweepPoint */
} Sweep;

static void
sweep_clear (Sweep *sweep)
{
  for (guint i = 0; sweep->points != NULL && i < sweep->points->len; i++)
    tplan_plan_free (g_array_index (sweep->points, SweepPoint, i).plan);
  g_clear_pointer (&sweep->points, g_array_unref);
  g_clear_pointer (&sweep->values, g_array_unref);
  g_clear_pointer (&sweep->dims, g_array_unref);
  g_free (sweep->parameter);
}

/* The one dimension with several values is swept; the others are fixed. */
static gboolean
sweep_parse (Sweep *sweep, TpCli *cli, GError **error)
{
  for (int i = 0; cli->dim_texts[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (GArray) values = NULL;

      if (!tp_cli_parse_dim (cli->dim_texts[i], &name, &values, error))
        return FALSE;
      if (values->len == 1)
        tp_cli_values_set (sweep->dims, name,
                           g_array_index (values, gint64, 0));
      else if (sweep->parameter == NULL)
        {
          sweep->parameter = g_steal_pointer (&name);
          sweep->values = g_steal_pointer (&values);
        }
      else
        break;
    }
  if (sweep->parameter != NULL
      && sweep->dims->len + 1 == g_strv_length (cli->dim_texts))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "sweep takes one --dim with several values, such as "
               "--dim N=1,2,4..128");
  return FALSE;
}

static gboolean
sweep_plan (Sweep *sweep, TpCli *cli, GError **error)
{
  for (guint i = 0; i < sweep->values->len; i++)
    {
      SweepPoint point = { g_array_index (sweep->values, gint64, i), NULL };

      tp_cli_values_set (sweep->dims, sweep->parameter, point.value);
      point.plan
          = tp_cli_make_plan (cli, cli->args[0], sweep->dims, error);
      if (point.plan == NULL)
        return FALSE;
      g_array_append_val (sweep->points, point);
    }
  return TRUE;
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

  tp_cli_add_interval (object, "", point->plan);
  return object;
}

static void
sweep_print_data (const Sweep *sweep, const TpCli *cli)
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
  tp_cli_print_data (cli, json_pack (
      "{s:s, s:s, s:o, s:o, s:o, s:b}", "format", "tplan-sweep/1",
      "parameter", sweep->parameter, "points", points, "breakpoints", breaks,
      "leaves_host_at",
      leaving == NULL ? json_null () : json_integer (leaving->value),
      "simulated", last != NULL && last->is_simulated),
                     "points");
}

static char *
format_single (const TpPlan *plan)
{
  g_autofree char *time = tp_cli_format_time (plan->best_single_ns);

  if (plan->best_single < 0)
    return g_strdup ("-");
  return g_strdup_printf ("%s on %s", time, plan->devices[plan->best_single]);
}

static void
sweep_print_table (const Sweep *sweep, TpCli *cli)
{
  g_autofree char *parameter = g_strconcat (">", sweep->parameter, NULL);
  const char *const headers[] = { parameter,     ">COST",    "PLACEMENT",
                                  "BEST SINGLE", "SIMULATED", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  const SweepPoint *leaving = sweep_find_leaving (sweep);

  for (guint i = 0; i < sweep->points->len; i++)
    {
      const SweepPoint *point = &g_array_index (sweep->points, SweepPoint, i);
      const TpPlan *plan = tp_api_get_plan (point->plan);

      tp_table_add (table,
                    g_strdup_printf ("%" G_GINT64_FORMAT, point->value),
                    tp_cli_format_time (tplan_plan_get_cost_ns (point->plan)),
                    tp_cli_format_devices (point->plan),
                    format_single (plan),
                    g_strdup (plan->is_simulated ? "yes" : "no"));
    }
  tp_table_print (table, cli);
  if (leaving != NULL)
    tp_cli_note (cli, "the plan leaves the host at %s=%" G_GINT64_FORMAT,
                 sweep->parameter, leaving->value);
  else
    tp_cli_note (cli, "the plan never leaves the host");
}

static gboolean
sweep_run (TpCli *cli, GError **error)
{
  Sweep sweep = { 0 };
  gboolean good;

  sweep.dims = tp_cli_values_new ();
  sweep.points = g_array_new (FALSE, FALSE, sizeof (SweepPoint));
  good = sweep_parse (&sweep, cli, error) && sweep_plan (&sweep, cli, error);
  if (good && cli->format != TP_FORMAT_TABLE)
    sweep_print_data (&sweep, cli);
  else if (good)
    sweep_print_table (&sweep, cli);
  sweep_clear (&sweep);
  return good;
}

const TpCommand tp_command_sweep = {
  .name = "sweep",
  .arguments = "MODEL",
  .summary = "Plans a model over several values of one dimension",
  .details = "  tplan sweep model.onnx --dim N=1,2,4..128 --devices "
             "cpu,sim:laptop-gpu\n"
             "A..B doubles from A up to B.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_FORMAT,
  .options = sweep_options,
  .run = sweep_run,
};
