/* plan-json-shares.c: see plan-json-shares.h. */
#include "config.h"

#include "format/plan-json-shares.h"

#include "format/plan-json-memory.h"
#include "ir/text.h"

void
tp_plan_write_share_bound (const TpShareBound *bound, int n_devices,
                           GString *out)
{
  for (guint i = 0; i < bound->rows->len; i++)
    {
      const TpShareRow *it = &tp_array_index (bound->rows, TpShareRow, i);

      tp_text_append_printf (out, "%s[\"%c\", ", i == 0 ? "" : ", ", it->kind);
      if (it->kind == 'm')
        tp_text_append_printf (out, "%d, ", it->row);
      tp_text_append_printf (out, "%d, %d", it->index, it->op);
      for (int d = 0; d < n_devices; d++)
        tp_text_append_printf (
            out, ", %" G_GINT64_FORMAT,
            tp_array_index (bound->amounts, gint64, it->first + d));
      tp_text_append_c (out, ']');
    }
}

void
tp_plan_write_share_room (const TpShareProof *proof, int n_devices,
                          const TpGraph *graph, GString *out)
{
  tp_text_append_printf (out, " \"share_room_ns\": %" G_GINT64_FORMAT ",\n",
                         proof->room_ns);
  if (graph != NULL)
    tp_plan_write_views (graph, out);
  tp_text_append (out, " \"share_prices\": [");
  tp_plan_write_prices (proof->prices, out);
  tp_text_append (out, "],\n \"share_room\": [");
  tp_plan_write_share_bound (proof->room, n_devices, out);
  tp_text_append (out, "],\n");
}

void
tp_plan_write_priced (const TpShareProof *proof, int n_devices, GString *out)
{
  tp_text_append_printf (out, "{\"unit\": %" G_GINT64_FORMAT ", \"prices\": [",
                         proof->unit);
  tp_plan_write_prices (proof->prices, out);
  tp_text_append (out, "], \"shares\": [");
  tp_plan_write_share_bound (proof->room, n_devices, out);
  tp_text_append (out, "]}");
}

void
tp_plan_write_share_proof (const TpShareProof *proof, int n_devices,
                           GString *out)
{
  tp_text_append_printf (out, " \"share_unit\": %" G_GINT64_FORMAT ",\n",
                         proof->unit);
  tp_text_append (out, " \"share_bounds\": [");
  for (guint i = 0; i < proof->bounds->len; i++)
    {
      tp_text_append (out, i == 0 ? "\n  [" : ",\n  [");
      tp_plan_write_share_bound (proof->bounds->pdata[i], n_devices, out);
      tp_text_append_c (out, ']');
    }
  tp_text_append (out, "],\n \"share_tree\": [");
  for (guint i = 0; i < proof->entries->len; i++)
    {
      const TpShareEntry *it
          = &tp_array_index (proof->entries, TpShareEntry, i);

      tp_text_append_printf (out, "%s[\"%s\", %d]",
                             i == 0 ? "\n  " : ",\n  ",
                             it->is_branch ? "op" : "bound", it->index);
    }
  tp_text_append (out, "],\n");
}

void
tp_plan_write_shares (const TpPlan *plan, const TpGraph *graph, GString *out)
{
  const TpShareProof *proof = plan->share_proof;

  if (proof == NULL)
    return;
  tp_plan_write_share_proof (proof, plan->n_devices, out);
  if (proof->room != NULL)
    tp_plan_write_share_room (proof, plan->n_devices,
                              plan->memory_proof == NULL ? graph : NULL, out);
}
