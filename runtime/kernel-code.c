/* kernel-code.c: units made into programs. Layers of a network repeat, so equal
 * kernels are found by name and compiled once.
 *
 * All kernels of all devices come by here, so here they are proved to stay in
 * their memory: a schedule's mistake is an error, never a wild write. */
#include "config.h"

#include "runtime/kernel-code.h"

#include "ir/guard.h"
#include "kernel/kernel-verify.h"

/* The bytes behind argument @arg of a step of @unit; whether they may be written
 * is @out_is_writable. */
static gint64
find_size (const TpKernelUnit *unit, const TpArg *arg,
           gboolean *out_is_writable)
{
  const TpOperand *operand = &unit->operands[arg->index];

  *out_is_writable = arg->kind != TP_ARG_PACKED;
  if (arg->kind == TP_ARG_WORKSPACE)
    return unit->program->workspace_bytes[arg->index];
  if (arg->kind == TP_ARG_PACKED)
    return tp_pack_get_bytes (&unit->program->packs[arg->index]);
  *out_is_writable = operand->is_output;
  return operand->n_elements * (gint64) tp_dtype_get_size (operand->dtype);
}

/* What the proof of a kernel takes for granted: the sizes of its buffers, and
 * how often it runs. */
static gboolean
check_step (const TpKernelUnit *unit, int index, GError **error)
{
  const TpStep *step = &unit->program->steps[index];
  const TpKernel *kernel = step->kernel;

  for (int i = 0; i < step->n_args; i++)
    {
      const TpKernelBuffer *buffer = &kernel->buffers[i];
      gint64 needed
          = buffer->n_elements * (gint64) tp_dtype_get_size (buffer->dtype);
      gboolean is_writable;
      gint64 given = find_size (unit, &step->args[i], &is_writable);

      if (needed <= given && (is_writable || !buffer->is_written))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "kernel '%s' %s %" G_GINT64_FORMAT " bytes of argument %d, "
                   "which has %" G_GINT64_FORMAT "%s",
                   kernel->name, buffer->is_written ? "writes" : "reads",
                   needed, i, given, is_writable ? "" : " to read");
      return FALSE;
    }
  if (index < unit->program->first_repeated_step
      || unit->program->n_iterations <= kernel->n_iterations)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "kernel '%s' runs %" G_GINT64_FORMAT " times, but is made for %"
               G_GINT64_FORMAT,
               kernel->name, unit->program->n_iterations, kernel->n_iterations);
  return FALSE;
}

/* The number of a kernel equal to @kernel, which is added when new; -1: it is
 * wrong. Schedules give equal names to equal kernels only. */
static int
find_kernel (TpKernelCode *code, TpKernel *kernel, GError **error)
{
  int number = code->kernels->len;
  gpointer found;

  if (tp_map_find (code->numbers, kernel->name, &found))
    return GPOINTER_TO_INT (found);
  if (!tp_kernel_verify (kernel, error))
    return -1;
  tp_array_append_val (code->kernels, kernel);
  tp_map_insert (code->numbers, g_steal_pointer (&kernel->name),
                 GINT_TO_POINTER (number));
  kernel->name = g_strdup_printf ("k%d", number);
  return number;
}

static void
count_workspaces (TpKernelCode *code, const TpProgram *program)
{
  for (int i = 0; i < program->n_workspaces; i++)
    {
      gint64 bytes = program->workspace_bytes[i];

      if ((guint) i == code->workspace_bytes->len)
        g_array_append_val (code->workspace_bytes, bytes);
      else if (bytes > g_array_index (code->workspace_bytes, gint64, i))
        g_array_index (code->workspace_bytes, gint64, i) = bytes;
    }
}

static gboolean
find_kernels (TpKernelCode *code, TpKernelUnit *unit, GError **error)
{
  const TpProgram *program = unit->program;

  unit->kernels = tp_new0 (int, program->n_steps + 1);
  for (int i = 0; i < program->n_steps; i++)
    {
      if (check_step (unit, i, error))
        unit->kernels[i]
            = find_kernel (code, program->steps[i].kernel, error);
      else
        unit->kernels[i] = -1;
      if (unit->kernels[i] < 0)
        {
          g_prefix_error (error, "tplan made a wrong kernel, which is its bug; "
                                 "pin the op to another device: ");
          return FALSE;
        }
    }
  return TRUE;
}

/* Says which op, and what to do about a schedule made for something else. */
static void
explain_fault (const TpUnit *unit, GError **error)
{
  g_autoptr (GError) fault = NULL;
  gboolean is_misfit;

  if (error == NULL || unit->graph == NULL)
    return;
  fault = g_steal_pointer (error);
  is_misfit = unit->schedule != NULL
              && g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_set_error (error, fault->domain, fault->code, "op '%s': %s%s",
               unit->graph->nodes[unit->nodes[0]].name, fault->message,
               is_misfit ? ": the schedule is of another kernel: make the plan "
                           "again with `tplan optimize`" : "");
}

