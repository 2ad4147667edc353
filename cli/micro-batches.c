/* micro-batches.c: see micro-batches.h. */
#include "config.h"

#include "cli/micro-batches.h"

#include "api/graph.h"
#include "api/plan.h"
#include "calib/machine-info.h"
#include "cli/output.h"
#include "cli/text.h"
#include "graph/graph-batch.h"
#include "runtime/devices.h"

#include <string.h>

#define MOST_LISTED 8

static gboolean
fail (const char *text, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "micro-batches '%s' are neither auto, nor a number of parts, such "
               "as 4, nor the sizes of up to %d, such as 24,8",
               text, TP_MICRO_BATCHES_MOST);
  return FALSE;
}

gboolean
tp_cli_parse_micro_batches (const char *text, TpRoadOptions *options,
                            GError **error)
{
  static gint64 sizes[TP_MICRO_BATCHES_MOST];
  g_auto (GStrv) words = NULL;
  int n;

  if (text == NULL)
    return TRUE;
  options->tries_micro_batches = strcmp (text, "auto") == 0;
  if (options->tries_micro_batches)
    return TRUE;
  words = g_strsplit (text, ",", TP_MICRO_BATCHES_MOST + 1);
  n = (int) g_strv_length (words);
  if (n > TP_MICRO_BATCHES_MOST)
    return fail (text, error);
  for (int i = 0; i < n; i++)
    if (!g_ascii_string_to_signed (words[i], 10, 1, G_MAXINT, &sizes[i], NULL))
      return fail (text, error);
  if (n == 0)
    return fail (text, error);
  options->micro_batches = n == 1 ? NULL : sizes;
  options->n_micro_batches = n == 1 ? (int) sizes[0] : n;
  return TRUE;
}

char *
tp_cli_format_micro_batches (const TpPlan *plan)
{
  const TpMicroBatches *it = &plan->micro_batches;
  g_autofree char *sizes = NULL;
  gint64 batch = 0, least = G_MAXINT64, most = 0;

  if (it->n == 0)
    return NULL;
  for (int i = 0; i < it->n; i++)
    {
      batch += it->sizes[i];
      least = MIN (least, it->sizes[i]);
      most = MAX (most, it->sizes[i]);
    }
  if (least == most)
    sizes = g_strdup_printf ("%d of %" G_GINT64_FORMAT, it->n, most);
  else if (it->n <= MOST_LISTED)
    sizes = tp_micro_batches_to_text (it);
  else
    sizes = g_strdup_printf ("%d of %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                             it->n, least, most);
  return g_strdup_printf ("%s, a batch of %" G_GINT64_FORMAT, sizes, batch);
}

json_t *
tp_cli_micro_batches_to_json (const TpPlan *plan)
{
  json_t *list;

  if (plan->micro_batches.n == 0)
    return json_null ();
  list = json_array ();
  for (int i = 0; i < plan->micro_batches.n; i++)
    json_array_append_new (list, json_integer (plan->micro_batches.sizes[i]));
  return list;
}

/* 0: not known. */
static gint64
find_largest_cache (void)
{
  g_autoptr (TpMachineInfo) info = tp_machine_info_gather ();
  gint64 largest = 0;

  for (guint i = 0; i < info->caches->len; i++)
    largest = MAX (largest, g_array_index (info->caches, TpMachineCache, i)
                                .size_bytes);
  return largest;
}

/* The most that tensors of a run take in host memory. */
static gint64
find_peak (const TpPlan *plan)
{
  gint64 most = 0;

  for (int i = 0; i < plan->n_devices; i++)
    if (tp_device_is_host (plan->devices[i]))
      most = MAX (most, plan->peak_bytes[i]);
  return most;
}

void
tp_cli_note_batch (const TpCli *cli, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  gint64 peak_bytes = find_peak (plan), cache_bytes, batch;
  g_autofree char *peak = NULL;

  if (plan->is_simulated || plan->micro_batches.n > 0
      || strcmp (plan->objective, "time") != 0)
    return;
  cache_bytes = find_largest_cache ();
  if (cache_bytes == 0 || peak_bytes <= cache_bytes)
    return;
  batch = tp_graph_find_batch (tp_api_get_graph (tplan_plan_get_graph (handle)));
  if (batch < 2)
    return;
  peak = tp_cli_format_bytes (peak_bytes);
  tp_cli_note (cli,
               "note: %s of tensors outgrow the caches: the batch of "
               "%" G_GINT64_FORMAT " may be faster in parts, which "
               "--level=measure --micro-batches=auto finds out",
               peak, batch);
}

const char *
tp_cli_with (const TpPlan *plan)
{
  if (plan->micro_batches.n == 0)
    return plan->streamed == NULL ? "" : " with these weights streamed";
  return plan->streamed == NULL
             ? " with these micro-batches"
             : " with these micro-batches and weights streamed";
}
