/* mix-made.c: see mix-made.h. */
#include "config.h"

#include "cli/mix-made.h"

#include "api/mix.h"
#include "cli/csv.h"
#include "cli/mix-loads.h"
#include "cli/mix-names.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/gzip.h"
#include "format/mix-json.h"
#include "ir/near-name.h"

#include <string.h>

#define PLAIN_RATE "1/s"

/* What is asked for. */
typedef struct
{
  int n;
  TpMixAsked *asked;          /* [model] */
  char **names;               /* [model], NULL-terminated */
  char **rates;               /* [model]; NULL: none was said */
} Models;

static void
models_clear (Models *models)
{
  for (int i = 0; i < models->n; i++)
    {
      g_clear_pointer (&models->asked[i].plan, tplan_plan_free);
      g_free (models->rates[i]);
    }
  g_clear_pointer (&models->asked, g_free);
  g_clear_pointer (&models->rates, g_free);
  g_strfreev (models->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Models, models_clear)

/* ---- what is asked for ---------------------------------------------------- */

static gboolean
refuse_name (const Models *models, const char *name, GError **error)
{
  g_autofree char *near
      = tp_near_name_ask (name, (const char *const *) models->names);
  g_autofree char *list = g_strjoinv (", ", models->names);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--rate: no model is named '%s'%s: there are %s", name, near,
               list);
  return FALSE;
}

/* "NAME=RATE" */
static gboolean
take_rate (const TpCli *cli, Models *models, const char *text, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_autofree char *name
      = equals == NULL ? NULL : g_strndup (text, equals - text);
  int index;

  if (name == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--rate '%s' is not NAME=RATE, such as %s=30/s", text,
                   models->names[0]);
      return FALSE;
    }
  index = tp_cli_find_named (cli, models->names, name);
  if (index < 0)
    return refuse_name (models, name, error);
  if (models->rates[index] != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--rate: '%s' has two rates: leave one out", name);
      return FALSE;
    }
  models->rates[index] = g_strdup (equals + 1);
  return TRUE;
}

static gboolean
take_rates (const TpCli *cli, Models *models, char *const *rates,
            GError **error)
{
  for (; rates != NULL && *rates != NULL; rates++)
    {
      g_auto (GStrv) each = g_strsplit (*rates, ",", -1);

      for (int i = 0; each[i] != NULL; i++)
        if (!take_rate (cli, models, each[i], error))
          return FALSE;
    }
  return TRUE;
}

/* Graphs go by their files. */
static gboolean
check_names (const TpCli *cli, const Models *models, GError **error)
{
  for (int i = 0; i < models->n; i++)
    for (int k = 0; k < i; k++)
      if (strcmp (models->names[i], models->names[k]) == 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s' and '%s' would both be named '%s', as files are: "
                       "to run one more often give its --rate, or give a copy "
                       "under another name",
                       cli->args[k], cli->args[i], models->names[i]);
          return FALSE;
        }
  return TRUE;
}

static gboolean
read_models (const TpCli *cli, char *const *rates, Models *models,
             GError **error)
{
  models->n = cli->n_args;
  models->asked = g_new0 (TpMixAsked, models->n);
  models->rates = g_new0 (char *, models->n);
  models->names = tp_cli_name_models (cli->args);
  if (!check_names (cli, models, error)
      || !take_rates (cli, models, rates, error))
    return FALSE;
  for (int i = 0; i < models->n; i++)
    models->asked[i]
        = (TpMixAsked){ models->names[i],
                        models->rates[i] != NULL ? models->rates[i]
                                                 : PLAIN_RATE, NULL };
  return tp_api_check_asked (models->asked, models->n, error);
}

static void
note_rates (const TpCli *cli, const Models *models)
{
  for (int i = 0; i < models->n; i++)
    if (models->rates[i] == NULL)
      tp_cli_note (cli, "note: no rate of '%s' is given, taken as " PLAIN_RATE
                        ": --rate %s=30/s would be another",
                   models->names[i], models->names[i]);
}

static gboolean
check_options (const TpCli *cli, GError **error)
{
  const char *objective = tp_cli_planning.objective;

  if (objective != NULL && strcmp (objective, "throughput") != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "several models are planned for 'throughput', not for "
                   "'%s': leave --objective out, or plan them one by one",
                   objective);
      return FALSE;
    }
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];

      if (strcmp (path, "-") != 0 && !g_str_has_suffix (path, ".json")
          && !g_str_has_suffix (path, ".json" TP_GZIP_SUFFIX))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s': plans of several models go into a .json file, of "
                       "which view draws one with --part", path);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what was made -------------------------------------------------------- */

static gboolean
write_file (const TpCli *cli, const char *path, const TpMix *mix,
            GError **error)
{
  g_autoptr (GBytes) bytes
      = tp_mix_to_bytes (mix, g_str_has_suffix (path, TP_GZIP_SUFFIX), error);

  return bytes != NULL
         && tp_cli_write_output (cli, path, g_bytes_get_data (bytes, NULL),
                                 g_bytes_get_size (bytes), error);
}

