/* pareto-files.c: see pareto-files.h. */
#include "config.h"

#include "cli/pareto-files.h"

#include "cli/csv.h"
#include "cli/output.h"
#include "cli/rates.h"
#include "cli/text.h"
#include "view/frontier.h"

#include <math.h>
#include <string.h>

/* ---- a picture ------------------------------------------------------------ */

/* What an axis shows: a key of points, and its marks in words. */
typedef struct
{
  const char *name;
  const char *key;
  char *(*format) (double value);
} Axis;

static char *
format_time (double time_ns)
{
  return tp_cli_format_time (llround (time_ns));
}

static char *
format_price (double price)
{
  return tp_cli_format_price (1e6 * price);
}

static const Axis axes[] = {
  { "time", "cost_ns", format_time },
  { "energy", "energy_j", tp_cli_format_energy },
  { "price", "price", format_price },
};

/* Of what is in @objectives, the one at @index; NULL: there are fewer. */
static const Axis *
find_axis (const char *objectives, int index)
{
  g_auto (GStrv) names = g_strsplit (objectives, ",", -1);

  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    if (index < (int) g_strv_length (names)
        && strcmp (names[index], axes[i].name) == 0)
      return &axes[i];
  return NULL;
}

static double *
list_numbers (const json_t *points, const char *key)
{
  double *numbers = g_new (double, json_array_size (points) + 1);
  gsize i;
  json_t *point;

  json_array_foreach (points, i, point)
    numbers[i] = json_number_value (json_object_get (point, key));
  return numbers;
}

static char *
name_axis (const Axis *axis)
{
  return strcmp (axis->key, "price") == 0
             ? g_strdup ("price of a million runs")
             : g_strdup_printf ("%s of a run", axis->name);
}

/* Between all that have a face in common, each once. */
static GArray *
list_lines (const json_t *document, int n_points)
{
  GArray *lines = g_array_new (FALSE, FALSE, 2 * sizeof (int));
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);
  gsize i;
  json_t *face;

  json_array_foreach (json_object_get (document, "faces"), i, face)
    for (gsize k = 1; k < json_array_size (face); k++)
      for (gsize l = 0; l < k; l++)
        {
          int a = (int) json_integer_value (json_array_get (face, k)) - 1;
          int b = (int) json_integer_value (json_array_get (face, l)) - 1;
          int line[] = { MIN (a, b), MAX (a, b) };

          if (g_hash_table_add (met,
                                GINT_TO_POINTER (line[0] * n_points + line[1])))
            g_array_append_val (lines, line);
        }
  return lines;
}

/* "time and energy", "time, energy and price": the caller frees. */
static char *
name_all (const Axis *const *shown)
{
  return shown[2] == NULL
             ? g_strdup_printf ("%s and %s", shown[0]->name, shown[1]->name)
             : g_strdup_printf ("%s, %s and %s", shown[0]->name,
                                shown[1]->name, shown[2]->name);
}

static char *
make_title (const TpCli *cli, const json_t *document, const Axis *const *shown)
{
  g_autofree char *base = g_path_get_basename (cli->args[0]);
  g_autofree char *names = name_all (shown);

  return g_strdup_printf (
      "%s: %s, as predicted%s; rates are stated", base, names,
      json_is_true (json_object_get (document, "simulated")) ? " (simulated)"
                                                             : "");
}

static char *
make_svg (const TpCli *cli, const json_t *document)
{
  const json_t *points = json_object_get (document, "points");
  const char *names
      = json_string_value (json_object_get (document, "objectives"));
  const Axis *const shown[] = { find_axis (names, 0), find_axis (names, 1),
                                find_axis (names, 2) };
  const Axis *third = shown[2] == NULL ? shown[1] : shown[2];
  int n = (int) json_array_size (points);
  g_autofree double *x = list_numbers (points, shown[0]->key);
  g_autofree double *y = list_numbers (points, shown[1]->key);
  g_autofree double *z = list_numbers (points, third->key);
  g_autofree char *x_name = name_axis (shown[0]), *y_name = name_axis (shown[1]);
  g_autofree char *title = make_title (cli, document, shown);
  g_autoptr (GArray) lines = list_lines (document, n);
  const TpFrontier frontier
      = { .title = title, .x_name = x_name, .y_name = y_name,
          .n = n, .x = x, .y = y,
          .format_x = shown[0]->format, .format_y = shown[1]->format,
          .z_name = shown[2] == NULL ? NULL : "price of 1e6 runs",
          .z = z, .format_z = third->format,
          .n_lines = (int) lines->len,
          .lines = (const int *) (void *) lines->data };

  return tp_view_frontier_to_svg (&frontier);
}

/* ---- the others ----------------------------------------------------------- */

static char *
make_csv (const TpCli *cli, const json_t *document)
{
  return tp_csv_make_rows (document, "points");
}

static char *
make_json (const TpCli *cli, const json_t *document)
{
  g_autofree char *text = tp_cli_dump_json (
      document, JSON_INDENT (2) | JSON_REAL_PRECISION (9));

  return text == NULL ? NULL : g_strconcat (text, "\n", NULL);
}

static const struct
{
  const char *suffix;
  char *(*make) (const TpCli *cli, const json_t *document);
} kinds[] = {
  { ".svg", make_svg },
  { ".csv", make_csv },
  { ".json", make_json },
};

static int
find_kind (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_suffix (path, kinds[i].suffix))
      return (int) i;
  return -1;
}

gboolean
tp_pareto_files_check (const TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      if (find_kind (cli->outputs[i]) < 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s': the suffix must be .svg, .csv or .json",
                       cli->outputs[i]);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, cli->outputs[i], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_pareto_files_write (TpCli *cli, const json_t *document, GError **error)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      char *text = kinds[find_kind (cli->outputs[i])].make (cli, document);

      if (text == NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "cannot write the points: out of memory");
          return FALSE;
        }
      g_ptr_array_add (texts, text);
    }
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *text = texts->pdata[i];

      if (!tp_cli_write_output (cli, cli->outputs[i], text, strlen (text),
                                error))
        return FALSE;
    }
  return TRUE;
}
