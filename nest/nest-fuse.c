/* nest-fuse.c: composes nests: the guest's expressions, over the host's axes. */
#include "config.h"

#include "nest/nest-fuse.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "nest/nest-match.h"

#include <string.h>

/* ---- copying ------------------------------------------------------------ */

static gboolean
access_equal (const TpAccess *a, const TpAccess *b)
{
  if (a->operand != b->operand || a->offset != b->offset || a->step != b->step
      || a->index != b->index || a->n_guards != b->n_guards
      || memcmp (a->stride, b->stride, sizeof a->stride) != 0)
    return FALSE;
  if (a->index >= 0
      && (a->index_stride != b->index_stride
          || a->index_extent != b->index_extent))
    return FALSE;
  if (a->n_guards == 0 && a->index < 0)
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
  int value;       /* expression for LOAD; -1: @access, once its index is there */
  int inside;      /* expression for INSIDE, likewise */
  TpAccess access; /* with the index of the nest it comes from */
} Loaded;

static Loaded
nest_keep_load (TpNest *nest, const TpAccess *access)
{
  Loaded loaded = { -1, -1, *access };
  int load = -1;

  if (access->index >= 0)
    return loaded;
  load = nest_share_load (nest, access);
  loaded.value = tp_nest_load (nest, load);
  loaded.inside = access->n_guards == 0 ? tp_nest_const (nest, 1.0)
                                        : tp_nest_inside (nest, load);
  return loaded;
}

/* The index comes before the load in both nests: it is in @map by now. */
static int
import_load (TpNest *nest, const TpExpr *expr, const Loaded *loaded,
             const int *map)
{
  gboolean is_inside = expr->op == TP_EXPR_INSIDE;
  TpAccess access = loaded->access;
  int load = -1;

  if (loaded->value >= 0)
    return is_inside ? loaded->inside : loaded->value;
  access.index = map[access.index];
  load = nest_share_load (nest, &access);
  return is_inside ? tp_nest_inside (nest, load) : tp_nest_load (nest, load);
}

static int
import_const (TpNest *nest, const TpExpr *expr)
{
  return expr->is_integer
             ? tp_nest_const_integer (nest, expr->integer)
             : tp_nest_convert (nest, tp_nest_const (nest, expr->value),
                                tp_expr_get_dtype (expr));
}

static int
import_one (TpNest *nest, const TpExpr *expr, const Loaded *loaded,
            const int *map)
{
  switch (expr->op)
    {
    case TP_EXPR_CONST:
      return import_const (nest, expr);
    case TP_EXPR_LOAD:
    case TP_EXPR_INSIDE:
      return import_load (nest, expr, &loaded[expr->index], map);
    case TP_EXPR_STAGE:
      return tp_nest_stage (nest, expr->index);
    case TP_EXPR_SELECT:
      return tp_nest_select (nest, map[expr->a], map[expr->b], map[expr->c]);
    case TP_EXPR_TO_REAL:
      return tp_nest_convert (nest, map[expr->a], tp_expr_get_dtype (expr));
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
  g_autofree gboolean *used = tp_new0 (gboolean, src->n_exprs);
  g_autofree int *map = tp_new (int, src->n_exprs);

  tp_nest_mark_used (src, root, used);
  for (int i = 0; i < src->n_exprs; i++)
    if (used[i])
      map[i] = import_one (nest, &src->exprs[i], loaded, map);
  return map[root];
}

/* ---- epilogue ---------------------------------------------------------- */

/* The one way in which @nest reads @operand; NULL when there are none, several,
 * guards, an index or a step. */
static const TpAccess *
nest_find_only_load (const TpNest *nest, int operand)
{
  const TpAccess *found = NULL;

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (load->operand != operand)
        continue;
      if (load->n_guards > 0 || load->index >= 0 || load->step != 0
          || (found != NULL && !access_equal (found, load)))
        return NULL;
      found = load;
    }
  return found;
}

/* Every axis of the producer that tells points apart must show in the store, and where
 * that goes be known. */
static gboolean
nest_stores_once (const TpNest *nest)
{
  if (nest->store.index >= 0)
    return FALSE;
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->axes[i].extent > 1
        && nest->store.stride[i] == 0)
      return FALSE;
  return TRUE;
}

/* Does memory of the store's type hold the values of @expr as they are, given so
 * for earlier expressions? Sums of integers wrap when stored, and would not when
 * handed on. */
static gboolean
expr_fits (const TpNest *nest, const TpExpr *e, const gboolean *fits)
{
  switch (e->op)
    {
    case TP_EXPR_LOAD:
      return nest->loads[e->index].dtype == nest->store.dtype
             && nest->loads[e->index].fill == 0.0;
    case TP_EXPR_LESS:
    case TP_EXPR_EQUAL:
    case TP_EXPR_IS_NAN:
      return TRUE;
    case TP_EXPR_TO_INTEGER: /* of one of these */
      return fits[e->a];
    case TP_EXPR_MUL:
      return tp_dtype_get (nest->store.dtype)->class == TP_CLASS_BOOL
             && fits[e->a] && fits[e->b];
    case TP_EXPR_SELECT:
      return fits[e->b] && fits[e->c];
    case TP_EXPR_MIN:
    case TP_EXPR_MAX:
      return fits[e->a] && fits[e->b];
    case TP_EXPR_CONST:
      return e->is_integer ? e->integer == 0 || e->integer == 1
                           : e->value == 0.0 || e->value == 1.0;
    default:
      return FALSE;
    }
}

