/* cmd-explain.c: why each op is where it is. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/accuracy.h"
#include "cli/csv.h"
#include "cli/explained.h"
#include "cli/memory-limits.h"
#include "cli/mix-loads.h"
#include "cli/micro-batches.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/loads.h"
#include "cli/predicted.h"
#include "cli/rates.h"
#include "cli/reason.h"
#include "cli/streamed.h"
#include "ir/costs.h"
#include "ir/plan-reason.h"
#include "ir/recipe.h"

#include <string.h>

static struct
{
  char *sort;                 /* (nullable): in the order they run */
  int n_top;                  /* 0: all */
} given;

static const GOptionEntry explain_options[] = {
  { "sort", 0, 0, G_OPTION_ARG_STRING, &given.sort,
    "ops by time, name or gain (default: as they run)", "KEY" },
  { "top", 0, 0, G_OPTION_ARG_INT, &given.n_top,
    "how many ops to show; 0, the default: all", "N" },
  TP_GRAPH_OPTION,
  TP_PLANNING_OPTIONS,
  TP_MACHINE_OPTION,
  { 0 },
};

static gint64
get_time (const TpCost *cost)
{
  return cost->time_ns;
}

static gint64
get_spread (const TpCost *cost)
{
  return cost->spread_ns;
}

/* Before it was drawn to others. */
static gint64
get_measured (const TpCost *cost)
{
  return cost->measured_ns == 0 ? cost->time_ns : cost->measured_ns;
}

static json_t *
costs_to_json (const TpExplained *it, gint64 (*get) (const TpCost *cost))
{
  json_t *object = json_object ();

  for (int i = 0; i < it->plan->n_devices; i++)
    {
      const TpCost *cost = tp_costs_node (it->plan->costs, it->node, i);
      json_t *value = cost->time_ns == TP_COST_NONE
                          ? json_null ()
                          : json_integer (get (cost));

      json_object_set_new (object, it->plan->devices[i], value);
    }
  return object;
}

static json_t *
explained_to_json (const TpExplained *it)
{
  const TpNode *node = &it->graph->nodes[it->node];
  g_autofree char *reason = tp_cli_format_reason (
      it->plan, it->graph, it->placement, it->group >= 0);
  json_t *object = json_pack (
      "{s:o, s:o, s:s, s:o, s:o, s:I, s:o, s:o, s:o}", "op",
      tp_cli_string (node->name), "type", tp_cli_string (node->type),
      "device", it->plan->devices[it->device], "times_ns",
      costs_to_json (it, get_time), "spread_ns", costs_to_json (it, get_spread),
      "transfer_ns", (json_int_t) it->transfer_ns, "group",
      tp_cli_string (tp_explained_get_group (it)), "reason",
      tp_cli_string (reason), "margin_ns",
      tp_explained_has_margin (it) ? json_integer (it->placement->margin_ns)
                                   : json_null ());

  json_object_set_new (
      object, "margin_at_least",
      json_boolean (tp_explained_has_margin (it)
                    && it->placement->is_margin_least));
  json_object_set_new (object, "measured_ns",
                       costs_to_json (it, get_measured));
  json_object_set_new (object, "reason_code",
                       json_string (tp_reason_get_name (
                           tp_plan_find_reason (it->plan, it->graph,
                                                it->placement, NULL))));
  json_object_set_new (object, "tie", json_boolean (tp_explained_is_tie (it)));
  json_object_set_new (
      object, "estimated",
      json_boolean (
          tp_costs_node (it->plan->costs, it->node, it->device)
              ->is_estimated));
  return object;
}

/* ---- order ---------------------------------------------------------------- */

static gint64
get_time_here (const TpPlan *plan, const TpPlacement *at)
{
  return tp_costs_node (plan->costs, at->node, at->device)->time_ns;
}

static gint64
get_own_time (const TpExplained *it)
{
  return get_time_here (it->plan, it->placement);
}

/* How much longer the op takes on the best of the others; of one that has no
 * choice, nothing. */
static gint64
get_gain (const TpExplained *it)
{
  gint64 least_ns = TP_COST_NONE;

  for (int i = 0; i < it->plan->n_devices; i++)
    if (i != it->device)
      least_ns = MIN (least_ns,
                      tp_costs_node (it->plan->costs, it->node, i)->time_ns);
  return least_ns == TP_COST_NONE ? 0 : least_ns - get_own_time (it);
}

static int
compare_time (const void *a, const void *b)
{
  gint64 x = get_own_time (a), y = get_own_time (b);

  return (x < y) - (x > y);
}

static int
compare_gain (const void *a, const void *b)
{
  gint64 x = get_gain (a), y = get_gain (b);

  return (x < y) - (x > y);
}

static int
compare_name (const void *a, const void *b)
{
  const TpExplained *x = a, *y = b;

  return strcmp (x->graph->nodes[x->node].name, y->graph->nodes[y->node].name);
}

