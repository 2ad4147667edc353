/* use-plan.c: see use-plan.h. */
#include "config.h"

#include "fuzz/use-plan.h"

#include "api/graph.h"
#include "api/plan.h"
#include "format/plan-json.h"

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

static void
use (TplanPlan *plan, gboolean is_run)
{
  g_autofree char *again = NULL;

  ask (plan);
  tplan_plan_check (plan, NULL);
  tp_api_find_margins (plan, NULL);
  again = tp_plan_to_json (
      tp_api_get_plan (plan), tp_api_get_graph (tplan_plan_get_graph (plan)));
  if (is_run)
    run (plan);
}

void
fuzz_use_plan (const char *text, gsize size, GBytes *graph)
{
  g_autoptr (GString) whole = g_string_new_len (text, size);
  g_autofree char *digest = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) text, size);
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_string_append_printf (whole, TP_PLAN_DIGEST_KEY "%s" TP_PLAN_TAIL, digest);
  bytes = g_bytes_new_static (whole->str, whole->len);
  plan = tplan_plan_new_from_bytes (bytes, graph, NULL, NULL);
  /* Running takes long beside reading: some do, always the same ones. */
  if (plan != NULL)
    use (plan, digest[0] == '0');
}
