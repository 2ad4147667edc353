/* nest-fuse.c: composes nests by matching strides.
 *
 * Two nests meet at one operand: the host's access and the guest's. As the
 * guest's access reaches every element once, the guest's axes are digits of a
 * mixed radix number, the element's index; each axis of the host is then
 * a multiple of one digit, and all accesses of the guest can be rewritten over
 * the axes of the host. */
#include "config.h"

#include "ir/nest.h"

#include <string.h>

/* ---- matching ---------------------------------------------------------- */

/* Where the guest stands, as a function of where the host stands. */
typedef struct
{
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset;
} Digit;

typedef struct
{
  const TpNest *host;
  const TpNest *guest;
  gint64 stride[TP_NEST_MAX_AXES];    /* the host's, still to be matched */
  gint64 offset;                      /* host's minus guest's, likewise */
  const TpAccess *access;             /* the guest's */
  Digit digits[TP_NEST_MAX_AXES];     /* per axis of the guest */
  int guard_axis[TP_NEST_MAX_GUARDS]; /* axis of the guest each guard is */
  gboolean is_done[TP_NEST_MAX_AXES]; /* by a guard */
} Match;

static void
match_init (Match *match, const TpNest *host, const TpAccess *host_access,
            const TpNest *guest, const TpAccess *guest_access)
{
  memset (match, 0, sizeof *match);
  match->host = host;
  match->guest = guest;
  memcpy (match->stride, host_access->stride, sizeof match->stride);
  match->offset = host_access->offset - guest_access->offset;
  match->access = guest_access;
}

/* Axes of the guest that still want a digit, by falling stride. FALSE when some
 * element is reached twice. */
static gboolean
match_sort_axes (const Match *match, int *order, int *out_n)
{
  const gint64 *stride = match->access->stride;
  gint64 reach = 0;
  int n = 0;

  for (int i = 0; i < match->guest->n_axes; i++)
    {
      int k = n;

      if (match->guest->axes[i].extent == 1 || match->is_done[i])
        continue;
      for (; k > 0 && stride[order[k - 1]] < stride[i]; k--)
        order[k] = order[k - 1];
      order[k] = i;
      n++;
    }
  for (int k = n - 1; k >= 0; k--)
    {
      gint64 last = 0;

      if (stride[order[k]] <= reach
          || !tp_size_mul (stride[order[k]],
                           match->guest->axes[order[k]].extent - 1, &last)
          || !tp_size_add (reach, last, &reach))
        return FALSE;
    }
  *out_n = n;
  return TRUE;
}

/* Gives each axis of the host to the digit with the largest stride within its
 * own. @low: how far the index goes below the offset. */
static gboolean
match_strides (Match *match, const int *order, int n, gint64 *out_low)
{
  for (int i = 0; i < match->host->n_axes; i++)
    {
      gint64 stride = match->stride[i];
      int k = 0;

      if (stride == 0 || match->host->axes[i].extent == 1)
        continue;
      while (k < n && match->access->stride[order[k]] > ABS (stride))
        k++;
      if (k == n || stride % match->access->stride[order[k]] != 0)
        return FALSE;
      match->digits[order[k]].coef[i] =
          stride / match->access->stride[order[k]];
      if (stride < 0)
        *out_low += stride * (match->host->axes[i].extent - 1);
    }
  return TRUE;
}

/* The lowest value of a digit, read off the lowest index, and its offset. */
static gboolean
match_offset (Match *match, int axis, gint64 *index)
{
  Digit *digit = &match->digits[axis];
  gint64 stride = match->access->stride[axis];
  __int128 high = *index / stride;

  digit->offset = *index / stride;
  *index %= stride;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      gint64 last = match->host->axes[i].extent - 1;

      high += (__int128)ABS (digit->coef[i]) * last;
      if (digit->coef[i] < 0)
        digit->offset -= digit->coef[i] * last;
    }
  return high < match->guest->axes[axis].extent;
}

