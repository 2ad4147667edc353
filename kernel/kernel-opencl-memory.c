/* kernel-opencl-memory.c: loads and stores of a kernel as OpenCL C.
 *
 * The bits of narrow reals are of type ushort. float16 goes through vload_half and
 * vstore_half, which every OpenCL has; vectors that do not lie as such go there by way
 * of one that does. bfloat16 is the upper half of a float. */
#include "config.h"

#include "kernel/kernel-opencl-memory.h"

/* What is accessed; all but the last of which may be one lane or more. */
typedef struct
{
  int buffer;
  int lanes;
  TpDtype dtype;
  const char *space, *element; /* "global", "uchar" */
  const char *index, *mask;    /* NULL: there is none */
  gboolean is_aligned;         /* as a vector */
} Access;

static Access
get_access (const TpPrinter *printer, const TpInstr *instr, int lanes,
            TpValue mask)
{
  const TpKernelBuffer *buffer = &printer->kernel->buffers[instr->buffer];

  return (Access){
    .buffer = instr->buffer,
    .lanes = lanes,
    .dtype = buffer->dtype,
    .space = buffer->space == TP_SPACE_LOCAL ? "local" : "global",
    .element = tp_dtype_get (buffer->dtype)->opencl,
    .index = printer->names[instr->a],
    .mask = mask >= 0 ? printer->names[mask] : NULL,
    .is_aligned
    = tp_printer_is_aligned (printer, instr->buffer, instr->a, lanes),
  };
}

static gboolean
is_narrow_real (TpDtype dtype)
{
  return !tp_dtype_is_integer (dtype) && !tp_dtype_holds_results (dtype);
}

/* Where it is, as what vload_half takes. */
static const char *
half_pointer (TpPrinter *printer, const Access *access, const char *qualifier)
{
  return tp_printer_keep (printer, "(%s__%s half *) (b%d + %s)", qualifier,
                          access->space, access->buffer, access->index);
}

/* ---- loads ------------------------------------------------------------- */

static const char *
load_half (TpPrinter *printer, const Access *access)
{
  const char *pointer = half_pointer (printer, access, "const ");

  if (access->lanes == 1)
    return tp_printer_keep (printer, "%s%svload_half (0, %s)%s",
                            access->mask ? access->mask : "",
                            access->mask ? " ? " : "", pointer,
                            access->mask ? " : 0.0f" : "");
  if (access->mask != NULL)
    return tp_printer_keep (printer, "tp_load_half%d_%s (%s, %s)",
                            access->lanes, access->space, pointer,
                            access->mask);
  if (access->is_aligned)
    return tp_printer_keep (printer, "vloada_half%d (0, %s)", access->lanes,
                            pointer);
  return tp_printer_keep (printer, "tp_widen_half%d (vload%d (0, b%d + %s))",
                          access->lanes, access->lanes, access->buffer,
                          access->index);
}

/* As it lies in memory. */
static const char *
load_element (TpPrinter *printer, const Access *access)
{
  const char *index = access->index, *mask = access->mask;
  int i = access->buffer, n = access->lanes;

  if (mask != NULL && n > 1)
    return tp_printer_keep (printer, "tp_load_%s%d_%s (b%d + %s, %s)",
                            access->element, n, access->space, i, index, mask);
  if (mask != NULL)
    return tp_printer_keep (printer, "%s ? b%d[%s] : (%s) 0", mask, i, index,
                            access->element);
  if (n == 1)
    return tp_printer_keep (printer, "b%d[%s]", i, index);
  if (access->is_aligned)
    return tp_printer_keep (printer, "*(const __%s %s%d *) (b%d + %s)",
                            access->space, access->element, n, i, index);
  return tp_printer_keep (printer, "vload%d (0, b%d + %s)", n, i, index);
}

const char *
tp_printer_get_load (TpPrinter *printer, const TpInstr *instr)
{
  Access access = get_access (printer, instr, instr->lanes, instr->b);
  const char *value;

  if (access.dtype == TPLAN_DTYPE_FLOAT16)
    return load_half (printer, &access);
  value = load_element (printer, &access);
  if (tp_dtype_holds_results (access.dtype))
    return value;
  if (is_narrow_real (access.dtype))
    return tp_printer_keep (printer, "tp_widen_bfloat%d (%s)", access.lanes,
                            value);
  return tp_printer_keep (
      printer, "convert_%s (%s)",
      tp_printer_name_type (printer, instr->kind, instr->lanes), value);
}

