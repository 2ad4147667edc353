/* report-plan.c: see report-plan.h.
 *
 * Lists are as short as can be, for a page holds thousands of them: ops by their
 * place in the graph, devices by their place in the plan, the host is -1. */
#include "config.h"

#include "cli/report-plan.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/loads.h"
#include "cli/memory-limits.h"
#include "cli/micro-batches.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/rates.h"
#include "cli/reason.h"
#include "cli/report-steps.h"
#include "cli/single.h"
#include "cli/text.h"
#include "nest/nest-work.h"
#include "ops/lower.h"
#include "view/blocks.h"

/* Of the first look at the graph. */
#define BLOCKS 28

/* Takes @text, whose times are as terminals have them: "12.3 us". */
static char *
write_micro (char *text)
{
  GString *page = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    {
      gboolean is_unit = at > text + 1 && at[0] == 'u' && at[1] == 's'
                         && at[-1] == ' ' && g_ascii_isdigit (at[-2])
                         && !g_ascii_isalnum (at[2]);

      if (is_unit)
        g_string_append (page, "µ");
      else
        g_string_append_c (page, *at);
    }
  g_free (text);
  return g_string_free (page, FALSE);
}

/* ---- the whole ------------------------------------------------------------ */

/* Of a plan that was made for either. */
static char *
format_rated (const TpPlan *plan)
{
  g_autofree char *energy = tp_cli_describe_energy (plan);
  g_autofree char *price = tp_cli_describe_price (plan);

  return g_strconcat (energy != NULL ? energy : "",
                      energy != NULL && price != NULL ? "; " : "",
                      price != NULL ? price : "", NULL);
}

static char *
format_proof (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  gint64 bound_ns = tp_plan_get_fit_bound_ns (plan);
  g_autofree char *gap = tp_cli_format_time (plan->cost_ns - bound_ns);
  double part = plan->cost_ns > 0
                    ? 100.0 * (double) (plan->cost_ns - bound_ns)
                          / (double) plan->cost_ns
                    : 0;

  if (plan->span_proof != NULL)
    return tp_cli_format_span (plan);
  if (plan->load_proof != NULL)
    return tp_cli_format_loads (plan);
  if (plan->rate_proof != NULL)
    return format_rated (plan);
  if (tp_cli_is_bound_of_fitting (handle))
    return plan->cost_ns == bound_ns
               ? g_strdup_printf ("proved least of those that fit the memory%s",
                                  tp_cli_with (plan))
               : g_strdup_printf ("at most %s (%.1f %%) above the least that "
                                  "fits the memory%s",
                                  gap, part, tp_cli_with (plan));
  if (plan->cost_ns == plan->bound_ns)
    return g_strconcat ("proved least", tp_cli_with (plan), NULL);
  if (plan->tie_price_ns == 0)
    return g_strdup_printf ("at most %s (%.1f %%) above the least", gap, part);
  return g_strdup_printf ("a tie: the least is %s (%.1f %%) less, which is less "
                          "than noise",
                          gap, part);
}

char *
tp_report_format_verdict (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *devices = tp_cli_format_devices (handle);
  g_autofree char *cost = tp_cli_format_time (tp_plan_get_run_ns (plan));
  g_autofree char *interval = tp_cli_format_interval (handle);
  g_autofree char *proof = format_proof (handle);

  return write_micro (g_strdup_printf ("%s: %s predicted%s%s, %s", devices, cost,
                                       interval, tp_cli_simulated (handle),
                                       proof));
}

static json_t *
get_bytes (const gint64 *bytes, int device)
{
  return bytes == NULL ? json_null () : json_integer (bytes[device]);
}

static json_t *
list_devices (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  json_t *list = json_array ();
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (handle, &n);

  for (int i = 0; i < n; i++)
    json_array_append_new (
        list,
        json_pack ("{s:o, s:i, s:I, s:o, s:o, s:o, s:o, s:o}", "name",
                   tp_cli_clean_string (devices[i].name), "ops", devices[i].n_ops,
                   "ns", (json_int_t) devices[i].time_ns, "single",
                   tp_cli_single_to_json (handle, i),
                   "peak", get_bytes (plan->peak_bytes, i), "weights",
                   get_bytes (plan->weight_bytes, i), "limit",
                   get_bytes (plan->memory_limits, i), "reserve",
                   get_bytes (plan->memory_reserves, i)));
  return list;
}

/* ---- ops ------------------------------------------------------------------ */

