/* plan-read-same.c: see plan-read-same.h. */
#include "config.h"

#include "format/plan-read-same.h"

#include "format/json-dump.h"
#include "ir/room.h"

#include <string.h>

/* Plans nest no deeper; @want bounds it, whatever the file has. */
typedef struct
{
  const TpPlanReader *reader;
  GString *path;              /* of where we are */
} Same;

static gboolean compare (Same *same, const json_t *have, const json_t *want,
                         GError **error);

static gboolean
fail (const Same *same, const char *what, GError **error)
{
  return tp_plan_read_fail (same->reader, error, same->path->str, "%s", what);
}

static gboolean
compare_members (Same *same, const json_t *have, const json_t *want,
                 GError **error)
{
  gsize length = same->path->len;
  gboolean is_good = TRUE;
  const char *key;
  json_t *value;

  json_object_foreach ((json_t *) have, key, value)
    {
      const json_t *other = json_object_get (want, key);

      g_string_append_printf (same->path, "%s%.100s", length == 0 ? "" : ".",
                              key);
      is_good = other == NULL ? fail (same, "not known here", error)
                              : compare (same, value, other, error);
      if (!is_good)
        return FALSE;
      g_string_truncate (same->path, length);
    }
  json_object_foreach ((json_t *) want, key, value)
    if (json_object_get (have, key) == NULL)
      {
        g_string_append_printf (same->path, "%s%.100s", length == 0 ? "" : ".",
                                key);
        return fail (same, "missing", error);
      }
  return TRUE;
}

static gboolean
compare_elements (Same *same, const json_t *have, const json_t *want,
                  GError **error)
{
  gsize length = same->path->len, n = json_array_size (want);

  if (json_array_size (have) != n)
    return fail (same, "of another length", error);
  for (gsize i = 0; i < n; i++)
    {
      g_string_append_printf (same->path, "[%" G_GSIZE_FORMAT "]", i);
      if (!compare (same, json_array_get (have, i), json_array_get (want, i),
                    error))
        return FALSE;
      g_string_truncate (same->path, length);
    }
  return TRUE;
}

static gboolean
compare (Same *same, const json_t *have, const json_t *want, GError **error)
{
  g_autofree char *text = NULL, *message = NULL;

  if (json_is_object (have) && json_is_object (want))
    return compare_members (same, have, want, error);
  if (json_is_array (have) && json_is_array (want))
    return compare_elements (same, have, want, error);
  if (json_equal (have, want)
      || strcmp (same->path->str, "sha256") == 0)
    return TRUE;
  text = tp_json_dump (want, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  message = g_strdup_printf ("should be %.100s", text == NULL ? "?" : text);
  return fail (same, message, error);
}

gboolean
tp_plan_read_same (TpPlanPlace root, const char *text, GError **error)
{
  json_t *want = json_loads (text, 0, NULL);
  g_autoptr (GString) path = g_string_new (NULL);
  Same same = { root.reader, path };
  gboolean is_good;

  if (want == NULL) /* the text is ours, and right */
    {
      tp_room_set_error (strlen (text), "to read this plan", error);
      return FALSE;
    }
  is_good = compare (&same, root.json, want, error);
  json_decref (want);
  return is_good;
}
