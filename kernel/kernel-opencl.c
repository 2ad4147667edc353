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

#include "ir/guard.h"
#include "ir/text.h"
#include "kernel/kernel-opencl-memory.h"
#include "kernel/kernel-opencl-printer.h"
#include "kernel/kernel-ops.h"

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
    case TP_I_ISHR:
      return ">>";
    case TP_I_IAND:
    case TP_I_MAND:
      return "&";
    case TP_I_MOR:
      return "|";
    case TP_I_IXOR:
      return "^";
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
is_unsigned_op (const TpPrinter *printer, const TpInstr *instr)
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
    case TP_I_ISHR:
      return instr->kind == TP_KIND_I32
             || tp_range_is_full (&ranges[instr - printer->kernel->instrs]);
    default:
      return FALSE;
    }
}

static gboolean
is_guarded_division (const TpPrinter *printer, const TpInstr *instr)
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
    case TP_I_FEXP:
      return "exp";
    case TP_I_FLOG:
      return "log";
    case TP_I_FTANH:
      return "tanh";
    case TP_I_FERF:
      return "erf";
    case TP_I_FSIN:
      return "sin";
    case TP_I_FCOS:
      return "cos";
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

/* Vectors of 64 bits are compared and selected by lanes of long. */
static gboolean
is_of_long_lanes (const TpPrinter *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];

  return instr->lanes > 1
         && (instr->kind == TP_KIND_INDEX || instr->kind == TP_KIND_F64);
}

/* An operand of @instr in the width of its result. */
static const char *
widen (TpPrinter *printer, const TpInstr *instr, int operand)
{
  const char *name = printer->names[operand];

  if (instr->kind != TP_KIND_INDEX || !tp_printer_is_narrow (printer, operand)
      || tp_printer_is_narrow (printer, instr - printer->kernel->instrs))
    return name;
  return tp_printer_keep (printer, "(long) %s", name);
}

/* An operand that may be the result: one of 64 bits that cannot be it where that
 * has 32 is cut, so that no compiler wonders. */
static const char *
choose (TpPrinter *printer, const TpInstr *instr, int operand, const char *name)
{
  if (instr->kind != TP_KIND_INDEX
      || !tp_printer_is_narrow (printer, instr - printer->kernel->instrs)
      || tp_printer_is_narrow (printer, operand))
    return name;
  return tp_printer_keep (printer, "(int) %s", name);
}

/* Both operands of 32 bits are divided as such. */
static const char *
narrow_division (TpPrinter *printer, const TpInstr *instr)
{
  if (instr->kind != TP_KIND_INDEX
      || (instr->op != TP_I_IDIV && instr->op != TP_I_IMOD)
      || !tp_printer_is_narrow (printer, instr->a)
      || !tp_printer_is_narrow (printer, instr->b))
    return NULL;
  return tp_printer_keep (printer, "(int) ((uint) %s %s (uint) %s)",
                          printer->names[instr->a], plain_operator (instr),
                          printer->names[instr->b]);
}

static const char *
extremum (TpPrinter *printer, const TpInstr *instr, const char *a,
          const char *b)
{
  const char *first = choose (printer, instr, instr->a, a);
  const char *second = choose (printer, instr, instr->b, b);

  if (instr->op == TP_I_IMIN || instr->op == TP_I_FMIN)
    return tp_printer_keep (printer, "%s < %s ? %s : %s", a, b, first, second);
  if (instr->op == TP_I_FMAX)
    return tp_printer_keep (printer, "%s > %s ? %s : %s", a, b, first, second);
  return tp_printer_keep (printer, "%s < %s ? %s : %s", a, b, second, first);
}

static const char *
binary_expression (TpPrinter *printer, const TpInstr *instr)
{
  const char *operator= plain_operator (instr);
  const char *type = tp_printer_name_type (printer, instr->kind, instr->lanes);
  const char *a = widen (printer, instr, instr->a);
  const char *b = widen (printer, instr, instr->b), *text;
  gboolean is_index = printer->kernel->instrs[instr->a].kind == TP_KIND_INDEX;

  if (is_guarded_division (printer, instr))
    return tp_printer_keep (printer, "tp_%s_%s (%s, %s)",
                            instr->op == TP_I_IDIV ? "divide" : "modulo", type,
                            a, b);
  if (instr->op == TP_I_FPOW)
    return tp_printer_keep (printer, "tp_pow_%s (%s, %s)", type, a, b);
  if (instr->kind == TP_KIND_MASK && is_of_long_lanes (printer, instr->a))
    return tp_printer_keep (printer, "convert_%s (%s %s %s)", type, a, operator,
                            b);
  if (is_unsigned_op (printer, instr)
      && (text = narrow_division (printer, instr)) != NULL)
    return text;
  if (operator!= NULL && is_unsigned_op (printer, instr) && instr->lanes == 1
      && is_index)
    return tp_printer_keep (printer, "(%s) ((ulong) %s %s (ulong) %s)", type, a,
                            operator, b);
  if (operator!= NULL && is_unsigned_op (printer, instr))
    return tp_printer_keep (printer, "as_%s (as_u%s (%s) %s as_u%s (%s))", type,
                            type, a, operator, type, b);
  if (operator!= NULL)
    return tp_printer_keep (printer, "%s %s %s", a, operator, b);
  return extremum (printer, instr, a, b);
}

