/* sweep-files.c: see sweep-files.h. */
#include "config.h"

#include "cli/sweep-files.h"

#include "cli/csv.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/text.h"
#include "view/chart.h"

#include <string.h>

/* ---- a chart ------------------------------------------------------------ */

/* A number of each point of the sweep; what is none is 0. */
typedef double (*GetNumber) (const json_t *point, const char *key);

static double
get_number (const json_t *point, const char *key)
{
  return json_number_value (json_object_get (point, key));
}

static double
get_single (const json_t *point, const char *device)
{
  return get_number (json_object_get (point, "single_ns"), device);
}

/* The caller frees. */
static double *
list_numbers (const json_t *points, GetNumber get, const char *key)
{
  double *numbers = g_new (double, json_array_size (points) + 1);
  gsize i;
  json_t *point;

  json_array_foreach (points, i, point)
    numbers[i] = get (point, key);
  return numbers;
}

static void
clear_line (gpointer data)
{
  TpChartLine *line = data;

  g_free ((char *) line->name);
  g_free ((double *) line->y);
  g_free ((double *) line->low);
  g_free ((double *) line->high);
}

static GArray *
list_lines (const json_t *points)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (TpChartLine));
  const TpChartLine plan = { g_strdup ("the plan, with its 90 % interval"),
                             list_numbers (points, get_number, "cost_ns"),
                             list_numbers (points, get_number, "low_ns"),
                             list_numbers (points, get_number, "high_ns") };
  const char *device;
  json_t *time;

  g_array_set_clear_func (lines, clear_line);
  g_array_append_val (lines, plan);
  json_object_foreach (json_object_get (json_array_get (points, 0),
                                        "single_ns"), device, time)
    {
      const TpChartLine line
          = { g_strconcat ("all on ", device, NULL),
              list_numbers (points, get_single, device), NULL, NULL };

      g_array_append_val (lines, line);
    }
  return lines;
}

static char *
make_svg (TpCli *cli, const TpSweepFiles *files, GError **error)
{
  const json_t *points = json_object_get (files->document, "points");
  const char *parameter
      = json_string_value (json_object_get (files->document, "parameter"));
  g_autofree double *x = list_numbers (points, get_number, "value");
  g_autoptr (GArray) lines = list_lines (points);
  g_autofree char *base = g_path_get_basename (cli->args[0]);
  g_autofree char *title = g_strdup_printf (
      "%s: predicted time by %s%s", base, parameter,
      json_is_true (json_object_get (files->document, "simulated"))
          ? " (simulated)" : "");
  const TpChart chart
      = { title, parameter, (int) json_array_size (points), x,
          (int) lines->len, (const TpChartLine *) lines->data,
          tp_cli_format_time };

  (void) error;
  return tp_view_chart_to_svg (&chart);
}

/* ---- the others --------------------------------------------------------- */

static char *
make_html (TpCli *cli, const TpSweepFiles *files, GError **error)
{
  const TpReportOptions options
      = { .sweep = files->document, .names = files->names };
  g_autoptr (GBytes) page
      = tp_report_make (cli, files->plans, &options, error);
  gsize size;
  const char *text;

  if (page == NULL)
    return NULL;
  text = g_bytes_get_data (page, &size);
  return g_strndup (text, size);
}

static char *
fail_memory (char *text, GError **error)
{
  if (text == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot write the sweep: out of memory");
  return text;
}

static char *
make_csv (TpCli *cli, const TpSweepFiles *files, GError **error)
{
  (void) cli;
  return fail_memory (tp_csv_make_rows (files->document, "points"), error);
}

static char *
make_json (TpCli *cli, const TpSweepFiles *files, GError **error)
{
  g_autofree char *text = tp_cli_dump_json (
      files->document, JSON_INDENT (2) | JSON_REAL_PRECISION (9));

  (void) cli;
  return fail_memory (text == NULL ? NULL : g_strconcat (text, "\n", NULL),
                      error);
}

static const struct
{
  const char *suffix;
  char *(*make) (TpCli *cli, const TpSweepFiles *files, GError **error);
} kinds[] = {
  { ".svg", make_svg },
  { ".html", make_html },
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
tp_sweep_files_check (const TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      if (find_kind (cli->outputs[i]) < 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s': the suffix must be .svg, .html, .csv or .json",
                       cli->outputs[i]);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, cli->outputs[i], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_sweep_files_write (TpCli *cli, const TpSweepFiles *files, GError **error)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      char *text = kinds[find_kind (cli->outputs[i])].make (cli, files, error);

      if (text == NULL)
        return FALSE;
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
