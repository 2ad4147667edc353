/* csv.c: see csv.h. */
#include "config.h"

#include "cli/csv.h"

#include "cli/no-memory.h"
#include "cli/output.h"
#include "cli/pulse.h"
#include "ir/foreign-text.h"
#include "ir/guard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
print_cell (FILE *out, const char *text, char end)
{
  g_autofree char *clean = tp_foreign_text_clean (text);

  if (strpbrk (clean, ",\"") == NULL)
    fputs (clean, out);
  else
    {
      putc ('"', out);
      for (const char *at = clean; *at != 0; at++)
        {
          if (*at == '"')
            putc ('"', out);
          putc (*at, out);
        }
      putc ('"', out);
    }
  putc (end, out);
}

static char *
format_scalar (const json_t *value)
{
  switch (json_typeof (value))
    {
    case JSON_STRING:
      return g_strdup (json_string_value (value));
    case JSON_INTEGER:
      return g_strdup_printf ("%" JSON_INTEGER_FORMAT,
                              json_integer_value (value));
    case JSON_REAL:
      return g_strdup_printf ("%.9g", json_real_value (value));
    case JSON_TRUE:
    case JSON_FALSE:
      return g_strdup (json_is_true (value) ? "true" : "false");
    default:
      return g_strdup ("");
    }
}

/* Of scalars, parted by spaces; NULL: something else is in it. */
static char *
format_list (const json_t *list)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize i;
  json_t *value;

  json_array_foreach (list, i, value)
    {
      g_autofree char *one = format_scalar (value);

      if (json_is_object (value) || json_is_array (value))
        return NULL;
      g_string_append_printf (text, "%s%s", i == 0 ? "" : " ", one);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Sentences, which spaces would not part. */
static gboolean
is_text (const json_t *list)
{
  gsize i;
  json_t *value;

  json_array_foreach (list, i, value)
    if (json_is_string (value)
        && strchr (json_string_value (value), ' ') != NULL)
      return TRUE;
  return FALSE;
}

/* "reasons.0" -> the first, and so on: {"0": ...} for flatten (). */
static json_t *
number_list (const json_t *list)
{
  json_t *object = json_object (), *value;
  gsize i;

  json_array_foreach (list, i, value)
    {
      g_autofree char *name = g_strdup_printf ("%zu", i);

      json_object_set (object, name, value);
    }
  return object;
}

/* name -> text of all that is in @object; @names gets them in order. */
static void
flatten (json_t *object, const char *prefix, GHashTable *cells,
         GPtrArray *names)
{
  const char *key;
  json_t *value;

  json_object_foreach (object, key, value)
    {
      g_autofree char *name = g_strconcat (prefix, key, NULL);
      g_autofree char *inner = g_strconcat (name, ".", NULL);
      char *text = json_is_array (value) ? format_list (value)
                                         : format_scalar (value);

      if (json_is_object (value) || is_text (value))
        {
          json_t *object_in = json_is_object (value) ? json_incref (value)
                                                     : number_list (value);

          g_free (text);
          flatten (object_in, inner, cells, names);
          json_decref (object_in);
        }
      else if (text != NULL)
        {
          g_ptr_array_add (names, g_strdup (name));
          g_hash_table_insert (cells, g_steal_pointer (&name), text);
        }
    }
}

static GHashTable *
cells_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* ---- rows ----------------------------------------------------------------- */

/* Every name once, in the order in which they come up. */
static void
add_columns (GPtrArray *columns, GHashTable *known, const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    if (!g_hash_table_contains (known, names->pdata[i]))
      {
        char *name = g_strdup (names->pdata[i]);

        g_hash_table_add (known, name);
        g_ptr_array_add (columns, name);
      }
}

static void
print_row (FILE *out, const GPtrArray *columns, GHashTable *cells)
{
  for (guint i = 0; i < columns->len; i++)
    {
      const char *name = columns->pdata[i];
      const char *text
          = cells == NULL ? name : g_hash_table_lookup (cells, name);

      print_cell (out, text != NULL ? text : "",
                  i + 1 < columns->len ? ',' : '\n');
    }
}

static void
print_rows (FILE *out, json_t *list)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) rows
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  gsize i;
  json_t *object;

  json_array_foreach (list, i, object)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      GHashTable *cells = cells_new ();

      flatten (object, "", cells, names);
      add_columns (columns, known, names);
      g_ptr_array_add (rows, cells);
    }
  print_row (out, columns, NULL);
  for (guint k = 0; k < rows->len; k++)
    print_row (out, columns, rows->pdata[k]);
}

/* ---- name, value, unit ---------------------------------------------------- */

/* By the end of a name, or of what it stands in: "times_ns.cpu". */
static const char *
find_unit (const char *name)
{
  static const struct
  {
    const char *suffix, *unit;
  } units[] = { { "_ns", "ns" },       { "_bytes", "B" },
                { "_gflops", "GFLOP/s" }, { "_gbps", "GB/s" },
                { "_per_second", "1/s" } };
  g_autofree char *stem = g_strndup (name, strcspn (name, "."));

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_suffix (name, units[i].suffix)
        || g_str_has_suffix (stem, units[i].suffix))
      return units[i].unit;
  return "";
}

static void
print_pairs (json_t *document)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) cells = cells_new ();

  flatten (document, "", cells, names);
  puts ("name,value,unit");
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];

      print_cell (stdout, name, ',');
      print_cell (stdout, g_hash_table_lookup (cells, name), ',');
      print_cell (stdout, find_unit (name), '\n');
    }
}

void
tp_cli_print_data (const TpCli *cli, json_t *document, const char *key)
{
  if (cli->format != TP_FORMAT_CSV)
    {
      tp_cli_print_json (document);
      return;
    }
  if (tp_cli_no_memory_has_cut_json ()) /* some rows are no answer */
    tp_guard_leave (json_dumpb (document, NULL, 0, 0));
  tp_cli_pulse_said ();
  if (key != NULL)
    print_rows (stdout, json_object_get (document, key));
  else
    print_pairs (document);
  json_decref (document);
}

gboolean
tp_csv_is_json_meant (const TpCli *cli, const char *verb, const char *rows,
                      GError **error)
{
  if (!(cli->given & TP_USES_FORMAT) || cli->format == TP_FORMAT_JSON)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s writes JSON, for other commands to read: `tplan %s "
               "--format csv` has rows", verb, rows);
  return FALSE;
}

char *
tp_csv_make_rows (const json_t *document, const char *key)
{
  char *text = NULL, *copy;
  size_t size = 0;
  FILE *out
      = tp_cli_no_memory_has_cut_json () ? NULL : open_memstream (&text, &size);

  if (out == NULL)
    return NULL;
  print_rows (out, json_object_get (document, key));
  copy = fclose (out) == 0 ? g_strndup (text, size) : NULL;
  free (text);
  return copy;
}
