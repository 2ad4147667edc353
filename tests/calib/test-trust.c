/* test-trust.c: guesses win nothing that was measured elsewhere, and those of a device
 * beside the host nothing from the host; no op is left without a place by that. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/trust.h"

#define MEASURED 1000
#define GUESSED 10

static const char *const both[] = { "cpu", "opencl:0", NULL };
static const char *const simulated[] = { "cpu", "sim:laptop-gpu", NULL };

typedef struct
{
  TpGraph *graph;
  TpGroups *groups;
  TpCosts *costs;
} Fixture;

static void
set (TpCost *cost, gint64 time_ns)
{
  cost->time_ns = time_ns;
  cost->is_estimated = time_ns == GUESSED;
}

/* Measured on the host, guessed on the other device; one group of two. */
static void
fill (Fixture *fixture, const char *const *devices, gint64 on_host)
{
  fixture->costs = tp_costs_new (2, devices, fixture->graph, fixture->groups);
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    {
      set (tp_costs_node (fixture->costs, i, 0), on_host);
      set (tp_costs_node (fixture->costs, i, 1), GUESSED);
    }
  set (tp_costs_group (fixture->costs, 0, 0), on_host);
  set (tp_costs_group (fixture->costs, 0, 1), GUESSED);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->graph = make_small_graph (16);
  fixture->groups = tp_groups_new ();
  tp_groups_add (fixture->groups, (const int[]) { 0, 1 }, 2);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tp_costs_unref (fixture->costs);
  tp_groups_free (fixture->groups);
  tp_graph_unref (fixture->graph);
}

static gint64
get_node (const Fixture *fixture, int node)
{
  return tp_costs_node (fixture->costs, node, 1)->time_ns;
}

static gint64
get_group (const Fixture *fixture)
{
  return tp_costs_group (fixture->costs, 0, 1)->time_ns;
}

static void
test_measured_host (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    {
      g_assert_cmpint (get_node (fixture, i), ==, TP_COST_NONE);
      g_assert_nonnull (tp_costs_node (fixture->costs, i, 1)->reason);
      g_assert_cmpint (tp_costs_node (fixture->costs, i, 0)->time_ns, ==,
                       MEASURED);
    }
  g_assert_cmpint (get_group (fixture), ==, TP_COST_NONE);
}

/* Where nothing was measured the host's guesses stay: it is what runs without a
 * device. */
static void
test_guessed_host (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, GUESSED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, TP_COST_NONE);
  g_assert_cmpint (tp_costs_node (fixture->costs, 0, 0)->time_ns, ==, GUESSED);
  g_assert_cmpint (tp_costs_group (fixture->costs, 0, 0)->time_ns, ==,
                   GUESSED);
}

/* What was measured on the device stays; a group of such ops that was not would
 * save by guess. */
static void
test_measured_device (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, MEASURED);
  set (tp_costs_node (fixture->costs, 0, 1), MEASURED);
  set (tp_costs_node (fixture->costs, 1, 1), MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, MEASURED);
  g_assert_cmpint (get_node (fixture, 3), ==, TP_COST_NONE);
  g_assert_cmpint (get_group (fixture), ==, TP_COST_NONE);
}

/* Who has op 0 then: by what is known on the host, and on the device. */
static void
test_quadrants (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    gint64 host, device;
    gboolean stays_on_host, stays_on_device;
  } cases[] = {
    { MEASURED, MEASURED, TRUE, TRUE },
    { MEASURED, GUESSED, TRUE, FALSE },
    { GUESSED, MEASURED, FALSE, TRUE },
    { GUESSED, GUESSED, TRUE, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TpCost *host, *device;

      g_clear_pointer (&fixture->costs, tp_costs_unref);
      fill (fixture, both, cases[i].host);
      set (tp_costs_node (fixture->costs, 0, 1), cases[i].device);
      tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
      host = tp_costs_node (fixture->costs, 0, 0);
      device = tp_costs_node (fixture->costs, 0, 1);
      g_assert_cmpint (host->time_ns, ==,
                       cases[i].stays_on_host ? cases[i].host : TP_COST_NONE);
      g_assert_cmpint (device->time_ns, ==,
                       cases[i].stays_on_device ? cases[i].device
                                                : TP_COST_NONE);
      g_assert_cmpint (tp_trust_is_doubted (host), ==, !cases[i].stays_on_host);
      g_assert_cmpint (tp_trust_is_doubted (device), ==,
                       !cases[i].stays_on_device);
    }
}

/* The host's guess of a group: where all it takes ops from are guesses themselves it
 * stays, and goes where one was measured. */
static void
test_host_group (Fixture *fixture, gconstpointer data)
{
  for (int is_rival = 0; is_rival < 2; is_rival++)
    {
      g_clear_pointer (&fixture->costs, tp_costs_unref);
      fill (fixture, both, MEASURED);
      set (tp_costs_group (fixture->costs, 0, 0), GUESSED);
      set (tp_costs_node (fixture->costs, 1, 1), is_rival ? MEASURED : GUESSED);
      tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
      g_assert_cmpint (tp_costs_group (fixture->costs, 0, 0)->time_ns, ==,
                       is_rival ? TP_COST_NONE : GUESSED);
      g_assert_cmpint (tp_costs_node (fixture->costs, 1, 0)->time_ns, ==,
                       MEASURED);
    }
}

/* ---- what is to be together ------------------------------------------------ */

static const int pair[] = { 0, 1 };
static const TpColocation pairs[] = { { 2, pair } };
static const int pair_of[] = { 0, 0, -1, -1 };

