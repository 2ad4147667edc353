/* test-margins.c: the checker takes the margins that the planner finds, whatever the
 * proof, and no others. */
#include "config.h"

#include "ir/plan.h"
#include "memory-case.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/margin.h"
#include "planner/place.h"
#include "random-graph.h"

/* A case, and its plan with margins. */
typedef struct
{
  TpTestCase *test;
  TpPlan *plan;               /* NULL: there is none of this kind */
} Case;

static void
case_clear (Case *it)
{
  g_clear_pointer (&it->test, tp_test_case_free);
  g_clear_pointer (&it->plan, tp_plan_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

typedef void (*Make) (Case *it, int n_ops);

static void
make_cut (Case *it, int n_ops)
{
  TpTestSpec spec = tp_test_spec_together (n_ops);
  g_autoptr (GError) error = NULL;

  it->test = tp_test_case_new (&spec);
  it->plan = tp_place (it->test->graph, it->test->groups, it->test->costs,
                       "time", &error);
  g_assert_no_error (error);
}

/* With so much noise that ties are broken. */
static void
make_tie (Case *it, int n_ops)
{
  TpTestSpec spec = tp_test_spec_together (n_ops);
  g_autoptr (GError) error = NULL;

  it->test = tp_test_case_new (&spec);
  for (int i = 0; i < 2 * it->test->costs->n_nodes; i++)
    it->test->costs->nodes[i].spread_ns = spec.max_cost / 2;
  tp_costs_seal (it->test->costs);
  it->plan = tp_place_within_noise (it->test->graph, it->test->groups,
                                    it->test->costs, "time", &error);
  g_assert_no_error (error);
  if (it->plan->tie_price_ns == 0)
    g_clear_pointer (&it->plan, tp_plan_unref);
}

static void
make_several (Case *it, int n_ops)
{
  TpTestSpec spec = tp_test_spec_together (n_ops);
  g_autoptr (GError) error = NULL;

  spec.n_devices = g_test_rand_int_range (3, 5);
  it->test = tp_test_case_new (&spec);
  it->plan = tp_place_within_noise (it->test->graph, it->test->groups,
                                    it->test->costs, "time", &error);
  g_assert_no_error (error);
}

static void
make_fitting (Case *it, int n_ops)
{
  gint64 limits[TP_TEST_MAX_DEVICES];

  it->test = g_test_rand_bit () ? tp_memory_case_new (n_ops)
                                : tp_memory_case_new_together (2, n_ops);
  it->plan = tp_memory_case_place_tight (it->test, TP_MEMORY_CASE_CUTS, limits);
}

/* FALSE: there is no such plan, or no op has any margin to lie about. */
static gboolean
make_case (Case *it, Make make, int n_ops)
{
  int n = 0;

  make (it, n_ops);
  if (it->plan == NULL)
    return FALSE;
  g_assert_true (tp_place_margins (it->plan, it->test->graph, NULL));
  for (int i = 0; i < it->plan->n_placements; i++)
    n += it->plan->placements[i].margin_ns >= 0;
  tp_test_assert_checked (it->plan, it->test->graph);
  return n > 1;
}

/* ---- lies ------------------------------------------------------------------ */

typedef struct
{
  const char *path;
  Make make;
  int n_ops;
  void (*lie) (const TpPlan *plan, TpPlacement *it);
} Lie;

static void
raise_it (const TpPlan *plan, TpPlacement *it)
{
  it->margin_ns++;
}

/* Of bounds that say nothing it is all that can be said. */
static void
lower_it (const TpPlan *plan, TpPlacement *it)
{
  it->margin_ns = it->margin_ns > 0 ? it->margin_ns - 1 : 1;
}

static void
raise_much (const TpPlan *plan, TpPlacement *it)
{
  it->margin_ns += plan->cost_ns + 100000;
}

static void
raise_beyond (const TpPlan *plan, TpPlacement *it)
{
  it->margin_ns = TP_PLAN_MAX_NUMBER;
}

static void
drop_it (const TpPlan *plan, TpPlacement *it)
{
  it->margin_ns = -1;
  it->is_margin_least = FALSE;
}

static void
turn_form (const TpPlan *plan, TpPlacement *it)
{
  it->is_margin_least = !it->is_margin_least;
}

static void
lower_all (const TpPlan *plan, TpPlacement *it)
{
  gint64 own = it->margin_ns;

  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns > 0)
      plan->placements[i].margin_ns = 0;
  it->margin_ns = own + 1;
}

static const Lie lies[] = {
  { "/margins/cut/raised", make_cut, 12, raise_it },
  { "/margins/cut/lowered", make_cut, 12, lower_it },
  { "/margins/cut/dropped", make_cut, 12, drop_it },
  { "/margins/cut/at-least", make_cut, 12, turn_form },
  { "/margins/cut/all-lowered", make_cut, 12, lower_all },
  { "/margins/cut/larger/raised", make_cut, 900, raise_it },
  { "/margins/cut/larger/lowered", make_cut, 900, lower_it },
  { "/margins/cut/large/raised", make_cut, 3000, raise_much },
  { "/margins/cut/large/beyond", make_cut, 3000, raise_beyond },
  { "/margins/tie/raised", make_tie, 12, raise_it },
  { "/margins/tie/lowered", make_tie, 12, lower_it },
  { "/margins/tie/larger/raised", make_tie, 300, raise_it },
  { "/margins/tie/larger/lowered", make_tie, 300, lower_it },
  { "/margins/fitting/raised", make_fitting, 9, raise_it },
  { "/margins/fitting/lowered", make_fitting, 9, lower_it },
  { "/margins/fitting/exact", make_fitting, 9, turn_form },
  { "/margins/several/raised", make_several, 12, raise_much },
  { "/margins/several/beyond", make_several, 12, raise_beyond },
  { "/margins/several/exact", make_several, 12, turn_form },
  { "/margins/several/dropped", make_several, 12, drop_it },
};

static void
test_lie (gconstpointer data)
{
  const Lie *lie = data;
  int n_rounds = lie->n_ops > 100 ? 3 : 40, n = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
      g_auto (Case) it = { NULL, NULL };
      int op;

      if (!make_case (&it, lie->make, lie->n_ops))
        continue;
      do
        op = g_test_rand_int_range (0, it.plan->n_placements);
      while (it.plan->placements[op].margin_ns < 0);
      lie->lie (it.plan, &it.plan->placements[op]);
      g_assert_false (tp_check (it.plan, it.test->graph, reasons));
      g_assert_cmpuint (reasons->len, ==, 1);
      n++;
    }
  if (lie->n_ops <= 100)
    g_assert_cmpint (n, >, 3);
}

