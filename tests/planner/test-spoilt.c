/* test-spoilt.c: what plans say of ops, groups, transfers, figures and of themselves,
 * spoilt: neither checker takes it, whatever kind of proof a plan has. What spoils the proof
 * itself is with the tests of each kind. */
#include "config.h"

#include "chain-case.h"
#include "doubt.h"
#include "ir/plan-memory.h"
#include "lies.h"
#include "memory-case.h"
#include "planner/place.h"
#include "random-rates.h"
#include "rated-case.h"

#include <string.h>

#define TRIES 20              /* to find limits that bind */

/* ---- kinds ------------------------------------------------------------------ */

static TpTestCase *
make_several (int round)
{
  TpTestSpec spec = tp_test_spec_steady (g_test_rand_int_range (8, 25));
  TpTestCase *test;

  spec.n_devices = 3 + round % 2;
  spec.host = round % spec.n_devices;
  test = tp_test_case_new (&spec);
  tp_test_case_rate (test);
  return test;
}

/* Some op where it is to be. */
static void
pin (const TpTestCase *test)
{
  static const char *const pins[][2]
      = { { "cpu", NULL }, { "opencl:0", NULL } };
  TpNode *node = &test->graph->nodes[pick (test->graph->n_nodes)];
  int device = pick (2), index = (int) (node - test->graph->nodes);

  if (tp_costs_node (test->costs, index, device)->time_ns != TP_COST_NONE)
    {
      node->pins = pins[device];
      g_clear_pointer (&test->graph->outline, g_free); /* has it otherwise */
    }
}

static TpTestCase *
make_memory_case (int n_devices)
{
  int n_ops = g_test_rand_int_range (6, 14);
  TpTestCase *test = n_devices == 2 ? tp_memory_case_new (n_ops)
                                    : tp_memory_case_new_for (n_devices, n_ops);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  pin (test);
  tp_test_case_rate (test);
  tp_costs_seal (test->costs);
  return test;
}

static TpPlan *
place (const TpTestCase *test, const char *objective, const gint64 *limits)
{
  const TpPlaceOptions options = { .objective = objective, .limits = limits };
  TpPlan *plan = tp_place_with (test->graph, test->groups, test->costs,
                                &options, NULL);

  if (plan != NULL)
    tp_plan_count_memory (plan, test->graph);
  return plan;
}

static TpTestCase *
make_large (int round)
{
  return make_memory_case (3);
}

static TpPlan *
place_load (const TpTestCase *test, int round)
{
  return place (test, "throughput", NULL);
}

/* Groups are chains; on half of them engines slow each other down. */
static TpTestCase *
make_scheduled (int round)
{
  TpTestCase *test = tp_test_chain_case_new_for (14, 3 + round / 2 % 2);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  if (round % 2)
    tp_test_case_slow (test);
  tp_test_case_doubt (test);
  return test;
}

static TpPlan *
place_span (const TpTestCase *test, int round)
{
  return place (test, "makespan", NULL);
}

static TpTestCase *
make_tight (int round)
{
  return make_memory_case (2 + round % 2);
}

static gboolean
is_known (const TpPlan *plan)
{
  return plan->span_proof != NULL   ? plan->span_proof->room != NULL
         : plan->load_proof != NULL ? plan->load_proof->room != NULL
                                    : plan->rate_proof->room != NULL;
}

/* NULL: nothing is known of what fits, or nothing does. */
static TpPlan *
place_tight (const TpTestCase *test, const char *objective)
{
  g_autoptr (TpPlan) free = place (test, objective, NULL);
  g_autofree guint8 *devices = tp_test_plan_devices (free);
  gint64 bytes[TP_TEST_MAX_DEVICES];

  tp_memory_case_count (test, devices, bytes);
  for (int i = 0; i < TRIES; i++)
    {
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
      g_autoptr (TpPlan) plan = NULL;

      for (int d = 1; d < free->n_devices; d++)
        limits[d] = bytes[d] * g_test_rand_int_range (30, 90) / 100 + 1;
      plan = place (test, objective, limits);
      if (plan != NULL && is_known (plan))
        return g_steal_pointer (&plan);
    }
  return NULL;
}

static TpPlan *
place_load_room (const TpTestCase *test, int round)
{
  return place_tight (test, "throughput");
}

static TpPlan *
place_span_room (const TpTestCase *test, int round)
{
  return place_tight (test, "makespan");
}

static TpPlan *
place_rate_room (const TpTestCase *test, int round)
{
  return place_tight (test, "energy");
}

typedef struct
{
  const char *name;
  TpTestCase *(*make) (int round);
  TpPlan *(*place) (const TpTestCase *test, int round);
  const TpTestMutation *own;  /* instead of all others; NULL: these */
} Kind;

static const Kind kinds[] = {
  { "weighted-shares", make_several, place_load, NULL },
  { "rated-shares", make_several, tp_rated_case_place_free, NULL },
  { "schedule-several", make_large, place_span, NULL },
  { "schedule-proof", make_scheduled, place_span, tp_test_span_mutations },
  { "load-room", make_tight, place_load_room, NULL },
  { "span-room", make_tight, place_span_room, NULL },
  { "rate-room", make_tight, place_rate_room, NULL },
};

/* ---- mutations -------------------------------------------------------------- */

static const char *const none[] = { NULL };
/* What cannot be written down, or shows in no file but the model's. */
static const char *const unseen[]
    = { "change-figure-and-digest", "move-to-nowhere", "drop-placement",
        "change-host-to-nowhere", "drop-figures", "offer-nowhere",
        "cheapest-nowhere", NULL };

/* All but those @left_out. */
static void
add_all (GArray *list, const TpTestMutation *mutations,
         const char *const *left_out)
{
  for (; mutations->name != NULL; mutations++)
    if (!g_strv_contains (left_out, mutations->name))
      g_array_append_val (list, *mutations);
}

static void
test_kind (gconstpointer data, const char *const *left_out,
           GTestDataFunc check)
{
  const Kind *kind = data;
  g_autoptr (GArray) list = g_array_new (TRUE, FALSE, sizeof (TpTestMutation));
  TpTestLies lies = { NULL, kind->make, kind->place, 10, 2 };

  add_all (list, kind->own != NULL ? kind->own : tp_test_part_mutations,
           left_out);
  if (kind->own == NULL)
    add_all (list, tp_test_whole_mutations, left_out);
  lies.mutations = (const TpTestMutation *) (void *) list->data;
  check (&lies);
}

static void
test_lies (gconstpointer data)
{
  test_kind (data, none, tp_test_lies_check);
}

static void
test_second (gconstpointer data)
{
  test_kind (data, unseen, tp_test_lies_check_second);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *first = g_strdup_printf ("/spoilt/%s/check",
                                                kinds[i].name);
      g_autofree char *second = g_strdup_printf ("/spoilt/%s/second",
                                                 kinds[i].name);

      g_test_add_data_func (first, &kinds[i], test_lies);
      g_test_add_data_func (second, &kinds[i], test_second);
    }
  return g_test_run ();
}