static gboolean
match_solve (Match *match)
{
  int order[TP_NEST_MAX_AXES];
  int n = 0;
  gint64 low = 0;

  if (!match_sort_axes (match, order, &n)
      || !match_strides (match, order, n, &low))
    return FALSE;
  low += match->offset;
  if (low < 0)
    return FALSE;
  for (int k = 0; k < n; k++)
    if (!match_offset (match, order[k], &low))
      return FALSE;
  return low == 0;
}

/* A guard of the host that is a digit of the guest: 0 <= digit < extent. */
static gboolean
match_is_guard (const Match *match, const TpGuard *guard, int axis)
{
  gboolean is_used = FALSE;

  if (match->is_done[axis] || guard->extent != match->guest->axes[axis].extent)
    return FALSE;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      if (guard->coef[i] == 0)
        continue;
      is_used = TRUE;
      if (match->stride[i] != guard->coef[i] * match->access->stride[axis])
        return FALSE;
    }
  return is_used;
}

static gboolean
match_guard (Match *match, const TpGuard *guard, int *out_axis)
{
  int axis = 0;

  while (axis < match->guest->n_axes && !match_is_guard (match, guard, axis))
    axis++;
  if (axis == match->guest->n_axes)
    return FALSE;
  for (int i = 0; i < match->host->n_axes; i++)
    {
      match->digits[axis].coef[i] = guard->coef[i];
      match->stride[i] -= guard->coef[i] * match->access->stride[axis];
    }
  match->digits[axis].offset = guard->offset;
  match->offset -= guard->offset * match->access->stride[axis];
  match->is_done[axis] = TRUE;
  *out_axis = axis;
  return TRUE;
}

/* ---- rewriting --------------------------------------------------------- */

static gint64
match_rewrite (const Match *match, const gint64 *stride, gint64 offset,
               gint64 *out_stride)
{
  memset (out_stride, 0, sizeof (gint64) * TP_NEST_MAX_AXES);
  for (int i = 0; i < match->guest->n_axes; i++)
    {
      const Digit *digit = &match->digits[i];

      if (stride[i] == 0)
        continue;
      offset += stride[i] * digit->offset;
      for (int k = 0; k < match->host->n_axes; k++)
        out_stride[k] += stride[i] * digit->coef[k];
    }
  return offset;
}

/* @access of the guest over the axes of the host. */
static TpAccess
match_rewrite_access (const Match *match, const TpAccess *access)
{
  TpAccess out = *access;

  out.offset =
      match_rewrite (match, access->stride, access->offset, out.stride);
  for (int i = 0; i < access->n_guards; i++)
    out.guards[i].offset =
        match_rewrite (match, access->guards[i].coef, access->guards[i].offset,
                       out.guards[i].coef);
  return out;
}

static gboolean
access_equal (const TpAccess *a, const TpAccess *b)
{
  if (a->operand != b->operand || a->offset != b->offset
      || a->n_guards != b->n_guards
      || memcmp (a->stride, b->stride, sizeof a->stride) != 0)
    return FALSE;
  if (a->n_guards == 0)
    return TRUE;
  return a->fill == b->fill
         && memcmp (a->guards, b->guards, a->n_guards * sizeof a->guards[0])
                == 0;
}

static int
nest_share_load (TpNest *nest, const TpAccess *access)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (access_equal (&nest->loads[i], access))
      return i;
  *tp_nest_add_load (nest, access->operand) = *access;
  return nest->n_loads - 1;
}

/* What a load of the nest being copied has become. */
typedef struct
{
  int value;  /* expression for LOAD */
  int inside; /* expression for INSIDE */
} Loaded;

static Loaded
nest_keep_load (TpNest *nest, const TpAccess *access)
{
  int load = nest_share_load (nest, access);

  return (Loaded){ tp_nest_load (nest, load),
                   access->n_guards == 0 ? tp_nest_const (nest, 1.0)
                                         : tp_nest_inside (nest, load) };
}

