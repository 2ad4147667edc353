/* kernel-opencl-printer.c: types, literals and lines of OpenCL C. */
#include "config.h"

#include "kernel/kernel-opencl-printer.h"

#include "ir/text.h"

#include <math.h>
#include <string.h>

const char *
tp_printer_name_type (TpPrinter *printer, TpKind kind, int lanes)
{
  const char *scalar = kind == TP_KIND_INDEX ? "long"
                       : kind == TP_KIND_F32 ? "float"
                       : kind == TP_KIND_F64 ? "double"
                                             : "int";
  char name[32];

  if (lanes == 1)
    return scalar;
  g_snprintf (name, sizeof name, "%s%d", scalar, lanes);
  return g_string_chunk_insert_const (printer->chunk, name);
}

/* Is value @i of 32 bits? GPUs have no other registers; what CPUs run keeps the
 * width of its addresses. A counter goes one step too far. */
gboolean
tp_printer_is_narrow (const TpPrinter *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];
  const TpRange *range = &printer->ranges[i];
  gint64 room = instr->op == TP_I_FOR ? instr->imm : 0;

  return printer->kernel->local_size > 1 && instr->kind == TP_KIND_INDEX
         && instr->lanes == 1 && range->lo >= G_MININT32 && room <= G_MAXINT32
         && range->hi <= G_MAXINT32 - room;
}

const char *
tp_printer_get_type (TpPrinter *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];

  return tp_printer_is_narrow (printer, i)
             ? "int"
             : tp_printer_name_type (printer, instr->kind, instr->lanes);
}

const char *
tp_printer_keep (TpPrinter *printer, const char *format, ...)
{
  g_autofree char *string = NULL;
  va_list args;

  va_start (args, format);
  string = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert (printer->chunk, string);
}

void
tp_printer_print_line (TpPrinter *printer, const char *format, ...)
{
  va_list args;

  tp_text_append_printf (printer->text, "%*s", 2 * printer->depth, "");
  va_start (args, format);
  tp_text_append_vprintf (printer->text, format, args);
  va_end (args);
  tp_text_append_c (printer->text, '\n');
}

/* --- leaves ------------------------------------------------------------- */

/* Exact and free of the locale: an integer times a power of two. */
static const char *
float_literal (TpPrinter *printer, float value)
{
  guint32 bits;
  int exponent;
  float mantissa;

  memcpy (&bits, &value, sizeof bits);
  if (!isfinite (value))
    return tp_printer_keep (printer, "as_float (0x%08xu)", bits);
  mantissa = frexpf (fabsf (value), &exponent);
  return tp_printer_keep (printer, "%s0x%xp%df", signbit (value) ? "-" : "",
                          (guint)ldexpf (mantissa, 24), exponent - 24);
}

static const char *
double_literal (TpPrinter *printer, gint64 bits)
{
  double value, mantissa;
  int exponent;

  memcpy (&value, &bits, sizeof value);
  if (!isfinite (value))
    return tp_printer_keep (printer,
                            "as_double (0x%016" G_GINT64_MODIFIER "xul)", bits);
  mantissa = frexp (fabs (value), &exponent);
  return tp_printer_keep (printer, "%s0x%" G_GINT64_MODIFIER "xp%d",
                          signbit (value) ? "-" : "",
                          (gint64)ldexp (mantissa, 53), exponent - 53);
}

const char *
tp_printer_get_leaf (TpPrinter *printer, const TpInstr *instr)
{
  const char *type = tp_printer_name_type (printer, instr->kind, instr->lanes);

  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
      if (instr->imm == G_MININT64)
        return tp_printer_keep (printer, "(%s) (LONG_MIN)", type);
      if (instr->lanes == 1)
        return tp_printer_keep (
            printer, "(%" G_GINT64_FORMAT "%s)", instr->imm,
            tp_printer_is_narrow (printer, instr - printer->kernel->instrs)
                ? ""
                : "L");
      return tp_printer_keep (printer, "(%s) (%" G_GINT64_FORMAT "L)", type,
                              instr->imm);
    case TP_I_CONST_I32:
      if (instr->imm == G_MININT32)
        return tp_printer_keep (printer, "(%s) (INT_MIN)", type);
      return tp_printer_keep (printer, "(%s) (%d)", type, (gint32)instr->imm);
    case TP_I_CONST_F32:
      return tp_printer_keep (printer, "(%s) (%s)", type,
                              float_literal (printer, instr->fimm));
    case TP_I_CONST_F64:
      return tp_printer_keep (printer, "(%s) (%s)", type,
                              double_literal (printer, instr->imm));
    case TP_I_GROUP:
      return "group";
    case TP_I_ITEM:
      return "item";
    case TP_I_ITERATION:
      return "iteration";
    default: /* IOTA */
      return instr->lanes == 1
                 ? "0"
                 : tp_printer_keep (printer, "TP_IOTA_%d", instr->lanes);
    }
}

/* May @lanes elements be read as one vector, for which a GPU has instructions?
 * Buffers begin at multiples of 64 bytes. */
gboolean
tp_printer_is_aligned (const TpPrinter *printer, int buffer, int index,
                       int lanes)
{
  return printer->kernel->local_size > 1
         && printer->multiples[index] >= lanes;
}
