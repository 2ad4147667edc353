/* values.c: dimensions and times as they are typed. */
#include "config.h"

#include "cli/values.h"

#include "cli/cli.h"
#include "ir/limit.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <math.h>
#include <string.h>

#define VALUES_MAX 10000

static gboolean
parse_count (const char *text, gint64 *out_value)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT32, &value, NULL))
    return FALSE;
  *out_value = (gint64) value;
  return TRUE;
}

/* "8" or, doubling, "4..64". */
static gboolean
append_range (const char *text, GArray *values)
{
  const char *dots = strstr (text, "..");
  g_autofree char *low_text
      = dots == NULL ? g_strdup (text) : g_strndup (text, dots - text);
  gint64 low, high;

  if (!parse_count (low_text, &low)
      || !parse_count (dots == NULL ? low_text : dots + 2, &high)
      || low > high || values->len > VALUES_MAX)
    return FALSE;
  for (; low <= high; low *= 2)
    g_array_append_val (values, low);
  return TRUE;
}

gboolean
tp_cli_parse_dim (const char *text, char **out_name, GArray **out_values,
                  GError **error)
{
  const char *equals = strchr (text, '=');
  g_auto (GStrv) parts = g_strsplit (equals == NULL ? "" : equals + 1, ",", -1);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean good = equals != NULL && equals != text && parts[0] != NULL;

  for (int i = 0; good && parts[i] != NULL; i++)
    good = append_range (parts[i], values);
  if (!good)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "dimension '%s' is not NAME=N with N from 1 to %d, such as "
                   "N=8",
                   text, G_MAXINT32);
      return FALSE;
    }
  *out_name = g_strndup (text, equals - text);
  *out_values = g_steal_pointer (&values);
  return TRUE;
}

static void
clear_value (gpointer data)
{
  g_free ((char *) ((TplanDim *) data)->name);
}

GArray *
tp_cli_values_new (void)
{
  GArray *values = g_array_new (TRUE, FALSE, sizeof (TplanDim));

  g_array_set_clear_func (values, clear_value);
  return values;
}

static TplanDim *
find_value (const GArray *values, const char *name)
{
  for (guint i = 0; i < values->len; i++)
    if (strcmp (g_array_index (values, TplanDim, i).name, name) == 0)
      return &g_array_index (values, TplanDim, i);
  return NULL;
}

void
tp_cli_values_set (GArray *values, const char *name, gint64 value)
{
  TplanDim *known = find_value (values, name);
  TplanDim one = { .value = value };

  if (known != NULL)
    {
      known->value = value;
      return;
    }
  one.name = g_strdup (name);
  g_array_append_val (values, one);
}

GArray *
tp_cli_parse_dims (const TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_values_new ();

  for (int i = 0; cli->dim_texts[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (GArray) values = NULL;

      if (!tp_cli_parse_dim (cli->dim_texts[i], &name, &values, error))
        return NULL;
      if (values->len != 1 || find_value (dims, name) != NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "dimension '%s' %s", name,
                       values->len == 1
                           ? "is given twice: leave one out"
                           : "has several values: see `tplan sweep`");
          return NULL;
        }
      tp_cli_values_set (dims, name, g_array_index (values, gint64, 0));
    }
  return g_steal_pointer (&dims);
}

/* A name or value that no reader would take is told here, before any reads. */
static gboolean
add_limit (GArray *limits, const char *name, gint64 value, GError **error)
{
  TpLimits tried;

  tp_limits_init (&tried);
  if (!tp_limits_set (&tried, name, value, error))
    return FALSE;
  tp_cli_values_set (limits, name, value);
  return TRUE;
}

