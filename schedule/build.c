/* build.c: what a program under construction is made of. */
#include "config.h"

#include "schedule/build.h"

#include "ir/guard.h"
#include "schedule/nest-canon.h"

/* ---- sources ----------------------------------------------------------- */

static int
add_source (TpBuild *build, TpArg arg, TpDtype dtype, gint64 n_elements)
{
  TpSource source = { arg, dtype, n_elements };

  tp_array_append_val (build->sources, source);
  return build->sources->len - 1;
}

static void
add_operand (TpBuild *build, int i)
{
  const TpOperand *operand = &build->lowered->operands[i];

  if (operand->is_scratch)
    tp_build_add_workspace (build, operand->dtype, operand->n_elements);
  else
    add_source (build, (TpArg) { TP_ARG_OPERAND, i }, operand->dtype,
                operand->n_elements);
}

void
tp_build_init (TpBuild *build, const TpLowered *lowered,
               const TpTarget *target)
{
  *build = (TpBuild) { .lowered = lowered, .target = target,
                       .n_iterations = 1, .n_own_iterations = 1 };
  build->sources = tp_array_new (sizeof (TpSource));
  build->steps = tp_array_new (sizeof (TpStep));
  build->packs = tp_array_new (sizeof (TpPack));
  build->workspaces = tp_array_new (sizeof (gint64));
  build->choices = tp_array_new (sizeof (TpChoice));
  for (int i = 0; i < lowered->n_operands; i++)
    add_operand (build, i);
}

void
tp_build_clear (TpBuild *build)
{
  for (guint i = 0; build->steps != NULL && i < build->steps->len; i++)
    tp_step_clear (&tp_array_index (build->steps, TpStep, i));
  for (guint i = 0; build->packs != NULL && i < build->packs->len; i++)
    tp_nest_free (tp_array_index (build->packs, TpPack, i).nest);
  tp_array_unref (build->sources);
  tp_array_unref (build->steps);
  tp_array_unref (build->packs);
  tp_array_unref (build->workspaces);
  tp_array_unref (build->choices);
  tp_array_unref (build->ranked);
  g_clear_error (&build->error);
}

gboolean
tp_build_is_given (const TpBuild *build)
{
  return build->given != NULL && build->choices->len < build->given->len;
}

void
tp_build_take_step (TpBuild *build, TpKernel *kernel, const TpArray *args)
{
  g_auto (TpStep) step = { kernel, args->len, NULL };

  step.args = tp_memdup (args->data, args->len * sizeof (TpArg));
  tp_array_append_val (build->steps, step);
  step = (TpStep) { NULL, 0, NULL }; /* the array has it */
}

int
tp_build_add_workspace (TpBuild *build, TpDtype dtype, gint64 n_elements)
{
  gint64 bytes = n_elements * (gint64) tp_dtype_get_size (dtype);
  int index = build->workspaces->len;

  tp_array_append_val (build->workspaces, bytes);
  return add_source (build, (TpArg) { TP_ARG_WORKSPACE, index }, dtype,
                     n_elements);
}

/* Takes the nest. */
static int
add_pack (TpBuild *build, const TpPack *pack)
{
  g_autoptr (TpNest) owned = pack->nest;
  int index = build->packs->len;

  tp_array_append_val (build->packs, *pack);
  owned = NULL; /* the array has it */
  return add_source (build, (TpArg) { TP_ARG_PACKED, index },
                     pack->nest->store.dtype, pack->n_elements);
}

int
tp_build_add_pack (TpBuild *build, int operand, gint64 n_elements, TpNest *nest,
                   const TpPackSquare *square)
{
  TpPack pack = { operand, n_elements, nest, { 0 }, { 0 } };

  if (square != NULL)
    pack.square = *square;
  return add_pack (build, &pack);
}

int
tp_build_add_dots (TpBuild *build, int operand, gint64 n_elements, TpNest *nest,
                   const TpPackDots *dots)
{
  return add_pack (build, &(TpPack){ operand, n_elements, nest, { 0 }, *dots });
}

gint64
tp_build_get_elements (const TpBuild *build, int source)
{
  return tp_array_index (build->sources, TpSource, source).n_elements;
}

gboolean
tp_build_is_constant (const TpBuild *build, int source)
{
  return source < build->lowered->n_operands
         && build->lowered->operands[source].is_constant;
}

gboolean
tp_build_is_iota (const TpBuild *build, int source)
{
  return source < build->lowered->n_operands
         && build->lowered->operands[source].is_iota;
}

/* ---- packed copies ----------------------------------------------------- */

/* The copy of what @load reads, @axis innermost; @load is turned to it. */
static TpNest *
new_copy (const TpNest *nest, TpAccess *load, int axis, gint64 *out_n)
{
  g_autoptr (TpNest) copy = tp_nest_new ();
  TpAccess *from = tp_nest_add_load (copy, load->operand);
  gint64 n = 1;

  from->offset = load->offset;
  from->dtype = copy->store.dtype = load->dtype;
  for (int i = -1; i < nest->n_axes; i++)
    {
      int source = i < 0 ? axis : i, at;

      if (load->stride[source] == 0 || i == axis)
        continue;
      at = tp_nest_add_axis (copy, nest->axes[source].extent, FALSE);
      from->stride[at] = load->stride[source];
      copy->store.stride[at] = n;
      load->stride[source] = n;
      n *= nest->axes[source].extent;
    }
  copy->result = tp_nest_load (copy, 0);
  load->offset = 0;
  *out_n = n;
  return g_steal_pointer (&copy);
}

static gboolean
needs_copy (const TpBuild *build, const TpAccess *load, int axis)
{
  return load->stride[axis] != 0 && load->stride[axis] != 1
         && load->n_guards == 0 && load->index < 0 && load->step == 0
         && (!tp_dtype_is_integer (load->dtype)
             || tp_dtype_get_size (load->dtype) == 1)
         && tp_build_is_constant (build, load->operand);
}

void
tp_build_pack_constants (TpBuild *build, TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    {
      TpAccess *load = &nest->loads[i];
      TpNest *copy = NULL;
      gint64 n;

      if (!used[i] || !needs_copy (build, load, axis))
        continue;
      copy = new_copy (nest, load, axis, &n);
      load->operand = tp_build_add_pack (build, load->operand, n, copy, NULL);
    }
}

void
tp_build_turn_constants (const TpBuild *build, TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  gint64 n;

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && needs_copy (build, &nest->loads[i], axis))
      tp_nest_free (new_copy (nest, &nest->loads[i], axis, &n));
}