static gboolean
write_files (const TpCli *cli, const TplanMix *mix, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    if (!write_file (cli, cli->outputs[i], tp_api_get_mix (mix), error))
      return FALSE;
  return TRUE;
}

/* "cpu 140.00 %, opencl:0: cannot" */
static char *
format_alone (const TplanMix *handle)
{
  const TpMix *mix = tp_api_get_mix (handle);
  const TpPlan *plan = mix->parts[0].plan;
  g_autoptr (GString) text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    {
      gint64 load_ns = tp_api_find_alone_ns (handle, d);

      g_string_append_printf (text, "%s%s ", d == 0 ? "" : ", ",
                              plan->devices[d]);
      if (load_ns < 0)
        g_string_append (text, "cannot run all");
      else
        g_string_append_printf (text, "%.2f %%%s",
                                100 * tp_mix_get_busy (mix, load_ns),
                                tp_mix_can_carry (mix, load_ns)
                                    ? "" : ", which cannot be kept");
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static json_t *
alone_to_json (const TplanMix *handle)
{
  const TpMix *mix = tp_api_get_mix (handle);
  const TpPlan *plan = mix->parts[0].plan;
  json_t *object = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    {
      gint64 load_ns = tp_api_find_alone_ns (handle, d);

      json_object_set_new (object, plan->devices[d],
                           load_ns < 0
                               ? json_null ()
                               : json_real (tp_mix_get_busy (mix, load_ns)));
    }
  return object;
}

/* Arenas and weights of all plans. */
static gint64
sum_bytes (const TpMix *mix, int device)
{
  gint64 bytes = 0;

  for (int i = 0; i < mix->n_parts; i++)
    bytes += mix->parts[i].plan->peak_bytes[device]
             + mix->parts[i].plan->weight_bytes[device];
  return bytes;
}

static char *
format_memory (const TpMix *mix)
{
  const TpPlan *plan = mix->parts[0].plan;
  g_autoptr (GString) text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    {
      g_autofree char *bytes = tp_cli_format_bytes (sum_bytes (mix, d));

      g_string_append_printf (text, "%s%s on %s", d == 0 ? "" : ", ", bytes,
                              plan->devices[d]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static json_t *
memory_to_json (const TpMix *mix)
{
  const TpPlan *plan = mix->parts[0].plan;
  json_t *object = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    json_object_set_new (object, plan->devices[d],
                         json_integer (sum_bytes (mix, d)));
  return object;
}

static void
print_table (const TpCli *cli, const TplanMix *handle)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  int n;
  const TplanMixPart *parts = tplan_mix_get_parts (handle, &n);

  for (int i = 0; i < n; i++)
    tp_table_add (table, g_strdup (parts[i].name),
                  tp_cli_format_devices (parts[i].plan));
  tp_table_add (table, g_strdup ("busiest"), tp_cli_format_mix_busy (handle));
  tp_table_add (table, g_strdup ("all on one"),
                format_alone (handle));
  tp_table_add (table, g_strdup ("memory"),
                format_memory (tp_api_get_mix (handle)));
  tp_table_print (table, cli);
  tp_cli_print ("%s", "");
  tp_cli_print_mix_loads (cli, handle);
}

static void
print_data (const TpCli *cli, const TplanMix *mix)
{
  json_t *document
      = json_pack ("{s:s}", "format", "tplan-optimize-mix/1");

  tp_cli_add_mix_json (document, mix);
  json_object_set_new (document, "alone",
                       alone_to_json (mix));
  json_object_set_new (document, "memory_bytes",
                       memory_to_json (tp_api_get_mix (mix)));
  tp_cli_print_data (cli, document, "parts");
}

/* ---- all ------------------------------------------------------------------ */

static TplanMix *
plan_models (TpCli *cli, Models *models, GError **error)
{
  const TpMemoryTexts memory = tp_cli_get_memory ();
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);

  for (int i = 0; dims != NULL && i < models->n; i++)
    {
      models->asked[i].plan
          = tp_cli_plan_part (cli, cli->args[i], dims, error);
      if (models->asked[i].plan == NULL)
        return NULL;
    }
  return dims == NULL
             ? NULL
             : tp_api_mix_plans (models->asked, models->n, &memory, error);
}

gboolean
tp_cli_optimize_mix (TpCli *cli, char *const *rates, GError **error)
{
  g_auto (Models) models = { 0 };
  g_autoptr (TplanMix) mix = NULL;

  if (!check_options (cli, error) || !read_models (cli, rates, &models, error))
    return FALSE;
  note_rates (cli, &models);
  mix = plan_models (cli, &models, error);
  if (mix == NULL || !write_files (cli, mix, error))
    return FALSE;
  if (g_strv_contains ((const char *const *) cli->outputs, "-"))
    return TRUE;
  if (cli->format != TP_FORMAT_TABLE)
    print_data (cli, mix);
  else
    print_table (cli, mix);
  return TRUE;
}
