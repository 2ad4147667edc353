/* text.c: numbers and tables as people read them. */
#include "config.h"

#include "cli/text.h"

#include "cli/cli.h"
#include "cli/pulse.h"
#include "ir/foreign-text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 100
#define NAME_LEAST 16         /* of which less says nothing */

typedef struct
{
  double limit;               /* below: this unit */
  double factor;
  const char *unit;
} TextUnit;

/* Three digits that count. */
static char *
format_quantity (double value, const TextUnit *units)
{
  double size = fabs (value);
  double scaled;

  while (size >= units->limit)
    units++;
  scaled = value / units->factor;
  size = fabs (scaled);
  if (units->factor == 1)
    return g_strdup_printf ("%.0f %s", scaled, units->unit);
  return g_strdup_printf ("%.*f %s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0,
                          scaled, units->unit);
}

char *
tp_cli_format_time (gint64 time_ns)
{
  static const TextUnit units[]
      = { { 999.5, 1, "ns" },   { 999.5e3, 1e3, "us" },
          { 999.5e6, 1e6, "ms" }, { HUGE_VAL, 1e9, "s" } };

  return format_quantity ((double) time_ns, units);
}

char *
tp_cli_format_bytes (gint64 bytes)
{
  static const TextUnit units[] = { { 1023.5, 1, "B" },
                                    { 1023.5 * 1024, 1024, "KiB" },
                                    { 1023.5 * 1048576, 1048576, "MiB" },
                                    { HUGE_VAL, 1073741824, "GiB" } };

  return format_quantity ((double) bytes, units);
}

char *
tp_cli_shorten (const char *text, int n)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  int length = (int) g_utf8_strlen (valid, -1);

  return length <= n ? g_strdup (valid)
                     : g_strconcat ("...", g_utf8_offset_to_pointer (
                                               valid, length - (n - 3)),
                                    NULL);
}

struct TpTable
{
  int n_columns;
  char **headers;
  GPtrArray *cells;           /* char *, row by row */
};

TpTable *
tp_table_new (const char *const *headers)
{
  TpTable *table = g_new0 (TpTable, 1);

  table->n_columns = (int) g_strv_length ((char **) headers);
  table->headers = g_new0 (char *, table->n_columns + 1);
  for (int i = 0; i < table->n_columns; i++) /* a dimension's name is foreign */
    table->headers[i] = tp_foreign_text_clean (headers[i]);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  return table;
}

void
tp_table_free (TpTable *table)
{
  if (table == NULL)
    return;
  g_strfreev (table->headers);
  g_ptr_array_unref (table->cells);
  g_free (table);
}

static char *
clean_text (char *text)
{
  g_autofree char *given = text;

  return tp_foreign_text_clean (given);
}

void
tp_table_add (TpTable *table, char *first, ...)
{
  va_list cells;

  g_ptr_array_add (table->cells, clean_text (first));
  va_start (cells, first);
  for (int i = 1; i < table->n_columns; i++)
    g_ptr_array_add (table->cells, clean_text (va_arg (cells, char *)));
  va_end (cells);
}

void
tp_table_add_list (TpTable *table, char *const *cells)
{
  for (int i = 0; i < table->n_columns; i++)
    g_ptr_array_add (table->cells, clean_text (cells[i]));
}

/* Names and values speak for themselves. */
static gboolean
table_is_pairs (const TpTable *table)
{
  return table->n_columns == 2 && strcmp (table->headers[0], "NAME") == 0
         && strcmp (table->headers[1], "VALUE") == 0;
}

static const char *
table_get_header (const TpTable *table, int column)
{
  return table->headers[column] + (table->headers[column][0] == '>');
}

static void
print_padded (const char *text, int width, gboolean is_right, gboolean is_last)
{
  int gap = width - (int) g_utf8_strlen (text, -1);

  if (is_right)
    printf ("%*s", MAX (gap, 0), "");
  fputs (text, stdout);
  if (!is_right && !is_last)
    printf ("%*s", MAX (gap, 0), "");
  fputs (is_last ? "\n" : "  ", stdout);
}