static gboolean
add_unit (TpKernelCode *code, int index, const TpUnit *unit,
          const TpTarget *target, GError **error)
{
  TpKernelUnit *it = &code->units[index];

  it->graph = unit->graph != NULL ? tp_graph_ref ((TpGraph *) unit->graph)
                                  : NULL;
  it->n_operands = unit->lowered->n_operands;
  it->operands = tp_memdup (unit->lowered->operands,
                            it->n_operands * sizeof it->operands[0]);
  it->program
      = tp_program_new (unit->lowered, target, unit->schedule, error);
  if (it->program == NULL || !find_kernels (code, it, error))
    {
      explain_fault (unit, error);
      return FALSE;
    }
  code->base.schedules[index] = g_strdup (it->program->schedule);
  count_workspaces (code, it->program);
  return TRUE;
}

static gboolean
alloc_workspaces (TpKernelCode *code, GError **error)
{
  TpDevice *device = code->device;

  code->workspaces = tp_new0 (TpBuf *, code->workspace_bytes->len + 1);
  for (guint i = 0; i < code->workspace_bytes->len; i++)
    {
      gint64 bytes = g_array_index (code->workspace_bytes, gint64, i);

      code->workspaces[i] = device->ops->alloc (device, NULL, 0,
                                                MAX (bytes, 1), error);
      if (code->workspaces[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_kernel_code_init (TpKernelCode *code, const TpTarget *target,
                     const TpUnit *units, GError **error)
{
  int n = code->base.n_units;

  code->base.schedules = tp_new0 (char *, n + 1);
  code->units = tp_new0 (TpKernelUnit, n + 1);
  code->kernels = tp_array_new (sizeof (TpKernel *));
  code->numbers = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  code->constants = tp_constants_new (code->device, code->is_host);
  code->workspace_bytes = g_array_new (FALSE, TRUE, sizeof (gint64));
  for (int i = 0; i < n; i++)
    if (!add_unit (code, i, &units[i], target, error))
      return FALSE;
  return alloc_workspaces (code, error);
}

/* What is not there yet is %NULL, from any point of the making on. */
void
tp_kernel_code_clear (TpKernelCode *code)
{
  for (guint i = 0; code->workspaces != NULL && i < code->workspace_bytes->len;
       i++)
    if (code->workspaces[i] != NULL)
      code->device->ops->free_buf (code->device, code->workspaces[i]);
  for (int i = 0; code->units != NULL && i < code->base.n_units; i++)
    {
      TpKernelUnit *unit = &code->units[i];

      g_clear_pointer (&unit->program, tp_program_free);
      g_clear_pointer (&unit->graph, tp_graph_unref);
      g_free (unit->operands);
      g_free (unit->kernels);
    }
  g_clear_pointer (&code->constants, tp_constants_free);
  tp_array_unref (code->kernels);
  tp_map_free (code->numbers);
  g_clear_pointer (&code->workspace_bytes, g_array_unref);
  g_strfreev (code->base.schedules);
  g_free (code->workspaces);
  g_free (code->units);
}

const TpKernel *
tp_kernel_code_get (const TpKernelCode *code, guint number)
{
  return tp_array_index (code->kernels, TpKernel *, number);
}

static TpBuf *
find_operand (TpKernelCode *code, const TpKernelUnit *unit, int operand,
              TpBuf *const *operands, GError **error)
{
  const TpOperand *it = &unit->operands[operand];

  if (operands[operand] != NULL)
    return operands[operand];
  g_assert (it->is_constant && it->tensor >= 0);
  return tp_constants_get (code->constants, unit->graph, it->tensor, error);
}

static TpBuf *
find_packed (TpKernelCode *code, const TpKernelUnit *unit, const TpPack *pack,
             TpBuf *const *operands, GError **error)
{
  const TpOperand *it = &unit->operands[pack->operand];

  if (operands[pack->operand] != NULL)
    return tp_constants_pack_buf (
        code->constants, operands[pack->operand],
        it->n_elements * (gint64) tp_dtype_get_size (it->dtype), pack, error);
  g_assert (it->is_constant && it->tensor >= 0);
  return tp_constants_get_packed (code->constants, unit->graph, it->tensor,
                                  pack, error);
}

TpBuf **
tp_kernel_code_bind (TpKernelCode *code, int unit, int step,
                     TpBuf *const *operands, GError **error)
{
  const TpKernelUnit *it = &code->units[unit];
  const TpStep *its_step = &it->program->steps[step];
  g_autofree TpBuf **bufs = tp_new0 (TpBuf *, its_step->n_args + 1);

  for (int i = 0; i < its_step->n_args; i++)
    {
      const TpArg *arg = &its_step->args[i];

      switch (arg->kind)
        {
        case TP_ARG_OPERAND:
          bufs[i] = find_operand (code, it, arg->index, operands, error);
          break;
        case TP_ARG_PACKED:
          bufs[i] = find_packed (code, it, &it->program->packs[arg->index],
                                 operands, error);
          break;
        case TP_ARG_WORKSPACE:
          bufs[i] = code->workspaces[arg->index];
          break;
        }
      if (bufs[i] == NULL)
        return NULL;
    }
  return g_steal_pointer (&bufs);
}
