/* unpack-dots.c: are terms products of bits with bytes? */
#include "config.h"

#include "schedule/unpack-dots.h"

#include "nest/nest-expr.h"
#include "schedule/contract-analyze.h"

#define FOUR 4
#define MOST_SUM (1 << 24)    /* up to which float32 has all integers */

/* Whether @load is bytes of @dtype, the same in all lanes or, as @is_of_columns, packed
 * for each. */
static gboolean
is_byte_load (const TpUnpack *self, int load, TpDtype dtype,
              gboolean is_of_columns)
{
  const TpAccess *access = &self->nest->loads[load];

  return access->dtype == dtype && access->index < 0 && access->n_guards == 0
         && access->step == 0
         && (access->stride[self->n_axis] != 0) == is_of_columns;
}

/* The number @expr is, of integers: FALSE, or it is none. */
static gboolean
get_number (const TpNest *nest, int expr, gint64 *out)
{
  *out = nest->exprs[expr].integer;
  return nest->exprs[expr].op == TP_EXPR_CONST && nest->exprs[expr].is_integer;
}

/* Bits of a byte: (q / 2^shift) & mask. */
static gboolean
find_weight (TpUnpack *self, int expr, int part)
{
  const TpNest *nest = self->nest;
  TpUnpackDots *dots = &self->dots;
  const TpExpr *e = &nest->exprs[expr];
  gint64 mask = G_MAXUINT8, by = 1;
  int shift = 0;

  if (e->op != TP_EXPR_TO_REAL)
    return FALSE;
  e = &nest->exprs[e->a];
  if (e->op == TP_EXPR_AND && get_number (nest, e->b, &mask))
    e = &nest->exprs[e->a];
  if (e->op == TP_EXPR_DIV && get_number (nest, e->b, &by))
    e = &nest->exprs[e->a];
  while (shift < 8 && G_GINT64_CONSTANT (1) << shift < by)
    shift++;
  if (e->op != TP_EXPR_LOAD || by != G_GINT64_CONSTANT (1) << shift || mask < 0
      || !is_byte_load (self, e->index, TPLAN_DTYPE_UINT8, TRUE)
      || (part > 0 && e->index != dots->q_load))
    return FALSE;
  dots->q_load = e->index;
  dots->parts[part].shift = shift;
  dots->parts[part].mask = (guint8) (mask & (G_MAXUINT8 >> shift));
  return TRUE;
}

/* Bytes that lie together where their weights do. */
static gboolean
find_x (TpUnpack *self, int expr, int part)
{
  const TpNest *nest = self->nest;
  const TpExpr *e = &nest->exprs[expr];

  if (e->op != TP_EXPR_TO_REAL || nest->exprs[e->a].op != TP_EXPR_LOAD)
    return FALSE;
  self->dots.parts[part].x_load = nest->exprs[e->a].index;
  return is_byte_load (self, self->dots.parts[part].x_load, TPLAN_DTYPE_INT8,
                       FALSE)
         && nest->loads[self->dots.parts[part].x_load].stride[self->dots.axis]
            == 1;
}

static gboolean
is_small (const TpUnpack *self)
{
  gint64 most = 0;

  for (int i = 0; i < self->dots.n_parts; i++)
    most += self->dots.parts[i].mask * -G_MININT8;
  return most <= MOST_SUM / self->nest->axes[self->dots.axis].extent;
}

static gboolean
add_part (TpUnpack *self, const TpUnpackTerm *term)
{
  int part = self->dots.n_parts;

  if (term->b < 0 || term->is_negative || part == TP_UNPACK_MAX_PARTS
      || !((find_weight (self, term->a, part) && find_x (self, term->b, part))
           || (find_weight (self, term->b, part)
               && find_x (self, term->a, part))))
    return FALSE;
  self->dots.n_parts++;
  return TRUE;
}

static gboolean
is_still (const TpUnpack *self, const TpUnpackTerm *term)
{
  gboolean walked[TP_NEST_MAX_AXES] = { FALSE };

  tp_contract_find_axes (self->nest, term->a, walked);
  if (term->b >= 0)
    tp_contract_find_axes (self->nest, term->b, walked);
  return !walked[self->dots.axis];
}

static gboolean
find_parts (TpUnpack *self)
{
  self->dots.still = -1;
  for (int i = 0; i < self->n_terms; i++)
    if (self->dots.still < 0 && is_still (self, &self->terms[i]))
      self->dots.still = i;
    else if (!add_part (self, &self->terms[i]))
      return FALSE;
  return TRUE;
}

void
tp_unpack_dots_find (TpUnpack *unpack)
{
  TpUnpackDots *dots = &unpack->dots;

  if (unpack->factor < 0 || unpack->n_loops != unpack->n_walked + 1
      || unpack->nest->n_axes + 2 > TP_NEST_MAX_AXES) /* it is cut by fours */
    return;
  dots->axis = unpack->loops[unpack->n_loops - 1];
  if (unpack->nest->axes[dots->axis].extent % FOUR != 0 || !find_parts (unpack)
      || !is_small (unpack))
    dots->n_parts = 0;
}
