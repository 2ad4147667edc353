/* test-span.c: schedules of one run whose engines work at once, and how soon one can
 * end at all, against all placements and all orders. */
#include "config.h"

#include "chain-case.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/place.h"
#include "planner/span-tasks.h"
#include "planner/span.h"

#include <string.h>

#define MAX_TASKS 64

/* From the words of docs/planner.md: what engines have to do. */
typedef struct
{
  int n;
  gint64 times[MAX_TASKS];
  int engines[MAX_TASKS];
  guint64 before[MAX_TASKS];  /* bits */
} Work;

typedef struct
{
  const Work *work;
  gint64 ends[MAX_TASKS];
  gint64 free_at[TP_LOAD_MAX_ENGINES];
  gint64 best;
} Search;

/* ---- all there is ---------------------------------------------------------- */

static int
add_task (Work *work, int engine, gint64 time_ns, guint64 before)
{
  g_assert_cmpint (work->n, <, MAX_TASKS);
  work->times[work->n] = time_ns;
  work->engines[work->n] = engine;
  work->before[work->n] = before;
  return work->n++;
}

/* [node]: the one it runs with. */
static void
add_kernels (Work *work, const TpTestCase *test, const guint8 *devices, int *units)
{
  for (int i = 0; i < test->graph->n_nodes; i++)
    units[i] = add_task (work, devices[i],
                         tp_costs_node (test->costs, i, devices[i])->time_ns, 0);
  for (int g = 0; g < test->groups->n_groups; g++)
    {
      const TpGroup *it = &test->groups->groups[g];
      int device = devices[it->nodes[0]], last = it->nodes[it->n_nodes - 1];
      gint64 fused = tp_costs_group (test->costs, g, device)->time_ns, sum = 0;

      for (int k = 0; k < it->n_nodes; k++)
        sum += devices[it->nodes[k]] == device
                   ? tp_costs_node (test->costs, it->nodes[k], device)->time_ns
                   : -TP_COST_NONE / 2;
      if (fused >= sum)
        continue;
      for (int k = 0; k < it->n_nodes; k++)
        {
          work->times[it->nodes[k]] = 0;
          units[it->nodes[k]] = last;
        }
      work->times[last] = fused;
    }
}

/* The task that ends @copy, as a bit; @made: the one that makes its tensor. 0: it is
 * there. */
static guint64
bring (Work *work, const TpTestCase *test, const TpTransfer *copy, guint64 made)
{
  int host = test->costs->host, n = test->costs->n_devices, t = copy->tensor;
  guint64 one = 1;

  if (copy->from == copy->to)
    return made;
  if (copy->from != TP_COSTS_HOST && copy->from != host)
    made = one << add_task (
               work, 2 * n + copy->from,
               tp_costs_fetch (test->costs, t, copy->from)->time_ns, made);
  if (copy->to != TP_COSTS_HOST && copy->to != host)
    made = one << add_task (work, n + copy->to,
                            tp_costs_feed (test->costs, t, copy->to)->time_ns,
                            made);
  return made;
}

static void
add_tensor (Work *work, const TpTestCase *test, const guint8 *devices,
            const int *units, int index)
{
  const TpTensor *it = &test->graph->tensors[index];
  int host = test->costs->host;
  int from = it->producer < 0 ? host : devices[it->producer];
  guint64 made = it->producer < 0
                     ? 0
                     : G_GUINT64_CONSTANT (1) << units[it->producer];

  for (int to = TP_COSTS_HOST; to < test->costs->n_devices; to++)
    {
      gboolean is_wanted = it->is_output && to == host && from != host;
      guint64 there;

      for (int k = 0; k < it->n_consumers; k++)
        is_wanted |= devices[it->consumers[k]] == to;
      if (!is_wanted)
        continue;
      there = tp_tensor_is_resident (it)
                  ? made
                  : bring (work, test, &(TpTransfer){ index, from, to, 0, 0 },
                           made);
      for (int k = 0; k < it->n_consumers; k++)
        if (devices[it->consumers[k]] == to)
          work->before[units[it->consumers[k]]]
              |= there & ~(G_GUINT64_CONSTANT (1) << units[it->consumers[k]]);
    }
}

static void
fill_work (Work *work, const TpTestCase *test, const guint8 *devices)
{
  int units[MAX_TASKS];

  work->n = 0;
  add_kernels (work, test, devices, units);
  for (int i = 0; i < test->graph->n_tensors; i++)
    add_tensor (work, test, devices, units, i);
  for (int i = 0; i < work->n && tp_costs_is_one_engine (test->costs); i++)
    work->engines[i] = 0;
}

