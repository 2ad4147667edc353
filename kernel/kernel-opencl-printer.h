/* kernel-opencl-printer.h: inside the printer of OpenCL C: lines, types, and
 * values that are written where they are used. */
#ifndef TP_KERNEL_KERNEL_OPENCL_PRINTER_H
#define TP_KERNEL_KERNEL_OPENCL_PRINTER_H

#include "kernel/kernel-range.h"
#include "kernel/kernel.h"

typedef struct
{
  const TpKernel *kernel;
  const TpRange *ranges;
  const gint64 *multiples;
  GStringChunk *chunk;
  const char **names; /* per value: a variable or a literal */
  GString *text;
  int depth;
} TpPrinter;

/* The C type of a kind and lanes; what is returned lives as long as the
 * chunk. */
const char *tp_printer_name_type (TpPrinter *printer, TpKind kind, int lanes);
const char *tp_printer_keep (TpPrinter *printer, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Adds an indented line. */
void tp_printer_print_line (TpPrinter *printer, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* A constant, or what the group or item is. */
const char *tp_printer_get_leaf (TpPrinter *printer, const TpInstr *instr);
/* Is value @i of 32 bits? */
gboolean tp_printer_is_narrow (const TpPrinter *printer, int i);
/* Of the variable of value @i. */
const char *tp_printer_get_type (TpPrinter *printer, int i);
/* May @lanes elements be read as one vector? */
gboolean tp_printer_is_aligned (const TpPrinter *printer, int buffer, int index,
                                int lanes);

#endif
