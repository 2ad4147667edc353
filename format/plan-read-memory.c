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

gboolean
tp_plan_read_bound (TpPlanPlace place, TpPointers *bounds, GError **error)
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
      if (!tp_plan_read_bound (place, proof->bounds, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_peak (TpPlanPlace place, int n_devices, TpProofEntry *entry,
           GError **error)
{
  if (!read_int (place, 1, &entry->index, error)
      || !read_amount (place, 2, &entry->bytes, error))
    return FALSE;
  if (entry->index >= n_devices)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "a peak of device %d, of %d", entry->index,
                              n_devices);
  return TRUE;
}

static gboolean
read_sweep (TpPlanPlace place, int n_devices, TpProofEntry *entry,
            GError **error)
{
  gsize n = json_array_size (place.json) - 1;

  if (n != (gsize) n_devices)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "a sweep with %" G_GSIZE_FORMAT
                              " prices: there are %d devices",
                              n, n_devices);
  for (int d = 0; d < n_devices; d++)
    if (!read_amount (place, (gsize) d + 1, &entry->prices[d], error))
      return FALSE;
  return TRUE;
}

typedef struct
{
  const char *name;
  TpProofKind kind;
  gsize size;                 /* with the name; 0: any */
  gboolean is_of_two;         /* devices, and no more */
} EntryKind;

static const EntryKind entry_kinds[]
    = { { "op", TP_PROOF_BRANCH, 2, TRUE },
        { "bound", TP_PROOF_BOUND, 2, TRUE },
        { "full", TP_PROOF_FULL, 3, TRUE },
        { "placed", TP_PROOF_PLACED, 1, TRUE },
        { "peak", TP_PROOF_PEAK, 3, FALSE },
        { "sweep", TP_PROOF_SWEEP, 0, FALSE } };

/* Of an entry of @n_devices; NULL: there is none like it. */
static const EntryKind *
find_kind (const json_t *json, int n_devices)
{
  const char *name = json_string_value (json_array_get (json, 0));

  for (gsize i = 0; i < G_N_ELEMENTS (entry_kinds); i++)
    {
      const EntryKind *it = &entry_kinds[i];

      if (g_strcmp0 (name, it->name) == 0
          && (it->size == 0 || it->size == json_array_size (json))
          && (n_devices <= 2 || !it->is_of_two))
        return it;
    }
  return NULL;
}

static gboolean
fail_entry (TpPlanPlace place, int n_devices, GError **error)
{
  if (n_devices > 2)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not [\"peak\", device, bytes] or [\"sweep\", a "
                              "price for each of %d devices]",
                              n_devices);
  return tp_plan_read_fail (place.reader, error, place.path,
                            "not [\"op\", I], [\"bound\", I], [\"full\", "
                            "device, op], [\"placed\"], [\"peak\", device, "
                            "bytes] or [\"sweep\", price, price]");
}

static gboolean
read_entry (TpPlanPlace place, int n_devices, TpArray *entries, GError **error)
{
  const EntryKind *kind = find_kind (place.json, n_devices);
  TpProofEntry entry = { 0 };
  gboolean is_good;

  if (kind == NULL)
    return fail_entry (place, n_devices, error);
  entry.kind = kind->kind;
  if (kind->kind == TP_PROOF_PEAK)
    is_good = read_peak (place, n_devices, &entry, error);
  else if (kind->kind == TP_PROOF_SWEEP)
    is_good = read_sweep (place, n_devices, &entry, error);
  else
    is_good = (kind->size < 2 || read_int (place, 1, &entry.index, error))
              && (kind->size < 3 || read_int (place, 2, &entry.step, error));
  if (is_good)
    tp_array_append_val (entries, entry);
  return is_good;
}

static gboolean
read_tree (TpPlanPlace place, int n_devices, TpMemoryProof *proof,
           GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, "memory_tree", -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      char path[64];
      TpPlanPlace entry = { place.reader, path, json_array_get (list, i) };

      g_snprintf (path, sizeof path, "%s%smemory_tree[%" G_GSIZE_FORMAT "]",
                  place.path, *place.path == 0 ? "" : ".", i);
      if (!read_entry (entry, n_devices, proof->entries, error))
        return FALSE;
    }
  return TRUE;
}

/* Of more than two devices there are sweeps alone, of so many and no more. */
static gboolean
check_form (TpPlanPlace place, int n_devices, const TpMemoryProof *proof,
            GError **error)
{
  if (n_devices > TP_SWEEP_MAX_DEVICES)
    return tp_plan_read_fail (place.reader, error, "memory_bound_ns",
                              "there are %d devices, and such proofs are of at "
                              "most %d",
                              n_devices, TP_SWEEP_MAX_DEVICES);
  if (n_devices > 2 && proof->bounds->len > 0)
    return tp_plan_read_fail (place.reader, error, "memory_bounds",
                              "not empty, and there are %d devices", n_devices);
  return TRUE;
}

TpMemoryProof *
tp_plan_read_memory_tree (TpPlanPlace place, int n_devices, GError **error)
{
  g_autoptr (TpMemoryProof) proof = tp_memory_proof_new ();

  return tp_plan_read_number (place, "memory_bound_ns", &proof->bound_ns, error)
                 && read_bounds (place, proof, error)
                 && check_form (place, n_devices, proof, error)
                 && read_tree (place, n_devices, proof, error)
             ? g_steal_pointer (&proof)
             : NULL;
}

gboolean
tp_plan_read_memory_proof (TpPlanPlace root, TpPlan *plan, GError **error)
{
  if (json_object_get (root.json, "memory_bound_ns") == NULL)
    return TRUE;
  plan->memory_proof = tp_plan_read_memory_tree (root, plan->n_devices, error);
  return plan->memory_proof != NULL;
}
