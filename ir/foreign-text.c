/* foreign-text.c: see foreign-text.h. */
#include "config.h"

#include "ir/foreign-text.h"

#include "ir/text.h"

#include <string.h>

static gboolean
is_unfit (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT: /* direction marks, tags, byte order marks */
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SURROGATE:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
tp_foreign_text_is_plain (const char *text)
{
  while (*text >= 0x20 && *text < 0x7f)
    text++;
  return *text == '\0';
}

char *
tp_foreign_text_clean (const char *text)
{
  g_autofree char *valid = NULL;
  GString *clean;

  if (text == NULL || tp_foreign_text_is_plain (text))
    return g_strdup (text == NULL ? "" : text);
  valid = g_utf8_make_valid (text, -1);
  clean = g_string_sized_new (strlen (valid));
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    if (is_unfit (g_utf8_get_char (at)))
      g_string_append_c (clean, '?');
    else
      g_string_append_len (clean, at, g_utf8_next_char (at) - at);
  return g_string_free (clean, FALSE);
}

void
tp_foreign_text_clean_error (GError **error)
{
  char *given;

  if (error == NULL || *error == NULL
      || tp_foreign_text_is_plain ((*error)->message))
    return;
  given = (*error)->message;
  (*error)->message = tp_foreign_text_clean (given);
  g_free (given);
}

static void
append_escaped (GString *out, gunichar c)
{
  if (c > 0xffff)
    tp_text_append_printf (out, "\\u%04x\\u%04x",
                           0xd800 + ((c - 0x10000) >> 10),
                           0xdc00 + ((c - 0x10000) & 0x3ff));
  else
    tp_text_append_printf (out, "\\u%04x", c);
}

/* Where the first character is that has to be escaped, or the end. Few texts have
 * any, and they are long. */
static const char *
find_unescaped (const char *at)
{
  while (*at != '\0'
         && ((*at >= 0x20 && *at < 0x7f) || *at == '\n'
             || !is_unfit (g_utf8_get_char (at))))
    at = g_utf8_next_char (at);
  return at;
}

char *
tp_foreign_text_escape_json (char *json)
{
  g_autofree char *given = json;
  g_autoptr (GString) out = NULL;
  const char *at, *end;

  if (json == NULL || *(end = find_unescaped (json)) == '\0')
    return g_steal_pointer (&given);
  out = g_string_new (NULL);
  for (at = json; *end != '\0'; end = find_unescaped (at))
    {
      tp_text_append_len (out, at, end - at);
      append_escaped (out, g_utf8_get_char (end));
      at = g_utf8_next_char (end);
    }
  tp_text_append (out, at);
  return g_string_free (g_steal_pointer (&out), FALSE);
}
