/* npy.c: NumPy's .npy format, versions 1 to 3.
 *
 * Six magic bytes, two of version, the length of a header, the header: a
 * Python dict literal with the keys descr, fortran_order and shape. */
#include "config.h"

#include "format/npy.h"

#include "format/file-save.h"
#include "format/file.h"

#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAX_HEADER_BYTES 65536

typedef struct
{
  const char *name;           /* of the file */
  const char *start, *pos, *end;
  TpFileTensor *npy;
  gboolean is_fortran;
  int n_keys;
} Parser;

static gboolean
fail (const Parser *parser, int code, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, code, "%s: header byte %d: %s",
               parser->name, (int) (parser->pos - parser->start), what);
  return FALSE;
}

static void
skip_space (Parser *parser)
{
  while (parser->pos < parser->end && g_ascii_isspace (*parser->pos))
    parser->pos++;
}

static gboolean
accept (Parser *parser, char c)
{
  skip_space (parser);
  if (parser->pos == parser->end || *parser->pos != c)
    return FALSE;
  parser->pos++;
  return TRUE;
}

/* A quoted string without escapes, into @out. */
static gboolean
parse_string (Parser *parser, char *out, gsize size, GError **error)
{
  char quote;
  gsize n = 0;

  skip_space (parser);
  if (parser->pos == parser->end
      || (*parser->pos != '\'' && *parser->pos != '"'))
    return fail (parser, TPLAN_ERROR_INPUT, "a string must stand here", error);
  quote = *parser->pos++;
  while (parser->pos < parser->end && *parser->pos != quote && n + 1 < size)
    out[n++] = *parser->pos++;
  out[n] = '\0';
  if (accept (parser, quote))
    return TRUE;
  return fail (parser, TPLAN_ERROR_INPUT, "a string is too long", error);
}

/* NumPy itself, which knows no such type, saves again what it has read otherwise. */
#define BFLOAT16_AGAIN "|V2"

static gboolean
parse_descr (Parser *parser, GError **error)
{
  g_autofree char *names = NULL, *what = NULL;
  char descr[16];

  skip_space (parser);
  if (parser->pos < parser->end && *parser->pos == '[')
    return fail (parser, TPLAN_ERROR_UNSUPPORTED,
                 "records are not supported: save plain arrays", error);
  if (!parse_string (parser, descr, sizeof descr, error))
    return FALSE;
  if (strcmp (descr, BFLOAT16_AGAIN) == 0)
    g_strlcpy (descr, tp_dtype_get (TPLAN_DTYPE_BFLOAT16)->npy, sizeof descr);
  for (int i = 0; i < tp_dtype_count (); i++)
    if (strcmp (tp_dtype_get (i)->npy, descr) == 0)
      {
        parser->npy->dtype = i;
        return TRUE;
      }
  names = tp_dtype_join_names (tp_dtype_get_name, " or ");
  what = g_strdup_printf ("element type must be little-endian %s: convert with "
                          "astype", names);
  return fail (parser, TPLAN_ERROR_UNSUPPORTED, what, error);
}

static gboolean
parse_order (Parser *parser, GError **error)
{
  skip_space (parser);
  if (g_str_has_prefix (parser->pos, "True"))
    {
      parser->is_fortran = TRUE;
      parser->pos += 4;
      return TRUE;
    }
  if (g_str_has_prefix (parser->pos, "False"))
    {
      parser->pos += 5;
      return TRUE;
    }
  return fail (parser, TPLAN_ERROR_INPUT, "True or False must stand here",
               error);
}

static gboolean
parse_dim (Parser *parser, gint64 *out, GError **error)
{
  gint64 value = 0;
  const char *first;

  skip_space (parser);
  first = parser->pos;
  while (parser->pos < parser->end && g_ascii_isdigit (*parser->pos))
    {
      if (!tp_size_mul (value, 10, &value)
          || !tp_size_add (value, *parser->pos - '0', &value))
        return fail (parser, TPLAN_ERROR_INPUT, "dimension is too large",
                     error);
      parser->pos++;
    }
  *out = value;
  if (parser->pos > first)
    return TRUE;
  return fail (parser, TPLAN_ERROR_INPUT, "a dimension must stand here",
               error);
}

static gboolean
parse_shape (Parser *parser, GError **error)
{
  TpFileTensor *npy = parser->npy;

  if (!accept (parser, '('))
    return fail (parser, TPLAN_ERROR_INPUT, "( must stand here", error);
  npy->rank = 0;
  while (!accept (parser, ')'))
    {
      if (npy->rank == TP_MAX_RANK)
        return fail (parser, TPLAN_ERROR_UNSUPPORTED,
                     "more than 8 dimensions", error);
      if (!parse_dim (parser, &npy->dims[npy->rank], error))
        return FALSE;
      npy->rank++;
      if (accept (parser, ','))
        continue;
      if (accept (parser, ')'))
        break;
      return fail (parser, TPLAN_ERROR_INPUT, ", or ) must stand here", error);
    }
  if (tp_dims_count (npy->rank, npy->dims, &npy->count))
    return TRUE;
  return fail (parser, TPLAN_ERROR_INPUT, "shape overflows 64 bits", error);
}