static const struct
{
  const char *name;
  int (*compare) (const void *a, const void *b);
} orders[] = {
  { "time", compare_time },
  { "name", compare_name },
  { "gain", compare_gain },
};

static gboolean
check_options (GError **error)
{
  gboolean is_known = given.sort == NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    is_known = is_known || strcmp (given.sort, orders[i].name) == 0;
  if (is_known && given.n_top >= 0)
    return TRUE;
  if (!is_known)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "sort '%s' is none of time, name, gain", given.sort);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--top takes how many ops to show, or 0 for all");
  return FALSE;
}

/* Of @only (nullable) or of all ops, in order, and no more than are wanted. */
static GArray *
list_ops (const TpPlan *plan, const TpGraph *graph, const char *only)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (TpExplained));
  g_autofree int *group_of_node = tp_plan_map_groups (plan, graph);
  g_autofree gint64 *transfers_ns = tp_plan_sum_transfers (plan, graph);
  double all_ns = 0;

  for (int i = 0; i < plan->n_placements; i++)
    all_ns += get_time_here (plan, &plan->placements[i]);
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *at = &plan->placements[i];
      TpExplained it
          = { plan, graph, at, at->node, at->device, group_of_node[at->node],
              transfers_ns[at->node],
              all_ns > 0 ? (double) get_time_here (plan, at) / all_ns : 0 };

      if (only == NULL || strcmp (graph->nodes[at->node].name, only) == 0)
        g_array_append_val (list, it);
    }
  for (gsize i = 0; given.sort != NULL && i < G_N_ELEMENTS (orders); i++)
    if (strcmp (given.sort, orders[i].name) == 0)
      g_array_sort (list, orders[i].compare);
  if (given.n_top > 0 && (guint) given.n_top < list->len)
    g_array_set_size (list, (guint) given.n_top);
  return list;
}

/* ---- all of it ------------------------------------------------------------ */

static void
explain_all (TpCli *cli, const TplanPlan *handle, const char *only)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (handle));
  g_autoptr (GArray) ops = list_ops (plan, graph, only);
  json_t *list;

  if (cli->format == TP_FORMAT_TABLE)
    {
      if (only != NULL && ops->len == 1)
        tp_explained_print_one (cli, &g_array_index (ops, TpExplained, 0));
      else
        tp_explained_print (cli, plan, ops);
      return;
    }
  list = json_array ();
  for (guint i = 0; i < ops->len; i++)
    json_array_append_new (
        list, explained_to_json (&g_array_index (ops, TpExplained, i)));
  tp_cli_print_data (
      cli,
      json_pack ("{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
                 "tplan-explain/1",
                 "graph", tp_cli_string (plan->graph_name), "simulated",
                 plan->is_simulated, "factors",
                 tp_cli_factors_to_json (handle), "memory",
                 tp_cli_limits_to_json (handle), "micro_batches",
                 tp_cli_micro_batches_to_json (plan), "streamed",
                 tp_cli_streamed_to_json (handle), "rates",
                 tp_cli_rates_to_json (plan), "ops", list),
      "ops");
}

static int
count_least_margins (const TpPlan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n += plan->placements[i].is_margin_least != 0;
  return n;
}

static int
count_claimed (const TpPlan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->groups->n_groups; i++)
    n += plan->groups->groups[i].is_claimed != 0;
  return n;
}

/* Of a run whose engines work at once, or of runs that overlap. */
static void
print_total (const TpCli *cli, const TpPlan *plan)
{
  g_autofree char *span = tp_cli_format_span (plan);
  g_autofree char *loads = span == NULL ? tp_cli_format_loads (plan) : NULL;

  if (span != NULL)
    tp_cli_note (cli, "Makespan: %s.", span);
  else if (loads != NULL)
    tp_cli_note (cli, "Busiest: %s.", loads);
}

