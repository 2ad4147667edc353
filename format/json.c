/* json.c: strings as JSON writes them. */
#include "config.h"

#include "format/json.h"

#include "ir/foreign-text.h"
#include "ir/text.h"

#include <string.h>

/* Or the end. */
static gboolean
is_special (guchar c)
{
  return c < 0x20 || c == 0x7f || c == '"' || c == '\\';
}

static void
json_append_escaped (GString *out, const char *text)
{
  tp_text_append_c (out, '"');
  while (*text != 0)
    {
      const char *begin = text;

      while (!is_special (*text))
        text++;
      tp_text_append_len (out, begin, text - begin);
      if (*text == '"' || *text == '\\')
        {
          tp_text_append_c (out, '\\');
          tp_text_append_c (out, *text++);
        }
      else if (*text != 0)
        tp_text_append_printf (out, "\\u%04x", *text++);
    }
  tp_text_append_c (out, '"');
}

void
tp_json_append_string (GString *out, const char *text)
{
  g_autofree char *valid = NULL, *fit = NULL;
  g_autoptr (GString) quoted = NULL;

  if (tp_foreign_text_is_plain (text))
    {
      json_append_escaped (out, text);
      return;
    }
  valid = g_utf8_make_valid (text, -1);
  quoted = g_string_new (NULL);
  json_append_escaped (quoted, valid);
  fit = tp_foreign_text_escape_json (
      g_string_free (g_steal_pointer (&quoted), FALSE));
  tp_text_append (out, fit);
}
