/* sweep-scale.c: see sweep-scale.h. */
#include "config.h"

#include "cli/sweep-scale.h"

#include "api/envelope.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/series.h"
#include "cli/text.h"
#include "cli/values.h"
#include "ir/plan.h"

#include <math.h>
#include <string.h>

#define COPIES "copies"

typedef struct
{
  TpScale scale;
  char *what;                 /* COPIES, or a device */
  TplanPlan *plan;            /* as measured */
  TpEnvelope *envelope;
} Scaled;

static void
scaled_clear (Scaled *scaled)
{
  g_free (scaled->what);
  tplan_plan_free (scaled->plan);
  tp_envelope_free (scaled->envelope);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scaled, scaled_clear)

/* ---- what is asked ------------------------------------------------------ */

/* "1..2" begins with what strtod () takes for "1.". */
static gboolean
parse_end (const char *text, gsize length, double *out)
{
  g_autofree char *copy = g_strndup (text, length);
  char *stop;

  *out = g_ascii_strtod (copy, &stop);
  return *stop == '\0' && stop > copy && isfinite (*out) && *out >= 1e-6
         && *out <= 1e6;
}

/* Names of devices may have a '=' and dots too. */
static gboolean
scaled_parse (Scaled *scaled, const char *text, GError **error)
{
  const char *values = strrchr (text, '=');
  const char *dots = values == NULL ? NULL : strstr (values, "..");

  if (dots == NULL || values == text
      || !parse_end (values + 1, dots - values - 1, &scaled->scale.low)
      || !parse_end (dots + 2, strlen (dots + 2), &scaled->scale.high)
      || scaled->scale.low >= scaled->scale.high)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--scale '%s': give what takes longer and how many times, "
                   "as in --scale copies=0.01..100 or --scale opencl:0=0.1..10; "
                   "times are from 0.000001 to 1000000", text);
      return FALSE;
    }
  scaled->what = g_strndup (text, values - text);
  return TRUE;
}

static gboolean
scaled_find_device (Scaled *scaled, GError **error)
{
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  g_autofree char *names = g_strjoinv (", ", plan->devices);

  scaled->scale.kind = TP_SCALE_COPIES;
  scaled->scale.device = TP_SCALE_ALL;
  if (strcmp (scaled->what, COPIES) == 0)
    return TRUE;
  for (int d = 0; d < plan->n_devices; d++)
    if (strcmp (scaled->what, plan->devices[d]) == 0)
      {
        scaled->scale.kind = TP_SCALE_KERNELS;
        scaled->scale.device = d;
        return TRUE;
      }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--scale: there is no '%s' to scale: it is '" COPIES "' or one "
               "of the devices planned for (%s)", scaled->what, names);
  return FALSE;
}

/* A dimension and a speed do not vary together. */
static gboolean
check_dims (const TpCli *cli, GError **error)
{
  TpSeries series;
  gboolean good = tp_series_init (&series, cli, error);

  if (good && series.parameter != NULL)
    {
      good = FALSE;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "dimension '%s' has several values: with --scale give it "
                   "one, or leave out --scale", series.parameter);
    }
  tp_series_clear (&series);
  return good;
}

static gboolean
scaled_make (Scaled *scaled, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = NULL;

  if (!check_dims (cli, error)
      || (dims = tp_cli_parse_dims (cli, error)) == NULL)
    return FALSE;
  tp_cli_planning.is_apart = TRUE; /* what is handed over has no speed */
  scaled->plan = tp_cli_make_plan (cli, cli->args[0], dims, error);
  if (scaled->plan == NULL || !scaled_find_device (scaled, error))
    return FALSE;
  scaled->envelope
      = tp_api_find_envelope (scaled->plan, &scaled->scale, error);
  return scaled->envelope != NULL;
}

/* ---- what is told ------------------------------------------------------- */

static int
count_on (const TpPlan *plan, const TpPiece *piece, int device)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n += piece->devices[i] == device;
  return n;
}

