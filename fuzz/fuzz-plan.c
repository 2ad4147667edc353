/* fuzz-plan.c: plans for one graph, by the calls that a program makes. The input
 * is a plan without its last two lines; it is signed here, or no change would be
 * read any further. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "format/plan-json.h"
#include "fuzz/fuzz.h"
#include "include/tplan.h"

#include <stdlib.h>

#define MAX_RUN_BYTES (64 << 20)

static void
ask (TplanPlan *plan)
{
  const char *const *ops;
  int n_ops, n;

  ops = tplan_graph_get_ops (tplan_plan_get_graph (plan), &n_ops);
  for (int i = 0; i < n_ops; i++)
    if (tplan_plan_find_device (plan, ops[i]) != NULL)
      g_assert_nonnull (tplan_plan_find_reason (plan, ops[i]));
  for (const TplanDevice *it = tplan_plan_get_devices (plan, &n); n-- > 0; it++)
    g_assert_true (it->n_ops >= 0 && it->peak_bytes >= 0);
  for (const TplanTransfer *it = tplan_plan_get_transfers (plan, &n); n-- > 0;
       it++)
    g_assert_nonnull (it->tensor);
  g_assert_cmpint (tplan_plan_count_estimated (plan), >=, 0);
}

/* Zeros for each of @tensors; NULL: that is more than an input may take. */
static GPtrArray *
make_values (const TplanTensor *tensors, int n)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n; i++)
    {
      if (tensors[i].size_bytes > MAX_RUN_BYTES)
        return NULL;
      g_ptr_array_add (values, g_malloc0 (tensors[i].size_bytes + 1));
    }
  return g_steal_pointer (&values);
}

static void
run (const TplanPlan *plan)
{
  const TplanGraph *graph = tplan_plan_get_graph (plan);
  g_autoptr (TplanSession) session = tplan_session_new (plan, 1, NULL);
  g_autoptr (GPtrArray) in = NULL, out = NULL;
  const TplanTensor *tensors;
  int n;

  if (session == NULL)
    return;
  tensors = tplan_graph_get_inputs (graph, &n);
  in = make_values (tensors, n);
  tensors = tplan_graph_get_outputs (graph, &n);
  out = make_values (tensors, n);
  if (in != NULL && out != NULL
      && tplan_session_run (session, (const void *const *) in->pdata,
                            out->pdata, NULL))
    g_assert_cmpint (tplan_session_get_time_ns (session), >=, 0);
}

/* Read once. */
static GBytes *
get_graph (void)
{
  static GBytes *bytes;
  const char *path = getenv ("FUZZ_GRAPH");
  char *text;
  gsize size;

  if (bytes != NULL)
    return bytes;
  if (path == NULL || !g_file_get_contents (path, &text, &size, NULL))
    g_error ("FUZZ_GRAPH must name the graph of the plans");
  bytes = g_bytes_new_take (text, size);
  return bytes;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GString) text = g_string_new_len ((const char *) data, size);
  g_autofree char *digest
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, size);
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *again = NULL;

  g_string_append_printf (text, " \"sha256\": \"%s\"\n}\n", digest);
  bytes = g_bytes_new_static (text->str, text->len);
  plan = tplan_plan_new_from_bytes (bytes, get_graph (), NULL, NULL);
  if (plan == NULL)
    return 0;
  ask (plan);
  tplan_plan_check (plan, NULL);
  tp_api_find_margins (plan, NULL);
  again = tp_plan_to_json (
      tp_api_get_plan (plan), tp_api_get_graph (tplan_plan_get_graph (plan)));
  /* Running takes long beside reading: some do, always the same ones. */
  if (digest[0] == '0')
    run (plan);
  return 0;
}
