/* nets.h: small graphs, plans made by hand, and running one against the other.
 * For tests of devices and sessions. */
#ifndef TESTS_DEVICE_NETS_H
#define TESTS_DEVICE_NETS_H

#include "ir/op.h"
#include "runtime/session.h"

/* Text of graphs, each exercising something else. */
extern const char net_mlp[], net_image[], net_branches[], net_ends[],
    net_states[];

/* All but the last, and pairs of the host and another, some odd ones too. */
#define NET_N_ALL 4
extern const char *const net_all[NET_N_ALL];
#define NET_N_PAIRS 8
extern const char *const net_pairs[NET_N_PAIRS];

TpGraph *net_load (const char *text);           /* as it stands */
TpGraph *net_load_prepared (const char *text);  /* simplified, laid out */

/* NULL, with *@out_reason (caller frees), when @name does not open here. */
TpDevice *net_try_device (const char *name, char **out_reason);
/* Whether all of @devices ("cpu ref") open here; else skips the test. */
gboolean net_need_devices (const char *devices);

/* @devices: "cpu ref"; node i goes to device @places[i % strlen]. */
TpPlan *net_plan (const TpGraph *graph, const char *devices,
                  const char *places);
/* Each anywhere, but for those that are to be together. */
TpPlan *net_plan_random (const TpGraph *graph, const char *devices);

/* Arrays of a run: random inputs of the range of @domain, the outputs as the
 * references have them (of states that are zeros), and outputs to fill. */
typedef struct
{
  const TpGraph *graph;
  void **inputs;
  double **expected;
  void **outputs;
} NetRun;

NetRun *net_run_new (const TpGraph *graph, TpDomain domain);
void net_run_free (NetRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NetRun, net_run_free)
void net_run_clear_outputs (NetRun *run);
/* The largest error of any output, relative to the larger of the element and
 * the root of the mean square of its tensor. */
double net_run_get_error (const NetRun *run);

/* A run that gives what it gave before, to the bit. */
typedef struct
{
  NetRun *run;
  void **expected;            /* [output] */
} NetJob;

/* As @session has it now. */
void net_job_init (NetJob *job, TpSession *session, const TpGraph *graph);
void net_job_clear (NetJob *job);
/* What was last run. */
void net_job_check (const NetJob *job);

/* Runs @plan and asserts errors up to @tolerance. */
void net_check (TpGraph *graph, TpPlan *plan, double tolerance);

#endif
