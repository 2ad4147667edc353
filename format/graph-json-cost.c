/* graph-json-cost.c: see graph-json-cost.h. */
#include "config.h"

#include "format/graph-json-cost.h"

#include "graph/graph-given.h"

#define GROUP "{\"ops\": [\"mul\", \"add\"], \"cost\": {\"DEVICE\": 21000}}"
#define MAX_COST_NS ((gint64) 1 << 60)

static gboolean
is_time (const json_t *json)
{
  return json_is_integer (json) && json_integer_value (json) >= 0
         && json_integer_value (json) <= MAX_COST_NS;
}

/* Nanoseconds, or [nanoseconds, half of the 95 % interval], at @key of @place;
 * the device of @out is left alone. */
static gboolean
read_figure (TpJsonPlace place, const char *key, const json_t *json,
             TpNodeCost *out, GError **error)
{
  gboolean is_pair = json_is_array (json) && json_array_size (json) == 2;
  const json_t *time = is_pair ? json_array_get (json, 0) : json;
  const json_t *spread = is_pair ? json_array_get (json, 1) : NULL;

  out->time_ns = json_integer_value (time);
  out->spread_ns = json_integer_value (spread);
  if (is_time (time) && (spread == NULL || is_time (spread)))
    return TRUE;
  tp_json_set_error (place, key, error,
                     "must be nanoseconds, an integer from 0 to 2^60, or a "
                     "list of two: the time, and half of its 95 %% interval");
  return FALSE;
}

gboolean
tp_graph_json_read_costs (TpJsonPlace place, TpArray *out, GError **error)
{
  json_t *costs = json_object_get (place.json, "cost"), *value;
  const char *device;

  if (costs == NULL)
    return TRUE;
  if (!json_is_object (costs) || json_object_size (costs) == 0)
    {
      tp_json_set_error (place, "cost", error,
                         "must be an object from device to nanoseconds, such "
                         "as {\"DEVICE\": 21000}");
      return FALSE;
    }
  json_object_foreach (costs, device, value)
    {
      TpNodeCost cost = { .device = device };
      g_autofree char *at = g_strconcat ("cost.", device, NULL);

      if (!read_figure (place, at, value, &cost, error))
        return FALSE;
      tp_array_append_val (out, cost);
    }
  return TRUE;
}

gboolean
tp_graph_json_check_groups (const TpGraphJson *reader, const json_t *root,
                            GError **error)
{
  json_t *groups = json_object_get (root, "groups");

  if (groups == NULL || json_is_array (groups))
    return TRUE;
  tp_json_set_error (tp_graph_json_place (reader, "groups", groups), NULL, error,
                     "must be a list of groups, such as [" GROUP "]");
  return FALSE;
}

/* What a group looks like, but for its costs. */
static gboolean
check_group (TpJsonPlace place, GError **error)
{
  json_t *ops = json_object_get (place.json, "ops");
  gboolean is_good = json_is_array (ops);

  if (!json_is_object (place.json))
    {
      tp_json_set_error (place, NULL, error, "must be an object, such as " GROUP);
      return FALSE;
    }
  for (gsize i = 0; is_good && i < json_array_size (ops); i++)
    is_good = json_is_string (json_array_get (ops, i));
  if (is_good)
    return TRUE;
  tp_json_set_error (place, "ops", error,
                     "must be a list of names of ops, such as [\"mul\", "
                     "\"add\"]");
  return FALSE;
}

gboolean
tp_graph_json_add_group (const TpGraphJson *reader, TpJsonPlace place,
                         GError **error)
{
  static const char *const keys[] = { "ops", "cost", NULL };
  g_autoptr (TpArray) costs = tp_array_new (sizeof (TpNodeCost));
  g_autofree const char **names = NULL;
  TpGroupFigures figures = { .place = place.path };

  if ((json_is_object (place.json)
       && !tp_json_check_object (place, keys, error))
      || !check_group (place, error)
      || !tp_json_get_strings (place, "ops", TRUE, &names, error)
      || !tp_graph_json_read_costs (place, costs, error))
    return FALSE;
  if (costs->len == 0)
    {
      tp_json_set_error (place, "cost", error,
                         "is missing: what the ops take as one kernel, such as "
                         "{\"DEVICE\": 21000}");
      return FALSE;
    }
  figures.n_costs = (int) costs->len;
  figures.costs = (const TpNodeCost *) (void *) costs->data;
  return tp_graph_builder_add_group (reader->builder, names, &figures, error);
}

/* One figure both ways, or {"to": figure, "from": figure}. */
static gboolean
read_copy (TpJsonPlace place, const char *device, const json_t *json,
           TpGivenCopy *out, GError **error)
{
  static const char *const keys[] = { "to", "from", NULL };
  g_autofree char *path = g_strconcat (place.path, ".", device, NULL);
  TpJsonPlace both = { place.file, path, json };
  TpNodeCost to = { .device = device }, from = { .device = device };

  if (!json_is_object (json))
    {
      if (!read_figure (place, device, json, &to, error))
        return FALSE;
      from = to;
    }
  else if (!tp_json_check_object (both, keys, error)
           || !read_figure (both, "to", json_object_get (json, "to"), &to,
                            error)
           || !read_figure (both, "from", json_object_get (json, "from"), &from,
                            error))
    return FALSE;
  *out = (TpGivenCopy){ device, to.time_ns, from.time_ns, to.spread_ns,
                        from.spread_ns };
  return TRUE;
}

static gboolean
add_copies_of (const TpGraphJson *reader, const char *tensor, json_t *json,
               GError **error)
{
  g_autofree char *path = g_strconcat ("copies.", tensor, NULL);
  TpJsonPlace place = tp_graph_json_place (reader, path, json);
  g_autoptr (TpArray) copies = tp_array_new (sizeof (TpGivenCopy));
  const char *device;
  json_t *value;

  if (!tp_graph_builder_is_defined (reader->builder, tensor))
    {
      tp_json_set_error (place, NULL, error,
                         "no op, input or initializer gives the tensor: "
                         "correct the name");
      return FALSE;
    }
  if (!json_is_object (json) || json_object_size (json) == 0)
    {
      tp_json_set_error (place, NULL, error,
                         "must be an object from device to nanoseconds, such "
                         "as {\"DEVICE\": 1200}");
      return FALSE;
    }
  json_object_foreach (json, device, value)
    {
      TpGivenCopy copy;

      if (!read_copy (place, device, value, &copy, error))
        return FALSE;
      tp_array_append_val (copies, copy);
    }
  return tp_graph_builder_give_copies (
      reader->builder, tensor, (const TpGivenCopy *) (void *) copies->data,
      (int) copies->len, error);
}

gboolean
tp_graph_json_add_copies (const TpGraphJson *reader, const json_t *root,
                          GError **error)
{
  json_t *copies = json_object_get (root, "copies"), *value;
  const char *tensor;

  if (copies != NULL && !json_is_object (copies))
    {
      tp_json_set_error (tp_graph_json_place (reader, "copies", copies), NULL,
                         error, "must be an object");
      return FALSE;
    }
  json_object_foreach (copies, tensor, value)
    if (!add_copies_of (reader, tensor, value, error))
      return FALSE;
  return TRUE;
}
