/* nest.c: building loop nests.
 *
 * Arrays grow by doubling and carry no capacity: it follows from the count. */
#include "config.h"

#include "nest/nest.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"

#include <string.h>

#define MOST_EXACT (1 << 24) /* of float32 */
#define MOST_CHOICES 4       /* one within the other, that ops are written with */

/* ---- arrays ------------------------------------------------------------ */

static gsize
array_capacity (int n)
{
  gsize capacity = 4;

  while (capacity < (gsize)n)
    capacity *= 2;
  return capacity;
}

/* Makes room for one more than @n elements of @size bytes. */
static gpointer
array_grow (gpointer array, int n, gsize size)
{
  if (array != NULL && (gsize)n < array_capacity (n))
    return array;
  return tp_realloc (array, array_capacity (n + 1), size);
}

static gpointer
array_copy (gconstpointer array, int n, gsize size)
{
  gpointer copy = NULL;

  if (n == 0)
    return NULL;
  copy = tp_alloc (array_capacity (n), size);
  memcpy (copy, array, n * size);
  return copy;
}

/* ---- building ---------------------------------------------------------- */

TpNest *
tp_nest_new (void)
{
  TpNest *nest = g_new0 (TpNest, 1);

  nest->store.index = -1;
  return nest;
}

void
tp_nest_free (TpNest *nest)
{
  if (nest == NULL)
    return;
  g_free (nest->loads);
  g_free (nest->exprs);
  g_free (nest->stages);
  g_free (nest);
}

TpNest *
tp_nest_copy (const TpNest *nest)
{
  g_autoptr (TpNest) copy = g_new (TpNest, 1);

  *copy = *nest;
  copy->loads = NULL;
  copy->exprs = NULL;
  copy->stages = NULL;
  copy->loads = array_copy (nest->loads, nest->n_loads, sizeof (TpAccess));
  copy->exprs = array_copy (nest->exprs, nest->n_exprs, sizeof (TpExpr));
  copy->stages = array_copy (nest->stages, nest->n_stages, sizeof (TpStage));
  return g_steal_pointer (&copy);
}

int
tp_nest_add_axis (TpNest *nest, gint64 extent, gboolean is_reduce)
{
  g_assert (nest->n_axes < TP_NEST_MAX_AXES);
  nest->axes[nest->n_axes] = (TpAxis){ extent, is_reduce, FALSE };
  return nest->n_axes++;
}

TpAccess *
tp_nest_add_load (TpNest *nest, int operand)
{
  TpAccess *load = NULL;

  nest->loads = array_grow (nest->loads, nest->n_loads, sizeof (TpAccess));
  load = &nest->loads[nest->n_loads++];
  memset (load, 0, sizeof *load);
  load->operand = operand;
  load->index = -1;
  return load;
}

gboolean
tp_nest_reduces (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      return TRUE;
  return nest->n_stages > 0;
}

gboolean
tp_nest_ranks (const TpNest *nest)
{
  for (int i = 0; i < nest->n_stages; i++)
    if (nest->stages[i].combiner == TP_COMBINE_PLACE)
      return TRUE;
  return FALSE;
}

int
tp_nest_find_rank_axis (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_rank)
      return i;
  return -1;
}

int
tp_nest_add_stage (TpNest *nest, TpCombiner combiner, int expr)
{
  g_assert (expr >= 0 && expr < nest->n_exprs);
  nest->stages = array_grow (nest->stages, nest->n_stages, sizeof (TpStage));
  nest->stages[nest->n_stages] = (TpStage){ combiner, expr, FALSE };
  return nest->n_stages++;
}

static gboolean
expr_equal (const TpExpr *a, const TpExpr *b)
{
  return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c
         && a->index == b->index && a->is_integer == b->is_integer
         && a->is_double == b->is_double
         && a->integer == b->integer
         && memcmp (&a->value, &b->value, sizeof a->value) == 0;
}

static int
nest_add_expr (TpNest *nest, const TpExpr *expr)
{
  g_assert (expr->a < nest->n_exprs && expr->b < nest->n_exprs
            && expr->c < nest->n_exprs);
  for (int i = 0; i < nest->n_exprs; i++)
    if (expr_equal (&nest->exprs[i], expr))
      return i;
  nest->exprs = array_grow (nest->exprs, nest->n_exprs, sizeof (TpExpr));
  nest->exprs[nest->n_exprs] = *expr;
  return nest->n_exprs++;
}

