/* test-heft.c: placements made op by op, each where it ends first, against the same
 * made without thrift from the words of docs/planner.md; they may be, and what plans
 * make of them is no later. */
#include "config.h"

#include "chain-case.h"
#include "place-case.h"
#include "planner/heft.h"
#include "planner/span-tasks.h"

#include <string.h>

#define MAX_OPS 24
#define MAX_BUSY (MAX_OPS * 8)
#define MANY_STEPS (1 << 20)

/* All there is at some time: a trial is a copy of it. */
typedef struct
{
  gint64 starts[TP_LOAD_MAX_ENGINES][MAX_BUSY], ends[TP_LOAD_MAX_ENGINES][MAX_BUSY];
  int n_busy[TP_LOAD_MAX_ENGINES];
  gint64 there[MAX_BUSY][TP_TEST_MAX_DEVICES + 1]; /* [tensor][device + 1]; -1 */
  guint8 devices[MAX_OPS + 1];
} State;

static gint64
find_copy (const TpTestCase *test, int tensor, int from, int to)
{
  gint64 time_ns = 0;

  if (from == to)
    return 0;
  if (from >= 0 && from != test->costs->host)
    time_ns += tp_costs_fetch (test->costs, tensor, from)->time_ns;
  if (to >= 0 && to != test->costs->host)
    time_ns += tp_costs_feed (test->costs, tensor, to)->time_ns;
  return time_ns;
}

/* The first time from @since at which nothing else goes on there. */
static gint64
occupy (State *state, int engine, gint64 since, gint64 time_ns)
{
  int n = state->n_busy[engine];
  gint64 first = G_MAXINT64;

  for (int k = -1; k < n; k++)
    {
      gint64 start = k < 0 ? since : MAX (since, state->ends[engine][k]);
      gboolean is_free = TRUE;

      for (int i = 0; i < n; i++)
        is_free &= start >= state->ends[engine][i]
                   || start + time_ns <= state->starts[engine][i];
      if (is_free)
        first = MIN (first, start);
    }
  if (time_ns == 0)
    return since;
  state->starts[engine][n] = first;
  state->ends[engine][n] = first + time_ns;
  state->n_busy[engine]++;
  return first + time_ns;
}

static gint64
fetch_or_feed (const TpTestCase *test, State *state, int tensor, int to)
{
  const TpTensor *it = &test->graph->tensors[tensor];
  int from = it->producer < 0 ? test->costs->host : state->devices[it->producer];
  gint64 *there = &state->there[tensor][to + 1];
  int n = test->costs->n_devices;

  if (*there >= 0)
    return *there;
  *there = state->there[tensor][from + 1];
  if (from >= 0 && from != test->costs->host)
    *there = occupy (state, 2 * n + from, *there,
                     tp_costs_fetch (test->costs, tensor, from)->time_ns);
  if (to >= 0 && to != test->costs->host)
    *there = occupy (state, n + to, *there,
                     tp_costs_feed (test->costs, tensor, to)->time_ns);
  return *there;
}

static gint64
run_op (const TpTestCase *test, State *state, int op, int device)
{
  const TpNode *node = &test->graph->nodes[op];
  gint64 since = 0, end, last;

  for (int k = 0; k < node->n_inputs; k++)
    if (node->inputs[k] >= 0
        && !tp_tensor_is_resident (&test->graph->tensors[node->inputs[k]]))
      {
        gint64 there = fetch_or_feed (test, state, node->inputs[k], device);

        since = MAX (since, there);
      }
  last = end = occupy (state, device, since,
                       tp_costs_node (test->costs, op, device)->time_ns);
  state->devices[op] = (guint8) device;
  for (int k = 0; k < node->n_outputs; k++)
    state->there[node->outputs[k]][device + 1] = end;
  for (int k = 0; k < node->n_outputs; k++)
    if (test->graph->tensors[node->outputs[k]].is_output)
      {
        gint64 there
            = fetch_or_feed (test, state, node->outputs[k], test->costs->host);

        last = MAX (last, there);
      }
  return last;
}

/* To the end, by means rounded down: of devices that have it, and of all pairs. */
static gint64
find_rank (const TpTestCase *test, const TpProblem *problem, int op)
{
  const TpNode *node = &test->graph->nodes[op];
  int n = test->costs->n_devices, n_able = 0;
  gint64 sum = 0, most = 0;

  for (int d = 0; d < n; d++)
    if (tp_problem_node_cost (problem, op, d) != TP_COST_NONE)
      {
        sum += tp_costs_node (test->costs, op, d)->time_ns;
        n_able++;
      }
  for (int k = 0; k < node->n_outputs; k++)
    {
      const TpTensor *it = &test->graph->tensors[node->outputs[k]];
      gint64 copies = 0, after = 0;

      for (int pair = 0; pair < n * n; pair++)
        copies += find_copy (test, node->outputs[k], pair / n, pair % n);
      for (int c = 0; c < it->n_consumers; c++)
        {
          gint64 rank = find_rank (test, problem, it->consumers[c]);

          after = MAX (after, rank);
        }
      if (it->is_output || it->n_consumers > 0)
        most = MAX (most, copies / (n * n) + after);
    }
  return sum / n_able + most;
}

