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

  for (int i = 0; i < problem->graph->n_nodes; i++)
    for (int d = 0; d < stage->n_devices; d++)
      {
        gint64 cost = tp_problem_node_cost (problem, i, d);

        stage->costs[get_at (stage, i, d)] = cost;
        if (cost != TP_COST_NONE)
          stage->may[i] |= (guint8) (1u << d);
      }
}

static void
fill_fused_cost (TpSpanStage *stage, int group, int device)
{
  const TpGroup *it = get_group (stage, group);
  gint64 gain = tp_problem_get_gain (stage->problem, group, device);
  gint64 *cost = &stage->fused_costs[get_at (stage, group, device)];

  *cost = gain == 0 ? TP_COST_NONE : -gain;
  for (int k = 0; k < it->n_nodes && gain > 0; k++)
    *cost += get_cost (stage, it->nodes[k], device);
}

static gint64 *
find_copy (const TpSpanStage *stage, int tensor, int from, int to)
{
  gsize n_places = (gsize) stage->n_devices + 1; /* and the host */

  return &stage->copies[((gsize) tensor * n_places + from - TP_COSTS_HOST)
                            * n_places
                        + to - TP_COSTS_HOST];
}

static void
fill_copies (TpSpanStage *stage, int tensor)
{
  const TpProblem *problem = stage->problem;
  gboolean stays = tp_tensor_is_resident (&problem->graph->tensors[tensor]);

  for (int from = TP_COSTS_HOST; from < stage->n_devices; from++)
    for (int to = TP_COSTS_HOST; to < stage->n_devices; to++)
      *find_copy (stage, tensor, from, to)
          = stays || from == to
                ? 0
                : tp_problem_edge_cost (problem, tensor, from, to);
}

void
tp_span_stage_init (TpSpanStage *stage, const TpProblem *problem,
                    const TpSpanStages *stages)
{
  gsize n_devices = (gsize) problem->n_devices;
  gsize n = n_devices * problem->graph->n_nodes + 1;
  gsize n_groups = (gsize) problem->costs->n_groups;
  gsize n_tensors = (gsize) problem->graph->n_tensors;

  *stage = (TpSpanStage){ .problem = problem, .stages = stages,
                          .n_devices = problem->n_devices };
  stage->costs = tp_new (gint64, n);
  stage->fused_costs = tp_new (gint64, n_devices * n_groups + 1);
  stage->may = tp_new0 (guint8, n);
  stage->ready = tp_new0 (gint64, n);
  stage->ends = tp_new0 (gint64, n);
  stage->tails = tp_new0 (gint64, n);
  stage->rests = tp_new0 (gint64, n);
  stage->fuses = tp_new0 (guint8, n_groups + 1);
  stage->jobs = tp_array_new (sizeof (TpSpanJob));
  stage->copies
      = tp_new (gint64, n_tensors * (n_devices + 1) * (n_devices + 1) + 1);
  fill_costs (stage);
  for (gsize i = 0; i < n_groups * n_devices; i++)
    fill_fused_cost (stage, (int) (i / n_devices), (int) (i % n_devices));
  for (gsize i = 0; i < n_tensors; i++)
    fill_copies (stage, (int) i);
  stage->by_ratio = tp_new (int, n);
  stage->sums = tp_new (gint64, n + 2);
  stage->free = tp_new (int, n);
  stage->fusable = tp_new (int, n_groups + 1);
  stage->weights = tp_new0 (gint64, n);
  tp_span_mean_prepare (stage);
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
  g_clear_pointer (&stage->rests, g_free);
  g_clear_pointer (&stage->fuses, g_free);
  g_clear_pointer (&stage->copies, g_free);
  g_clear_pointer (&stage->by_ratio, g_free);
  g_clear_pointer (&stage->sums, g_free);
  g_clear_pointer (&stage->weights, g_free);
  g_clear_pointer (&stage->free, g_free);
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
  guint8 all = FUSED - 1, any = 0;

  for (int i = 0; i < it->n_nodes; i++)
    {
      all &= stage->may[it->nodes[i]];
      any |= stage->may[it->nodes[i]];
    }
  for (int d = 0; d < stage->n_devices; d++)
    if (get_fused_cost (stage, group, d) == TP_COST_NONE)
      all &= (guint8) ~(1u << d);
  stage->fuses[group] = all | (is_one (any) && all == any ? FUSED : 0);
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
  for (int d = 0; d < stage->n_devices; d++)
    if (may_be (stage, maker, d))
      first = MIN (first,
                   (is_start (stage, maker) ? 0 : stage->ends[get_at (stage, maker, d)])
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

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 *end = &stage->ends[get_at (stage, node, d)], fused = TP_COST_NONE;

      if (!may_be (stage, node, d))
        continue;
      stage->ready[get_at (stage, node, d)] = find_ready (stage, node, d, -1);
      *end = stage->ready[get_at (stage, node, d)]
             + get_cost (stage, node, d);
      if (fuses >> d & 1)
        fused = find_group_ready (stage, group, d)
                + get_fused_cost (stage, group, d);
      *end = fuses & FUSED ? fused : MIN (*end, fused);
    }
}