static json_t *
piece_to_json (const TpPlan *plan, const TpPiece *piece)
{
  json_t *devices = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    json_object_set_new (devices, plan->devices[d],
                         json_integer (count_on (plan, piece, d)));
  return json_pack ("{s:f, s:f, s:I, s:I, s:f, s:f, s:i, s:o}", "from",
                    piece->from, "to", piece->to, "fixed_ns",
                    (json_int_t) piece->fixed, "scaled_ns",
                    (json_int_t) piece->scaled, "cost_from_ns",
                    tp_piece_get_cost (piece, piece->from), "cost_to_ns",
                    tp_piece_get_cost (piece, piece->to), "transfers",
                    piece->n_copies, "devices", devices);
}

static json_t *
scaled_to_json (const Scaled *scaled)
{
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  const TpEnvelope *envelope = scaled->envelope;
  json_t *pieces = json_array (), *breaks = json_array ();

  for (int i = 0; i < envelope->n_pieces; i++)
    {
      json_array_append_new (pieces,
                             piece_to_json (plan, &envelope->pieces[i]));
      if (i > 0)
        json_array_append_new (breaks,
                               json_real (envelope->pieces[i].from));
    }
  return json_pack ("{s:s, s:o, s:s, s:f, s:f, s:o, s:o, s:i, s:b, s:b}",
                    "format", "tplan-sweep-scale/1", "graph",
                    tp_cli_string (plan->graph_name), "scale", scaled->what,
                    "low", scaled->scale.low, "high", scaled->scale.high,
                    "pieces", pieces, "breakpoints", breaks, "plans",
                    envelope->n_plans, "proved", envelope->is_proved,
                    "simulated", plan->is_simulated);
}

/* "3 on cpu, 1 on opencl:0" */
static char *
format_devices (const TpPlan *plan, const TpPiece *piece)
{
  GString *text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    if (count_on (plan, piece, d) > 0)
      g_string_append_printf (text, "%s%d on %s", text->len > 0 ? ", " : "",
                              count_on (plan, piece, d), plan->devices[d]);
  return g_string_free (text, FALSE);
}

static char *
format_cost (const TpPiece *piece, double x)
{
  return tp_cli_format_time (llround (tp_piece_get_cost (piece, x)));
}

static void
print_table (const TpCli *cli, const Scaled *scaled)
{
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  const char *const headers[]
      = { ">TIMES", ">TO", plan->is_simulated ? ">SIMULATED COST" : ">COST",
          ">TO", "PLACEMENT", ">COPIES", NULL };
  const TpEnvelope *envelope = scaled->envelope;
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int i = 0; i < envelope->n_pieces; i++)
    {
      const TpPiece *it = &envelope->pieces[i];

      tp_table_add (table, g_strdup_printf ("%.5g", it->from),
                    g_strdup_printf ("%.5g", it->to),
                    format_cost (it, it->from), format_cost (it, it->to),
                    format_devices (plan, it),
                    g_strdup_printf ("%d", it->n_copies));
    }
  tp_table_print (table, cli);
}

static void
print_notes (const TpCli *cli, const Scaled *scaled)
{
  const TpEnvelope *envelope = scaled->envelope;

  tp_cli_note (cli, "where %s %s as many times as long as measured%s: %d plans "
                    "were made, %s", scaled->what,
               scaled->scale.kind == TP_SCALE_COPIES ? "take" : "takes",
               tp_cli_simulated (scaled->plan), envelope->n_plans,
               envelope->is_proved ? "each proved least"
                                   : "not all of them proved least");
}

gboolean
tp_sweep_scale (TpCli *cli, const char *text, GError **error)
{
  g_auto (Scaled) scaled = { .what = NULL };

  if (cli->outputs != NULL && cli->outputs[0] != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "sweep --scale writes no files: leave out -o, or take "
                   "--format=json or csv");
      return FALSE;
    }
  if (!scaled_parse (&scaled, text, error)
      || !scaled_make (&scaled, cli, error))
    return FALSE;
  if (cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (cli, scaled_to_json (&scaled), "pieces");
  else
    {
      print_table (cli, &scaled);
      print_notes (cli, &scaled);
    }
  return TRUE;
}