static int
import_one (TpNest *nest, const TpExpr *expr, const Loaded *loaded,
            const int *map)
{
  switch (expr->op)
    {
    case TP_EXPR_CONST:
      return tp_nest_const (nest, expr->value);
    case TP_EXPR_LOAD:
      return loaded[expr->index].value;
    case TP_EXPR_INSIDE:
      return loaded[expr->index].inside;
    case TP_EXPR_STAGE:
      return tp_nest_stage (nest, expr->index);
    case TP_EXPR_SELECT:
      return tp_nest_select (nest, map[expr->a], map[expr->b], map[expr->c]);
    default:
      if (tp_expr_arity (expr->op) == 1)
        return tp_nest_unary (nest, expr->op, map[expr->a]);
      return tp_nest_binary (nest, expr->op, map[expr->a], map[expr->b]);
    }
}

/* Copies @root of @src into @nest; returns its number there. */
static int
nest_import (TpNest *nest, const TpNest *src, int root, const Loaded *loaded)
{
  g_autofree gboolean *used = g_new0 (gboolean, src->n_exprs);
  g_autofree int *map = g_new (int, src->n_exprs);

  tp_nest_mark_used (src, root, used);
  for (int i = 0; i < src->n_exprs; i++)
    if (used[i])
      map[i] = import_one (nest, &src->exprs[i], loaded, map);
  return map[root];
}

/* ---- epilogue ---------------------------------------------------------- */

static gboolean
nest_has_reduce (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      return TRUE;
  return nest->n_stages > 0;
}

/* The one way in which @nest reads @operand; NULL when there are none, several,
 * or guards. */
static const TpAccess *
nest_find_only_load (const TpNest *nest, int operand)
{
  const TpAccess *found = NULL;

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (load->operand != operand)
        continue;
      if (load->n_guards > 0 || (found != NULL && !access_equal (found, load)))
        return NULL;
      found = load;
    }
  return found;
}

/* Every axis of the producer that tells points apart must show in the store. */
static gboolean
nest_stores_once (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->axes[i].extent > 1
        && nest->store.stride[i] == 0)
      return FALSE;
  return TRUE;
}

TpNest *
tp_nest_fuse (const TpNest *producer, const TpNest *consumer, int operand)
{
  g_autoptr (TpNest) nest = NULL;
  g_autofree Loaded *loaded = g_new0 (Loaded, consumer->n_loads + 1);
  const TpAccess *meet = nest_find_only_load (consumer, operand);
  Match match;

  if (meet == NULL || producer->store.operand != operand
      || nest_has_reduce (consumer) || !nest_stores_once (producer))
    return NULL;
  match_init (&match, producer, &producer->store, consumer, meet);
  if (!match_solve (&match))
    return NULL;
  nest = tp_nest_copy (producer);
  for (int i = 0; i < consumer->n_loads; i++)
    {
      TpAccess access = match_rewrite_access (&match, &consumer->loads[i]);

      if (access.operand == operand)
        loaded[i] = (Loaded){ nest->result, tp_nest_const (nest, 1.0) };
      else
        loaded[i] = nest_keep_load (nest, &access);
    }
  nest->result = nest_import (nest, consumer, consumer->result, loaded);
  nest->store = match_rewrite_access (&match, &consumer->store);
  return g_steal_pointer (&nest);
}

/* ---- prologue ---------------------------------------------------------- */

/* @load of the producer with those guards of @meet that keep it in bounds, or
 * with all of them. FALSE when they are too many. */
static TpAccess
prologue_access (const Match *match, const TpAccess *load, const TpAccess *meet,
                 gboolean with_all)
{
  TpAccess out = match_rewrite_access (match, load);

  for (int i = 0; i < meet->n_guards; i++)
    if (with_all || load->stride[match->guard_axis[i]] != 0)
      out.guards[out.n_guards++] = meet->guards[i];
  return out;
}

