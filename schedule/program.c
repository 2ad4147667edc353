/* program.c: chooses a schedule for each nest and collects its kernels. */
#include "config.h"

#include "schedule/program.h"

#include "codegen-id.h"
#include "schedule/schedule.h"

#include <string.h>

/* ---- sources ----------------------------------------------------------- */

static int
add_source (TpBuild *build, TpArg arg, TpDtype dtype, gint64 n_elements)
{
  TpSource source = { arg, dtype, n_elements };

  g_array_append_val (build->sources, source);
  return build->sources->len - 1;
}

int
tp_build_add_workspace (TpBuild *build, TpDtype dtype, gint64 n_elements)
{
  TpProgram *program = build->program;
  int index = program->n_workspaces++;

  program->workspace_bytes = g_renew (gint64, program->workspace_bytes,
                                      program->n_workspaces);
  program->workspace_bytes[index]
      = n_elements * (gint64) tp_dtype_get_size (dtype);
  return add_source (build, (TpArg) { TP_ARG_WORKSPACE, index }, dtype,
                     n_elements);
}

int
tp_build_add_pack (TpBuild *build, int operand, gint64 n_elements, TpNest *nest)
{
  TpProgram *program = build->program;
  int index = program->n_packs++;

  program->packs = g_renew (TpPack, program->packs, program->n_packs);
  program->packs[index] = (TpPack) { operand, n_elements, nest };
  return add_source (build, (TpArg) { TP_ARG_PACKED, index }, TP_DTYPE_FLOAT32,
                     n_elements);
}

gint64
tp_build_get_elements (const TpBuild *build, int source)
{
  return g_array_index (build->sources, TpSource, source).n_elements;
}

gboolean
tp_build_is_constant (const TpBuild *build, int source)
{
  return source < build->lowered->n_operands
         && build->lowered->operands[source].is_constant;
}

void
tp_build_describe (TpBuild *build, const char *format, ...)
{
  va_list args;

  if (build->text->len > 0)
    g_string_append (build->text, "; ");
  va_start (args, format);
  g_string_append_vprintf (build->text, format, args);
  va_end (args);
}

/* ---- choosing ---------------------------------------------------------- */

static gboolean
is_empty (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].extent == 0 && !nest->axes[i].is_reduce)
      return TRUE;
  return FALSE;
}

void
tp_schedule_nest (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) canonical = NULL;
  gboolean is_done = FALSE;

  if (is_empty (nest))
    return;
  canonical = tp_nest_canonicalize (nest);
  if (build->target->local_size > 1)
    is_done = tp_schedule_contract_gpu (build, canonical);
  else
    is_done = tp_schedule_contract (build, canonical)
              || tp_schedule_reduce (build, canonical);
  if (!is_done)
    is_done = tp_schedule_window (build, canonical);
  g_assert (is_done);
}

static gboolean
reads_operand (const TpNest *nest, int operand)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].operand == operand)
      return TRUE;
  return FALSE;
}

/* Copies and maps that do not read what another of them writes, such as the
 * parts of a Concat. */
static gboolean
are_independent_maps (GPtrArray *nests)
{
  for (guint i = 0; i < nests->len; i++)
    {
      const TpNest *nest = nests->pdata[i];

      if (nest->n_stages > 0)
        return FALSE;
      for (guint j = 0; j < nests->len; j++)
        if (reads_operand (nests->pdata[j], nest->store.operand))
          return FALSE;
    }
  return nests->len > 1;
}

/* Nests [first, end), which run @n_iterations times. */
static void
schedule_nests (TpBuild *build, int first, int end, gint64 n_iterations)
{
  const TpLowered *lowered = build->lowered;
  g_autoptr (GPtrArray) nests
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_nest_free);

  build->n_iterations = n_iterations;
  for (int i = first; i < end; i++)
    if (!is_empty (lowered->nests[i]))
      g_ptr_array_add (nests, tp_nest_canonicalize (lowered->nests[i]));
  if (are_independent_maps (nests))
    tp_schedule_maps (build, (TpNest *const *) nests->pdata, nests->len);
  else
    for (guint i = 0; i < nests->len; i++)
      tp_schedule_nest (build, nests->pdata[i]);
}

static void
schedule_program (TpBuild *build)
{
  const TpLowered *lowered = build->lowered;

  schedule_nests (build, 0, lowered->first_repeated, 1);
  build->program->n_iterations = lowered->n_iterations;
  build->program->first_repeated_step = build->program->n_steps;
  schedule_nests (build, lowered->first_repeated, lowered->n_nests,
                  lowered->n_iterations);
}