/* One truth value is 0 or 1, those of a vector are 0 or -1. */
static const char *
lane_expression (TpPrinter *printer, const TpInstr *instr, const char *a)
{
  gboolean is_mask = instr->kind == TP_KIND_MASK;

  if (instr->op == TP_I_SPLAT)
    return tp_printer_keep (
        printer, "(%s) (%s%s)",
        tp_printer_name_type (printer, instr->kind, instr->lanes),
        is_mask ? "-" : "", a);
  return tp_printer_keep (printer, "%s (%s).s%x", is_mask ? "1 &" : "", a,
                          (guint)instr->imm);
}

static const char *
unary_expression (TpPrinter *printer, const TpInstr *instr, const char *a)
{
  const char *type = tp_printer_name_type (printer, instr->kind, instr->lanes);
  const char *function = function_name (instr->op);
  const TpInstr *operand = &printer->kernel->instrs[instr->a];
  int lanes = operand->lanes;

  switch (instr->op)
    {
    case TP_I_LANE_SUM:
    case TP_I_LANE_MAX:
    case TP_I_LANE_MIN:
      return tp_printer_keep (printer, "tp_%s_%s%d (%s)", function, type, lanes,
                              a);
    case TP_I_FNEG:
      return tp_printer_keep (printer, "-%s", a);
    case TP_I_MNOT:
      return tp_printer_keep (printer, "%s%s", instr->lanes == 1 ? "!" : "~",
                              a);
    case TP_I_INDEX_TO_I32:
      if (lanes == 1)
        return tp_printer_keep (printer, "(int) %s", a);
      return tp_printer_keep (printer, "convert_%s (%s)", type, a);
    case TP_I_REAL_TO_INDEX:
      return tp_printer_keep (
          printer, "tp_truncate_%s%s (%s)", type,
          operand->kind == TP_KIND_F64 ? "_of_double" : "", a);
    case TP_I_F32_TO_I32:
    case TP_I_I32_TO_F32:
    case TP_I_I32_TO_INDEX:
    case TP_I_INDEX_TO_F32:
    case TP_I_INDEX_TO_F64:
    case TP_I_F64_TO_F32:
    case TP_I_F32_TO_F64:
      return tp_printer_keep (printer, "convert_%s (%s)", type, a);
    case TP_I_AS_I32:
    case TP_I_AS_F32:
    case TP_I_AS_INDEX:
      return tp_printer_keep (printer, "as_%s (%s)", type, a);
    case TP_I_SPLAT:
    case TP_I_EXTRACT:
      return lane_expression (printer, instr, a);
    default:
      return tp_printer_keep (printer, "%s (%s)", function, a);
    }
}

/* One truth for all lanes is asked once. (And oclgrind 21.10 takes the 1 of a
 * scalar comparison for the -1 of a lane, once clang has merged them.) */
static const char *
select_expression (TpPrinter *printer, const TpInstr *instr, const char *mask,
                   const char *b, const char *c)
{
  const TpInstr *truth = &printer->kernel->instrs[instr->a];

  if (truth->op == TP_I_SPLAT)
    return tp_printer_keep (printer, "%s ? %s : %s", printer->names[truth->a],
                            b, c);
  if (is_of_long_lanes (printer, instr - printer->kernel->instrs))
    return tp_printer_keep (
        printer, "convert_%s (%s) ? %s : %s",
        tp_printer_name_type (printer, TP_KIND_INDEX, instr->lanes), mask, b,
        c);
  return tp_printer_keep (printer, "%s ? %s : %s", mask, b, c);
}

static const char *
zip_expression (TpPrinter *printer, const TpInstr *instr, const char *a,
                const char *b)
{
  g_autoptr (GString) lanes = g_string_new (NULL);
  int first = instr->imm * instr->lanes / 2;

  for (int i = 0; i < instr->lanes / 2; i++)
    g_string_append_printf (lanes, "%s%s.s%x, %s.s%x", i > 0 ? ", " : "", a,
                            (guint)(first + i), b, (guint)(first + i));
  return tp_printer_keep (printer, "(%s) (%s)",
                          tp_printer_name_type (printer, instr->kind,
                                                instr->lanes),
                          lanes->str);
}

