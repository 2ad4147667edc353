/* sweep-scale.c: see sweep-scale.h. */
#include "config.h"

#include "cli/sweep-scale.h"

#include "api/envelope.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/rates.h"
#include "cli/series.h"
#include "cli/sweep-devices.h"
#include "cli/text.h"
#include "cli/values.h"
#include "ir/rates.h"

#include <math.h>

/* What changes, and what that is told by. */
typedef struct
{
  const char *name;
  const char *column;         /* of x */
  double unit;                /* of x, as it is told */
  const char *cost_column;    /* NULL: a time */
  double cost_unit;           /* likewise */
} Kind;

static const Kind kinds[] = {
  [TP_SCALE_KERNELS] = { "kernels", ">TIMES", 1, NULL, 1 },
  [TP_SCALE_COPIES] = { "copies", ">TIMES", 1, NULL, 1 },
  [TP_SCALE_BYTES] = { "bandwidth", ">BANDWIDTH", 1, NULL, 1 },
  [TP_SCALE_WATTS] = { "watts", ">WATTS", 1e-3, ">ENERGY", 1e-12 },
  [TP_SCALE_PRICE] = { "price", ">PER HOUR", 1.0 / TP_RATE_PARTS,
                       ">PRICE OF 1E6", 1 / (3.6e12 * TP_RATE_PARTS) },
};

typedef struct
{
  const TpSweepRange *range;
  const Kind *kind;
  TplanPlan *plan;            /* as measured */
  TpEnvelope *envelope;
} Scaled;

static void
scaled_clear (Scaled *scaled)
{
  tplan_plan_free (scaled->plan);
  tp_envelope_free (scaled->envelope);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scaled, scaled_clear)

/* A dimension and a speed do not vary together. */
static gboolean
check_dims (const TpCli *cli, const char *option, GError **error)
{
  TpSeries series;
  gboolean good = tp_series_init (&series, cli, error);

  if (good && series.parameter != NULL)
    {
      good = FALSE;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "dimension '%s' has several values: with %s give it one, or "
                   "leave out %s", series.parameter, option, option);
    }
  tp_series_clear (&series);
  return good;
}

static gboolean
scaled_make (Scaled *scaled, TpSweepRange *range, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = NULL;

  if (!check_dims (cli, range->option, error)
      || (dims = tp_cli_parse_dims (cli, error)) == NULL)
    return FALSE;
  tp_cli_planning.is_apart = TRUE; /* what is handed over has no speed */
  scaled->plan = tp_cli_make_plan (cli, cli->args[0], dims, error);
  if (scaled->plan == NULL
      || !tp_sweep_range_find_device (range, tp_api_get_plan (scaled->plan),
                                      error))
    return FALSE;
  scaled->range = range;
  scaled->kind = &kinds[range->scale.kind];
  scaled->envelope
      = tp_api_find_envelope (scaled->plan, &range->scale, error);
  return scaled->envelope != NULL;
}

/* ---- what is told ------------------------------------------------------- */

static gboolean
is_bandwidth (const Scaled *scaled)
{
  return scaled->range->scale.kind == TP_SCALE_BYTES;
}

static gboolean
is_rate (const Scaled *scaled)
{
  return scaled->kind->cost_column != NULL;
}

/* One of the pieces, in the order and unit in which they are told. */
typedef struct
{
  const TpPiece *piece;
  double from, to;
  double cost_from, cost_to;
} Told;

/* As x of bytes falls, bandwidth rises. */
static Told
get_told (const Scaled *scaled, int index)
{
  const TpEnvelope *envelope = scaled->envelope;
  const Kind *kind = scaled->kind;
  gboolean turns = is_bandwidth (scaled);
  const TpPiece *it
      = &envelope->pieces[turns ? envelope->n_pieces - 1 - index : index];
  double from = turns ? it->to : it->from, to = turns ? it->from : it->to;

  return (Told){ .piece = it,
                 .from = turns ? 1 / from : from * kind->unit,
                 .to = turns ? 1 / to : to * kind->unit,
                 .cost_from = tp_piece_get_cost (it, from) * kind->cost_unit,
                 .cost_to = tp_piece_get_cost (it, to) * kind->cost_unit };
}

static json_t *
told_to_json (const Scaled *scaled, const Told *told)
{
  const TpPiece *piece = told->piece;
  json_t *devices = tp_sweep_devices_to_json (
      tp_api_get_plan (scaled->plan), piece->devices);

  if (is_rate (scaled))
    return json_pack ("{s:f, s:f, s:I, s:f, s:f, s:i, s:o}", "from",
                      told->from, "to", told->to, "time_ns",
                      (json_int_t) piece->time_ns, "cost_from",
                      told->cost_from, "cost_to", told->cost_to, "transfers",
                      piece->n_copies, "devices", devices);
  return json_pack ("{s:f, s:f, s:I, s:I, s:f, s:f, s:i, s:o}", "from",
                    told->from, "to", told->to, "fixed_ns",
                    (json_int_t) piece->fixed, "scaled_ns",
                    (json_int_t) piece->scaled, "cost_from_ns",
                    told->cost_from, "cost_to_ns", told->cost_to, "transfers",
                    piece->n_copies, "devices", devices);
}

