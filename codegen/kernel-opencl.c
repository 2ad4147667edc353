/* kernel-opencl.c: a kernel as OpenCL C 1.2. Every value becomes a variable,
 * every carry one that changes; leaves are written where they are used.
 *
 * Meaning is kept to the bit: contraction is off and fma() is the only fused
 * operation; minima are `a < b ? a : b` and not fmin(); I32 lanes wrap through
 * unsigned types. Build with -cl-fp32-correctly-rounded-divide-sqrt where the
 * device has it, and never with -cl-fast-relaxed-math. */
#include "config.h"

#include "codegen/kernel-ops.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const TpKernel *kernel;
  int *match;
  GStringChunk *chunk;
  const char **names; /* per value: a variable or a literal */
  GString *text;
  int depth;
} Printer;

static const char *
type_name (Printer *printer, TpKind kind, int lanes)
{
  const char *scalar = kind == TP_KIND_INDEX ? "long"
                       : kind == TP_KIND_F32 ? "float"
                                             : "int";
  char name[32];

  if (lanes == 1)
    return scalar;
  g_snprintf (name, sizeof name, "%s%d", scalar, lanes);
  return g_string_chunk_insert_const (printer->chunk, name);
}

static const char *G_GNUC_PRINTF (2, 3)
    keep (Printer *printer, const char *format, ...)
{
  g_autofree char *string = NULL;
  va_list args;

  va_start (args, format);
  string = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert (printer->chunk, string);
}

static void G_GNUC_PRINTF (2, 3)
    print_line (Printer *printer, const char *format, ...)
{
  va_list args;

  g_string_append_printf (printer->text, "%*s", 2 * printer->depth, "");
  va_start (args, format);
  g_string_append_vprintf (printer->text, format, args);
  va_end (args);
  g_string_append_c (printer->text, '\n');
}

/* --- leaves ------------------------------------------------------------- */

/* Exact and free of the locale: an integer times a power of two. */
static const char *
float_literal (Printer *printer, float value)
{
  guint32 bits;
  int exponent;
  float mantissa;

  memcpy (&bits, &value, sizeof bits);
  if (!isfinite (value))
    return keep (printer, "as_float (0x%08xu)", bits);
  mantissa = frexpf (fabsf (value), &exponent);
  return keep (printer, "%s0x%xp%df", signbit (value) ? "-" : "",
               (guint)ldexpf (mantissa, 24), exponent - 24);
}

static const char *
leaf (Printer *printer, const TpInstr *instr)
{
  const char *type = type_name (printer, instr->kind, instr->lanes);

  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
      if (instr->imm == G_MININT64)
        return "LONG_MIN";
      return keep (printer, "(%" G_GINT64_FORMAT "L)", instr->imm);
    case TP_I_CONST_I32:
      if (instr->imm == G_MININT32)
        return keep (printer, "(%s) (INT_MIN)", type);
      return keep (printer, "(%s) (%d)", type, (gint32)instr->imm);
    case TP_I_CONST_F32:
      return keep (printer, "(%s) (%s)", type,
                   float_literal (printer, instr->fimm));
    case TP_I_GROUP:
      return "group";
    case TP_I_ITEM:
      return "item";
    default: /* IOTA */
      return instr->lanes == 1 ? "0"
                               : keep (printer, "TP_IOTA_%d", instr->lanes);
    }
}

/* --- expressions -------------------------------------------------------- */

/* A C operator between two values, or NULL. */
static const char *
plain_operator (const TpInstr *instr)
{
  switch (instr->op)
    {
    case TP_I_FADD:
    case TP_I_IADD:
      return "+";
    case TP_I_FSUB:
    case TP_I_ISUB:
      return "-";
    case TP_I_FMUL:
    case TP_I_IMUL:
      return "*";
    case TP_I_FDIV:
    case TP_I_IDIV:
      return "/";
    case TP_I_IMOD:
      return "%";
    case TP_I_ISHL:
      return "<<";
    case TP_I_IAND:
    case TP_I_MAND:
      return "&";
    case TP_I_MOR:
      return "|";
    case TP_I_ILESS:
    case TP_I_FLESS:
      return "<";
    case TP_I_IEQUAL:
    case TP_I_FEQUAL:
      return "==";
    default:
      return NULL;
    }
}

