/* json.c: strings as JSON writes them. */
#include "config.h"

#include "format/json.h"

#include <string.h>

static void
json_append_escaped (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != 0; text++)
    {
      guchar c = *text;

      if (c == '"' || c == '\\')
        g_string_append_c (out, '\\');
      if (c < 0x20 || c == 0x7f)
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_c (out, c);
    }
  g_string_append_c (out, '"');
}

void
tp_json_append_string (GString *out, const char *text)
{
  g_autofree char *valid = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    text = valid = g_utf8_make_valid (text, -1);
  json_append_escaped (out, text);
}
