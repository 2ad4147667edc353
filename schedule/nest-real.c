/* nest-real.c: sums of small integers as such of reals: whole numbers that float32 holds,
 * at the speed of its multiply-adds where nothing else is fast. */
#include "config.h"

#include "schedule/nest-real.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"

#define MOST 0x1p24

/* ---- how much is small -------------------------------------------------- */

/* What an integer may be; @is_known: at all. */
typedef struct
{
  gboolean is_known;
  double low, high;
} Range;

static Range
multiply_ranges (const Range *a, const Range *b)
{
  double p = a->low * b->low, q = a->low * b->high;
  double r = a->high * b->low, s = a->high * b->high;

  return (Range){ a->is_known && b->is_known, MIN (MIN (p, q), MIN (r, s)),
                  MAX (MAX (p, q), MAX (r, s)) };
}

/* Of expression @i, those of its parts being known. */
static Range
find_range (const TpNest *nest, int i, const Range *parts)
{
  const TpExpr *e = &nest->exprs[i];
  const Range *a = &parts[MAX (e->a, 0)], *b = &parts[MAX (e->b, 0)];
  const Range *c = &parts[MAX (e->c, 0)];
  const TpDtypeRow *row;

  switch (e->op)
    {
    case TP_EXPR_LOAD:
      row = tp_dtype_get (nest->loads[e->index].dtype);
      return (Range){ row->size == 1, (double) row->low, (double) row->high };
    case TP_EXPR_CONST:
      return (Range){ TRUE, (double) e->integer, (double) e->integer };
    case TP_EXPR_SUB:
      return (Range){ a->is_known && b->is_known, a->low - b->high,
                      a->high - b->low };
    case TP_EXPR_MUL:
      return multiply_ranges (a, b);
    case TP_EXPR_SELECT:
      return (Range){ b->is_known && c->is_known, MIN (b->low, c->low),
                      MAX (b->high, c->high) };
    default:
      return (Range){ FALSE };
    }
}

gint64
tp_nest_count_small_terms (const TpNest *nest)
{
  int root = nest->n_stages == 1 ? nest->stages[0].expr : 0;
  g_autofree Range *ranges = tp_new0 (Range, nest->n_exprs + 1);
  double most;

  if (nest->n_stages != 1 || nest->stages[0].combiner != TP_COMBINE_SUM
      || !nest->exprs[root].is_integer || nest->exprs[root].op != TP_EXPR_MUL)
    return 0;
  for (int i = 0; i <= root; i++)
    if (nest->exprs[i].is_integer)
      ranges[i] = find_range (nest, i, ranges);
  most = MAX (-ranges[root].low, ranges[root].high);
  return ranges[root].is_known ? (gint64) (MOST / MAX (most, 1.0)) : 0;
}

/* ---- turning ------------------------------------------------------------- */

/* Expression @i as a real, its parts being so already; -1: it is none. */
static int
turn (TpNest *nest, int i, const int *real)
{
  const TpExpr e = nest->exprs[i];

  if (!e.is_integer)
    return i;
  switch (e.op)
    {
    case TP_EXPR_LOAD:
      return tp_nest_unary (nest, TP_EXPR_TO_REAL, i);
    case TP_EXPR_CONST:
      return tp_nest_const (nest, (double) e.integer);
    case TP_EXPR_SUB:
    case TP_EXPR_MUL:
      if (real[e.a] < 0 || real[e.b] < 0)
        return -1;
      return tp_nest_binary (nest, e.op, real[e.a], real[e.b]);
    case TP_EXPR_SELECT:
      if (real[e.a] < 0 || real[e.b] < 0 || real[e.c] < 0)
        return -1;
      return tp_nest_select (nest, real[e.a], real[e.b], real[e.c]);
    default:
      return -1;
    }
}

/* What the stage sums up, as a real; -1: it is none. */
static int
turn_terms (TpNest *nest)
{
  int n = nest->n_exprs, root = nest->stages[0].expr;
  g_autofree gboolean *used = tp_new0 (gboolean, n + 1);
  g_autofree int *real = tp_new (int, n + 1);

  tp_nest_mark_used (nest, root, used);
  for (int i = 0; i <= root; i++)
    real[i] = used[i] ? turn (nest, i, real) : -1;
  return real[root];
}

int
tp_nest_add_small_integer (TpNest *nest, int sum)
{
  sum = tp_nest_binary (nest, TP_EXPR_MAX, sum, tp_nest_const (nest, -MOST));
  sum = tp_nest_binary (nest, TP_EXPR_MIN, sum, tp_nest_const (nest, MOST));
  return tp_nest_unary (nest, TP_EXPR_TO_INTEGER, sum);
}

/* Expression @i of the result, with @other for its parts. */
static int
rebuild (TpNest *nest, int i, const int *other)
{
  const TpExpr e = nest->exprs[i];

  if (e.op == TP_EXPR_STAGE)
    return tp_nest_add_small_integer (nest, tp_nest_stage (nest, e.index));
  if (e.op == TP_EXPR_TO_REAL && nest->exprs[e.a].op == TP_EXPR_STAGE)
    return tp_nest_stage (nest, nest->exprs[e.a].index);
  switch (tp_expr_arity (e.op))
    {
    case 1:
      return tp_nest_unary (nest, e.op, other[e.a]);
    case 2:
      return tp_nest_binary (nest, e.op, other[e.a], other[e.b]);
    case 3:
      return tp_nest_select (nest, other[e.a], other[e.b], other[e.c]);
    default:
      return i;
    }
}

static void
rebuild_result (TpNest *nest, int n)
{
  g_autofree gboolean *used = tp_new0 (gboolean, n + 1);
  g_autofree int *other = tp_new (int, n + 1);

  tp_nest_mark_used (nest, nest->result, used);
  for (int i = 0; i <= nest->result; i++)
    other[i] = used[i] ? rebuild (nest, i, other) : -1;
  nest->result = other[nest->result];
}

TpNest *
tp_nest_make_real (const TpNest *nest)
{
  g_autoptr (TpNest) copy = NULL;
  int terms;

  if (nest->n_stages != 1 || !nest->stages[0].is_small
      || tp_nest_covers_reduce (nest))
    return NULL;
  copy = tp_nest_copy (nest);
  terms = turn_terms (copy);
  if (terms < 0)
    return NULL;
  copy->stages[0] = (TpStage){ TP_COMBINE_SUM, terms, FALSE };
  rebuild_result (copy, nest->n_exprs);
  return g_steal_pointer (&copy);
}