static gboolean
nest_stores_exactly (const TpNest *nest)
{
  g_autofree gboolean *fits = NULL;

  if (tp_dtype_holds_results (nest->store.dtype)
      || tp_dtype_get (nest->store.dtype)->class == TP_CLASS_REAL)
    return TRUE;
  fits = tp_new0 (gboolean, nest->n_exprs);
  for (int i = 0; i <= nest->result; i++)
    fits[i] = expr_fits (nest, &nest->exprs[i], fits);
  return fits[nest->result];
}

/* What it stores is what it loads, in memory of the same type: it takes whatever would
 * have been stored there. */
static gboolean
nest_is_copy (const TpNest *nest)
{
  const TpExpr *result = &nest->exprs[nest->result];

  return result->op == TP_EXPR_LOAD
         && nest->loads[result->index].dtype == nest->store.dtype;
}

static gboolean
nest_has_staged_index (const TpNest *nest)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);

  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].index >= 0)
      tp_nest_mark_used (nest, nest->loads[i].index, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i] && nest->exprs[i].op == TP_EXPR_STAGE)
      return TRUE;
  return FALSE;
}

TpNest *
tp_nest_fuse (const TpNest *producer, const TpNest *consumer, int operand)
{
  g_autoptr (TpNest) nest = NULL;
  g_autofree Loaded *loaded = tp_new0 (Loaded, consumer->n_loads + 1);
  const TpAccess *meet = nest_find_only_load (consumer, operand);
  TpMatch match;

  if (meet == NULL || producer->store.operand != operand
      || tp_nest_reduces (consumer) || consumer->store.index >= 0
      || !nest_stores_once (producer)
      || (!nest_stores_exactly (producer) && !nest_is_copy (consumer)))
    return NULL;
  tp_match_init (&match, producer, &producer->store, consumer, meet);
  if (!tp_match_solve (&match))
    return NULL;
  nest = tp_nest_copy (producer);
  for (int i = 0; i < consumer->n_loads; i++)
    {
      TpAccess access = tp_match_rewrite (&match, &consumer->loads[i]);

      if (access.operand == operand)
        loaded[i] = (Loaded){ .value = nest->result,
                              .inside = tp_nest_const (nest, 1.0) };
      else
        loaded[i] = nest_keep_load (nest, &access);
    }
  nest->result = nest_import (nest, consumer, consumer->result, loaded);
  nest->store = tp_match_rewrite (&match, &consumer->store);
  if (nest_has_staged_index (nest))
    return NULL;
  return g_steal_pointer (&nest);
}

/* ---- prologue ---------------------------------------------------------- */

/* @load of the producer with those guards of @meet that keep it in bounds, or
 * with all of them. FALSE when they are too many. */
static TpAccess
prologue_access (const TpMatch *match, const TpAccess *load, const TpAccess *meet,
                 gboolean with_all)
{
  TpAccess out = tp_match_rewrite (match, load);

  for (int i = 0; i < meet->n_guards; i++)
    if (with_all || load->stride[match->guard_axis[i]] != 0)
      out.guards[out.n_guards++] = meet->guards[i];
  return out;
}

/* Which load of the producer carries all guards: one that needs them. */
static int
prologue_find_main (const TpMatch *match, const TpAccess *meet)
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

static int
nest_const_of (TpNest *nest, TpDtype dtype, double value)
{
  return tp_dtype_is_integer (dtype)
             ? tp_nest_const_integer (nest, tp_real_to_integer (value))
             : tp_nest_const (nest, value);
}

/* The producer's value where the consumer's load @meet stands. */
static gboolean
prologue_compute (TpNest *nest, TpMatch *match, const TpAccess *meet,
                  Loaded *out_loaded)
{
  const TpNest *producer = match->guest;
  g_autofree Loaded *loaded = tp_new0 (Loaded, producer->n_loads + 1);
  int main_load = 0;

  for (int i = 0; i < meet->n_guards; i++)
    if (!tp_match_guard (match, &meet->guards[i], &match->guard_axis[i]))
      return FALSE;
  if (!tp_match_solve (match) || (meet->n_guards > 0 && producer->n_loads == 0))
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
                          nest_const_of (nest, meet->dtype, meet->fill));
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
  TpMatch match;

  if (meet->index >= 0 || meet->step != 0)
    return FALSE;
  if (!nest_uses_value (consumer, load) && producer->n_loads > 0)
    {
      TpAccess access = *meet; /* only its guards are asked for */

      access.operand = producer->loads[0].operand;
      access.dtype = producer->loads[0].dtype;
      access.offset = 0;
      memset (access.stride, 0, sizeof access.stride);
      *out_loaded = nest_keep_load (nest, &access);
      return TRUE;
    }
  tp_match_init (&match, nest, meet, producer, &producer->store);
  return prologue_compute (nest, &match, meet, out_loaded);
}

/* A map without guards or indices of its own, which are rare and would add up. */
static gboolean
nest_is_plain_map (const TpNest *nest)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].n_guards > 0 || nest->loads[i].index >= 0)
      return FALSE;
  return !tp_nest_reduces (nest) && nest->store.index < 0;
}

TpNest *
tp_nest_fuse_prologue (const TpNest *producer, const TpNest *consumer,
                       int operand)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  g_autofree Loaded *loaded = tp_new0 (Loaded, consumer->n_loads + 1);

  if (!nest_is_plain_map (producer) || producer->store.operand != operand
      || consumer->store.index >= 0
      || !nest_stores_exactly (producer))
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
    {
      const TpStage *stage = &consumer->stages[i];

      tp_nest_add_stage (nest, stage->combiner,
                         nest_import (nest, consumer, stage->expr, loaded));
      nest->stages[i].is_small = stage->is_small;
    }
  nest->result = nest_import (nest, consumer, consumer->result, loaded);
  return g_steal_pointer (&nest);
}
