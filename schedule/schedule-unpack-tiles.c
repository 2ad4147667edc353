/* schedule-unpack-tiles.c: the family "unpack-tiles": many rows times what is made of
 * packed constants, on GPUs. Terms and factor of such a sum are products of what rows
 * have and what columns have:
 *
 *   result[m, n] = sum over i, j of  f (m, i) g (n, i) (x (m, i, j) w (n, i, j) + ...)
 *
 * so both sides, f x and g w of each term, are made in memory first, and are factors of
 * a plain contraction, as long as all terms together. A term that j does not walk is
 * there once, times the extent of j. */
#include "config.h"

#include "ir/guard.h"
#include "schedule/contract-analyze.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/unpack.h"

#define FEW_ROWS 16           /* for which too much would be made */
#define MOST_ELEMENTS (G_GINT64_CONSTANT (1) << 28) /* of a side in memory */
#define MAX_FACTORS 16        /* of a product */

static const TpParam params[] = { { NULL } };

/* x and w of a contraction. */
enum
{
  ROWS,
  COLS,
  N_SIDES,
};

typedef struct
{
  TpUnpack *unpack;           /* (owned) */
  gboolean walks[N_SIDES][TP_NEST_MAX_AXES]; /* spatial axes */
  gint64 n[N_SIDES];          /* points of these */
  gint64 walked, inner;       /* points of the loops that the factor walks; of others */
  gint64 pitch;               /* of all terms, for one of the former */
} UnpackTiles;

static void
tiles_free (gpointer analysis)
{
  UnpackTiles *a = analysis;

  if (a == NULL)
    return;
  tp_unpack_free (a->unpack);
  g_free (a);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UnpackTiles, tiles_free)

/* ---- sides --------------------------------------------------------------- */

/* What each side has of a product, -1: nothing; and the axes that it walks. */
typedef struct
{
  TpNest *nest;
  int n_axis;
  int expr[N_SIDES];
  gboolean walks[N_SIDES][TP_NEST_MAX_AXES];
} Product;

/* What walks neither side is one of columns: there is less of them to make. */
static void
add_factor (Product *product, int expr)
{
  gboolean walked[TP_NEST_MAX_AXES] = { FALSE };
  int side = COLS;

  tp_contract_find_axes (product->nest, expr, walked);
  for (int i = 0; i < product->nest->n_axes && !walked[product->n_axis]; i++)
    if (walked[i] && !product->nest->axes[i].is_reduce)
      side = ROWS;
  for (int i = 0; i < product->nest->n_axes; i++)
    product->walks[side][i] |= walked[i];
  product->expr[side]
      = product->expr[side] < 0
            ? expr
            : tp_nest_binary (product->nest, TP_EXPR_MUL, product->expr[side], expr);
}

/* Factors of @expr one by one; FALSE: there are too many. */
static gboolean
add_factors (Product *product, int expr)
{
  int open[MAX_FACTORS] = { expr }, n = 1;

  while (n > 0)
    {
      const TpExpr *e = &product->nest->exprs[open[--n]];
      int parts[] = { e->a, e->b };

      if (e->op != TP_EXPR_MUL || e->is_integer)
        add_factor (product, open[n]);
      else if (n + 2 > MAX_FACTORS)
        return FALSE;
      else
        for (int i = 0; i < 2; i++)
          open[n++] = parts[i];
    }
  return TRUE;
}

/* Of @term, with the factor of all; expressions go to @nest, a copy. */
static gboolean
split_term (const UnpackTiles *a, TpNest *nest, const TpUnpackTerm *term,
            Product *out)
{
  int exprs[] = { a->unpack->factor, term->a, term->b };

  *out = (Product){ .nest = nest, .n_axis = a->unpack->n_axis, .expr = { -1, -1 } };
  for (guint i = 0; i < G_N_ELEMENTS (exprs); i++)
    if (exprs[i] >= 0 && !add_factors (out, exprs[i]))
      return FALSE;
  return TRUE;
}

/* Whether loops that the factor does not walk do not walk it either. */
static gboolean
is_still (const UnpackTiles *a, const Product *product)
{
  const TpUnpack *unpack = a->unpack;

  for (int i = unpack->n_walked; i < unpack->n_loops; i++)
    for (int side = 0; side < N_SIDES; side++)
      if (product->walks[side][unpack->loops[i]])
        return FALSE;
  return TRUE;
}

