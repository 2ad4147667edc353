/* rows.c: are three nests a product, a reduction of its rows, and a product of
 * these? */
#include "config.h"

#include "schedule/rows.h"

#include "schedule/contract-analyze.h"
#include "schedule/contract-dims.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule-contract.h"

#include <string.h>

#define PITCH_STEP 16           /* elements: rows begin on a line of the cache */

/* ---- accesses ---------------------------------------------------------- */

static gboolean
is_plain (const TpAccess *access)
{
  return access->offset == 0 && access->n_guards == 0 && access->index < 0
         && access->step == 0 && access->dtype == TPLAN_DTYPE_FLOAT32;
}

/* The one load of @operand that @nest uses; -1: there is none, or several. */
static int
find_only_load (const TpNest *nest, int operand)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int found = -1;

  for (int i = 0; i < nest->n_loads; i++)
    {
      if (!used[i] || nest->loads[i].operand != operand)
        continue;
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

static gboolean
walks_axis (const TpAccess *access, int axis)
{
  for (int i = 0; i < access->n_guards; i++)
    if (access->guards[i].coef[axis] != 0)
      return TRUE;
  return access->stride[axis] != 0;
}

/* ---- the reduction ----------------------------------------------------- */

/* Everything but the row is the same for all rows. */
static gboolean
is_same_for_rows (const TpNest *nest, int load, int row_axis)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (i != load
        && (walks_axis (&nest->loads[i], row_axis)
            || nest->loads[i].index >= 0 || nest->loads[i].n_guards > 0))
      return FALSE;
  return TRUE;
}

static gboolean
is_row (const TpAccess *access, int row_axis, int column_axis, gint64 n_columns)
{
  return is_plain (access) && access->stride[row_axis] == n_columns
         && access->stride[column_axis] == 1;
}

static void
set_row (const TpRows *rows, TpAccess *access, int row_axis)
{
  access->operand = rows->scratch;
  access->stride[row_axis] = rows->pitch;
}

/* Rows of @nest, dense, become those of a block. */
static gboolean
find_reduce (TpRows *rows, const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) own = tp_nest_copy (nest);
  int load = find_only_load (nest, rows->scratch);
  int column = nest->n_axes == 2 ? !nest->axes[0].is_reduce : -1;

  if (column < 0 || load < 0 || !nest->axes[column].is_reduce
      || nest->axes[!column].is_reduce
      || !is_row (&nest->loads[load], !column, column, rows->n_columns)
      || !is_row (&nest->store, !column, column, rows->n_columns)
      || nest->axes[column].extent != rows->n_columns
      || nest->axes[!column].extent != rows->n_rows * rows->n_outer_points
      || !is_same_for_rows (nest, load, !column))
    return FALSE;
  set_row (rows, &own->loads[load], !column);
  set_row (rows, &own->store, !column);
  rows->reduce_row_axis = !column;
  rows->reduce = tp_reduce_new (build, own);
  return rows->reduce != NULL && rows->reduce->axis == column;
}

/* ---- products ---------------------------------------------------------- */

/* The axes that @access walks, by rising stride: column, row, outer ones; each
 * starts where the one before ends. FALSE: it is not dense. */
static gboolean
find_axes (const TpNest *nest, const TpAccess *access, int *axes, int *out_n)
{
  gint64 stride = 1;
  int n = 0;

  for (int i = 0; i < nest->n_axes; i++)
    {
      int k = n;

      if (access->stride[i] == 0)
        continue;
      for (; k > 0 && access->stride[axes[k - 1]] > access->stride[i]; k--)
        axes[k] = axes[k - 1];
      axes[k] = i;
      n++;
    }
  for (int i = 0; i < n; i++)
    {
      if (access->stride[axes[i]] != stride)
        return FALSE;
      stride *= nest->axes[axes[i]].extent;
    }
  *out_n = n;
  return n >= 2 && is_plain (access);
}

