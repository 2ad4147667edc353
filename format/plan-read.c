/* plan-read.c: numbers, names and lists of a plan, each checked. */
#include "config.h"

#include "format/plan-read.h"

#include "ir/guard.h"
#include "ir/name-hash.h"

#include <string.h>

void
tp_plan_reader_init (TpPlanReader *reader)
{
  reader->devices = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  reader->names = g_new0 (TpPlanNames, 1);
}

void
tp_plan_reader_clear (TpPlanReader *reader)
{
  tp_plan_lines_free (reader->lines);
  if (reader->names != NULL)
    {
      tp_map_free (reader->names->nodes);
      tp_map_free (reader->names->tensors);
    }
  g_free (reader->names);
  tp_map_free (reader->devices);
}

gboolean
tp_plan_read_fail (const TpPlanReader *reader, GError **error,
                   const char *place, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: %s: %s: make the plan again with `tplan optimize`",
               reader->path, place, message);
  return FALSE;
}

gboolean
tp_plan_read_integer (TpPlanPlace place, gint64 low, gint64 *out_value,
                      GError **error)
{
  if (!json_is_integer (place.json))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not an integer");
  *out_value = json_integer_value (place.json);
  if (*out_value < low || *out_value > TP_PLAN_MAX_NUMBER)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "%" G_GINT64_FORMAT " is out of range",
                              *out_value);
  return TRUE;
}

gboolean
tp_plan_read_number (TpPlanPlace place, const char *key, gint64 *out_value,
                     GError **error)
{
  g_autofree char *path = *place.path == 0
                              ? g_strdup (key)
                              : g_strconcat (place.path, ".", key, NULL);
  TpPlanPlace number
      = { place.reader, path, json_object_get (place.json, key) };

  return tp_plan_read_integer (number, 0, out_value, error);
}

gboolean
tp_plan_read_interval (TpPlanPlace place, const char *key, gint64 *out_low_ns,
                       gint64 *out_high_ns, GError **error)
{
  g_autofree char *low = g_strconcat (key, "_low_ns", NULL);
  g_autofree char *high = g_strconcat (key, "_high_ns", NULL);

  return (json_object_get (place.json, low) == NULL
          && json_object_get (place.json, high) == NULL)
         || (tp_plan_read_number (place, low, out_low_ns, error)
             && tp_plan_read_number (place, high, out_high_ns, error));
}

gboolean
tp_plan_read_string (TpPlanPlace place, const char *key, gboolean is_nullable,
                     const char **out_text, GError **error)
{
  const json_t *value = json_object_get (place.json, key);

  *out_text = json_string_value (value);
  if (*out_text != NULL || (is_nullable && json_is_null (value)))
    return TRUE;
  return tp_plan_read_fail (place.reader, error, key,
                            value == NULL ? "missing" : "not a string");
}

static gboolean
check_length (TpPlanPlace place, const char *key, gint64 length, gsize n,
              GError **error)
{
  return length < 0 || (gint64) n == length
         || tp_plan_read_fail (place.reader, error, key,
                               "%" G_GSIZE_FORMAT
                               " elements, expected %" G_GINT64_FORMAT,
                               n, length);
}

gboolean
tp_plan_read_list (TpPlanPlace place, const char *key, gint64 length,
                   json_t **out_list, GError **error)
{
  json_t *value = json_object_get (place.json, key);

  if (!json_is_array (value) || json_array_size (value) > G_MAXINT / 4)
    return tp_plan_read_fail (place.reader, error, key,
                              value == NULL ? "missing" : "not a list");
  *out_list = value;
  return check_length (place, key, length, json_array_size (value), error);
}

gboolean
tp_plan_read_rows (TpPlanPlace root, const char *key, gint64 length,
                   TpPlanRows *out_rows, GError **error)
{
  json_t *list;

  if (root.reader->lines != NULL
      && tp_plan_lines_find (root.reader->lines, key, out_rows))
    return check_length (root, key, length, out_rows->n, error);
  if (!tp_plan_read_list (root, key, length, &list, error))
    return FALSE;
  *out_rows = (TpPlanRows){ .n = (int) json_array_size (list), .list = list };
  return TRUE;
}

gboolean
tp_plan_read_strings (TpPlanPlace place, const char *key, char ***out_list,
                      GError **error)
{
  json_t *list;
  g_auto (GStrv) strings = NULL;

  if (!tp_plan_read_list (place, key, -1, &list, error))
    return FALSE;
  strings = tp_new0 (char *, json_array_size (list) + 1);
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const char *text = json_string_value (json_array_get (list, i));

      if (text == NULL)
        return tp_plan_read_fail (place.reader, error, key,
                                  "element %" G_GSIZE_FORMAT " is not a string",
                                  i);
      strings[i] = g_strdup (text);
    }
  *out_list = g_steal_pointer (&strings);
  return TRUE;
}

gboolean
tp_plan_read_name (TpPlanPlace place, const TpMap *names, int *out_index,
                   GError **error)
{
  const char *name = json_string_value (place.json);
  gpointer found = name == NULL ? NULL : tp_map_lookup (names, name);

  if (found == NULL)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "'%.100s' is not known",
                              name == NULL ? "?" : name);
  *out_index = GPOINTER_TO_INT (found) - 1;
  return TRUE;
}

static TpMap *
index_names (int n, const char *(*get) (const TpGraph *, int),
             const TpGraph *graph)
{
  g_autoptr (TpMap) names
      = tp_map_new (tp_name_hash, g_str_equal, g_free, NULL);

  for (int i = 0; i < n; i++)
    tp_map_insert (names, g_utf8_make_valid (get (graph, i), -1),
                   GINT_TO_POINTER (i + 1));
  return g_steal_pointer (&names);
}

static const char *
get_node (const TpGraph *graph, int i)
{
  return graph->nodes[i].name;
}

static const char *
get_tensor (const TpGraph *graph, int i)
{
  return graph->tensors[i].name;
}

const TpMap *
tp_plan_reader_get_nodes (const TpPlanReader *reader)
{
  TpPlanNames *names = reader->names;

  if (names->nodes == NULL)
    names->nodes
        = index_names (reader->graph->n_nodes, get_node, reader->graph);
  return names->nodes;
}

const TpMap *
tp_plan_reader_get_tensors (const TpPlanReader *reader)
{
  TpPlanNames *names = reader->names;

  if (names->tensors == NULL)
    names->tensors
        = index_names (reader->graph->n_tensors, get_tensor, reader->graph);
  return names->tensors;
}

gboolean
tp_plan_read_indices (TpPlanPlace place, const char *key, int **out, int *out_n,
                      GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, key, -1, &list, error))
    return FALSE;
  *out = tp_new0 (int, json_array_size (list) + 1);
  *out_n = (int) json_array_size (list);
  for (int i = 0; i < *out_n; i++)
    {
      TpPlanPlace item = { place.reader, key, json_array_get (list, i) };
      gint64 number;

      if (!tp_plan_read_integer (item, -1, &number, error))
        return FALSE;
      (*out)[i] = (int) MIN (number, G_MAXINT);
    }
  return TRUE;
}
