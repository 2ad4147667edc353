/* check-stage.c: see check-stage.h. The words are those of docs/planner.md, "Stages". */
#include "config.h"

#include "planner/check/check-stage.h"

#include "ir/guard.h"
#include "planner/check/check-jobs.h"

#define NOBODY -2             /* no group: differs from that of ops in none */
#define MOST_WEIGHTS 32
#define MOST_DEVICES TP_CHECKER_MOST_STAGED
#define WEIGHT_PARTS ((Wide) 1 << 40)

__extension__ typedef __int128 Wide;

/* Who makes a tensor: all but the tensor itself. */
typedef struct
{
  int place;                  /* device, or TP_COSTS_HOST */
  int group;                  /* or NOBODY */
  gint64 done;
} Maker;

void
tp_checker_stage_init (TpCheckerStage *stage, const TpChecker *checker)
{
  int n_devices = checker->costs->n_devices;
  gsize n = (gsize) n_devices * checker->graph->n_nodes + 1;

  *stage = (TpCheckerStage){ .checker = checker, .n_devices = n_devices };
  stage->at = tp_new0 (guint8, n);
  stage->begins = tp_new0 (gint64, n);
  stage->ends = tp_new0 (gint64, n);
  stage->rests = tp_new0 (gint64, n);
  stage->jobs = tp_array_new (sizeof (TpCheckerJob));
}

void
tp_checker_stage_clear (TpCheckerStage *stage)
{
  g_clear_pointer (&stage->at, g_free);
  g_clear_pointer (&stage->begins, g_free);
  g_clear_pointer (&stage->ends, g_free);
  g_clear_pointer (&stage->rests, g_free);
  g_clear_pointer (&stage->jobs, tp_array_unref);
}

/* ---- words ---------------------------------------------------------------- */

static gboolean
has (const TpCheckerStage *stage, int node)
{
  return node >= stage->first && node < stage->end;
}

/* Where a figure of an op, a group or a tensor, on @device is. */
static gsize
index_of (const TpCheckerStage *stage, int what, int device)
{
  return (gsize) what * stage->n_devices + device;
}

static gboolean
is_one (guint set)
{
  return set != 0 && (set & (set - 1)) == 0;
}

static gint64
alone (const TpCheckerStage *stage, int node, int device)
{
  return stage->checker->node_costs[index_of (stage, node, device)];
}

static gint64
move (const TpCheckerStage *stage, int tensor, int from, int to)
{
  const TpCheckerLegs *legs
      = &stage->checker->legs[index_of (stage, tensor, 0)];

  if (from == to || stage->checker->tensors[tensor].is_resident)
    return 0;
  return (from == TP_COSTS_HOST ? 0 : legs[from].fetch)
         + (to == TP_COSTS_HOST ? 0 : legs[to].feed);
}

static const TpGroup *
group_of (const TpCheckerStage *stage, int node)
{
  int group = stage->checker->group_of[node];

  return group < 0 ? NULL : &stage->checker->plan->all_groups->groups[group];
}

static int
last_of (const TpGroup *group)
{
  return group->nodes[group->n_nodes - 1];
}

/* As one kernel with its group; TP_COST_NONE: cannot be. */
static gint64
fused (const TpCheckerStage *stage, int node, int device)
{
  const TpGroup *it = group_of (stage, node);
  gint64 time_ns;

  if (it == NULL)
    return TP_COST_NONE;
  time_ns = -stage->checker->gains[index_of (
      stage, stage->checker->group_of[node], device)];
  if (time_ns == 0)
    return TP_COST_NONE;
  for (int i = 0; i < it->n_nodes; i++)
    {
      if (!(stage->at[it->nodes[i]] >> device & 1))
        return TP_COST_NONE;
      time_ns += alone (stage, it->nodes[i], device);
    }
  return time_ns;
}

/* Whether it can be nothing else. */
static gboolean
is_fused (const TpCheckerStage *stage, int node, int device)
{
  const TpGroup *it = group_of (stage, node);

  for (int i = 0; it != NULL && i < it->n_nodes; i++)
    if (stage->at[it->nodes[i]] != 1 << device)
      return FALSE;
  return fused (stage, node, device) != TP_COST_NONE;
}

static gboolean
may_fuse (const TpCheckerStage *stage, int node)
{
  for (int d = 0; d < stage->n_devices; d++)
    if (fused (stage, node, d) != TP_COST_NONE)
      return TRUE;
  return FALSE;
}

