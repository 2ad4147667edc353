/* nest-work.c: see nest-work.h. */
#include "config.h"

#include "nest/nest-work.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"

#define KEY_BITS 32

static gint64
size_mul_sat (gint64 a, gint64 b)
{
  gint64 product = 0;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXINT64 : product;
}

static gint64
size_add_sat (gint64 a, gint64 b)
{
  gint64 sum = 0;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXINT64 : sum;
}

static gint64
nest_count_points (const TpNest *nest, gboolean with_reduce)
{
  gint64 n = 1;

  for (int i = 0; i < nest->n_axes; i++)
    if (with_reduce || !nest->axes[i].is_reduce)
      n = size_mul_sat (n, nest->axes[i].extent);
  return n;
}

/* Of all stages: a PLACE compares what each rank axis has but once, about as often as
 * keys have bits. */
static gint64
nest_count_reduced (const TpNest *nest)
{
  int rank = tp_nest_find_rank_axis (nest);
  gint64 n = nest_count_points (nest, TRUE);

  if (!tp_nest_ranks (nest))
    return n;
  return size_mul_sat (n / (rank < 0 ? 1 : nest->axes[rank].extent), KEY_BITS);
}

/* The axes that @access depends on, as bits, by its strides and its index. */
static guint
access_find_axes (const TpNest *nest, const TpAccess *access)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);
  guint axes = 0;

  if (access->index >= 0)
    tp_nest_mark_used (nest, access->index, used);
  for (int i = 0; i < nest->n_axes; i++)
    axes |= (guint) (access->stride[i] != 0) << i;
  for (int k = 0; k < nest->n_exprs; k++)
    for (int i = 0; i < nest->n_axes && used[k]; i++)
      if (nest->exprs[k].op == TP_EXPR_LOAD)
        axes |= (guint) (nest->loads[nest->exprs[k].index].stride[i] != 0) << i;
  return axes;
}

static gint64
count_points_of (const TpNest *nest, guint axes)
{
  gint64 n = 1;

  for (int i = 0; i < nest->n_axes; i++)
    if (axes >> i & 1)
      n = size_mul_sat (n, nest->axes[i].extent);
  return n;
}

/* The axes that an expression depends on; @of: those of expressions before it. */
static guint
expr_find_axes (const TpNest *nest, const TpExpr *e, const guint *of)
{
  const int operands[] = { e->a, e->b, e->c };
  guint axes = 0;

  if (e->op == TP_EXPR_LOAD || e->op == TP_EXPR_INSIDE)
    return access_find_axes (nest, &nest->loads[e->index]);
  if (e->op == TP_EXPR_STAGE)
    for (int i = 0; i < nest->n_axes; i++)
      axes |= (guint) !nest->axes[i].is_reduce << i;
  for (int i = 0; i < tp_expr_arity (e->op); i++)
    axes |= of[operands[i]];
  return axes;
}

typedef struct
{
  gint64 all, doubles;        /* doubles: of all */
} Flops;

static void
flops_add (Flops *flops, gint64 n, gboolean is_double)
{
  flops->all = size_add_sat (flops->all, n);
  if (is_double)
    flops->doubles = size_add_sat (flops->doubles, n);
}

static gboolean
sums_bytes (const TpNest *nest)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (nest->n_stages > 0 && tp_dtype_is_integer (nest->loads[i].dtype)
        && tp_dtype_get_size (nest->loads[i].dtype) == 1)
      return TRUE;
  return FALSE;
}

/* Of @expr at @n points. What depends on some of the axes only is computed once for
 * each point of these: so does who packs a factor of a product. */
static void
expr_count_flops (const TpNest *nest, int expr, gint64 n, Flops *flops)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);
  g_autofree guint *axes = tp_new0 (guint, nest->n_exprs);

  tp_nest_mark_used (nest, expr, used);
  for (int i = 0; i < nest->n_exprs; i++)
    {
      axes[i] = expr_find_axes (nest, &nest->exprs[i], axes);
      if (used[i] && tp_expr_arity (nest->exprs[i].op) > 0)
        flops_add (flops, MIN (n, count_points_of (nest, axes[i])),
                   nest->exprs[i].is_double);
    }
}