static char *
format_shape (const TpGraph *graph, const TpNode *node)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const TpTensor *tensor;

  if (node->n_outputs == 0 || node->outputs[0] < 0)
    return g_strdup ("");
  tensor = &graph->tensors[node->outputs[0]];
  for (int i = 0; i < tensor->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "×" : "",
                            tensor->dims[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* [device]: [time, half of its 95 % interval, whether it is an estimate]; null:
 * it cannot. */
static json_t *
list_costs (const TpPlan *plan, int node)
{
  json_t *list = json_array ();

  for (int d = 0; d < plan->n_devices; d++)
    {
      const TpCost *cost = tp_costs_node (plan->costs, node, d);

      json_array_append_new (
          list, cost->time_ns == TP_COST_NONE
                    ? json_null ()
                    : json_pack ("[I, I, i]", (json_int_t) cost->time_ns,
                                 (json_int_t) cost->spread_ns,
                                 cost->is_estimated ? 1 : 0));
    }
  return list;
}

static json_t *
op_to_json (const TpPlan *plan, const TpGraph *graph, int i, int group)
{
  const TpNode *node = &graph->nodes[i];
  const TpPlacement *at = &plan->placements[i];
  gboolean is_tie = plan->tie_price_ns > 0 && at->cheapest != at->device;
  g_autofree char *shape = format_shape (graph, node);
  g_autofree char *reason
      = write_micro (tp_cli_format_reason (plan, graph, at, group >= 0));

  return json_pack (
      "{s:o, s:o, s:i, s:I, s:o, s:i, s:o, s:b, s:o, s:o}", "name",
      tp_cli_clean_string (node->name), "type", tp_cli_clean_string (node->type), "dev",
      at->device, "ns", (json_int_t) at->time_ns, "costs",
      list_costs (plan, i), "group", group, "margin",
      at->margin_ns < 0 || is_tie ? json_null ()
                                  : json_integer (at->margin_ns),
      "least", at->is_margin_least,
      "why", tp_cli_clean_string (reason), "shape", tp_cli_clean_string (shape));
}

static json_t *
list_ops (const TpPlan *plan, const TpGraph *graph)
{
  g_autofree int *groups = tp_plan_map_groups (plan, graph);
  json_t *list = json_array ();

  for (int i = 0; i < graph->n_nodes; i++)
    json_array_append_new (list, op_to_json (plan, graph, i, groups[i]));
  return list;
}

/* [first, ops, repetitions] */
static json_t *
list_blocks (const TpPlan *plan, const TpGraph *graph)
{
  g_autoptr (GArray) blocks = tp_blocks_new (plan, graph, BLOCKS);
  json_t *list = json_array ();

  for (guint i = 0; i < blocks->len; i++)
    {
      const TpBlock *block = &g_array_index (blocks, TpBlock, i);

      json_array_append_new (list,
                             json_pack ("[i, i, i]", block->first,
                                        block->n_nodes, block->n_repeats));
    }
  return list;
}

/* [from, to, bytes], ops; -1: an input or an output of the graph. */
static json_t *
list_edges (const TpGraph *graph)
{
  json_t *list = json_array ();

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];

      if (tp_tensor_is_resident (tensor))
        continue;
      for (int k = 0; k < tensor->n_consumers; k++)
        json_array_append_new (
            list, json_pack ("[i, i, I]", tensor->producer,
                             tensor->consumers[k],
                             (json_int_t) tensor->size_bytes));
    }
  return list;
}

/* ---- kernels -------------------------------------------------------------- */

/* [first op, flops, bytes] of what runs as one kernel; nothing for what has
 * none. */
static void
add_kernel (json_t *list, const TpGraph *graph, const int *nodes, int n)
{
  g_autoptr (TpLowered) lowered = NULL;
  TpWork work;

  if (n == 1
      && (graph->nodes[*nodes].op == NULL
          || tp_node_is_view (&graph->nodes[*nodes])
          || tp_node_is_stream (&graph->nodes[*nodes])))
    return;
  lowered = tp_lower_nodes (graph, nodes, n, NULL);
  if (lowered == NULL)
    return;
  tp_lowered_count_work (lowered, &work);
  json_array_append_new (
      list, json_pack ("[i, I, f]", nodes[0], (json_int_t) work.flops,
                       (double) work.read_bytes
                           + (double) work.written_bytes));
}

static json_t *
list_kernels (const TpPlan *plan, const TpGraph *graph)
{
  g_autofree int *groups = tp_plan_map_groups (plan, graph);
  json_t *list = json_array ();

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpGroup *group
          = groups[i] < 0 ? NULL : &plan->groups->groups[groups[i]];

      if (group == NULL)
        add_kernel (list, graph, &i, 1);
      else if (group->nodes[0] == i)
        add_kernel (list, graph, group->nodes, group->n_nodes);
    }
  return list;
}

json_t *
tp_report_plan_to_json (const TplanPlan *handle, GError **error)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (handle));
  g_autofree char *verdict = tp_report_format_verdict (handle);
  g_autofree char *proof = write_micro (format_proof (handle));
  json_t *steps = tp_report_steps_to_json (plan, graph, error);
  json_t *data;

  if (steps == NULL)
    return NULL;
  data = json_pack (
      "{s:o, s:b, s:i, s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "graph",
      tp_cli_clean_string (plan->graph_name), "simulated", plan->is_simulated,
      "host", tp_plan_get_host (plan), "cost",
      (json_int_t) tp_plan_get_run_ns (plan),
      "bound", (json_int_t) plan->bound_ns, "estimated", plan->n_estimated,
      "devices", list_devices (handle), "ops", list_ops (plan, graph),
      "blocks", list_blocks (plan, graph), "edges", list_edges (graph),
      "kernels", list_kernels (plan, graph), "run", steps);
  json_object_set_new (data, "verdict", tp_cli_clean_string (verdict));
  json_object_set_new (data, "proof", tp_cli_clean_string (proof));
  json_object_set_new (data, "groups",
                       json_integer (plan->groups == NULL
                                         ? 0
                                         : plan->groups->n_groups));
  tp_cli_add_interval (data, "", handle);
  return data;
}
