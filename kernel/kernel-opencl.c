/* kernel-opencl.c: a kernel as OpenCL C 1.2. Every value becomes a variable,
 * every carry one that changes; leaves are written where they are used.
 *
 * Meaning is kept to the bit: contraction is off and fma() is the only fused
 * operation; minima are `a < b ? a : b` and not fmin(); integers that may wrap
 * do so through unsigned types. Masks are int lanes, also of longs. Build with
 * -cl-fp32-correctly-rounded-divide-sqrt where the device has it, and never
 * with -cl-fast-relaxed-math. */
#include "config.h"

#include "kernel/kernel-opencl.h"

#include "kernel/kernel-ops.h"
#include "kernel/kernel-range.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const TpKernel *kernel;
  const TpRange *ranges;
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
        return keep (printer, "(%s) (LONG_MIN)", type);
      if (instr->lanes == 1)
        return keep (printer, "(%" G_GINT64_FORMAT "L)", instr->imm);
      return keep (printer, "(%s) (%" G_GINT64_FORMAT "L)", type, instr->imm);
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
    case TP_I_ITERATION:
      return "iteration";
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

/* Division of what cannot be negative is cheaper as well as defined. */
static gboolean
is_unsigned_op (const Printer *printer, const TpInstr *instr)
{
  const TpRange *ranges = printer->ranges;

  switch (instr->op)
    {
    case TP_I_IDIV:
    case TP_I_IMOD:
      return instr->kind == TP_KIND_I32
             || (ranges[instr->a].lo >= 0 && ranges[instr->b].lo > 0);
    case TP_I_IADD:
    case TP_I_ISUB:
    case TP_I_IMUL:
    case TP_I_ISHL:
      return instr->kind == TP_KIND_I32
             || tp_range_is_full (&ranges[instr - printer->kernel->instrs]);
    default:
      return FALSE;
    }
}

static gboolean
is_guarded_division (const Printer *printer, const TpInstr *instr)
{
  const TpRange *divisor = &printer->ranges[instr->b];

  return instr->kind == TP_KIND_INDEX
         && (instr->op == TP_I_IDIV || instr->op == TP_I_IMOD)
         && divisor->lo <= 0 && divisor->hi >= -1;
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
      return "sum";
    case TP_I_LANE_MAX:
      return "max";
    case TP_I_LANE_MIN:
      return "min";
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
  gboolean is_index = printer->kernel->instrs[instr->a].kind == TP_KIND_INDEX;

  if (is_guarded_division (printer, instr))
    return keep (printer, "tp_%s_%s (%s, %s)",
                 instr->op == TP_I_IDIV ? "divide" : "modulo", type, a, b);
  if (instr->kind == TP_KIND_MASK && is_index && instr->lanes > 1)
    return keep (printer, "convert_%s (%s %s %s)", type, a, operator, b);
  if (operator!= NULL && is_unsigned_op (printer, instr))
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
      return keep (printer, "tp_%s_%s%d (%s)", function, type, lanes, a);
    case TP_I_FNEG:
      return keep (printer, "-%s", a);
    case TP_I_MNOT:
      return keep (printer, "%s%s", instr->lanes == 1 ? "!" : "~", a);
    case TP_I_INDEX_TO_I32:
      if (lanes == 1)
        return keep (printer, "(int) %s", a);
      return keep (printer, "convert_%s (%s)", type, a);
    case TP_I_F32_TO_INDEX:
      return keep (printer, "tp_truncate_%s (%s)", type, a);
    case TP_I_F32_TO_I32:
    case TP_I_I32_TO_F32:
    case TP_I_I32_TO_INDEX:
    case TP_I_INDEX_TO_F32:
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
  const TpKernelBuffer *buffer = &printer->kernel->buffers[instr->buffer];
  const char *index = printer->names[instr->a];
  const char *mask = instr->b >= 0 ? printer->names[instr->b] : NULL;
  const char *element = tp_dtype_get (buffer->dtype)->opencl, *value;
  int i = instr->buffer, n = instr->lanes;

  if (mask != NULL && n > 1)
    value = keep (printer, "tp_load_%s%d_%s (b%d + %s, %s)", element, n,
                  buffer->space == TP_SPACE_LOCAL ? "local" : "global", i,
                  index, mask);
  else if (mask != NULL)
    value = keep (printer, "%s ? b%d[%s] : (%s) 0", mask, i, index, element);
  else if (n == 1)
    value = keep (printer, "b%d[%s]", i, index);
  else
    value = keep (printer, "vload%d (0, b%d + %s)", n, i, index);
  if (tp_dtype_holds_results (buffer->dtype))
    return value;
  return keep (printer, "convert_%s (%s)", type_name (printer, instr->kind, n),
               value);
}

