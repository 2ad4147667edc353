/* sweep-ranges.c: see sweep-ranges.h. */
#include "config.h"

#include "cli/sweep-ranges.h"

#include "api/plan.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/sweep-devices.h"
#include "cli/text.h"

#include <math.h>
#include <stdio.h>

static json_t *
range_to_json (const TpRange *range, const TpPlan *plan)
{
  if (range->devices == NULL)
    return json_pack ("{s:f, s:f, s:n, s:n, s:n, s:n, s:s}", "from",
                      range->from, "to", range->to, "cost_from_ns",
                      "cost_to_ns", "transfers", "devices", "reason",
                      range->reason);
  return json_pack ("{s:f, s:f, s:f, s:f, s:i, s:o, s:n}", "from", range->from,
                    "to", range->to, "cost_from_ns", range->cost_from_ns,
                    "cost_to_ns", range->cost_to_ns, "transfers",
                    range->n_copies, "devices",
                    tp_sweep_devices_to_json (plan, range->devices), "reason");
}

json_t *
tp_sweep_ranges_to_json (const TpRanges *ranges, const TplanPlan *plan)
{
  json_t *list;

  if (ranges == NULL)
    return json_null ();
  list = json_array ();
  for (int i = 0; i < ranges->n_ranges; i++)
    json_array_append_new (
        list, range_to_json (&ranges->ranges[i], tp_api_get_plan (plan)));
  return json_pack ("{s:b, s:o, s:i, s:b}", "interpolated", TRUE, "list", list,
                    "plans", ranges->n_plans, "proved", ranges->is_proved);
}

static void
add_row (TpTable *table, const TpRange *range, const TpPlan *plan)
{
  tp_table_add (table, g_strdup_printf ("%.5g", range->from),
                g_strdup_printf ("%.5g", range->to),
                tp_cli_format_time (llround (range->cost_from_ns)),
                tp_cli_format_time (llround (range->cost_to_ns)),
                tp_sweep_devices_format (plan, range->devices),
                g_strdup_printf ("%d", range->n_copies));
}

void
tp_sweep_ranges_print (const TpRanges *ranges, const TplanPlan *plan,
                       const char *parameter, const TpCli *cli)
{
  g_autofree char *first = g_strconcat (">", parameter, NULL);
  const char *const headers[] = { first, ">TO", ">INTERPOLATED COST", ">TO",
                                  "PLACEMENT", ">COPIES", NULL };
  g_autoptr (TpTable) table = NULL;

  if (ranges == NULL)
    return;
  table = tp_table_new (headers);
  for (int i = 0; i < ranges->n_ranges; i++)
    if (ranges->ranges[i].devices != NULL)
      add_row (table, &ranges->ranges[i], tp_api_get_plan (plan));
  if (ranges->n_plans > 0)
    {
      printf ("\n");
      tp_table_print (table, cli);
      tp_cli_note (cli, "between the values figures are interpolated%s, whatever "
                        "their noise: %d plans were made, %s",
                   tp_cli_simulated (plan), ranges->n_plans,
                   ranges->is_proved ? "each proved least"
                                     : "not all of them proved least");
    }
  for (int i = 0; i < ranges->n_ranges; i++)
    if (ranges->ranges[i].devices == NULL)
      tp_cli_note (cli, "nothing is interpolated from %s=%.0f to %.0f: %s there",
                   parameter, ranges->ranges[i].from, ranges->ranges[i].to,
                   ranges->ranges[i].reason);
}
