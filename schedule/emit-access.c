/* emit-access.c: addresses, loads and stores at the current point of a nest.
 *
 * Addresses that may leave their buffer are clamped: a guarded or indexed load reads
 * something valid and its fill is selected afterwards. */
#include "config.h"

#include "schedule/emit-access.h"

#include "schedule/emit-guard.h"
#include "schedule/expr.h"
#include "schedule/nest-canon.h"
#include "schedule/weave.h"

#include <string.h>

/* ---- indices ----------------------------------------------------------- */

/* The index of @access, from the end when negative: of each lane. */
static TpValue
emit_index_lanes (TpEmit *emit, const TpAccess *access)
{
  TpKernel *k = emit->kernel;
  int lanes = emit->lanes;
  TpValue i = tp_emit_expr (emit, access->index);
  TpValue end = tp_emit_integer (emit, access->index_extent, lanes);

  return tp_k_select (
      k, tp_k_binary (k, TP_I_ILESS, i, tp_emit_integer (emit, 0, lanes)),
      tp_k_binary (k, TP_I_IADD, i, end), i);
}

/* One for all lanes. */
static TpValue
emit_index_value (TpEmit *emit, const TpAccess *access)
{
  int vaxis = emit->vaxis, lanes = emit->lanes, active = emit->active;
  TpValue i;

  tp_emit_set_lanes (emit, -1, 1, 1);
  i = emit_index_lanes (emit, access);
  tp_emit_set_lanes (emit, vaxis, lanes, active);
  return i;
}

/* Is @index of @access within its extent? */
static TpValue
is_within (TpEmit *emit, const TpAccess *access, TpValue index)
{
  TpKernel *k = emit->kernel;
  int lanes = k->instrs[index].lanes;
  TpValue before = tp_emit_integer (emit, -1, lanes);
  TpValue end = tp_emit_integer (emit, access->index_extent, lanes);

  return tp_k_binary (k, TP_I_MAND, tp_k_binary (k, TP_I_ILESS, before, index),
                      tp_k_binary (k, TP_I_ILESS, index, end));
}

static TpValue
emit_index_condition (TpEmit *emit, const TpAccess *access)
{
  return is_within (emit, access, emit_index_value (emit, access));
}

/* What is outside is not used. */
static TpValue
clamp_index (TpEmit *emit, const TpAccess *access, TpValue index)
{
  TpKernel *k = emit->kernel;
  int lanes = k->instrs[index].lanes;

  index = tp_k_binary (k, TP_I_IMAX, index, tp_emit_integer (emit, 0, lanes));
  return tp_k_binary (
      k, TP_I_IMIN, index,
      tp_emit_integer (emit, access->index_extent - 1, lanes));
}

/* Its share of the address. */
static TpValue
emit_index_share (TpEmit *emit, const TpAccess *access)
{
  TpValue i = clamp_index (emit, access, emit_index_value (emit, access));

  return tp_emit_mul_const (emit, i, access->index_stride);
}

/* ---- addresses --------------------------------------------------------- */

/* The strides over the axes of @guard are a multiple of its coefficients. */
static gboolean
guard_scale (const TpEmit *emit, const TpAccess *access, const TpGuard *guard,
             gint64 *out_scale)
{
  gboolean is_found = FALSE;
  gint64 scale = 0;

  for (int i = 0; i < emit->nest->n_axes; i++)
    {
      gint64 coef = guard->coef[i];

      if (coef == 0)
        continue;
      if (access->stride[i] % coef != 0
          || (is_found && access->stride[i] / coef != scale))
        return FALSE;
      scale = access->stride[i] / coef;
      is_found = TRUE;
    }
  *out_scale = scale;
  return is_found;
}

/* Adds the part of the address that a guard bounds, clamped by that bound. */
static TpValue
add_clamped (TpEmit *emit, TpValue sum, const TpGuard *guard, gint64 scale)
{
  gint64 last = guard->extent - 1;
  TpValue value = tp_emit_guard_value (emit, guard);

  if (guard->coef[MAX (emit->vaxis, 0)] != 0 && emit->vaxis >= 0)
    last -= emit->active - 1;
  value = tp_emit_max_const (emit, tp_emit_min_const (emit, value, last), 0);
  return tp_emit_add (emit, sum, tp_emit_mul_const (emit, value, scale));
}

