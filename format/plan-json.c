/* plan-json.c: plans written as text, one record a line.
 *
 * The text is a function of the plan alone. The digest covers all bytes before
 * its own line, so `head -n -2 plan.json | sha256sum` gives it too. */
#include "config.h"

#include "format/plan-json.h"

#include "format/json.h"
#include "format/plan-json-flows.h"
#include "format/plan-json-given.h"
#include "format/plan-json-load.h"
#include "format/plan-json-span.h"
#include "format/plan-json-memory.h"
#include "format/plan-json-rated.h"
#include "format/plan-json-shares.h"
#include "ir/digest.h"
#include "ir/pools.h"
#include "ir/text.h"
#include "ir/units.h"

#include <string.h>

static void
write_key (GString *out, const char *key)
{
  tp_text_append_printf (out, " \"%s\": ", key);
}

static void
write_string_or_null (GString *out, const char *text)
{
  if (text == NULL)
    tp_text_append (out, "null");
  else
    tp_json_append_string (out, text);
}

static void
write_string_line (GString *out, const char *key, const char *text)
{
  write_key (out, key);
  write_string_or_null (out, text);
  tp_text_append (out, ",\n");
}

static void
write_number_line (GString *out, const char *key, gint64 value)
{
  write_key (out, key);
  tp_text_append_number (out, value);
  tp_text_append (out, ",\n");
}

/* ["a", "b"] */
static void
write_strings (GString *out, char *const *strings, int n)
{
  tp_text_append_c (out, '[');
  for (int i = 0; i < n; i++)
    {
      if (i > 0)
        tp_text_append (out, ", ");
      tp_json_append_string (out, strings[i]);
    }
  tp_text_append_c (out, ']');
}

/* Opens a list whose elements stand on lines of their own. */
static void
write_list_begin (GString *out, const char *key)
{
  write_key (out, key);
  tp_text_append_c (out, '[');
}

static void
write_list_next (TpPlanText *out, int *n_written)
{
  tp_plan_text_pass (out);
  tp_text_append (out->text, (*n_written)++ == 0 ? "\n  " : ",\n  ");
}

static void
write_list_end (GString *out)
{
  tp_text_append (out, "],\n");
}

static void
write_dims (GString *out, const TpDims *dims)
{
  g_autoptr (TpArray) names = tp_dims_sort_names (dims);

  write_key (out, "dims");
  tp_text_append_c (out, '{');
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = tp_array_index (names, const char *, i);

      tp_text_append (out, i > 0 ? ", " : "");
      tp_json_append_string (out, name);
      tp_text_append (out, ": ");
      tp_text_append_number (out, *tp_dims_find (dims, name));
    }
  tp_text_append (out, "},\n");
}

/* A line, unless @names is NULL. */
static void
write_names (GString *out, const char *key, char **names)
{
  if (names == NULL)
    return;
  write_key (out, key);
  write_strings (out, names, (int) g_strv_length (names));
  tp_text_append (out, ",\n");
}

static void
write_truth_line (GString *out, const char *key, gboolean value)
{
  write_key (out, key);
  tp_text_append (out, value ? "true,\n" : "false,\n");
}

/* How to look the figures up again. */
static void
write_origin (GString *out, const TpPlan *plan)
{
  write_names (out, "no_fuse", plan->no_fuse);
  write_number_line (out, "threads", plan->origin.n_threads);
  write_truth_line (out, "exact", plan->origin.is_exact);
  write_truth_line (out, "trust_estimates", plan->origin.trusts_estimates);
  if (plan->origin.is_relaxed)
    write_string_line (out, "accuracy", TP_PLAN_RELAXED);
  write_names (out, "facts", plan->origin.facts);
  if (plan->origin.machine != NULL)
    write_string_line (out, "machine", plan->origin.machine);
}

static void
write_head (GString *out, const TpPlan *plan)
{
  tp_text_append (out, "{\n \"format\": \"" TP_PLAN_FORMAT "\",\n");
  write_string_line (out, "graph", plan->graph_path);
  write_string_line (out, "graph_name", plan->graph_name);
  write_string_line (out, "graph_sha256", plan->graph_digest);
  if (plan->dims != NULL)
    write_dims (out, plan->dims);
  write_names (out, "pins", plan->pins);
  write_names (out, "states", plan->ties);
  write_names (out, "values", plan->numbers);
  write_names (out, "outputs", plan->cut);
  write_names (out, "no_pass", plan->no_pass);
  tp_plan_write_parts (plan, out);
  write_origin (out, plan);
  write_string_line (out, "objective", plan->objective);
  write_truth_line (out, "simulated", plan->is_simulated);
  write_key (out, "devices");
  write_strings (out, plan->devices, plan->n_devices);
  tp_text_append (out, ",\n");
}