/* When @task would begin. */
static gint64
find_start (const Search *search, int task)
{
  gint64 start = search->work->times[task] == 0
                     ? 0
                     : search->free_at[search->work->engines[task]];

  for (int i = 0; i < search->work->n; i++)
    if (search->work->before[task] >> i & 1)
      start = MAX (start, search->ends[i]);
  return start;
}

/* Whether some engine has too much left to do. */
static gboolean
is_late (const Search *search, guint64 done)
{
  gint64 ends[TP_LOAD_MAX_ENGINES];

  memcpy (ends, search->free_at, sizeof ends);
  for (int i = 0; i < search->work->n; i++)
    if (!(done >> i & 1))
      ends[search->work->engines[i]] += search->work->times[i];
  for (int e = 0; e < TP_LOAD_MAX_ENGINES; e++)
    if (ends[e] >= search->best)
      return TRUE;
  return FALSE;
}

/* All orders, in each of which none begins before the one before it. */
static void
try_orders (Search *search, guint64 done, gint64 since, gint64 span)
{
  const Work *work = search->work;

  if (span >= search->best || is_late (search, done))
    return;
  if (done == (G_GUINT64_CONSTANT (1) << work->n) - 1)
    search->best = span;
  for (int i = 0; i < work->n; i++)
    {
      gint64 start = find_start (search, i);
      gint64 end = start + work->times[i];
      gint64 *free_at = &search->free_at[work->engines[i]], kept = *free_at;

      if ((done >> i & 1) || (work->before[i] & ~done)
          || (start < since && work->times[i] > 0))
        continue;
      search->ends[i] = end;
      *free_at = work->times[i] == 0 ? kept : end;
      try_orders (search, done | G_GUINT64_CONSTANT (1) << i,
                  work->times[i] == 0 ? since : start, MAX (span, end));
      *free_at = kept;
      if (work->times[i] == 0)
        return;               /* it might as well be now */
    }
}

/* The least, if that is below @most. */
static gint64
try_placements (const TpTestCase *test, gint64 most)
{
  int n = test->graph->n_nodes;
  gint64 loads[TP_LOAD_MAX_ENGINES];
  guint8 devices[16] = { 0 };
  Search search = { .best = most };

  do
    {
      Work work;

      if (tp_test_case_loads (test, devices, loads))
        {
          fill_work (&work, test, devices);
          search.work = &work;
          memset (search.free_at, 0, sizeof search.free_at);
          try_orders (&search, 0, 0, 0);
        }
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return search.best;
}

/* ---- tests ----------------------------------------------------------------- */

static gint64
find_span (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (problem, devices);

  return tp_span_tasks_schedule (tasks);
}

static guint8 *
dup_cheapest (const TpTestCase *test, gint64 *out_cost)
{
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");

  *out_cost = plan->cost_ns;
  return tp_test_plan_devices (plan);
}

/* What there is in all orders of all placements of up to so many ops. */
typedef struct
{
  int n_devices, n_ops;
  gboolean is_same_silicon;
} Kind;

static const Kind kinds[] = { { 2, 6, FALSE }, { 2, 6, TRUE }, { 3, 5, FALSE },
                              { 4, 4, FALSE } };

static void
test_brute_force (gconstpointer data)
{
  const Kind *kind = data;
  int n_rounds = 200, n_best = 0, n_proved = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = tp_test_chain_case_new_for (kind->n_ops, kind->n_devices);
      g_autoptr (TpProblem) problem = NULL;
      g_autoptr (TpSpanProof) proof = NULL;
      g_autofree guint8 *devices = NULL;
      gint64 least, cost, before;

      test->costs->is_same_silicon = kind->is_same_silicon;
      problem = tp_test_case_problem (test);
      devices = dup_cheapest (test, &cost);
      before = find_span (problem, devices);
      g_assert_cmpint (before, <=, cost);
      proof = tp_span_solve (problem, 0, NULL, devices, NULL);
      least = try_placements (test, proof->span_ns + 1);
      g_assert_cmpint (proof->span_ns, ==, find_span (problem, devices));
      g_assert_cmpint (proof->span_ns, <=, before);
      g_assert_cmpint (proof->span_ns, >=, least);
      g_assert_cmpint (proof->bound_ns, <=, least);
      n_best += proof->span_ns == least;
      n_proved += proof->span_ns == proof->bound_ns;
    }
  g_test_message ("%d of %d are the best, %d are proved to be", n_best,
                  n_rounds, n_proved);
  g_assert_cmpint (n_best, >=, n_rounds * 4 / 5);
}