/* One truth for all lanes is asked once. (And oclgrind 21.10 takes the 1 of a
 * scalar comparison for the -1 of a lane, once clang has merged them.) */
static const char *
select_expression (Printer *printer, const TpInstr *instr, const char *mask,
                   const char *b, const char *c)
{
  const TpInstr *truth = &printer->kernel->instrs[instr->a];

  if (truth->op == TP_I_SPLAT)
    return keep (printer, "%s ? %s : %s", printer->names[truth->a], b, c);
  if (instr->kind == TP_KIND_INDEX && instr->lanes > 1)
    return keep (printer, "convert_%s (%s) ? %s : %s",
                 type_name (printer, instr->kind, instr->lanes), mask, b, c);
  return keep (printer, "%s ? %s : %s", mask, b, c);
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
    return select_expression (printer, instr, a, b, c);
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

/* What is stored for the value @name. */
static const char *
stored_expression (Printer *printer, const TpKernelBuffer *buffer, int lanes,
                   const char *name)
{
  const TpDtypeRow *row = tp_dtype_get (buffer->dtype);
  g_autofree char *type = lanes == 1
                              ? g_strdup (row->opencl)
                              : g_strdup_printf ("%s%d", row->opencl, lanes);

  if (tp_dtype_holds_results (buffer->dtype))
    return name;
  if (row->class == TP_CLASS_BOOL)
    return keep (printer, "convert_%s (%s != 0L) & (%s) (1)", type, name, type);
  return keep (printer, "convert_%s (%s)", type, name);
}

static void
print_store (Printer *printer, const TpInstr *instr)
{
  const TpKernelBuffer *buffer = &printer->kernel->buffers[instr->buffer];
  int lanes = printer->kernel->instrs[instr->b].lanes;
  const char *index = printer->names[instr->a];
  const char *value =
      stored_expression (printer, buffer, lanes, printer->names[instr->b]);
  const char *mask = instr->c >= 0 ? printer->names[instr->c] : NULL;

  if (lanes == 1)
    print_line (printer, "%s%s%sb%d[%s] = %s;", mask ? "if (" : "",
                mask ? mask : "", mask ? ") " : "", instr->buffer, index,
                value);
  else if (mask != NULL)
    print_line (printer, "tp_store_%s%d_%s (b%d + %s, %s, %s);",
                tp_dtype_get (buffer->dtype)->opencl, lanes,
                buffer->space == TP_SPACE_LOCAL ? "local" : "global",
                instr->buffer, index, value, mask);
  else
    print_line (printer, "vstore%d (%s, 0, b%d + %s);", lanes, value,
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
      g_string_append_printf (printer->text, "%s__global %s%s *restrict b%d",
                              i > 0 ? ", " : "",
                              kernel->buffers[i].is_written ? "" : "const ",
                              tp_dtype_get (kernel->buffers[i].dtype)->opencl,
                              i);
  if (tp_kernel_uses_iteration (kernel))
    g_string_append_printf (printer->text, "%sconst long iteration",
                            kernel->n_buffers > 0 ? ", " : "");
  g_string_append (printer->text, ")\n{\n");
  printer->depth++;
  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_LOCAL)
      print_line (printer,
                  "__local %s b%d[%" G_GINT64_FORMAT
                  "] __attribute__ ((aligned (64)));",
                  tp_dtype_get (kernel->buffers[i].dtype)->opencl, i,
                  MAX (kernel->buffers[i].n_elements, 1));
  print_line (printer, "const long group = get_group_id (0);");
  print_line (printer, "const long item = get_local_id (0);");
}

char *
tp_kernel_to_opencl (const TpKernel *kernel)
{
  g_autofree TpRange *ranges = tp_kernel_get_ranges (kernel);
  g_autofree const char **names = g_new0 (const char *, kernel->n_instrs + 1);
  Printer printer = {
    .kernel = kernel,
    .ranges = ranges,
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
