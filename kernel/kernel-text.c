/* kernel-text.c: a kernel as text: one line per instruction, regions indented.
 * Equal texts mean equal kernels, so it is also the key of caches. */
#include "config.h"

#include "kernel/kernel-text.h"

#include "kernel/kernel-ops.h"

#include <string.h>

static void
append_type (GString *text, const TpInstr *instr)
{
  g_string_append (text, tp_kind_get_name (instr->kind));
  if (instr->lanes > 1)
    g_string_append_printf (text, "x%d", instr->lanes);
}

/* Floats as bits: exact, whatever the locale and the payload of a NaN. */
static void
append_immediate (GString *text, const TpInstr *instr)
{
  guint32 bits;

  switch (instr->op)
    {
    case TP_I_CONST_F32:
      memcpy (&bits, &instr->fimm, sizeof bits);
      g_string_append_printf (text, " 0x%08x", bits);
      break;
    case TP_I_CONST_F64:
      g_string_append_printf (text, " 0x%016" G_GINT64_MODIFIER "x",
                              (guint64) instr->imm);
      break;
    case TP_I_LOAD:
    case TP_I_LOAD4:
      if (instr->imm > 0)
        g_string_append_printf (text, " ahead %" G_GINT64_FORMAT, instr->imm);
      break;
    case TP_I_CONST_INDEX:
    case TP_I_CONST_I32:
    case TP_I_EXTRACT:
    case TP_I_INSERT:
    case TP_I_ZIP:
    case TP_I_UNZIP:
    case TP_I_FOR:
      g_string_append_printf (text, " %" G_GINT64_FORMAT, instr->imm);
      break;
    default:
      break;
    }
}

static void
append_buffers (GString *text, const TpInstr *instr)
{
  TpMma mma;

  if (tp_instr_is_load (instr) || instr->op == TP_I_STORE)
    g_string_append_printf (text, " b%d", instr->buffer);
  if (instr->op != TP_I_MMA)
    return;
  mma = tp_instr_get_mma (instr);
  g_string_append_printf (text, " b%d pitch %d b%d pitch %d", mma.buffers[0],
                          mma.pitches[0], mma.buffers[1], mma.pitches[1]);
}

static void
append_instr (GString *text, const TpKernel *kernel, int i)
{
  const TpInstr *instr = &kernel->instrs[i];
  const TpInstrInfo *info = tp_instr_get_info (instr->op);
  const TpValue args[] = { instr->a, instr->b, instr->c };

  if (info->result != 'V')
    {
      g_string_append_printf (text, "%%%d ", i);
      append_type (text, instr);
      g_string_append (text, " = ");
    }
  g_string_append (text, info->name);
  append_buffers (text, instr);
  for (int arg = 0; arg < 3; arg++)
    if (args[arg] >= 0)
      g_string_append_printf (text, " %%%d", args[arg]);
  append_immediate (text, instr);
  g_string_append_c (text, '\n');
}

char *
tp_kernel_to_text (const TpKernel *kernel)
{
  GString *text = g_string_new (NULL);
  int depth = 0;

  g_string_append_printf (text, "groups %" G_GINT64_FORMAT " items %d",
                          kernel->n_groups, kernel->local_size);
  if (tp_kernel_uses_iteration (kernel))
    g_string_append_printf (text, " iterations %" G_GINT64_FORMAT,
                            kernel->n_iterations);
  g_string_append_c (text, '\n');
  for (int i = 0; i < kernel->n_buffers; i++)
    {
      const TpKernelBuffer *buffer = &kernel->buffers[i];

      g_string_append_printf (
          text, "b%d %s %" G_GINT64_FORMAT " %s%s\n", i,
          buffer->space == TP_SPACE_LOCAL ? "local" : "global",
          buffer->n_elements, tp_dtype_get_name (buffer->dtype),
          buffer->is_written ? " written" : "");
    }
  for (int i = 0; i < kernel->n_instrs; i++)
    {
      TpInstrOp op = kernel->instrs[i].op;

      depth -= op == TP_I_END_FOR || op == TP_I_END_IF;
      g_string_append_printf (text, "%*s", 2 * MAX (depth, 0), "");
      append_instr (text, kernel, i);
      depth += op == TP_I_FOR || op == TP_I_IF;
    }
  return g_string_free (text, FALSE);
}
