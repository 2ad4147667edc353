/* test-interval.c: between what totals are of which several are at once: against runs
 * whose figures are drawn as spreads and errors of devices say, replayed by the words of
 * docs/planner.md. */
#include "config.h"

#include "../calib/draw-normal.h"
#include "chain-case.h"
#include "ir/replicas.h"
#include "place-case.h"
#include "planner/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_DRAWS 500

/* ---- cases ---------------------------------------------------------------- */

/* What is wrong with devices: each by itself, and all together. */
static const double own_sds[] = { 0.05, 0.02, 0.08, 0.03 };
#define COMMON_SD 0.04
#define RUN_SD 0.02

static TpCostErrors *
make_errors (int n)
{
  TpCostErrors *errors = tp_cost_errors_new (n);

  for (int i = 0; i < n * n; i++)
    errors->covariances[i]
        = llround (1e9 * (COMMON_SD * COMMON_SD
                          + (i / n == i % n ? pow (own_sds[i % n], 2) : 0)));
  errors->run_variance = llround (1e9 * RUN_SD * RUN_SD);
  return errors;
}

/* Times large enough for nanoseconds not to matter, and all different. */
static void
change (TpCost *table, int n)
{
  for (int i = 0; i < n; i++)
    {
      TpCost *it = &table[i];

      if (it->time_ns == TP_COST_NONE)
        continue;
      it->time_ns = it->time_ns * 100000 + g_test_rand_int_range (1, 9999);
      it->spread_ns = it->time_ns * g_test_rand_int_range (0, 30) / 100;
    }
}

static void
make_uncertain (TpTestCase *test, gboolean has_errors)
{
  TpCosts *costs = test->costs;
  int n = costs->n_devices, n_rows = costs->n_nodes + costs->n_groups;

  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  change (costs->nodes, n * costs->n_nodes);
  change (costs->groups, n * costs->n_groups);
  change (costs->feeds, n * costs->n_tensors);
  change (costs->fetches, n * costs->n_tensors);
  g_free (costs->kernels);
  costs->kernels = g_new0 (int, n_rows + 1);
  for (int i = 0; i < n_rows; i++)
    costs->kernels[i] = g_test_rand_int_range (0, MIN (5, n_rows + 1));
  costs->errors = has_errors ? make_errors (n) : NULL;
  tp_costs_seal (costs);
}

/* ---- draws ---------------------------------------------------------------- */

typedef struct
{
  const TpPlan *plan;
  const TpTestCase *test;
  double *kernels;            /* [number * n_devices + device]: of what is wrong */
  double *ways;               /* [device], to it; then from it */
  double *shifts;             /* [device] */
  double *rows;               /* [row]: of its own */
} Draw;