/* ---- analysis ------------------------------------------------------------ */

static gint64
count_loops (const TpUnpack *unpack, int first, int end)
{
  gint64 n = 1;

  for (int i = first; i < end; i++)
    n *= unpack->nest->axes[unpack->loops[i]].extent;
  return n;
}

/* What each side walks; FALSE: some axis both do, or there are too many factors. */
static gboolean
find_sides (UnpackTiles *a)
{
  const TpNest *nest = a->unpack->nest;

  for (int i = 0; i < a->unpack->n_terms; i++)
    {
      g_autoptr (TpNest) copy = tp_nest_copy (nest);
      Product product;

      if (!split_term (a, copy, &a->unpack->terms[i], &product))
        return FALSE;
      a->pitch += is_still (a, &product) ? 1 : a->inner;
      for (int side = 0; side < N_SIDES; side++)
        for (int k = 0; k < nest->n_axes; k++)
          a->walks[side][k] |= product.walks[side][k] && !nest->axes[k].is_reduce;
    }
  for (int k = 0; k < nest->n_axes; k++)
    if (a->walks[ROWS][k] && a->walks[COLS][k])
      return FALSE;
  return TRUE;
}

static gboolean
is_small (const UnpackTiles *a, int side)
{
  return (double) a->n[side] * (double) a->walked * (double) a->pitch
         <= MOST_ELEMENTS;
}

static gpointer
tiles_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (UnpackTiles) a = NULL;
  TpUnpack *unpack = n == 1 ? tp_unpack_new (build, nests[0]) : NULL;

  if (unpack == NULL)
    return NULL;
  a = tp_new0 (UnpackTiles, 1);
  a->unpack = unpack;
  a->walked = count_loops (unpack, 0, unpack->n_walked);
  a->inner = count_loops (unpack, unpack->n_walked, unpack->n_loops);
  if (!find_sides (a))
    return NULL;
  for (int side = 0; side < N_SIDES; side++)
    {
      a->n[side] = 1;
      for (int k = 0; k < unpack->nest->n_axes; k++)
        if (a->walks[side][k])
          a->n[side] *= unpack->nest->axes[k].extent;
    }
  return is_small (a, ROWS) && is_small (a, COLS) ? g_steal_pointer (&a) : NULL;
}

static gboolean
tiles_is_last_resort (gconstpointer analysis)
{
  return ((const UnpackTiles *) analysis)->n[ROWS] < FEW_ROWS;
}

/* What is made for each run is as much for any number of rows. */
static gboolean
tiles_is_close (gconstpointer analysis)
{
  gint64 rows = ((const UnpackTiles *) analysis)->n[ROWS];

  return rows > 1 && rows < 4 * FEW_ROWS;
}

/* ---- both sides in memory ------------------------------------------------ */

/* Rows with all of their terms, or terms with all of their columns. */
static void
set_strides (const UnpackTiles *a, int side, TpAccess *access)
{
  const TpNest *nest = a->unpack->nest;
  gint64 n = side == ROWS ? a->walked * a->pitch : 1;

  for (int k = nest->n_axes - 1; k >= 0; k--)
    if (a->walks[side][k] && k != a->unpack->n_axis)
      {
        access->stride[k] = n * (side == COLS
                                     ? nest->axes[a->unpack->n_axis].extent
                                     : 1);
        n *= nest->axes[k].extent;
      }
  if (side == COLS)
    access->stride[a->unpack->n_axis] = 1;
}

/* Of loops @first to @end, @n elements apart. */
static gint64
set_loops (const TpUnpack *unpack, TpAccess *access, int first, int end, gint64 n)
{
  for (int i = end - 1; i >= first; i--)
    {
      access->stride[unpack->loops[i]] = n;
      n *= unpack->nest->axes[unpack->loops[i]].extent;
    }
  return n;
}

/* A map that makes @side of @product, its terms from @at of a pitch on, in @workspace;
 * axes that it does not walk are left out. */
