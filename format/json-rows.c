/* json-rows.c: see json-rows.h. */
#include "config.h"

#include "format/json-rows.h"

#include "ir/text.h"

#include <string.h>

#define PARSE_BYTES (16 << 10) /* at once */
#define MAX_DEPTH 64          /* below what jansson takes, as a whole or in parts */

static const char *
skip_space (const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
    at++;
  return at;
}

/* After the string that begins at @at; @end: it does not end. */
static const char *
skip_string (const char *at, const char *end)
{
  for (at++; at < end && *at != '"'; at++)
    at += *at == '\\';
  return at < end ? at + 1 : end;
}

/* Where the value at @at ends: at a comma or bracket that is not within it. @end:
 * it does not end, or is too deep. */
static const char *
skip_value (const char *at, const char *end)
{
  int depth = 0;

  while (at < end)
    switch (*at)
      {
      case '"':
        at = skip_string (at, end);
        break;
      case '[':
      case '{':
        if (++depth > MAX_DEPTH)
          return end;
        at++;
        break;
      case ']':
      case '}':
        if (depth-- == 0)
          return at;
        at++;
        break;
      case ',':
        if (depth == 0)
          return at;
        at++;
        break;
      default:
        at++;
      }
  return end;
}

/* The value of the key at @at, and whether that is @key; NULL: no key is there. */
static const char *
read_key (const char *at, const char *end, const char *key, gboolean *is_key)
{
  const char *begin = skip_space (at, end);
  const char *stop = begin < end && *begin == '"' ? skip_string (begin, end)
                                                  : begin;
  gsize length = strlen (key);

  at = skip_space (stop, end);
  *is_key = (gsize) (stop - begin) == length + 2
            && memcmp (begin + 1, key, length) == 0;
  return stop > begin && at < end && *at == ':' ? skip_space (at + 1, end)
                                                : NULL;
}

/* Sets what is between the brackets of the list; both are NULL without one. */
static gboolean
find_list (TpJsonRows *rows, const char *text, const char *end,
           const char *key)
{
  const char *at = skip_space (text, end);

  if (at == end || *at != '{')
    return FALSE;
  do
    {
      gboolean is_key;
      const char *value = read_key (at + 1, end, key, &is_key);

      at = value == NULL ? end : skip_value (value, end);
      if (at == end || (is_key && (rows->at != NULL || *value != '[')))
        return FALSE;
      if (!is_key)
        continue;
      rows->at = value + 1;
      rows->end = at;
      while (rows->end > rows->at && *rows->end != ']')
        rows->end--; /* past the space after it */
    }
  while (*at == ',');
  return rows->at != NULL;
}

gboolean
tp_json_rows_init (TpJsonRows *rows, const char *text, gsize size,
                   const char *key)
{
  *rows = (TpJsonRows){ 0 };
  if (!find_list (rows, text, text + size, key))
    return FALSE;
  rows->has_more = skip_space (rows->at, rows->end) < rows->end;
  rows->text = g_string_new (NULL);
  rows->rest = g_string_new (NULL);
  tp_text_append_len (rows->rest, text, rows->at - text);
  tp_text_append_len (rows->rest, rows->end, text + size - rows->end);
  return TRUE;
}

void
tp_json_rows_clear (TpJsonRows *rows)
{
  json_decref (rows->parsed);
  if (rows->text != NULL)
    g_string_free (rows->text, TRUE);
  if (rows->rest != NULL)
    g_string_free (rows->rest, TRUE);
  *rows = (TpJsonRows){ 0 };
}

/* As many elements as are parsed at once; FALSE: not one, or what stands behind them
 * is no comma. */
static gboolean
parse (TpJsonRows *rows)
{
  const char *stop = skip_value (rows->at, rows->end);

  while (stop < rows->end && stop - rows->at < PARSE_BYTES)
    stop = skip_value (stop + 1, rows->end);
  if (stop < rows->end && *stop != ',')
    return FALSE;
  g_string_truncate (rows->text, 0);
  tp_text_append_c (rows->text, '[');
  tp_text_append_len (rows->text, rows->at, stop - rows->at);
  tp_text_append_c (rows->text, ']');
  rows->has_more = stop < rows->end;
  rows->at = stop + rows->has_more;
  rows->n_parsed = 0;
  json_decref (rows->parsed);
  rows->parsed = json_loadb (rows->text->str, rows->text->len,
                             JSON_REJECT_DUPLICATES, NULL);
  return json_array_size (rows->parsed) > 0;
}

gboolean
tp_json_rows_next (TpJsonRows *rows, const json_t **out)
{
  *out = NULL;
  if (rows->n_parsed == json_array_size (rows->parsed))
    {
      if (!rows->has_more)
        return TRUE;
      if (!parse (rows))
        return FALSE;
    }
  *out = json_array_get (rows->parsed, rows->n_parsed++);
  return TRUE;
}

gboolean
tp_json_rows_peek (const TpJsonRows *rows, const char **out_text,
                   gsize *out_size)
{
  const char *stop;

  if (rows->n_parsed != json_array_size (rows->parsed) || !rows->has_more)
    return FALSE;
  stop = skip_value (rows->at, rows->end);
  *out_text = rows->at;
  *out_size = stop - rows->at;
  return stop == rows->end || *stop == ',';
}

void
tp_json_rows_skip (TpJsonRows *rows, gsize size)
{
  rows->at += size;
  rows->has_more = rows->at < rows->end;
  rows->at += rows->has_more;
}
