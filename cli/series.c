/* series.c: see series.h. */
#include "config.h"

#include "cli/series.h"

#include "cli/values.h"
#include "ir/compare.h"


static gboolean
has_name (const TpSeries *series, const char *name)
{
  for (guint i = 0; i < series->dims->len; i++)
    if (g_strcmp0 (g_array_index (series->dims, TplanDim, i).name, name) == 0)
      return TRUE;
  return g_strcmp0 (series->parameter, name) == 0;
}

/* Rising, each once. */
static void
put_in_order (GArray *values)
{
  guint n = 0;

  g_array_sort (values, tp_compare_int64);
  for (guint i = 0; i < values->len; i++)
    {
      gint64 value = g_array_index (values, gint64, i);

      if (n == 0 || g_array_index (values, gint64, n - 1) != value)
        g_array_index (values, gint64, n++) = value;
    }
  g_array_set_size (values, n);
}

static gboolean
add (TpSeries *series, const char *text, GError **error)
{
  g_autofree char *name = NULL;
  g_autoptr (GArray) values = NULL;

  if (!tp_cli_parse_dim (text, &name, &values, error))
    return FALSE;
  if (has_name (series, name))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "dimension '%s' is given twice: leave one out", name);
      return FALSE;
    }
  put_in_order (values);
  if (values->len == 1)
    tp_cli_values_set (series->dims, name, g_array_index (values, gint64, 0));
  else if (series->parameter == NULL)
    {
      series->parameter = g_steal_pointer (&name);
      series->values = g_steal_pointer (&values);
    }
  else
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "dimensions '%s' and '%s' have several values: only one may",
                   series->parameter, name);
      return FALSE;
    }
  return TRUE;
}

gboolean
tp_series_init (TpSeries *series, const TpCli *cli, GError **error)
{
  *series = (TpSeries){ .dims = tp_cli_values_new () };
  for (int i = 0; cli->dim_texts[i] != NULL; i++)
    if (!add (series, cli->dim_texts[i], error))
      return FALSE;
  return TRUE;
}

void
tp_series_clear (TpSeries *series)
{
  g_clear_pointer (&series->parameter, g_free);
  g_clear_pointer (&series->values, g_array_unref);
  g_clear_pointer (&series->dims, g_array_unref);
}

guint
tp_series_count (const TpSeries *series)
{
  return series->values == NULL ? 1 : series->values->len;
}

gint64
tp_series_set (TpSeries *series, guint index)
{
  gint64 value;

  if (series->parameter == NULL)
    return 0;
  value = g_array_index (series->values, gint64, index);
  tp_cli_values_set (series->dims, series->parameter, value);
  return value;
}