/* Waits for what it has to, and for its engine: by the work from the words. */
static void
check_schedule (const Work *work, const gint64 *starts)
{
  for (int i = 0; i < work->n; i++)
    for (int k = 0; k < work->n; k++)
      {
        gint64 end = starts[k] + work->times[k];

        if (work->before[i] >> k & 1)
          g_assert_cmpint (starts[i], >=, end);
        if (i != k && work->engines[i] == work->engines[k]
            && work->times[i] > 0 && work->times[k] > 0)
          g_assert_true (starts[i] >= end
                         || starts[k] >= starts[i] + work->times[i]);
      }
}

/* Halves of copies in the order of transfers, as tasks are in @work. */
static void
test_schedules (void)
{
  for (int round = 0; round < 500; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (7);
      g_autoptr (TpProblem) problem = tp_test_case_problem (test);
      g_autoptr (TpSpanProof) proof = NULL;
      g_autoptr (TpSpanTasks) tasks = NULL;
      g_autofree guint8 *devices = NULL;
      gint64 starts[MAX_TASKS], cost;
      int n = test->graph->n_nodes;
      Work work;

      devices = dup_cheapest (test, &cost);
      tasks = tp_span_tasks_new (problem, devices);
      tp_span_tasks_schedule (tasks);
      proof = tp_span_tasks_dup_proof (tasks);
      fill_work (&work, test, devices);
      for (int i = 0; i < n; i++)
        starts[i] = proof->starts[i];
      for (int i = 0; i < proof->n_transfers; i++)
        {
          if (proof->fetch_starts[i] >= 0)
            starts[n++] = proof->fetch_starts[i];
          if (proof->feed_starts[i] >= 0)
            starts[n++] = proof->feed_starts[i];
        }
      g_assert_cmpint (n, ==, work.n);
      check_schedule (&work, starts);
    }
}

static void
test_repeat (void)
{
  for (int round = 0; round < 9; round++)
    {
      TpTestSpec spec = { .n_ops = g_test_rand_int_range (50, 200),
                          .n_devices = 2 + round % 3, .max_cost = 60,
                          .has_pins = TRUE, .has_gaps = TRUE };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpProblem) problem = tp_test_case_problem (test);
      gint64 cost;
      g_autofree guint8 *devices = dup_cheapest (test, &cost);
      g_autofree guint8 *again = dup_cheapest (test, &cost);
      g_autoptr (TpSpanProof) first = tp_span_solve (problem, 0, NULL, devices, NULL);
      g_autoptr (TpSpanProof) second = tp_span_solve (problem, 0, NULL, again, NULL);

      g_assert_cmpmem (devices, spec.n_ops, again, spec.n_ops);
      g_assert_cmpint (first->bound_ns, <=, first->span_ns);
      g_assert_cmpmem (first->starts, sizeof (gint64) * first->n_nodes,
                       second->starts, sizeof (gint64) * second->n_nodes);
    }
}

/* ---- plans ------------------------------------------------------------------ */

static TpPlan *
place (const TpTestCase *test)
{
  g_autoptr (GError) error = NULL;
  TpPlan *plan;

  tp_costs_seal (test->costs);
  plan = tp_place_within_noise (test->graph, test->groups, test->costs,
                                "makespan", &error);
  g_assert_no_error (error);
  return plan;
}

/* The checker takes them, and none ends later than the cheapest. */
static void
test_plans (void)
{
  for (int round = 0; round < 300; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (9);
      g_autoptr (TpProblem) problem = NULL;
      g_autoptr (TpPlan) plan = NULL;
      g_autofree guint8 *devices = NULL;
      gint64 cost;

      test->costs->is_same_silicon = round % 10 == 0;
      test->costs->has_own_processors = round % 20 == 0;
      plan = place (test);
      problem = tp_test_case_problem (test);
      devices = dup_cheapest (test, &cost);
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (plan->bound_ns, ==, cost);
      g_assert_cmpint (plan->span_proof->span_ns, <=,
                       find_span (problem, devices));
    }
}

/* Every number of a schedule is as it is for a reason: of each one that is
 * changed the checker says so, unless something merely waits a little longer. */