/* Where it is for sure, or -1. */
static int
place_of (const TpCheckerStage *stage, int node)
{
  return is_one (stage->at[node]) ? g_bit_nth_lsf (stage->at[node], -1) : -1;
}

/* ---- from the front ------------------------------------------------------- */

static gint64
arrive (const TpCheckerStage *stage, int tensor, int device)
{
  int maker = stage->checker->tensors[tensor].producer;
  gint64 best = TP_COST_NONE;

  if (maker < 0 && stage->start < 0)
    return move (stage, tensor, TP_COSTS_HOST, device);
  if (maker < 0 || (maker != stage->start && !has (stage, maker)))
    return 0;
  for (int d = 0; d < stage->n_devices; d++)
    if (stage->at[maker] >> d & 1)
      best = MIN (best, (maker == stage->start
                             ? 0
                             : stage->ends[index_of (stage, maker, d)])
                            + move (stage, tensor, d, device));
  return best;
}

static gint64
await (const TpCheckerStage *stage, int node, int device, int but_of)
{
  const TpNode *it = &stage->checker->graph->nodes[node];
  gint64 ready = 0;

  for (int k = 0; k < it->n_inputs; k++)
    {
      int maker = it->inputs[k] < 0
                      ? -1
                      : stage->checker->tensors[it->inputs[k]].producer;

      if (it->inputs[k] >= 0
          && (maker < 0 || stage->checker->group_of[maker] != but_of))
        ready = MAX (ready, arrive (stage, it->inputs[k], device));
    }
  return ready;
}

static gint64
end_as_group (const TpCheckerStage *stage, int node, int device)
{
  const TpGroup *it = group_of (stage, node);
  gint64 time_ns = fused (stage, node, device), ready = 0;

  if (time_ns == TP_COST_NONE || last_of (it) != node)
    return TP_COST_NONE;
  for (int i = 0; i < it->n_nodes; i++)
    ready = MAX (ready, await (stage, it->nodes[i], device,
                               stage->checker->group_of[node]));
  return ready + time_ns;
}

static void
fill_front (TpCheckerStage *stage, int node)
{
  for (int d = 0; d < stage->n_devices; d++)
    {
      gsize i = index_of (stage, node, d);
      gint64 whole;

      if (!(stage->at[node] >> d & 1))
        continue;
      stage->begins[i] = await (stage, node, d, NOBODY);
      stage->ends[i] = stage->begins[i] + alone (stage, node, d);
      whole = end_as_group (stage, node, d);
      if (whole < stage->ends[i]
          || (whole != TP_COST_NONE && is_fused (stage, node, d)))
        stage->ends[i] = whole;
    }
}

/* ---- from the back -------------------------------------------------------- */

/* From the start of @node to the end, where one of @group made what it reads. */
static gint64
go_through (const TpCheckerStage *stage, int node, int device, int group)
{
  gint64 best = alone (stage, node, device)
                + stage->rests[index_of (stage, node, device)];
  gint64 whole = stage->checker->group_of[node] == group
                     ? TP_COST_NONE
                     : fused (stage, node, device);

  if (whole == TP_COST_NONE)
    return best;
  whole += stage->rests[index_of (stage, last_of (group_of (stage, node)), device)];
  return is_fused (stage, node, device) ? whole : MIN (best, whole);
}

static int
name_group (const TpCheckerStage *stage, int node)
{
  int group = stage->checker->group_of[node];

  return group < 0 ? NOBODY : group;
}

static gint64
find_rest (const TpCheckerStage *stage, int tensor, int device, int group)
{
  const TpTensorOutline *it = &stage->checker->tensors[tensor];
  gint64 rest = it->is_output && stage->is_last
                    ? move (stage, tensor, device, TP_COSTS_HOST)
                    : 0;

  for (int i = 0; i < it->n_readers; i++)
    {
      int reader = it->readers[i];
      gint64 best = TP_COST_NONE;

      if (!has (stage, reader))
        continue;
      for (int d = 0; d < stage->n_devices; d++)
        if (stage->at[reader] >> d & 1)
          best = MIN (best, move (stage, tensor, device, d)
                                + go_through (stage, reader, d, group));
      rest = MAX (rest, best);
    }
  return rest;
}