/* Marks in @done the axes whose share of the address @guard bounds. */
static gboolean
take_axes (const TpEmit *emit, const TpGuard *guard, gboolean *done)
{
  for (int i = 0; i < emit->nest->n_axes; i++)
    if (guard->coef[i] != 0 && done[i])
      return FALSE;
  for (int i = 0; i < emit->nest->n_axes; i++)
    done[i] |= guard->coef[i] != 0;
  return TRUE;
}

static TpValue
get_iteration (const TpEmit *emit)
{
  return emit->iteration >= 0 ? emit->iteration : tp_k_iteration (emit->kernel);
}

/* @sum, the share of an index, and all others. */
static TpValue
add_address (TpEmit *emit, const TpAccess *access, TpValue sum)
{
  gboolean done[TP_NEST_MAX_AXES] = { FALSE };
  gboolean is_bounded = TRUE;
  gint64 rest = access->offset, scale;

  if (access->step != 0)
    sum = tp_emit_add (emit, sum,
                       tp_emit_mul_const (emit, get_iteration (emit),
                                          access->step));
  for (int i = 0; i < access->n_guards; i++)
    {
      const TpGuard *guard = &access->guards[i];

      if (tp_emit_guard_holds (emit, guard))
        continue;
      if (!guard_scale (emit, access, guard, &scale)
          || !take_axes (emit, guard, done))
        {
          is_bounded = FALSE;
          continue;
        }
      sum = add_clamped (emit, sum, guard, scale);
      rest -= scale * guard->offset;
    }
  for (int i = 0; i < emit->nest->n_axes; i++)
    if (!done[i])
      {
        sum = tp_emit_add_axis (emit, sum, i, access->stride[i]);
        rest += access->stride[i] * emit->axes[i].delta;
      }
  sum = tp_emit_add_const (emit, sum, rest);
  if (is_bounded)
    return sum;
  scale = tp_build_get_elements (emit->build, access->operand) - 1;
  if (emit->vaxis >= 0 && access->stride[emit->vaxis] > 0)
    scale -= (emit->active - 1) * access->stride[emit->vaxis];
  return tp_emit_max_const (emit, tp_emit_min_const (emit, sum, scale), 0);
}

TpValue
tp_emit_index (TpEmit *emit, const TpAccess *access)
{
  return add_address (emit, access,
                      access->index < 0 ? -1 : emit_index_share (emit, access));
}

TpValue
tp_emit_mask (TpEmit *emit)
{
  TpKernel *k = emit->kernel;

  if (emit->active == emit->lanes)
    return -1;
  return tp_k_binary (k, TP_I_ILESS, tp_k_iota (k, emit->lanes),
                      tp_k_i32 (k, emit->lanes, emit->active));
}

/* ---- loads and stores -------------------------------------------------- */

/* A load of the open region, for reuse. */
typedef struct
{
  int buffer;
  TpValue index;
  int lanes;
  int active;
} Loaded;

static guint
loaded_hash (gconstpointer key)
{
  const Loaded *loaded = key;

  return (guint) loaded->index * 0x9e3779b1u + (guint) loaded->buffer * 31u
         + (guint) loaded->lanes;
}

static gboolean
loaded_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Loaded)) == 0;
}

/* @first and what follows, in @lanes. */
static TpValue
emit_iota (TpEmit *emit, TpValue first, int lanes)
{
  TpKernel *k = emit->kernel;

  if (lanes == 1)
    return first;
  return tp_k_binary (k, TP_I_IADD, tp_k_splat (k, first, lanes),
                      tp_k_unary (k, TP_I_I32_TO_INDEX, tp_k_iota (k, lanes)));
}