static void
draw_clear (Draw *draw)
{
  g_free (draw->kernels);
  g_free (draw->ways);
  g_free (draw->shifts);
  g_free (draw->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draw, draw_clear)

static double *
draw_all (int n)
{
  double *draws = g_new0 (double, n + 1);

  for (int i = 0; i < n; i++)
    draws[i] = tp_test_draw_normal (1);
  return draws;
}

static void
draw_figures (Draw *draw, const TpPlan *plan, const TpTestCase *test)
{
  int n = plan->n_devices;
  int n_rows = plan->costs->n_nodes + plan->costs->n_groups;
  double common = tp_test_draw_normal (COMMON_SD);

  *draw = (Draw){ .plan = plan, .test = test };
  draw->kernels = draw_all ((n_rows + 1) * n);
  draw->rows = draw_all (n_rows);
  draw->ways = draw_all (2 * n);
  draw->shifts = draw_all (n);
  for (int d = 0; d < n; d++)
    draw->shifts[d] = plan->costs->errors == NULL
                          ? 0 : draw->shifts[d] * own_sds[d] + common;
}

/* What @row takes on @device then. */
static double
take_kernel (const Draw *draw, int row, int device)
{
  const TpCosts *costs = draw->plan->costs;
  const TpCost *cost
      = row < costs->n_nodes
            ? tp_costs_node (costs, row, device)
            : tp_costs_group (costs, row - costs->n_nodes, device);
  int number = costs->kernels[row];
  double z = number == 0 ? draw->rows[row]
                         : draw->kernels[number * costs->n_devices + device];

  return (double) cost->time_ns * (1 + draw->shifts[device])
         + (double) cost->spread_ns / TP_COST_SPREADS * z;
}

static double
take_way (const Draw *draw, const TpCost *cost, int way)
{
  return (double) cost->time_ns
         + (double) cost->spread_ns / TP_COST_SPREADS * draw->ways[way];
}

/* ---- runs ----------------------------------------------------------------- */

/* What is begun, in the order of the schedule. */
typedef struct
{
  gint64 start;
  int op, transfer;           /* one of them is -1 */
  gboolean is_feed;
} Event;

static int
compare_events (const void *a, const void *b)
{
  const Event *first = a, *second = b;

  return (first->start > second->start) - (first->start < second->start);
}

static GArray *
list_events (const TpPlan *plan, const int *rows)
{
  const TpSpanProof *proof = plan->span_proof;
  GArray *events = g_array_new (FALSE, FALSE, sizeof (Event));

  for (int i = 0; i < plan->n_placements; i++)
    if (rows[i] >= 0)
      g_array_append_val (events, ((Event){ proof->starts[i], i, -1, FALSE }));
  for (int i = 0; i < plan->n_transfers; i++)
    {
      Event fetch = { proof->fetch_starts[i], -1, i, FALSE };
      Event feed = { proof->feed_starts[i], -1, i, TRUE };

      if (fetch.start >= 0)
        g_array_append_val (events, fetch);
      if (feed.start >= 0)
        g_array_append_val (events, feed);
    }
  qsort (events->data, events->len, sizeof (Event), compare_events);
  return events;
}

/* When tensors are where: [tensor * (n_devices + 1) + place], host memory last. */
typedef struct
{
  const Draw *draw;
  const int *rows;
  double *there;
  double free_at[TP_LOAD_MAX_ENGINES];
  double last;
} Run;

static double *
find_place (const Run *run, int tensor, int place)
{
  int n = run->draw->plan->n_devices;

  return &run->there[tensor * (n + 1) + (place == TP_COSTS_HOST ? n : place)];
}

static double
occupy (Run *run, int engine, double ready, double time)
{
  if (tp_costs_is_one_engine (run->draw->plan->costs))
    engine = 0;
  run->free_at[engine] = MAX (run->free_at[engine], ready) + time;
  run->last = MAX (run->last, run->free_at[engine]);
  return run->free_at[engine];
}

/* Ops of the kernel that begins with @op: those of its group, or it alone. */
static TpGroup
get_unit (const Run *run, const int *op)
{
  const TpPlan *plan = run->draw->plan;
  int group = run->rows[*op] - plan->costs->n_nodes;

  return group < 0 ? (TpGroup){ .n_nodes = 1, .nodes = op } : plan->all_groups->groups[group];
}

static void
run_kernel (Run *run, const int *op)
{
  const TpGraph *graph = run->draw->test->graph;
  int device = run->draw->plan->placements[*op].device;
  TpGroup unit = get_unit (run, op);
  double ready = 0, end;

  for (int i = 0; i < unit.n_nodes; i++)
    for (int k = 0; k < graph->nodes[unit.nodes[i]].n_inputs; k++)
      {
        int tensor = graph->nodes[unit.nodes[i]].inputs[k];

        if (tensor >= 0)
          ready = MAX (ready, *find_place (run, tensor, device));
      }
  end = occupy (run, device, ready,
                take_kernel (run->draw, run->rows[*op], device));
  for (int i = 0; i < unit.n_nodes; i++)
    for (int k = 0; k < graph->nodes[unit.nodes[i]].n_outputs; k++)
      {
        int tensor = graph->nodes[unit.nodes[i]].outputs[k];

        *find_place (run, tensor, device) = end;
        if (device == run->draw->plan->costs->host)
          *find_place (run, tensor, TP_COSTS_HOST) = end;
      }
}

static void
run_way (Run *run, const Event *event)
{
  const TpPlan *plan = run->draw->plan;
  const TpTransfer *it = &plan->transfers[event->transfer];
  int n = plan->n_devices, device = event->is_feed ? it->to : it->from;
  int way = event->is_feed ? device : n + device;
  const TpCost *cost = event->is_feed
                           ? tp_costs_feed (plan->costs, it->tensor, device)
                           : tp_costs_fetch (plan->costs, it->tensor, device);
  double ready = *find_place (run, it->tensor,
                              event->is_feed ? TP_COSTS_HOST : device);
  double end = occupy (run, n + way, ready, take_way (run->draw, cost, way));

  *find_place (run, it->tensor, event->is_feed ? device : TP_COSTS_HOST) = end;
  if (!event->is_feed && it->to == plan->costs->host
      && it->to != TP_COSTS_HOST)
    *find_place (run, it->tensor, it->to) = end;
}

/* When it ends, with what is different from process to process. */
static double
run_schedule (const Draw *draw, const GArray *events, const int *rows)
{
  int n_places = draw->test->graph->n_tensors * (draw->plan->n_devices + 1);
  g_autofree double *there = g_new0 (double, n_places + 1);
  Run run = { .draw = draw, .rows = rows, .there = there };

  for (guint i = 0; i < events->len; i++)
    {
      const Event *it = &g_array_index (events, Event, i);

      if (it->op >= 0)
        run_kernel (&run, &it->op);
      else
        run_way (&run, it);
    }
  return run.last;
}

static double
differ (const TpPlan *plan, double time)
{
  return plan->costs->errors == NULL
             ? time : time * exp (tp_test_draw_normal (RUN_SD));
}

/* What the busiest engine carries. */
static double
carry (const Draw *draw, const int *rows)
{
  const TpPlan *plan = draw->plan;
  const TpCosts *costs = plan->costs;
  int n = plan->n_devices;
  double loads[TP_LOAD_MAX_ENGINES] = { 0 }, most = 0, all = 0;

  for (int i = 0; i < plan->n_placements; i++)
    if (rows[i] >= 0)
      loads[plan->placements[i].device]
          += take_kernel (draw, rows[i], plan->placements[i].device);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      if (it->from >= 0 && it->from != costs->host)
        loads[2 * n + it->from] += take_way (
            draw, tp_costs_fetch (costs, it->tensor, it->from), n + it->from);
      if (it->to >= 0 && it->to != costs->host)
        loads[n + it->to] += take_way (
            draw, tp_costs_feed (costs, it->tensor, it->to), it->to);
    }
  for (int e = 0; e < 3 * n; e++)
    {
      all += loads[e];
      most = MAX (most, loads[e]);
    }
  return tp_costs_is_one_engine (costs) ? all : most;
}