static const char *
unzip_expression (TpPrinter *printer, const TpInstr *instr, const char *a,
                  const char *b)
{
  const char *half = instr->imm == 0 ? "even" : "odd";

  return tp_printer_keep (printer, "(%s) (%s.%s, %s.%s)",
                          tp_printer_name_type (printer, instr->kind,
                                                instr->lanes),
                          a, half, b, half);
}

static const char *
mma_expression (TpPrinter *printer, const TpInstr *instr)
{
  TpMma mma = tp_instr_get_mma (instr);

  return tp_printer_keep (printer, "tp_mma (b%d + %s, %d, b%d + %s, %d, %s)",
                          mma.buffers[0], printer->names[instr->a],
                          mma.pitches[0], mma.buffers[1],
                          printer->names[instr->b], mma.pitches[1],
                          printer->names[instr->c]);
}

static const char *
expression (TpPrinter *printer, const TpInstr *instr)
{
  const char *a = printer->names[instr->a];
  const char *b = instr->b >= 0 ? printer->names[instr->b] : NULL;
  const char *c = instr->c >= 0 ? printer->names[instr->c] : NULL;

  if (instr->op == TP_I_LOAD)
    return tp_printer_get_load (printer, instr);
  if (instr->op == TP_I_LOAD4)
    return tp_printer_get_load4 (printer, instr);
  if (instr->op == TP_I_MMA)
    return mma_expression (printer, instr);
  if (instr->op == TP_I_DOT4)
    return tp_printer_keep (
        printer, "tp_dot4_%s (%s, %s, %s)",
        tp_printer_name_type (printer, instr->kind, instr->lanes), a, b, c);
  if (instr->op == TP_I_FMA)
    return tp_printer_keep (printer, "fma (%s, %s, %s)", a, b, c);
  if (instr->op == TP_I_ZIP)
    return zip_expression (printer, instr, a, b);
  if (instr->op == TP_I_UNZIP)
    return unzip_expression (printer, instr, a, b);
  if (instr->op == TP_I_SELECT)
    return select_expression (printer, instr, a, b, c);
  if (b != NULL)
    return binary_expression (printer, instr);
  return unary_expression (printer, instr, a);
}

/* --- statements --------------------------------------------------------- */

static void
print_value (TpPrinter *printer, int i)
{
  const TpInstr *instr = &printer->kernel->instrs[i];
  const char *type = tp_printer_get_type (printer, i);

  printer->names[i] = tp_printer_keep (printer, "v%d", i);
  if (instr->op == TP_I_INSERT)
    {
      tp_printer_print_line (printer, "%s v%d = %s;", type, i,
                             printer->names[instr->a]);
      tp_printer_print_line (printer, "v%d.s%x = %s%s;", i, (guint)instr->imm,
                             instr->kind == TP_KIND_MASK ? "-" : "",
                             printer->names[instr->b]);
    }
  else
    tp_printer_print_line (printer, "const %s v%d = %s;", type, i,
                           expression (printer, instr));
}

static void
print_for (TpPrinter *printer, int i)
{
  const TpInstr *instrs = printer->kernel->instrs, *instr = &instrs[i];

  for (int carry = i + 1; instrs[carry].op == TP_I_CARRY; carry++)
    {
      printer->names[carry] = tp_printer_keep (printer, "v%d", carry);
      tp_printer_print_line (printer, "%s v%d = %s;",
                             tp_printer_name_type (printer, instrs[carry].kind,
                                                   instrs[carry].lanes),
                             carry, printer->names[instrs[carry].a]);
    }
  printer->names[i] = tp_printer_keep (printer, "v%d", i);
  tp_printer_print_line (printer, "#pragma unroll 1");
  tp_printer_print_line (
      printer, "for (%s v%d = %s; v%d < %s; v%d += %" G_GINT64_FORMAT ") {",
      tp_printer_get_type (printer, i), i, printer->names[instr->a], i,
      printer->names[instr->b], i, instr->imm);
  printer->depth++;
}