/* @buffer: -1 of what has none, being the indices themselves. */
static TpValue
load_at (TpEmit *emit, int buffer, TpValue index, int lanes)
{
  Loaded key;
  gpointer found;
  TpValue value, mask = lanes > 1 ? tp_emit_mask (emit) : -1;

  memset (&key, 0, sizeof key);
  key.buffer = buffer;
  key.index = index;
  key.lanes = lanes;
  key.active = lanes > 1 ? emit->active : 1;
  if (emit->loaded == NULL)
    emit->loaded = tp_map_new (loaded_hash, loaded_equal, g_free, NULL);
  if (tp_map_find (emit->loaded, &key, &found))
    return GPOINTER_TO_INT (found);
  value = buffer < 0 ? emit_iota (emit, index, lanes)
                     : tp_k_load (emit->kernel, buffer, index, lanes, mask);
  tp_map_insert (emit->loaded, g_memdup2 (&key, sizeof key),
                 GINT_TO_POINTER (value));
  return value;
}

/* Guards and index as a mask of one lane; -1: nothing to ask. */
static TpValue
emit_load_condition (TpEmit *emit, const TpAccess *access)
{
  TpValue guards = tp_emit_condition (emit, access, 1), index;

  if (access->index < 0)
    return guards;
  index = emit_index_condition (emit, access);
  return guards < 0 ? index
                    : tp_k_binary (emit->kernel, TP_I_MAND, guards, index);
}

/* @value where @condition holds, a mask of as many lanes or of one; -1: everywhere. */
static TpValue
select_loaded (TpEmit *emit, const TpAccess *access, TpValue condition,
               TpValue value)
{
  TpKernel *k = emit->kernel;
  int lanes = k->instrs[value].lanes;

  if (condition < 0)
    return value;
  if (k->instrs[condition].lanes != lanes)
    condition = tp_k_splat (k, condition, lanes);
  return tp_k_select (k, condition, value,
                      tp_emit_number (emit, access->fill, access->dtype, lanes));
}

/* Each lane where its own index says, which is computed for all of them at once. */
static TpValue
emit_gathered (TpEmit *emit, int load)
{
  const TpAccess *access = &emit->nest->loads[load];
  TpEmit saved = *emit;
  TpKernel *k = emit->kernel;
  TpValue index = emit_index_lanes (emit, access), at, value;
  TpValue vector = tp_emit_number (emit, 0.0, access->dtype, saved.lanes);

  at = clamp_index (emit, access, index);
  for (int i = 0; i < saved.active; i++)
    {
      emit->axes[saved.vaxis].delta = saved.axes[saved.vaxis].delta + i;
      tp_emit_set_lanes (emit, -1, 1, 1);
      value = tp_emit_mul_const (emit, tp_k_extract (k, at, i),
                                 access->index_stride);
      value = load_at (emit, emit->load_buffers[load],
                       add_address (emit, access, value), 1);
      vector = tp_k_insert (k, vector, value, i);
    }
  emit->axes[saved.vaxis].delta = saved.axes[saved.vaxis].delta;
  tp_emit_set_lanes (emit, saved.vaxis, saved.lanes, saved.active);
  vector = select_loaded (emit, access, is_within (emit, access, index), vector);
  return select_loaded (emit, access, tp_emit_condition (emit, access, 1), vector);
}

/* The interval of the address of @access, first lane, as add_address() has it; FALSE:
 * not known. */
static gboolean
find_interval (const TpEmit *emit, const TpAccess *access, gint64 *out_lo, gint64 *out_hi)
{
  gboolean done[TP_NEST_MAX_AXES] = { FALSE };
  gint64 lo = access->offset, hi = access->offset, scale;

  if (access->step != 0 || access->index >= 0)
    return FALSE;
  for (int i = 0; i < access->n_guards; i++)
    {
      const TpGuard *guard = &access->guards[i];

      if (tp_emit_guard_holds (emit, guard))
        continue;
      if (!guard_scale (emit, access, guard, &scale) || scale < 0
          || !take_axes (emit, guard, done))
        return FALSE;
      lo -= scale * guard->offset;
      hi += scale * (guard->extent - 1 - guard->offset);
    }
  for (int i = 0; i < emit->nest->n_axes; i++)
    {
      const TpPosition *axis = &emit->axes[i];
      gint64 first = access->stride[i] * (axis->lo + axis->delta);
      gint64 last = access->stride[i] * (axis->hi + axis->delta);

      lo += done[i] ? 0 : MIN (first, last);
      hi += done[i] ? 0 : MAX (first, last);
    }
  *out_lo = lo;
  *out_hi = hi;
  return TRUE;
}

