/* unroll-select.c: see unroll-select.h. */
#include "config.h"

#include "graph/unroll-select.h"

#include "graph/unroll-known.h"
#include "graph/unroll-make.h"
#include "ir/array.h"
#include "ir/graph-value.h"
#include "ir/guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MOST (1 << 20) /* of what is looked at */
#define ELEMENTS_AN_OP 64       /* that count as one, for the limit of these */

/* ---- what they have in common ---------------------------------------------- */

/* NULL: not known, or more than is looked at. */
static double *
get_values (TpUnroll *self, int tensor, const char *what, GError **error)
{
  const TpTensor *it;

  if (!tp_unroll_check_known (self, tensor, what, error))
    return NULL;
  it = tp_draft_tensor (self->draft, tensor);
  if (it->count > ELEMENTS_MOST)
    {
      tp_unroll_refuse (self, error, "its %s '%s' has %" G_GINT64_FORMAT
                        " elements, more than the %d that are looked at", what,
                        it->name, it->count, ELEMENTS_MOST);
      return NULL;
    }
  return tp_unroll_take (self, 1 + it->count / ELEMENTS_AN_OP, what, error)
             ? tp_unroll_dup_values (self, tensor) : NULL;
}

/* *@out_axis becomes -1 where @node has none. */
static gboolean
get_axis (TpUnroll *self, const TpTensor *x, int *out_axis, GError **error)
{
  const TpNode *node = self->node;
  gint64 axis = tp_node_get_int (node, "axis", 0);

  *out_axis = -1;
  if (tp_node_find_attr (node, "axis") == NULL)
    return TRUE;
  if (axis < -x->rank || axis >= x->rank)
    return tp_unroll_fail (self, error, "axis %" G_GINT64_FORMAT " of a tensor of %d "
                           "dimensions", axis, x->rank);
  *out_axis = (int) (axis < 0 ? axis + x->rank : axis);
  return TRUE;
}

/* The first output is what stands at @indices of the first input along @axis; -1: of
 * all its elements. */
static gboolean
give_picked (TpUnroll *self, int axis, const TpArray *indices, GError **error)
{
  const TpAttr attr = { .name = "axis", .kind = TP_ATTR_INT, .i = MAX (axis, 0) };
  const gint64 flat = -1;
  int inputs[2] = { self->node->inputs[0],
                    tp_unroll_add_ints (self, 1, &flat, error) };

  if (inputs[1] < 0)
    return FALSE;
  if (axis < 0)
    inputs[0] = tp_unroll_add (self, (TpUnrollOp){ "Reshape", NULL, 2, inputs },
                               -1, error);
  inputs[1] = tp_unroll_add_ints (self, (int) indices->len,
                                  (const gint64 *) (void *) indices->data, error);
  return inputs[0] >= 0 && inputs[1] >= 0
         && tp_unroll_add (self, (TpUnrollOp){ "Gather", &attr, 2, inputs },
                           self->node->outputs[0], error) >= 0;
}

/* ---- NonZero ----------------------------------------------------------------- */

/* A row of places for each dimension. */
gboolean
tp_unroll_non_zero (TpUnroll *self, const TpNode *node, GError **error)
{
  g_autofree double *values
      = get_values (self, node->inputs[0], "input", error);
  g_autofree gint64 *places = NULL;
  gint64 dims[2];
  const TpTensor like = { .dtype = TPLAN_DTYPE_INT64, .rank = 2, .dims = dims };
  TpTensor x;
  gint64 n = 0;

  if (values == NULL)
    return FALSE;
  x = *tp_draft_tensor (self->draft, node->inputs[0]);
  for (gint64 i = 0; i < x.count; i++)
    n += values[i] != 0;
  places = tp_new (gint64, n * x.rank + 1);
  n = 0;
  for (gint64 i = 0; i < x.count; i++)
    if (values[i] != 0)
      places[n++] = i;
  for (int d = x.rank - 1; d >= 0; d--) /* the first row has what is left */
    for (gint64 i = 0; i < n; i++)
      {
        gint64 rest = places[i];

        places[d * n + i] = d > 0 ? rest % x.dims[d] : rest;
        places[i] = d > 0 ? rest / x.dims[d] : rest;
      }
  dims[0] = x.rank;
  dims[1] = n;
  return tp_unroll_give_values (self, node->outputs[0], &like, places, error);
}