static gboolean
is_unsigned_op (TpInstrOp op, TpKind kind)
{
  return op == TP_I_IDIV || op == TP_I_IMOD
         || (kind == TP_KIND_I32
             && (op == TP_I_IADD || op == TP_I_ISUB || op == TP_I_IMUL
                 || op == TP_I_ISHL));
}

static const char *
function_name (TpInstrOp op)
{
  switch (op)
    {
    case TP_I_FABS:
      return "fabs";
    case TP_I_FSQRT:
      return "sqrt";
    case TP_I_FFLOOR:
      return "floor";
    case TP_I_FROUND:
      return "rint";
    case TP_I_LANE_SUM:
      return "tp_sum";
    case TP_I_LANE_MAX:
      return "tp_max";
    case TP_I_LANE_MIN:
      return "tp_min";
    default:
      return NULL;
    }
}

static const char *
binary_expression (Printer *printer, const TpInstr *instr, const char *a,
                   const char *b)
{
  const char *operator= plain_operator (instr);
  const char *type = type_name (printer, instr->kind, instr->lanes);

  if (operator!= NULL && is_unsigned_op (instr->op, instr->kind))
    return keep (printer, "as_%s (as_u%s (%s) %s as_u%s (%s))", type, type,
                 a, operator, type, b);
  if (operator!= NULL)
    return keep (printer, "%s %s %s", a, operator, b);
  if (instr->op == TP_I_IMIN || instr->op == TP_I_FMIN)
    return keep (printer, "%s < %s ? %s : %s", a, b, a, b);
  if (instr->op == TP_I_FMAX)
    return keep (printer, "%s > %s ? %s : %s", a, b, a, b);
  return keep (printer, "%s < %s ? %s : %s", a, b, b, a); /* IMAX */
}

/* One truth value is 0 or 1, those of a vector are 0 or -1. */
static const char *
lane_expression (Printer *printer, const TpInstr *instr, const char *a)
{
  gboolean is_mask = instr->kind == TP_KIND_MASK;

  if (instr->op == TP_I_SPLAT)
    return keep (printer, "(%s) (%s%s)",
                 type_name (printer, instr->kind, instr->lanes),
                 is_mask ? "-" : "", a);
  return keep (printer, "%s (%s).s%x", is_mask ? "1 &" : "", a,
               (guint)instr->imm);
}

static const char *
unary_expression (Printer *printer, const TpInstr *instr, const char *a)
{
  const char *type = type_name (printer, instr->kind, instr->lanes);
  const char *function = function_name (instr->op);
  int lanes = printer->kernel->instrs[instr->a].lanes;

  switch (instr->op)
    {
    case TP_I_LANE_SUM:
    case TP_I_LANE_MAX:
    case TP_I_LANE_MIN:
      return keep (printer, "%s%d (%s)", function, lanes, a);
    case TP_I_FNEG:
      return keep (printer, "-%s", a);
    case TP_I_MNOT:
      return keep (printer, "%s%s", instr->lanes == 1 ? "!" : "~", a);
    case TP_I_INDEX_TO_I32:
      return keep (printer, "(int) %s", a);
    case TP_I_F32_TO_I32:
    case TP_I_I32_TO_F32:
      return keep (printer, "convert_%s (%s)", type, a);
    case TP_I_AS_I32:
    case TP_I_AS_F32:
      return keep (printer, "as_%s (%s)", type, a);
    case TP_I_SPLAT:
    case TP_I_EXTRACT:
      return lane_expression (printer, instr, a);
    default:
      return keep (printer, "%s (%s)", function, a);
    }
}