/* Costs of ops 0 and 1, that are to be on one device, on each. */
static void
trust_pair (Fixture *fixture, const gint64 (*times)[2])
{
  TpGraph *graph = fixture->graph;

  g_assert_cmpint (graph->n_nodes, ==, (int) G_N_ELEMENTS (pair_of));
  g_clear_pointer (&fixture->costs, tp_costs_unref);
  fill (fixture, both, MEASURED);
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 2; d++)
      set (tp_costs_node (fixture->costs, i, d), times[i][d]);
  graph->n_colocations = 1;
  graph->colocations = pairs;
  graph->colocation_of = pair_of;
  tp_trust_measured (fixture->costs, graph, fixture->groups);
  graph->n_colocations = 0;
  graph->colocations = NULL;
  graph->colocation_of = NULL;
}

static gboolean
has_pair (const Fixture *fixture, int device)
{
  return tp_costs_node (fixture->costs, 0, device)->time_ns != TP_COST_NONE
         && tp_costs_node (fixture->costs, 1, device)->time_ns != TP_COST_NONE;
}

/* Wherever both could be, they still can, on a device that knows both if there is such,
 * and else on the host: all there is of measured, guessed and not there. */
static void
test_together (Fixture *fixture, gconstpointer data)
{
  static const gint64 kinds[] = { MEASURED, GUESSED, TP_COST_NONE };

  for (int i = 0; i < 81; i++)
    {
      const gint64 times[2][2] = { { kinds[i % 3], kinds[i / 3 % 3] },
                                   { kinds[i / 9 % 3], kinds[i / 27] } };
      gboolean can[2], knows[2];

      for (int d = 0; d < 2; d++)
        {
          can[d] = times[0][d] != TP_COST_NONE && times[1][d] != TP_COST_NONE;
          knows[d] = times[0][d] == MEASURED && times[1][d] == MEASURED;
        }
      trust_pair (fixture, times);
      g_assert_cmpint (has_pair (fixture, 0), ==,
                       can[0] && (knows[0] || !knows[1]));
      g_assert_cmpint (has_pair (fixture, 1), ==,
                       can[1] && (knows[1] || !can[0]));
      for (int k = 0; k < 4; k++)
        if (times[k / 2][k % 2] == MEASURED)
          g_assert_cmpint (
              tp_costs_node (fixture->costs, k / 2, k % 2)->time_ns, ==,
              MEASURED);
    }
}

/* ---- pins and made-up devices ---------------------------------------------- */

/* A host that an op is pinned to keeps its guess. */
static void
test_pinned_to_host (Fixture *fixture, gconstpointer data)
{
  const char *pins[] = { "cpu", NULL };

  fill (fixture, both, GUESSED);
  for (int i = 0; i < 2; i++)
    set (tp_costs_node (fixture->costs, i, 1), MEASURED);
  fixture->graph->nodes[0].pins = pins;
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  fixture->graph->nodes[0].pins = NULL;
  g_assert_cmpint (tp_costs_node (fixture->costs, 0, 0)->time_ns, ==, GUESSED);
  g_assert_cmpint (tp_costs_node (fixture->costs, 1, 0)->time_ns, ==,
                   TP_COST_NONE);
}

/* The host's guess is no worse than what a made-up device is said to take. */
static void
test_beside_simulated (Fixture *fixture, gconstpointer data)
{
  fill (fixture, simulated, GUESSED);
  set (tp_costs_node (fixture->costs, 0, 1), MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (tp_costs_node (fixture->costs, 0, 0)->time_ns, ==, GUESSED);
}

/* Once more takes nothing away: what checks a plan does so. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  static const gint64 kinds[] = { MEASURED, GUESSED, TP_COST_NONE };

  for (int round = 0; round < 200; round++)
    {
      gint64 times[4][2];

      g_clear_pointer (&fixture->costs, tp_costs_unref);
      fill (fixture, both, MEASURED);
      for (int i = 0; i < 8; i++)
        set (tp_costs_node (fixture->costs, i / 2, i % 2),
             kinds[g_test_rand_int_range (0, 3)]);
      for (int turn = 0; turn < 2; turn++)
        {
          tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
          for (int i = 0; i < 8; i++)
            if (turn == 0)
              times[i / 2][i % 2]
                  = tp_costs_node (fixture->costs, i / 2, i % 2)->time_ns;
            else
              g_assert_cmpint (
                  tp_costs_node (fixture->costs, i / 2, i % 2)->time_ns, ==,
                  times[i / 2][i % 2]);
        }
    }
}

/* An op that can run nowhere else keeps what there is. */
static void
test_only_there (Fixture *fixture, gconstpointer data)
{
  const char *pins[] = { "opencl:0", NULL };

  fill (fixture, both, MEASURED);
  fixture->graph->nodes[3].pins = pins;
  tp_costs_node (fixture->costs, 0, 0)->time_ns = TP_COST_NONE;
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  fixture->graph->nodes[3].pins = NULL;
  g_assert_cmpint (get_node (fixture, 0), ==, GUESSED);
  g_assert_cmpint (get_node (fixture, 1), ==, TP_COST_NONE);
  g_assert_cmpint (get_node (fixture, 3), ==, GUESSED);
}

/* A made-up device is guesses by nature. */
static void
test_simulated (Fixture *fixture, gconstpointer data)
{
  fill (fixture, simulated, MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, GUESSED);
  g_assert_cmpint (get_group (fixture), ==, GUESSED);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/trust/measured-host", test_measured_host },
    { "/trust/guessed-host", test_guessed_host },
    { "/trust/measured-device", test_measured_device },
    { "/trust/quadrants", test_quadrants },
    { "/trust/host-group", test_host_group },
    { "/trust/together", test_together },
    { "/trust/pinned-to-host", test_pinned_to_host },
    { "/trust/beside-simulated", test_beside_simulated },
    { "/trust/again", test_again },
    { "/trust/only-there", test_only_there },
    { "/trust/simulated", test_simulated },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
