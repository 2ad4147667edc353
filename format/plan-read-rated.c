/* plan-read-rated.c: see plan-read-rated.h. */
#include "config.h"

#include "format/plan-read-rated.h"

#include "format/plan-read-flows.h"
#include "format/plan-read-load.h"
#include "format/plan-read-memory.h"
#include "format/plan-read-shares.h"
#include "ir/guard.h"

#define N_END_KEYS 3          /* of an end of three devices and more, and its proof */
#define N_PROOF_KEYS 3
#define N_PARTS 6             /* of a device's rates; the last may be left out */

/* Of @n numbers. */
static gboolean
read_numbers (TpPlanPlace list, gsize n, gint64 *out, GError **error)
{
  if (json_array_size (list.json) != n)
    return tp_plan_read_fail (list.reader, error, list.path,
                              "not a list of %d numbers", (int) n);
  for (gsize i = 0; i < n; i++)
    if (!tp_plan_read_integer (
            tp_plan_place_enter (list, json_array_get (list.json, i)), -1,
            &out[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_rate (TpPlanPlace place, TpRate *rate, GError **error)
{
  gint64 parts[N_PARTS] = { 0 };
  gsize n = json_array_size (place.json) == N_PARTS ? N_PARTS : N_PARTS - 1;

  if (!read_numbers (place, n, parts, error))
    return FALSE;
  for (int i = 0; i < N_PARTS; i++)
    if (parts[i] > TP_RATE_MAX)
      return tp_plan_read_fail (place.reader, error, place.path,
                                "%" G_GINT64_FORMAT " is above %"
                                G_GINT64_FORMAT,
                                parts[i], TP_RATE_MAX);
  if (parts[1] < 0 || parts[2] < 0 || parts[4] < 0 || parts[4] > 1
      || parts[5] < 0 || parts[5] > 1 || (parts[5] == 1 && parts[0] < 0)
      || (parts[0] >= 0 && parts[1] > parts[0]))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not watts busy, no more idle, more while it is "
                              "copied, a price, 1 if it is per use, else 0, and "
                              "1 if watts are measured");
  *rate = (TpRate){ .busy_mw = parts[0],
                    .idle_mw = parts[1],
                    .copy_mw = parts[2],
                    .price = parts[3],
                    .is_per_use = parts[4] == 1,
                    .is_measured = parts[5] == 1 };
  return TRUE;
}

gboolean
tp_plan_read_rates (TpPlanPlace root, TpCosts *costs, GError **error)
{
  TpPlanPlace place = { root.reader, "rates", NULL };
  json_t *list;

  if (json_object_get (root.json, "rates") == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, "rates", costs->n_devices, &list, error))
    return FALSE;
  costs->rates = tp_new0 (TpRate, (gsize) costs->n_devices + 1);
  for (int d = 0; d < costs->n_devices; d++)
    if (!read_rate (tp_plan_place_enter (place, json_array_get (list, d)),
                    &costs->rates[d], error))
      return FALSE;
  return TRUE;
}

/* List @key of the top. */
static gboolean
read_aims (TpPlanPlace root, const char *key, gint64 *out, GError **error)
{
  const TpPlanPlace place
      = { root.reader, key, json_object_get (root.json, key) };

  return read_numbers (place, TP_N_AIMS, out, error);
}

/* List @key of an end: devices, ascending. */
static gboolean
read_set (TpPlanPlace place, const char *key, int n_devices, guint *out,
          GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, key, -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const json_t *element = json_array_get (list, i);
      json_int_t device
          = json_is_integer (element) ? json_integer_value (element) : -1;

      if (device < 0 || device >= MIN (n_devices, 32) || *out >> device != 0)
        return tp_plan_read_fail (place.reader, error, place.path,
                                  "%s are not devices in order", key);
      *out |= 1u << device;
    }
  return TRUE;
}

/* As many keys as belong to its proof and @n_besides. */
static gboolean
read_end (TpPlanPlace place, int n_devices, gsize n_besides, TpRateEnd *end,
          GError **error)
{
  return (json_object_size (place.json) == n_besides + N_PROOF_KEYS
          || tp_plan_read_fail (place.reader, error, place.path,
                                "not an object of a proof, rented, without, "
                                "divisor and, of what fits, times"))
         && read_set (place, "rented", n_devices, &end->rented, error)
         && read_set (place, "without", n_devices, &end->without, error)
         && tp_plan_read_number (place, "divisor", &end->divisor, error);
}

static gboolean
read_free_end (TpPlanPlace place, TpPlan *plan, GError **error)
{
  TpRateEnd *end = tp_rate_end_new (0, 0);

  tp_pointers_add (plan->rate_proof->ends, end);
  if (!read_end (place, plan->n_devices, N_END_KEYS, end, error))
    return FALSE;
  end->shares = tp_plan_read_share_proof (place, plan->n_devices, error);
  return end->shares != NULL;
}

/* Of any of three proofs. */
static gboolean
read_fitting_end (TpPlanPlace place, TpPlan *plan, GError **error)
{
  TpRateEnd *end = tp_rate_end_new (0, 0);
  gboolean is_swept = json_object_get (place.json, "memory_bound_ns") != NULL;
  gboolean is_room = json_object_get (place.json, "share_room_ns") != NULL;

  tp_pointers_add (plan->rate_proof->fitting, end);
  if (!read_end (place, plan->n_devices, N_END_KEYS + 1 + (!is_swept && is_room),
                 end, error)
      || !tp_plan_read_number (place, "times", &end->times, error))
    return FALSE;
  if (is_swept)
    end->tree = tp_plan_read_memory_tree (place, plan->n_devices, error);
  else if (!is_room)
    end->shares = tp_plan_read_share_proof (place, plan->n_devices, error);
  else
    {
      end->shares = tp_share_proof_new ();
      return tp_plan_read_number (place, "share_unit", &end->shares->unit, error)
             && tp_plan_read_share_room (place, plan->n_devices, end->shares,
                                         error);
    }
  return end->tree != NULL || end->shares != NULL;
}

/* List @key, of three devices and more. */
static gboolean
read_ends (TpPlanPlace root, const char *key, TpPlan *plan,
           gboolean (*read) (TpPlanPlace place, TpPlan *plan, GError **error),
           GError **error)
{
  TpPlanPlace place = { root.reader, key, NULL };
  json_t *list;

  if (json_object_get (root.json, key) == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, key, -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!read (tp_plan_place_enter (place, json_array_get (list, i)), plan,
               error))
      return FALSE;
  return TRUE;
}

/* Of what fits into limits of memory. */
static gboolean
read_room (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanPlace place
      = { root.reader, "aim_room", json_object_get (root.json, "aim_room") };
  TpRateProof *proof = plan->rate_proof;

  if (place.json == NULL)
    return TRUE;
  if (!json_is_object (place.json))
    return tp_plan_read_fail (place.reader, error, place.path, "not an object");
  proof->room = tp_room_proof_new (0);
  if (!tp_plan_read_number (place, "aim_bound", &proof->room->bound_ns, error))
    return FALSE;
  if (plan->n_devices > 2)
    return read_ends (place, "ends", plan, read_fitting_end, error);
  return read_set (place, "unfit", plan->n_devices, &proof->unfit, error)
         && tp_plan_read_fitting (place, plan->n_devices, proof->room, error);
}

gboolean
tp_plan_read_rate_proof (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpPlanFlows flows;
  TpRateProof *proof;

  if (json_object_get (root.json, "aims") == NULL)
    return TRUE;
  plan->rate_proof = proof = tp_rate_proof_new ();
  if (!read_aims (root, "aims", proof->aims, error)
      || !read_aims (root, "aim_totals", proof->totals, error)
      || !tp_plan_read_number (root, "aim_cost", &proof->cost, error)
      || !tp_plan_read_number (root, "aim_bound", &proof->bound, error)
      || !tp_plan_read_flows (root, "aim_flows", -1, &flows, error))
    return FALSE;
  proof->flows = flows.flows;
  proof->n_flows = flows.n_flows;
  return read_ends (root, "aim_ends", plan, read_free_end, error)
         && read_room (root, plan, error);
}
