/* share-move.c: cheaper placements by cuts.
 *
 * Y. Boykov, O. Veksler, R. Zabih, Fast approximate energy minimization via graph
 * cuts, 2001: of the placements in which each op stays or goes to one device the
 * cheapest is a minimum cut; so it is where each op is on either of two. Here both
 * are one thing: two placements are joined, op by op. An op is on the source side
 * where it is as in the first.
 *
 * A copy whose price falls when its maker goes, while a reader stays, is no cut.
 * Its higher price is taken instead: what is found then costs no more than it
 * seems. The same goes for groups that would be whole with ops of both. */
#include "config.h"

#include "planner/share-move.h"

#include "ir/guard.h"
#include "planner/maxflow.h"

#include <string.h>

#define INFINITE (G_GINT64_CONSTANT (1) << 56)

enum
{
  NOBODY = -1, /* a vertex that there is none of */
};

/* A vertex and what is paid by its side. */
typedef struct
{
  int vertex;
  gint64 on_first, on_second;
} Side;

typedef struct
{
  int from, to;
  gint64 capacity;
} Arc;

typedef struct
{
  const TpShareModel *model;
  const guint8 *first, *second;
  int *vertex_of;             /* [op]; NOBODY: both have it on one device */
  int n_vertices;
  TpArray *sides;             /* Side */
  TpArray *arcs;              /* Arc */
} Join;

