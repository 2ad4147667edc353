/* limit-cut.c: see limit-cut.h.
 *
 * Every term is a star: what it costs flows from its maker to its readers, or
 * back where it is of the first device. The flow to a reader is the share of the
 * price that this one answers for; whatever the shares, as long as those of a
 * term are no more than its price, the sum over all ops of what each costs at
 * least with its shares is a lower bound (docs/planner.md). A maximum flow has
 * the shares for which that is largest. Of a colocation what flows from one op to
 * others is without limit: what they answer for adds up to nothing. */
#include "config.h"

#include "planner/limit-cut.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit-pool.h"
#include "planner/maxflow.h"

typedef struct
{
  const TpLimitModel *model;
  TpLimitTerms *terms;
  const TpArray *prices;
  gint64 infinite;
  TpFlow *flow;
  int n_pairs;
} Star;

static const TpLimitTerm *
get_term (const Star *star, guint index)
{
  return &tp_array_index (star->terms->terms, TpLimitTerm, index);
}

/* A copy for one reader needs no vertex. */
static gboolean
is_direct (const TpLimitTerm *term)
{
  return term->n == 1 && term->maker >= 0;
}

/* From @u to @v, but the other way for the first device. */
static void
add_arc (Star *star, const TpLimitTerm *term, int u, int v, gint64 capacity)
{
  gboolean is_second = term->device == 1;

  tp_flow_add_pair (star->flow, u, v, is_second ? capacity : 0,
                    is_second ? 0 : capacity);
}

static void
add_term (Star *star, const TpLimitTerm *term, int vertex)
{
  const int *readers = tp_limit_term_readers (star->terms, term);
  gboolean is_second = term->device == 1;

  if (is_direct (term))
    {
      add_arc (star, term, term->maker, readers[0], term->price);
      return;
    }
  if (term->maker >= 0)
    add_arc (star, term, term->maker, vertex, term->price);
  else
    tp_flow_add_terminal (star->flow, vertex, is_second ? term->price : 0,
                          is_second ? 0 : term->price);
  for (int i = 0; i < term->n; i++)
    add_arc (star, term, vertex, readers[i], star->infinite);
}

static void
add_colocation (Star *star, const TpColocation *it, int vertex)
{
  for (int i = 0; i < it->n_nodes; i++)
    tp_flow_add_pair (star->flow, vertex, it->nodes[i], star->infinite,
                      star->infinite);
}

/* Where @op may not be, what it costs there is without end. */
static gint64
get_own (const Star *star, const gint8 *fixed, int op, int device)
{
  gint64 own = star->terms->own[2 * (gsize) op + device];

  return own == TP_COST_NONE || fixed[op] == 1 - device ? star->infinite : own;
}

static gint64
sum_prices (const Star *star)
{
  gint64 sum = 0;

  for (int i = 0; i < 2 * star->terms->n_ops; i++)
    if (star->terms->own[i] != TP_COST_NONE)
      sum += star->terms->own[i];
  for (guint i = 0; i < star->terms->terms->len; i++)
    sum += get_term (star, i)->price;
  return sum;
}

static void
build_flow (Star *star, const gint8 *fixed)
{
  const TpGraph *graph = star->model->problem->graph;
  int n_ops = star->terms->n_ops, n = n_ops + graph->n_colocations;

  for (guint i = 0; i < star->terms->terms->len; i++)
    n += !is_direct (get_term (star, i));
  star->flow = tp_flow_new (n);
  for (int i = 0; i < n_ops; i++)
    tp_flow_add_terminal (star->flow, i, get_own (star, fixed, i, 1),
                          get_own (star, fixed, i, 0));
  n = n_ops;
  for (guint i = 0; i < star->terms->terms->len; i++)
    {
      add_term (star, get_term (star, i), n);
      n += !is_direct (get_term (star, i));
    }
  for (int i = 0; i < graph->n_colocations; i++)
    add_colocation (star, &graph->colocations[i], n + i);
}

/* ---- shares ------------------------------------------------------------- */

static void
add_share (const TpLimitTerm *term, int reader, gint64 amount, TpLimitCut *cut)
{
  gsize device = term->device;
  TpMemoryShare share
      = { term->kind, term->index, term->row, reader, amount };

  if (amount == 0)
    return;
  tp_array_append_val (cut->bound->shares, share);
  cut->levels[2 * (gsize) reader + device] += amount;
  if (term->maker >= 0)
    cut->levels[2 * (gsize) term->maker + device] -= amount;
}

/* The flow of the next pair, along the star. */
static gint64
take_pair (Star *star, const TpLimitTerm *term)
{
  gint64 flow = tp_flow_get_pair (star->flow, star->n_pairs++);

  return term->device == 1 ? flow : -flow;
}

/* They may be below 0. */
static void
take_together (Star *star, int index, TpLimitCut *cut)
{
  const TpColocation *it
      = &star->model->problem->graph->colocations[index];

  for (int i = 0; i < it->n_nodes; i++)
    {
      TpLimitTerm term = { 'k', index, 0, 1, -1, 0, 0, it->n_nodes };

      add_share (&term, it->nodes[i], take_pair (star, &term), cut);
    }
}