static void
print_notes (const TpCli *cli, const TplanPlan *plan, const TpGraph *graph)
{
  int n_precomputed = tp_graph_count_precomputed (graph);
  int n_claimed = count_claimed (tp_api_get_plan (plan));
  int n_least = count_least_margins (tp_api_get_plan (plan));
  g_autofree char *limits = tp_cli_format_limits (plan);
  g_autofree char *micro_batches
      = tp_cli_format_micro_batches (tp_api_get_plan (plan));
  g_autofree char *streamed = tp_cli_format_streamed (plan);
  g_autofree char *energy = tp_cli_describe_energy (tp_api_get_plan (plan));
  g_autofree char *price = tp_cli_describe_price (tp_api_get_plan (plan));
  g_autofree char *accuracy = tp_cli_format_accuracy (tp_api_get_plan (plan));

  print_total (cli, tp_api_get_plan (plan));
  if (accuracy != NULL)
    tp_cli_note (cli, "Accuracy: %s.", accuracy);
  if (limits != NULL)
    tp_cli_note (cli, "Memory limits: %s.", limits);
  if (micro_batches != NULL)
    tp_cli_note (cli, "Micro-batches: %s.", micro_batches);
  if (streamed != NULL)
    tp_cli_note (cli, "Streamed: %s.", streamed);
  if (n_precomputed > 0)
    tp_cli_note (cli, "Computed once, before the first run: %d op%s of constants.",
                 n_precomputed, n_precomputed == 1 ? "" : "s");
  if (energy != NULL)
    tp_cli_note (cli, "Energy: %s.", energy);
  if (price != NULL)
    tp_cli_note (cli, "Price: %s.", price);
  if (n_claimed > 0)
    tp_cli_note (cli, "Of %d group%s only the model says that it is one kernel%s: "
                      "sessions do its ops one by one.",
                 n_claimed, n_claimed == 1 ? "" : "s",
                 n_claimed == 1 ? "" : " each");
  tp_cli_note (cli, "Times and shares are of each op alone%s; ~ is an estimate, "
                    "+ runs in the kernel before.",
               tp_cli_simulated (plan));
  tp_cli_note (cli, "MARGIN: how far the time here may move before the plan "
                    "flips. Name an OP for all of it.");
  if (tp_cli_is_limited (plan))
    tp_cli_note (cli, "Margins are at least (>=) what plans without limits of "
                      "memory would need.");
  else if (n_least > 0)
    tp_cli_note (cli, "Margins of %d ops are proved to be at least (>=) so "
                      "large: more would take too long to find.",
                 n_least);
}

static gboolean
check_op (const TplanPlan *plan, const TpGraph *graph, const char *name,
          GError **error)
{
  g_autofree char *near = NULL;

  if (tplan_plan_find_device (plan, name) != NULL)
    return TRUE;
  if (tp_graph_has_precomputed (graph, name))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "op '%s' is of constants alone: it is computed once, before "
                   "the first run, and placed nowhere; to have it in every run, "
                   "plan with --no-pass=precompute", name);
      return FALSE;
    }
  near = tp_graph_ask_op (graph, name);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "graph '%s' has no op '%s'%s: `tplan explain` without a name "
               "lists all",
               graph->name, name, near);
  return FALSE;
}

/* Of several graphs: who keeps what busy. */
static gboolean
explain_mix (TpCli *cli, GError **error)
{
  g_autoptr (TplanMix) mix = NULL;
  g_autofree char *busy = NULL;
  json_t *document;

  if (cli->n_args > 1)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s has several graphs: --part says of which '%s' is an op",
                   cli->args[0], cli->args[1]);
      return FALSE;
    }
  mix = tp_cli_check_flags (cli, cli->args[0], error)
            ? tp_cli_load_mix (cli, cli->args[0], error) : NULL;
  if (mix == NULL)
    return FALSE;
  if (cli->format != TP_FORMAT_TABLE)
    {
      document = json_pack ("{s:s}", "format", "tplan-explain-mix/1");
      tp_cli_add_mix_json (document, mix);
      tp_cli_print_data (cli, document, "parts");
      return TRUE;
    }
  tp_cli_print_mix_loads (cli, mix);
  busy = tp_cli_format_mix_busy (mix);
  tp_cli_note (cli, "%s; --part NAME tells of the ops of one graph", busy);
  return TRUE;
}

static gboolean
explain_run (TpCli *cli, GError **error)
{
  const char *only = cli->n_args > 1 ? cli->args[1] : NULL;
  g_autoptr (TplanPlan) plan = NULL;
  const TpGraph *graph;

  if (tp_cli_is_whole_mix (cli->args[0]))
    return explain_mix (cli, error);
  if (check_options (error))
    plan = tp_cli_load_or_plan (cli, cli->args[0], error);
  if (plan == NULL)
    return FALSE;
  graph = tp_api_get_graph (tplan_plan_get_graph (plan));
  if ((only != NULL && !check_op (plan, graph, only, error))
      || !tp_api_find_margins (plan, error))
    return FALSE;
  explain_all (cli, plan, only);
  tp_cli_note_factors (cli, plan);
  if (cli->format == TP_FORMAT_TABLE)
    print_notes (cli, plan, graph);
  return TRUE;
}

const TpCommand tp_command_explain = {
  .name = "explain",
  .arguments = "PLAN|MODEL [OP]",
  .summary = "Tells why each op is where it is",
  .details = "For each op: its time on every device, copies made for it, the "
             "reason, and how\nfar its time may move before the plan flips. "
             "For OP: all there is to say of it.",
  .n_args_min = 1,
  .n_args_max = 2,
  .uses = TP_USES_PLANNING | TP_USES_RATES | TP_USES_FORMAT,
  .options = explain_options,
  .run = explain_run,
};
