/* account.h: by what a run differs from what its plan foretold. */
#ifndef TP_CLI_ACCOUNT_H
#define TP_CLI_ACCOUNT_H

#include <jansson.h>

#include "cli/run-data.h"
#include "include/tplan.h"
#include "runtime/session.h"

/* What of the whole. */
typedef struct
{
  gint64 predicted_ns, measured_ns;
} TpAccountPart;

typedef struct
{
  TplanPlan *plan;            /* (unowned), as are these three */
  TplanSession *session;
  const TpRunData *data;
  gint64 measured_ns;         /* of a run as such: the median */
  double preempted;           /* part of the runs in which another process took
                               * a processor away */
  int n_steps;
  TpSessionStep *steps;       /* medians; the furthest off first */
  int n_parts;                /* kernels of each device, copies, and the rest:
                               * gaps, or what goes on while others work */
  TpAccountPart *parts;
} TpAccount;

/* Runs a few times, step by step. The caller has filled the first five; the parts
 * add up to what was measured, and to what was predicted. */
gboolean tp_account_make (TpAccount *account, GError **error);
void tp_account_clear (TpAccount *account);

/* "took 9 % longer", "copies +114 us (x to opencl:0: predicted 50 ns, took 114 us)":
 * all, and the parts that matter, a line each; none where none was made. */
char **tp_account_to_lines (const TpAccount *account);
/* One of the steps that are furthest off, likewise; NULL: there are fewer. */
char *tp_account_step_to_text (const TpAccount *account, int i);
json_t *tp_account_to_json (const TpAccount *account);

#define TP_ACCOUNT_WORST 5    /* steps worth telling */

#endif
