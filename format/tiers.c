/* tiers.c: see tiers.h. */
#include "config.h"

#include "format/tiers.h"

#include "format/json-dump.h"
#include "format/json-read.h"
#include "format/json.h"
#include "ir/near-name.h"
#include "ir/text.h"

#include <string.h>

#define FORMAT "tplan-tiers/1"
#define MAX_TIERS 1024

typedef struct
{
  const char *path;
  GBytes *file;               /* (borrowed) */
  json_t *root;
  const char *parameter;
  const json_t *plans;
  GArray *values;             /* gint64 */
} Tiers;

static void
tiers_clear (Tiers *tiers)
{
  g_clear_pointer (&tiers->root, json_decref);
  g_clear_pointer (&tiers->values, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tiers, tiers_clear)

gboolean
tp_tiers_is (const char *text, gsize size)
{
  return tp_json_starts_as (text, size, "tplan-tiers/");
}

char *
tp_tiers_to_json (const char *parameter, const char *const *plans)
{
  GString *out = g_string_new (NULL);

  tp_text_append (out, "{\n \"format\": \"" FORMAT "\",\n \"parameter\": ");
  tp_json_append_string (out, parameter);
  tp_text_append (out, ",\n \"plans\": [\n");
  for (int i = 0; plans[i] != NULL; i++)
    {
      tp_text_append (out, i == 0 ? "" : ",\n");
      tp_text_append (out, plans[i]);
    }
  tp_text_append (out, " ]\n}\n");
  return g_string_free (out, FALSE);
}

/* ---- reading ------------------------------------------------------------ */

static gboolean
fail (const Tiers *tiers, const char *place, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: %s: %s: make the file again with `tplan optimize`",
               tiers->path, place, what);
  return FALSE;
}

static gboolean
check_keys (const Tiers *tiers, GError **error)
{
  static const char *const known[] = { "format", "parameter", "plans", NULL };
  const char *key;
  json_t *value;

  json_object_foreach (tiers->root, key, value)
    if (!g_strv_contains (known, key))
      {
        g_autofree char *near = tp_near_name_ask (key, known);
        g_autofree char *what = g_strconcat ("unknown key", near, NULL);

        return fail (tiers, key, what, error);
      }
  return TRUE;
}

/* What each plan is for. */
static gboolean
read_values (Tiers *tiers, GError **error)
{
  gsize i;
  json_t *plan;
  gint64 last = 0;

  tiers->values = g_array_new (FALSE, FALSE, sizeof (gint64));
  json_array_foreach (tiers->plans, i, plan)
    {
      g_autofree char *place = g_strdup_printf ("plans[%zu].dims", i);
      const json_t *value = json_object_get (json_object_get (plan, "dims"),
                                             tiers->parameter);
      gint64 number = json_integer_value (value);

      if (!json_is_integer (value) || number <= last)
        return fail (tiers, place, "the parameter has no value there that is "
                                   "above the one before", error);
      last = number;
      g_array_append_val (tiers->values, number);
    }
  return TRUE;
}

static gboolean
read_tiers (Tiers *tiers, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (tiers->file, &size);
  gsize n;

  tiers->root = tp_json_parse (tiers->path, text, size, error);
  if (tiers->root == NULL || !check_keys (tiers, error))
    return FALSE;
  if (g_strcmp0 (json_string_value (json_object_get (tiers->root, "format")),
                 FORMAT) != 0)
    return fail (tiers, "format", "this tplan reads " FORMAT, error);
  tiers->parameter
      = json_string_value (json_object_get (tiers->root, "parameter"));
  tiers->plans = json_object_get (tiers->root, "plans");
  n = json_array_size (tiers->plans);
  if (tiers->parameter == NULL)
    return fail (tiers, "parameter", "not a string", error);
  if (n < 1 || n > MAX_TIERS)
    return fail (tiers, "plans", "not a list of 1 to 1024", error);
  return read_values (tiers, error);
}

gboolean
tp_tiers_list (GBytes *file, const char *path, char **out_parameter,
               GArray **out_values, GError **error)
{
  g_auto (Tiers) tiers = { .path = path, .file = file };

  if (!read_tiers (&tiers, error))
    return FALSE;
  *out_parameter = g_strdup (tiers.parameter);
  *out_values = g_steal_pointer (&tiers.values);
  return TRUE;
}

/* "1, 2, 4" */
static char *
join_values (const Tiers *tiers)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < tiers->values->len; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ",
                            g_array_index (tiers->values, gint64, i));
  return g_string_free (text, FALSE);
}

/* -1: none. */
static int
find_tier (const Tiers *tiers, const gint64 *wanted, GError **error)
{
  g_autofree char *values = NULL;

  for (guint i = 0; wanted != NULL && i < tiers->values->len; i++)
    if (g_array_index (tiers->values, gint64, i) >= *wanted)
      return (int) i;
  values = join_values (tiers);
  if (wanted == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "%s: it has plans for %s = %s: say which with --dim %s=%"
                 G_GINT64_FORMAT, tiers->path, tiers->parameter, values,
                 tiers->parameter, g_array_index (tiers->values, gint64, 0));
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "%s: it has plans for %s = %s, and none for %" G_GINT64_FORMAT
                 " or more: make one with `tplan optimize`", tiers->path,
                 tiers->parameter, values, *wanted);
  return -1;
}

static GBytes *
write_plan (const Tiers *tiers, int index, GError **error)
{
  char *text = tp_json_dump (json_array_get (tiers->plans, index),
                             JSON_INDENT (1));

  if (text != NULL)
    return g_bytes_new_take (text, strlen (text));
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "%s: no memory for one of its plans, of up to %zu bytes: free "
               "some", tiers->path, g_bytes_get_size (tiers->file));
  return NULL;
}

GBytes *
tp_tiers_pick (GBytes *file, const char *path, TpDims *dims, GError **error)
{
  g_auto (Tiers) tiers = { .path = path, .file = file };
  gsize size;
  const char *text = g_bytes_get_data (file, &size);
  int index;

  if (!tp_tiers_is (text, size))
    return g_bytes_ref (file);
  if (!read_tiers (&tiers, error))
    return NULL;
  index = find_tier (&tiers, tp_dims_find (dims, tiers.parameter), error);
  return index < 0 ? NULL : write_plan (&tiers, index, error);
}
