/* json-read.c: jansson with places. jansson itself caps nesting at 2048. */
#include "config.h"

#include "format/json-read.h"

#include "ir/guard.h"
#include "ir/room.h"

#include <errno.h>
#include <string.h>

/* What jansson takes for a value with its key. To check a plan of 20,000 ops takes
 * 130 at its peak, with all that is made of it. */
#define VALUE_BYTES 112

void
tp_json_set_error (TpJsonPlace place, const char *key, GError **error,
                   const char *format, ...)
{
  g_autoptr (GString) text = g_string_new (NULL);
  va_list args;

  if (place.file != NULL)
    g_string_append_printf (text, "%s: ", place.file);
  g_string_append (text, place.path);
  if (key != NULL && *key != '\0')
    g_string_append_printf (text, "%s%s",
                            *place.path && *key != '[' ? "." : "", key);
  if (*place.path != '\0' || (key != NULL && *key != '\0'))
    g_string_append (text, ": ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, text->str);
}

/* Every value but the first stands behind one of these. Those within strings are
 * counted too: names have few. */
static gint64
count_values (const char *text, gsize size)
{
  gint64 n = 1;

  for (gsize i = 0; i < size; i++)
    n += text[i] == ',' || text[i] == '[' || text[i] == '{';
  return n;
}

gboolean
tp_json_load (const char *text, gsize size, json_t **out_root,
              json_error_t *out_at, GError **error)
{
  *out_root = NULL;
  if (!tp_room_check (count_values (text, size) * VALUE_BYTES,
                      "to parse the JSON", error))
    return FALSE;
  errno = 0;
  *out_root = json_loadb (text, size, JSON_REJECT_DUPLICATES, out_at);
  if (*out_root != NULL || errno != ENOMEM) /* which it calls a fault of the text */
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "no memory for the values of %" G_GSIZE_FORMAT
               " bytes of JSON: close other programs, or cut the model", size);
  return FALSE;
}

json_t *
tp_json_parse (const char *file, const char *text, gsize size, GError **error)
{
  json_error_t at;
  json_t *root;

  if (!tp_json_load (text, size, &root, &at, error) || root != NULL)
    return root;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s%s%d:%d: %s",
               file ? file : "", file ? ":" : "", at.line, at.column, at.text);
  return NULL;
}

static const char *
describe (const json_t *value)
{
  static const char *const names[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
    [JSON_STRING] = "a string",  [JSON_INTEGER] = "an integer",
    [JSON_REAL] = "a number",    [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",      [JSON_NULL] = "null",
  };
  return names[json_typeof (value)];
}

gboolean
tp_json_check_object (TpJsonPlace place, const char *const *keys,
                      GError **error)
{
  const char *key;
  json_t *item;

  if (!json_is_object (place.json))
    {
      tp_json_set_error (place, NULL, error, "is %s, must be an object",
                         describe (place.json));
      return FALSE;
    }
  json_object_foreach ((json_t *) place.json, key, item)
    if (!g_strv_contains (keys, key))
      {
        g_autofree char *list = g_strjoinv (", ", (char **) keys);
        tp_json_set_error (place, NULL, error,
                           "unknown key \"%s\"; known are %s", key, list);
        return FALSE;
      }
  return TRUE;
}

/* The value of @key if @is_right accepts it. *out_value is NULL when absent;
 * FALSE with @error set when wrong. */
static gboolean
get (TpJsonPlace place, const char *key, const char *what, json_t **out_value,
     GError **error)
{
  gboolean is_required = *what == '!';
  json_t *value = json_object_get (place.json, key);

  what += is_required;
  *out_value = value;
  if (value == NULL && is_required)
    tp_json_set_error (place, key, error, "is missing, must be %s", what);
  else if (value == NULL
           || (json_is_number (value) && strcmp (what, "a number") == 0)
           || strcmp (describe (value), what) == 0)
    return TRUE;
  else
    tp_json_set_error (place, key, error, "is %s, must be %s",
                       describe (value), what);
  return FALSE;
}

gboolean
tp_json_get_string (TpJsonPlace place, const char *key, gboolean is_required,
                    const char **out, GError **error)
{
  json_t *value;

  if (!get (place, key, is_required ? "!a string" : "a string", &value, error))
    return FALSE;
  if (value != NULL)
    *out = json_string_value (value);
  return TRUE;
}

gboolean
tp_json_get_int (TpJsonPlace place, const char *key, gboolean is_required,
                 gint64 *out, GError **error)
{
  json_t *value;

  if (!get (place, key, is_required ? "!an integer" : "an integer", &value,
            error))
    return FALSE;
  if (value != NULL)
    *out = json_integer_value (value);
  return TRUE;
}

gboolean
tp_json_get_number (TpJsonPlace place, const char *key, gboolean is_required,
                    double *out, GError **error)
{
  json_t *value;

  if (!get (place, key, is_required ? "!a number" : "a number", &value, error))
    return FALSE;
  if (value != NULL)
    *out = json_number_value (value);
  return TRUE;
}

gboolean
tp_json_get_list (TpJsonPlace place, const char *key, gboolean is_required,
                  json_t **out, GError **error)
{
  return get (place, key, is_required ? "!a list" : "a list", out, error);
}

gboolean
tp_json_get_dtype (TpJsonPlace place, const char *key, TpDtype *out,
                   GError **error)
{
  g_autofree char *names = NULL;
  const char *name = NULL;

  if (!tp_json_get_string (place, key, FALSE, &name, error))
    return FALSE;
  if (name == NULL || tp_dtype_find (name, out))
    return TRUE;
  names = tp_dtype_join_names (tp_dtype_get_name, ", ");
  tp_json_set_error (place, key, error,
                     "unknown element type \"%s\"; known are %s", name, names);
  return FALSE;
}

gboolean
tp_json_get_strings (TpJsonPlace place, const char *key, gboolean is_required,
                     const char ***out, GError **error)
{
  g_autofree const char **strings = NULL;
  json_t *list, *item;
  size_t i;

  if (!tp_json_get_list (place, key, is_required, &list, error))
    return FALSE;
  strings = tp_new0 (const char *, json_array_size (list) + 1);
  json_array_foreach (list, i, item)
    {
      if (!json_is_string (item))
        {
          g_autofree char *at = g_strdup_printf ("%s[%zu]", key, i);
          tp_json_set_error (place, at, error, "is %s, must be a string",
                             describe (item));
          return FALSE;
        }
      strings[i] = json_string_value (item);
    }
  *out = g_steal_pointer (&strings);
  return TRUE;
}

/* Where @text goes on after @what, whatever space is before that; or NULL. */
static const char *
skip_token (const char *text, const char *end, const char *what)
{
  gsize length = strlen (what);

  while (text != NULL && text < end && strchr (" \t\r\n", *text) != NULL
         && *text != 0)
    text++;
  return text != NULL && (gsize) (end - text) >= length
                 && memcmp (text, what, length) == 0
             ? text + length
             : NULL;
}

gboolean
tp_json_starts_as (const char *text, gsize size, const char *format)
{
  g_autofree char *quoted = g_strconcat ("\"", format, NULL);
  const char *const tokens[] = { "{", "\"format\"", ":", quoted };
  const char *at = text, *end = text == NULL ? NULL : text + size;

  for (gsize i = 0; i < G_N_ELEMENTS (tokens); i++)
    at = skip_token (at, end, tokens[i]);
  return at != NULL;
}