/* @numbers: (nullable): no line */
static void
write_numbers (GString *out, const char *key, const gint64 *numbers, int n)
{
  if (numbers == NULL)
    return;
  write_key (out, key);
  for (int i = 0; i < n; i++)
    {
      tp_text_append (out, i == 0 ? "[" : ", ");
      tp_text_append_number (out, numbers[i]);
    }
  tp_text_append (out, "],\n");
}

static void
write_totals (GString *out, const TpPlan *plan)
{
  write_number_line (out, "cost_ns", plan->cost_ns);
  tp_plan_write_interval (out, "cost", plan->cost_low_ns, plan->cost_high_ns);
  write_number_line (out, "bound_ns", plan->bound_ns);
  if (plan->tie_price_ns != 0)
    write_number_line (out, "tie_price_ns", plan->tie_price_ns);
  write_number_line (out, "constant_ns", plan->constant_ns);
  write_string_line (out, "best_single",
                     plan->best_single < 0 ? NULL
                                           : plan->devices[plan->best_single]);
  write_number_line (out, "best_single_ns", plan->best_single_ns);
  write_number_line (out, "estimated_ops", plan->n_estimated);
  write_numbers (out, "peak_bytes", plan->peak_bytes, plan->n_devices);
  write_numbers (out, "weight_bytes", plan->weight_bytes, plan->n_devices);
  write_numbers (out, "memory_limits", plan->memory_limits,
                 tp_pools_count_rows (plan->costs));
  write_numbers (out, "memory_reserves", plan->memory_reserves,
                 tp_pools_count_rows (plan->costs));
}

static void
write_number_member (GString *out, const char *key, gint64 value)
{
  tp_text_append_c (out, ',');
  write_key (out, key);
  tp_text_append_number (out, value);
}

/* @text: (nullable): left out */
static void
write_member (GString *out, const char *key, const char *text)
{
  if (text == NULL)
    return;
  tp_text_append_c (out, ',');
  write_key (out, key);
  tp_json_append_string (out, text);
}

/* What the graph says of where @node may be, and what it costs there. */
static void
write_node (GString *out, const TpPlan *plan, const TpNode *node)
{
  if (node->pins != NULL)
    {
      tp_text_append (out, ", \"pins\": ");
      write_strings (out, (char *const *) node->pins,
                     (int) g_strv_length ((char **) node->pins));
    }
  tp_plan_write_given (plan, node->costs, node->n_costs, out);
}

static void
write_placements (TpPlanText *out, const TpPlan *plan, const TpGraph *graph)
{
  int n = 0;

  write_list_begin (out->text, "ops");
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      write_list_next (out, &n);
      tp_text_append (out->text, "{\"op\": ");
      tp_json_append_string (out->text, graph->nodes[it->node].name);
      tp_text_append (out->text, ", \"device\": ");
      tp_json_append_string (out->text, plan->devices[it->device]);
      write_number_member (out->text, "time_ns", it->time_ns);
      write_number_member (out->text, "spread_ns", it->spread_ns);
      write_number_member (out->text, "margin_ns", it->margin_ns);
      if (it->is_margin_least)
        tp_text_append (out->text, ", \"margin_at_least\": true");
      write_member (out->text, "schedule", it->schedule);
      if (it->cheapest != it->device)
        write_member (out->text, "cheapest", plan->devices[it->cheapest]);
      write_node (out->text, plan, &graph->nodes[it->node]);
      tp_text_append_c (out->text, '}');
    }
  write_list_end (out->text);
}

static void
write_tensor (GString *out, const TpTensor *tensor, const TpGraph *graph)
{
  tp_text_append (out, "{\"tensor\": ");
  tp_json_append_string (out, tensor->name);
  write_number_member (out, "bytes", tensor->size_bytes);
  tp_text_append (out, ", \"producer\": ");
  write_string_or_null (out, tensor->producer < 0
                                 ? NULL
                                 : graph->nodes[tensor->producer].name);
  tp_text_append (out, ", \"readers\": [");
  for (int i = 0; i < tensor->n_consumers; i++)
    {
      if (i > 0)
        tp_text_append (out, ", ");
      tp_json_append_string (out, graph->nodes[tensor->consumers[i]].name);
    }
  tp_text_append_c (out, ']');
  if (tp_tensor_is_constant (tensor))
    tp_text_append (out, ", \"constant\": true");
  if (tensor->producer >= 0
      && tp_node_is_stream (&graph->nodes[tensor->producer]))
    tp_text_append (out, ", \"streamed\": true");
  if (tensor->state > 0)
    write_member (out, "state", graph->tensors[tensor->state - 1].name);
  if (tensor->is_output)
    tp_text_append (out, ", \"output\": true");
  tp_text_append_c (out, '}');
}