static void
copy_stride (TpAccess *access, int from, int to)
{
  access->stride[to] = access->stride[from];
  for (int i = 0; i < access->n_guards; i++)
    access->guards[i].coef[to] = access->guards[i].coef[from];
}

static void
clear_stride (TpAccess *access, int axis)
{
  access->stride[axis] = 0;
  for (int i = 0; i < access->n_guards; i++)
    access->guards[i].coef[axis] = 0;
}

/* @own gets the axis of starts, and @access, one of its own, is of a block. */
static void
cut_rows (const TpRows *rows, TpRowsProduct *product, TpNest *own,
          TpAccess *access)
{
  product->start_axis = tp_nest_add_axis (own, rows->n_rows, FALSE);
  for (int i = 0; i < own->n_loads; i++)
    copy_stride (&own->loads[i], product->row_axis, product->start_axis);
  copy_stride (&own->store, product->row_axis, product->start_axis);
  for (int i = 0; i < product->n_outer; i++)
    clear_stride (access, product->outer[i]);
  clear_stride (access, product->start_axis);
  set_row (rows, access, product->row_axis);
}

/* What the contraction is at one outer point and start: nothing walks there, so
 * these axes are outer ones to it, whatever they are to x and w. */
static TpContract *
analyze_one (const TpRowsProduct *product, const TpBuild *build,
             const TpNest *own)
{
  g_autoptr (TpNest) one = tp_nest_copy (own);

  for (int i = 0; i <= product->n_outer; i++)
    {
      int axis = i < product->n_outer ? product->outer[i] : product->start_axis;

      for (int k = 0; k < one->n_loads; k++)
        clear_stride (&one->loads[k], axis);
      clear_stride (&one->store, axis);
    }
  return tp_schedule_contract_analyze (build, one);
}

static gboolean
fits (const TpContract *c, const TpRowsProduct *product)
{
  return c != NULL && c->is_plain && c->row_axis < 0
         && c->col_axis == product->row_axis;
}

/* @axis goes over @n, and a new one over the rest, if @n divides it. */
static void
split_axis (TpNest *nest, int axis, gint64 n)
{
  gint64 extent = nest->axes[axis].extent;
  int rest = -1;

  if (extent % n != 0)
    return;
  rest = tp_nest_add_axis (nest, extent / n, FALSE);
  nest->axes[axis].extent = n;
  for (int i = 0; i <= nest->n_loads; i++)
    {
      TpAccess *access = i < nest->n_loads ? &nest->loads[i] : &nest->store;

      access->stride[rest] = access->stride[axis] * n;
      for (int k = 0; k < access->n_guards; k++)
        access->guards[k].coef[rest] = access->guards[k].coef[axis] * n;
    }
}

/* @access, the store or a load of @own, is where rows and columns are. */
static gboolean
find_product (TpRows *rows, TpRowsProduct *product, const TpBuild *build,
              TpNest *own, TpAccess *access)
{
  int axes[TP_NEST_MAX_AXES], n = 0;
  gint64 n_outer_points = 1;

  if (own->n_axes + 2 >= TP_NEST_MAX_AXES
      || !find_axes (own, access, axes, &n))
    return FALSE;
  if (own->axes[axes[1]].extent > rows->n_rows)
    {
      split_axis (own, axes[1], rows->n_rows);
      if (!find_axes (own, access, axes, &n))
        return FALSE;
    }
  product->row_axis = axes[1];
  if (own->axes[axes[0]].extent != rows->n_columns
      || own->axes[axes[1]].extent != rows->n_rows)
    return FALSE;
  for (int i = 2; i < n; i++)
    {
      product->outer[product->n_outer++] = axes[i];
      n_outer_points *= own->axes[axes[i]].extent;
    }
  if (rows->n_outer_points == 0)
    rows->n_outer_points = n_outer_points;
  if (n_outer_points != rows->n_outer_points)
    return FALSE;
  cut_rows (rows, product, own, access);
  product->c = analyze_one (product, build, own);
  if (!fits (product->c, product))
    return FALSE;
  tp_nest_free (product->c->nest);
  product->c->nest = tp_nest_copy (own);
  return TRUE;
}

