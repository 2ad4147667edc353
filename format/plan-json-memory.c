/* plan-json-memory.c: see plan-json-memory.h. */
#include "config.h"

#include "format/plan-json-memory.h"

#include "format/json.h"
#include "ir/array.h"
#include "ir/pools.h"
#include "ir/text.h"
#include "ir/units.h"

void
tp_plan_write_prices (const TpArray *prices, GString *out)
{
  for (guint i = 0; i < prices->len; i++)
    {
      const TpMemoryPrice *it = &tp_array_index (prices, TpMemoryPrice, i);

      tp_text_append_printf (out, "%s[%d, %d, %" G_GINT64_FORMAT "]",
                              i == 0 ? "" : ", ", it->device, it->step,
                              it->price);
    }
}

static void
write_shares (const TpMemoryBound *bound, GString *out)
{
  for (guint i = 0; i < bound->shares->len; i++)
    {
      const TpMemoryShare *it
          = &tp_array_index (bound->shares, TpMemoryShare, i);

      tp_text_append_printf (out,
                              "%s[\"%c\", %d, %d, %d, %" G_GINT64_FORMAT "]",
                              i == 0 ? "" : ", ", it->kind, it->index, it->row,
                              it->op, it->amount);
    }
}

void
tp_plan_write_bound (const TpMemoryBound *bound, GString *out)
{
  tp_text_append_printf (out, "{\"costs\": %s, \"prices\": [",
                         bound->has_costs ? "true" : "false");
  tp_plan_write_prices (bound->prices, out);
  tp_text_append (out, "], \"shares\": [");
  write_shares (bound, out);
  tp_text_append (out, "]}");
}

static void
write_bounds (const TpMemoryProof *proof, GString *out)
{
  tp_text_append (out, " \"memory_bounds\": [");
  for (guint i = 0; i < proof->bounds->len; i++)
    {
      tp_text_append (out, i == 0 ? "\n  " : ",\n  ");
      tp_plan_write_bound (proof->bounds->pdata[i], out);
    }
  tp_text_append (out, "],\n");
}

/* As many as there are devices. */
static void
write_sweep (const TpProofEntry *entry, int n_devices, GString *out)
{
  tp_text_append (out, "[\"sweep\"");
  for (int d = 0; d < MIN (n_devices, TP_SWEEP_MAX_DEVICES); d++)
    tp_text_append_printf (out, ", %" G_GINT64_FORMAT, entry->prices[d]);
  tp_text_append_c (out, ']');
}

static void
write_entry (const TpProofEntry *entry, int n_devices, GString *out)
{
  switch (entry->kind)
    {
    case TP_PROOF_BRANCH:
      tp_text_append_printf (out, "[\"op\", %d]", entry->index);
      return;
    case TP_PROOF_BOUND:
      tp_text_append_printf (out, "[\"bound\", %d]", entry->index);
      return;
    case TP_PROOF_FULL:
      tp_text_append_printf (out, "[\"full\", %d, %d]", entry->index,
                              entry->step);
      return;
    case TP_PROOF_PLACED:
      tp_text_append (out, "[\"placed\"]");
      return;
    case TP_PROOF_PEAK:
      tp_text_append_printf (out, "[\"peak\", %d, %" G_GINT64_FORMAT "]",
                              entry->index, entry->bytes);
      return;
    case TP_PROOF_SWEEP:
      write_sweep (entry, n_devices, out);
      return;
    }
}

static void
write_tree (const TpMemoryProof *proof, int n_devices, GString *out)
{
  tp_text_append (out, " \"memory_tree\": [");
  for (guint i = 0; i < proof->entries->len; i++)
    {
      tp_text_append (out, i == 0 ? "\n  " : ",\n  ");
      write_entry (&tp_array_index (proof->entries, TpProofEntry, i),
                   n_devices, out);
    }
  tp_text_append (out, "],\n");
}

void
tp_plan_write_view_list (const TpGraph *graph, GString *out)
{
  int n = 0;

  tp_text_append_c (out, '[');
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_is_view (&graph->nodes[i]))
      tp_text_append_printf (out, "%s[%d, %d, %d]", n++ == 0 ? "" : ", ", i,
                              graph->nodes[i].inputs[0],
                              graph->nodes[i].outputs[0]);
  tp_text_append_c (out, ']');
}

void
tp_plan_write_views (const TpGraph *graph, GString *out)
{
  tp_text_append (out, " \"memory_views\": ");
  tp_plan_write_view_list (graph, out);
  tp_text_append (out, ",\n");
}

void
tp_plan_write_memory_tree (const TpMemoryProof *proof, int n_devices,
                           const TpGraph *graph, GString *out)
{
  tp_text_append_printf (out,
                          " \"memory_bound_ns\": %" G_GINT64_FORMAT ",\n",
                          proof->bound_ns);
  if (graph != NULL)
    tp_plan_write_views (graph, out);
  write_bounds (proof, out);
  write_tree (proof, n_devices, out);
}

void
tp_plan_write_memory_proof (const TpPlan *plan, const TpGraph *graph,
                            GString *out)
{
  if (plan->memory_proof != NULL)
    tp_plan_write_memory_tree (plan->memory_proof, plan->n_devices, graph,
                               out);
}

static void
write_streamed (const TpPlan *plan, GString *out)
{
  if (plan->streamed == NULL)
    return;
  tp_text_append (out, " \"streamed\": {\"from\": ");
  tp_json_append_string (out, plan->streamed_from);
  tp_text_append (out, ", \"weights\": [");
  for (int i = 0; plan->streamed[i] != NULL; i++)
    {
      tp_text_append (out, i == 0 ? "" : ", ");
      tp_json_append_string (out, plan->streamed[i]);
    }
  tp_text_append (out, "]},\n");
}

void
tp_plan_write_parts (const TpPlan *plan, GString *out)
{
  g_autofree char *text = tp_micro_batches_to_text (&plan->micro_batches);

  if (plan->micro_batches.n > 0)
    tp_text_append_printf (out, " \"micro_batches\": [%s],\n", text);
  write_streamed (plan, out);
}

void
tp_plan_write_pools (const TpCosts *costs, GString *out)
{
  if (tp_pools_count_rows (costs) == costs->n_devices)
    return;
  tp_text_append (out, " \"memory_pools\": ");
  for (int i = 0; i < costs->n_devices; i++)
    {
      int pool = tp_pools_find (costs, i);

      tp_text_append (out, i == 0 ? "[" : ", ");
      if (pool < 0)
        tp_text_append (out, "null");
      else
        tp_json_append_string (out, tp_pools_get_name (costs, pool));
    }
  tp_text_append (out, "],\n");
}

void
tp_plan_write_mapped (const TpCosts *costs, GString *out)
{
  if (!tp_costs_has_mapped (costs))
    return;
  tp_text_append (out, " \"mapped\": ");
  for (int i = 0; i < costs->n_devices; i++)
    {
      tp_text_append (out, i == 0 ? "[" : ", ");
      tp_text_append (out, tp_costs_is_mapped (costs, i) ? "true" : "false");
    }
  tp_text_append (out, "],\n");
}