/* The op of the highest rank, the first of equals. */
static int
pick_op (const gint64 *ranks, const gboolean *is_placed, int n)
{
  int best = -1;

  for (int i = 0; i < n; i++)
    if (!is_placed[i] && (best < 0 || ranks[i] > ranks[best]))
      best = i;
  return best;
}

static void
place_plainly (const TpTestCase *test, const TpProblem *problem, State *state)
{
  int n = test->graph->n_nodes;
  gboolean is_placed[MAX_OPS] = { FALSE };
  gint64 ranks[MAX_OPS];

  memset (state->n_busy, 0, sizeof state->n_busy);
  memset (state->there, -1, sizeof state->there);
  for (int i = 0; i < test->graph->n_tensors; i++)
    if (test->graph->tensors[i].producer < 0)
      state->there[i][test->costs->host + 1] = 0;
  for (int i = 0; i < n; i++)
    ranks[i] = find_rank (test, problem, i);
  for (int i = 0; i < n; i++)
    {
      int op = pick_op (ranks, is_placed, n);
      State first = *state;
      gint64 least = G_MAXINT64;

      for (int d = 0; d < test->costs->n_devices; d++)
        {
          State tried = *state;
          gint64 end;

          if (tp_problem_node_cost (problem, op, d) == TP_COST_NONE)
            continue;
          end = run_op (test, &tried, op, d);
          if (end < least)
            first = tried;
          least = MIN (least, end);
        }
      *state = first;
      is_placed[op] = TRUE;
    }
}

/* Of ops that are each alone. */
static void
test_plainly (void)
{
  int n_mixed = 0;

  for (int round = 0; round < 300; round++)
    {
      TpTestSpec spec = { .n_ops = g_test_rand_int_range (2, MAX_OPS / 2),
                          .n_devices = 2 + round % 3,
                          .max_cost = round % 2 == 0 ? 9 : 1000,
                          .has_pins = round % 4 == 0, .has_gaps = round % 3 == 0,
                          .host = round % 5 == 0 ? TP_COSTS_HOST : round % 2 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpProblem) problem = tp_test_case_problem (test);
      int n = test->graph->n_nodes;
      guint8 devices[MAX_OPS + 1] = { 0 };
      State state;

      g_assert_cmpint (n, <=, MAX_OPS);
      g_assert_cmpint (test->graph->n_tensors, <, MAX_BUSY);
      place_plainly (test, problem, &state);
      g_assert_true (tp_heft_place (problem, MANY_STEPS, devices));
      g_assert_cmpmem (devices, n, state.devices, n);
      for (int i = 1; i < n; i++)
        n_mixed += devices[i] != devices[i - 1];
    }
  g_assert_cmpint (n_mixed, >, 300);
}

/* With groups, and what is to be together or stays where it is. */
static void
test_may_be (void)
{
  int n_sooner = 0, n_later = 0, n_rounds = 100;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (30);
      g_autoptr (TpProblem) problem = tp_test_case_problem (test);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autofree guint8 *cheapest = tp_test_plan_devices (plan);
      g_autofree guint8 *devices = g_new0 (guint8, test->graph->n_nodes + 1);
      g_autoptr (TpSpanTasks) before = tp_span_tasks_new (problem, cheapest);
      g_autoptr (TpSpanTasks) after = NULL;
      g_autoptr (TpPlan) spanned = NULL;
      gint64 loads[TP_LOAD_MAX_ENGINES], was, is;

      g_assert_true (tp_heft_place (problem, MANY_STEPS, devices));
      g_assert_true (tp_test_case_loads (test, devices, loads));
      after = tp_span_tasks_new (problem, devices);
      was = tp_span_tasks_schedule (before);
      is = tp_span_tasks_schedule (after);
      n_sooner += is < was;
      n_later += is > was;
      tp_costs_seal (test->costs);
      spanned = tp_test_place (test, "makespan");
      tp_test_assert_checked (spanned, test->graph);
      g_assert_cmpint (spanned->span_proof->span_ns, <=, MIN (was, is));
    }
  g_test_message ("of %d, %d end sooner than the cheapest plan does, %d later",
                  n_rounds, n_sooner, n_later);
  g_assert_cmpint (n_sooner, >, 0);
  g_assert_cmpint (n_later, >, 0);
}

/* What is too much is given up. */
static void
test_enough (void)
{
  TpTestSpec spec = { .n_ops = 200, .n_devices = 2, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_autofree guint8 *devices = g_new0 (guint8, test->graph->n_nodes + 1);

  g_assert_false (tp_heft_place (problem, 100, devices));
  g_assert_true (tp_heft_place (problem, MANY_STEPS, devices));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/heft/plainly", test_plainly);
  g_test_add_func ("/heft/may-be", test_may_be);
  g_test_add_func ("/heft/enough", test_enough);
  return g_test_run ();
}
