/* check-span.c: see check-span.h. */
#include "config.h"

#include "planner/check/check-span.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-load.h"
#include "planner/check/check-path.h"
#include "planner/check/check-stages.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  int engine;
  gint64 start, end;
} Busy;

typedef struct
{
  TpChecker *checker;
  const TpSpanProof *proof;
  TpArray *busy;              /* Busy: what takes time */
  int *group_in;              /* [node]: group in effect, or -1 */
  gint64 *ends;               /* [node]: of its kernel */
  gint64 *arrivals;           /* [tensor * n_devices + device]: of its copy there;
                               * -1: none comes */
  gint64 last;                /* when all is done */
} Times;

static void
times_clear (Times *times)
{
  g_clear_pointer (&times->busy, tp_array_unref);
  g_free (times->group_in);
  g_free (times->ends);
  g_free (times->arrivals);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Times, times_clear)

/* ---- form ----------------------------------------------------------------- */

static gboolean
are_within (const gint64 *starts, int n, gint64 low, gint64 high)
{
  for (int i = 0; i < n; i++)
    if (starts[i] < low || starts[i] > high)
      return FALSE;
  return TRUE;
}

/* Sums with a cost are then below 2^63. */
static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpSpanProof *proof = plan->span_proof;

  if (proof == NULL || proof->n_nodes != plan->n_placements
      || proof->n_transfers != plan->n_transfers)
    return tp_checker_fail (checker, "the schedule is missing");
  if (proof->span_ns > plan->cost_ns)
    return tp_checker_fail (checker, "span_ns is more than all takes one after "
                                     "the other");
  return (are_within (proof->starts, proof->n_nodes, 0, proof->span_ns)
          && are_within (proof->fetch_starts, proof->n_transfers, -1,
                         proof->span_ns)
          && are_within (proof->feed_starts, proof->n_transfers, -1,
                         proof->span_ns))
         || tp_checker_fail (checker, "something begins before 0 or after "
                                      "span_ns");
}

/* ---- kernels and copies --------------------------------------------------- */

static gint64
occupy (Times *times, int engine, gint64 start, gint64 time_ns)
{
  gboolean is_one = tp_costs_is_one_engine (times->checker->costs);
  Busy busy = { is_one ? 0 : engine, start, start + time_ns };

  times->last = MAX (times->last, busy.end);
  if (time_ns > 0)
    tp_array_append_val (times->busy, busy);
  return busy.end;
}

static void
add_group (Times *times, int index)
{
  const TpGroup *group = &times->checker->plan->groups->groups[index];
  int first = group->nodes[0];

  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];

      times->group_in[node] = index;
      if (times->proof->starts[node] != times->proof->starts[first])
        tp_checker_fail (times->checker,
                         "op '%s' does not begin with its group",
                         times->checker->graph->nodes[node].name);
      times->ends[node] = times->proof->starts[first]
                          + times->checker->plan->placements[first].time_ns;
    }
}

static void
add_kernels (Times *times)
{
  const TpPlan *plan = times->checker->plan;

  for (int i = 0; i < plan->n_placements; i++)
    {
      times->group_in[i] = -1;
      times->ends[i] = occupy (times, plan->placements[i].device,
                               times->proof->starts[i],
                               plan->placements[i].time_ns);
    }
  for (int i = 0; i < plan->groups->n_groups; i++)
    add_group (times, i);
}

/* One way of a copy, between host memory and @place; FALSE: it is not as it has to
 * be. What is in host memory already has no way to go. */
static gboolean
add_way (Times *times, int engine, gint64 start, gint64 time_ns, gint64 *end)
{
  int place = engine % times->checker->costs->n_devices;

  if (place == times->checker->costs->host)
    return start == -1;
  if (start < *end)
    return FALSE;
  *end = occupy (times, engine, start, time_ns);
  return TRUE;
}

static void
add_transfer (Times *times, int index)
{
  const TpChecker *checker = times->checker;
  const TpTransfer *it = &checker->plan->transfers[index];
  int n = checker->costs->n_devices;
  int producer = checker->tensors[it->tensor].producer;
  gint64 fetch = times->proof->fetch_starts[index];
  gint64 feed = times->proof->feed_starts[index];
  const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];
  gint64 end = producer < 0 ? 0 : times->ends[producer];
  gboolean is_good
      = it->from == TP_COSTS_HOST
            ? fetch == -1
            : add_way (times, 2 * n + it->from, fetch, legs[it->from].fetch,
                       &end);

  is_good = is_good
            && (it->to == TP_COSTS_HOST
                    ? feed == -1
                    : add_way (times, n + it->to, feed, legs[it->to].feed,
                               &end));
  if (!is_good)
    tp_checker_fail (times->checker,
                     "transfers[%d] begins before what it copies is there, or "
                     "has a way too many or too few",
                     index);
  if (it->to != TP_COSTS_HOST)
    times->arrivals[(gsize) it->tensor * n + it->to] = end;
}

