/* kernel-opencl-memory.h: loads and stores of a kernel as OpenCL C. */
#ifndef TP_KERNEL_KERNEL_OPENCL_MEMORY_H
#define TP_KERNEL_KERNEL_OPENCL_MEMORY_H

#include "kernel/kernel-opencl-printer.h"

/* What @instr, a load, gives: an expression. */
const char *tp_printer_get_load (TpPrinter *printer, const TpInstr *instr);
const char *tp_printer_get_load4 (TpPrinter *printer, const TpInstr *instr);
void tp_printer_print_store (TpPrinter *printer, const TpInstr *instr);

#endif