static TpNest *
make_side (const UnpackTiles *a, const Product *product, int side, int workspace,
           gint64 at)
{
  const TpUnpack *unpack = a->unpack;
  TpNest *nest = tp_nest_copy (product->nest);
  gint64 step = side == COLS ? a->n[COLS] : 1;
  TpAccess store = { .operand = workspace, .dtype = TPLAN_DTYPE_FLOAT32,
                     .index = -1, .offset = at * step };

  tp_nest_keep_stages (nest, 0);
  nest->result = product->expr[side] >= 0 ? product->expr[side]
                                          : tp_nest_const (nest, 1.0);
  set_strides (a, side, &store);
  set_loops (unpack, &store, 0, unpack->n_walked, a->pitch * step);
  if (!is_still (a, product))
    set_loops (unpack, &store, unpack->n_walked, unpack->n_loops, step);
  nest->store = store;
  for (int k = 0; k < nest->n_axes; k++)
    {
      nest->axes[k].is_reduce = FALSE;
      if (store.stride[k] == 0)
        nest->axes[k].extent = 1;
    }
  return nest;
}

/* What a term is multiplied by besides its factors. */
static double
get_sign (const UnpackTiles *a, const TpUnpackTerm *term, const Product *product)
{
  double n = is_still (a, product) ? (double) a->inner : 1.0;

  return term->is_negative ? -n : n;
}

static void
make_sides (const UnpackTiles *a, const int *workspaces, TpLowered *out)
{
  gint64 at = 0;

  for (int i = 0; i < a->unpack->n_terms; i++)
    {
      const TpUnpackTerm *term = &a->unpack->terms[i];
      g_autoptr (TpNest) copy = tp_nest_copy (a->unpack->nest);
      Product product;
      double sign;

      if (!split_term (a, copy, term, &product))
        g_assert_not_reached (); /* find_sides() has asked */
      sign = get_sign (a, term, &product);
      if (sign != 1.0)
        add_factor (&product, tp_nest_const (copy, sign));
      for (int side = 0; side < N_SIDES; side++)
        tp_lowered_take_nest (out,
                              make_side (a, &product, side, workspaces[side], at));
      at += is_still (a, &product) ? 1 : a->inner;
    }
}

/* The contraction of both, and what the nest makes of it. */
static TpNest *
make_product (const UnpackTiles *a, const int *workspaces)
{
  TpNest *nest = tp_nest_copy (a->unpack->nest);
  int factors[N_SIDES], axis;

  for (int k = 0; k < nest->n_axes; k++)
    if (nest->axes[k].is_reduce)
      nest->axes[k].extent = 1;
  axis = tp_nest_add_axis (nest, a->walked * a->pitch, TRUE);
  for (int side = 0; side < N_SIDES; side++)
    {
      TpAccess *load = tp_nest_add_load (nest, workspaces[side]);

      set_strides (a, side, load);
      load->stride[axis] = side == COLS ? a->n[COLS] : 1;
      factors[side] = tp_nest_load (nest, nest->n_loads - 1);
    }
  nest->stages[0].expr
      = tp_nest_binary (nest, TP_EXPR_MUL, factors[ROWS], factors[COLS]);
  return nest;
}

static void
tiles_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const UnpackTiles *a = analysis;
  g_autoptr (TpLowered) makers = tp_lowered_new ();
  g_autoptr (TpNest) product = NULL;
  int workspaces[N_SIDES];

  (void) choice;
  for (int side = 0; side < N_SIDES; side++)
    workspaces[side]
        = tp_build_add_workspace (build, TPLAN_DTYPE_FLOAT32,
                                  a->n[side] * a->walked * a->pitch);
  make_sides (a, workspaces, makers);
  product = make_product (a, workspaces);
  build->schedule_several (build, makers->nests, makers->n_nests);
  build->schedule (build, product);
}

/* ---- the family ---------------------------------------------------------- */

static void
tiles_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  (void) analysis;
  (void) step;
  tp_array_append_val (out, *partial);
}

static const char *
tiles_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  (void) analysis;
  (void) choice;
  return NULL;
}

const TpFamily tp_schedule_unpack_tiles = {
  .form = { "unpack-tiles", params },
  .n_steps = 1,
  .is_for = tp_target_is_gpu,
  .analyze = tiles_analyze,
  .free = tiles_free,
  .is_last_resort = tiles_is_last_resort,
  .is_close = tiles_is_close,
  .enumerate = tiles_enumerate,
  .find_fault = tiles_find_fault,
  .emit = tiles_emit,
};
