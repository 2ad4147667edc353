/* graph-json-shape.c: shapes in JSON graphs. */
#include "config.h"

#include "format/graph-json-shape.h"

gboolean
tp_graph_json_read_shape (TpJsonPlace place, TpDimSpec *out_dims, int *out_rank,
                          GError **error)
{
  json_t *item;
  size_t i;

  if (!json_is_array (place.json) || json_array_size (place.json) > TP_MAX_RANK)
    {
      tp_json_set_error (place, NULL, error,
                         "must be a list of at most %d dimensions",
                         TP_MAX_RANK);
      return FALSE;
    }
  json_array_foreach (place.json, i, item)
    {
      g_autofree char *at = g_strdup_printf ("[%zu]", i);

      out_dims[i] = (TpDimSpec){ -1, json_string_value (item) };
      if (json_is_integer (item) && json_integer_value (item) >= 0)
        out_dims[i].value = json_integer_value (item);
      else if (!json_is_string (item))
        {
          tp_json_set_error (place, at, error,
                             "must be an integer >= 0, or a name");
          return FALSE;
        }
    }
  *out_rank = json_array_size (place.json);
  return TRUE;
}