/* Elements of whole vectors that lie before what @access wants first: as many for all
 * accesses to one place, so that they share the vectors. */
static int
choose_lead (const TpEmit *emit, const TpAccess *access, int step)
{
  gint64 place = access->offset, lo, hi;
  int lead;

  for (int i = 0; i < emit->nest->n_axes; i++)
    place += access->stride[i] * emit->axes[i].delta;
  lead = (int) ((place % step + step) % step);
  return find_interval (emit, access, &lo, &hi) && lo >= lead ? lead : 0;
}

/* How many lanes of the vector @at elements behind what @access wants first are to be
 * loaded, where it wants the last of @n_wanted: all if so many are there. */
static int
count_lanes (const TpEmit *emit, const TpAccess *access, gint64 n_wanted, gint64 at)
{
  gint64 n = tp_build_get_elements (emit->build, access->operand), lo, hi;

  if (find_interval (emit, access, &lo, &hi) && hi + at + emit->lanes <= n)
    return emit->lanes;
  return (int) CLAMP (n_wanted - at, 0, emit->lanes);
}

/* @at of a whole vector. The interval knows that it fits where the bounds of blocked loops
 * do not tell, so it is clamped. */
static TpValue
clamp_whole (TpEmit *emit, const TpAccess *access, TpValue at)
{
  gint64 n = tp_build_get_elements (emit->build, access->operand);

  return n < emit->lanes ? at : tp_emit_min_const (emit, at, n - emit->lanes);
}

/* Lanes that lie @step apart: of whole vectors, in registers. */
static TpValue
emit_strided (TpEmit *emit, int load, int step)
{
  const TpAccess *access = &emit->nest->loads[load];
  int active = emit->active, lead = choose_lead (emit, access, step);
  gint64 n_wanted = (gint64) step * (active - 1) + 1;
  TpValue index = tp_emit_index (emit, access), vectors[TP_WEAVE_MAX];

  for (int i = 0; i < step; i++)
    {
      gint64 offset = (gint64) i * emit->lanes - lead;
      TpValue at = tp_emit_add_const (emit, index, offset);

      emit->active = count_lanes (emit, access, n_wanted, offset);
      if (emit->active == emit->lanes)
        at = clamp_whole (emit, access, at);
      vectors[i] = emit->active == 0
                       ? vectors[i - 1]
                       : load_at (emit, emit->load_buffers[load], at, emit->lanes);
      emit->active = active;
    }
  return tp_weave_take (emit->kernel, vectors, step, lead);
}

/* Lane by lane, for loads that are no vector. */
static TpValue
emit_lanes (TpEmit *emit, int load)
{
  TpEmit saved = *emit;
  TpValue vector = tp_emit_number (emit, 0.0, emit->nest->loads[load].dtype,
                                   saved.lanes);

  for (int i = 0; i < saved.active; i++)
    {
      emit->axes[saved.vaxis].delta = saved.axes[saved.vaxis].delta + i;
      tp_emit_set_lanes (emit, -1, 1, 1);
      vector = tp_k_insert (emit->kernel, vector, tp_emit_load (emit, load),
                            i);
    }
  emit->axes[saved.vaxis].delta = saved.axes[saved.vaxis].delta;
  tp_emit_set_lanes (emit, saved.vaxis, saved.lanes, saved.active);
  return vector;
}

