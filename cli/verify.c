/* verify.c: whether a plan is faster than the best single device, and than
 * without fusion, by running all. */
#include "config.h"

#include "cli/verify.h"

#include "api/graph.h"
#include "cli/bench.h"
#include "cli/keep.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "ir/units.h"

#include <math.h>

#define TIME_LIMIT_NS (10 * G_GINT64_CONSTANT (1000000000))
#define MIN_ROUNDS 6          /* fewer have no interval */

void
tp_verified_clear (TpVerified *verified)
{
  g_clear_pointer (&verified->rival, g_free);
  g_clear_pointer (&verified->device, g_free);
}

/* All on one device is no answer to who pinned an op to another. */
static gboolean
check_pins (const TplanPlan *plan, GError **error)
{
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (plan));

  for (int i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].pins != NULL && !tp_node_is_stream (&graph->nodes[i]))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "op '%s' is pinned, and --verify may give a plan that "
                     "has all on one device: take the pin away, or compare "
                     "with `tplan bench`",
                     graph->nodes[i].name);
        return FALSE;
      }
  return TRUE;
}

void
tp_verified_judge (const TpBench *bench, TpVerified *verified)
{
  int n = (int) bench->entries->len;
  g_autofree TpEntrant *entrants = g_new0 (TpEntrant, n + 1);
  const TpBenchEntry *rival;

  for (int i = 0; i < n; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (bench, i);

      entrants[i] = (TpEntrant){ entry->device != NULL, entry->is_unfused };
      verified->has_unfused = verified->has_unfused || entry->is_unfused;
    }
  verified->verdict = tp_verdict_find (bench->contest, entrants, n);
  rival = tp_bench_get (bench, verified->verdict.rival);
  verified->rival = g_strdup (rival->name);
  verified->device = g_strdup (rival->device);
  verified->is_unfused = rival->is_unfused;
  verified->is_single = entrants[0].is_single;
  verified->is_simulated = bench->is_simulated;
  verified->n_rounds = tp_contest_count_rounds (bench->contest);
}

static gboolean
run_and_judge (TpBench *bench, TpCli *cli, TpVerified *verified,
               GError **error)
{
  const TpBenchOptions options
      = { .time_limit_ns = TIME_LIMIT_NS, .n_rounds_least = MIN_ROUNDS };

  if (!tp_bench_run (bench, cli, &options, error))
    return FALSE;
  if (*tp_cli_get_cancelled ())
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
                   "interrupted before it was verified");
      return FALSE;
    }
  tp_bench_note_busy (bench, cli);
  tp_cli_keep_bench (cli, bench);
  tp_verified_judge (bench, verified);
  if (verified->n_rounds < MIN_ROUNDS)
    tp_cli_warn (cli, "the plan was verified by %d of %d rounds, which took %.0f s "
                      "already and tell too little: leave slow devices out with "
                      "--devices", verified->n_rounds, MIN_ROUNDS,
                 (double) bench->time_ns / 1e9);
  return TRUE;
}

TplanPlan *
tp_cli_verify (TpCli *cli, TplanPlan *plan, TpVerified *out_verified,
               GError **error)
{
  g_auto (TpBench) bench;

  *out_verified = (TpVerified){ 0 };
  tp_bench_init (&bench);
  tp_bench_add (&bench, "plan", plan);
  if (!check_pins (plan, error)
      || !tp_bench_add_singles (&bench, cli, plan, error)
      || !tp_bench_add_unfused (&bench, cli, error))
    return NULL;
  if (bench.entries->len > 1
      && !run_and_judge (&bench, cli, out_verified, error))
    return NULL;
  if (out_verified->verdict.chosen > 0)
    {
      g_autofree char *text = tp_verified_to_text (out_verified);

      tp_cli_note (cli, "note: the plan %s", text);
    }
  return tp_bench_steal_plan (&bench, out_verified->verdict.chosen);
}

char *
tp_verified_to_text (const TpVerified *verified)
{
  const TpContestRatio *ratio = &verified->verdict.ratio;
  gboolean is_kept = verified->verdict.chosen == 0;
  const char *simulated = verified->is_simulated ? " (simulated)" : "";

  if (verified->rival == NULL)
    return g_strdup ("nothing to compare with: one device at most can run it "
                     "all, and nothing is fused");
  if (is_kept && verified->is_single)
    return g_strdup_printf ("no other device is faster%s%s",
                            verified->has_unfused ? ", nor is it without fusion"
                                                  : "",
                            simulated);
  return g_strdup_printf (
      "takes %.3f of the time of %s%s%s%s, %.3f to %.3f: %s", ratio->ratio,
      verified->device != NULL ? "all on " : "the plan",
      verified->device != NULL ? verified->device : "",
      verified->is_unfused ? " without fusion" : "", simulated, ratio->low,
      ratio->high, is_kept ? "kept" : "that one is given instead");
}

json_t *
tp_verified_to_json (const TpVerified *verified)
{
  const TpContestRatio *ratio = &verified->verdict.ratio;
  gboolean is_kept = verified->verdict.chosen == 0;

  if (verified->rival == NULL)
    return json_pack ("{s:b, s:n}", "kept", is_kept, "device");
  return json_pack ("{s:b, s:o, s:o, s:b, s:o, s:o, s:o, s:i, s:b}", "kept",
                    is_kept, "against", tp_cli_string (verified->rival),
                    "device", tp_cli_string (verified->device), "unfused",
                    verified->is_unfused, "ratio", tp_cli_real (ratio->ratio),
                    "low",
                    isinf (ratio->high) ? json_null ()
                                        : json_real (ratio->low),
                    "high", tp_cli_real (ratio->high), "rounds",
                    verified->n_rounds, "simulated", verified->is_simulated);
}