static gboolean
parse_item (Parser *parser, GError **error)
{
  static const struct
  {
    const char *key;
    gboolean (*parse) (Parser *parser, GError **error);
  } items[] = {
    { "descr", parse_descr },
    { "fortran_order", parse_order },
    { "shape", parse_shape },
  };
  char key[16];

  if (!parse_string (parser, key, sizeof key, error))
    return FALSE;
  if (!accept (parser, ':'))
    return fail (parser, TPLAN_ERROR_INPUT, ": must stand here", error);
  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    if (strcmp (items[i].key, key) == 0)
      {
        if (parser->n_keys & (1 << i))
          return fail (parser, TPLAN_ERROR_INPUT, "a key stands twice", error);
        parser->n_keys |= 1 << i;
        return items[i].parse (parser, error);
      }
  return fail (parser, TPLAN_ERROR_INPUT, "unknown key", error);
}

static gboolean
parse_dict (Parser *parser, GError **error)
{
  if (!accept (parser, '{'))
    return fail (parser, TPLAN_ERROR_INPUT, "{ must stand here", error);
  while (!accept (parser, '}'))
    {
      if (!parse_item (parser, error))
        return FALSE;
      if (accept (parser, ','))
        continue;
      if (accept (parser, '}'))
        break;
      return fail (parser, TPLAN_ERROR_INPUT, ", or } must stand here", error);
    }
  if (parser->n_keys != 7)
    return fail (parser, TPLAN_ERROR_INPUT,
                 "descr, fortran_order or shape is missing", error);
  if (parser->is_fortran && parser->npy->rank > 1)
    return fail (parser, TPLAN_ERROR_UNSUPPORTED,
                 "Fortran order: save numpy.ascontiguousarray (x)", error);
  return TRUE;
}

/* Finds the header; *out_data is where the elements begin. */
static gboolean
find_header (const guint8 *file, gsize size, gsize *out_header,
             gsize *out_data)
{
  gsize n_length, length = 0;

  if (size < 10 || memcmp (file, MAGIC, 6) != 0 || file[6] < 1 || file[6] > 3)
    return FALSE;
  n_length = file[6] == 1 ? 2 : 4;
  if (size < 8 + n_length)
    return FALSE;
  for (gsize i = 0; i < n_length; i++)
    length |= (gsize) file[8 + i] << (8 * i);
  *out_header = 8 + n_length;
  *out_data = *out_header + length;
  return length <= MAX_HEADER_BYTES && *out_data <= size;
}

gboolean
tp_npy_parse (GBytes *bytes, const char *name, TpFileTensor *out_npy,
              GError **error)
{
  gsize size, header, data;
  const guint8 *file = g_bytes_get_data (bytes, &size);
  g_autofree char *text = NULL;
  TpFileTensor npy = { .rank = 0 };
  Parser parser = { .name = name, .npy = &npy };

  if (file == NULL || !find_header (file, size, &header, &data))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: not a .npy file, or cut short: save it with numpy.save",
                   name);
      return FALSE;
    }
  text = g_strndup ((const char *) file + header, data - header);
  parser.start = parser.pos = text;
  parser.end = text + strlen (text);
  if (!parse_dict (&parser, error))
    return FALSE;
  npy.size_bytes = npy.count * (gint64) tp_dtype_get_size (npy.dtype);
  if ((guint64) npy.size_bytes != size - data)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: its shape takes %" G_GINT64_FORMAT " bytes, %"
                   G_GSIZE_FORMAT " follow the header", name, npy.size_bytes,
                   size - data);
      return FALSE;
    }
  npy.data = file + data;
  *out_npy = npy;
  return TRUE;
}

gboolean
tp_npy_save (const char *path, const TpTensor *tensor, const void *data,
             GError **error)
{
  int rank = tensor->rank;
  const char *descr = tp_dtype_get (tensor->dtype)->npy;
  g_autoptr (GString) header = g_string_new_len (MAGIC "\1\0??", 10);
  g_autoptr (GBytes) bytes = NULL;
  gint64 count;

  if (!tp_dims_count (rank, tensor->dims, &count))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: shape overflows 64 bits", path);
      return FALSE;
    }
  g_string_append_printf (header, "{'descr': '%s', 'fortran_order': False, "
                          "'shape': (", descr);
  for (int j = 0; j < rank; j++)
    g_string_append_printf (header, "%s%" G_GINT64_FORMAT "%s", j ? " " : "",
                            tensor->dims[j],
                            j + 1 < rank || rank == 1 ? "," : "");
  g_string_append (header, "), }");
  while ((header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  header->str[8] = (header->len - 10) & 0xff;
  header->str[9] = (header->len - 10) >> 8;
  bytes = g_bytes_new (header->str, header->len);
  return tp_file_save (path, bytes, data,
                       count * tp_dtype_get_size (tensor->dtype), error);
}