static void
fill_back (TpCheckerStage *stage, int node)
{
  const TpNode *it = &stage->checker->graph->nodes[node];

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 *rest = &stage->rests[index_of (stage, node, d)];

      *rest = 0;
      for (int k = 0; k < it->n_outputs; k++)
        *rest = MAX (*rest, find_rest (stage, it->outputs[k], d,
                                       name_group (stage, node)));
    }
}

static gint64
find_longest (const TpCheckerStage *stage)
{
  gint64 longest = 0;

  for (int i = stage->first; i < stage->end; i++)
    {
      const TpGroup *group = group_of (stage, i);
      gint64 best = TP_COST_NONE;

      for (int d = 0; d < stage->n_devices; d++)
        if (stage->at[i] >> d & 1)
          best = MIN (best, stage->ends[index_of (stage, i, d)]
                                + stage->rests[index_of (stage, i, d)]);
      if (group == NULL || last_of (group) == i)
        longest = MAX (longest, best);
    }
  return longest;
}

/* ---- jobs ----------------------------------------------------------------- */

static void
add_job (TpCheckerStage *stage, TpCheckerJob job)
{
  if (job.time > 0)
    tp_array_append_val (stage->jobs, job);
}

static void
add_kernel (TpCheckerStage *stage, int node)
{
  int device = place_of (stage, node);
  gsize i = index_of (stage, node, MAX (device, 0));
  const TpGroup *group = group_of (stage, node);

  if (device < 0)
    return;
  if (!may_fuse (stage, node))
    add_job (stage, (TpCheckerJob){ device, stage->begins[i],
                           alone (stage, node, device), stage->rests[i] });
  else if (is_fused (stage, node, device) && last_of (group) == node)
    add_job (stage, (TpCheckerJob){ device,
                           stage->ends[i] - fused (stage, node, device),
                           fused (stage, node, device), stage->rests[i] });
}

/* What has to be done once @tensor is on @place, if it has to be there: else -1. */
static gint64
find_need (const TpCheckerStage *stage, int tensor, int place, int group)
{
  const TpTensorOutline *it = &stage->checker->tensors[tensor];
  gint64 need = stage->is_last && it->is_output && it->producer >= 0
                        && place == stage->checker->costs->host
                    ? 0
                    : -1;

  for (int i = 0; i < it->n_readers && place != TP_COSTS_HOST; i++)
    if (has (stage, it->readers[i])
        && stage->at[it->readers[i]] == 1 << place)
      need = MAX (need, go_through (stage, it->readers[i], place, group));
  return need;
}

static void
add_copies (TpCheckerStage *stage, int tensor, Maker maker)
{
  const TpCheckerLegs *legs
      = &stage->checker->legs[index_of (stage, tensor, 0)];

  if (stage->checker->tensors[tensor].is_resident)
    return;
  for (int to = TP_COSTS_HOST; to < stage->n_devices; to++)
    {
      gint64 need = find_need (stage, tensor, to, maker.group);
      gint64 fetch = maker.place < 0 ? 0 : legs[MAX (maker.place, 0)].fetch;
      gint64 feed = to < 0 ? 0 : legs[MAX (to, 0)].feed;

      if (to == maker.place || need < 0)
        continue;
      add_job (stage, (TpCheckerJob){ 2 * stage->n_devices + maker.place,
                                      maker.done, fetch, feed + need });
      add_job (stage, (TpCheckerJob){ stage->n_devices + to,
                                      maker.done + fetch, feed, need });
    }
}

static void
add_copies_of_node (TpCheckerStage *stage, int node)
{
  const TpNode *it = &stage->checker->graph->nodes[node];
  Maker maker = { place_of (stage, node), name_group (stage, node), 0 };

  if (maker.place < 0)
    return;
  if (node != stage->start)
    maker.done = stage->ends[index_of (stage, node, maker.place)];
  for (int k = 0; k < it->n_outputs; k++)
    add_copies (stage, it->outputs[k], maker);
}

static void
add_jobs (TpCheckerStage *stage)
{
  const TpChecker *checker = stage->checker;

  for (int i = stage->first; i < stage->end; i++)
    {
      add_kernel (stage, i);
      add_copies_of_node (stage, i);
    }
  if (stage->start >= 0)
    add_copies_of_node (stage, stage->start);
  for (int t = 0; t < checker->graph->n_tensors && stage->start < 0; t++)
    if (checker->tensors[t].producer < 0)
      add_copies (stage, t, (Maker){ checker->costs->host, NOBODY, 0 });
}

/* ---- all devices ---------------------------------------------------------- */