/* Which load of the producer carries all guards: one that needs them. */
static int
prologue_find_main (const Match *match, const TpAccess *meet)
{
  for (int i = 0; i < match->guest->n_loads; i++)
    {
      TpAccess access =
          prologue_access (match, &match->guest->loads[i], meet, FALSE);

      if (access.n_guards == meet->n_guards)
        return i;
    }
  return 0;
}

/* The producer's value where the consumer's load @meet stands. */
static gboolean
prologue_compute (TpNest *nest, Match *match, const TpAccess *meet,
                  Loaded *out_loaded)
{
  const TpNest *producer = match->guest;
  g_autofree Loaded *loaded = g_new0 (Loaded, producer->n_loads + 1);
  int main_load = 0;

  for (int i = 0; i < meet->n_guards; i++)
    if (!match_guard (match, &meet->guards[i], &match->guard_axis[i]))
      return FALSE;
  if (!match_solve (match) || (meet->n_guards > 0 && producer->n_loads == 0))
    return FALSE;
  main_load = prologue_find_main (match, meet);
  for (int i = 0; i < producer->n_loads; i++)
    {
      TpAccess access =
          prologue_access (match, &producer->loads[i], meet, i == main_load);

      loaded[i] = nest_keep_load (nest, &access);
    }
  out_loaded->value = nest_import (nest, producer, producer->result, loaded);
  out_loaded->inside = tp_nest_const (nest, 1.0);
  if (meet->n_guards > 0)
    {
      out_loaded->inside = loaded[main_load].inside;
      out_loaded->value =
          tp_nest_select (nest, out_loaded->inside, out_loaded->value,
                          tp_nest_const (nest, meet->fill));
    }
  return TRUE;
}

static gboolean
nest_uses_value (const TpNest *nest, int load)
{
  for (int i = 0; i < nest->n_exprs; i++)
    if (nest->exprs[i].op == TP_EXPR_LOAD && nest->exprs[i].index == load)
      return TRUE;
  return FALSE;
}

static gboolean
prologue_replace_load (TpNest *nest, const TpNest *producer,
                       const TpNest *consumer, int load, Loaded *out_loaded)
{
  const TpAccess *meet = &consumer->loads[load];
  Match match;

  if (!nest_uses_value (consumer, load) && producer->n_loads > 0)
    {
      TpAccess access = *meet; /* only its guards are asked for */

      access.operand = producer->loads[0].operand;
      access.offset = 0;
      memset (access.stride, 0, sizeof access.stride);
      *out_loaded = nest_keep_load (nest, &access);
      return TRUE;
    }
  match_init (&match, nest, meet, producer, &producer->store);
  return prologue_compute (nest, &match, meet, out_loaded);
}

/* A map without guards of its own, which are rare and would add up. */
static gboolean
nest_is_plain_map (const TpNest *nest)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].n_guards > 0)
      return FALSE;
  return !nest_has_reduce (nest);
}

TpNest *
tp_nest_fuse_prologue (const TpNest *producer, const TpNest *consumer,
                       int operand)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  g_autofree Loaded *loaded = g_new0 (Loaded, consumer->n_loads + 1);

  if (!nest_is_plain_map (producer) || producer->store.operand != operand)
    return NULL;
  nest->n_axes = consumer->n_axes;
  memcpy (nest->axes, consumer->axes, sizeof nest->axes);
  nest->store = consumer->store;
  for (int i = 0; i < consumer->n_loads; i++)
    if (consumer->loads[i].operand != operand)
      loaded[i] = nest_keep_load (nest, &consumer->loads[i]);
    else if (!prologue_replace_load (nest, producer, consumer, i, &loaded[i]))
      return NULL;
  for (int i = 0; i < consumer->n_stages; i++)
    tp_nest_add_stage (
        nest, consumer->stages[i].combiner,
        nest_import (nest, consumer, consumer->stages[i].expr, loaded));
  nest->result = nest_import (nest, consumer, consumer->result, loaded);
  return g_steal_pointer (&nest);
}
