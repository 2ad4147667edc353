/* kernel-uniform.c: which values are the same for all items of a group, and so
 * which regions all of them enter together. */
#include "config.h"

#include "kernel/kernel-uniform.h"

#include "ir/guard.h"
#include "kernel/kernel-ops.h"

/* Memory that the kernel writes may hold anything by now; and what a loop
 * carries is not followed. */
static gboolean
is_uniform (const TpKernel *kernel, const TpInstr *instr,
            const gboolean *uniform)
{
  if (instr->op == TP_I_ITEM || instr->op == TP_I_CARRY
      || instr->op == TP_I_YIELD || instr->op == TP_I_MMA
      || (tp_instr_is_load (instr) && kernel->buffers[instr->buffer].is_written))
    return FALSE;
  return (instr->a < 0 || uniform[instr->a])
         && (instr->b < 0 || uniform[instr->b])
         && (instr->c < 0 || uniform[instr->c]);
}

gboolean
tp_kernel_verify_barriers (const TpKernel *kernel, GError **error)
{
  g_autofree gboolean *uniform = tp_new0 (gboolean, kernel->n_instrs + 1);
  int n_divergent = 0; /* open regions; those inside of one count, too */

  for (int i = 0; i < kernel->n_instrs && kernel->local_size > 1; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      uniform[i] = is_uniform (kernel, instr, uniform);
      if (instr->op == TP_I_FOR || instr->op == TP_I_IF)
        n_divergent += n_divergent > 0 || !uniform[i];
      else if (instr->op == TP_I_END_FOR || instr->op == TP_I_END_IF)
        n_divergent -= n_divergent > 0;
      else if ((instr->op == TP_I_BARRIER || instr->op == TP_I_MMA)
               && n_divergent > 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                       "kernel '%s', %%%d (%s): not all work-items of a "
                       "group may get here",
                       kernel->name, i, tp_instr_get_info (instr->op)->name);
          return FALSE;
        }
    }
  return TRUE;
}