/* ---- Compress ---------------------------------------------------------------- */

gboolean
tp_unroll_compress (TpUnroll *self, const TpNode *node, GError **error)
{
  g_autoptr (TpArray) indices = tp_array_new (sizeof (gint64));
  g_autofree double *wanted = NULL;
  const TpTensor *x;
  gint64 n_wanted, n;
  int axis;

  if (!tp_unroll_check_tensor (self, node->inputs[0], "input", error)
      || !get_axis (self, tp_draft_tensor (self->draft, node->inputs[0]), &axis,
                    error))
    return FALSE;
  wanted = get_values (self, node->inputs[1], "condition", error);
  if (wanted == NULL)
    return FALSE;
  x = tp_draft_tensor (self->draft, node->inputs[0]);
  n = axis < 0 ? x->count : x->dims[axis];
  n_wanted = tp_draft_tensor (self->draft, node->inputs[1])->count;
  for (gint64 i = 0; i < n_wanted; i++)
    if (wanted[i] != 0)
      tp_array_append_val (indices, i);
  if (indices->len > 0 && tp_array_index (indices, gint64, indices->len - 1) >= n)
    return tp_unroll_fail (self, error, "its condition wants element %" G_GINT64_FORMAT
                           " of %" G_GINT64_FORMAT,
                           tp_array_index (indices, gint64, indices->len - 1), n);
  return give_picked (self, axis, indices, error);
}

/* ---- Unique ------------------------------------------------------------------ */

/* A tensor in parts along an axis: each all that is at one index there. */
typedef struct
{
  const double *values;
  const gint64 *exact;        /* of int64; NULL: values are exact */
  gint64 n_outer, n, n_inner;
} Parts;

static int
compare_wide (const Parts *parts, gint64 a, gint64 b)
{
  if (parts->exact == NULL || parts->exact[a] == parts->exact[b])
    return 0;
  return parts->exact[a] < parts->exact[b] ? -1 : 1;
}

/* NaN is behind all, and like itself. */
static int
compare_elements (const Parts *parts, gint64 a, gint64 b)
{
  double x = parts->values[a], y = parts->values[b];

  if (isnan (x) || isnan (y))
    return (isnan (x) != 0) - (isnan (y) != 0);
  if (x != y)
    return x < y ? -1 : 1;
  return compare_wide (parts, a, b);
}

static int
compare_parts (const Parts *parts, gint64 a, gint64 b)
{
  int order = 0;

  for (gint64 i = 0; i < parts->n_outer && order == 0; i++)
    for (gint64 k = 0; k < parts->n_inner && order == 0; k++)
      order = compare_elements (parts,
                                (i * parts->n + a) * parts->n_inner + k,
                                (i * parts->n + b) * parts->n_inner + k);
  return order;
}

/* Those that are alike as they stand. */
static int
compare_indices (const void *a, const void *b, void *user_data)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  int order = compare_parts (user_data, x, y);

  return order != 0 ? order : (x > y) - (x < y);
}

/* What there is once: where first, how often, and which each is. */
typedef struct
{
  TpArray *firsts, *counts;   /* gint64 */
  gint64 *numbers;            /* [part] */
} Found;