static gboolean
check_operands (const TpLowered *lowered, GError **error)
{
  for (int i = 0; i < lowered->n_operands; i++)
    if (!tp_dtype_has_kernels (lowered->operands[i].dtype))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "operand %d is %s: use device 'ref'", i,
                     tp_dtype_get_name (lowered->operands[i].dtype));
        return FALSE;
      }
  return TRUE;
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

TpProgram *
tp_program_new (const TpLowered *lowered, const TpTarget *target,
                GError **error)
{
  g_autoptr (TpProgram) program = NULL;
  g_autoptr (GArray) sources = NULL;
  g_autoptr (GString) text = NULL;
  TpBuild build;

  if (!check_operands (lowered, error))
    return NULL;
  program = g_new0 (TpProgram, 1);
  sources = g_array_new (FALSE, FALSE, sizeof (TpSource));
  text = g_string_new (NULL);
  build = (TpBuild) { .lowered = lowered, .target = target,
                      .program = program, .sources = sources, .text = text };
  for (int i = 0; i < lowered->n_operands; i++)
    add_operand (&build, i);
  schedule_program (&build);
  program->schedule = g_strdup (text->str);
  return g_steal_pointer (&program);
}

void
tp_program_free (TpProgram *program)
{
  if (program == NULL)
    return;
  for (int i = 0; i < program->n_steps; i++)
    {
      tp_kernel_free (program->steps[i].kernel);
      g_free (program->steps[i].args);
    }
  for (int i = 0; i < program->n_packs; i++)
    tp_nest_free (program->packs[i].nest);
  g_free (program->steps);
  g_free (program->packs);
  g_free (program->workspace_bytes);
  g_free (program->schedule);
  g_free (program);
}

const char *
tp_codegen_get_id (void)
{
  return TP_CODEGEN_ID;
}

/* The copy of what @load reads, @axis innermost; @load is turned to it. */
static TpNest *
new_copy (const TpNest *nest, TpAccess *load, int axis, gint64 *out_n)
{
  TpNest *copy = tp_nest_new ();
  TpAccess *from = tp_nest_add_load (copy, load->operand);
  gint64 n = 1;

  from->offset = load->offset;
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
  return copy;
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

      if (!used[i] || load->stride[axis] == 0 || load->stride[axis] == 1
          || load->n_guards > 0 || load->index >= 0 || load->step != 0
          || load->dtype != TP_DTYPE_FLOAT32
          || !tp_build_is_constant (build, load->operand))
        continue;
      copy = new_copy (nest, load, axis, &n);
      load->operand = tp_build_add_pack (build, load->operand, n, copy);
    }
}

/* ---- packing ----------------------------------------------------------- */

static gboolean
pack_guards_hold (const TpNest *nest, const TpAccess *load, const gint64 *at)
{
  for (int i = 0; i < load->n_guards; i++)
    {
      const TpGuard *guard = &load->guards[i];
      gint64 value = guard->offset;

      for (int j = 0; j < nest->n_axes; j++)
        value += guard->coef[j] * at[j];
      if (value < 0 || value >= guard->extent)
        return FALSE;
    }
  return TRUE;
}

/* All points with the given outer counters; the last axis is a plain loop. */
static void
pack_row (const TpNest *nest, gint64 *at, const float *src, float *dst)
{
  const TpAccess *load = &nest->loads[0];
  int last = nest->n_axes - 1;
  gint64 from = load->offset, to = nest->store.offset;
  gint64 n = last < 0 ? 1 : nest->axes[last].extent;

  for (int i = 0; i < last; i++)
    {
      from += load->stride[i] * at[i];
      to += nest->store.stride[i] * at[i];
    }
  for (gint64 i = 0; i < n; i++)
    {
      if (last >= 0)
        at[last] = i;
      if (load->n_guards == 0 || pack_guards_hold (nest, load, at))
        dst[to] = src[from];
      from += last < 0 ? 0 : load->stride[last];
      to += last < 0 ? 0 : nest->store.stride[last];
    }
}

void
tp_pack_run (const TpPack *pack, const float *src, float *dst)
{
  const TpNest *nest = pack->nest;
  gint64 at[TP_NEST_MAX_AXES] = { 0 };
  int axis;

  memset (dst, 0, pack->n_elements * sizeof *dst);
  do
    {
      pack_row (nest, at, src, dst);
      for (axis = nest->n_axes - 2; axis >= 0; axis--)
        {
          if (++at[axis] < nest->axes[axis].extent)
            break;
          at[axis] = 0;
        }
    }
  while (axis >= 0);
}