/* ---- shares --------------------------------------------------------------- */

typedef struct
{
  int n, n_below, n_above;
} Shares;

static void
count (Shares *shares, double value, gint64 low_ns, gint64 high_ns)
{
  shares->n++;
  shares->n_below += value < (double) low_ns;
  shares->n_above += value > (double) high_ns;
}

/* Of shares of plans, of which each has its own. */
typedef struct
{
  int n;
  double sum, squares;
} Mean;

static void
add_share (Mean *mean, double share)
{
  mean->n++;
  mean->sum += share;
  mean->squares += share * share;
}

/* 89 % are within, and what is not is on both sides, as surely as a mean of so many plans
 * tells: it may be off by four standard errors. */
static void
check_share (const char *side, const Mean *it)
{
  double share = it->sum / it->n;
  double doubt = 4 * sqrt (MAX (it->squares / it->n - share * share, 0) / it->n);

  g_test_message ("%s %.2f %%, give or take %.2f", side, 100 * share, 100 * doubt);
  g_assert_cmpfloat (share - doubt, <, 0.06);
  g_assert_cmpfloat (share + doubt, >, 0.04);
}

static void
draw_spans (const TpPlan *plan, const TpTestCase *test, Shares *shares)
{
  g_autofree int *rows = tp_plan_list_rows (plan, test->graph);
  g_autoptr (GArray) events = list_events (plan, rows);

  for (int i = 0; i < N_DRAWS; i++)
    {
      g_auto (Draw) draw = { 0 };

      draw_figures (&draw, plan, test);
      count (shares, differ (plan, run_schedule (&draw, events, rows)),
             plan->span_proof->low_ns, plan->span_proof->high_ns);
    }
}

