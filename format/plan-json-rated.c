/* plan-json-rated.c: see plan-json-rated.h. */
#include "config.h"

#include "format/plan-json-rated.h"

#include "format/plan-json-flows.h"
#include "format/plan-json-load.h"
#include "format/plan-json-memory.h"
#include "format/plan-json-shares.h"
#include "ir/text.h"

void
tp_plan_write_rates (const TpCosts *costs, GString *out)
{
  if (costs->rates == NULL)
    return;
  tp_text_append (out, " \"rates\": [");
  for (int d = 0; d < costs->n_devices; d++)
    {
      const TpRate *it = &costs->rates[d];

      tp_text_append_printf (out,
                             "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                             ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                             ", %d%s]",
                             d == 0 ? "" : ", ", it->busy_mw, it->idle_mw,
                             it->copy_mw, it->price, it->is_per_use != 0,
                             it->is_measured ? ", 1" : "");
    }
  tp_text_append (out, "],\n");
}

static void
write_set (const char *key, guint set, GString *out)
{
  gboolean is_first = TRUE;

  tp_text_append_printf (out, " \"%s\": [", key);
  for (int d = 0; set >> d != 0; d++)
    {
      if ((set >> d & 1) == 0)
        continue;
      tp_text_append_printf (out, "%s%d", is_first ? "" : ", ", d);
      is_first = FALSE;
    }
  tp_text_append_c (out, ']');
}

static void
write_end (const TpRateEnd *end, int n_devices, GString *out)
{
  if (end->tree != NULL)
    tp_plan_write_memory_tree (end->tree, n_devices, NULL, out);
  else if (end->shares->room == NULL)
    tp_plan_write_share_proof (end->shares, n_devices, out);
  else
    {
      tp_text_append_printf (out, " \"share_unit\": %" G_GINT64_FORMAT ",\n",
                             end->shares->unit);
      tp_plan_write_share_room (end->shares, n_devices, NULL, out);
    }
  write_set ("rented", end->rented, out);
  tp_text_append_c (out, ',');
  write_set ("without", end->without, out);
  tp_text_append_printf (out, ", \"divisor\": %" G_GINT64_FORMAT, end->divisor);
}

/* Of three devices and more. */
static void
write_ends (const TpPlan *plan, GString *out)
{
  const TpPointers *ends = plan->rate_proof->ends;

  if (ends->len == 0)
    return;
  tp_text_append (out, " \"aim_ends\": [");
  for (guint i = 0; i < ends->len; i++)
    {
      tp_text_append (out, i == 0 ? "\n  {" : ",\n  {");
      write_end (ends->pdata[i], plan->n_devices, out);
      tp_text_append_c (out, '}');
    }
  tp_text_append (out, "],\n");
}

/* Likewise, of what fits. */
static void
write_fitting (const TpPlan *plan, const TpGraph *graph, GString *out)
{
  const TpPointers *ends = plan->rate_proof->fitting;

  tp_plan_write_views (graph, out);
  tp_text_append (out, " \"ends\": [");
  for (guint i = 0; i < ends->len; i++)
    {
      const TpRateEnd *it = ends->pdata[i];

      tp_text_append (out, i == 0 ? "\n  {" : ",\n  {");
      write_end (it, plan->n_devices, out);
      tp_text_append_printf (out, ", \"times\": %" G_GINT64_FORMAT "}",
                             it->times);
    }
  tp_text_append_c (out, ']');
}

/* Of what fits into limits of memory. */
static void
write_room (const TpPlan *plan, const TpGraph *graph, GString *out)
{
  const TpRateProof *proof = plan->rate_proof;

  if (proof->room == NULL)
    return;
  tp_text_append (out, " \"aim_room\": {\n");
  if (proof->fitting->len > 0)
    write_fitting (plan, graph, out);
  else
    {
      tp_plan_write_fitting (proof->room, plan->n_devices, graph, out);
      write_set ("unfit", proof->unfit, out);
    }
  tp_text_append_printf (out, ",\n \"aim_bound\": %" G_GINT64_FORMAT "},\n",
                         proof->room->bound_ns);
}

void
tp_plan_write_rate_proof (const TpPlan *plan, const TpGraph *graph,
                          TpPlanText *out)
{
  const TpRateProof *proof = plan->rate_proof;

  if (proof == NULL)
    return;
  tp_plan_write_numbers (out->text, "aims", proof->aims, TP_N_AIMS);
  tp_plan_write_numbers (out->text, "aim_totals", proof->totals, TP_N_AIMS);
  tp_text_append_printf (out->text,
                         " \"aim_cost\": %" G_GINT64_FORMAT
                         ",\n \"aim_bound\": %" G_GINT64_FORMAT ",\n",
                         proof->cost, proof->bound);
  tp_plan_write_flows (out, "aim_flows", proof->flows, proof->n_flows);
  write_ends (plan, out->text);
  write_room (plan, graph, out->text);
}
