/* span-stage.c: see span-stage.h. Three bounds, of which the greatest counts: the
 * longest way through the stage; for each engine what it is sure to do, with what has
 * to be before the first and after the last of any of it; and what the devices are
 * sure to do together, by weights. */
#include "config.h"

#include "planner/span-stage.h"

#include "ir/guard.h"
#include "planner/span-jobs.h"
#include "planner/span-mean.h"
#include "planner/span-stage-private.h"

static void
fill_costs (TpSpanStage *stage)
{
  const TpProblem *problem = stage->problem;

  for (int i = 0; i < 2 * problem->graph->n_nodes; i++)
    {
      stage->costs[i] = tp_problem_node_cost (problem, i / 2, i % 2);
      if (stage->costs[i] != TP_COST_NONE)
        stage->may[i / 2] |= (guint8) (1u << i % 2);
    }
  for (int i = 0; i < 2 * problem->costs->n_groups; i++)
    {
      const TpGroup *group = &problem->groups->groups[i / 2];
      gint64 gain = tp_problem_get_gain (problem, i / 2, i % 2);

      stage->fused_costs[i] = gain == 0 ? TP_COST_NONE : -gain;
      for (int k = 0; k < group->n_nodes && gain > 0; k++)
        stage->fused_costs[i] += stage->costs[2 * group->nodes[k] + i % 2];
    }
}

#define N_PLACES 3             /* the devices, and the host */

static gint64 *
find_copy (const TpSpanStage *stage, int tensor, int from, int to)
{
  return &stage->copies[((gsize) tensor * N_PLACES + from - TP_COSTS_HOST)
                            * N_PLACES
                        + to - TP_COSTS_HOST];
}

static void
fill_copies (TpSpanStage *stage)
{
  const TpGraph *graph = stage->problem->graph;

  for (int i = 0; i < graph->n_tensors; i++)
    for (int from = TP_COSTS_HOST; from < 2; from++)
      for (int to = TP_COSTS_HOST; to < 2; to++)
        *find_copy (stage, i, from, to)
            = tp_tensor_is_resident (&graph->tensors[i]) || from == to
                  ? 0
                  : tp_problem_edge_cost (stage->problem, i, from, to);
}

void
tp_span_stage_init (TpSpanStage *stage, const TpProblem *problem,
                    const TpSpanStages *stages)
{
  gsize n = 2 * (gsize) problem->graph->n_nodes + 1;
  gsize n_groups = (gsize) problem->costs->n_groups + 1;

  *stage = (TpSpanStage){ .problem = problem, .stages = stages };
  stage->costs = tp_new (gint64, n);
  stage->fused_costs = tp_new (gint64, 2 * n_groups);
  stage->may = tp_new0 (guint8, n);
  stage->ready = tp_new0 (gint64, n);
  stage->ends = tp_new0 (gint64, n);
  stage->tails = tp_new0 (gint64, n);
  stage->fuses = tp_new0 (guint8, n_groups);
  stage->jobs = tp_array_new (sizeof (TpSpanJob));
  stage->copies = tp_new (gint64, (gsize) problem->graph->n_tensors * N_PLACES
                                          * N_PLACES + 1);
  stage->by_ratio = tp_new (int, n);
  stage->ratio_rank = tp_new (int, n);
  stage->sums = tp_new (gint64, n + 1);
  stage->fusable = tp_new (int, n_groups);
  fill_costs (stage);
  fill_copies (stage);
  tp_span_mean_sort (stage);
}

void
tp_span_stage_clear (TpSpanStage *stage)
{
  g_clear_pointer (&stage->costs, g_free);
  g_clear_pointer (&stage->fused_costs, g_free);
  g_clear_pointer (&stage->may, g_free);
  g_clear_pointer (&stage->ready, g_free);
  g_clear_pointer (&stage->ends, g_free);
  g_clear_pointer (&stage->tails, g_free);
  g_clear_pointer (&stage->fuses, g_free);
  g_clear_pointer (&stage->copies, g_free);
  g_clear_pointer (&stage->by_ratio, g_free);
  g_clear_pointer (&stage->ratio_rank, g_free);
  g_clear_pointer (&stage->sums, g_free);
  g_clear_pointer (&stage->fusable, g_free);
  g_clear_pointer (&stage->jobs, tp_array_unref);
}

/* ---- what it is made of --------------------------------------------------- */

static gboolean
is_last (const TpSpanStage *stage)
{
  return stage->stage == stage->stages->n_waists;
}

static gboolean
is_inside (const TpSpanStage *stage, int node)
{
  return stage->stages->stage_of[node] == stage->stage;
}

/* The op that ended the stage before. */
static gboolean
is_start (const TpSpanStage *stage, int node)
{
  return stage->stage > 0 && stage->stages->waists[stage->stage - 1] == node;
}