/* A carry handed to another must be read before any is written. */
static void
print_yields (TpPrinter *printer, int end_for)
{
  const TpInstr *instrs = printer->kernel->instrs;
  int first = end_for;

  while (instrs[first - 1].op == TP_I_YIELD)
    first--;
  for (int i = first; i < end_for; i++)
    if (instrs[instrs[i].b].op == TP_I_CARRY)
      tp_printer_print_line (
          printer, "const %s v%d = %s;",
          tp_printer_name_type (printer, instrs[i].kind, instrs[i].lanes), i,
          printer->names[instrs[i].b]);
  for (int i = first; i < end_for; i++)
    if (instrs[instrs[i].b].op == TP_I_CARRY)
      tp_printer_print_line (printer, "%s = v%d;", printer->names[instrs[i].a],
                             i);
    else
      tp_printer_print_line (printer, "%s = %s;", printer->names[instrs[i].a],
                             printer->names[instrs[i].b]);
  for (int i = first; i < end_for; i++)
    printer->names[i] = printer->names[instrs[i].a];
}

static void
print_instr (TpPrinter *printer, int i)
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
      tp_printer_print_line (printer, "}");
      break;
    case TP_I_IF:
      tp_printer_print_line (printer, "if (%s) {", printer->names[instr->a]);
      printer->depth++;
      break;
    case TP_I_END_IF:
      printer->depth--;
      tp_printer_print_line (printer, "}");
      break;
    case TP_I_STORE:
      tp_printer_print_store (printer, instr);
      break;
    case TP_I_BARRIER:
      tp_printer_print_line (printer, "barrier (CLK_LOCAL_MEM_FENCE);");
      break;
    default:
      if (tp_instr_get_info (instr->op)->operands[0] == '\0')
        printer->names[i] = tp_printer_get_leaf (printer, instr);
      else
        print_value (printer, i);
      break;
    }
}

/* --- the kernel --------------------------------------------------------- */

/* Where a buffer begins within its memory comes along: what lies in one arena needs
 * no memory objects of its own. */
static void
print_arguments (TpPrinter *printer)
{
  const TpKernel *kernel = printer->kernel;

  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_GLOBAL)
      tp_text_append_printf (
          printer->text, "%s__global %schar *restrict m%d, const long o%d",
          i > 0 ? ", " : "", kernel->buffers[i].is_written ? "" : "const ", i,
          i);
  if (tp_kernel_uses_iteration (kernel))
    tp_text_append_printf (printer->text, "%sconst long iteration",
                           kernel->n_buffers > 0 ? ", " : "");
}

static void
print_buffer (TpPrinter *printer, int i)
{
  const TpKernelBuffer *buffer = &printer->kernel->buffers[i];
  const char *type = tp_dtype_get (buffer->dtype)->opencl;
  const char *qualifier = buffer->is_written ? "" : "const ";

  if (buffer->space == TP_SPACE_LOCAL)
    tp_printer_print_line (printer,
                           "__local %s b%d[%" G_GINT64_FORMAT
                           "] __attribute__ ((aligned (64)));",
                           type, i, MAX (buffer->n_elements, 1));
  else
    tp_printer_print_line (
        printer, "__global %s%s *const b%d = (__global %s%s *) (m%d + o%d);",
        qualifier, type, i, qualifier, type, i, i);
}

static void
print_head (TpPrinter *printer)
{
  const TpKernel *kernel = printer->kernel;

  tp_printer_print_line (
      printer, "__kernel __attribute__ ((reqd_work_group_size (%d, 1, 1)))",
      kernel->local_size);
  tp_text_append_printf (printer->text, "void %s (", kernel->name);
  print_arguments (printer);
  tp_text_append (printer->text, ")\n{\n");
  printer->depth++;
  for (int i = 0; i < kernel->n_buffers; i++)
    print_buffer (printer, i);
  tp_printer_print_line (
      printer, "const %s group = get_group_id (0);",
      kernel->local_size > 1 && kernel->n_groups <= G_MAXINT32 ? "int"
                                                               : "long");
  tp_printer_print_line (printer, "const %s item = get_local_id (0);",
                         kernel->local_size > 1 ? "int" : "long");
}

char *
tp_kernel_to_opencl (const TpKernel *kernel)
{
  g_autofree TpRange *ranges = tp_kernel_get_ranges (kernel);
  g_autofree gint64 *multiples = tp_kernel_get_multiples (kernel);
  g_autofree const char **names = tp_new0 (const char *, kernel->n_instrs + 1);
  g_autoptr (GStringChunk) chunk = g_string_chunk_new (4096);
  g_autoptr (GString) text = g_string_new (NULL);
  TpPrinter printer = {
    .kernel = kernel,
    .ranges = ranges,
    .multiples = multiples,
    .chunk = chunk,
    .names = names,
    .text = text,
  };

  print_head (&printer);
  for (int i = 0; i < kernel->n_instrs; i++)
    print_instr (&printer, i);
  tp_text_append (text, "}\n");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
