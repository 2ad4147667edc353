/* plan-read-shares.c: see plan-read-shares.h. */
#include "config.h"

#include "format/plan-read-shares.h"

#include "format/plan-read-memory.h"

/* Element @index, a number of at least 0 and at most @high. */
static gboolean
read_element (TpPlanPlace place, gsize index, gint64 high, gint64 *out,
              GError **error)
{
  if (!tp_plan_read_integer (
          tp_plan_place_enter (place, json_array_get (place.json, index)), 0,
          out, error))
    return FALSE;
  return *out <= high
         || tp_plan_read_fail (place.reader, error, place.path,
                               "%" G_GINT64_FORMAT " is out of range", *out);
}

static gboolean
read_row (TpPlanPlace place, int n_devices, TpShareBound *bound,
          GError **error)
{
  const char *kind = json_string_value (json_array_get (place.json, 0));
  TpShareRow row = { .first = bound->amounts->len };
  gboolean is_held = g_strcmp0 (kind, "m") == 0;
  gsize at = is_held ? 2 : 1; /* of what comes after which price */
  gint64 index, op, price = 0;

  if (json_array_size (place.json) != at + 2 + (gsize) n_devices
      || kind == NULL
      || (!is_held && g_strcmp0 (kind, "t") != 0
          && g_strcmp0 (kind, "g") != 0))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not [\"t\" or \"g\", index, op] or [\"m\", "
                              "price, tensor, op] and an amount for each "
                              "device");
  if ((is_held && !read_element (place, 1, G_MAXINT, &price, error))
      || !read_element (place, at, G_MAXINT, &index, error)
      || !read_element (place, at + 1, G_MAXINT, &op, error))
    return FALSE;
  for (int d = 0; d < n_devices; d++)
    {
      gint64 amount;

      if (!read_element (place, at + 2 + d, TP_PLAN_MAX_NUMBER, &amount, error))
        return FALSE;
      tp_array_append_val (bound->amounts, amount);
    }
  row.kind = kind[0];
  row.index = (int) index;
  row.row = (int) price;
  row.op = (int) op;
  tp_array_append_val (bound->rows, row);
  return TRUE;
}

static gboolean
read_bounds (TpPlanPlace root, int n_devices, TpShareProof *proof,
             GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, "share_bounds", -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const json_t *rows = json_array_get (list, i);
      char path[64];
      TpPlanPlace place = { root.reader, path, NULL };

      g_snprintf (path, sizeof path, "share_bounds[%" G_GSIZE_FORMAT "]", i);
      if (!json_is_array (rows))
        return tp_plan_read_fail (root.reader, error, path, "not a list");
      tp_pointers_add (proof->bounds, tp_share_bound_new ());
      for (gsize k = 0; k < json_array_size (rows); k++)
        if (!read_row (tp_plan_place_enter (place, json_array_get (rows, k)),
                       n_devices, proof->bounds->pdata[i], error))
          return FALSE;
    }
  return TRUE;
}

static gboolean
read_tree (TpPlanPlace root, TpShareProof *proof, GError **error)
{
  json_t *list;
  TpPlanPlace place = { root.reader, "share_tree", NULL };

  if (!tp_plan_read_list (root, "share_tree", -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const char *kind;
      TpShareEntry entry;
      gint64 index;

      place.json = json_array_get (list, i);
      kind = json_string_value (json_array_get (place.json, 0));
      entry.is_branch = g_strcmp0 (kind, "op") == 0;
      if (json_array_size (place.json) != 2
          || (!entry.is_branch && g_strcmp0 (kind, "bound") != 0))
        return tp_plan_read_fail (root.reader, error, place.path,
                                  "not [\"op\", I] or [\"bound\", I]");
      if (!read_element (place, 1, G_MAXINT, &index, error))
        return FALSE;
      entry.index = (int) index;
      tp_array_append_val (proof->entries, entry);
    }
  return TRUE;
}

TpShareBound *
tp_plan_read_share_rows (TpPlanPlace list, int n_devices, GError **error)
{
  g_autoptr (TpShareBound) bound = tp_share_bound_new ();

  for (gsize i = 0; i < json_array_size (list.json); i++)
    if (!read_row (tp_plan_place_enter (list, json_array_get (list.json, i)),
                   n_devices, bound, error))
      return NULL;
  return g_steal_pointer (&bound);
}

/* The same of @key of @root. */
static TpShareBound *
read_bound (TpPlanPlace root, const char *key, int n_devices, GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, key, -1, &list, error))
    return NULL;
  return tp_plan_read_share_rows ((TpPlanPlace){ root.reader, key, list },
                                  n_devices, error);
}

gboolean
tp_plan_read_share_room (TpPlanPlace place, int n_devices, TpShareProof *proof,
                         GError **error)
{
  if (!tp_plan_read_number (place, "share_room_ns", &proof->room_ns, error)
      || !tp_plan_read_prices (place, "share_prices", proof->prices, error))
    return FALSE;
  proof->room = read_bound (place, "share_room", n_devices, error);
  return proof->room != NULL;
}

gboolean
tp_plan_read_priced (TpPlanPlace place, int n_devices, TpPointers *proofs,
                     GError **error)
{
  g_autoptr (TpShareProof) proof = tp_share_proof_new ();

  if (!tp_plan_read_number (place, "unit", &proof->unit, error)
      || !tp_plan_read_prices (place, "prices", proof->prices, error))
    return FALSE;
  proof->room = read_bound (place, "shares", n_devices, error);
  if (proof->room == NULL)
    return FALSE;
  tp_pointers_add (proofs, g_steal_pointer (&proof));
  return TRUE;
}

TpShareProof *
tp_plan_read_share_proof (TpPlanPlace place, int n_devices, GError **error)
{
  g_autoptr (TpShareProof) proof = tp_share_proof_new ();

  return tp_plan_read_number (place, "share_unit", &proof->unit, error)
                 && read_bounds (place, n_devices, proof, error)
                 && read_tree (place, proof, error)
             ? g_steal_pointer (&proof)
             : NULL;
}

gboolean
tp_plan_read_shares (TpPlanPlace root, TpPlan *plan, GError **error)
{
  g_autoptr (TpShareProof) proof = NULL;

  if (json_object_get (root.json, "share_unit") == NULL)
    return TRUE;
  proof = tp_plan_read_share_proof (root, plan->n_devices, error);
  if (proof == NULL
      || (json_object_get (root.json, "share_room_ns") != NULL
          && !tp_plan_read_share_room (root, plan->n_devices, proof, error)))
    return FALSE;
  plan->share_proof = g_steal_pointer (&proof);
  return TRUE;
}