/* Before and after all kernels there can be on @device, if there is one for sure. */
static gint64
find_idle (const TpCheckerStage *stage, int device)
{
  gint64 before = TP_COST_NONE, after = TP_COST_NONE;
  gboolean has_job = FALSE;

  for (guint i = 0; i < stage->jobs->len; i++)
    has_job |= tp_array_index (stage->jobs, TpCheckerJob, i).engine == device;
  for (int i = stage->first; i < stage->end && has_job; i++)
    if ((stage->at[i] >> device & 1)
        && (group_of (stage, i) != NULL || alone (stage, i, device) > 0))
      {
        before = MIN (before, stage->begins[index_of (stage, i, device)]);
        after = MIN (after, stage->rests[index_of (stage, i, device)]);
      }
  return has_job ? before + after : 0;
}

static Wide
weigh (const TpCheckerStage *stage, int node, const gint64 *weights)
{
  Wide least = -1;

  for (int d = 0; d < stage->n_devices; d++)
    {
      Wide own = (Wide) weights[d] * alone (stage, node, d);

      if ((stage->at[node] >> d & 1) && (least < 0 || own < least))
        least = own;
    }
  return least;
}

/* The last op of a group that may be one kernel stands for all of it. */
static Wide
weigh_group (const TpCheckerStage *stage, int node, const gint64 *weights)
{
  const TpGroup *it = group_of (stage, node);
  Wide sum = 0;

  for (int i = 0; i < it->n_nodes; i++)
    sum += weigh (stage, it->nodes[i], weights);
  for (int d = 0; d < stage->n_devices; d++)
    {
      Wide whole = (Wide) weights[d] * fused (stage, node, d);

      if (is_fused (stage, node, d))
        return whole;
      if (fused (stage, node, d) != TP_COST_NONE)
        sum = MIN (sum, whole);
    }
  return sum;
}

/* @idle: [device]: when it has nothing to do. */
static Wide
find_mean (const TpCheckerStage *stage, const gint64 *idle,
           const gint64 *weights)
{
  Wide all = 0, sum = 0;

  for (int d = 0; d < stage->n_devices; d++)
    {
      all += weights[d];
      sum += (Wide) weights[d] * idle[d];
    }
  for (int i = stage->first; i < stage->end; i++)
    if (!may_fuse (stage, i))
      sum += weigh (stage, i, weights);
    else if (last_of (group_of (stage, i)) == i)
      sum += weigh_group (stage, i, weights);
  return (sum + all - 1) / all;
}

/* With which @node is as dear everywhere, in parts of the largest; FALSE: there are
 * none. */
static gboolean
even_out (const TpCheckerStage *stage, int node, gint64 *weights)
{
  gint64 fastest = TP_COST_NONE;

  for (int d = 0; d < stage->n_devices; d++)
    {
      if (alone (stage, node, d) == 0
          || alone (stage, node, d) == TP_COST_NONE)
        return FALSE;
      fastest = MIN (fastest, alone (stage, node, d));
    }
  for (int d = 0; d < stage->n_devices; d++)
    {
      Wide own = alone (stage, node, d);

      weights[d] = (gint64) ((WEIGHT_PARTS * fastest + own - 1) / own);
    }
  return TRUE;
}

static Wide
find_means (const TpCheckerStage *stage)
{
  gint64 idle[MOST_DEVICES] = { 0 }, weights[MOST_DEVICES] = { 0 };
  int left = MOST_WEIGHTS;
  Wide most;

  for (int d = 0; d < stage->n_devices; d++)
    {
      idle[d] = find_idle (stage, d);
      weights[d] = 1;
    }
  most = find_mean (stage, idle, weights);
  for (int i = stage->first; i < stage->end && left > 0; i++)
    if (even_out (stage, i, weights))
      {
        most = MAX (most, find_mean (stage, idle, weights));
        left--;
      }
  return most;
}

gint64
tp_checker_stage_find (TpCheckerStage *stage)
{
  Wide most;

  tp_array_set_size (stage->jobs, 0);
  for (int i = stage->first; i < stage->end; i++)
    fill_front (stage, i);
  for (int i = stage->end - 1; i >= stage->first; i--)
    fill_back (stage, i);
  add_jobs (stage);
  most = MAX (find_longest (stage), find_means (stage));
  most = MAX (most, tp_checker_find_busiest (stage->jobs));
  return (gint64) MIN (most, (Wide) G_MAXINT64);
}
