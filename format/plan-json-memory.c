/* plan-json-memory.c: see plan-json-memory.h. */
#include "config.h"

#include "format/plan-json-memory.h"

#include "ir/units.h"

static void
write_prices (const TpMemoryBound *bound, GString *out)
{
  for (guint i = 0; i < bound->prices->len; i++)
    {
      const TpMemoryPrice *it
          = &g_array_index (bound->prices, TpMemoryPrice, i);

      g_string_append_printf (out, "%s[%d, %d, %" G_GINT64_FORMAT "]",
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
          = &g_array_index (bound->shares, TpMemoryShare, i);

      g_string_append_printf (out,
                              "%s[\"%c\", %d, %d, %d, %" G_GINT64_FORMAT "]",
                              i == 0 ? "" : ", ", it->kind, it->index, it->row,
                              it->op, it->amount);
    }
}

static void
write_bounds (const TpMemoryProof *proof, GString *out)
{
  g_string_append (out, " \"memory_bounds\": [");
  for (guint i = 0; i < proof->bounds->len; i++)
    {
      const TpMemoryBound *it = proof->bounds->pdata[i];

      g_string_append_printf (out, "%s{\"costs\": %s, \"prices\": [",
                              i == 0 ? "\n  " : ",\n  ",
                              it->has_costs ? "true" : "false");
      write_prices (it, out);
      g_string_append (out, "], \"shares\": [");
      write_shares (it, out);
      g_string_append (out, "]}");
    }
  g_string_append (out, "],\n");
}

static void
write_entry (const TpProofEntry *entry, GString *out)
{
  switch (entry->kind)
    {
    case TP_PROOF_BRANCH:
      g_string_append_printf (out, "[\"op\", %d]", entry->index);
      return;
    case TP_PROOF_BOUND:
      g_string_append_printf (out, "[\"bound\", %d]", entry->index);
      return;
    case TP_PROOF_FULL:
      g_string_append_printf (out, "[\"full\", %d, %d]", entry->index,
                              entry->step);
      return;
    case TP_PROOF_PLACED:
      g_string_append (out, "[\"placed\"]");
      return;
    }
}

static void
write_tree (const TpMemoryProof *proof, GString *out)
{
  g_string_append (out, " \"memory_tree\": [");
  for (guint i = 0; i < proof->entries->len; i++)
    {
      g_string_append (out, i == 0 ? "\n  " : ",\n  ");
      write_entry (&g_array_index (proof->entries, TpProofEntry, i), out);
    }
  g_string_append (out, "],\n");
}

/* Of views the tensor whose bytes they have: the same op may read others. */
static void
write_views (const TpGraph *graph, GString *out)
{
  int n = 0;

  g_string_append (out, " \"memory_views\": [");
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_is_view (&graph->nodes[i]))
      g_string_append_printf (out, "%s[%d, %d, %d]", n++ == 0 ? "" : ", ", i,
                              graph->nodes[i].inputs[0],
                              graph->nodes[i].outputs[0]);
  g_string_append (out, "],\n");
}

void
tp_plan_write_memory_proof (const TpPlan *plan, const TpGraph *graph,
                            GString *out)
{
  const TpMemoryProof *proof = plan->memory_proof;

  if (proof == NULL)
    return;
  g_string_append_printf (out,
                          " \"memory_bound_ns\": %" G_GINT64_FORMAT ",\n",
                          proof->bound_ns);
  write_views (graph, out);
  write_bounds (proof, out);
  write_tree (proof, out);
}
