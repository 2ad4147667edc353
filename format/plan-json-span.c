/* plan-json-span.c: see plan-json-span.h. */
#include "config.h"

#include "format/plan-json-span.h"

#include "format/plan-json-flows.h"
#include "ir/text.h"

/* They may be left out, both. */
static void
write_stages (const TpSpanProof *proof, GString *out)
{
  if (proof->n_entries == 0)
    return;
  tp_plan_write_indices (out, "span_waists", proof->waists, proof->n_waists);
  tp_plan_write_indices (out, "span_tree", proof->tree, proof->n_entries);
}

static void
write_ends (const TpSpanProof *proof, GString *out)
{
  if (proof->ends == NULL)
    return;
  tp_plan_write_numbers (out, "op_ends", proof->ends, proof->n_nodes);
  tp_plan_write_numbers (out, "fetch_ends", proof->fetch_ends,
                         proof->n_transfers);
  tp_plan_write_numbers (out, "feed_ends", proof->feed_ends,
                         proof->n_transfers);
}

void
tp_plan_write_speeds (const TpCosts *costs, GString *out)
{
  int n = 3 * costs->n_devices;

  if (costs->speeds != NULL)
    tp_plan_write_indices (out, "speeds", costs->speeds, n * n);
}

void
tp_plan_write_span_proof (const TpPlan *plan, GString *out)
{
  const TpSpanProof *proof = plan->span_proof;

  if (proof == NULL)
    return;
  tp_text_append_printf (out,
                         " \"span_ns\": %" G_GINT64_FORMAT
                         ",\n \"span_bound_ns\": %" G_GINT64_FORMAT ",\n",
                         proof->span_ns, proof->bound_ns);
  tp_plan_write_interval (out, "span", proof->low_ns, proof->high_ns);
  tp_plan_write_numbers (out, "op_starts", proof->starts, proof->n_nodes);
  tp_plan_write_numbers (out, "fetch_starts", proof->fetch_starts,
                         proof->n_transfers);
  tp_plan_write_numbers (out, "feed_starts", proof->feed_starts,
                         proof->n_transfers);
  write_ends (proof, out);
  write_stages (proof, out);
}