static void
take_shares (Star *star, TpLimitCut *cut)
{
  for (guint i = 0; i < star->terms->terms->len; i++)
    {
      const TpLimitTerm *term = get_term (star, i);
      const int *readers = tp_limit_term_readers (star->terms, term);

      if (!is_direct (term) && term->maker >= 0)
        star->n_pairs++;
      for (int k = 0; k < term->n; k++)
        add_share (term, readers[k], take_pair (star, term), cut);
    }
  for (int i = 0; i < star->model->problem->graph->n_colocations; i++)
    take_together (star, i, cut);
}

static gint64
get_level (const TpLimitCut *cut, const gint8 *fixed, int op)
{
  const gint64 *levels = &cut->levels[2 * (gsize) op];

  return fixed[op] == TP_LIMIT_FREE ? MIN (levels[0], levels[1])
                                    : levels[fixed[op]];
}

/* What prices take at most where two devices share what they have. */
static gint64
pay_pool (const Star *star)
{
  gint64 prices[2] = { 0, 0 };

  for (guint i = 0; i < star->prices->len; i++)
    {
      const TpMemoryPrice *it
          = &tp_array_index (star->prices, TpMemoryPrice, i);

      prices[it->device] += it->price;
    }
  return (gint64) (tp_limit_pay_most (prices, star->model->limits,
                                      star->model->pool) >> 30);
}

/* What limits and gains leave of the sum. */
static gint64
find_offset (const Star *star, gboolean has_costs)
{
  gint64 offset = has_costs ? -star->model->constant : 0;

  if (star->model->pool > 0)
    return offset - pay_pool (star);

  for (guint i = 0; i < star->prices->len; i++)
    {
      const TpMemoryPrice *it
          = &tp_array_index (star->prices, TpMemoryPrice, i);

      offset -= tp_limit_price (it->price, star->model->limits[it->device]);
    }
  return offset;
}

static void
take_levels (Star *star, const gint8 *fixed, TpLimitCut *cut)
{
  int n_ops = star->terms->n_ops;

  cut->levels = tp_memdup (star->terms->own,
                           sizeof (gint64) * (2 * (gsize) n_ops + 1));
  for (int i = 0; i < 2 * n_ops; i++)
    if (cut->levels[i] == TP_COST_NONE)
      cut->levels[i] = 0;     /* fixed, and never asked for */
  take_shares (star, cut);
  cut->value = cut->offset;
  for (int i = 0; i < n_ops; i++)
    cut->value += get_level (cut, fixed, i);
}

static gint8 *
take_devices (const Star *star, const gint8 *fixed)
{
  int n_ops = star->terms->n_ops;
  g_autofree guint8 *is_sink
      = tp_new0 (guint8, n_ops + (gsize) star->terms->terms->len
                             + star->model->problem->graph->n_colocations + 1);
  g_autofree gint8 *devices = tp_new0 (gint8, n_ops + 1);

  tp_flow_get_sink_side (star->flow, is_sink);
  for (int i = 0; i < n_ops; i++)
    devices[i] = fixed[i] == TP_LIMIT_FREE ? (gint8) is_sink[i] : fixed[i];
  return g_steal_pointer (&devices);
}

static void
star_clear (Star *star)
{
  tp_flow_free (star->flow);
  tp_limit_terms_free (star->terms);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Star, star_clear)

TpLimitCut *
tp_limit_cut_new (const TpLimitModel *model, const TpArray *prices,
                  gboolean has_costs, const gint8 *fixed)
{
  g_auto (Star) star = { .model = model, .prices = prices };
  g_autoptr (TpLimitCut) cut = g_new0 (TpLimitCut, 1);

  star.terms = tp_limit_terms_new (model, prices, has_costs);
  star.infinite = sum_prices (&star) + 1;
  build_flow (&star, fixed);
  tp_flow_solve (star.flow);
  cut->bound = tp_memory_bound_new ();
  cut->bound->has_costs = has_costs;
  tp_array_append_vals (cut->bound->prices, prices->data, prices->len);
  cut->offset = find_offset (&star, has_costs);
  take_levels (&star, fixed, cut);
  cut->devices = take_devices (&star, fixed);
  cut->model = model;
  return g_steal_pointer (&cut);
}

void
tp_limit_cut_free (TpLimitCut *cut)
{
  if (cut == NULL)
    return;
  tp_memory_bound_free (cut->bound);
  g_free (cut->levels);
  g_free (cut->devices);
  g_free (cut);
}

gint64
tp_limit_cut_find_value (const TpLimitCut *cut, const gint8 *fixed, int op,
                         int device)
{
  TpColocation unit = tp_limit_model_get_unit (cut->model, &op);
  gint64 value = cut->value;

  for (int i = 0; i < unit.n_nodes; i++)
    value += cut->levels[2 * (gsize) unit.nodes[i] + device]
             - get_level (cut, fixed, unit.nodes[i]);
  return value;
}