static void
test_changed (void)
{
  int n_refused = 0, n_taken = 0;

  for (int round = 0; round < 300; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (9);
      g_autoptr (TpPlan) plan = place (test);
      TpSpanProof *proof = plan->span_proof;
      gint64 *numbers[] = { &proof->span_ns, &proof->bound_ns };

      for (int i = 0; i < 2 + proof->n_nodes + 2 * proof->n_transfers; i++)
        {
          int node = i - 2, copy = node - proof->n_nodes;
          gint64 *number
              = node < 0                    ? numbers[i]
                : copy < 0                  ? &proof->starts[node]
                : copy < proof->n_transfers ? &proof->fetch_starts[copy]
                    : &proof->feed_starts[copy - proof->n_transfers];
          g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

          (*number)--;
          if (tp_check (plan, test->graph, reasons))
            {
              g_assert_cmpint (node, >=, 0);
              n_taken++;      /* it takes no time, or waited without need */
            }
          else
            n_refused++;
          (*number)++;
        }
    }
  g_test_message ("%d refused, %d taken", n_refused, n_taken);
  g_assert_cmpint (n_refused, >, 10 * n_taken);
}

/* Others that read what @node of @group makes: before its last op, and whether there are any. */
static gboolean
is_read_early (const TpTestCase *test, const TpGroup *group, int node,
               gboolean *out_leaves)
{
  const TpNode *it = &test->graph->nodes[node];
  int last = group->nodes[group->n_nodes - 1];
  gboolean is_early = FALSE;

  for (int t = 0; t < it->n_outputs; t++)
    {
      const TpTensor *tensor = &test->graph->tensors[it->outputs[t]];

      *out_leaves |= tensor->is_output && node != last;
      for (int c = 0; c < tensor->n_consumers; c++)
        {
          gboolean is_inside = FALSE;

          for (int m = 0; m < group->n_nodes; m++)
            is_inside |= group->nodes[m] == tensor->consumers[c];
          *out_leaves |= !is_inside && node != last;
          is_early |= !is_inside && tensor->consumers[c] < last;
        }
    }
  return is_early;
}

/* Groups that no rule makes: of several results, which leave when the group ends; those
 * that could wait for each other are refused. */
static void
test_amid (void)
{
  int n_refused = 0, n_several = 0, n_best = 0;

  for (int round = 0; round < 400; round++)
    {
      TpTestSpec spec = { .n_ops = g_test_rand_int_range (2, 6),
                          .n_devices = 2 + round % 2, .max_cost = 40,
                          .has_groups = TRUE, .host = 0 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = tp_place (test->graph, test->groups, test->costs,
                                          "makespan", &error);
      gboolean is_early = FALSE, has_several = FALSE;
      gint64 least;

      for (int g = 0; g < test->groups->n_groups; g++)
        for (int k = 0; k < test->groups->groups[g].n_nodes; k++)
          is_early |= is_read_early (test, &test->groups->groups[g],
                                     test->groups->groups[g].nodes[k],
                                     &has_several);
      n_refused += plan == NULL;
      g_assert_cmpint (plan == NULL, ==, is_early);
      if (plan == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
          continue;
        }
      if (!has_several)
        continue;
      n_several++;
      tp_test_assert_checked (plan, test->graph);
      least = try_placements (test, plan->span_proof->span_ns + 1);
      g_assert_cmpint (plan->span_proof->bound_ns, <=, least);
      g_assert_cmpint (plan->span_proof->span_ns, >=, least);
      n_best += plan->span_proof->span_ns == least;
    }
  g_test_message ("%d refused; of %d with several results %d are the best",
                  n_refused, n_several, n_best);
  g_assert_cmpint (n_refused, >, 5);
  g_assert_cmpint (n_several, >, 40);
  g_assert_cmpint (n_best, >=, n_several * 4 / 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/span/brute-force", &kinds[0], test_brute_force);
  g_test_add_data_func ("/span/same-silicon", &kinds[1], test_brute_force);
  g_test_add_data_func ("/span/three-devices", &kinds[2], test_brute_force);
  g_test_add_data_func ("/span/four-devices", &kinds[3], test_brute_force);
  g_test_add_func ("/span/schedules", test_schedules);
  g_test_add_func ("/span/repeat", test_repeat);
  g_test_add_func ("/span/plans", test_plans);
  g_test_add_func ("/span/changed", test_changed);
  g_test_add_func ("/span/amid", test_amid);
  return g_test_run ();
}