TpValue
tp_emit_load (TpEmit *emit, int load)
{
  const TpAccess *access = &emit->nest->loads[load];
  int lanes = emit->lanes;
  gint64 step = emit->vaxis < 0 ? 0 : access->stride[emit->vaxis];
  gboolean differ = tp_emit_lanes_differ (emit, access);
  gboolean is_strided = lanes > 1 && tp_weave_is_for (step)
                        && emit->load_buffers[load] >= 0
                        && !tp_target_is_gpu (emit->build->target);
  TpValue value;

  if (lanes > 1 && !differ
      && tp_nest_index_walks (emit->nest, access, emit->vaxis))
    return emit_gathered (emit, load);
  if (lanes > 1 && (differ || (step != 0 && step != 1 && !is_strided)))
    return emit_lanes (emit, load);
  if (step == 0)
    lanes = 1;
  value = is_strided ? emit_strided (emit, load, (int) step)
                     : load_at (emit, emit->load_buffers[load],
                                tp_emit_index (emit, access), lanes);
  value = select_loaded (emit, access, emit_load_condition (emit, access), value);
  return lanes == emit->lanes ? value
                              : tp_k_splat (emit->kernel, value, emit->lanes);
}

TpValue
tp_emit_inside (TpEmit *emit, int load)
{
  const TpAccess *access = &emit->nest->loads[load];
  int lanes = tp_emit_lanes_differ (emit, access) ? emit->lanes : 1;
  TpValue mask = tp_emit_condition (emit, access, lanes);

  return mask < 0 || lanes == emit->lanes
             ? mask
             : tp_k_splat (emit->kernel, mask, emit->lanes);
}

/* Of one lane, or of neighbours; not at all where an index leads outside. */
static void
store_here (TpEmit *emit, TpValue value)
{
  const TpAccess *access = &emit->nest->store;
  TpValue mask = emit->lanes == 1 ? -1 : tp_emit_mask (emit), at;

  if (access->index >= 0)
    tp_emit_if (emit, emit_index_condition (emit, access));
  at = tp_emit_index (emit, access);
  tp_k_store (emit->kernel, emit->store_buffer, at, value, mask);
  if (access->index >= 0)
    tp_emit_end_if (emit);
}

void
tp_emit_store (TpEmit *emit, TpValue value)
{
  const TpAccess *access = &emit->nest->store;
  int lanes = emit->lanes, active = emit->active, vaxis = emit->vaxis;
  TpKernel *k = emit->kernel;

  if (lanes == 1
      || (access->stride[vaxis] == 1
          && !tp_nest_index_walks (emit->nest, access, vaxis)))
    {
      store_here (emit, value);
      return;
    }
  for (int i = 0; i < active; i++)
    {
      emit->axes[vaxis].delta += i;
      tp_emit_set_lanes (emit, -1, 1, 1);
      store_here (emit, tp_k_extract (k, value, i));
      tp_emit_set_lanes (emit, vaxis, lanes, active);
      emit->axes[vaxis].delta -= i;
    }
}

void
tp_emit_store_woven (TpEmit *emit, TpValue *values, int n)
{
  int active = emit->active;
  TpValue first = tp_emit_index (emit, &emit->nest->store);

  tp_weave (emit->kernel, values, n);
  for (int i = 0; i < n && active * n > i * emit->lanes; i++)
    {
      emit->active = MIN (active * n - i * emit->lanes, emit->lanes);
      tp_k_store (emit->kernel, emit->store_buffer,
                  tp_emit_add_const (emit, first, (gint64) i * emit->lanes), values[i],
                  tp_emit_mask (emit));
      emit->active = active;
    }
}

void
tp_emit_fill (TpEmit *emit, int buffer, TpValue at, gint64 n, TpValue fill)
{
  TpKernel *k = emit->kernel;
  int lanes = k->instrs[fill].lanes, rest = n % lanes;

  if (n >= lanes)
    {
      TpValue i = tp_emit_for_const (emit, 0, n - rest, lanes);

      tp_k_store (k, buffer, tp_emit_add (emit, at, i), fill, -1);
      tp_emit_end_for (emit, NULL, 0, NULL);
    }
  if (rest > 0)
    {
      tp_emit_set_lanes (emit, -1, lanes, rest);
      tp_k_store (k, buffer, tp_emit_add_const (emit, at, n - rest), fill,
                  tp_emit_mask (emit));
      tp_emit_set_lanes (emit, -1, 1, 1);
    }
}
