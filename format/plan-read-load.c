/* plan-read-load.c: see plan-read-load.h. */
#include "config.h"

#include "format/plan-read-load.h"

#include "format/plan-read-flows.h"
#include "format/plan-read-memory.h"
#include "format/plan-read-shares.h"
#include "ir/guard.h"

/* Of each engine. */
static gboolean
read_engines (TpPlanPlace root, const char *key, int n, gint64 *out,
              GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, key, n, &list, error))
    return FALSE;
  for (int e = 0; e < n; e++)
    {
      TpPlanPlace place = { root.reader, key, json_array_get (list, e) };

      if (!tp_plan_read_integer (place, 0, &out[e], error))
        return FALSE;
    }
  return TRUE;
}

/* What is fixed, and of each bound weights. */
static gboolean
read_tree (TpPlanPlace root, TpLoadProof *proof, GError **error)
{
  json_t *weights;
  gsize n;

  if (!tp_plan_read_indices (root, "load_tree", &proof->tree,
                             &proof->n_entries, error)
      || !tp_plan_read_list (root, "load_weights", -1, &weights, error))
    return FALSE;
  n = json_array_size (weights);
  if (n % proof->n_engines != 0 || n > G_MAXINT)
    return tp_plan_read_fail (root.reader, error, "load_weights",
                              "not one for each engine and end");
  proof->n_bounds = (int) n / proof->n_engines;
  proof->weights = tp_new0 (gint64, n + 1);
  return read_engines (root, "load_weights", (int) n, proof->weights, error);
}

