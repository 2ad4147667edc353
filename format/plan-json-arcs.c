/* plan-json-arcs.c: see plan-json-arcs.h. */
#include "config.h"

#include "format/plan-json-arcs.h"

#include "ir/text.h"

static void
write_arc (GString *out, const TpArc *arc, gboolean is_tied)
{
  char from[TP_CUT_VERTEX_NAME], to[TP_CUT_VERTEX_NAME];

  tp_text_append (out, "[\"");
  tp_text_append (out, tp_cut_vertex_write (arc->from, from));
  tp_text_append (out, "\", \"");
  tp_text_append (out, tp_cut_vertex_write (arc->to, to));
  tp_text_append (out, "\", ");
  tp_text_append_number (out, arc->capacity);
  tp_text_append (out, ", ");
  tp_text_append_number (out, arc->flow);
  if (is_tied)
    {
      tp_text_append (out, ", ");
      tp_text_append_number (out, arc->tie_flow);
    }
  tp_text_append_c (out, ']');
}

void
tp_plan_write_arcs (TpPlanText *out, const char *key, TpPlanArcs arcs)
{
  tp_text_append_printf (out->text, " \"%s\": [", key);
  for (int i = 0; i < arcs.n_arcs; i++)
    {
      tp_plan_text_pass (out);
      tp_text_append (out->text, i == 0 ? "\n  " : ",\n  ");
      write_arc (out->text, &arcs.arcs[i], arcs.is_tied);
    }
  tp_text_append (out->text, "],\n");
}

void
tp_plan_write_numbers (GString *out, const char *key, const gint64 *numbers,
                       int n)
{
  tp_text_append_printf (out, " \"%s\": [", key);
  for (int i = 0; i < n; i++)
    tp_text_append_printf (out, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ",
                           numbers[i]);
  tp_text_append (out, "],\n");
}

void
tp_plan_write_indices (GString *out, const char *key, const int *indices, int n)
{
  tp_text_append_printf (out, " \"%s\": [", key);
  for (int i = 0; i < n; i++)
    tp_text_append_printf (out, "%s%d", i == 0 ? "" : ", ", indices[i]);
  tp_text_append (out, "],\n");
}

void
tp_plan_write_interval (GString *out, const char *key, gint64 low_ns,
                        gint64 high_ns)
{
  if (low_ns >= 0)
    tp_text_append_printf (out,
                           " \"%s_low_ns\": %" G_GINT64_FORMAT
                           ",\n \"%s_high_ns\": %" G_GINT64_FORMAT ",\n",
                           key, low_ns, key, high_ns);
}
