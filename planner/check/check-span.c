/* check-span.c: see check-span.h. */
#include "config.h"

#include "planner/check/check-span.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-load.h"
#include "planner/check/check-load-room.h"
#include "planner/check/check-pace.h"
#include "planner/check/check-path.h"
#include "planner/check/check-replay.h"
#include "planner/check/check-stages.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  TpChecker *checker;
  const TpSpanProof *proof;
  TpArray *busy;              /* TpCheckerBusy: what takes time */
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

/* Ends are told where engines slow each other, and only there. */
static gboolean
check_ends (TpChecker *checker)
{
  const TpSpanProof *proof = checker->plan->span_proof;
  gboolean is_slowed = checker->costs->speeds != NULL
                       && !tp_costs_is_one_engine (checker->costs);

  if (is_slowed != (proof->ends != NULL))
    return tp_checker_fail (checker, "ends are told where starts and times tell "
                                     "of them, or are missing");
  if (!is_slowed)
    return TRUE;
  return (are_within (proof->ends, proof->n_nodes, 0, proof->span_ns)
          && are_within (proof->fetch_ends, proof->n_transfers, -1,
                         proof->span_ns)
          && are_within (proof->feed_ends, proof->n_transfers, -1,
                         proof->span_ns)
          && tp_checker_check_speeds (checker))
         || tp_checker_fail (checker, "something ends before 0 or after span_ns, "
                                      "or a speed is none");
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
  if (!check_ends (checker))
    return FALSE;
  return (are_within (proof->starts, proof->n_nodes, 0, proof->span_ns)
          && are_within (proof->fetch_starts, proof->n_transfers, -1,
                         proof->span_ns)
          && are_within (proof->feed_starts, proof->n_transfers, -1,
                         proof->span_ns))
         || tp_checker_fail (checker, "something begins before 0 or after "
                                      "span_ns");
}

/* ---- kernels and copies --------------------------------------------------- */

/* @end: (nullable): as it is told, which check_pace () holds against the time. */
static gint64
occupy (Times *times, int engine, gint64 start, gint64 time_ns,
        const gint64 *end)
{
  gboolean is_one = tp_costs_is_one_engine (times->checker->costs);
  TpCheckerBusy busy = { is_one ? 0 : engine, start,
                         end != NULL ? *end : start + time_ns, time_ns };

  times->last = MAX (times->last, busy.end);
  if (busy.end < start || (busy.end > start) != (time_ns > 0))
    tp_checker_fail (times->checker,
                     "what begins at %" G_GINT64_FORMAT " does not end as late "
                     "as it has to", start);
  if (time_ns > 0)
    tp_array_append_val (times->busy, busy);
  return busy.end;
}

/* Of element @index of what is told, if it is. */
static const gint64 *
find_told (const gint64 *ends, int index)
{
  return ends == NULL ? NULL : &ends[index];
}

static void
add_group (Times *times, int index)
{
  const TpGroup *group = &times->checker->plan->groups->groups[index];
  const TpSpanProof *proof = times->proof;
  int first = group->nodes[0];

  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];

      times->group_in[node] = index;
      if (proof->starts[node] != proof->starts[first]
          || (proof->ends != NULL && proof->ends[node] != proof->ends[first]))
        tp_checker_fail (times->checker,
                         "op '%s' does not begin and end with its group",
                         times->checker->graph->nodes[node].name);
    }
}

static void
add_kernel (Times *times, int node)
{
  const TpChecker *checker = times->checker;
  const TpPlacement *it = &checker->plan->placements[node];
  int group = times->group_in[node];
  int first = group < 0 ? node : checker->plan->groups->groups[group].nodes[0];

  if (first != node)
    return;
  times->ends[node]
      = occupy (times, it->device, times->proof->starts[node], it->time_ns,
                find_told (times->proof->ends, node));
}

static void
add_kernels (Times *times)
{
  const TpPlan *plan = times->checker->plan;

  for (int i = 0; i < plan->n_placements; i++)
    times->group_in[i] = -1;
  for (int i = 0; i < plan->groups->n_groups; i++)
    add_group (times, i);
  for (int i = 0; i < plan->n_placements; i++)
    add_kernel (times, i);
  for (int i = 0; i < plan->n_placements; i++)
    if (times->group_in[i] >= 0)
      times->ends[i] = times->ends[
          plan->groups->groups[times->group_in[i]].nodes[0]];
}

/* A way of a copy, between host memory and a device. */
typedef struct
{
  int engine;
  gint64 start, time_ns;
  const gint64 *told;         /* (nullable): its end */
} Way;

static gboolean
has_none (const Way *way)
{
  return way->start == -1 && (way->told == NULL || *way->told == -1);
}

/* FALSE: it is not as it has to be. What is in host memory already has no way to
 * go. */
static gboolean
add_way (Times *times, const Way *way, gint64 *end)
{
  int place = way->engine % times->checker->costs->n_devices;

  if (place == times->checker->costs->host)
    return has_none (way);
  if (way->start < *end)
    return FALSE;
  *end = occupy (times, way->engine, way->start, way->time_ns, way->told);
  return TRUE;
}

static void
add_transfer (Times *times, int index)
{
  const TpChecker *checker = times->checker;
  const TpTransfer *it = &checker->plan->transfers[index];
  int n = checker->costs->n_devices;
  int producer = checker->tensors[it->tensor].producer;
  const TpSpanProof *proof = times->proof;
  const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];
  Way fetch = { 2 * n + it->from, proof->fetch_starts[index], 0,
                find_told (proof->fetch_ends, index) };
  Way feed = { n + it->to, proof->feed_starts[index], 0,
               find_told (proof->feed_ends, index) };
  gint64 end = producer < 0 ? 0 : times->ends[producer];
  gboolean is_good;

  if (it->from != TP_COSTS_HOST)
    fetch.time_ns = legs[it->from].fetch;
  if (it->to != TP_COSTS_HOST)
    feed.time_ns = legs[it->to].feed;
  is_good = (it->from == TP_COSTS_HOST ? has_none (&fetch)
                                       : add_way (times, &fetch, &end))
            && (it->to == TP_COSTS_HOST ? has_none (&feed)
                                        : add_way (times, &feed, &end));
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
  if (checker->tensors[tensor].is_resident
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
  const TpCheckerBusy *first = a, *second = b;

  if (first->engine != second->engine)
    return first->engine < second->engine ? -1 : 1;
  return (first->start > second->start) - (first->start < second->start);
}

static void
check_engines (const Times *times)
{
  const TpArray *busy = times->busy;

  if (busy->len > 1)
    qsort (busy->data, busy->len, sizeof (TpCheckerBusy), compare_busy);
  for (guint i = 1; i < busy->len; i++)
    {
      const TpCheckerBusy *it = &tp_array_index (busy, TpCheckerBusy, i);

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
  if (proof->room != NULL)
    bound = MAX (bound, proof->room->bound_ns);
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

  times.busy = tp_array_new (sizeof (TpCheckerBusy));
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
  if (times.proof->ends != NULL && checker->reasons->len == 0)
    tp_checker_check_pace (checker, times.busy);
  check_bound (checker, times.last);
  if (checker->reasons->len == 0)
    tp_checker_check_replay (checker);
}

void
tp_checker_check_span (TpChecker *checker)
{
  if (!check_form (checker))
    return;
  if (checker->costs->n_devices > 2)
    tp_checker_check_load_several (checker);
  else
    tp_checker_check_load (checker);
  if (checker->reasons->len == 0)
    tp_checker_check_span_room (checker);
  if (checker->reasons->len == 0)
    check_times (checker);    /* it stands on all the rest */
}
