/* plan-read-memory.c: see plan-read-memory.h. */
#include "config.h"

#include "format/plan-read-memory.h"

#include "ir/array.h"

#include <string.h>

#define MAX_SHARE (G_GINT64_CONSTANT (1) << 62)

/* Element @index, a number of at least 0 that an int can hold. */
static gboolean
read_int (TpPlanPlace place, gsize index, int *out, GError **error)
{
  gint64 number;

  if (!tp_plan_read_integer (
          tp_plan_place_enter (place, json_array_get (place.json, index)), 0,
          &number, error))
    return FALSE;
  if (number > G_MAXINT)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "%" G_GINT64_FORMAT " is out of range", number);
  *out = (int) number;
  return TRUE;
}

static gboolean
read_number (TpPlanPlace place, gsize index, gint64 low, gint64 *out,
             GError **error)
{
  return tp_plan_read_integer (
      tp_plan_place_enter (place, json_array_get (place.json, index)), low,
      out, error);
}

static gboolean
read_amount (TpPlanPlace place, gsize index, gint64 *out, GError **error)
{
  return read_number (place, index, 0, out, error);
}

static gboolean
read_price (TpPlanPlace place, TpArray *prices, GError **error)
{
  TpMemoryPrice price;

  if (json_array_size (place.json) != 3)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not [device, op, price]");
  if (!read_int (place, 0, &price.device, error)
      || !read_int (place, 1, &price.step, error)
      || !read_amount (place, 2, &price.price, error))
    return FALSE;
  tp_array_append_val (prices, price);
  return TRUE;
}

static gboolean
read_share (TpPlanPlace place, TpArray *shares, GError **error)
{
  const char *kind = json_string_value (json_array_get (place.json, 0));
  TpMemoryShare share;

  if (json_array_size (place.json) != 5 || kind == NULL || kind[0] == 0
      || kind[1] != 0 || strchr ("hdcemk", kind[0]) == NULL)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not [kind, index, price, op, amount]");
  share.kind = kind[0];
  if (!read_int (place, 1, &share.index, error)
      || !read_int (place, 2, &share.row, error)
      || !read_int (place, 3, &share.op, error)
      || !read_number (place, 4, kind[0] == 'k' ? -MAX_SHARE : 0,
                       &share.amount, error))
    return FALSE;
  tp_array_append_val (shares, share);
  return TRUE;
}

/* List @key of @place, by @read. */
static gboolean
read_each (TpPlanPlace place, const char *key,
           gboolean (*read) (TpPlanPlace place, TpArray *out, GError **error),
           TpArray *out, GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, key, -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!read (tp_plan_place_enter (place, json_array_get (list, i)), out,
               error))
      return FALSE;
  return TRUE;
}

gboolean
tp_plan_read_prices (TpPlanPlace place, const char *key, TpArray *prices,
                     GError **error)
{
  return read_each (place, key, read_price, prices, error);
}

static gboolean
read_bound (TpPlanPlace place, TpPointers *bounds, GError **error)
{
  g_autoptr (TpMemoryBound) bound = tp_memory_bound_new ();
  const json_t *costs = json_object_get (place.json, "costs");

  if (!json_is_boolean (costs))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "no \"costs\" that is true or false");
  bound->has_costs = json_is_true (costs);
  if (!read_each (place, "prices", read_price, bound->prices, error)
      || !read_each (place, "shares", read_share, bound->shares, error))
    return FALSE;
  tp_pointers_add (bounds, g_steal_pointer (&bound));
  return TRUE;
}

static gboolean
read_bounds (TpPlanPlace root, TpMemoryProof *proof, GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, "memory_bounds", -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      char path[64];
      TpPlanPlace place = { root.reader, path, json_array_get (list, i) };

      g_snprintf (path, sizeof path, "memory_bounds[%" G_GSIZE_FORMAT "]", i);
      if (!read_bound (place, proof->bounds, error))
        return FALSE;
    }
  return TRUE;
}

/* What follows the name, @size with that. */
static gboolean
read_parts (TpPlanPlace place, gsize size, TpProofEntry *entry, GError **error)
{
  if (entry->kind == TP_PROOF_PEAK)
    return read_int (place, 1, &entry->index, error)
           && read_amount (place, 2, &entry->bytes, error);
  if (entry->kind == TP_PROOF_SWEEP)
    return read_amount (place, 1, &entry->prices[0], error)
           && read_amount (place, 2, &entry->prices[1], error);
  return (size < 2 || read_int (place, 1, &entry->index, error))
         && (size < 3 || read_int (place, 2, &entry->step, error));
}

static gboolean
read_entry (TpPlanPlace place, TpArray *entries, GError **error)
{
  static const struct
  {
    const char *name;
    TpProofKind kind;
    gsize size;
  } kinds[] = { { "op", TP_PROOF_BRANCH, 2 },
                { "bound", TP_PROOF_BOUND, 2 },
                { "full", TP_PROOF_FULL, 3 },
                { "placed", TP_PROOF_PLACED, 1 },
                { "peak", TP_PROOF_PEAK, 3 },
                { "sweep", TP_PROOF_SWEEP, 3 } };
  const char *name = json_string_value (json_array_get (place.json, 0));

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      TpProofEntry entry = { .kind = kinds[i].kind };

      if (g_strcmp0 (name, kinds[i].name) != 0
          || json_array_size (place.json) != kinds[i].size)
        continue;
      if (!read_parts (place, kinds[i].size, &entry, error))
        return FALSE;
      tp_array_append_val (entries, entry);
      return TRUE;
    }
  return tp_plan_read_fail (place.reader, error, place.path,
                            "not [\"op\", I], [\"bound\", I], [\"full\", "
                            "device, op], [\"placed\"], [\"peak\", device, "
                            "bytes] or [\"sweep\", price, price]");
}

TpMemoryProof *
tp_plan_read_memory_tree (TpPlanPlace place, GError **error)
{
  g_autoptr (TpMemoryProof) proof = tp_memory_proof_new ();
  TpPlanPlace tree = { place.reader, "memory_tree", place.json };

  return tp_plan_read_number (place, "memory_bound_ns", &proof->bound_ns, error)
                 && read_bounds (place, proof, error)
                 && read_each (tree, "memory_tree", read_entry, proof->entries,
                               error)
             ? g_steal_pointer (&proof)
             : NULL;
}

gboolean
tp_plan_read_memory_proof (TpPlanPlace root, TpPlan *plan, GError **error)
{
  if (json_object_get (root.json, "memory_bound_ns") == NULL)
    return TRUE;
  plan->memory_proof = tp_plan_read_memory_tree (root, error);
  return plan->memory_proof != NULL;
}
