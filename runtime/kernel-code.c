/* kernel-code.c: programs with their distinct kernels, which are found by name and
 * compiled once, and their buffers. */
#include "config.h"

#include "runtime/kernel-code.h"

#include "ir/guard.h"

/* The number of a kernel equal to @kernel, which is added when new. Schedules give
 * equal names to equal kernels only. */
static int
find_kernel (TpKernelCode *code, TpKernel *kernel)
{
  int number = code->kernels->len;
  gpointer found;

  if (tp_map_find (code->numbers, kernel->name, &found))
    return GPOINTER_TO_INT (found);
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

static void
find_kernels (TpKernelCode *code, TpKernelUnit *unit)
{
  const TpProgram *program = unit->program;

  unit->kernels = tp_new0 (int, program->n_steps + 1);
  for (int i = 0; i < program->n_steps; i++)
    unit->kernels[i] = find_kernel (code, program->steps[i].kernel);
}

/* Its program is there. */
static void
add_unit (TpKernelCode *code, int index)
{
  TpKernelUnit *it = &code->units[index];
  const TpProgram *program = it->program;

  if (it->same_as >= 0)
    it->kernels = tp_memdup (code->units[it->same_as].kernels,
                             (program->n_steps + 1) * sizeof (int));
  else
    find_kernels (code, it);
  code->base.schedules[index] = g_strdup (program->schedule);
  count_workspaces (code, program);
}

static void
expect_packs (const TpKernelCode *code, const TpKernelUnit *unit)
{
  for (int i = 0; i < unit->program->n_packs; i++)
    {
      const TpPack *pack = &unit->program->packs[i];
      int tensor = unit->operands[pack->operand].tensor;

      if (unit->graph != NULL && tensor >= 0)
        tp_constants_expect (code->constants, unit->graph, tensor, pack);
    }
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
  const TpKernelUnits wanted = { units, n, target, MAX (code->n_threads, 1) };

  code->base.schedules = tp_new0 (char *, n + 1);
  code->units = tp_new0 (TpKernelUnit, n + 1);
  code->kernels = tp_array_new (sizeof (TpKernel *));
  code->numbers = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  code->constants = tp_constants_new (code->device, code->is_host,
                                      MAX (code->n_threads, 1));
  code->workspace_bytes = g_array_new (FALSE, TRUE, sizeof (gint64));
  if (!tp_kernel_programs_make (&wanted, code->units, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    add_unit (code, i);
  for (int i = 0; i < n; i++)
    expect_packs (code, &code->units[i]);
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
    tp_kernel_unit_clear (&code->units[i]);
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
