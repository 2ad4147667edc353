/* kernel-programs.h: units made into programs, each kind once, by several threads. */
#ifndef TP_RUNTIME_KERNEL_PROGRAMS_H
#define TP_RUNTIME_KERNEL_PROGRAMS_H

#include "runtime/device.h"
#include "schedule/program.h"

typedef struct
{
  TpGraph *graph;             /* (nullable) */
  int same_as;                /* the unit before that @program is of; -1: its own */
  TpProgram *program;
  int n_operands;
  TpOperand *operands;
  int *kernels;               /* [step]: index of its kernel */
  GError *error;              /* (nullable) why it has no program */
} TpKernelUnit;

/* Also of what is not whole. */
void tp_kernel_unit_clear (TpKernelUnit *unit);

typedef struct
{
  const TpUnit *units;
  int n;
  const TpTarget *target;
  int n_threads;
} TpKernelUnits;

/* Programs for @wanted in @units, which were zero; their kernels are proved to stay
 * in their memory. Errors name the op: TPLAN_ERROR_INPUT: its schedule is none for it;
 * TPLAN_ERROR_FAILED: a kernel is wrong. */
gboolean tp_kernel_programs_make (const TpKernelUnits *wanted,
                                  TpKernelUnit *units, GError **error);

#endif
