/* placement.c: what a placement that was made elsewhere costs, how far that is
 * from the least, and the moves that gain most. */
#include "config.h"

#include "cli/placement.h"

#include "api/graph.h"
#include "api/placement.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"

#define N_MOVES 10

typedef struct
{
  const char *path;
  TplanPlan *plan;            /* the best there is, by the same figures */
  TpJudgement *it;
} Judged;

static void
judged_clear (Judged *judged)
{
  g_clear_pointer (&judged->plan, tplan_plan_free);
  g_clear_pointer (&judged->it, tp_judgement_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Judged, judged_clear)

static const char *
get_op (const Judged *judged, int node)
{
  return tp_api_get_graph (tplan_plan_get_graph (judged->plan))
      ->nodes[node].name;
}

static double
get_gap (const Judged *judged)
{
  gint64 bound_ns = tp_api_get_plan (judged->plan)->bound_ns;

  return bound_ns > 0 ? (double) judged->it->cost_ns / bound_ns - 1 : 0;
}

/* ---- as JSON ------------------------------------------------------------ */

static json_t *
move_to_json (const Judged *judged, const TpMove *move)
{
  const TpPlan *plan = tp_api_get_plan (judged->plan);

  return json_pack ("{s:o, s:o, s:i, s:s, s:I, s:I, s:b}", "first",
                    tp_cli_string (get_op (judged, move->first)), "last",
                    tp_cli_string (get_op (judged, move->last)), "n_ops",
                    move->n_moved, "to", plan->devices[move->device],
                    "gain_ns", (json_int_t) move->gain_ns, "cost_ns",
                    (json_int_t) (judged->it->cost_ns - move->gain_ns),
                    "kept", move->is_kept);
}

static void
print_data (const TpCli *cli, const Judged *judged)
{
  const TpPlan *plan = tp_api_get_plan (judged->plan);
  const TpJudgement *it = judged->it;
  json_t *list = json_array ();

  for (int i = 0; i < it->n_moves; i++)
    json_array_append_new (list, move_to_json (judged, &it->moves[i]));
  tp_cli_print_data (
      cli,
      json_pack ("{s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:I, s:i, s:i, s:i, s:b, "
                 "s:I, s:i, s:o}",
                 "format", "tplan-check-placement/1", "graph",
                 tp_cli_string (plan->graph_name), "placement",
                 tp_cli_string (judged->path), "cost_ns",
                 (json_int_t) it->cost_ns, "bound_ns",
                 (json_int_t) plan->bound_ns, "best_ns",
                 (json_int_t) plan->cost_ns, "gap",
                 tp_cli_real (get_gap (judged)), "transfer_ns",
                 (json_int_t) it->copies_ns, "transfers", it->n_copies,
                 "groups", it->n_groups, "ops_folded", judged->it->n_gone,
                 "simulated", plan->is_simulated, "moved_ns",
                 (json_int_t) it->moved_ns, "max_run_ops", it->max_ops,
                 "moves", list),
      "moves");
}

/* ---- as text ------------------------------------------------------------ */

static void
print_cost (const Judged *judged)
{
  const TpPlan *plan = tp_api_get_plan (judged->plan);
  const TpJudgement *it = judged->it;
  g_autofree char *cost = tp_cli_format_time (it->cost_ns);
  g_autofree char *copies = tp_cli_format_time (it->copies_ns);
  g_autofree char *bound = tp_cli_format_time (plan->bound_ns);

  tp_cli_print ("%s: costs %s%s: %d copies take %s, %d groups run fused",
                judged->path, cost, tp_cli_simulated (judged->plan),
                it->n_copies, copies, it->n_groups);
  if (it->cost_ns == plan->bound_ns)
    tp_cli_print ("No placement costs less: proved.");
  else
    tp_cli_print ("No placement costs less than %s, proved: this one costs "
                  "%.1f %% more.", bound, 100 * get_gap (judged));
}

/* "conv1", or "conv1 to relu3", and how many go. */
static char *
format_run (const Judged *judged, const TpMove *move)
{
  if (move->first == move->last)
    return g_strdup (get_op (judged, move->first));
  return g_strdup_printf ("%s to %s, %d ops", get_op (judged, move->first),
                          get_op (judged, move->last), move->n_moved);
}

static void
print_moves (const TpCli *cli, const Judged *judged)
{
  static const char *const headers[] = { "MOVE", "TO", ">GAIN", ">COST", NULL };
  const TpPlan *plan = tp_api_get_plan (judged->plan);
  const TpJudgement *it = judged->it;
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autofree char *moved = tp_cli_format_time (it->moved_ns);
  int n_kept = 0;

  for (int i = 0; i < it->n_moves; i++)
    n_kept += it->moves[i].is_kept;
  for (int i = 0; i < it->n_moves; i++)
    tp_table_add (table, format_run (judged, &it->moves[i]),
                  g_strdup (plan->devices[it->moves[i].device]),
                  tp_cli_format_time (it->moves[i].gain_ns),
                  tp_cli_format_time (it->cost_ns - it->moves[i].gain_ns));
  tp_cli_print ("Moves that gain most, each made alone:");
  tp_table_print (table, cli);
  if (it->n_moves > 1)
    tp_cli_print ("Made one after the other, %d of them gain: then %s.",
                  n_kept, moved);
}

static void
print_text (const TpCli *cli, const Judged *judged)
{
  const TpPlan *plan = tp_api_get_plan (judged->plan);

  print_cost (judged);
  if (judged->it->n_moves > 0)
    print_moves (cli, judged);
  else if (judged->it->cost_ns > plan->cost_ns)
    tp_cli_print ("No move of one run of ops gains anything; several at once "
                  "do, as in the plan.");
}

static void
print_notes (const TpCli *cli, const Judged *judged)
{
  const TpPlan *plan = tp_api_get_plan (judged->plan);

  if (judged->it->n_gone > 0)
    tp_cli_note (cli, "note: %d ops of %s are folded away in planning: their "
                      "devices say nothing", judged->it->n_gone, judged->path);
  if (judged->it->max_ops < plan->n_placements)
    tp_cli_note (cli, "note: runs of up to %d ops were tried",
                 judged->it->max_ops);
}

gboolean
tp_cli_judge_placement (TpCli *cli, const char *path, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_auto (Judged) judged = { .path = path };
  TplanLoadOptions options;

  if (dims == NULL)
    return FALSE;
  options = tp_cli_load_options (cli, dims);
  judged.plan = tp_cli_make_plan (cli, cli->args[0], dims, error);
  if (judged.plan == NULL)
    return FALSE;
  judged.it = tp_api_judge (judged.plan, path, &options, N_MOVES,
                            error);
  if (judged.it == NULL)
    return FALSE;
  print_notes (cli, &judged);
  if (cli->format != TP_FORMAT_TABLE)
    print_data (cli, &judged);
  else
    print_text (cli, &judged);
  return TRUE;
}
