/* verify.h: whether a plan is faster than the best single device, and than
 * without fusion, by running all. */
#ifndef TP_CLI_VERIFY_H
#define TP_CLI_VERIFY_H

#include <jansson.h>

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/verdict.h"

typedef struct
{
  TpVerdict verdict;          /* by number in the bench; the plan is 0 */
  gboolean is_single;         /* the plan is all on one device itself */
  gboolean is_simulated;
  gboolean has_unfused;       /* something was run without fusion */
  char *rival;                /* of the verdict; NULL: nothing was run */
  char *device;               /* (nullable) that has all in the rival */
  gboolean is_unfused;        /* the rival */
  int n_rounds;
} TpVerified;
void tp_verified_clear (TpVerified *verified);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpVerified, tp_verified_clear)

/* Of a bench that was run, whose first contestant is the plan. */
void tp_verified_judge (const TpBench *bench, TpVerified *verified);

/* Takes @plan. Runs it and all on each device that can, and each of these that
 * fuses without fusion too, in turns; returns what tp_verdict_find () does, and
 * says so where that is not the plan.
 * NULL: those of tp_bench_run (), or TPLAN_ERROR_USAGE: an op is pinned. */
TplanPlan *tp_cli_verify (TpCli *cli, TplanPlan *plan,
                          TpVerified *out_verified, GError **error);

/* A line; the caller frees. */
char *tp_verified_to_text (const TpVerified *verified);
json_t *tp_verified_to_json (const TpVerified *verified);

#endif
