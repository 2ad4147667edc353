/* plan-json-span.c: see plan-json-span.h. */
#include "config.h"

#include "format/plan-json-span.h"

#include "ir/text.h"

static void
write_starts (GString *out, const char *key, const gint64 *starts, int n)
{
  tp_text_append_printf (out, " \"%s\": [", key);
  for (int i = 0; i < n; i++)
    tp_text_append_printf (out, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ",
                           starts[i]);
  tp_text_append (out, "],\n");
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
  write_starts (out, "op_starts", proof->starts, proof->n_nodes);
  write_starts (out, "fetch_starts", proof->fetch_starts, proof->n_transfers);
  write_starts (out, "feed_starts", proof->feed_starts, proof->n_transfers);
}
