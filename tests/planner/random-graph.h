/* random-graph.h: graphs, costs and groups for tests of the planner. */
#ifndef TP_TESTS_RANDOM_GRAPH_H
#define TP_TESTS_RANDOM_GRAPH_H

#include "ir/plan.h"
#include "planner/problem.h"
#include "rounds.h"

#define TP_TEST_MAX_DEVICES 4

typedef struct
{
  int n_ops;
  int n_devices;              /* 0: two */
  int max_cost;               /* small ones make many ties */
  gboolean has_pins;
  gboolean has_gaps;          /* ops that one device cannot run */
  gboolean has_groups;
  int host;                   /* a device, or TP_COSTS_HOST */
  gboolean has_kernels;       /* measurements that stand in many places */
  gboolean has_together;      /* ops that are to be on one device */
  gboolean has_state;         /* what stays on a device from run to run; not with
                               * pins */
  gboolean is_steady;         /* and it never changes */
} TpTestSpec;

typedef struct
{
  TpGraph *graph;
  TpGroups *groups;
  TpCosts *costs;
} TpTestCase;

/* From GTest's random numbers. Every op has a device left. */
TpTestCase *tp_test_case_new (const TpTestSpec *spec);
void tp_test_case_free (TpTestCase *test);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTestCase, tp_test_case_free)
TpTestSpec tp_test_spec_random (int n_ops);
/* Likewise, of graphs in which some ops may have to be together, also by state. */
TpTestSpec tp_test_spec_together (int n_ops);
TpTestSpec tp_test_spec_steady (int n_ops);

/* What it costs to run every op where @devices says, straight from the words of
 * docs/planner.md; TP_COST_NONE: not allowed. */
gint64 tp_test_case_cost (const TpTestCase *test, const guint8 *devices);
/* The part of it that is copies. */
gint64 tp_test_case_copies (const TpTestCase *test, const guint8 *devices);

/* [3 * n_devices]: how long each device is busy, then the way to each from host
 * memory, then the way back; FALSE: not allowed. */
gboolean tp_test_case_loads (const TpTestCase *test, const guint8 *devices,
                             gint64 *out_loads);
/* How many copies it takes, of those that cost anything. */
int tp_test_case_count (const TpTestCase *test, const guint8 *devices);
/* One standard deviation of what the two differ in, from the same words. */
double tp_test_case_noise (const TpTestCase *test, const guint8 *devices,
                           const guint8 *others);

/* Of the least time. */
TpProblem *tp_test_case_problem (const TpTestCase *test);

/* That tp_check () finds nothing wrong. */
void tp_test_assert_checked (const TpPlan *plan, const TpGraph *graph);

/* The devices of a plan, one a node; g_free (). */
guint8 *tp_test_plan_devices (const TpPlan *plan);

#endif
