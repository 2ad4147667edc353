/* emit.c: buffers, groups, positions and regions of a kernel being emitted. */
#include "config.h"

#include "schedule/emit.h"

#include "ir/guard.h"
#include "kernel/kernel-digest.h"
#include "kernel/kernel-interleave.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"

#define REGISTERS_OF_TURN 8     /* of a chain and its constants, about */

/* ---- buffers ----------------------------------------------------------- */

static int
find_buffer (TpEmit *emit, int source, gboolean is_written)
{
  const TpSource *s = &tp_array_index (emit->build->sources, TpSource, source);

  if (source == emit->local_source)
    return emit->local_buffer;
  for (guint i = 0; i < emit->args->len; i++)
    {
      const TpArg *arg = &tp_array_index (emit->args, TpArg, i);

      if (arg->kind == s->arg.kind && arg->index == s->arg.index)
        {
          if (is_written)
            emit->kernel->buffers[i].is_written = TRUE;
          return i;
        }
    }
  tp_array_append_val (emit->args, s->arg);
  return tp_kernel_add_buffer (emit->kernel, TP_SPACE_GLOBAL, s->dtype,
                               s->n_elements, is_written);
}

static TpEmit *
emit_new (TpBuild *build)
{
  g_autoptr (TpEmit) emit = g_new0 (TpEmit, 1);

  emit->build = build;
  emit->kernel = tp_kernel_new ("kernel");
  emit->kernel->n_iterations = build->n_iterations;
  emit->args = tp_array_new (sizeof (TpArg));
  emit->turns = tp_array_new (sizeof (int));
  emit->local_source = emit->local_buffer = emit->n_before = -1;
  emit->iteration = -1;
  return g_steal_pointer (&emit);
}

TpEmit *
tp_emit_new (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = emit_new (build);

  tp_emit_set_nest (emit, nest);
  return g_steal_pointer (&emit);
}

/* Arguments come before scratch, so all nests are asked for theirs first. */
TpEmit *
tp_emit_new_joint (TpBuild *build, TpNest *const *nests, int n, int local,
                   gint64 n_elements)
{
  g_autoptr (TpEmit) emit = emit_new (build);

  emit->local_source = local;
  for (int i = 0; i < n; i++)
    tp_emit_set_nest (emit, nests[i]);
  emit->local_buffer
      = tp_kernel_add_buffer (emit->kernel, TP_SPACE_LOCAL,
                              TPLAN_DTYPE_FLOAT32, n_elements, TRUE);
  return g_steal_pointer (&emit);
}

/* Loads of the region that ends here are not known in the next. */
static void
forget_loads (TpEmit *emit)
{
  g_clear_pointer (&emit->loaded, tp_map_free);
}

void
tp_emit_set_nest (TpEmit *emit, const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  emit->nest = nest;
  forget_loads (emit);
  emit->load_buffers = tp_renew (int, emit->load_buffers, nest->n_loads + 1);
  for (int i = 0; i < nest->n_loads; i++)
    {
      int source = nest->loads[i].operand;

      emit->load_buffers[i] = used[i] && !tp_build_is_iota (emit->build, source)
                                  ? find_buffer (emit, source, FALSE)
                                  : -1;
    }
  emit->store_buffer = find_buffer (emit, nest->store.operand, TRUE);
  emit->stages = tp_renew (TpValue, emit->stages, nest->n_stages + 1);
  emit->known = tp_renew (TpValue, emit->known, nest->n_exprs + 1);
  for (int i = 0; i < nest->n_exprs; i++)
    emit->known[i] = -1;
  tp_emit_set_lanes (emit, -1, 1, 1);
  for (int i = 0; i < TP_NEST_MAX_AXES; i++)
    tp_emit_clear_axis (emit, i);
}

void
tp_emit_free (TpEmit *emit)
{
  if (emit == NULL)
    return;
  tp_kernel_free (emit->kernel);
  tp_array_unref (emit->args);
  tp_array_unref (emit->turns);
  g_free (emit->load_buffers);
  g_free (emit->stages);
  g_free (emit->known);
  forget_loads (emit);
  g_free (emit);
}

void
tp_emit_finish (TpEmit *emit, const char *family)
{
  g_assert (emit->has_iterations == (emit->build->n_own_iterations > 1));
  tp_kernel_interleave (emit->kernel, (const int *) emit->turns->data,
                        emit->turns->len);
  tp_kernel_set_digest_name (emit->kernel, family);
  tp_build_take_step (emit->build, g_steal_pointer (&emit->kernel), emit->args);
}

TpValue
tp_emit_begin_groups (TpEmit *emit, gint64 n_groups)
{
  TpKernel *k = emit->kernel;
  TpValue group = tp_k_group (k), below;
  gint64 first = k->n_groups;

  if (!emit->is_shared)
    {
      k->n_groups = n_groups;
      return group;
    }
  k->n_groups += n_groups;
  below = tp_k_binary (k, TP_I_ILESS, group, tp_k_index (k, k->n_groups));
  tp_emit_if (emit, tp_k_binary (k, TP_I_MAND, below,
                                 tp_k_binary (k, TP_I_ILESS,
                                              tp_k_index (k, first - 1),
                                              group)));
  group = tp_emit_add_const (emit, group, -first);
  return tp_emit_min_const (emit, tp_emit_max_const (emit, group, 0),
                            n_groups - 1);
}