static void
write_tensors (TpPlanText *out, const TpGraph *graph)
{
  int n = 0;

  write_list_begin (out->text, "tensors");
  for (int i = 0; i < graph->n_tensors; i++)
    {
      write_list_next (out, &n);
      write_tensor (out->text, &graph->tensors[i], graph);
    }
  write_list_end (out->text);
}

static void
write_group (GString *out, const TpGroup *group, const TpGraph *graph)
{
  tp_text_append_c (out, '[');
  for (int k = 0; k < group->n_nodes; k++)
    {
      if (k > 0)
        tp_text_append (out, ", ");
      tp_json_append_string (out, graph->nodes[group->nodes[k]].name);
    }
  tp_text_append_c (out, ']');
}

static void
write_groups (TpPlanText *out, const char *key, const TpGroups *groups,
              const TpGraph *graph)
{
  int n = 0;

  write_list_begin (out->text, key);
  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    {
      write_list_next (out, &n);
      write_group (out->text, &groups->groups[i], graph);
    }
  write_list_end (out->text);
}

/* Of @groups those that no rule makes. */
static void
write_claimed (TpPlanText *out, const TpGroups *groups, const TpGraph *graph)
{
  g_autoptr (TpGroups) claimed = tp_groups_new ();

  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    if (groups->groups[i].is_claimed)
      tp_groups_add_copy (claimed, &groups->groups[i]);
  if (claimed->n_groups > 0)
    write_groups (out, "claimed_groups", claimed, graph);
}

static void
write_colocations (TpPlanText *out, const TpGraph *graph)
{
  int n = 0;

  if (graph->n_colocations == 0)
    return;
  write_list_begin (out->text, "colocations");
  for (int i = 0; i < graph->n_colocations; i++)
    {
      const TpColocation *it = &graph->colocations[i];

      write_list_next (out, &n);
      write_group (out->text, &(TpGroup){ .n_nodes = it->n_nodes, .nodes = it->nodes },
                   graph);
    }
  write_list_end (out->text);
}

static const char *
get_place (const TpPlan *plan, int device)
{
  return device == TP_COSTS_HOST ? TP_PLAN_HOST : plan->devices[device];
}

static void
write_transfers (TpPlanText *out, const TpPlan *plan, const TpGraph *graph)
{
  int n = 0;

  write_list_begin (out->text, "transfers");
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      write_list_next (out, &n);
      tp_text_append (out->text, "{\"tensor\": ");
      tp_json_append_string (out->text, graph->tensors[it->tensor].name);
      tp_text_append (out->text, ", \"from\": ");
      tp_json_append_string (out->text, get_place (plan, it->from));
      tp_text_append (out->text, ", \"to\": ");
      tp_json_append_string (out->text, get_place (plan, it->to));
      write_number_member (out->text, "bytes", it->size_bytes);
      write_number_member (out->text, "time_ns", it->time_ns);
      tp_text_append_c (out->text, '}');
    }
  write_list_end (out->text);
}

/* [time, spread], [time, spread, "estimated"], [time, spread, measured], or why
 * not. */
static void
write_cost (GString *out, const TpCost *cost)
{
  if (cost->time_ns == TP_COST_NONE)
    {
      write_string_or_null (out, cost->reason);
      return;
    }
  tp_text_append_c (out, '[');
  tp_text_append_number (out, cost->time_ns);
  tp_text_append (out, ", ");
  tp_text_append_number (out, cost->spread_ns);
  if (cost->is_estimated)
    tp_text_append (out, ", \"estimated\"");
  else if (cost->measured_ns != 0)
    {
      tp_text_append (out, ", ");
      tp_text_append_number (out, cost->measured_ns);
    }
  tp_text_append_c (out, ']');
}

static void
write_cost_row (GString *out, const TpCost *row, int n_devices)
{
  tp_text_append_c (out, '[');
  for (int i = 0; i < n_devices; i++)
    {
      if (i > 0)
        tp_text_append (out, ", ");
      write_cost (out, &row[i]);
    }
  tp_text_append_c (out, ']');
}

static void
write_cost_table (TpPlanText *out, const char *key, const TpCosts *costs,
                  TpCostsGet get, int rows)
{
  int n = 0;

  write_list_begin (out->text, key);
  for (int i = 0; i < rows; i++)
    {
      write_list_next (out, &n);
      write_cost_row (out->text, get (costs, i, 0), costs->n_devices);
    }
  write_list_end (out->text);
}

static void
write_kernels (TpPlanText *out, const TpCosts *costs)
{
  int n = costs->kernels == NULL ? 0 : costs->n_nodes + costs->n_groups;

  if (n == 0)
    return;
  write_list_begin (out->text, "kernels");
  for (int i = 0; i < n; i++)
    {
      tp_plan_text_pass (out);
      tp_text_append (out->text, i == 0 ? "" : ", ");
      tp_text_append_number (out->text, costs->kernels[i]);
    }
  write_list_end (out->text);
}