static Flops
nest_count_flops (const TpNest *nest)
{
  gint64 n_all = nest_count_reduced (nest);
  gint64 n_stored = nest_count_points (nest, tp_nest_covers_reduce (nest));
  Flops flops = { 0, 0 };

  expr_count_flops (nest, nest->result, n_stored, &flops);
  for (int i = 0; i < nest->n_stages; i++)
    {
      int expr = nest->stages[i].expr;

      flops_add (&flops, n_all, nest->exprs[expr].is_double);
      expr_count_flops (nest, expr, n_all, &flops);
    }
  return flops;
}

/* How many different elements an access reaches, at most. */
static gint64
access_count_reached (const TpNest *nest, const TpAccess *access,
                      gint64 n_iterations)
{
  return size_mul_sat (access->step != 0 ? n_iterations : 1,
                       count_points_of (nest, access_find_axes (nest, access)));
}

static void
count_reached (const TpNest *nest, gint64 n_iterations, gint64 *read,
               gint64 *written, int n_operands)
{
  g_autofree gint64 *own = tp_new0 (gint64, n_operands);

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      own[load->operand] =
          MAX (own[load->operand], access_count_reached (nest, load, n_iterations));
    }
  for (int i = 0; i < n_operands; i++)
    read[i] = size_add_sat (read[i], own[i]);
  written[nest->store.operand] = size_add_sat (
      written[nest->store.operand],
      access_count_reached (nest, &nest->store, n_iterations));
}

/* Maps are one kernel together, but for those that store where an index says. What
 * makes scratch is one with who reads that. */
static int
count_kernels (const TpLowered *lowered)
{
  gboolean has_maps = FALSE;
  int n = 0;

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];

      if (lowered->operands[nest->store.operand].is_scratch)
        continue;
      if (tp_nest_reduces (nest) || nest->store.index >= 0)
        n++;
      else
        has_maps = TRUE;
    }
  return n + has_maps;
}

void
tp_lowered_count_work (const TpLowered *lowered, TpWork *out_work)
{
  g_autofree gint64 *read = tp_new0 (gint64, lowered->n_operands + 1);
  g_autofree gint64 *written = tp_new0 (gint64, lowered->n_operands + 1);
  TpWork work = { 0 };

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];
      gint64 n = i < lowered->first_repeated ? 1 : lowered->n_iterations;
      Flops flops = nest_count_flops (nest);

      work.flops = size_add_sat (work.flops, size_mul_sat (n, flops.all));
      work.double_flops
          = size_add_sat (work.double_flops, size_mul_sat (n, flops.doubles));
      if (sums_bytes (nest))
        work.byte_flops
            = size_add_sat (work.byte_flops, size_mul_sat (n, flops.all));
      work.n_points =
          size_add_sat (work.n_points, nest_count_points (nest, FALSE));
      count_reached (nest, n, read, written, lowered->n_operands);
    }
  for (int i = 0; i < lowered->n_operands; i++)
    {
      const TpOperand *operand = &lowered->operands[i];
      gint64 size = tp_dtype_get_size (operand->dtype);
      gint64 n_read = size_mul_sat (MIN (read[i], operand->n_elements), size);

      if (operand->is_scratch || operand->is_iota)
        continue;
      work.read_bytes = size_add_sat (work.read_bytes, n_read);
      if (operand->is_constant)
        work.constant_bytes = size_add_sat (work.constant_bytes, n_read);
      work.written_bytes = size_add_sat (
          work.written_bytes,
          size_mul_sat (MIN (written[i], operand->n_elements), size));
    }
  work.n_kernels = count_kernels (lowered);
  *out_work = work;
}