void
tp_emit_end_groups (TpEmit *emit)
{
  if (emit->is_shared)
    tp_emit_end_if (emit);
}

void
tp_emit_begin_iterations (TpEmit *emit)
{
  emit->has_iterations = emit->build->n_own_iterations > 1;
  if (emit->has_iterations)
    emit->iteration
        = tp_emit_for_const (emit, 0, emit->build->n_own_iterations, 1);
}

void
tp_emit_end_iterations (TpEmit *emit)
{
  if (emit->has_iterations)
    tp_emit_end_for (emit, NULL, 0, NULL);
  emit->iteration = -1;
}

TpValue
tp_emit_take_digit (TpEmit *emit, TpValue *rest, gint64 extent)
{
  TpKernel *kernel = emit->kernel;
  TpValue n = tp_k_index (kernel, extent);
  TpValue digit = tp_k_binary (kernel, TP_I_IMOD, *rest, n);

  *rest = tp_k_binary (kernel, TP_I_IDIV, *rest, n);
  kernel->n_groups *= extent;
  return digit;
}

/* ---- positions --------------------------------------------------------- */

void
tp_emit_set_axis (TpEmit *emit, int axis, TpValue pos, gint64 lo, gint64 hi)
{
  emit->axes[axis] = (TpPosition) { .pos = pos, .lo = lo, .hi = hi };
}

void
tp_emit_clear_axis (TpEmit *emit, int axis)
{
  emit->axes[axis] = (TpPosition) { .pos = -1 };
}

void
tp_emit_set_lanes (TpEmit *emit, int axis, int lanes, int active)
{
  emit->vaxis = axis;
  emit->lanes = lanes;
  emit->active = active;
}

/* ---- scalar arithmetic ------------------------------------------------- */

TpValue
tp_emit_add (TpEmit *emit, TpValue a, TpValue b)
{
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return tp_k_binary (emit->kernel, TP_I_IADD, a, b);
}

TpValue
tp_emit_integer (TpEmit *emit, gint64 value, int lanes)
{
  return tp_k_splat (emit->kernel, tp_k_index (emit->kernel, value), lanes);
}

TpValue
tp_emit_add_const (TpEmit *emit, TpValue a, gint64 b)
{
  return tp_emit_add (emit, a, tp_k_index (emit->kernel, b));
}

TpValue
tp_emit_mul_const (TpEmit *emit, TpValue a, gint64 b)
{
  return tp_k_binary (emit->kernel, TP_I_IMUL, a, tp_k_index (emit->kernel, b));
}

TpValue
tp_emit_min_const (TpEmit *emit, TpValue a, gint64 b)
{
  return tp_k_binary (emit->kernel, TP_I_IMIN, a, tp_k_index (emit->kernel, b));
}

TpValue
tp_emit_max_const (TpEmit *emit, TpValue a, gint64 b)
{
  return tp_k_binary (emit->kernel, TP_I_IMAX, a, tp_k_index (emit->kernel, b));
}

/* ---- regions ----------------------------------------------------------- */

TpValue
tp_emit_for (TpEmit *emit, TpValue first, TpValue end, gint64 step)
{
  forget_loads (emit);
  return tp_k_for (emit->kernel, first, end, step);
}

TpValue
tp_emit_for_const (TpEmit *emit, gint64 first, gint64 end, gint64 step)
{
  return tp_emit_for (emit, tp_k_index (emit->kernel, first),
                      tp_k_index (emit->kernel, end), step);
}

void
tp_emit_end_for (TpEmit *emit, const TpValue *next, int n, TpValue *out_finals)
{
  forget_loads (emit);
  tp_k_end_for (emit->kernel, next, n, out_finals);
}

void
tp_emit_if (TpEmit *emit, TpValue condition)
{
  forget_loads (emit);
  tp_k_if (emit->kernel, condition);
}

void
tp_emit_end_if (TpEmit *emit)
{
  forget_loads (emit);
  tp_k_end_if (emit->kernel);
}

/* ---- turns ------------------------------------------------------------- */

void
tp_emit_begin_turn (TpEmit *emit, int expr)
{
  int most = emit->build->target->n_registers / REGISTERS_OF_TURN;

  if (!tp_nest_takes_long (emit->nest, expr))
    return;
  if (emit->n_turns == most)
    tp_emit_end_turns (emit);
  tp_array_append_val (emit->turns, emit->kernel->n_instrs);
  emit->n_turns++;
}

void
tp_emit_end_turns (TpEmit *emit)
{
  static const int none = -1;

  if (emit->n_turns == 0)
    return;
  tp_array_append_val (emit->turns, emit->kernel->n_instrs);
  tp_array_append_val (emit->turns, none);
  emit->n_turns = 0;
}

gboolean
tp_emit_is_const (const TpEmit *emit, TpValue value, gint64 *out)
{
  *out = emit->kernel->instrs[value].imm;
  return emit->kernel->instrs[value].op == TP_I_CONST_INDEX;
}