/* Its tail is known, and that of the last of its group. */
static void
fill_rests (TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];
  guint8 fuses = get_fuses (stage, node);

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 alone = get_cost (stage, node, d)
                     + stage->tails[get_at (stage, node, d)];
      gint64 fused = TP_COST_NONE;

      if (!may_be (stage, node, d))
        continue;
      if (fuses >> d & 1)
        fused = get_fused_cost (stage, group, d)
                + stage->tails[get_at (stage, get_last (stage, group), d)];
      stage->rests[get_at (stage, node, d)]
          = fuses & FUSED ? fused : MIN (alone, fused);
    }
}

/* From where @node begins on @device to the end, as a kernel that waits for what
 * another of @group, if it is one of it, or else one outside has made. */
static gint64
find_rest (const TpSpanStage *stage, int node, int device, int group)
{
  gsize at = get_at (stage, node, device);

  return stage->stages->group_of[node] == group
             ? stage->costs[at] + stage->tails[at]
             : stage->rests[at];
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
      for (int d = 0; d < stage->n_devices; d++)
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

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 *tail = &stage->tails[get_at (stage, node, d)];

      *tail = 0;
      for (int k = 0; k < it->n_outputs && may_be (stage, node, d); k++)
        *tail = MAX (*tail, find_tail (stage, it->outputs[k], d,
                                       group < 0 ? -2 : group));
    }
  fill_rests (stage, node);
}

static gint64
find_way (const TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];
  gint64 way = TP_COST_NONE;

  if (group >= 0 && get_last (stage, group) != node)
    return 0;                 /* it may never end by itself */
  for (int d = 0; d < stage->n_devices; d++)
    if (may_be (stage, node, d))
      way = MIN (way, stage->ends[get_at (stage, node, d)] + stage->tails[get_at (stage, node, d)]);
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
  int device = find_device (stage, node);
  int group = stage->stages->group_of[node];
  guint8 fuses = get_fuses (stage, node);
  gsize at = get_at (stage, node, MAX (device, 0));

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

  for (int to = TP_COSTS_HOST; to < stage->n_devices; to++)
    {
      gint64 need = to == from ? -1 : find_need (stage, tensor, to, group);
      gint64 fetch = 0, feed = 0;

      if (need < 0)
        continue;
      if (from != TP_COSTS_HOST && from != host)
        fetch = get_copy (stage, tensor, from, TP_COSTS_HOST);
      if (to != TP_COSTS_HOST && to != host)
        feed = get_copy (stage, tensor, TP_COSTS_HOST, to);
      add_job (stage, (TpSpanJob){ 2 * stage->n_devices + from, end, fetch,
                                   feed + need });
      add_job (stage,
               (TpSpanJob){ stage->n_devices + to, end + fetch, feed, need });
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
  end = is_start (stage, node) ? 0 : stage->ends[get_at (stage, node, device)];
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