/* Of three devices and more: for each end, for each part. */
static gboolean
read_shares (TpPlanPlace root, int n_parts, TpLoadProof *proof, GError **error)
{
  gint64 n = (gint64) proof->n_bounds * n_parts;
  json_t *lists;

  if (json_object_get (root.json, "load_share_units") == NULL)
    return TRUE;
  proof->share_units = tp_new0 (gint64, (gsize) proof->n_bounds + 1);
  proof->shares = tp_pointers_new ((GDestroyNotify) tp_share_bound_free);
  if (!read_engines (root, "load_share_units", proof->n_bounds,
                     proof->share_units, error)
      || !tp_plan_read_list (root, "load_shares", (int) MIN (n, G_MAXINT),
                             &lists, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (lists); i++)
    {
      const TpPlanPlace place
          = { root.reader, "load_shares", json_array_get (lists, i) };
      TpShareBound *bound;

      if (!json_is_array (place.json))
        return tp_plan_read_fail (place.reader, error, place.path,
                                  "not a list of rows for each end and part");
      bound = tp_plan_read_share_rows (place, proof->n_engines / 3, error);
      if (bound == NULL)
        return FALSE;
      tp_pointers_add (proof->shares, bound);
    }
  return TRUE;
}

static gboolean
read_proof (TpPlanPlace root, int n_parts, TpLoadProof *proof, GError **error)
{
  TpPlanFlows flows;

  if (!tp_plan_read_number (root, "load_ns", &proof->load_ns, error)
      || !tp_plan_read_number (root, "load_bound_ns", &proof->bound_ns, error)
      || !tp_plan_read_interval (root, "load", &proof->low_ns, &proof->high_ns,
                                 error)
      || !read_engines (root, "loads", proof->n_engines, proof->loads, error)
      || !read_tree (root, proof, error)
      || !tp_plan_read_flows (root, "load_flows", -1, &flows, error))
    return FALSE;
  proof->flows = flows.flows;
  proof->n_flows = flows.n_flows;
  return read_shares (root, n_parts, proof, error);
}

gboolean
tp_plan_read_fitting (TpPlanPlace place, int n_devices, TpRoomProof *room,
                      GError **error)
{
  if (json_object_get (place.json, "memory_bound_ns") != NULL)
    {
      room->tree = tp_plan_read_memory_tree (place, n_devices, error);
      return room->tree != NULL;
    }
  room->shares = tp_share_proof_new ();
  return tp_plan_read_number (place, "share_unit", &room->shares->unit, error)
         && tp_plan_read_share_room (place, n_devices, room->shares, error);
}

/* ---- what fits ------------------------------------------------------------- */

/* A bound for each part. */
static gboolean
read_bounds (TpPlanPlace place, int n_parts, int n_devices, TpRoomEnds *ends,
             GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, "bounds", n_parts, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const TpPlanPlace bound
          = tp_plan_place_enter (place, json_array_get (list, i));

      if (!(n_devices > 2
                ? tp_plan_read_priced (bound, n_devices, ends->shares, error)
                : tp_plan_read_bound (bound, ends->bounds, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_ends (TpPlanPlace place, int n_parts, int n_engines, TpRoomEnds *ends,
           GError **error)
{
  json_t *list;

  if (!tp_plan_read_indices (place, "tree", &ends->tree, &ends->n_entries, error)
      || !tp_plan_read_list (place, "ends", -1, &list, error))
    return FALSE;
  ends->n_ends = (int) json_array_size (list);
  ends->weights = tp_new0 (gint64, (gsize) ends->n_ends * (gsize) n_engines + 1);
  for (int i = 0; i < ends->n_ends; i++)
    {
      TpPlanPlace end
          = { place.reader, "load_room.ends", json_array_get (list, (gsize) i) };

      if (!json_is_object (end.json))
        return tp_plan_read_fail (end.reader, error, end.path,
                                  "an end that is not an object");
      if (!read_engines (end, "weights", n_engines,
                         &ends->weights[i * n_engines], error)
          || !read_bounds (end, n_parts, n_engines / 3, ends, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_plan_read_room_of_parts (TpPlanPlace root, int n_parts, TpLoadProof *proof,
                            GError **error)
{
  const TpPlanPlace place
      = { root.reader, "load_room", json_object_get (root.json, "load_room") };

  if (place.json == NULL)
    return TRUE;
  if (!json_is_object (place.json))
    return tp_plan_read_fail (place.reader, error, place.path, "not an object");
  proof->room = tp_room_proof_new (proof->n_engines);
  proof->room->ends = tp_room_ends_new ();
  return tp_plan_read_number (place, "load_ns", &proof->room->bound_ns, error)
         && read_ends (place, n_parts, proof->n_engines, proof->room->ends,
                       error);
}

/* A weight, then tensors. */
static gboolean
read_path (TpPlanPlace place, TpPointers *paths, GError **error)
{
  gsize n = json_array_size (place.json);
  g_autoptr (TpPath) path = NULL;

  if (n < 2 || n > G_MAXINT)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not [weight, tensor, ...]");
  path = tp_path_new ((int) n - 1);
  for (gsize i = 0; i < n; i++)
    {
      gint64 number;

      if (!tp_plan_read_integer (
              tp_plan_place_enter (place, json_array_get (place.json, i)), 0,
              &number, error))
        return FALSE;
      if (i > 0 && number > G_MAXINT)
        return tp_plan_read_fail (place.reader, error, place.path,
                                  "%" G_GINT64_FORMAT " is no tensor", number);
      if (i == 0)
        path->weight = number;
      else
        path->tensors[i - 1] = (int) number;
    }
  tp_pointers_add (paths, g_steal_pointer (&path));
  return TRUE;
}

static gboolean
read_paths (TpPlanPlace root, TpPointers *paths, GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (root, "paths", -1, &list, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!read_path (tp_plan_place_enter ((TpPlanPlace){ root.reader, "paths", list },
                                         json_array_get (list, i)),
                    paths, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_plan_read_room (TpPlanPlace root, TpPlan *plan, GError **error)
{
  gboolean is_span = plan->span_proof != NULL;
  int n_engines = 3 * plan->n_devices;
  const char *name = is_span ? "span_room" : "load_room";
  const char *bound = is_span ? "span_ns" : "load_ns";
  const TpPlanPlace place
      = { root.reader, name, json_object_get (root.json, name) };
  TpRoomProof *room;

  if (place.json == NULL || plan->load_proof == NULL)
    return TRUE;
  if (!json_is_object (place.json))
    return tp_plan_read_fail (place.reader, error, place.path, "not an object");
  if (!is_span && json_object_get (place.json, "ends") != NULL)
    return tp_plan_read_room_of_parts (root, 1, plan->load_proof, error);
  room = tp_room_proof_new (n_engines);
  *(is_span ? &plan->span_proof->room : &plan->load_proof->room) = room;
  return read_engines (place, "weights", n_engines, room->weights, error)
         && (!is_span || read_paths (place, room->paths, error))
         && tp_plan_read_number (place, bound, &room->bound_ns, error)
         && tp_plan_read_fitting (place, plan->n_devices, room, error);
}

gboolean
tp_plan_read_load_proof (TpPlanPlace root, TpPlan *plan, GError **error)
{
  if (json_object_get (root.json, "load_ns") == NULL)
    return TRUE;
  plan->load_proof = tp_load_proof_new (3 * plan->n_devices);
  return read_proof (root, 1, plan->load_proof, error);
}

gboolean
tp_plan_read_loads (TpPlanPlace root, int n_devices, int n_parts,
                    TpLoadProof **out_proof, GError **error)
{
  *out_proof = tp_load_proof_new (3 * n_devices);
  return read_proof (root, n_parts, *out_proof, error);
}
