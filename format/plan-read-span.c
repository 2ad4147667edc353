/* plan-read-span.c: see plan-read-span.h. */
#include "config.h"

#include "format/plan-read-span.h"

#include "ir/interference.h"

gboolean
tp_plan_read_speeds (TpPlanPlace root, TpCosts *costs, GError **error)
{
  TpPlanPlace place = { root.reader, "speeds", NULL };
  int n = 9 * costs->n_devices * costs->n_devices, n_read;

  if (json_object_get (root.json, "speeds") == NULL)
    return TRUE;
  if (!tp_plan_read_indices (root, "speeds", &costs->speeds, &n_read, error))
    return FALSE;
  if (n_read != n)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not a list of %d numbers", n);
  for (int i = 0; i < n; i++)
    if (costs->speeds[i] < 1 || costs->speeds[i] > TP_SPEED_ALONE)
      return tp_plan_read_fail (place.reader, error, place.path,
                                "%d is not from 1 to %d", costs->speeds[i],
                                TP_SPEED_ALONE);
  return TRUE;
}

static gboolean
read_starts (TpPlanPlace root, const char *key, int n, gint64 *out,
             GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, key, n, &list, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      TpPlanPlace place = { root.reader, key, json_array_get (list, i) };

      if (!tp_plan_read_integer (place, -1, &out[i], error))
        return FALSE;
    }
  return TRUE;
}

/* Which lack where engines do not slow each other. */
static gboolean
read_ends (TpPlanPlace root, TpSpanProof *proof, GError **error)
{
  if (json_object_get (root.json, "op_ends") == NULL)
    return TRUE;
  tp_span_proof_add_ends (proof);
  return read_starts (root, "op_ends", proof->n_nodes, proof->ends, error)
         && read_starts (root, "fetch_ends", proof->n_transfers,
                         proof->fetch_ends, error)
         && read_starts (root, "feed_ends", proof->n_transfers,
                         proof->feed_ends, error);
}

/* Of stages, which may lack. */
static gboolean
read_stages (TpPlanPlace root, TpSpanProof *proof, GError **error)
{
  return json_object_get (root.json, "span_tree") == NULL
         || (tp_plan_read_indices (root, "span_waists", &proof->waists,
                                   &proof->n_waists, error)
             && tp_plan_read_indices (root, "span_tree", &proof->tree,
                                      &proof->n_entries, error));
}

gboolean
tp_plan_read_span_proof (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpSpanProof *proof;

  if (json_object_get (root.json, "span_ns") == NULL)
    return TRUE;
  proof = plan->span_proof
      = tp_span_proof_new (plan->n_placements, plan->n_transfers);
  return tp_plan_read_number (root, "span_ns", &proof->span_ns, error)
         && tp_plan_read_number (root, "span_bound_ns", &proof->bound_ns, error)
         && tp_plan_read_interval (root, "span", &proof->low_ns,
                                   &proof->high_ns, error)
         && read_starts (root, "op_starts", proof->n_nodes, proof->starts,
                         error)
         && read_starts (root, "fetch_starts", proof->n_transfers,
                         proof->fetch_starts, error)
         && read_starts (root, "feed_starts", proof->n_transfers,
                         proof->feed_starts, error)
         && read_ends (root, proof, error) && read_stages (root, proof, error);
}
