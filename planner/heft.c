/* heft.c: see heft.h. Heterogeneous earliest finish time (H. Topcuoglu, S. Hariri and
 * M. Wu, Performance-effective and low-complexity task scheduling, 2002), with each
 * direction of a device's copies as an engine of its own: from where the way to the end
 * is longest by means of times first, each op is put where it ends first, copies of
 * what it reads included, in gaps of what engines do already. What runs as one kernel
 * is one op; what is to be together goes where the first of it went. */
#include "config.h"

#include "planner/heft.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/load-proof.h"

#include <stdlib.h>
#include <string.h>

#define NOT_THERE -1

__extension__ typedef __int128 Wide;

typedef struct
{
  gint64 start, end;
} Busy;

/* An op, or a group, by its last op. */
typedef struct
{
  int last;
  gint64 rank;                /* to the end, by means */
} Unit;

/* What a trial did. */
typedef struct
{
  int engine;                 /* -1: only @there was set */
  guint at;                   /* of Busy */
  gsize there;
} Step;

typedef struct
{
  const TpProblem *problem;
  guint8 *devices;
  int *group_of;              /* [node]: that is placed as one; -1: none */
  gboolean *is_fixed;         /* [node]: of the first of what is to be together */
  gint64 *ranks, *ends;       /* [node]: of the last of a unit */
  gint64 *there;              /* [tensor * n_devices + device]: since when */
  TpArray *busy[TP_LOAD_MAX_ENGINES]; /* Busy, one after the other */
  TpArray *steps;             /* Step */
  gint64 n_left;              /* steps */
} Heft;