static void
draw_loads (const TpPlan *plan, const TpTestCase *test, Shares *shares)
{
  g_autofree int *rows = tp_plan_list_rows (plan, test->graph);

  for (int i = 0; i < N_DRAWS; i++)
    {
      g_auto (Draw) draw = { 0 };

      draw_figures (&draw, plan, test);
      count (shares, differ (plan, carry (&draw, rows)),
             plan->load_proof->low_ns, plan->load_proof->high_ns);
    }
}

static void
test_shares (gconstpointer data)
{
  const char *objective = data;
  Mean below = { 0 }, above = { 0 };
  int n_rounds = tp_test_count_rounds (60, 300);

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = tp_test_chain_case_new_for (16, 2 + round % 2);
      g_autoptr (TpPlan) plan = NULL;
      Shares shares = { 0 };

      test->costs->is_same_silicon = round % 9 == 0;
      make_uncertain (test, round % 3 != 0);
      plan = tp_test_place (test, objective);
      if (plan->span_proof != NULL)
        draw_spans (plan, test, &shares);
      else
        draw_loads (plan, test, &shares);
      add_share (&below, (double) shares.n_below / shares.n);
      add_share (&above, (double) shares.n_above / shares.n);
    }
  check_share ("below", &below);
  check_share ("above", &above);
}

/* ---- sums ----------------------------------------------------------------- */

/* What is one thing after the other is as sure as that is known to be exactly: all of a
 * plan may be. */
static void
test_sums (void)
{
  int n_unsure = 0;

  for (int round = 0; round < tp_test_count_rounds (40, 200); round++)
    {
      static const char *const names[] = { "throughput", "makespan" };
      g_autoptr (TpTestCase) test = tp_test_chain_case_new_for (16, 1);
      g_autoptr (TpPlan) plan = NULL;
      gint64 low_ns, high_ns;

      test->costs->host = 0;
      make_uncertain (test, round % 2);
      plan = tp_place (test->graph, test->groups, test->costs,
                       names[round / 2 % 2], NULL);
      if (plan == NULL)
        continue;             /* pinned to what is not there */
      low_ns = plan->span_proof != NULL ? plan->span_proof->low_ns
                                        : plan->load_proof->low_ns;
      high_ns = plan->span_proof != NULL ? plan->span_proof->high_ns
                                         : plan->load_proof->high_ns;
      g_assert_cmpint (plan->cost_low_ns, <=, plan->cost_ns);
      n_unsure += plan->cost_low_ns < plan->cost_ns;
      g_assert_cmpint (ABS (low_ns - plan->cost_low_ns), <=, 2);
      g_assert_cmpint (ABS (high_ns - plan->cost_high_ns), <=, 2);
    }
  g_assert_cmpint (n_unsure, >=, 10);
}

/* ---- many sources ---------------------------------------------------------- */

/* One sd of source @index of @n, such as networks have them: all alike, every so many
 * large, less and less, or anything. */
static double
choose_sd (int kind, int index, int n)
{
  switch (kind)
    {
    case 0:
      return 1;
    case 1:
      return 1 - 0.95 * index / n;
    case 2:
      return g_test_rand_double ();
    default:
      return index % (kind - 1) == 0 ? 1 : 0.1;
    }
}

