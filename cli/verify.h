/* verify.h: whether a plan is faster than the best single device, by running
 * both. */
#ifndef TP_CLI_VERIFY_H
#define TP_CLI_VERIFY_H

#include <jansson.h>

#include "calib/contest.h"
#include "cli/bench.h"
#include "cli/cli.h"

typedef struct
{
  gboolean is_kept;           /* the plan; else that of the device */
  gboolean is_single;         /* the plan is all on one device itself */
  gboolean is_simulated;
  char *device;               /* the fastest by itself; NULL: none can, or the
                               * plan is the only one: nothing was run */
  TpContestRatio ratio;       /* the time of the plan over that of it */
  int n_rounds;
} TpVerified;
void tp_verified_clear (TpVerified *verified);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpVerified, tp_verified_clear)

/* Of a bench that was run, whose first contestant is the plan. */
void tp_verified_judge (const TpBench *bench, TpVerified *verified);

/* Takes @plan. Runs it and all on each device that can, in turns; returns it, or
 * the plan of the fastest device where it is not faster than that outside its
 * interval (or, all on one device itself, is slower outside it), and says so.
 * NULL: those of tp_bench_run (), or TPLAN_ERROR_USAGE: an op is pinned. */
TplanPlan *tp_cli_verify (TpCli *cli, TplanPlan *plan,
                          TpVerified *out_verified, GError **error);

/* A line; the caller frees. */
char *tp_verified_to_text (const TpVerified *verified);
json_t *tp_verified_to_json (const TpVerified *verified);

#endif
