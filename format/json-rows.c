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

/* Where the value at @at, which is within @depth others, ends: at a comma or bracket that
 * is not within it. @end: it does not end, or is too deep. */
static const char *
skip_value (const char *at, const char *end, int depth)
{
  const int own = depth;

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
        if (depth-- == own)
          return at;
        at++;
        break;
      case ',':
        if (depth == own)
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
  if (stop == begin || at == end || *at != ':')
    return NULL;
  at = skip_space (at + 1, end);
  return at < end ? at : NULL;
}

/* Sets what is between the brackets of the list at @at; where the value ends, as of
 * skip_value (). */
static const char *
skip_list (TpJsonRows *rows, const char *at, const char *end)
{
  rows->at = at + 1;
  do
    {
      at = skip_value (at + 1, end, 1);
      tp_array_append_val (rows->stops, at);
    }
  while (at < end && *at == ',');
  rows->end = at;
  return at < end && *at == ']' ? skip_value (at + 1, end, 0) : end;
}

/* The list, whose bounds are NULL without one. */
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

      if (value == NULL || (is_key && (rows->at != NULL || *value != '[')))
        return FALSE;
      at = is_key ? skip_list (rows, value, end) : skip_value (value, end, 0);
      if (at == end)
        return FALSE;
    }
  while (*at == ',');
  return rows->at != NULL;
}

gboolean
tp_json_rows_init (TpJsonRows *rows, const char *text, gsize size,
                   const char *key)
{
  *rows = (TpJsonRows){ .stops = tp_array_new (sizeof (const char *)) };
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
  tp_array_unref (rows->stops);
  if (rows->text != NULL)
    g_string_free (rows->text, TRUE);
  if (rows->rest != NULL)
    g_string_free (rows->rest, TRUE);
  *rows = (TpJsonRows){ 0 };
}

/* Where the next ends. */
static const char *
get_stop (const TpJsonRows *rows)
{
  return tp_array_index (rows->stops, const char *, rows->n_before);
}

/* As many elements as are parsed at once; FALSE: not one. */
static gboolean
parse (TpJsonRows *rows)
{
  const char *stop = get_stop (rows);

  for (rows->n_before++; stop < rows->end && stop - rows->at < PARSE_BYTES;
       rows->n_before++)
    stop = get_stop (rows);
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
  if (rows->n_parsed != json_array_size (rows->parsed) || !rows->has_more)
    return FALSE;
  *out_text = rows->at;
  *out_size = get_stop (rows) - rows->at;
  return TRUE;
}

void
tp_json_rows_skip (TpJsonRows *rows)
{
  rows->at = get_stop (rows);
  rows->n_before++;
  rows->has_more = rows->at < rows->end;
  rows->at += rows->has_more;
}