static const char *
load_expression (Printer *printer, const TpInstr *instr)
{
  const char *index = printer->names[instr->a];
  gboolean is_local =
      printer->kernel->buffers[instr->buffer].space == TP_SPACE_LOCAL;

  if (instr->b >= 0 && instr->lanes == 1)
    return keep (printer, "%s ? b%d[%s] : 0.0f", printer->names[instr->b],
                 instr->buffer, index);
  if (instr->b >= 0)
    return keep (printer, "tp_load%d_%s (b%d + %s, %s)", instr->lanes,
                 is_local ? "local" : "global", instr->buffer, index,
                 printer->names[instr->b]);
  if (instr->lanes == 1)
    return keep (printer, "b%d[%s]", instr->buffer, index);
  return keep (printer, "vload%d (0, b%d + %s)", instr->lanes, instr->buffer,
               index);
}

static const char *
expression (Printer *printer, const TpInstr *instr)
{
  const char *a = printer->names[instr->a];
  const char *b = instr->b >= 0 ? printer->names[instr->b] : NULL;
  const char *c = instr->c >= 0 ? printer->names[instr->c] : NULL;

  if (instr->op == TP_I_LOAD)
    return load_expression (printer, instr);
  if (instr->op == TP_I_FMA)
    return keep (printer, "fma (%s, %s, %s)", a, b, c);
  if (instr->op == TP_I_SELECT)
    return keep (printer, "%s ? %s : %s", a, b, c);
  if (b != NULL)
    return binary_expression (printer, instr, a, b);
  return unary_expression (printer, instr, a);
}

/* --- statements --------------------------------------------------------- */

static void
print_value (Printer *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];
  const char *type = type_name (printer, instr->kind, instr->lanes);

  printer->names[i] = keep (printer, "v%d", i);
  if (instr->op == TP_I_INSERT)
    {
      print_line (printer, "%s v%d = %s;", type, i, printer->names[instr->a]);
      print_line (printer, "v%d.s%x = %s%s;", i, (guint)instr->imm,
                  instr->kind == TP_KIND_MASK ? "-" : "",
                  printer->names[instr->b]);
    }
  else
    print_line (printer, "const %s v%d = %s;", type, i,
                expression (printer, instr));
}

static void
print_store (Printer *printer, const TpInstr *instr)
{
  const char *index = printer->names[instr->a];
  const char *value = printer->names[instr->b];
  const char *mask = instr->c >= 0 ? printer->names[instr->c] : NULL;
  gboolean is_local =
      printer->kernel->buffers[instr->buffer].space == TP_SPACE_LOCAL;

  if (instr->lanes == 1)
    print_line (printer, "%s%s%sb%d[%s] = %s;", mask ? "if (" : "",
                mask ? mask : "", mask ? ") " : "", instr->buffer, index,
                value);
  else if (mask != NULL)
    print_line (printer, "tp_store%d_%s (b%d + %s, %s, %s);", instr->lanes,
                is_local ? "local" : "global", instr->buffer, index, value,
                mask);
  else
    print_line (printer, "vstore%d (%s, 0, b%d + %s);", instr->lanes, value,
                instr->buffer, index);
}

static void
print_for (Printer *printer, int i)
{
  const TpInstr *instrs = printer->kernel->instrs, *instr = &instrs[i];

  for (int carry = i + 1; instrs[carry].op == TP_I_CARRY; carry++)
    {
      printer->names[carry] = keep (printer, "v%d", carry);
      print_line (printer, "%s v%d = %s;",
                  type_name (printer, instrs[carry].kind, instrs[carry].lanes),
                  carry, printer->names[instrs[carry].a]);
    }
  printer->names[i] = keep (printer, "v%d", i);
  print_line (printer, "#pragma unroll 1");
  print_line (
      printer, "for (long v%d = %s; v%d < %s; v%d += %" G_GINT64_FORMAT ") {",
      i, printer->names[instr->a], i, printer->names[instr->b], i, instr->imm);
  printer->depth++;
}