/* ---- truth ----------------------------------------------------------------- */

/* Also of many ops, of which some are looked at, and of proofs that know none. */
static void
test_taken (void)
{
  static const struct
  {
    Make make;
    int n_ops, n_rounds;
  } all[] = {
    { make_cut, 20, 200 }, { make_cut, 2500, 2 }, { make_tie, 20, 200 },
    { make_tie, 1500, 2 }, { make_several, 15, 60 }, { make_several, 200, 2 },
    { make_fitting, 9, 40 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    for (int round = 0; round < all[i].n_rounds; round++)
      {
        g_auto (Case) it = { NULL, NULL };

        make_case (&it, all[i].make, all[i].n_ops);
      }
}

/* Nothing says what they are where runs overlap. */
static void
test_none (void)
{
  TpTestSpec spec = { .n_ops = 10, .max_cost = 100 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpPlan) plan = tp_test_place (test, "throughput");

  g_assert_true (tp_check (plan, test->graph, reasons));
  plan->placements[0].margin_ns = 0;
  g_assert_false (tp_check (plan, test->graph, reasons));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/margins/taken", test_taken);
  g_test_add_func ("/margins/none", test_none);
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    g_test_add_data_func (lies[i].path, &lies[i], test_lie);
  return g_test_run ();
}