static void
join_clear (Join *join)
{
  g_free (join->vertex_of);
  tp_array_unref (join->sides);
  tp_array_unref (join->arcs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Join, join_clear)

static void
pay (Join *join, int vertex, gint64 on_first, gint64 on_second)
{
  Side side = { vertex, on_first, on_second };

  if (vertex != NOBODY && (on_first != 0 || on_second != 0))
    tp_array_append_val (join->sides, side);
}

/* Paid when @from is on the source side and @to is not. */
static void
add_arc (Join *join, int from, int to, gint64 capacity)
{
  Arc arc = { from, to, capacity };

  if (capacity != 0 && from != NOBODY && to != NOBODY)
    tp_array_append_val (join->arcs, arc);
}

/* ---- terms --------------------------------------------------------------- */

/* Members of @term that are on @device in the first only, in the second only;
 * FALSE: in both, or kept there whoever reads. */
static gboolean
count_members (const Join *join, const TpShareTerm *term, int device,
               int *out_first, int *out_second)
{
  *out_first = *out_second = 0;
  for (int i = 0; i < term->n; i++)
    {
      int op = tp_share_model_get_op (join->model, term->first + i);
      gboolean is_first = join->first[op] == device;
      gboolean is_second = join->second[op] == device;

      if (is_first && is_second)
        return FALSE;
      *out_first += is_first;
      *out_second += is_second;
    }
  return (term->kept >> device & 1) == 0;
}

/* A vertex that is on the side of any such member, or on the other if none is. */
static int
add_any (Join *join, const TpShareTerm *term, int device, gboolean is_first,
         int n_members)
{
  const guint8 *devices = is_first ? join->first : join->second;
  int any = n_members == 1 ? NOBODY : join->n_vertices++;

  for (int i = 0; i < term->n; i++)
    {
      int op = tp_share_model_get_op (join->model, term->first + i);
      int vertex = join->vertex_of[op];

      if (devices[op] != device)
        continue;
      if (n_members == 1)
        return vertex;
      if (is_first)
        add_arc (join, vertex, any, INFINITE);
      else
        add_arc (join, any, vertex, INFINITE);
    }
  return any;
}

static void
add_copy (Join *join, const TpShareTerm *term, int device)
{
  const TpShareModel *model = join->model;
  int maker = term->maker, n_first, n_second, any;
  TpShareTerm bare = *term;
  gint64 first, second;

  bare.kept = 0;
  first = tp_share_model_price (
      model, &bare, maker < 0 ? 0 : join->first[maker], 1u << device);
  second = tp_share_model_price (
      model, &bare, maker < 0 ? 0 : join->second[maker], 1u << device);
  if (!count_members (join, term, device, &n_first, &n_second))
    {
      pay (join, maker < 0 ? NOBODY : join->vertex_of[maker], first, second);
      return;
    }
  maker = maker < 0 ? NOBODY : join->vertex_of[maker];
  if (n_first > 0)
    {
      any = add_any (join, term, device, TRUE, n_first);
      pay (join, any, first, 0);
      add_arc (join, any, maker, MAX (second - first, 0));
    }
  if (n_second > 0)
    {
      any = add_any (join, term, device, FALSE, n_second);
      pay (join, any, 0, second);
      add_arc (join, maker, any, MAX (first - second, 0));
    }
}

/* Lost unless all are on @device. */
static void
add_gain (Join *join, const TpShareTerm *term, int device)
{
  gint64 gain = tp_array_index (join->model->prices, gint64,
                                term->prices + device);
  int n_first = 0, n_second = 0, lost;

  for (int i = 0; i < term->n; i++)
    {
      int op = tp_share_model_get_op (join->model, term->first + i);
      gboolean is_first = join->first[op] == device;
      gboolean is_second = join->second[op] == device;

      if (!is_first && !is_second)
        return;
      n_first += is_first && !is_second;
      n_second += is_second && !is_first;
    }
  if (gain == 0 || (n_first > 0) == (n_second > 0))
    return;
  lost = join->n_vertices++;
  pay (join, lost, n_first > 0 ? 0 : gain, n_first > 0 ? gain : 0);
  for (int i = 0; i < term->n; i++)
    {
      int vertex = join->vertex_of[tp_share_model_get_op (join->model,
                                                          term->first + i)];

      if (n_first > 0)
        add_arc (join, lost, vertex, INFINITE);
      else
        add_arc (join, vertex, lost, INFINITE);
    }
}

static void
fill (Join *join)
{
  const TpShareModel *model = join->model;
  gsize k = model->n_devices;

  for (int i = 0; i < model->n_ops; i++)
    {
      gboolean is_same = join->first[i] == join->second[i];

      join->vertex_of[i] = is_same ? NOBODY : join->n_vertices++;
      pay (join, join->vertex_of[i], model->own[i * k + join->first[i]],
           model->own[i * k + join->second[i]]);
    }
  for (guint i = 0; i < model->terms->len; i++)
    for (int d = 0; d < model->n_devices; d++)
      {
        const TpShareTerm *term = tp_share_model_get_term (model, (int) i);

        if (term->kind != 'g')
          add_copy (join, term, d);
        else
          add_gain (join, term, d);
      }
}

/* ---- joining -------------------------------------------------------------- */

static void
solve (const Join *join, guint8 *out_is_second)
{
  g_autoptr (TpFlow) flow = tp_flow_new (join->n_vertices);

  for (guint i = 0; i < join->sides->len; i++)
    {
      const Side *it = &tp_array_index (join->sides, Side, i);

      tp_flow_add_terminal (flow, it->vertex, it->on_second, it->on_first);
    }
  for (guint i = 0; i < join->arcs->len; i++)
    {
      const Arc *it = &tp_array_index (join->arcs, Arc, i);

      tp_flow_add_pair (flow, it->from, it->to, it->capacity, 0);
    }
  tp_flow_solve (flow);
  tp_flow_get_sink_side (flow, out_is_second);
}

gboolean
tp_share_move_join (const TpShareModel *model, const guint8 *first,
                    const guint8 *second, guint8 *out, gint64 *cost)
{
  gsize n = model->n_ops;
  g_autofree guint8 *is_second = NULL;
  g_autofree guint8 *joined = tp_new (guint8, n + 1);
  g_auto (Join) join = { .model = model, .first = first, .second = second };
  gint64 found;

  join.sides = tp_array_new (sizeof (Side));
  join.arcs = tp_array_new (sizeof (Arc));
  join.vertex_of = tp_new (int, n + 1);
  fill (&join);
  is_second = tp_new0 (guint8, join.n_vertices + 1);
  solve (&join, is_second);
  for (gsize i = 0; i < n; i++)
    joined[i] = join.vertex_of[i] != NOBODY && is_second[join.vertex_of[i]]
                    ? second[i]
                    : first[i];
  tp_share_model_spread (model, joined);
  found = tp_share_model_cost (model, joined);
  if (found >= *cost)
    return FALSE;
  memcpy (out, joined, n);
  *cost = found;
  return TRUE;
}

void
tp_share_move_start (const TpShareModel *model, int device, guint8 *devices)
{
  for (int i = 0; i < model->n_ops; i++)
    {
      const gint64 *own = &model->own[(gsize) i * model->n_devices];
      int best = device;

      for (int d = 0; d < model->n_devices && own[device] == TP_COST_NONE; d++)
        if (own[d] < own[best])
          best = d;
      devices[i] = best;
    }
  tp_share_model_spread (model, devices);
}

static gboolean
may_be (const TpShareModel *model, int op, int device)
{
  return model->own[(gsize) op * model->n_devices + device] != TP_COST_NONE;
}

/* What is on @from or on @to may be on either; @from == @to: anything may go
 * there. */
static gboolean
trade (const TpShareModel *model, int from, int to, guint8 *devices,
       gint64 *cost)
{
  gsize n = model->n_ops;
  g_autofree guint8 *first = tp_memdup (devices, n + 1);
  g_autofree guint8 *second = tp_memdup (devices, n + 1);

  for (int i = 0; i < model->n_ops; i++)
    {
      gboolean is_in = from == to || devices[i] == from || devices[i] == to;

      if (is_in && may_be (model, i, to))
        second[i] = (guint8) to;
      if (is_in && from != to && may_be (model, i, from))
        first[i] = (guint8) from;
    }
  return tp_share_move_join (model, first, second, devices, cost);
}

void
tp_share_move_improve (const TpShareModel *model, guint8 *devices,
                       gint64 *cost)
{
  gboolean is_better;

  do
    {
      is_better = FALSE;
      for (int d = 0; d < model->n_devices; d++)
        is_better |= trade (model, d, d, devices, cost);
      for (int d = 1; d < model->n_devices; d++)
        for (int other = 0; other < d; other++)
          is_better |= trade (model, other, d, devices, cost);
    }
  while (is_better);
}