static void
found_clear (Found *found)
{
  tp_array_unref (found->firsts);
  tp_array_unref (found->counts);
  g_free (found->numbers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

static void
find_sorted (const Parts *parts, Found *found)
{
  g_autofree gint64 *order = tp_new (gint64, parts->n + 1);

  for (gint64 i = 0; i < parts->n; i++)
    order[i] = i;
  qsort_r (order, (gsize) parts->n, sizeof *order, compare_indices,
           (gpointer) parts);
  for (gint64 i = 0; i < parts->n; i++)
    {
      const gint64 one = 1;

      if (i > 0 && compare_parts (parts, order[i - 1], order[i]) == 0)
        tp_array_index (found->counts, gint64, found->counts->len - 1)++;
      else
        {
          tp_array_append_val (found->firsts, order[i]);
          tp_array_append_val (found->counts, one);
        }
      found->numbers[order[i]] = found->firsts->len - 1;
    }
}

/* In the order in which they come first. */
static void
renumber (const Parts *parts, Found *found)
{
  g_autoptr (TpArray) firsts = tp_array_new (sizeof (gint64));
  g_autoptr (TpArray) counts = tp_array_new (sizeof (gint64));
  g_autofree gint64 *renamed = tp_new (gint64, parts->n + 1);

  for (gint64 i = 0; i < parts->n; i++)
    {
      gint64 number = found->numbers[i];

      if (tp_array_index (found->firsts, gint64, number) == i)
        {
          renamed[number] = firsts->len;
          tp_array_append_val (firsts, i);
          tp_array_append_val (counts, tp_array_index (found->counts, gint64,
                                                       number));
        }
      found->numbers[i] = renamed[number];
    }
  memcpy (found->firsts->data, firsts->data, firsts->len * sizeof (gint64));
  memcpy (found->counts->data, counts->data, counts->len * sizeof (gint64));
}

static gboolean
give_row (TpUnroll *self, int i, gint64 n, const gint64 *values, GError **error)
{
  const TpNode *node = self->node;
  const TpTensor like
      = { .dtype = TPLAN_DTYPE_INT64, .rank = 1, .dims = &n };

  return i >= node->n_outputs || node->outputs[i] < 0
         || tp_unroll_give_values (self, node->outputs[i], &like, values, error);
}

static gboolean
give_found (TpUnroll *self, int axis, gint64 n, const Found *found,
            GError **error)
{
  const TpArray *firsts = found->firsts, *counts = found->counts;

  return give_picked (self, axis, firsts, error)
         && give_row (self, 1, firsts->len,
                      (const gint64 *) (void *) firsts->data, error)
         && give_row (self, 2, n, found->numbers, error)
         && give_row (self, 3, counts->len,
                      (const gint64 *) (void *) counts->data, error);
}

static void
measure_parts (const TpTensor *x, int axis, Parts *parts)
{
  parts->n_outer = parts->n_inner = 1;
  parts->n = axis < 0 ? x->count : x->dims[axis];
  for (int d = 0; axis >= 0 && d < x->rank; d++)
    if (d != axis)
      *(d < axis ? &parts->n_outer : &parts->n_inner) *= x->dims[d];
}

gboolean
tp_unroll_unique (TpUnroll *self, const TpNode *node, GError **error)
{
  g_autofree double *values
      = get_values (self, node->inputs[0], "input", error);
  g_autofree gint64 *exact = NULL;
  g_auto (Found) found = { 0 };
  Parts parts = { .values = values };
  const TpTensor *x;
  int axis;

  found.firsts = tp_array_new (sizeof (gint64));
  found.counts = tp_array_new (sizeof (gint64));
  if (values == NULL)
    return FALSE;
  x = tp_draft_tensor (self->draft, node->inputs[0]);
  if (!get_axis (self, x, &axis, error))
    return FALSE;
  measure_parts (x, axis, &parts);
  if (x->dtype == TPLAN_DTYPE_INT64)
    {
      exact = tp_new (gint64, x->count + 1);
      tp_tensor_write_value (x, exact);
      parts.exact = exact;
    }
  found.numbers = tp_new (gint64, parts.n + 1);
  find_sorted (&parts, &found);
  if (tp_node_get_int (node, "sorted", 1) == 0)
    renumber (&parts, &found);
  return give_found (self, axis, parts.n, &found, error);
}