/* Of a class that follows from its operands. */
static int
nest_add_like (TpNest *nest, TpExpr expr, const TpExpr *like)
{
  expr.is_integer = like->is_integer;
  expr.is_double = like->is_double;
  return nest_add_expr (nest, &expr);
}

static TpExpr
expr_of_dtype (TpDtype dtype)
{
  return (TpExpr){ .is_integer = tp_dtype_is_integer (dtype),
                   .is_double = dtype == TPLAN_DTYPE_FLOAT64 };
}

static TpExpr
leaf (TpExprOp op, int index)
{
  return (TpExpr){ .op = op, .a = -1, .b = -1, .c = -1, .index = index };
}

static int
nest_add_const (TpNest *nest, double value, gboolean is_double)
{
  TpExpr expr = leaf (TP_EXPR_CONST, 0);

  expr.value = value;
  expr.is_double = is_double;
  return nest_add_expr (nest, &expr);
}

int
tp_nest_const (TpNest *nest, double value)
{
  return nest_add_const (nest, value, FALSE);
}

int
tp_nest_const_integer (TpNest *nest, gint64 value)
{
  return nest_add_expr (nest, &(TpExpr){ .op = TP_EXPR_CONST,
                                         .a = -1,
                                         .b = -1,
                                         .c = -1,
                                         .is_integer = TRUE,
                                         .integer = value });
}

int
tp_nest_load (TpNest *nest, int load)
{
  TpExpr like;

  g_assert (load >= 0 && load < nest->n_loads);
  like = expr_of_dtype (nest->loads[load].dtype);
  return nest_add_like (nest, leaf (TP_EXPR_LOAD, load), &like);
}

int
tp_nest_inside (TpNest *nest, int load)
{
  TpExpr expr = leaf (TP_EXPR_INSIDE, load);

  g_assert (load >= 0 && load < nest->n_loads);
  return nest_add_expr (nest, &expr);
}

int
tp_nest_stage (TpNest *nest, int stage)
{
  TpExpr integer = { .is_integer = TRUE };

  g_assert (stage >= 0 && stage < nest->n_stages);
  return nest_add_like (nest, leaf (TP_EXPR_STAGE, stage),
                        nest->stages[stage].combiner == TP_COMBINE_PLACE
                            ? &integer
                            : &nest->exprs[nest->stages[stage].expr]);
}

/* A number that an op is written with keeps all its digits where it meets a double:
 * what is single is rounded no sooner than in a kernel. Integers that float32 does not
 * hold are converted there, too. */
static int
nest_to_real (TpNest *nest, int a, gboolean is_double)
{
  const TpExpr *e = &nest->exprs[a];
  gboolean is_exact = is_double || !e->is_integer
                      || ABS ((double) e->integer) <= MOST_EXACT;

  if (!e->is_integer && e->is_double == is_double)
    return a;
  if (e->op == TP_EXPR_CONST && is_exact)
    return nest_add_const (nest,
                           e->is_integer ? (double) e->integer
                           : is_double   ? e->value
                                         : (float) e->value,
                           is_double);
  return nest_add_expr (nest, &(TpExpr){ .op = TP_EXPR_TO_REAL, .a = a, .b = -1,
                                         .c = -1, .is_double = is_double });
}

int
tp_nest_unary (TpNest *nest, TpExprOp op, int a)
{
  TpExpr integer = { .is_integer = TRUE };

  g_assert (tp_expr_arity (op) == 1);
  if (op == TP_EXPR_TO_REAL)
    return nest_to_real (nest, a, FALSE);
  return nest_add_like (nest, (TpExpr){ .op = op, .a = a, .b = -1, .c = -1 },
                        op == TP_EXPR_TO_INTEGER || op == TP_EXPR_ORDER
                            ? &integer
                            : &nest->exprs[a]);
}

/* Single @a as a double. That of numbers that are chosen from is chosen from them. */
static int
nest_widen (TpNest *nest, int a, int depth)
{
  const TpExpr *e = &nest->exprs[a];
  int condition = e->a, b = e->b, c = e->c;

  if (e->op != TP_EXPR_SELECT || depth == 0)
    return nest_to_real (nest, a, TRUE);
  b = nest_widen (nest, b, depth - 1);
  return tp_nest_select (nest, condition, b, nest_widen (nest, c, depth - 1));
}