static void
write_errors (GString *out, const TpCosts *costs)
{
  const TpCostErrors *errors = costs->errors;
  int n = costs->n_devices;

  if (errors == NULL)
    return;
  write_numbers (out, "factors", errors->factors, n);
  write_numbers (out, "wholes", errors->n_wholes, n);
  write_number_line (out, "wholes_until_us", errors->until_us);
  write_numbers (out, "covariances", errors->covariances, n * n);
  write_number_line (out, "run_variance", errors->run_variance);
}

static void
write_costs (TpPlanText *out, const TpCosts *costs)
{
  write_string_line (out->text, "host", costs->host == TP_COSTS_HOST
                                      ? NULL
                                      : costs->devices[costs->host]);
  if (costs->is_same_silicon)
    g_string_append (out->text, " \"same_silicon\": true,\n");
  if (costs->has_own_processors)
    g_string_append (out->text, " \"own_processors\": true,\n");
  tp_plan_write_pools (costs, out->text);
  tp_plan_write_mapped (costs, out->text);
  write_cost_table (out, "op_costs", costs, tp_costs_node, costs->n_nodes);
  write_cost_table (out, "group_costs", costs, tp_costs_group,
                    costs->n_groups);
  write_cost_table (out, "to_device_costs", costs, tp_costs_feed,
                    costs->n_tensors);
  write_cost_table (out, "to_host_costs", costs, tp_costs_fetch,
                    costs->n_tensors);
  write_kernels (out, costs);
  write_errors (out->text, costs);
  tp_plan_write_rates (costs, out->text);
  tp_plan_write_speeds (costs, out->text);
}

static void
write_part (TpPlanText *out, const TpPlan *plan, const TpGraph *graph,
            TpPlanPart part)
{
  switch (part)
    {
    case TP_PLAN_PART_HEAD:
      write_head (out->text, plan);
      write_totals (out->text, plan);
      break;
    case TP_PLAN_PART_TENSORS:
      write_tensors (out, graph);
      write_colocations (out, graph);
      tp_plan_write_given_groups (plan, graph, out);
      break;
    case TP_PLAN_PART_PLACES:
      write_placements (out, plan, graph);
      write_groups (out, "groups", plan->groups, graph);
      write_transfers (out, plan, graph);
      write_string_line (out->text, "costs_sha256", plan->costs_digest);
      write_groups (out, "all_groups", plan->all_groups, graph);
      write_claimed (out, plan->all_groups, graph);
      break;
    case TP_PLAN_PART_TABLES:
      if (plan->costs != NULL)
        write_costs (out, plan->costs);
      write_string_line (out->text, "certificate", plan->certificate);
      tp_plan_write_flows (out, "flows", plan->flows, plan->n_flows);
      if (plan->tie_flows != NULL)
        tp_plan_write_flows (out, "tie_flows", plan->tie_flows, plan->n_flows);
      break;
    case TP_PLAN_PART_PROOFS:
      tp_plan_write_memory_proof (plan, graph, out->text);
      tp_plan_write_shares (plan, graph, out->text);
      tp_plan_write_load_proof (plan, graph, out);
      tp_plan_write_rate_proof (plan, graph, out);
      tp_plan_write_span_proof (plan, out->text);
      break;
    case TP_N_PLAN_PARTS:
      break;
    }
}

void
tp_plan_write (const TpPlan *plan, const TpGraph *graph, TpPlanTake take,
               gpointer data)
{
  g_auto (TpPlanText) out = { 0 };

  tp_plan_text_init_signed (&out, take, data);
  for (int part = 0; part < TP_N_PLAN_PARTS; part++)
    write_part (&out, plan, graph, part);
  tp_plan_text_sign (&out);
}

char *
tp_plan_to_json (const TpPlan *plan, const TpGraph *graph)
{
  g_autoptr (GString) text = g_string_new (NULL);

  tp_plan_write (plan, graph, tp_plan_text_keep, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
take_compared (gpointer data, const char *bytes, gsize size)
{
  TpPlanSpan *it = data;
  gboolean is_same = it->at != NULL && size <= (gsize) (it->end - it->at)
                     && memcmp (it->at, bytes, size) == 0;

  it->at = is_same ? it->at + size : NULL;
}

const char *
tp_plan_skip_part (const TpPlan *plan, const TpGraph *graph, TpPlanPart part,
                   TpPlanSpan span)
{
  g_auto (TpPlanText) out = { 0 };

  tp_plan_text_init (&out, take_compared, &span);
  write_part (&out, plan, graph, part);
  tp_plan_text_hand_on (&out);
  return span.at;
}