/* A carry handed to another must be read before any is written. */
static void
print_yields (Printer *printer, int end_for)
{
  const TpInstr *instrs = printer->kernel->instrs;
  int first = end_for;

  while (instrs[first - 1].op == TP_I_YIELD)
    first--;
  for (int i = first; i < end_for; i++)
    if (instrs[instrs[i].b].op == TP_I_CARRY)
      print_line (printer, "const %s v%d = %s;",
                  type_name (printer, instrs[i].kind, instrs[i].lanes), i,
                  printer->names[instrs[i].b]);
  for (int i = first; i < end_for; i++)
    if (instrs[instrs[i].b].op == TP_I_CARRY)
      print_line (printer, "%s = v%d;", printer->names[instrs[i].a], i);
    else
      print_line (printer, "%s = %s;", printer->names[instrs[i].a],
                  printer->names[instrs[i].b]);
  for (int i = first; i < end_for; i++)
    printer->names[i] = printer->names[instrs[i].a];
}

static void
print_instr (Printer *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];

  switch (instr->op)
    {
    case TP_I_FOR:
      print_for (printer, i);
      break;
    case TP_I_CARRY:
    case TP_I_YIELD:
      break;
    case TP_I_END_FOR:
      print_yields (printer, i);
      printer->depth--;
      print_line (printer, "}");
      break;
    case TP_I_IF:
      print_line (printer, "if (%s) {", printer->names[instr->a]);
      printer->depth++;
      break;
    case TP_I_END_IF:
      printer->depth--;
      print_line (printer, "}");
      break;
    case TP_I_STORE:
      print_store (printer, instr);
      break;
    case TP_I_BARRIER:
      print_line (printer, "barrier (CLK_LOCAL_MEM_FENCE);");
      break;
    default:
      if (tp_instr_get_info (instr->op)->operands[0] == '\0')
        printer->names[i] = leaf (printer, instr);
      else
        print_value (printer, i);
      break;
    }
}

/* --- the kernel --------------------------------------------------------- */

static void
print_head (Printer *printer)
{
  const TpKernel *kernel = printer->kernel;

  print_line (printer,
              "__kernel __attribute__ ((reqd_work_group_size (%d, 1, 1)))",
              kernel->local_size);
  g_string_append_printf (printer->text, "void %s (", kernel->name);
  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_GLOBAL)
      g_string_append_printf (printer->text, "%s__global %sfloat *restrict b%d",
                              i > 0 ? ", " : "",
                              kernel->buffers[i].is_written ? "" : "const ", i);
  g_string_append (printer->text, ")\n{\n");
  printer->depth++;
  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_LOCAL)
      print_line (printer,
                  "__local float b%d[%" G_GINT64_FORMAT
                  "] __attribute__ ((aligned (64)));",
                  i, MAX (kernel->buffers[i].n_elements, 1));
  print_line (printer, "const long group = get_group_id (0);");
  print_line (printer, "const long item = get_local_id (0);");
}

char *
tp_kernel_to_opencl (const TpKernel *kernel)
{
  g_autofree int *match = tp_kernel_match_regions (kernel);
  g_autofree const char **names = g_new0 (const char *, kernel->n_instrs + 1);
  Printer printer = {
    .kernel = kernel,
    .match = match,
    .chunk = g_string_chunk_new (4096),
    .names = names,
    .text = g_string_new (NULL),
  };

  print_head (&printer);
  for (int i = 0; i < kernel->n_instrs; i++)
    print_instr (&printer, i);
  g_string_append (printer.text, "}\n");
  g_string_chunk_free (printer.chunk);
  return g_string_free (printer.text, FALSE);
}