/* ---- order ---------------------------------------------------------------- */

/* When @node can read @tensor. */
static gint64
find_ready (const Times *times, int tensor, int node)
{
  const TpChecker *checker = times->checker;
  int n = checker->costs->n_devices, device = checker->devices[node];
  int producer = checker->tensors[tensor].producer;

  if (producer >= 0 && checker->devices[producer] == device)
    return times->group_in[node] >= 0
                   && times->group_in[node] == times->group_in[producer]
               ? 0
               : times->ends[producer];
  if (checker->tensors[tensor].is_constant
      || (producer < 0 && device == checker->costs->host))
    return 0;
  return times->arrivals[(gsize) tensor * n + device];
}

static void
check_inputs (const Times *times, int node)
{
  const TpNode *it = &times->checker->graph->nodes[node];

  for (int k = 0; k < it->n_inputs; k++)
    {
      gint64 ready = it->inputs[k] < 0
                         ? 0
                         : find_ready (times, it->inputs[k], node);

      if (ready < 0 || times->proof->starts[node] < ready)
        tp_checker_fail (times->checker,
                         "op '%s' begins before it has what it reads",
                         it->name);
    }
}

static int
compare_busy (const void *a, const void *b)
{
  const Busy *first = a, *second = b;

  if (first->engine != second->engine)
    return first->engine < second->engine ? -1 : 1;
  return (first->start > second->start) - (first->start < second->start);
}

static void
check_engines (const Times *times)
{
  const TpArray *busy = times->busy;

  if (busy->len > 1)
    qsort (busy->data, busy->len, sizeof (Busy), compare_busy);
  for (guint i = 1; i < busy->len; i++)
    {
      const Busy *it = &tp_array_index (busy, Busy, i);

      if (it[-1].engine == it->engine && it[-1].end > it->start)
        tp_checker_fail (times->checker,
                         "engine %d is to do two things at %" G_GINT64_FORMAT,
                         it->engine, it->start);
    }
}

static void
check_bound (TpChecker *checker, gint64 last)
{
  const TpSpanProof *proof = checker->plan->span_proof;
  gint64 bound = MAX (checker->plan->load_proof->bound_ns,
                      tp_checker_find_path (checker));

  bound = MAX (bound, tp_checker_find_stages (checker));

  if (proof->span_ns != last)
    tp_checker_fail (checker,
                     "the last ends at %" G_GINT64_FORMAT
                     ", span_ns is %" G_GINT64_FORMAT,
                     last, proof->span_ns);
  if (proof->bound_ns != bound)
    tp_checker_fail (checker,
                     "no run ends before %" G_GINT64_FORMAT
                     ", span_bound_ns is %" G_GINT64_FORMAT,
                     bound, proof->bound_ns);
}

static void
check_times (TpChecker *checker)
{
  gsize n_nodes = (gsize) checker->graph->n_nodes;
  gsize n_places
      = (gsize) checker->graph->n_tensors * checker->costs->n_devices;
  g_auto (Times) times = { .checker = checker,
                           .proof = checker->plan->span_proof };

  times.busy = tp_array_new (sizeof (Busy));
  times.group_in = tp_new (int, n_nodes + 1);
  times.ends = tp_new0 (gint64, n_nodes + 1);
  times.arrivals = tp_new (gint64, n_places + 1);
  memset (times.arrivals, -1, sizeof (gint64) * n_places);
  add_kernels (&times);
  for (int i = 0; i < checker->plan->n_transfers; i++)
    add_transfer (&times, i);
  for (int i = 0; i < (int) n_nodes; i++)
    check_inputs (&times, i);
  check_engines (&times);
  check_bound (checker, times.last);
}

void
tp_checker_check_span (TpChecker *checker)
{
  if (!check_form (checker))
    return;
  tp_checker_check_load (checker);
  if (checker->reasons->len == 0)
    check_times (checker);    /* it stands on all the rest */
}
