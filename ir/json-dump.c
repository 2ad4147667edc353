/* json-dump.c: see json-dump.h. */
#include "config.h"

#include "ir/json-dump.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 4096

typedef struct
{
  char *bytes;
  size_t n_bytes, n_allocated;
  gboolean is_cut;            /* for good, whatever comes after */
} Text;

/* For @n more bytes and the nul. */
static gboolean
make_room (Text *text, size_t n)
{
  size_t size = MAX (text->n_allocated, FIRST_BYTES);
  char *bytes;

  if (n < text->n_allocated - text->n_bytes)
    return TRUE;
  if (n >= G_MAXSIZE / 2 - text->n_bytes)
    return FALSE;
  while (size <= text->n_bytes + n)
    size *= 2;
  bytes = realloc (text->bytes, size);
  if (bytes == NULL)
    return FALSE;
  text->bytes = bytes;
  text->n_allocated = size;
  return TRUE;
}

static int
append (const char *bytes, size_t n, void *data)
{
  Text *text = data;

  text->is_cut = text->is_cut || !make_room (text, n);
  if (text->is_cut)
    return -1;
  memcpy (text->bytes + text->n_bytes, bytes, n);
  text->n_bytes += n;
  text->bytes[text->n_bytes] = '\0';
  return 0;
}

char *
tp_json_dump (const json_t *json, size_t flags)
{
  Text text = { 0 };

  if (json_dump_callback (json, append, &text, flags) == 0 && !text.is_cut)
    return text.bytes;
  free (text.bytes);
  return NULL;
}
