/* bytes.c: assembles binary files; see bytes.h. */
#include "config.h"

#include "bytes.h"

#include <string.h>

typedef struct
{
  const char *pos;
  GHashTable *lets;
  GByteArray *inner;          /* what _ stands for */
  const char *error;
} Reader;

static void read_items (Reader *reader, char closing, GByteArray *out);
static void read_item (Reader *reader, GByteArray *out);

static void
put (GByteArray *out, guint8 byte)
{
  g_byte_array_append (out, &byte, 1);
}

static void
put_varint (GByteArray *out, guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    put (out, value | 0x80);
  put (out, value);
}

static void
put_little (GByteArray *out, guint64 value, int n_bits)
{
  for (int i = 0; i < n_bits; i += 8)
    put (out, value >> i);
}

static gint64
read_number (Reader *reader)
{
  char *end;
  gboolean is_negative = *reader->pos == '-';
  guint64 value = g_ascii_strtoull (reader->pos + is_negative, &end, 10);

  if (end == reader->pos + is_negative)
    reader->error = "a number must stand here";
  reader->pos = end;
  return is_negative ? -value : value;
}

static void
read_hex (Reader *reader, GByteArray *out)
{
  for (; g_ascii_isxdigit (reader->pos[0]) && g_ascii_isxdigit (reader->pos[1]);
       reader->pos += 2)
    put (out, g_ascii_xdigit_value (reader->pos[0]) << 4
                  | g_ascii_xdigit_value (reader->pos[1]));
}

static void
read_escape (Reader *reader, GByteArray *out)
{
  char c = *reader->pos++;

  if (c == 'n')
    put (out, '\n');
  else if (c == 'x')
    {
      put (out, g_ascii_xdigit_value (reader->pos[0]) << 4
                    | g_ascii_xdigit_value (reader->pos[1]));
      reader->pos += 2;
    }
  else if (c == '"' || c == '\\')
    put (out, c);
  else
    reader->error = "an escape is none of \\n \\\\ \\\" \\xHH";
}

/* Behind the opening quote. */
static void
read_text (Reader *reader, GByteArray *out)
{
  while (*reader->pos != '"' && *reader->pos != 0 && reader->error == NULL)
    {
      char c = *reader->pos++;

      if (c == '\\')
        read_escape (reader, out);
      else
        put (out, c);
    }
  if (*reader->pos++ != '"')
    reader->error = "a text has no end";
}

static void
put_all (GByteArray *out, GByteArray *bytes)
{
  g_byte_array_append (out, bytes->data, bytes->len);
  g_byte_array_unref (bytes);
}

/* Behind the number of a protobuf field. */
static void
read_field (Reader *reader, guint64 number, GByteArray *out)
{
  char kind = *reader->pos++;
  GByteArray *content = g_byte_array_new ();

  if (kind == ':')
    {
      put_varint (out, number << 3);
      put_varint (out, read_number (reader));
    }
  else if (kind == '/')
    {
      put_varint (out, number << 3 | 5);
      read_hex (reader, content);
    }
  else if (kind == '"' || kind == '{')
    {
      if (kind == '"')
        read_text (reader, content);
      else
        read_items (reader, '}', content);
      put_varint (out, number << 3 | 2);
      put_varint (out, content->len);
    }
  else
    reader->error = "behind a field : / \" or { must stand";
  put_all (out, content);
}

/* Behind the u. */
static void
read_little (Reader *reader, GByteArray *out)
{
  int n_bits = read_number (reader);
  char kind = *reader->pos++;
  GByteArray *content = g_byte_array_new ();

  if (kind == '=')
    put_little (out, read_number (reader), n_bits);
  else if (kind == '(')
    {
      read_items (reader, ')', content);
      put_little (out, content->len, n_bits);
    }
  else
    reader->error = "behind u32 = or ( must stand";
  put_all (out, content);
}

static void
read_let (Reader *reader, GByteArray *out)
{
  gsize n = 0;
  g_autofree char *name = NULL;
  Reader inner = *reader;

  while (g_ascii_isalnum (reader->pos[n]) || reader->pos[n] == '-')
    n++;
  name = g_strndup (reader->pos, n);
  reader->pos += n;
  inner.pos = g_hash_table_lookup (reader->lets, name);
  if (inner.pos != NULL)
    read_items (&inner, 0, out);
  else
    inner.error = "no such let";
  reader->error = inner.error;
}

/* Behind * or ^. */
static void
read_repeat (Reader *reader, gboolean is_nested, GByteArray *out)
{
  gint64 n = read_number (reader);
  Reader after = *reader;
  GByteArray *last = g_byte_array_new ();

  for (gint64 i = 0; i < n && after.error == NULL; i++)
    {
      GByteArray *next = g_byte_array_new ();

      after = *reader;
      if (is_nested)
        after.inner = last;
      read_item (&after, next);
      if (is_nested)
        g_byte_array_set_size (last, 0);
      put_all (last, next);
    }
  after.inner = reader->inner;
  *reader = after;
  put_all (out, last);
}

static void
read_item (Reader *reader, GByteArray *out)
{
  char c;

  while (g_ascii_isspace (*reader->pos))
    reader->pos++;
  if (g_ascii_isdigit (*reader->pos))
    {
      read_field (reader, read_number (reader), out);
      return;
    }
  c = *reader->pos++;
  if (c == '"')
    read_text (reader, out);
  else if (c == 'x')
    read_hex (reader, out);
  else if (c == 'u')
    read_little (reader, out);
  else if (c == '(')
    read_items (reader, ')', out);
  else if (c == '*' || c == '^')
    read_repeat (reader, c == '^', out);
  else if (c == '@')
    read_let (reader, out);
  else if (c == '_' && reader->inner != NULL)
    g_byte_array_append (out, reader->inner->data, reader->inner->len);
  else
    reader->error = "an item must stand here";
}

/* Up to @closing, which is skipped. */
static void
read_items (Reader *reader, char closing, GByteArray *out)
{
  while (reader->error == NULL)
    {
      while (g_ascii_isspace (*reader->pos))
        reader->pos++;
      if (*reader->pos == closing)
        {
          reader->pos += closing != 0;
          return;
        }
      read_item (reader, out);
    }
}

const char *
bytes_assemble (const char *text, GHashTable *lets, GByteArray *out)
{
  Reader reader = { .pos = text, .lets = lets };

  read_items (&reader, 0, out);
  return reader.error;
}
