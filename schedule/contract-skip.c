/* contract-skip.c: see contract-skip.h. A window that is dilated as far as a third of its
 * image spends that much on padding. */
#include "config.h"

#include "schedule/contract-skip.h"

#include <string.h>

#define LEAST_POINTS 0.1      /* of a tap that are padding, for it to come first */
#define LEAST_SAVED 0.05      /* of the products: loops whose bounds vary cost, too */

/* The tiled axis in @dim, which has no reduce axis but @axis; NULL: it has others, or no
 * tiled one. */
static const TpContractSpan *
find_span (const TpContractPlan *plan, const TpStageDim *dim, int axis)
{
  const TpContractSpan *found = NULL;

  for (int i = 0; i < plan->c->nest->n_axes; i++)
    {
      const TpContractSpan *span = i == plan->rows.axis   ? &plan->rows
                                   : i == plan->cols.axis ? &plan->cols
                                                          : NULL;

      if (dim->coef[i] == 0 || i == axis)
        continue;
      if (dim->coef[i] < 0 || span == NULL || found != NULL)
        return NULL;
      found = span;
    }
  return found;
}

/* How much of all that reduce axis @axis does is padding alone, for tiles of @tile points
 * along @spatial. */
static double
count_saved (const TpContract *c, const TpStageDim *dim, int axis, int spatial,
             gint64 tile)
{
  gint64 n_tiles = (c->nest->axes[spatial].extent + tile - 1) / tile;
  gint64 n_taps = c->nest->axes[axis].extent, step = dim->coef[spatial];
  double saved = 0.0;

  for (gint64 k = 0; k < n_taps; k++)
    {
      gint64 base = dim->offset + dim->coef[axis] * k; /* of the first point */
      gint64 first = (MAX (-base, 0) + step - 1) / step / tile, end = 0;

      if (base < dim->extent)
        end = MIN ((dim->extent - 1 - base) / step / tile + 1, n_tiles);
      saved += (double) (n_tiles - MAX (end - first, 0));
    }
  return saved / ((double) n_tiles * (double) n_taps);
}

static gboolean
may_skip (const TpContract *c)
{
  return !c->is_bytes && c->fill == 0.0;
}

/* Are many of the points along @axis of K padding? */
static gboolean
is_sparse (const TpContract *c, int axis)
{
  const int tiled[] = { c->row_axis, c->col_axis };

  for (int d = 0; d < c->n_dims; d++)
    for (int i = 0; i < 2; i++)
      if (tiled[i] >= 0 && c->dims[d].coef[axis] > 0 && c->dims[d].coef[tiled[i]] > 0
          && count_saved (c, &c->dims[d], axis, tiled[i], 1) >= LEAST_POINTS)
        return TRUE;
  return FALSE;
}

void
tp_contract_skip_order (TpContract *c)
{
  int axes[TP_NEST_MAX_AXES], n = 0;

  for (int is_last = 0; is_last < 2; is_last++)
    for (int i = 0; i < c->n_k; i++)
      if (is_last != (may_skip (c) && is_sparse (c, c->k_axes[i])))
        axes[n++] = c->k_axes[i];
  memcpy (c->k_axes, axes, n * sizeof axes[0]);
}

int
tp_contract_skip_find (const TpContractPlan *plan, int axis)
{
  const TpContract *c = plan->c;

  if (!plan->is_staged || !may_skip (c))
    return -1;
  for (int d = 0; d < c->n_dims; d++)
    {
      const TpContractSpan *span
          = c->dims[d].coef[axis] > 0 ? find_span (plan, &c->dims[d], axis) : NULL;

      if (span != NULL
          && count_saved (c, &c->dims[d], axis, span->axis, span->tile) >= LEAST_SAVED)
        return d;
    }
  return -1;
}

/* @number - @coef * @position, not below 0, over @divisor. */
static TpValue
emit_bound (TpEmit *e, gint64 number, TpValue position, gint64 coef, gint64 divisor)
{
  TpKernel *k = e->kernel;
  TpValue bound = tp_emit_add_const (e, tp_emit_mul_const (e, position, -coef), number);

  return tp_k_binary (k, TP_I_IDIV, tp_emit_max_const (e, bound, 0),
                      tp_k_index (k, divisor));
}

TpValue
tp_contract_skip_begin (const TpContractPlan *plan, TpEmit *emit,
                        const TpContractTile *tile, const TpContractLoop *loop)
{
  const TpStageDim *dim = &plan->c->dims[loop->dim];
  const TpContractSpan *span = find_span (plan, dim, loop->axis);
  gint64 step = dim->coef[span->axis], reach = dim->coef[loop->axis];
  gint64 points = span == &plan->rows ? tile->rows : tile->cols;
  gint64 least = reach - 1 - dim->offset - step * (points - 1);
  TpValue at = emit->axes[span->axis].pos, end;

  if (at < 0)
    at = tp_k_index (emit->kernel, 0);
  end = emit_bound (emit, dim->extent - 1 + reach - dim->offset, at, step, reach);
  return tp_emit_for (emit, emit_bound (emit, least, at, step, reach),
                      tp_emit_min_const (emit, end, loop->extent), 1);
}
