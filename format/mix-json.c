/* mix-json.c: see mix-json.h. */
#include "config.h"

#include "format/mix-json.h"

#include "format/gzip.h"
#include "format/json-read.h"
#include "format/json.h"
#include "format/plan-json-flows.h"
#include "format/plan-json-load.h"
#include "format/plan-json.h"
#include "ir/pools.h"
#include "ir/text.h"

#include <string.h>

gboolean
tp_mix_is (const char *text, gsize size)
{
  return tp_json_starts_as (text, size, "tplan-mix/");
}

static void
write_parts (const TpMix *mix, GString *out)
{
  tp_text_append (out, " \"parts\": [\n");
  for (int i = 0; i < mix->n_parts; i++)
    {
      const TpMixPart *part = &mix->parts[i];

      tp_text_append (out, "  {\"name\": ");
      tp_json_append_string (out, part->name);
      tp_text_append_printf (out,
                             ", \"runs\": %" G_GINT64_FORMAT
                             ", \"span_ns\": %" G_GINT64_FORMAT
                             ", \"in_round\": %" G_GINT64_FORMAT "}%s\n",
                             part->rate.n_runs, part->rate.span_ns,
                             part->n_runs, i + 1 < mix->n_parts ? "," : "");
    }
  tp_text_append (out, " ],\n");
}

/* @rows: (nullable): no line */
static void
write_rows (const TpMix *mix, const char *key, const gint64 *rows, GString *out)
{
  if (rows != NULL)
    tp_plan_write_numbers (out, key, rows,
                           tp_pools_count_rows (mix->parts[0].plan->costs));
}

static void
write_room (const TpMix *mix, GString *out)
{
  const TpLoadProof *proof = mix->proof;
  const TpGraph *graphs[TP_MIX_MOST_PARTS];

  for (int i = 0; i < mix->n_parts; i++)
    graphs[i] = mix->parts[i].graph;
  if (proof->room != NULL)
    tp_plan_write_ends (proof->room, proof->n_engines, graphs, mix->n_parts,
                        out);
}

static void
write_plans (const TpMix *mix, GString *out)
{
  tp_text_append (out, " \"plans\": [\n");
  for (int i = 0; i < mix->n_parts; i++)
    {
      tp_text_append (out, i == 0 ? "" : ",\n");
      tp_plan_write (mix->parts[i].plan, mix->parts[i].graph,
                     tp_plan_text_keep, out);
    }
  tp_text_append (out, " ],\n");
}

char *
tp_mix_to_json (const TpMix *mix)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (TpPlanText) out = { 0 };

  tp_plan_text_init_signed (&out, tp_plan_text_keep, text);
  tp_text_append (out.text, "{\n \"format\": \"" TP_MIX_FORMAT "\",\n");
  write_parts (mix, out.text);
  write_rows (mix, "memory_limits", mix->memory_limits, out.text);
  write_rows (mix, "memory_reserves", mix->memory_reserves, out.text);
  tp_plan_write_loads (mix->proof, &out);
  write_room (mix, out.text);
  write_plans (mix, out.text);
  tp_plan_text_sign (&out);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

GBytes *
tp_mix_to_bytes (const TpMix *mix, gboolean is_packed, GError **error)
{
  g_autofree char *text = tp_mix_to_json (mix);
  gsize size = strlen (text);
  g_autoptr (TpPacker) packer = NULL;

  if (!is_packed)
    return g_bytes_new_take (g_steal_pointer (&text), size);
  packer = tp_packer_new ();
  tp_packer_add (packer, text, size);
  return tp_packer_finish (packer, error);
}