/* By which "rate", or what is on another "scale". */
static json_t *
change_to_json (const Scaled *scaled)
{
  const TpSweepRange *range = scaled->range;
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  gboolean is_kernels = range->scale.kind == TP_SCALE_KERNELS;

  return json_pack ("{s:s, s:o, s:s, s:o}", "format",
                    is_rate (scaled) ? "tplan-sweep-rate/1"
                                     : "tplan-sweep-scale/1",
                    "graph", tp_cli_string (plan->graph_name),
                    is_rate (scaled) ? "rate" : "scale",
                    is_kernels ? range->what : scaled->kind->name, "device",
                    range->scale.device < 0 ? json_null ()
                                            : tp_cli_string (range->what));
}

static json_t *
scaled_to_json (const Scaled *scaled)
{
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  const TpEnvelope *envelope = scaled->envelope;
  int n = envelope->n_pieces;
  json_t *pieces = json_array (), *breaks = json_array ();
  json_t *object = change_to_json (scaled), *found;

  for (int i = 0; i < n; i++)
    {
      Told told = get_told (scaled, i);

      json_array_append_new (pieces, told_to_json (scaled, &told));
      if (i > 0)
        json_array_append_new (breaks, json_real (told.from));
    }
  found = json_pack ("{s:f, s:f, s:o, s:o, s:i, s:b, s:b}", "low",
                     get_told (scaled, 0).from, "high",
                     get_told (scaled, n - 1).to, "pieces", pieces,
                     "breakpoints", breaks, "plans", envelope->n_plans,
                     "proved", envelope->is_proved, "simulated",
                     plan->is_simulated);
  json_object_update (object, found);
  json_decref (found);
  return object;
}

static char *
format_cost (const Scaled *scaled, double cost)
{
  if (scaled->range->scale.kind == TP_SCALE_PRICE)
    return tp_cli_format_price (1e6 * cost);
  return is_rate (scaled) ? tp_cli_format_energy (cost)
                          : tp_cli_format_time (llround (cost));
}

/* What a run takes stands beside what it costs. */
static void
add_row (TpTable *table, const Scaled *scaled, int index)
{
  Told told = get_told (scaled, index);
  const TpPiece *piece = told.piece;
  char *from = g_strdup_printf ("%.5g", told.from);
  char *to = g_strdup_printf ("%.5g", told.to);
  char *devices = tp_sweep_devices_format (tp_api_get_plan (scaled->plan),
                                           piece->devices);
  char *copies = g_strdup_printf ("%d", piece->n_copies);
  char *cost_from = format_cost (scaled, told.cost_from);
  char *cost_to = format_cost (scaled, told.cost_to);

  if (is_rate (scaled))
    tp_table_add (table, from, to, tp_cli_format_time (piece->time_ns),
                  cost_from, cost_to, devices, copies);
  else
    tp_table_add (table, from, to, cost_from, cost_to, devices, copies);
}

static void
print_table (const TpCli *cli, const Scaled *scaled)
{
  const char *time = tp_api_get_plan (scaled->plan)->is_simulated
                         ? (is_rate (scaled) ? ">SIMULATED TIME"
                                             : ">SIMULATED COST")
                         : (is_rate (scaled) ? ">TIME" : ">COST");
  const char *const headers[] = { scaled->kind->column, ">TO", time, ">TO",
                                  "PLACEMENT", ">COPIES", NULL };
  const char *const rates[] = { scaled->kind->column, ">TO", time,
                                scaled->kind->cost_column, ">TO", "PLACEMENT",
                                ">COPIES", NULL };
  g_autoptr (TpTable) table
      = tp_table_new (is_rate (scaled) ? rates : headers);

  for (int i = 0; i < scaled->envelope->n_pieces; i++)
    add_row (table, scaled, i);
  tp_table_print (table, cli);
}

/* "where copies take as many times as long as measured": caller frees. */
static char *
describe_change (const Scaled *scaled)
{
  const TpSweepRange *range = scaled->range;
  const TpPlan *plan = tp_api_get_plan (scaled->plan);
  const char *what = range->what == NULL ? "all devices" : range->what;

  switch (range->scale.kind)
    {
    case TP_SCALE_KERNELS:
      return g_strdup_printf ("%s takes as many times as long as measured",
                              what);
    case TP_SCALE_COPIES:
      return g_strdup ("copies take as many times as long as measured");
    case TP_SCALE_BYTES:
      return g_strdup_printf ("the bandwidth to and from %s is as many times what "
                              "was measured, and latencies stay", what);
    case TP_SCALE_WATTS:
      return g_strdup_printf ("%s draws so much at work", what);
    default:
      return g_strdup_printf (
          "an hour of %s%s costs so much",
          plan->costs->rates[range->scale.device].is_per_use ? "use of " : "",
          what);
    }
}

static void
print_notes (const TpCli *cli, const Scaled *scaled)
{
  const TpEnvelope *envelope = scaled->envelope;
  g_autofree char *change = describe_change (scaled);

  tp_cli_note (cli, "where %s%s: %d plans were made, %s", change,
               tp_cli_simulated (scaled->plan), envelope->n_plans,
               envelope->is_proved ? "each proved least"
                                   : "not all of them proved least");
}

gboolean
tp_sweep_scale (TpCli *cli, TpSweepRange *range, GError **error)
{
  g_auto (Scaled) scaled = { .range = range };

  if (cli->outputs != NULL && cli->outputs[0] != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "sweep %s writes no files: leave out -o, or take "
                   "--format=json or csv", range->option);
      return FALSE;
    }
  if (!scaled_make (&scaled, range, cli, error))
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
