/* tiers-made.c: see tiers-made.h. */
#include "config.h"

#include "cli/tiers-made.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "format/plan-json.h"
#include "format/tiers.h"

#include <string.h>

void
tp_tiers_made_init (TpTiersMade *made, const char *parameter)
{
  g_autofree char *first = g_strconcat (">", parameter, NULL);
  const char *const headers[]
      = { first, ">COST", "PLACEMENT", "BEST SINGLE", NULL };

  *made = (TpTiersMade){ .parameter = parameter };
  made->texts = g_ptr_array_new_with_free_func (g_free);
  made->tiers = json_array ();
  made->table = tp_table_new (headers);
}

void
tp_tiers_made_clear (TpTiersMade *made)
{
  g_clear_pointer (&made->texts, g_ptr_array_unref);
  g_clear_pointer (&made->tiers, json_decref);
  g_clear_pointer (&made->table, tp_table_free);
  g_clear_pointer (&made->graph_name, g_free);
}

gboolean
tp_tiers_check_outputs (const TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];

      if (strcmp (path, "-") != 0 && !g_str_has_suffix (path, ".json"))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s': plans for several values go into a .json file; "
                       "`tplan view` draws one of them", path);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  return TRUE;
}

static json_t *
tier_to_json (gint64 value, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  json_t *object = json_pack (
      "{s:I, s:I, s:I, s:o, s:o}", "value", (json_int_t) value, "cost_ns",
      (json_int_t) plan->cost_ns, "bound_ns", (json_int_t) plan->bound_ns,
      "devices", tp_cli_count_devices (handle), "best_single_ns",
      plan->best_single < 0 ? json_null ()
                            : json_integer (plan->best_single_ns));

  tp_cli_add_between (object, "cost_", plan->cost_low_ns, plan->cost_high_ns);
  return object;
}

static char *
format_single (const TpPlan *plan)
{
  g_autofree char *time = tp_cli_format_time (plan->best_single_ns);

  return plan->best_single < 0
             ? NULL
             : g_strdup_printf ("%s on %s", time,
                                plan->devices[plan->best_single]);
}

void
tp_tiers_made_add (TpTiersMade *made, gint64 value, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);

  g_ptr_array_add (made->texts,
                   tp_plan_to_json (plan, tp_api_get_graph (
                                              tplan_plan_get_graph (handle))));
  json_array_append_new (made->tiers, tier_to_json (value, handle));
  tp_table_add (made->table, g_strdup_printf ("%" G_GINT64_FORMAT, value),
                tp_cli_format_time (plan->cost_ns),
                tp_cli_format_devices (handle), format_single (plan));
  made->is_simulated = plan->is_simulated;
  g_free (made->graph_name);
  made->graph_name = g_strdup (plan->graph_name);
}

static gboolean
write_files (TpTiersMade *made, TpCli *cli, GError **error)
{
  g_autofree char *text = NULL;

  g_ptr_array_add (made->texts, NULL);
  text = tp_tiers_to_json (made->parameter,
                           (const char *const *) made->texts->pdata);
  for (int i = 0; cli->outputs[i] != NULL; i++)
    if (!tp_cli_write_output (cli, cli->outputs[i], text, strlen (text), error))
      return FALSE;
  if (cli->outputs[0] != NULL)
    tp_cli_note (cli, "--dim %s=... says which of its plans is meant",
                 made->parameter);
  return TRUE;
}

gboolean
tp_tiers_made_finish (TpTiersMade *made, TpCli *cli, GError **error)
{
  if (!write_files (made, cli, error))
    return FALSE;
  if (g_strv_contains ((const char *const *) cli->outputs, "-"))
    return TRUE;
  if (cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (
        cli,
        json_pack ("{s:s, s:o, s:o, s:b, s:O}", "format",
                   "tplan-optimize-tiers/1", "graph",
                   tp_cli_string (made->graph_name), "parameter",
                   tp_cli_string (made->parameter), "simulated",
                   made->is_simulated, "tiers", made->tiers),
        "tiers");
  else
    tp_table_print (made->table, cli);
  return TRUE;
}
