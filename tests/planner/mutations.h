/* mutations.h: ways to spoil a plan. */
#ifndef TP_TESTS_MUTATIONS_H
#define TP_TESTS_MUTATIONS_H

#include "random-graph.h"

typedef struct
{
  const char *name;
  /* FALSE: @plan has nothing to change so. May change its costs. */
  gboolean (*mutate) (TpPlan *plan, const TpTestCase *test);
} TpTestMutation;

/* A mutation of one step: @change, of @plan and @test. */
#define TP_TEST_SPOIL(name, change) \
  static gboolean name (TpPlan *plan, const TpTestCase *test) \
  { \
    change; \
    return TRUE; \
  }
/* The same where @change says whether there was anything to change. */
#define TP_TEST_SPOIL_IF(name, change) \
  static gboolean name (TpPlan *plan, const TpTestCase *test) \
  { \
    return change; \
  }

/* Of 0 to @n - 1. */
static inline int
pick (int n)
{
  return g_test_rand_int_range (0, n);
}

/* Each ends with a NULL name. */
extern const TpTestMutation tp_test_part_mutations[];
/* Of what it says of itself. */
extern const TpTestMutation tp_test_whole_mutations[];
/* Of memory, which the checker in Python alone sees. */
extern const TpTestMutation tp_test_byte_mutations[];
extern const TpTestMutation tp_test_proof_mutations[];
extern const TpTestMutation tp_test_tie_mutations[];
extern const TpTestMutation tp_test_interval_mutations[];
/* Of plans for throughput, of two devices. */
extern const TpTestMutation tp_test_load_mutations[];
/* Of plans for makespan, of two devices and groups that are chains. */
extern const TpTestMutation tp_test_span_mutations[];
/* Of plans for energy, price and both, of two devices. */
extern const TpTestMutation tp_test_rated_mutations[];
/* Of plans for these, of three devices and more within limits of memory; the checker in
 * Python sees none of the first, which no file says. */
extern const TpTestMutation tp_test_fitting_mutations[];
#define TP_TEST_FITTING_ALONE 5
/* Where they are proved by shares. */
extern const TpTestMutation tp_test_fitting_share_mutations[];
/* Of plans for three devices and more. */
extern const TpTestMutation tp_test_share_mutations[];
/* Of plans within limits of memory that made them dearer. */
extern const TpTestMutation tp_test_memory_mutations[];
extern const TpTestMutation tp_test_bound_mutations[];
TpTestCase *tp_test_tight_case_new (void);
/* NULL: the limits bind nothing, or leave nothing. */
TpPlan *tp_test_place_tight (const TpTestCase *test);

/* Of plans for three devices and more within limits of memory; where they share what there
 * is, the first is none. */
extern const TpTestMutation tp_test_room_mutations[];
#define TP_TEST_ROOM_APART 1
TpTestCase *tp_test_room_case_new (int round);
/* NULL: the limits bind nothing, leave nothing, or nothing is known of what fits. */
TpPlan *tp_test_place_in_room (const TpTestCase *test);

/* Of plans for three and four devices within limits of memory, with a proof by sweeps:
 * that device @device holds @bytes at most, or more, and a sweep of each. With what
 * tp_check () says of them; the first no file says. */
typedef struct
{
  TpTestMutation mutation;
  const char *reason;
} TpTestRefusal;
extern const TpTestRefusal tp_test_sweep_refusals[];
void tp_test_add_sweeps (TpPlan *plan, int device, gint64 bytes,
                         gint64 bound_ns);
TpTestCase *tp_test_sweep_case_new (int round);
/* With a bound that both sweeps prove, as all placements say; NULL: the limits bind
 * nothing, or leave nothing. */
TpPlan *tp_test_place_sweeps (const TpTestCase *test, int round);

/* Some case for three devices and more; of every five one has no host. */
TpTestCase *tp_test_share_case_new (int round);

/* As of two real devices, large enough to show in small costs. */
TpCostErrors *tp_test_errors_new (void);

#endif