/* A whole constant that meets an integer is one; what is single and meets a double
 * becomes one, which changes no value. */
static void
nest_adapt (TpNest *nest, int *a, int other)
{
  const TpExpr *e = &nest->exprs[*a], *like = &nest->exprs[other];

  if (e->op == TP_EXPR_CONST && !e->is_integer && like->is_integer
      && e->value >= -0x1p63 && e->value < 0x1p63
      && (double)(gint64)e->value == e->value)
    *a = tp_nest_const_integer (nest, (gint64)e->value);
  else if (!e->is_integer && !e->is_double && like->is_double)
    *a = nest_widen (nest, *a, MOST_CHOICES);
}

int
tp_nest_binary (TpNest *nest, TpExprOp op, int a, int b)
{
  g_assert (tp_expr_arity (op) == 2);
  nest_adapt (nest, &a, b);
  nest_adapt (nest, &b, a);
  return nest_add_like (nest, (TpExpr){ .op = op, .a = a, .b = b, .c = -1 },
                        &nest->exprs[a]);
}

int
tp_nest_select (TpNest *nest, int a, int b, int c)
{
  TpExpr expr = { .op = TP_EXPR_SELECT, .a = a };

  nest_adapt (nest, &b, c);
  nest_adapt (nest, &c, b);
  expr.b = b;
  expr.c = c;
  return nest_add_like (nest, expr, &nest->exprs[b]);
}

int
tp_nest_convert (TpNest *nest, int expr, TpDtype dtype)
{
  TpExpr like = expr_of_dtype (dtype);

  if (!like.is_integer)
    return nest_to_real (nest, expr, like.is_double);
  return nest->exprs[expr].is_integer
             ? expr
             : tp_nest_unary (nest, TP_EXPR_TO_INTEGER, expr);
}

/* ---- lowered ----------------------------------------------------------- */

TpLowered *
tp_lowered_new (void)
{
  TpLowered *lowered = g_new0 (TpLowered, 1);

  lowered->n_iterations = 1;
  return lowered;
}

void
tp_lowered_free (TpLowered *lowered)
{
  if (lowered == NULL)
    return;
  for (int i = 0; i < lowered->n_nests; i++)
    tp_nest_free (lowered->nests[i]);
  g_free (lowered->nests);
  g_free (lowered->operands);
  g_free (lowered);
}

int
tp_lowered_add_operand (TpLowered *lowered, const TpOperand *operand)
{
  lowered->operands =
      array_grow (lowered->operands, lowered->n_operands, sizeof *operand);
  lowered->operands[lowered->n_operands] = *operand;
  return lowered->n_operands++;
}

void
tp_lowered_set_dtypes (TpLowered *lowered)
{
  for (int i = 0; i < lowered->n_nests; i++)
    {
      TpNest *nest = lowered->nests[i];

      nest->store.dtype = lowered->operands[nest->store.operand].dtype;
      for (int k = 0; k < nest->n_loads; k++)
        nest->loads[k].dtype = lowered->operands[nest->loads[k].operand].dtype;
    }
}

int
tp_lowered_add_scratch (TpLowered *lowered, TpDtype dtype, gint64 n_elements)
{
  return tp_lowered_add_operand (lowered,
                                 &(TpOperand){ .tensor = -1,
                                               .dtype = dtype,
                                               .n_elements = n_elements,
                                               .is_scratch = TRUE });
}

int
tp_lowered_add_iota (TpLowered *lowered, gint64 n_elements)
{
  return tp_lowered_add_operand (lowered,
                                 &(TpOperand){ .tensor = -1,
                                               .dtype = TPLAN_DTYPE_INT64,
                                               .n_elements = n_elements,
                                               .is_iota = TRUE });
}

void
tp_lowered_take_nest (TpLowered *lowered, TpNest *nest)
{
  g_autoptr (TpNest) owned = nest;

  lowered->nests =
      array_grow (lowered->nests, lowered->n_nests, sizeof (TpNest *));
  lowered->nests[lowered->n_nests++] = g_steal_pointer (&owned);
}
