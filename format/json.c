/* json.c: strings as JSON writes them. */
#include "config.h"

#include "format/json.h"

#include "ir/foreign-text.h"
#include "ir/text.h"

#include <string.h>

static void
json_append_escaped (GString *out, const char *text)
{
  tp_text_append_c (out, '"');
  for (; *text != 0; text++)
    {
      guchar c = *text;

      if (c == '"' || c == '\\')
        tp_text_append_c (out, '\\');
      if (c < 0x20 || c == 0x7f)
        tp_text_append_printf (out, "\\u%04x", c);
      else
        tp_text_append_c (out, c);
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
