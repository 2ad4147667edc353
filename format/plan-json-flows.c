/* plan-json-flows.c: see plan-json-flows.h. */
#include "config.h"

#include "format/plan-json-flows.h"

#include "ir/text.h"

void
tp_plan_write_flows (TpPlanText *out, const char *key, const gint64 *flows,
                     int n)
{
  tp_text_append_printf (out->text, " \"%s\": [", key);
  for (int i = 0; i < n; i++)
    {
      tp_plan_text_pass (out);
      tp_text_append (out->text, i == 0 ? "\n  " : ",\n  ");
      tp_text_append_number (out->text, flows[i]);
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