gboolean
tp_cli_parse_limit (const char *text, GArray *limits, GError **error)
{
  static const char suffixes[] = "KMGT";
  const char *equals = strchr (text, '='), *suffix;
  g_autofree char *name = NULL;
  char *rest = NULL;
  guint64 value;

  if (equals != NULL && g_ascii_isdigit (equals[1]))
    {
      name = g_strndup (text, equals - text);
      value = g_ascii_strtoull (equals + 1, &rest, 10);
      suffix = *rest == 0 ? NULL : strchr (suffixes, *rest);
      for (const char *it = suffixes; suffix != NULL && it <= suffix; it++)
        value = value > G_MAXINT64 / 1024 ? G_MAXINT64 : value * 1024;
      if (rest[suffix != NULL] == 0)
        return add_limit (limits, name, MIN (value, G_MAXINT64), error);
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "limit '%s' is not NAME=N, such as nodes=2000000 or "
               "generated=32G", text);
  return FALSE;
}

TplanLoadOptions
tp_cli_load_options (const TpCli *cli, const GArray *dims)
{
  return (TplanLoadOptions){
    .dims = dims == NULL ? NULL : (const TplanDim *) (void *) dims->data,
    .limits = (const TplanDim *) (void *) cli->limits->data,
    .follow_links = cli->follow_links,
    .copies_weights = cli->copies_weights,
    .no_pass = cli->no_pass[0] == NULL ? NULL
                                       : (const char *const *) cli->no_pass,
    .states = cli->states[0] == NULL ? NULL
                                     : (const char *const *) cli->states,
    .values = cli->numbers[0] == NULL ? NULL
                                      : (const char *const *) cli->numbers,
    .outputs = cli->cut[0] == NULL ? NULL
                                   : (const char *const *) cli->cut,
    .assumes_dims = dims != NULL,
  };
}

gboolean
tp_cli_parse_time (const char *text, gint64 *out_ns, GError **error)
{
  static const struct
  {
    const char *suffix;
    double factor;
  } units[] = { { "", 1e9 },   { "s", 1e9 },   { "ms", 1e6 }, { "us", 1e3 },
                { "ns", 1 },   { "m", 60e9 },  { "min", 60e9 },
                { "h", 3600e9 } };
  char *rest = NULL;
  double value = g_ascii_strtod (text, &rest);

  for (gsize i = 0; rest != text && i < G_N_ELEMENTS (units); i++)
    if (strcmp (rest, units[i].suffix) == 0 && value > 0
        && value * units[i].factor < 9e18)
      {
        *out_ns = (gint64) (value * units[i].factor);
        return TRUE;
      }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "'%s' is no length of time: write for example 60s or 200ms",
               text);
  return FALSE;
}

/* What another one of the kind is called, where there may be one. */
static char *
ask_second (const char *device)
{
  g_autofree char *second = g_strconcat (device, ":1", NULL);
  g_autoptr (TpMachine) machine
      = tp_device_is_simulated (device)
            ? tp_machine_parse (strchr (second, ':') + 1, NULL)
            : NULL;

  return machine == NULL
             ? g_strdup ("")
             : g_strdup_printf (": another one of the kind is '%s'", second);
}

gboolean
tp_cli_split_devices (const char *text, char ***out_devices, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autoptr (GPtrArray) devices = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; parts[i] != NULL; i++)
    {
      char **last = devices->len == 0
                        ? NULL
                        : (char **) &devices->pdata[devices->len - 1];
      gboolean is_figure = strchr (parts[i], '=') != NULL
                           && strchr (parts[i], ':') == NULL;

      if (is_figure && last != NULL && strchr (*last, '=') != NULL)
        {
          g_autofree char *before = *last;

          *last = g_strconcat (before, ",", parts[i], NULL);
        }
      else
        g_ptr_array_add (devices, g_strdup (g_strstrip (parts[i])));
    }
  for (guint i = 0; i < devices->len; i++)
    for (guint k = 0; k <= i; k++)
      if (*(char *) devices->pdata[i] == 0
          || (k < i && strcmp (devices->pdata[i], devices->pdata[k]) == 0))
        {
          g_autofree char *second = ask_second (devices->pdata[i]);

          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "devices '%s': a name is empty or stands twice%s", text,
                       second);
          return FALSE;
        }
  g_ptr_array_add (devices, NULL);
  *out_devices
      = (char **) g_ptr_array_free (g_steal_pointer (&devices), FALSE);
  return TRUE;
}