/* What the variance of the sum over the replicas is to that of all @n sources. */
static double
compare_variances (const TpCosts *costs, int kind, int n)
{
  g_auto (TpReplicas) replicas = { 0 };
  g_autofree double *sds = g_new (double, n);
  double sum = 0, squares = 0, all = 0;

  tp_replicas_init (&replicas, costs);
  replicas.is_exact = FALSE;
  replicas.n_sources = n;
  for (int i = 0; i < n; i++)
    {
      sds[i] = choose_sd (kind, i, n);
      all += sds[i] * sds[i];
    }
  while (tp_replicas_next (&replicas))
    {
      double total = 0;

      for (int i = 0; i < n; i++)
        total += tp_replicas_get_ns (
                     &replicas, &(TpWork){ 0, i, 1000, sds[i] }) - 1000;
      sum += total;
      squares += total * total;
    }
  g_assert_cmpfloat (fabs (sum), <, 1e-6 * replicas.n_replicas * n);
  return squares / replicas.n_replicas / all;
}

/* Of more sources than there are columns some share one: a sum varies about as they say,
 * wherever the large ones are. Up to 127 it varies exactly so. */
static void
test_many (void)
{
  static const char *const devices[] = { "cpu", NULL };
  g_autoptr (TpCosts) costs
      = tp_costs_new_sized (1, devices, &(TpCostRows){ 1, 0, 1 });
  double off = 0;
  int n_off = 0;

  for (int kind = 0; kind < 7; kind++)
    for (int n = 20; n < 1000; n += 1 + n / 3)
      {
        double ratio = compare_variances (costs, kind, n);

        g_assert_cmpfloat (fabs (ratio - 1), <, n < 128 ? 1e-6 : 0.35);
        g_assert_cmpfloat (fabs (ratio - 1), <, kind > 0 ? 1 : 0.09);
        off += n < 128 ? 0 : fabs (ratio - 1);
        n_off += n >= 128;
      }
  g_test_message ("off by %.1f %% in the mean", 100 * off / n_off);
  g_assert_cmpfloat (off / n_off, <, 0.07);
}

/* The checker has the same signs, by code of its own. */
static void
test_many_checked (void)
{
  for (int round = 0; round < 3; round++)
    {
      const TpTestSpec spec = { .n_ops = 160, .n_devices = 2, .max_cost = 100,
                                .host = 0 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;

      make_uncertain (test, round > 0);
      memset (test->costs->kernels, 0,
              sizeof (int) * (gsize) test->costs->n_nodes);
      for (int i = 0; i < 2 * test->costs->n_nodes; i++)
        test->costs->nodes[i].spread_ns++;
      tp_costs_seal (test->costs);
      plan = tp_place (test->graph, test->groups, test->costs,
                       round == 2 ? "makespan" : "throughput", NULL);
      tp_test_assert_checked (plan, test->graph);
    }
}

/* Where figures are not wrong, nothing is. */
static void
test_exact (void)
{
  g_autoptr (TpTestCase) test = tp_test_chain_case_new_for (12, 2);
  g_autoptr (TpPlan) plan = NULL;
  TpCosts *costs = test->costs;

  for (int i = 0; i < 2 * costs->n_nodes; i++)
    costs->nodes[i].spread_ns = 0;
  for (int i = 0; i < 2 * costs->n_groups; i++)
    costs->groups[i].spread_ns = 0;
  for (int i = 0; i < 2 * costs->n_tensors; i++)
    costs->feeds[i].spread_ns = costs->fetches[i].spread_ns = 0;
  tp_costs_seal (costs);
  plan = tp_place (test->graph, test->groups, costs, "makespan", NULL);
  g_assert_cmpint (plan->span_proof->low_ns, ==, plan->span_proof->span_ns);
  g_assert_cmpint (plan->span_proof->high_ns, ==, plan->span_proof->span_ns);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/interval/makespan", "makespan", test_shares);
  g_test_add_data_func ("/interval/throughput", "throughput", test_shares);
  g_test_add_func ("/interval/sums", test_sums);
  g_test_add_func ("/interval/many", test_many);
  g_test_add_func ("/interval/many-checked", test_many_checked);
  g_test_add_func ("/interval/exact", test_exact);
  return g_test_run ();
}