/* No address is a multiple of more than a byte. */
const char *
tp_printer_get_load4 (TpPrinter *printer, const TpInstr *instr)
{
  const char *index = printer->names[instr->a];
  g_autoptr (GString) parts = g_string_new (NULL);

  if (instr->lanes == 1)
    return tp_printer_keep (printer, "as_int (vload4 (0, b%d + %s))",
                            instr->buffer, index);
  for (int i = 0; i < instr->lanes; i += 4)
    g_string_append_printf (parts, "%sas_int4 (vload16 (%d, b%d + %s))",
                            i > 0 ? ", " : "", i / 4, instr->buffer, index);
  return tp_printer_keep (printer, "(int%d) (%s)", instr->lanes, parts->str);
}

/* ---- stores ------------------------------------------------------------ */

static void
store_half (TpPrinter *printer, const Access *access, const char *value)
{
  const char *pointer = half_pointer (printer, access, "");

  if (access->lanes == 1)
    tp_printer_print_line (printer, "%s%s%svstore_half_rte (%s, 0, %s);",
                           access->mask ? "if (" : "",
                           access->mask ? access->mask : "",
                           access->mask ? ") " : "", value, pointer);
  else if (access->mask != NULL)
    tp_printer_print_line (printer, "tp_store_half%d_%s (%s, %s, %s);",
                           access->lanes, access->space, pointer, value,
                           access->mask);
  else if (access->is_aligned)
    tp_printer_print_line (printer, "vstorea_half%d_rte (%s, 0, %s);",
                           access->lanes, value, pointer);
  else
    tp_printer_print_line (printer,
                           "vstore%d (tp_narrow_half%d (%s), 0, b%d + %s);",
                           access->lanes, access->lanes, value, access->buffer,
                           access->index);
}

/* What is stored for the value @name. */
static const char *
stored_expression (TpPrinter *printer, const Access *access, const char *name)
{
  const TpDtypeRow *row = tp_dtype_get (access->dtype);
  g_autofree char *type
      = access->lanes == 1
            ? g_strdup (row->opencl)
            : g_strdup_printf ("%s%d", row->opencl, access->lanes);

  if (tp_dtype_holds_results (access->dtype))
    return name;
  if (is_narrow_real (access->dtype))
    return tp_printer_keep (printer, "tp_narrow_bfloat%d (%s)", access->lanes,
                            name);
  if (row->class == TP_CLASS_BOOL)
    return tp_printer_keep (printer, "convert_%s (%s != 0L) & (%s) (1)", type,
                            name, type);
  return tp_printer_keep (printer, "convert_%s (%s)", type, name);
}

static void
store_element (TpPrinter *printer, const Access *access, const char *value)
{
  const char *index = access->index, *mask = access->mask;
  int i = access->buffer, n = access->lanes;

  if (n == 1)
    tp_printer_print_line (printer, "%s%s%sb%d[%s] = %s;", mask ? "if (" : "",
                           mask ? mask : "", mask ? ") " : "", i, index, value);
  else if (mask != NULL)
    tp_printer_print_line (printer, "tp_store_%s%d_%s (b%d + %s, %s, %s);",
                           access->element, n, access->space, i, index, value,
                           mask);
  else if (access->is_aligned)
    tp_printer_print_line (printer, "*(__%s %s%d *) (b%d + %s) = %s;",
                           access->space, access->element, n, i, index, value);
  else
    tp_printer_print_line (printer, "vstore%d (%s, 0, b%d + %s);", n, value, i,
                           index);
}

void
tp_printer_print_store (TpPrinter *printer, const TpInstr *instr)
{
  Access access = get_access (
      printer, instr, printer->kernel->instrs[instr->b].lanes, instr->c);
  const char *value = printer->names[instr->b];

  if (access.dtype == TPLAN_DTYPE_FLOAT16)
    store_half (printer, &access, value);
  else
    store_element (printer, &access,
                   stored_expression (printer, &access, value));
}
