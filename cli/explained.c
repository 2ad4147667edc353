/* explained.c: see explained.h. */
#include "config.h"

#include "cli/explained.h"

#include "cli/output.h"
#include "cli/reason.h"
#include "cli/text.h"
#include "ir/costs.h"
#include "ir/plan-reason.h"

#include <string.h>

#define TIMES_CHARACTERS 24   /* of names of devices above their times */

gboolean
tp_explained_is_tie (const TpExplained *it)
{
  return it->plan->tie_price_ns > 0
         && it->placement->cheapest != it->device;
}

gboolean
tp_explained_has_margin (const TpExplained *it)
{
  return it->placement->margin_ns >= 0 && !tp_explained_is_tie (it);
}

const char *
tp_explained_get_group (const TpExplained *it)
{
  if (it->group < 0)
    return NULL;
  return it->graph->nodes[it->plan->groups->groups[it->group].nodes[0]].name;
}

/* ---- cells ---------------------------------------------------------------- */

/* NULL: it has none. */
static char *
format_margin (const TpExplained *it)
{
  g_autofree char *time = NULL;

  if (!tp_explained_has_margin (it))
    return NULL;
  time = tp_cli_format_time (it->placement->margin_ns);
  return g_strconcat (it->placement->is_margin_least ? ">= " : "", time, NULL);
}

static char *
format_reason (const TpExplained *it)
{
  return tp_cli_format_reason (it->plan, it->graph, it->placement,
                               it->group >= 0);
}

static char *
format_brief (const TpCost *cost)
{
  g_autofree char *time = NULL;

  if (cost->time_ns == TP_COST_NONE)
    return g_strdup ("-");
  time = tp_cli_format_time (cost->time_ns);
  return g_strconcat (cost->is_estimated ? "~" : "", time, NULL);
}

/* With its spread, and what was measured where that is another figure. */
static char *
format_cost (const TpCost *cost)
{
  g_autofree char *time = format_brief (cost);
  g_autofree char *spread = NULL;
  g_autofree char *measured = NULL;

  if (cost->time_ns == TP_COST_NONE || cost->is_estimated
      || cost->spread_ns == 0)
    return g_steal_pointer (&time);
  spread = tp_cli_format_time (cost->spread_ns);
  measured = tp_cli_format_time (
      cost->measured_ns == 0 ? cost->time_ns : cost->measured_ns);
  if (strcmp (time, measured) == 0)
    return g_strdup_printf ("%s +-%s", time, spread);
  return g_strdup_printf ("%s +-%s (%s measured)", time, spread, measured);
}

/* Times on all devices in one cell, in the order of the devices. */
static char *
format_costs (const TpExplained *it)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < it->plan->n_devices; i++)
    {
      g_autofree char *cost
          = format_brief (tp_costs_node (it->plan->costs, it->node, i));

      g_string_append_printf (text, "%s%s", i == 0 ? "" : " | ", cost);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_share (const TpExplained *it)
{
  return g_strdup_printf ("%.1f %%", 100 * it->share);
}

static char *
format_copies (const TpExplained *it)
{
  return it->transfer_ns == 0 ? NULL : tp_cli_format_time (it->transfer_ns);
}

/* "+ Relu": in the kernel of another, which begins its group. */
static char *
format_type (const TpExplained *it)
{
  const TpNode *node = &it->graph->nodes[it->node];
  const char *first = tp_explained_get_group (it);

  return g_strconcat (first == NULL || strcmp (first, node->name) == 0 ? ""
                                                                       : "+ ",
                      node->type, NULL);
}

/* ---- all of them ---------------------------------------------------------- */

static TpReason
find_reason (const TpExplained *it)
{
  return tp_plan_find_reason (it->plan, it->graph, it->placement, NULL);
}

static void
add_row (TpTable *table, const TpExplained *it)
{
  tp_table_add (table, g_strdup (it->graph->nodes[it->node].name),
                format_type (it), g_strdup (it->plan->devices[it->device]),
                format_costs (it), format_share (it), format_copies (it),
                format_margin (it),
                g_strdup (tp_reason_get_name (find_reason (it))));
}

/* Each reason there is, in the words of the first op that has it; and @times
 * (nullable). */
static void
print_reasons (const TpCli *cli, const GArray *ops, const char *times)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  guint seen = 0;

  if (times != NULL)
    tp_table_add (table, g_strdup ("TIMES"), g_strdup_printf ("on %s", times));
  for (guint i = 0; i < ops->len; i++)
    {
      const TpExplained *it = &g_array_index (ops, TpExplained, i);
      TpReason reason = find_reason (it);
      g_autofree char *words = format_reason (it);

      if (seen & (1U << reason))
        continue;
      seen |= 1U << reason;
      tp_table_add (table, g_strdup (tp_reason_get_name (reason)),
                    g_strdup_printf ("%s: %s", it->graph->nodes[it->node].name,
                                     words));
    }
  tp_table_wrap (table);
  tp_table_print (table, cli);
}

void
tp_explained_print (const TpCli *cli, const TpPlan *plan, const GArray *ops)
{
  g_autofree char *times = g_strjoinv (" | ", plan->devices);
  gboolean is_long = strlen (times) > TIMES_CHARACTERS;
  const char *const headers[]
      = { "OP",      "TYPE",    "DEVICE",  is_long ? "TIMES" : times,
          ">SHARE", ">COPIES", ">MARGIN", "WHY", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (guint i = 0; i < ops->len; i++)
    add_row (table, &g_array_index (ops, TpExplained, i));
  tp_table_fit (table);
  tp_table_print (table, cli);
  if (ops->len > 0)
    tp_cli_print ("%s", "");
  print_reasons (cli, ops, is_long ? times : NULL);
}

/* ---- one ------------------------------------------------------------------ */

static void
add_pair (TpTable *table, const char *name, char *value)
{
  if (value != NULL)
    tp_table_add (table, g_strdup (name), value);
}

void
tp_explained_print_one (const TpCli *cli, const TpExplained *it)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  const TpNode *node = &it->graph->nodes[it->node];
  const char *group = tp_explained_get_group (it);

  add_pair (table, "op", g_strdup (node->name));
  add_pair (table, "type", g_strdup (node->type));
  add_pair (table, "device", g_strdup (it->plan->devices[it->device]));
  add_pair (table, "why", format_reason (it));
  for (int i = 0; i < it->plan->n_devices; i++)
    {
      g_autofree char *name
          = g_strconcat ("on ", it->plan->devices[i], NULL);

      add_pair (table, name,
                format_cost (tp_costs_node (it->plan->costs, it->node, i)));
    }
  add_pair (table, "share", format_share (it));
  add_pair (table, "copies", format_copies (it));
  add_pair (table, "group",
            group == NULL ? NULL : g_strdup_printf ("that of %s", group));
  add_pair (table, "margin", format_margin (it));
  tp_table_wrap (table);
  tp_table_print (table, cli);
}