static void
heft_clear (Heft *heft)
{
  g_clear_pointer (&heft->group_of, g_free);
  g_clear_pointer (&heft->is_fixed, g_free);
  g_clear_pointer (&heft->ranks, g_free);
  g_clear_pointer (&heft->ends, g_free);
  g_clear_pointer (&heft->there, g_free);
  for (int e = 0; e < TP_LOAD_MAX_ENGINES; e++)
    g_clear_pointer (&heft->busy[e], tp_array_unref);
  g_clear_pointer (&heft->steps, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Heft, heft_clear)

/* ---- units ---------------------------------------------------------------- */

/* All ops of it, where @node stands for it. */
static TpGroup
get_ops (const Heft *heft, const int *node)
{
  int index = heft->group_of[*node];

  return index < 0 ? (TpGroup){ .nodes = (int *) node, .n_nodes = 1 }
                   : heft->problem->groups->groups[index];
}

static int
find_last (const Heft *heft, int node)
{
  TpGroup ops = get_ops (heft, &node);

  return ops.nodes[ops.n_nodes - 1];
}

/* TP_COST_NONE: some of it may not be there, or what is to be with it is elsewhere. */
static gint64
find_time (const Heft *heft, int last, int device)
{
  const TpProblem *problem = heft->problem;
  int index = heft->group_of[last], n;
  int lead = *tp_problem_get_together (problem, &last, &n);
  TpGroup ops = get_ops (heft, &last);
  gint64 time_ns = 0;

  if (heft->is_fixed[lead] && heft->devices[lead] != device)
    return TP_COST_NONE;
  for (int i = 0; i < ops.n_nodes; i++)
    {
      gint64 cost = tp_problem_node_cost (problem, ops.nodes[i], device);

      if (cost == TP_COST_NONE)
        return TP_COST_NONE;
      time_ns += cost;
    }
  return index < 0 ? time_ns
                   : time_ns - tp_problem_get_gain (problem, index, device);
}

/* Whether some device may have all of it, and none of it is to be with others. */
static gboolean
is_whole (const Heft *heft, const TpGroup *group)
{
  int n;

  for (int i = 0; i < group->n_nodes; i++)
    {
      tp_problem_get_together (heft->problem, &group->nodes[i], &n);
      if (n > 1)
        return FALSE;
    }
  for (int d = 0; d < heft->problem->n_devices; d++)
    if (find_time (heft, group->nodes[0], d) != TP_COST_NONE)
      return TRUE;
  return FALSE;
}

static void
find_groups (Heft *heft)
{
  const TpGroups *groups = heft->problem->groups;
  int n = heft->problem->graph->n_nodes;

  memset (heft->group_of, -1, sizeof (int) * (gsize) n);
  for (int i = 0; i < heft->problem->costs->n_groups; i++)
    {
      const TpGroup *it = &groups->groups[i];

      for (int k = 0; k < it->n_nodes; k++)
        heft->group_of[it->nodes[k]] = i;
      if (is_whole (heft, it))
        continue;
      for (int k = 0; k < it->n_nodes; k++)
        heft->group_of[it->nodes[k]] = -1;
    }
}

/* ---- ranks ---------------------------------------------------------------- */

/* What half of a copy of @tensor takes: from or to @place. */
static gint64
find_half (const Heft *heft, int tensor, int place, gboolean is_feed)
{
  const TpProblem *problem = heft->problem;

  if (place == TP_COSTS_HOST || place == problem->costs->host)
    return 0;
  return is_feed
             ? tp_problem_edge_cost (problem, tensor, TP_COSTS_HOST, place)
             : tp_problem_edge_cost (problem, tensor, place, TP_COSTS_HOST);
}

/* Of a copy, or none, over all pairs of devices. */
static gint64
find_mean_copy (const Heft *heft, int tensor)
{
  int n = heft->problem->n_devices;
  gint64 sum = 0;

  if (tp_tensor_is_resident (&heft->problem->graph->tensors[tensor]))
    return 0;
  for (int d = 0; d < n; d++)
    sum += find_half (heft, tensor, d, FALSE)
           + find_half (heft, tensor, d, TRUE);
  return (gint64) ((Wide) sum * (n - 1) / (n * n));
}

static gint64
find_mean_time (const Heft *heft, int last)
{
  gint64 sum = 0, time_ns;
  int n = 0;

  for (int d = 0; d < heft->problem->n_devices; d++)
    if ((time_ns = find_time (heft, last, d)) != TP_COST_NONE)
      {
        sum += time_ns;
        n++;
      }
  return sum / MAX (n, 1);
}

/* The longest way from the end of @last with @tensor, of which others may read; 0: none
 * does. */
static gint64
find_rank_with (const Heft *heft, int last, int tensor)
{
  const TpTensor *it = &heft->problem->graph->tensors[tensor];
  gboolean is_read = it->is_output;
  gint64 after = 0;

  for (int c = 0; c < it->n_consumers; c++)
    {
      int reader = find_last (heft, it->consumers[c]);

      if (reader == last)
        continue;
      is_read = TRUE;
      after = MAX (after, heft->ranks[reader]);
    }
  return is_read ? find_mean_copy (heft, tensor) + after : 0;
}

/* The longest way from the end of @last. */
static gint64
find_rank_after (const Heft *heft, int last)
{
  const TpGraph *graph = heft->problem->graph;
  TpGroup ops = get_ops (heft, &last);
  gint64 most = 0;

  for (int i = 0; i < ops.n_nodes; i++)
    for (int k = 0; k < graph->nodes[ops.nodes[i]].n_outputs; k++)
      {
        int tensor = graph->nodes[ops.nodes[i]].outputs[k];

        if (tensor >= 0)
          most = MAX (most, find_rank_with (heft, last, tensor));
      }
  return most;
}

static int
compare_units (gconstpointer a, gconstpointer b)
{
  const Unit *first = a, *second = b;

  return first->rank != second->rank
             ? (first->rank < second->rank ? 1 : -1)
             : first->last - second->last;
}

/* Units, none after one that waits for it. */
static TpArray *
rank_units (Heft *heft)
{
  g_autoptr (TpArray) units = tp_array_new (sizeof (Unit));

  for (int i = heft->problem->graph->n_nodes - 1; i >= 0; i--)
    {
      Unit unit = { i, 0 };

      if (find_last (heft, i) != i)
        continue;
      unit.rank = find_mean_time (heft, i) + find_rank_after (heft, i);
      heft->ranks[i] = unit.rank;
      tp_array_append_val (units, unit);
    }
  qsort (units->data, units->len, sizeof (Unit), compare_units);
  return g_steal_pointer (&units);
}

/* ---- trials --------------------------------------------------------------- */

/* Of what is busy there, the first that ends after @since. */
static guint
find_next (const TpArray *busy, gint64 since)
{
  guint low = 0, high = busy->len;

  while (low < high)
    {
      guint mid = low + (high - low) / 2;

      if (tp_array_index (busy, Busy, mid).end > since)
        high = mid;
      else
        low = mid + 1;
    }
  return low;
}

/* Keeps @engine busy in the first gap from @since. Returns the end of that. */
static gint64
book (Heft *heft, int engine, gint64 since, gint64 time_ns)
{
  gboolean is_one = tp_costs_is_one_engine (heft->problem->costs);
  Step step = { is_one ? 0 : engine, 0, 0 };
  TpArray *busy = heft->busy[step.engine];
  guint at = find_next (busy, since), n;
  Busy *all;

  if (time_ns == 0)
    return since;
  for (; at < busy->len
         && tp_array_index (busy, Busy, at).start < since + time_ns;
       at++, heft->n_left--)
    since = MAX (since, tp_array_index (busy, Busy, at).end);
  n = busy->len - at;
  tp_array_set_size (busy, busy->len + 1);
  all = (Busy *) (void *) busy->data;
  memmove (&all[at + 1], &all[at], n * sizeof (Busy));
  all[at] = (Busy){ since, since + time_ns };
  step.at = at;
  tp_array_append_val (heft->steps, step);
  heft->n_left -= 1 + n / 8;
  return since + time_ns;
}

/* Since when @tensor is at @to, copied where it is not. */
static gint64
bring (Heft *heft, int tensor, int to)
{
  const TpTensor *it = &heft->problem->graph->tensors[tensor];
  int n = heft->problem->n_devices;
  int from = it->producer < 0 ? heft->problem->costs->host
                              : heft->devices[it->producer];
  gint64 since
      = it->producer < 0 ? 0 : heft->ends[find_last (heft, it->producer)];
  gsize place = (gsize) tensor * (gsize) n + (gsize) to;
  Step step = { -1, 0, place };

  if (from == to || tp_tensor_is_resident (it))
    return since;
  if (to >= 0 && heft->there[place] != NOT_THERE)
    return heft->there[place];
  if (from >= 0)
    since = book (heft, 2 * n + from, since,
                  find_half (heft, tensor, from, FALSE));
  if (to < 0)
    return since;
  since = book (heft, n + to, since, find_half (heft, tensor, to, TRUE));
  heft->there[place] = since;
  tp_array_append_val (heft->steps, step);
  return since;
}

/* When the caller has what it wants of @node; 0: it wants nothing. */
static gint64
deliver (Heft *heft, int node)
{
  const TpGraph *graph = heft->problem->graph;
  gint64 end = 0;

  for (int k = 0; k < graph->nodes[node].n_outputs; k++)
    {
      int tensor = graph->nodes[node].outputs[k];
      gint64 there;

      if (tensor < 0 || !graph->tensors[tensor].is_output)
        continue;
      there = bring (heft, tensor, heft->problem->costs->host);
      end = MAX (end, there);
    }
  return end;
}

/* Puts it there. Returns when it, and what the caller wants of it, is done. */
static gint64
put (Heft *heft, int last, int device)
{
  const TpGraph *graph = heft->problem->graph;
  TpGroup ops = get_ops (heft, &last);
  gint64 since = 0, end;

  for (int i = 0; i < ops.n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[ops.nodes[i]];

      for (int k = 0; k < node->n_inputs; k++)
        {
          int tensor = node->inputs[k];
          int maker = tensor < 0 ? -1 : graph->tensors[tensor].producer;
          gint64 there;

          if (tensor < 0 || (maker >= 0 && find_last (heft, maker) == last))
            continue;
          there = bring (heft, tensor, device);
          since = MAX (since, there);
        }
      tp_problem_move (heft->problem, &ops.nodes[i], device, heft->devices);
    }
  end = heft->ends[last]
      = book (heft, device, since, find_time (heft, last, device));
  for (int i = 0; i < ops.n_nodes; i++)
    {
      gint64 there = deliver (heft, ops.nodes[i]);

      end = MAX (end, there);
    }
  return end;
}

static void
take_back (Heft *heft)
{
  for (guint i = heft->steps->len; i-- > 0;)
    {
      const Step *it = &tp_array_index (heft->steps, Step, i);

      if (it->engine < 0)
        heft->there[it->there] = NOT_THERE;
      else
        tp_array_remove_index (heft->busy[it->engine], it->at);
    }
  tp_array_set_size (heft->steps, 0);
}

/* FALSE: too much was done. */
static gboolean
place_unit (Heft *heft, int last)
{
  int best = -1, n;
  gint64 least = G_MAXINT64;

  for (int d = 0; d < heft->problem->n_devices; d++)
    {
      gint64 end;

      if (find_time (heft, last, d) == TP_COST_NONE)
        continue;
      end = put (heft, last, d);
      take_back (heft);
      if (end < least)
        best = d;
      least = MIN (least, end);
    }
  g_assert (best >= 0);
  put (heft, last, best);
  tp_array_set_size (heft->steps, 0);
  heft->is_fixed[*tp_problem_get_together (heft->problem, &last, &n)] = TRUE;
  return heft->n_left > 0;
}

static void
heft_init (Heft *heft)
{
  const TpGraph *graph = heft->problem->graph;
  gsize n = (gsize) graph->n_nodes + 1;
  gsize n_places = (gsize) graph->n_tensors * (gsize) heft->problem->n_devices;

  heft->group_of = tp_new (int, n);
  heft->is_fixed = tp_new0 (gboolean, n);
  heft->ranks = tp_new0 (gint64, n);
  heft->ends = tp_new0 (gint64, n);
  heft->there = tp_new (gint64, n_places + 1);
  heft->steps = tp_array_new (sizeof (Step));
  for (gsize i = 0; i < n_places; i++)
    heft->there[i] = NOT_THERE;
  for (int e = 0; e < 3 * heft->problem->n_devices; e++)
    heft->busy[e] = tp_array_new (sizeof (Busy));
  find_groups (heft);
}

gboolean
tp_heft_place (const TpProblem *problem, gint64 n_steps, guint8 *devices)
{
  g_auto (Heft) heft = { .problem = problem, .devices = devices,
                         .n_left = n_steps };
  g_autoptr (TpArray) units = NULL;

  heft_init (&heft);
  units = rank_units (&heft);
  for (guint i = 0; i < units->len; i++)
    if (!place_unit (&heft, tp_array_index (units, Unit, i).last))
      return FALSE;
  return TRUE;
}