static int *
table_find_widths (const TpTable *table)
{
  int *widths = g_new0 (int, table->n_columns);

  for (int i = 0; i < table->n_columns; i++)
    widths[i] = (int) g_utf8_strlen (table_get_header (table, i), -1);
  for (guint i = 0; i < table->cells->len; i++)
    {
      int length = (int) g_utf8_strlen (table->cells->pdata[i], -1);
      int *width = &widths[i % table->n_columns];

      *width = MAX (*width, length);
    }
  return widths;
}

/* ---- 100 columns ---------------------------------------------------------- */

static gboolean
table_is_empty_at (const TpTable *table, int column)
{
  for (guint i = column; i < table->cells->len; i += table->n_columns)
    if (*(const char *) table->cells->pdata[i] != 0)
      return FALSE;
  return TRUE;
}

static void
table_drop (TpTable *table, int column)
{
  g_autoptr (GPtrArray) cells = table->cells;
  int n = table->n_columns--;

  table->cells = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < cells->len; i++)
    if ((int) i % n != column)
      g_ptr_array_add (table->cells, g_steal_pointer (&cells->pdata[i]));
  g_free (table->headers[column]);
  memmove (&table->headers[column], &table->headers[column + 1],
           (n - column) * sizeof *table->headers);
}

/* Of its longest line, less than @column has. */
static int
table_find_rest (const TpTable *table, int column)
{
  g_autofree int *widths = table_find_widths (table);
  int sum = 0;

  for (int i = 0; i < table->n_columns; i++)
    sum += i == column ? 2 : widths[i] + 2;
  return sum - 2;
}

void
tp_table_fit (TpTable *table)
{
  int room;

  for (int i = table->n_columns - 1; i > 0 && table->cells->len > 0; i--)
    if (table_is_empty_at (table, i))
      table_drop (table, i);
  room = MAX (COLUMNS - table_find_rest (table, 0), NAME_LEAST);
  for (guint i = 0; i < table->cells->len; i += table->n_columns)
    {
      g_autofree char *whole = table->cells->pdata[i];

      table->cells->pdata[i] = tp_cli_shorten (whole, room);
    }
}

/* How many bytes of @text stand in a line of @room characters: all, or up to a
 * blank; to the first one, if there is none before. */
static gsize
find_break (const char *text, int room)
{
  const char *last = NULL, *it = text;

  if (g_utf8_strlen (text, -1) <= room)
    return strlen (text);
  for (int i = 0; *it != 0 && (i <= room || last == NULL);
       i++, it = g_utf8_next_char (it))
    if (*it == ' ')
      last = it;
  return last == NULL ? strlen (text) : (gsize) (last - text);
}

void
tp_table_wrap (TpTable *table)
{
  g_autoptr (GPtrArray) cells = table->cells;
  int n = table->n_columns;
  int room = COLUMNS - table_find_rest (table, n - 1);

  table->cells = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < cells->len; i++)
    {
      const char *text = cells->pdata[i];
      gsize size = (int) i % n < n - 1 || strchr (text, '`') != NULL
                       ? strlen (text)
                       : find_break (text, room);

      g_ptr_array_add (table->cells, g_strndup (text, size));
      while (text[size] != 0)
        {
          text += size + 1;
          for (int k = 0; k < n - 1; k++)
            g_ptr_array_add (table->cells, g_strdup (""));
          size = find_break (text, room);
          g_ptr_array_add (table->cells, g_strndup (text, size));
        }
    }
}

void
tp_table_print (const TpTable *table, const TpCli *cli)
{
  g_autofree int *widths = NULL;
  int n = table->n_columns;
  gboolean bold = tp_cli_has_colour (cli, stdout);

  widths = table_find_widths (table);
  tp_cli_pulse_said ();
  fputs (bold ? "\033[1m" : "", stdout);
  for (int i = 0; i < n && !table_is_pairs (table); i++)
    print_padded (table_get_header (table, i), widths[i],
                  table->headers[i][0] == '>', i + 1 == n);
  fputs (bold ? "\033[0m" : "", stdout);
  for (guint i = 0; i < table->cells->len; i++)
    print_padded (table->cells->pdata[i], widths[i % n],
                  table->headers[i % n][0] == '>', (int) (i % n) + 1 == n);
}

gboolean
tp_cli_has_colour (const TpCli *cli, FILE *stream)
{
  if (cli->colour >= 0)
    return cli->colour;
  return isatty (fileno (stream)) && g_getenv ("NO_COLOR") == NULL
         && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}
