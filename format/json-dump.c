/* json-dump.c: see json-dump.h. Into memory that is there, nothing is left out. */
#include "config.h"

#include "format/json-dump.h"

#include <glib.h>

char *
tp_json_dump (const json_t *json, size_t flags)
{
  size_t size = json_dumpb (json, NULL, 0, flags);
  g_autofree char *text = size == 0 ? NULL : g_try_malloc (size + 1);

  if (text == NULL || json_dumpb (json, text, size, flags) != size)
    return NULL;
  text[size] = '\0';
  return g_steal_pointer (&text);
}