static void
fill_fuses (TpSpanStage *stage, int group)
{
  const TpGroup *it = get_group (stage, group);
  guint8 all = 3, any = 0;

  for (int i = 0; i < it->n_nodes; i++)
    {
      all &= stage->may[it->nodes[i]];
      any |= stage->may[it->nodes[i]];
    }
  for (int d = 0; d < 2; d++)
    if (get_fused_cost (stage, group, d) == TP_COST_NONE)
      all &= (guint8) ~(1u << d);
  stage->fuses[group] = all | (all != 0 && all == any && any != 3 ? FUSED : 0);
}

/* ---- the longest way ------------------------------------------------------ */

static gint64
get_copy (const TpSpanStage *stage, int tensor, int from, int to)
{
  return *find_copy (stage, tensor, from, to);
}

/* When @tensor is on @device at the earliest. What was made before the stage, but by
 * its start, may have been copied long since. */
static gint64
find_arrival (const TpSpanStage *stage, int tensor, int device)
{
  int maker = stage->problem->graph->tensors[tensor].producer;
  gint64 first = TP_COST_NONE;

  if (maker < 0)
    return stage->stage > 0 ? 0
                            : get_copy (stage, tensor, TP_COSTS_HOST, device);
  if (!is_inside (stage, maker) && !is_start (stage, maker))
    return 0;
  for (int d = 0; d < 2; d++)
    if (may_be (stage, maker, d))
      first = MIN (first,
                   (is_start (stage, maker) ? 0 : stage->ends[2 * maker + d])
                       + get_copy (stage, tensor, d, device));
  return first;
}

/* When all is there that @node reads but what others of @group make; -1: no group. */
static gint64
find_ready (const TpSpanStage *stage, int node, int device, int group)
{
  const TpNode *it = &stage->problem->graph->nodes[node];
  gint64 ready = 0;

  for (int k = 0; k < it->n_inputs; k++)
    {
      int tensor = it->inputs[k];
      int maker
          = tensor < 0 ? -1 : stage->problem->graph->tensors[tensor].producer;

      if (tensor < 0
          || (group >= 0 && maker >= 0
              && stage->stages->group_of[maker] == group))
        continue;
      ready = MAX (ready, find_arrival (stage, tensor, device));
    }
  return ready;
}

static gint64
find_group_ready (const TpSpanStage *stage, int group, int device)
{
  const TpGroup *it = get_group (stage, group);
  gint64 ready = 0;

  for (int i = 0; i < it->n_nodes; i++)
    ready = MAX (ready, find_ready (stage, it->nodes[i], device, group));
  return ready;
}

static void
fill_ends (TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];
  guint8 fuses
      = group >= 0 && get_last (stage, group) == node ? get_fuses (stage, node)
                                                      : 0;

  for (int d = 0; d < 2; d++)
    {
      gint64 *end = &stage->ends[2 * node + d], fused = TP_COST_NONE;

      if (!may_be (stage, node, d))
        continue;
      stage->ready[2 * node + d] = find_ready (stage, node, d, -1);
      *end = stage->ready[2 * node + d]
             + get_cost (stage, node, d);
      if (fuses >> d & 1)
        fused = find_group_ready (stage, group, d)
                + get_fused_cost (stage, group, d);
      *end = fuses & FUSED ? fused : MIN (*end, fused);
    }
}

/* From where @node begins on @device to the end, as a kernel that waits for what
 * another of @group, if it is one of it, or else one outside has made. */
static gint64
find_rest (const TpSpanStage *stage, int node, int device, int group)
{
  int own = stage->stages->group_of[node];
  guint8 fuses = own == group ? 0 : get_fuses (stage, node);
  gint64 alone = get_cost (stage, node, device)
                 + stage->tails[2 * node + device];
  gint64 fused = TP_COST_NONE;

  if (fuses >> device & 1)
    fused = get_fused_cost (stage, own, device)
            + stage->tails[2 * get_last (stage, own) + device];
  return fuses & FUSED ? fused : MIN (alone, fused);
}

/* After @tensor is made on @device by one of @group. */
static gint64
find_tail (const TpSpanStage *stage, int tensor, int device, int group)
{
  const TpTensor *it = &stage->problem->graph->tensors[tensor];
  gint64 tail = 0;

  if (is_last (stage) && it->is_output
      && device != stage->problem->costs->host)
    tail = get_copy (stage, tensor, device, TP_COSTS_HOST);
  for (int c = 0; c < it->n_consumers; c++)
    {
      gint64 first = TP_COST_NONE;

      if (!is_inside (stage, it->consumers[c]))
        continue;
      for (int d = 0; d < 2; d++)
        if (may_be (stage, it->consumers[c], d))
          first = MIN (first,
                       get_copy (stage, tensor, device, d)
                           + find_rest (stage, it->consumers[c], d, group));
      tail = MAX (tail, first);
    }
  return tail;
}

/* The end of the stage has nothing after it. */
static void
fill_tails (TpSpanStage *stage, int node)
{
  const TpNode *it = &stage->problem->graph->nodes[node];
  int group = stage->stages->group_of[node];

  for (int d = 0; d < 2; d++)
    {
      gint64 *tail = &stage->tails[2 * node + d];

      *tail = 0;
      for (int k = 0; k < it->n_outputs && may_be (stage, node, d); k++)
        *tail = MAX (*tail, find_tail (stage, it->outputs[k], d,
                                       group < 0 ? -2 : group));
    }
}