/* Spatial axes but rows, starts, outer ones and N: none. */
static gboolean
has_all_axes (const TpRowsProduct *product)
{
  int n = product->n_outer + 3;

  return product->c->nest->n_axes == n + product->c->n_k;
}

static gboolean
find_scores (TpRows *rows, const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) own = tp_nest_copy (nest);
  TpRowsProduct *product = &rows->products[0];

  rows->scratch = nest->store.operand;
  return find_product (rows, product, build, own, &own->store)
         && product->c->nest->store.stride[product->c->n_axis] == 1
         && has_all_axes (product);
}

static gboolean
find_result (TpRows *rows, const TpBuild *build, const TpNest *nest,
             int weights)
{
  g_autoptr (TpNest) own = tp_nest_copy (nest);
  TpRowsProduct *product = &rows->products[1];
  int load = find_only_load (nest, weights);

  return load >= 0
         && find_product (rows, product, build, own, &own->loads[load])
         && product->c->x_load == load && product->c->n_k == 1
         && has_all_axes (product);
}

/* ---- all three --------------------------------------------------------- */

/* Scores that one product sees as more rows than the other are the rows of the other,
 * some times over. FALSE: they are no rows at all. */
static gboolean
find_rows (TpRows *rows, TpNest *const *nests)
{
  int load = find_only_load (nests[2], nests[1]->store.operand);

  for (int i = 0; load >= 0 && i < 3; i += 2)
    {
      const TpAccess *access
          = i == 0 ? &nests[i]->store : &nests[i]->loads[load];
      int axes[TP_NEST_MAX_AXES], n = 0;
      gint64 n_rows;

      if (!find_axes (nests[i], access, axes, &n))
        return FALSE;
      n_rows = nests[i]->axes[axes[1]].extent;
      rows->n_rows = i == 0 ? n_rows : MIN (rows->n_rows, n_rows);
      rows->n_columns = nests[i]->axes[axes[0]].extent;
    }
  rows->pitch = (rows->n_columns + PITCH_STEP - 1) / PITCH_STEP * PITCH_STEP;
  /* Rows a multiple of a page apart would share cache sets. */
  if (rows->pitch % 512 == 0)
    rows->pitch += PITCH_STEP;
  return load >= 0;
}

static gboolean
is_scratch (const TpBuild *build, int operand)
{
  return operand < build->lowered->n_operands
         && build->lowered->operands[operand].is_scratch;
}

TpRows *
tp_rows_new (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpRows) rows = NULL;

  if (n != 3 || build->n_iterations > 1
      || !is_scratch (build, nests[0]->store.operand)
      || !is_scratch (build, nests[1]->store.operand))
    return NULL;
  rows = g_new0 (TpRows, 1);
  rows->target = build->target;
  if (!find_rows (rows, nests) || !find_scores (rows, build, nests[0])
      || !find_reduce (rows, build, nests[1])
      || !find_result (rows, build, nests[2], nests[1]->store.operand))
    return NULL;
  return g_steal_pointer (&rows);
}

void
tp_rows_free (TpRows *rows)
{
  if (rows == NULL)
    return;
  for (int i = 0; i < 2; i++)
    tp_contract_free (rows->products[i].c);
  tp_reduce_free (rows->reduce);
  g_free (rows);
}

TpContract *
tp_rows_product_dup (const TpRowsProduct *product, gint64 n)
{
  TpContract *c = g_memdup2 (product->c, sizeof *c);
  gint64 starts = c->n_cols - n + 1;

  c->nest = tp_nest_copy (c->nest);
  c->nest->axes[product->row_axis].extent = n;
  c->nest->axes[product->start_axis].extent = starts;
  c->n_cols = n;
  c->is_stageable = tp_contract_find_dims (c);
  return c;
}