static gint64
find_way (const TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];
  gint64 way = TP_COST_NONE;

  if (group >= 0 && get_last (stage, group) != node)
    return 0;                 /* it may never end by itself */
  for (int d = 0; d < 2; d++)
    if (may_be (stage, node, d))
      way = MIN (way, stage->ends[2 * node + d] + stage->tails[2 * node + d]);
  return way;
}

/* ---- engines -------------------------------------------------------------- */

static void
add_job (TpSpanStage *stage, TpSpanJob job)
{
  if (job.time > 0)
    tp_array_append_val (stage->jobs, job);
}

/* @node on its device, or its group as one kernel. */
static void
add_kernel (TpSpanStage *stage, int node)
{
  int device = find_device (stage, node), at = 2 * node + device;
  int group = stage->stages->group_of[node];
  guint8 fuses = get_fuses (stage, node);

  if ((fuses & FUSED) && get_last (stage, group) == node)
    {
      gint64 time_ns = get_fused_cost (stage, group, device);

      add_job (stage, (TpSpanJob){ device, stage->ends[at] - time_ns, time_ns,
                               stage->tails[at] });
    }
  else if (fuses == 0 && device >= 0)
    add_job (stage, (TpSpanJob){ device, stage->ready[at],
                             get_cost (stage, node, device),
                             stage->tails[at] });
}

/* How long after @tensor is on @place all is done, as far as it is known that it has
 * to be there; -1: it is not. */
static gint64
find_need (const TpSpanStage *stage, int tensor, int place, int group)
{
  const TpTensor *it = &stage->problem->graph->tensors[tensor];
  gint64 need = -1;

  if (it->is_output && it->producer >= 0 && is_last (stage)
      && place == stage->problem->costs->host)
    need = 0;
  for (int c = 0; c < it->n_consumers && place >= 0; c++)
    if (is_inside (stage, it->consumers[c])
        && find_device (stage, it->consumers[c]) == place)
      need = MAX (need, find_rest (stage, it->consumers[c], place, group));
  return need;
}

/* Copies of @tensor, made on @from by one of @group, where it is at @end. */
static void
add_copies (TpSpanStage *stage, int tensor, int from, int group, gint64 end)
{
  int host = stage->problem->costs->host;

  for (int to = TP_COSTS_HOST; to < 2; to++)
    {
      gint64 need = to == from ? -1 : find_need (stage, tensor, to, group);
      gint64 fetch = 0, feed = 0;

      if (need < 0)
        continue;
      if (from != TP_COSTS_HOST && from != host)
        fetch = get_copy (stage, tensor, from, TP_COSTS_HOST);
      if (to != TP_COSTS_HOST && to != host)
        feed = get_copy (stage, tensor, TP_COSTS_HOST, to);
      add_job (stage, (TpSpanJob){ 4 + from, end, fetch, feed + need });
      add_job (stage, (TpSpanJob){ 2 + to, end + fetch, feed, need });
    }
}

static void
add_outputs (TpSpanStage *stage, int node)
{
  const TpNode *it = &stage->problem->graph->nodes[node];
  int device = find_device (stage, node), group = stage->stages->group_of[node];
  gint64 end;

  if (device < 0)
    return;
  end = is_start (stage, node) ? 0 : stage->ends[2 * node + device];
  for (int k = 0; k < it->n_outputs; k++)
    add_copies (stage, it->outputs[k], device, group < 0 ? -2 : group, end);
}

/* Those of the caller that an op of the first stage is the first to read. */
static void
add_feeds (TpSpanStage *stage)
{
  const TpGraph *graph = stage->problem->graph;

  for (int i = 0; i < graph->n_inputs && stage->stage == 0; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];

      if (tensor->n_consumers > 0 && is_inside (stage, tensor->consumers[0]))
        add_copies (stage, graph->inputs[i], stage->problem->costs->host, -2, 0);
    }
}

/* ---- all ------------------------------------------------------------------ */

gint64
tp_span_stage_find (TpSpanStage *stage, int index)
{
  int first = stage->stages->first_op[index];
  int end = stage->stages->first_op[index + 1];
  gint64 way = 0;

  stage->stage = index;
  tp_array_set_size (stage->jobs, 0);
  for (int i = first; i < end; i++)
    if (stage->stages->group_of[i] >= 0)
      fill_fuses (stage, stage->stages->group_of[i]);
  for (int i = first; i < end; i++)
    fill_ends (stage, i);
  for (int i = end - 1; i >= first; i--)
    fill_tails (stage, i);
  for (int i = first; i < end; i++)
    {
      way = MAX (way, find_way (stage, i));
      add_kernel (stage, i);
      add_outputs (stage, i);
    }
  add_feeds (stage);
  if (index > 0)
    add_outputs (stage, stage->stages->waists[index - 1]);
  way = MAX (way, tp_span_jobs_find_longest (stage->jobs));
  return MAX (way, tp_span_mean_find (stage));
}
